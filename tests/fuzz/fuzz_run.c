#include "fuzz_run.h"

#include "model.h"
#include "tape.h"

#include <string.h>

#define POOLS       3u
#define STEPS_MAX   2000u
#define VISITS_MAX  4u /* threads are dear */
#define BUDGET_UNIT ((size_t)64 << 10)

static memory_hooks hooks;
static model models[POOLS];

/* Who is asked when a pool is full, by bits that meant nothing in pools that ask nobody. */
static void choose_host(tarn_pool_options *options, uint32_t flags, uint32_t caches)
{
    uint32_t choice = options->exact ? caches / 64 : flags / 16 % 4;
    if (choice == (options->exact ? 3 : 1))
        options->evict = model_evict;
    else if (choice == 2)
        options->full = model_make_room;
}

/* In an initialiser, the order of reading would be the compiler's choice. */
static tarn_pool_options read_options(tape *t)
{
    static const size_t object_bytes[] = {1, 2, 3, 8, 12, 16, 24, 40, 64, 100, 256, 3000};
    static const size_t alignments[] = {0, 0, 0, 1, 8, 64, 128};
    enum { FLAGS, CAPACITY, SIZE, ALIGNMENT, MORE, GROW, BUDGET, CACHES, CACHE, CHECK, BYTES };
    uint32_t byte[BYTES];
    for (uint32_t i = 0; i < BYTES; i++)
        byte[i] = tape_byte(t);
    uint32_t flags = byte[FLAGS];
    tarn_pool_options options = {
        .object_bytes = object_bytes[byte[SIZE] % 12],
        .object_alignment = alignments[byte[ALIGNMENT] % 7],
        .capacity = byte[CAPACITY] + 1,
        .capacity_max = flags & 1 ? byte[CAPACITY] + 1 + byte[MORE] : 0,
        .grow_objects = flags & 2 ? byte[GROW] : 0,
        .memory_bytes_max = flags & 4 ? byte[BUDGET] * BUDGET_UNIT : 0,
        .caches_max = byte[CACHES] % 6 + 1,
        .cache_objects_max = flags & 8 ? byte[CACHE] : 0,
        .exact = (flags & 0x30) == 0x30,
        .checked = (flags & 0xC0) == 0xC0,
        .handles = (flags & 0xC0) == 0x40,
        .zero_fill = byte[ALIGNMENT] >= 0xE0,
        .check = {.fill = byte[CHECK] & 1,
                  .random_order = byte[CHECK] & 2,
                  .red_zone_bytes = byte[CHECK] / 4 % 3 * 8,
                  .quarantine_objects = byte[CHECK] / 16 * 3},
    };
    choose_host(&options, flags, byte[CACHES]);
    return options;
}

/* Lets memory calls fail, a single one or all from one on; or none. */
static void fail_memory(tape *t)
{
    uint32_t how = tape_byte(t);
    hooks.fail_at = how & 1 ? hooks.calls + 1 + how / 4 % 8 : 0;
    hooks.fail_from = how & 2 ? hooks.calls + 1 + how / 4 % 8 : 0;
}

static void create_or_destroy(model *m, tape *t)
{
    if (m->pool) {
        model_destroy(m);
        return;
    }
    tarn_pool_options options = read_options(t);
    model_create(m, &options, &hooks);
}

static void alloc_some(model *m, uint32_t user, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        model_alloc(m, user);
}

static void free_some(model *m, uint32_t user, uint32_t count, uint32_t which)
{
    for (uint32_t i = 0; i < count; i++)
        model_free(m, user, which + i);
}

static void call_pool(model *m, uint32_t call, uint32_t user, tape *t)
{
    uint32_t count = tape_byte(t);
    uint32_t which = tape_byte(t);
    switch (call) {
    case 0:
        model_attach(m, user);
        break;
    case 1:
        model_detach(m, user);
        break;
    case 2:
        model_alloc(m, user);
        break;
    case 3:
        alloc_some(m, user, count);
        break;
    case 4:
        model_free(m, user, which);
        break;
    case 5:
        free_some(m, user, count, which);
        break;
    case 6:
        model_alloc_bulk(m, user, count);
        break;
    case 7:
        model_free_bulk(m, user, count, which);
        break;
    case 8:
        model_reserve(m, user, count);
        break;
    case 9:
        model_misuse(m, user, which % 5);
        break;
    case 10:
        m->growth = (model_growth)(which % 4);
        m->full = (model_full)(count % 5);
        break;
    default:
        model_clear(m);
    }
}

/* place says by whom, how what. */
static void call_life(model *m, uint32_t place, uint32_t how)
{
    uint32_t user = place / 8 % MODEL_USERS;
    switch (place % 8) {
    case 0:
    case 1:
        model_take(m, user);
        break;
    case 2:
    case 3:
        model_release(m, user, how);
        break;
    case 4:
        if (m->info.handles)
            model_release_stale(m, user, how);
        break;
    case 5:
        model_each(m, how);
        break;
    default:
        model_manage(m, place / 8, how);
    }
}

static void step(tape *t, uint32_t *visits)
{
    uint32_t byte = tape_byte(t);
    uint32_t call = byte % 16, place = tape_byte(t);
    model *m = &models[byte / 16 % POOLS];
    if (call == 12)
        fail_memory(t);
    else if (call == 13 || !m->pool)
        create_or_destroy(m, t);
    else if (call < 12)
        call_pool(m, call, place % MODEL_USERS, t);
    else if (call == 14 && (*visits)++ < VISITS_MAX)
        model_visit(m, place % 64, tape_byte(t) % 64);
    else if (call == 15)
        call_life(m, place, tape_byte(t));
    if (m->pool)
        model_check_figures(m);
}

static void check_committed(void)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < POOLS; i++)
        if (models[i].pool)
            bytes += models[i].info.committed_bytes;
    FUZZ_CHECK(bytes == hooks.committed_bytes && !hooks.violation);
}

static void end(void)
{
    for (uint32_t i = 0; i < POOLS; i++) {
        if (!models[i].pool)
            continue;
        model_clear(&models[i]);
        model_destroy(&models[i]);
    }
    FUZZ_CHECK(memory_hooks_are_balanced(&hooks));
    memory_hooks_destroy(&hooks);
}

void fuzz_run(const uint8_t *bytes, size_t count)
{
    tape t = {bytes, bytes + count};
    uint32_t visits = 0;
    memory_hooks_init(&hooks, 0);
    for (uint32_t i = 0; i < POOLS; i++)
        models[i].pool = NULL;
    for (uint32_t i = 0; i < STEPS_MAX && tape_has_more(&t); i++) {
        step(&t, &visits);
        check_committed();
    }
    hooks.fail_at = hooks.fail_from = 0;
    end();
}
