/* Iteration: what is live is visited exactly once, in the order of the slots, whatever the visitor
 * does meanwhile. */
#include "base/line.h"
#include "support/handles.h"

enum { CAPACITY = 1000 };

/* Slots whose words share a cache line. */
#define LINE_SLOTS (TARN_LINE_BYTES / sizeof(uint32_t))

static const tarn_pool_options plain = {.handle_bits = 0};

typedef struct tour {
    tarn_pool *pool;
    tarn_cache *cache;
    uint32_t visits[2 * CAPACITY]; /* of each slot */
    size_t count, stop_after;
    uint32_t last;
    uint32_t first_made; /* slots above it were taken by the visitor */
    size_t made;
} tour;

static tour tour_of(const handles_stage *s)
{
    return (tour){.pool = s->pool, .cache = s->cache, .stop_after = SIZE_MAX};
}

/* A visitor is given what is live, and its handle, in order. */
static bool note(void *context, void *object, tarn_handle handle)
{
    tour *t = context;
    uint32_t slot = tarn_handle_index(t->pool, handle);
    assert_ptr_equal(tarn_resolve(t->pool, handle), object);
    assert_true(t->count == 0 || slot > t->last);
    assert_true(slot < tarn_each_slots(t->pool));
    assert_true(slot < 2 * CAPACITY);
    t->visits[slot]++;
    t->last = slot;
    return ++t->count < t->stop_after;
}

/* Takes count objects and releases all but those that the random sequence keeps. */
static size_t populate(handles_stage *s, size_t count, unsigned kept_of_16, tarn_handle *handles)
{
    static void *objects[CAPACITY];
    uint64_t random = count + 1;
    handles_take_many(s, count, handles, objects);
    size_t live = 0;
    for (size_t i = 0; i < count; i++) {
        if (kit_random(&random) % 16 < kept_of_16)
            handles[live++] = handles[i];
        else
            kit_expect_status(handles_release(s, handles[i]), TARN_OK);
    }
    return live;
}

