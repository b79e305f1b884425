/* The depot alone: chains of magazines, empty ones, loose slots, and the look that finds it dry. */
#include "clients/entry.h"
#include "clients/ledger.h"
#include "depot/depot.h"
#include "engine/failure.h"
#include "engine/region.h"

#define MAGAZINES_MAX    6u
#define SLOTS_MAX        4u
#define MAGAZINE_OBJECTS 2u
#define SLOT_BASE        16u /* loose slots in the ledger lie behind the magazines */

static struct {
    tarn_depot depot;
    tarn_magazine headers[MAGAZINES_MAX + 1];
    void *objects[(MAGAZINES_MAX + 1) * MAGAZINE_OBJECTS];
    tarn_u32 slot_links[SLOTS_MAX + 1];
} world MODEL_STATE;

/* An owner writes to all of a magazine. */
static void take(uint32_t magazine)
{
    ledger_take(magazine);
    void **list = tarn_magazine_objects(&world.depot.magazines, magazine);
    for (uint32_t i = 0; i < MAGAZINE_OBJECTS; i++)
        list[i] = (char *)list[i] + 1;
}

static void take_carved(void)
{
    ledger_take(tarn_magazine_carve(&world.depot.magazines));
}

static void give_full(const uint32_t *magazines, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        ledger_give(magazines[i]);
    tarn_depot_put_full(&world.depot, 0, magazines, count);
}

static uint32_t take_full(uint32_t *magazines)
{
    uint32_t count = tarn_depot_take_full(&world.depot, 0, magazines);
    for (uint32_t i = 0; i < count; i++)
        take(magazines[i]);
    return count;
}

static uint32_t take_empty(uint32_t *magazines)
{
    uint32_t count = tarn_depot_take_empty(&world.depot, 0, magazines);
    for (uint32_t i = 0; i < count; i++)
        take(magazines[i]);
    return count;
}

/* Full: a chain of 1 and 2, under it 3. Magazine 4 is thread 0's; 5 and 6 were never used. */
static void set_up(void)
{
    ledger_clear();
    world.depot.shard_count = 1;
    tarn_magazines_init(&world.depot.magazines, world.headers, world.objects, MAGAZINE_OBJECTS,
                        MAGAZINES_MAX);
    tarn_links_init(&world.depot.slots, world.slot_links, sizeof(tarn_u32), SLOTS_MAX);
    for (uint32_t i = 1; i <= 4; i++)
        take_carved();
    give_full((uint32_t[]){3}, 1);
    give_full((uint32_t[]){1, 2}, 2);
    ledger_keep();
}

/* The same with a second shard, from which others take when theirs is empty. */
static void set_up_shards(void)
{
    set_up();
    world.depot.shard_count = 2;
}

static void check(void)
{
    uint32_t magazines[TARN_CHAIN_MAGAZINES_MAX];
    while (take_full(magazines) > 0)
        ;
    while (ledger_taken() < MAGAZINES_MAX && !model_has_stopped())
        take_empty(magazines);
}

static void take_chain(void)
{
    uint32_t magazines[TARN_CHAIN_MAGAZINES_MAX];
    take_full(magazines);
}

static void take_chain_put_reversed(void)
{
    uint32_t magazines[TARN_CHAIN_MAGAZINES_MAX];
    uint32_t count = take_full(magazines);
    if (count == 2)
        give_full((uint32_t[]){magazines[1], magazines[0]}, 2);
    else if (count == 1)
        give_full(magazines, 1);
}

/* A chain of three that were never linked before: its followers have to be, for the shelf. */
static void set_up_three(void)
{
    ledger_clear();
    tarn_magazines_init(&world.depot.magazines, world.headers, world.objects, MAGAZINE_OBJECTS,
                        MAGAZINES_MAX);
    tarn_links_init(&world.depot.slots, world.slot_links, sizeof(tarn_u32), SLOTS_MAX);
    world.depot.shard_count = 1;
    for (uint32_t i = 1; i <= 4; i++)
        take_carved();
    give_full((uint32_t[]){1, 2, 3}, 3);
    ledger_keep();
}

static void take_linked(void)
{
    uint32_t magazines[TARN_CHAIN_MAGAZINES_MAX];
    uint32_t count = take_full(magazines);
    if (count == 3 && tarn_links_get(&world.depot.magazines.links, magazines[1]) != magazines[2])
        model_fail("a chain's followers are not linked");
}

static void put_four_elsewhere(void)
{
    ledger_give(4);
    tarn_depot_put_full(&world.depot, 1, (uint32_t[]){4}, 1);
}

static void take_elsewhere(void)
{
    uint32_t magazines[TARN_CHAIN_MAGAZINES_MAX];
    uint32_t count = tarn_depot_take_full(&world.depot, 1, magazines);
    for (uint32_t i = 0; i < count; i++)
        take(magazines[i]);
}

static void take_three_chains(void)
{
    uint32_t magazines[TARN_CHAIN_MAGAZINES_MAX];
    for (uint32_t i = 0; i < 3; i++)
        take_full(magazines);
}

