/* Two threads on one pool, told step by step: one is stopped at each atomic access of one call in
 * turn while the other works. No object has two users, none is lost, no magazine is lost, a
 * reservation is kept, and a refusal means that the capacity is live. The states from which this
 * starts are random; a seed tells each. */
#include "support/check.h"
#include "support/interleave.h"
#include "support/pool_world.h"
#include "support/random.h"

#include "pool/array.h"
#include "pool/shelf.h"
#include "tarn/tarn.h"

#include <string.h>

#define CAPACITY      14u
#define CALLS_BEFORE  40u
#define CALLS_BETWEEN 5u
#define SEEDS         1200u

/* T6: at no instant does a cache hold more than its bound; what is reserved comes on top. */
static void check_bounds(const world *w)
{
    const tarn_plan *plan = &w->pool->plan;
    for (uint32_t i = 0; i < plan->caches_max; i++) {
        const tarn_cache_state *cache = &w->pool->caches[i];
        uint64_t held =
            tarn_array_count_(cache) + tarn_shelf_count_(cache) * plan->magazine_objects;
        check_world(w, held <= plan->cache_objects_max);
    }
}

static void run_subject(void *context)
{
    world *w = context;
    world_call_any(w, &w->users[USER_SUBJECT], &w->subject_random);
}

static void run_others(void *context, uint32_t point)
{
    world *w = context;
    check_bounds(w);
    for (uint32_t i = 0; point == w->point && i < CALLS_BETWEEN; i++) {
        uint32_t who = USER_OTHER + (uint32_t)random_below(&w->other_random, 2);
        world_call_any(w, &w->users[who], &w->other_random);
    }
}

static void forget_all(world *w)
{
    assert_int_equal(tarn_pool_clear(w->pool), TARN_OK);
    /* For the second clear to end. */
    assert_int_equal(tarn_cache_reserve(w->users[USER_OTHER].cache, 3), TARN_OK);
    assert_int_equal(tarn_pool_clear(w->pool), TARN_OK);
    memset(w->is_live, 0, sizeof w->is_live);
    w->live_count = 0;
    for (uint32_t i = 0; i < USERS; i++)
        w->users[i].promised = w->users[i].pending = 0;
}

/* Until nothing is left, the slack included: after that, little is enough to make a pool dry. */
static void alloc_all(world *w, user *u)
{
    uint32_t before;
    do {
        before = w->live_count;
        world_alloc_one(w, u);
    } while (w->live_count > before);
}

/* The state from which the seed's call starts: the same each time. */
static void start(world *w)
{
    forget_all(w);
    w->subject_random = (random_state){w->seed * 2 + 1};
    w->other_random = (random_state){w->seed * 4 + 3};
    for (uint32_t i = 0; i < 8; i++) {
        random_next(&w->subject_random);
        random_next(&w->other_random);
    }
    random_state *random = &w->other_random;
    if (w->seed % 4 > 0) {
        alloc_all(w, &w->users[USER_SUBJECT]);
        uint64_t rest = CAPACITY - 4 + random_below(random, 8);
        while (w->live_count > rest)
            world_free_one(w, &w->users[random_below(random, USERS)], random);
    }
    for (uint64_t i = random_below(random, CALLS_BEFORE); i > 0; i--)
        world_call_any(w, &w->users[random_below(random, USERS)], random);
}

typedef struct found {
    uint64_t magazines, objects;
} found;

static uint64_t count_chain(const tarn_links *links, tarn_stack *stack)
{
    uint64_t count = 0;
    uint32_t index = tarn_stack_take_all(stack, links);
    for (; index != TARN_INDEX_NONE; index = tarn_links_get(links, index))
        count++;
    return count;
}

static uint64_t count_chains_of_magazines(tarn_depot *depot, tarn_stack *stack)
{
    const tarn_links *links = &depot->magazines.links;
    uint32_t members[TARN_CHAIN_MAGAZINES_MAX];
    uint64_t count = 0;
    uint32_t leader = tarn_stack_take_all(stack, links);
    for (; leader != TARN_INDEX_NONE; leader = tarn_links_get(links, leader))
        count += tarn_chain_read(&depot->magazines, leader, members);
    return count;
}

static void find_in_cache(tarn_pool *pool, tarn_cache_state *cache, found *sum)
{
    uint64_t full = count_chain(&pool->depot.magazines.links, &cache->shelf);
    sum->magazines += full + cache->empty_count;
    sum->objects += full * pool->plan.magazine_objects + tarn_array_count_(cache);
}

/* Takes the pool apart: each magazine and each object that was carved lies somewhere, once. */
static void check_parts(const world *w)
{
    tarn_pool *pool = w->pool;
    tarn_depot *depot = &pool->depot;
    found sum = {0, count_chain(&depot->slots, &depot->loose)};
    for (uint32_t i = 0; i < depot->shard_count; i++) {
        uint64_t full = count_chains_of_magazines(depot, &depot->shards[i].full);
        sum.magazines += full + count_chains_of_magazines(depot, &depot->shards[i].empty);
        sum.objects += full * pool->plan.magazine_objects;
    }
    for (uint32_t i = 0; i < pool->plan.caches_max; i++)
        find_in_cache(pool, &pool->caches[i], &sum);
    check_world(w, sum.magazines == tarn_u32_load_relaxed(&depot->magazines.carved));
    check_world(w, sum.objects == tarn_u64_load_relaxed(&pool->slots_carved));
}