static void t46_all_live_objects_are_visited_once_and_no_others(void **state)
{
    (void)state;
    const size_t counts[] = {0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 129, 500, CAPACITY};
    for (handles_way way = 0; way < HANDLES_WAYS; way++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (unsigned kept = 0; kept <= 16; kept += 4) {
                handles_stage s = handles_start(way, CAPACITY, plain);
                static tarn_handle handles[CAPACITY];
                size_t live = populate(&s, counts[c], kept, handles);
                tour t = tour_of(&s);
                assert_int_equal(tarn_each(s.pool, note, &t), live);
                assert_int_equal(t.count, live);
                for (size_t i = 0; i < live; i++)
                    assert_int_equal(t.visits[tarn_handle_index(s.pool, handles[i])], 1);
                kit_expect_status(tarn_pool_clear(s.pool), TARN_OK);
                t = tour_of(&s);
                assert_int_equal(tarn_each(s.pool, note, &t), 0);
                kit_destroy(s.pool);
            }
}

static void a_visitor_can_end_the_iteration(void **state)
{
    (void)state;
    for (unsigned kept = 1; kept <= 16; kept += 5) {
        handles_stage s = handles_start(BY_CACHE, CAPACITY, plain);
        static tarn_handle handles[CAPACITY];
        size_t live = populate(&s, CAPACITY, kept, handles);
        for (size_t stop = 1; stop < live + 3; stop++) {
            tour t = tour_of(&s);
            t.stop_after = stop;
            size_t expected = stop < live ? stop : live;
            assert_int_equal(tarn_each(s.pool, note, &t), expected);
            assert_int_equal(t.count, expected);
        }
        kit_clear_and_destroy(s.pool);
    }
}

/* ---- a visitor that uses the pool ---- */

static bool free_current(void *context, void *object, tarn_handle handle)
{
    tour *t = context;
    note(t, object, handle);
    if (t->count % 2)
        tarn_free(t->cache, object);
    else
        kit_expect_status(tarn_release(t->cache, handle), TARN_OK);
    return true;
}

/* What has ended before its turn is not visited: that note() would see. */
static bool free_neighbours(void *context, void *object, tarn_handle handle)
{
    tour *t = context;
    size_t stride = kit_info(t->pool).stride_bytes;
    note(t, object, handle);
    for (size_t step = 1; step <= 70; step += 23) {
        tarn_handle next = tarn_handle_of(t->pool, (char *)object + step * stride);
        if (!tarn_handle_is_none(next))
            kit_expect_status(tarn_release(t->cache, next), TARN_OK);
    }
    return true;
}

/* The slots that it frees are taken again at once, further on or where it has been. */
static bool replace(void *context, void *object, tarn_handle handle)
{
    tour *t = context;
    tarn_handle made;
    note(t, object, handle);
    kit_expect_status(tarn_release(t->cache, handle), TARN_OK);
    kit_expect_status(tarn_take(t->cache, &made, NULL), TARN_OK);
    return true;
}

static bool take_more(void *context, void *object, tarn_handle handle)
{
    tour *t = context;
    note(t, object, handle);
    if (t->made < CAPACITY / 2 && tarn_alloc(t->cache))
        t->made++;
    return true;
}

static bool visit_all_inside(void *context, void *object, tarn_handle handle)
{
    tour *outer = context;
    note(outer, object, handle);
    tour inner = {.pool = outer->pool, .stop_after = SIZE_MAX};
    size_t live = (size_t)kit_sample(outer->pool).live;
    assert_int_equal(tarn_each(outer->pool, note, &inner), live);
    return true;
}

static void t46_a_visitor_may_free_take_and_iterate(void **state)
{
    (void)state;
    tarn_visit_fn *const visitors[] = {free_current, free_neighbours, replace, take_more,
                                       visit_all_inside};
    enum { VISITORS = sizeof visitors / sizeof *visitors };
    for (size_t kind = 0; kind < (size_t)2 * VISITORS; kind++) {
        handles_stage s = handles_start(kind % 2 ? BY_EXACT : BY_CACHE, CAPACITY, plain);
        static tarn_handle handles[CAPACITY];
        size_t live = populate(&s, CAPACITY / 2, 7, handles);
        tour t = tour_of(&s);
        tarn_visit_fn *visit = visitors[kind / 2];
        size_t visited = tarn_each(s.pool, visit, &t);
        assert_int_equal(visited, t.count);
        if (visit != free_neighbours) /* where all of them were live at their turn */
            for (size_t i = 0; i < live; i++)
                assert_int_equal(t.visits[tarn_handle_index(s.pool, handles[i])], 1);
        if (visit == free_current)
            kit_expect_conserved(s.pool, 0);
        if (visit == replace)
            kit_expect_conserved(s.pool, live);
        if (visit == take_more)
            kit_expect_conserved(s.pool, live + t.made);
        for (size_t slot = 0; slot < tarn_each_slots(s.pool); slot++)
            assert_in_range(t.visits[slot], 0, 1);
        kit_clear_and_destroy(s.pool);
    }
}

/* ---- parts ---- */

static void t46_a_range_has_the_live_objects_of_its_slots(void **state)
{
    (void)state;
    handles_stage s = handles_start(BY_CACHE, CAPACITY, plain);
    static tarn_handle handles[CAPACITY];
    size_t live = populate(&s, 300, 6, handles), slots = tarn_each_slots(s.pool);
    const size_t counts[] = {0, 1, 2, 15, 16, 17, 40, 64, 200, slots, SIZE_MAX - 20, SIZE_MAX};
    for (size_t first = 0; first < slots + 2; first++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            tour t = tour_of(&s);
            size_t expected = 0;
            for (size_t i = 0; i < live; i++) {
                size_t slot = tarn_handle_index(s.pool, handles[i]);
                expected += slot >= first && slot - first < counts[c];
            }
            tarn_range range = {first, counts[c]};
            assert_int_equal(tarn_each_in(s.pool, range, note, &t), expected);
            assert_true(t.count == 0 || t.last - first < counts[c]);
        }
    tour t = tour_of(&s);
    assert_int_equal(tarn_each_in(s.pool, (tarn_range){SIZE_MAX, SIZE_MAX}, note, &t), 0);
    kit_clear_and_destroy(s.pool);
}

static void t46_parts_cover_all_slots_once(void **state)
{
    (void)state;
    const size_t counts[] = {1, 2, 3, 7, 16, 64, 1000, SIZE_MAX};
    for (size_t slots = 0; slots < 5000; slots += slots < 200 ? 1 : 97)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            size_t end = 0, largest = 0, smallest = SIZE_MAX;
            for (size_t i = 0; i < counts[c] && i < 2000; i++) {
                tarn_range part = tarn_each_part(slots, i, counts[c]);
                assert_int_equal(part.first, end);
                assert_true(part.first % LINE_SLOTS == 0 || part.first == slots);
                end += part.count;
                largest = part.count > largest ? part.count : largest;
                smallest = part.count < smallest ? part.count : smallest;
            }
            assert_int_equal(end, slots);
            assert_true(largest - smallest < 2 * LINE_SLOTS); /* one line more, and one not full */
            tarn_range beyond = tarn_each_part(slots, counts[c], counts[c]);
            assert_int_equal(beyond.count, 0);
        }
    assert_int_equal(tarn_each_part(100, 0, 0).count, 0);
}