static void put_four(void)
{
    give_full((uint32_t[]){4}, 1);
}

static void empty_and_refill(void)
{
    uint32_t magazines[TARN_CHAIN_MAGAZINES_MAX];
    uint32_t count = take_full(magazines);
    if (count == 0)
        return;
    for (uint32_t i = 0; i < count; i++)
        ledger_give(magazines[i]);
    tarn_depot_put_empty(&world.depot, 0, magazines, count);
}

static void take_one_empty(void)
{
    uint32_t magazines[TARN_CHAIN_MAGAZINES_MAX];
    take_empty(magazines);
}

/* One full magazine; a thread breaks it up into loose slots, as threads without a cache do. Its
 * slots lie in one of the two places at any time, so the depot is never dry. */
static void set_up_one(void)
{
    ledger_clear();
    world.depot.shard_count = 1;
    tarn_magazines_init(&world.depot.magazines, world.headers, world.objects, MAGAZINE_OBJECTS,
                        MAGAZINES_MAX);
    tarn_links_init(&world.depot.slots, world.slot_links, sizeof(tarn_u32), SLOTS_MAX);
    take_carved();
    ledger_take(SLOT_BASE + 1);
    ledger_keep();
    tarn_stack_push(&world.depot.loose, &world.depot.slots, 1);
}

/* Loose to full: full gains before loose loses, and the other way round. */
static void move_to_full_and_back(void)
{
    uint32_t one = 1;
    uint32_t magazines[TARN_CHAIN_MAGAZINES_MAX];
    tarn_depot_put_full(&world.depot, 0, &one, 1);
    tarn_stack_pop(&world.depot.loose, &world.depot.slots);
    tarn_stack_push(&world.depot.loose, &world.depot.slots, 1);
    tarn_depot_take_full(&world.depot, 0, magazines);
}

/* The same by the pop that takes several. */
static void move_some_to_full_and_back(void)
{
    uint32_t one = 1;
    uint32_t magazines[TARN_CHAIN_MAGAZINES_MAX];
    tarn_depot_put_full(&world.depot, 0, &one, 1);
    tarn_stack_pop_some(&world.depot.loose, &world.depot.slots, 2, &one);
    tarn_stack_push(&world.depot.loose, &world.depot.slots, 1);
    tarn_depot_take_full(&world.depot, 0, magazines);
}

/* From one shard to the other by way of the loose slots. */
static void move_between_shards(void)
{
    uint32_t one = 1;
    uint32_t magazines[TARN_CHAIN_MAGAZINES_MAX];
    for (uint32_t shard = 0; shard < 2; shard++) {
        tarn_depot_put_full(&world.depot, shard, &one, 1);
        tarn_stack_pop(&world.depot.loose, &world.depot.slots);
        tarn_stack_push(&world.depot.loose, &world.depot.slots, 1);
        tarn_depot_take_full(&world.depot, shard, magazines);
    }
}
static void set_up_one_shards(void)
{
    set_up_one();
    world.depot.shard_count = 2;
}

static void look(void)
{
    if (tarn_depot_is_dry(&world.depot))
        model_fail("the depot looked dry, but something was in it all the time");
}

/* Two moves, so that the look can fall between them. */
static void move_twice(void)
{
    move_to_full_and_back();
    move_to_full_and_back();
}

static void move_some_twice(void)
{
    move_some_to_full_and_back();
    move_some_to_full_and_back();
}

static void no_check(void)
{
}

#define CLIENT(name, ...)       CLIENT_ENTRY(name, CLIENT_LOCK_FREE, set_up, check, __VA_ARGS__)
#define BEGIN(name, begin, ...) CLIENT_ENTRY(name, CLIENT_LOCK_FREE, begin, check, __VA_ARGS__)
#define LOOK(name, begin, ...)  CLIENT_ENTRY(name, CLIENT_LOCK_FREE, begin, no_check, __VA_ARGS__)

static const client_entry clients[] = {
    CLIENT("depot_chains", take_chain, take_chain_put_reversed),
    CLIENT("depot_put_take", put_four, take_chain_put_reversed),
    CLIENT("depot_empties", empty_and_refill, take_one_empty),
    CLIENT("depot_chains_3", take_chain, take_chain_put_reversed, put_four),
    CLIENT("depot_empties_3", empty_and_refill, take_one_empty, take_one_empty),
    BEGIN("depot_chain_of_three", set_up_three, take_linked, put_four),
    BEGIN("depot_shards", set_up_shards, put_four_elsewhere, take_three_chains),
    BEGIN("depot_shards_3", set_up_shards, put_four_elsewhere, take_elsewhere, take_three_chains),
    LOOK("depot_is_dry", set_up_one, move_twice, look),
    LOOK("depot_is_dry_some", set_up_one, move_some_twice, look),
    LOOK("depot_shards_are_dry", set_up_one_shards, move_between_shards, look),
};

client_list depot_clients(void)
{
    return CLIENT_LIST(clients);
}
