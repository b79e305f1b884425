/* A trim and an allocation told step by step: one is stopped at each of its atomic accesses in turn
 * while the other runs to its end. Memory that went back faults when it is touched. No slot has two
 * owners, none is lost, and what the capacity promises is served. */
#include "support/check.h"
#include "support/interleave.h"
#include "support/memory_hooks.h"

#include "pool/space/groups.h"
#include "tarn/tarn.h"

#include <stdlib.h>
#include <string.h>

/* Four slots to a group of one page. */
enum { OBJECT_BYTES = 1024, CAPACITY = 16, SLOTS_MAX = 256, LIVE_STEP = 3 };

static memory_hooks hooks;

typedef struct world {
    tarn_pool *pool;
    tarn_cache *subject, *other;
    void *live[SLOTS_MAX];
    uint32_t live_count;
    uint32_t point, live_first;
} world;

#define check_world(w, condition) \
    check_that(condition, "point %u, %u live at first", (w)->point, (w)->live_first)

static void note(world *w, void *object)
{
    for (uint32_t i = 0; i < w->live_count; i++)
        check_world(w, w->live[i] != object);
    memset(object, 1 + (int)w->live_count % 255, OBJECT_BYTES); /* faults where nothing is */
    w->live[w->live_count++] = object;
}

static bool alloc_one(world *w, tarn_cache *cache)
{
    void *object = tarn_alloc(cache);
    if (object)
        note(w, object);
    return object != NULL;
}

static void free_to(world *w, tarn_cache *cache, uint32_t keep)
{
    while (w->live_count > keep)
        tarn_free(cache, w->live[--w->live_count]);
}

/* All that can be had, and back, until few are live: everything was in use once. The subject's
 * cache is empty. */
static void start(world *w)
{
    while (alloc_one(w, w->subject))
        ;
    check_world(w, w->live_count >= CAPACITY);
    free_to(w, w->other, w->live_first);
}

static void trim(world *w)
{
    tarn_status status = tarn_pool_trim(w->pool, 0, NULL);
    check_world(w, status == TARN_OK || status == TARN_ERROR_BUSY);
}

/* A thread that restores a group is waited for, so nobody else can act meanwhile. */
static bool may_act(const world *w)
{
    return tarn_u64_load_relaxed(&w->pool->growth.grower) == 0;
}

static void check_end(world *w)
{
    tarn_pool_statistics s;
    tarn_pool_info info;
    tarn_pool_sample(w->pool, &s);
    tarn_pool_describe(w->pool, &info);
    check_world(w, s.live == w->live_count);
    check_world(w, s.live + s.free_in_caches + s.free_in_depot == info.slots_carved);
    while (alloc_one(w, w->other))
        ;
    while (alloc_one(w, w->subject))
        ;
    check_world(w, w->live_count >= CAPACITY);
    tarn_pool_sample(w->pool, &s);
    check_world(w, s.slots_trimmed == 0);
    free_to(w, w->other, 0);
    check_world(w, !hooks.violation);
}

static void subject_trims(void *context)
{
    trim(context);
}

/* T20: so that what was there at one step is gone, and back, at the next. */
static void other_takes_all_and_trims(void *context, uint32_t point)
{
    world *w = context;
    if (point != w->point || !may_act(w))
        return;
    uint32_t before = w->live_count;
    while (w->live_count < CAPACITY)
        check_world(w, alloc_one(w, w->other));
    free_to(w, w->other, before);
    trim(w);
}

/* So that a group that was whole is so no more. */
static void other_takes_some(void *context, uint32_t point)
{
    world *w = context;
    if (point != w->point || !may_act(w))
        return;
    while (w->live_count < w->live_first + 5 && w->live_count < CAPACITY)
        check_world(w, alloc_one(w, w->other));
}

static void subject_allocates(void *context)
{
    world *w = context;
    check_world(w, alloc_one(w, w->subject));
}

/* T16: trimmed and taken again, so that the very slot is on the very stack again. */
static void other_trims_takes_and_trims(void *context, uint32_t point)
{
    world *w = context;
    if (point != w->point || !may_act(w))
        return;
    trim(w);
    other_takes_all_and_trims(context, point);
}

/* One less than the capacity is taken by the others: the subject needs one more. */
static void other_takes_all_but_one(void *context, uint32_t point)
{
    world *w = context;
    if (point != w->point || !may_act(w))
        return;
    trim(w);
    while (w->live_count < CAPACITY - 1)
        check_world(w, alloc_one(w, w->other));
    trim(w);
}

static void check_overlap(interleave_subject *subject, interleave_other *other, bool trims_first)
{
    memory_hooks_init(&hooks, 0);
    tarn_pool_options options = {.object_bytes = OBJECT_BYTES,
                                 .object_alignment = OBJECT_BYTES, /* also with a red zone */
                                 .capacity = CAPACITY,
                                 .caches_max = 2,
                                 .cache_objects_max = 2,
                                 .memory = &hooks.memory};
    world w = {0};
    assert_int_equal(tarn_pool_create(&options, &w.pool), TARN_OK);
    assert_true(w.pool->plan.slots_max <= SLOTS_MAX && w.pool->plan.has_groups);
    assert_int_equal(tarn_cache_attach(w.pool, &w.subject), TARN_OK);
    assert_int_equal(tarn_cache_attach(w.pool, &w.other), TARN_OK);
    uint32_t runs = 0;
    for (w.live_first = 0; w.live_first < CAPACITY; w.live_first += LIVE_STEP) {
        uint32_t points = UINT32_MAX;
        for (w.point = 1; w.point <= points; w.point++, runs++) {
            start(&w);
            if (trims_first)
                trim(&w);
            points = interleave(subject, other, &w);
            check_end(&w);
        }
    }
    printf("%u interleavings\n", runs);
    assert_true(runs > 4 * CAPACITY);
    assert_int_equal(tarn_pool_clear(w.pool), TARN_OK);
    assert_int_equal(tarn_pool_destroy(w.pool), TARN_OK);
    assert_true(memory_hooks_are_balanced(&hooks));
    memory_hooks_destroy(&hooks);
}

static void t20_a_trim_may_be_stopped_anywhere(void **state)
{
    (void)state;
    check_overlap(subject_trims, other_takes_all_and_trims, false);
    check_overlap(subject_trims, other_takes_some, false);
}

static void
t16_an_allocation_may_be_stopped_anywhere_while_its_slot_is_trimmed_and_comes_back(void **state)
{
    (void)state;
    check_overlap(subject_allocates, other_trims_takes_and_trims, false);
    check_overlap(subject_allocates, other_trims_takes_and_trims, true);
}

static void the_last_object_is_found_wherever_trims_have_moved_it(void **state)
{
    (void)state;
    check_overlap(subject_allocates, other_takes_all_but_one, false);
    check_overlap(subject_allocates, other_takes_all_but_one, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t20_a_trim_may_be_stopped_anywhere),
        cmocka_unit_test(
            t16_an_allocation_may_be_stopped_anywhere_while_its_slot_is_trimmed_and_comes_back),
        cmocka_unit_test(the_last_object_is_found_wherever_trims_have_moved_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