static void parts_visit_all_objects_together(void **state)
{
    (void)state;
    handles_stage s = handles_start(BY_GROWTH, CAPACITY, plain);
    static tarn_handle handles[CAPACITY];
    size_t live = populate(&s, CAPACITY, 9, handles), slots = tarn_each_slots(s.pool);
    for (size_t parts = 1; parts < 80; parts++) {
        tour t = tour_of(&s);
        size_t visited = 0;
        for (size_t i = 0; i < parts; i++)
            visited += tarn_each_in(s.pool, tarn_each_part(slots, i, parts), note, &t);
        assert_int_equal(visited, live);
    }
    kit_clear_and_destroy(s.pool);
}

/* ---- what has no objects ---- */

static void nothing_is_visited_where_nothing_is(void **state)
{
    (void)state;
    tarn_pool *pool = kit_small_pool(10, 1, 0);
    assert_non_null(tarn_guest_alloc(pool));
    assert_int_equal(tarn_each(pool, note, NULL), 0);
    assert_int_equal(tarn_each_slots(pool), 0);
    kit_clear_and_destroy(pool);
    assert_int_equal(tarn_each(NULL, note, NULL), 0);
    assert_int_equal(tarn_each_in(NULL, (tarn_range){0, 9}, note, NULL), 0);
    assert_int_equal(tarn_each_slots(NULL), 0);
    handles_stage s = handles_start(BY_CACHE, 10, (tarn_pool_options){.handle_bits = 32});
    assert_int_equal(tarn_each_slots(s.pool), 0);
    assert_int_equal(tarn_each(s.pool, note, NULL), 0);
    void *object;
    handles_take_one(&s, &object);
    assert_true(tarn_each_slots(s.pool) > 0);
    assert_int_equal(tarn_each(s.pool, NULL, NULL), 0);
    kit_clear_and_destroy(s.pool);
}

/* Slots that are never used again are no objects. */
static void what_is_retired_is_not_visited(void **state)
{
    (void)state;
    handles_stage s = handles_start(
        BY_EXACT, 20, (tarn_pool_options){.handle_bits = 32, .handle_index_bits = 30});
    tarn_handle handle;
    for (int i = 0; i < 39; i++) {
        kit_expect_status(tarn_take(s.cache, &handle, NULL), TARN_OK);
        kit_expect_status(tarn_release(s.cache, handle), TARN_OK);
    }
    kit_expect_status(tarn_take(s.cache, &handle, NULL), TARN_OK);
    assert_int_equal(kit_sample(s.pool).slots_retired, 19);
    tour t = tour_of(&s);
    assert_int_equal(tarn_each(s.pool, note, &t), 1);
    assert_int_equal(t.visits[tarn_handle_index(s.pool, handle)], 1);
    kit_clear_and_destroy(s.pool);
}