static void check_statistics(const world *w)
{
    tarn_pool_statistics statistics;
    tarn_pool_info info;
    tarn_pool_sample(w->pool, &statistics);
    tarn_pool_describe(w->pool, &info);
    check_world(w, statistics.live == w->live_count);
    check_world(w, statistics.allocs - statistics.frees == statistics.live);
    check_world(w, statistics.live + statistics.free_in_caches + statistics.free_in_depot ==
                       info.slots_carved);
}

/* Also when the others have taken all that they can get. */
static void take_what_was_promised(world *w, user *u)
{
    while (u->promised > 0)
        world_alloc_one(w, u);
}

/* Whatever happened: all the capacity can be taken, once, and comes back whole. */
static void check_end(world *w)
{
    check_statistics(w);
    check_bounds(w);
    alloc_all(w, &w->users[USER_GUEST]);
    take_what_was_promised(w, &w->users[USER_SUBJECT]);
    take_what_was_promised(w, &w->users[USER_OTHER]);
    user *subject = &w->users[USER_SUBJECT];
    alloc_all(w, subject);
    check_world(w, w->live_count >= CAPACITY);
    while (w->live_count > 0)
        world_free_one(w, subject, &w->other_random);
    check_statistics(w);
    check_parts(w);
}

static uint64_t check_seed(world *w)
{
    uint64_t runs = 0;
    uint32_t points = UINT32_MAX;
    for (w->point = 1; w->point <= points; w->point++, runs++) {
        start(w);
        points = interleave(run_subject, run_others, w);
        check_end(w);
    }
    return runs;
}

/* Slack for no more threads than there are here, so that a refusal too many shows. */
static void tighten_slack(world *w, bool guest_has_cache)
{
    tarn_plan *plan = &w->pool->plan;
    size_t direct = (size_t)!guest_has_cache * plan->chain_magazines * plan->magazine_objects;
    size_t slack = plan->caches_max * plan->cache_objects_max + direct;
    assert_true(slack <= plan->slack_slots);
    plan->slack_slots = slack;
}

/* A guest that comes before the others has a cache; one that comes after them finds none. */
static void check_pool(const char *test, uint32_t bound, bool guest_has_cache)
{
    static world w;
    memset(&w, 0, sizeof w);
    tarn_pool_options options = {.object_bytes = 8,
                                 .capacity = CAPACITY,
                                 .caches_max = guest_has_cache ? 3 : 2,
                                 .cache_objects_max = bound,
                                 .exact = bound == 0};
    w.capacity = CAPACITY;
    assert_int_equal(tarn_pool_create(&options, &w.pool), TARN_OK);
    assert_true(w.pool->plan.slots_max <= WORLD_SLOTS_MAX);
    tighten_slack(&w, guest_has_cache);
    if (guest_has_cache)
        tarn_guest_free(w.pool, tarn_guest_alloc(w.pool));
    w.changes_caches = guest_has_cache; /* or the guest would take what is left for an instant */
    assert_int_equal(tarn_cache_attach(w.pool, &w.users[USER_SUBJECT].cache), TARN_OK);
    assert_int_equal(tarn_cache_attach(w.pool, &w.users[USER_OTHER].cache), TARN_OK);
    uint32_t first = (uint32_t)random_start(test, 1).word;
    uint64_t runs = 0;
    for (w.seed = first; w.seed < first + SEEDS; w.seed++)
        runs += check_seed(&w);
    printf("%s: %llu interleavings\n", test, (unsigned long long)runs);
    assert_true(runs > 4 * SEEDS);
    tarn_pool_clear(w.pool);
    assert_int_equal(tarn_pool_destroy(w.pool), TARN_OK);
}

/* Magazines of 2, an array of 4, a shelf of 2. */
static void every_call_may_be_stopped_anywhere(void **state)
{
    (void)state;
    check_pool("magazines of 2", 8, true);
}

/* Magazines of 1, an array of 2, a shelf of 5, so that two magazines make a chain. */
static void every_call_may_be_stopped_anywhere_where_magazines_move_in_chains(void **state)
{
    (void)state;
    check_pool("chains of 2", 7, true);
}

static void every_call_may_be_stopped_anywhere_beside_a_guest_without_a_cache(void **state)
{
    (void)state;
    check_pool("guest without a cache", 7, false);
}

static void every_call_on_an_exact_pool_may_be_stopped_anywhere(void **state)
{
    (void)state;
    check_pool("exact", 0, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_may_be_stopped_anywhere),
        cmocka_unit_test(every_call_may_be_stopped_anywhere_where_magazines_move_in_chains),
        cmocka_unit_test(every_call_may_be_stopped_anywhere_beside_a_guest_without_a_cache),
        cmocka_unit_test(every_call_on_an_exact_pool_may_be_stopped_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