/* ---- while other threads take and release ---- */

enum { STAYING = 200, ROUNDS = 300 };

typedef struct crowd {
    tarn_pool *pool;
    uint32_t visits[2 * CAPACITY];
    bool stays[2 * CAPACITY]; /* by slot */
    atomic_uint players, ends;
} crowd;

static int churn(crowd *c)
{
    tarn_cache *cache = kit_attach(c->pool);
    int failures = 0;
    tarn_handle held[64] = {{0}};
    for (uint64_t random = 3; !atomic_load(&c->ends) && failures == 0;) {
        tarn_handle *handle = &held[kit_random(&random) % 64];
        if (!tarn_handle_is_none(*handle))
            KIT_EXPECT(&failures, tarn_release(cache, *handle) == TARN_OK);
        KIT_EXPECT(&failures, tarn_take(cache, handle, NULL) == TARN_OK);
    }
    for (int i = 0; i < 64; i++)
        if (!tarn_handle_is_none(held[i]))
            KIT_EXPECT(&failures, tarn_release(cache, held[i]) == TARN_OK);
    kit_detach(cache);
    return failures;
}

static bool tally(void *context, void *object, tarn_handle handle)
{
    crowd *c = context;
    uint32_t slot = tarn_handle_index(c->pool, handle);
    (void)object;
    if (slot < 2 * CAPACITY)
        c->visits[slot]++;
    return slot < 2 * CAPACITY;
}

static int count_all(crowd *c)
{
    int failures = 0;
    for (int round = 0; round < ROUNDS && failures == 0; round++) {
        memset(c->visits, 0, sizeof c->visits);
        size_t visited = tarn_each(c->pool, tally, c);
        KIT_EXPECT(&failures, visited >= STAYING && visited <= STAYING + 64);
        for (uint32_t slot = 0; slot < 2 * CAPACITY; slot++)
            KIT_EXPECT(&failures, c->stays[slot] ? c->visits[slot] == 1 : c->visits[slot] <= 1);
        tarn_thread_yield();
    }
    atomic_store(&c->ends, 1);
    return failures;
}

static int join_crowd(void *argument)
{
    crowd *c = argument;
    return atomic_fetch_add(&c->players, 1) == 0 ? count_all(c) : churn(c);
}

static void t46_what_stays_is_visited_once_while_others_come_and_go(void **state)
{
    (void)state;
    for (int grows = 0; grows <= 1; grows++) {
        handles_stage s = handles_start(grows ? BY_GROWTH : BY_EXACT, CAPACITY, plain);
        static crowd c;
        c = (crowd){.pool = s.pool};
        static tarn_handle handles[2 * STAYING];
        static void *objects[2 * STAYING];
        handles_take_many(&s, 2 * STAYING, handles, objects);
        for (int i = 0; i < 2 * STAYING; i++)
            if (i % 2)
                kit_expect_status(tarn_release(s.cache, handles[i]), TARN_OK);
            else
                c.stays[tarn_handle_index(s.pool, handles[i])] = true;
        kit_detach(s.cache);
        assert_int_equal(kit_run_threads(2, join_crowd, &c, 0), 0);
        kit_expect_conserved(s.pool, STAYING);
        kit_clear_and_destroy(s.pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t46_all_live_objects_are_visited_once_and_no_others),
        cmocka_unit_test(a_visitor_can_end_the_iteration),
        cmocka_unit_test(t46_a_visitor_may_free_take_and_iterate),
        cmocka_unit_test(t46_a_range_has_the_live_objects_of_its_slots),
        cmocka_unit_test(t46_parts_cover_all_slots_once),
        cmocka_unit_test(parts_visit_all_objects_together),
        cmocka_unit_test(nothing_is_visited_where_nothing_is),
        cmocka_unit_test(what_is_retired_is_not_visited),
        cmocka_unit_test(t46_what_stays_is_visited_once_while_others_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
