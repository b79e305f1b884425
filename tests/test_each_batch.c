/* Iteration by batches: what is live is reported exactly once, in the order of the slots, with its
 * handle, and no array is written beyond its end. */
#include "support/handles.h"
#include "support/interleave.h"

enum { CAPACITY = 3000, SLOTS = 2 * CAPACITY, BATCH_MAX = 300 };

static const tarn_pool_options plain = {.handle_bits = 0};
static const tarn_range everything = {0, SIZE_MAX};

/* What the batches of one walk brought. */
typedef struct walk {
    tarn_pool *pool;
    tarn_range rest;
    size_t count_max;
    bool wants_handles;
    void *objects[BATCH_MAX + 1]; /* of the last batch; one more, which is to stay as it is */
    tarn_handle handles[BATCH_MAX + 1];
    uint32_t visits[SLOTS]; /* of each slot */
    size_t count;
    uint32_t last;
} walk;

static walk *walk_of(tarn_pool *pool, tarn_range range, size_t count_max, bool wants_handles)
{
    static walk w;
    memset(&w, 0, sizeof w);
    w.pool = pool;
    w.rest = range;
    w.count_max = count_max;
    w.wants_handles = wants_handles;
    return &w;
}

/* In order, inside what the range has moved over, live, and by the right name. */
static void note(walk *w, size_t i)
{
    tarn_handle handle = tarn_handle_of(w->pool, w->objects[i]);
    assert_false(tarn_handle_is_none(handle));
    if (w->wants_handles)
        assert_true(tarn_handle_equal(w->handles[i], handle));
    uint32_t slot = tarn_handle_index(w->pool, handle);
    assert_true(w->count == 0 || slot > w->last);
    assert_true(slot < w->rest.first);
    assert_true(slot < SLOTS);
    w->visits[slot]++;
    w->last = slot;
    w->count++;
}

static size_t next_batch(walk *w)
{
    int mark;
    tarn_handle marked = {0x5555};
    tarn_range before = w->rest;
    for (size_t i = 0; i <= BATCH_MAX; i++) {
        w->objects[i] = &mark;
        w->handles[i] = marked;
    }
    size_t count = tarn_each_batch(w->pool, &w->rest, w->count_max, w->objects,
                                   w->wants_handles ? w->handles : NULL);
    assert_in_range(count, 0, w->count_max);
    assert_ptr_equal(w->objects[w->count_max], &mark);
    assert_true(tarn_handle_equal(w->handles[w->count_max], marked));
    assert_true(w->wants_handles || tarn_handle_equal(w->handles[0], marked));
    assert_true(count == 0 || w->rest.first > before.first);
    assert_true(count == w->count_max || w->rest.count == 0); /* nobody else is there */
    for (size_t i = 0; i < count; i++)
        note(w, i);
    return count;
}

static size_t walk_on(walk *w)
{
    while (next_batch(w) > 0)
        ;
    assert_int_equal(w->rest.count, 0);
    assert_int_equal(next_batch(w), 0);
    return w->count;
}

/* Takes count objects and releases all but those that the random sequence keeps. */
static size_t populate(handles_stage *s, size_t count, unsigned kept_of_100, tarn_handle *handles)
{
    static void *objects[CAPACITY];
    uint64_t random = count + 1;
    handles_take_many(s, count, handles, objects);
    size_t live = 0;
    for (size_t i = 0; i < count; i++) {
        if (kit_random(&random) % 100 < kept_of_100)
            handles[live++] = handles[i];
        else
            kit_expect_status(handles_release(s, handles[i]), TARN_OK);
    }
    return live;
}

static const size_t sizes[] = {1, 2, 7, 8, 9, 63, 64, 65, 128, 200, BATCH_MAX};

static void expect_walks(const handles_stage *s, const tarn_handle *handles, size_t live)
{
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        walk *w = walk_of(s->pool, everything, sizes[i / 2], i % 2);
        assert_int_equal(walk_on(w), live);
        for (size_t k = 0; k < live; k++)
            assert_int_equal(w->visits[tarn_handle_index(s->pool, handles[k])], 1);
    }
}

static void t46_batches_have_all_live_objects_once_and_no_others(void **state)
{
    (void)state;
    const size_t counts[] = {0, 1, 63, 64, 65, 130, 700, CAPACITY};
    const unsigned kept[] = {0, 1, 10, 50, 95, 100};
    static tarn_handle handles[CAPACITY];
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t k = 0; k < sizeof kept / sizeof *kept; k++) {
            handles_stage s = handles_start((i + k) % HANDLES_WAYS, CAPACITY, plain);
            size_t live = populate(&s, counts[i], kept[k], handles);
            expect_walks(&s, handles, live);
            kit_clear_and_destroy(s.pool);
        }
}

/* Full here, empty there, a few in between. */
static void t46_batches_go_over_crowds_and_deserts(void **state)
{
    (void)state;
    static tarn_handle handles[CAPACITY];
    static void *objects[CAPACITY];
    handles_stage s = handles_start(BY_CACHE, CAPACITY, plain);
    handles_take_many(&s, CAPACITY, handles, objects);
    size_t live = 0;
    for (size_t i = 0; i < CAPACITY; i++) {
        uint32_t slot = tarn_handle_index(s.pool, handles[i]);
        if (slot / 192 % 3 == 0 || (slot / 192 % 3 == 1 && slot % 37 == 0))
            handles[live++] = handles[i];
        else
            kit_expect_status(handles_release(&s, handles[i]), TARN_OK);
    }
    expect_walks(&s, handles, live);
    kit_clear_and_destroy(s.pool);
}

static size_t count_between(const tarn_pool *pool, const tarn_handle *handles, size_t live,
                            tarn_range range)
{
    size_t count = 0;
    for (size_t i = 0; i < live; i++) {
        size_t slot = tarn_handle_index(pool, handles[i]);
        count += slot >= range.first && slot - range.first < range.count;
    }
    return count;
}

static void t46_batches_of_a_range_stay_in_it(void **state)
{
    (void)state;
    static tarn_handle handles[CAPACITY];
    handles_stage s = handles_start(BY_CACHE, CAPACITY, plain);
    size_t live = populate(&s, 400, 40, handles), slots = tarn_each_slots(s.pool);
    const size_t counts[] = {0, 1, 15, 63, 64, 65, 200, slots, SIZE_MAX - 20, SIZE_MAX};
    for (size_t first = 0; first < slots + 2; first += 1 + first % 7)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            tarn_range range = {first, counts[c]};
            walk *w = walk_of(s.pool, range, sizes[(first + c) % 11], c % 2);
            assert_int_equal(walk_on(w), count_between(s.pool, handles, live, range));
            assert_true(w->count == 0 || w->last - first < counts[c]);
        }
    assert_int_equal(walk_on(walk_of(s.pool, (tarn_range){SIZE_MAX, SIZE_MAX}, 9, true)), 0);
    kit_clear_and_destroy(s.pool);
}

static void t46_parts_have_all_objects_together(void **state)
{
    (void)state;
    static tarn_handle handles[CAPACITY];
    handles_stage s = handles_start(BY_GROWTH, CAPACITY, plain);
    size_t live = populate(&s, CAPACITY, 60, handles), slots = tarn_each_slots(s.pool);
    for (size_t parts = 1; parts < 60; parts += 6) {
        size_t count = 0;
        for (size_t i = 0; i < parts; i++)
            count += walk_on(walk_of(s.pool, tarn_each_part(slots, i, parts), 50, false));
        assert_int_equal(count, live);
    }
    kit_clear_and_destroy(s.pool);
}

/* ---- between batches ---- */

static bool count_one(void *context, void *object, tarn_handle handle)
{
    (void)object;
    (void)handle;
    ++*(size_t *)context;
    return true;
}

static void a_walk_that_was_left_goes_on_where_it_was(void **state)
{
    (void)state;
    static tarn_handle handles[CAPACITY];
    handles_stage s = handles_start(BY_CACHE, CAPACITY, plain);
    size_t live = populate(&s, CAPACITY, 30, handles);
    for (size_t batches = 0; batches < 20; batches++) {
        walk *w = walk_of(s.pool, everything, 40, true);
        for (size_t i = 0; i < batches; i++)
            next_batch(w);
        size_t visited = 0;
        assert_int_equal(tarn_each_in(s.pool, w->rest, count_one, &visited), live - w->count);
        assert_int_equal(visited, live - w->count);
        assert_int_equal(walk_on(w), live);
    }
    kit_clear_and_destroy(s.pool);
}

/* Every second one of a batch is freed, and some that are still to come: what is freed before its
 * batch is in none, and a handle tells what was freed after. */
static void what_is_freed_before_its_batch_is_left_out(void **state)
{
    (void)state;
    static tarn_handle handles[CAPACITY];
    const unsigned kept[] = {3, 50, 100};
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++) {
        handles_stage s = handles_start(BY_CACHE, CAPACITY, plain);
        size_t live = populate(&s, CAPACITY, kept[k], handles);
        walk *w = walk_of(s.pool, everything, 30, true);
        for (size_t count, frees = 0; (count = next_batch(w)) > 0;) {
            for (size_t i = 0; i < count; i += 2) {
                kit_expect_status(handles_release(&s, w->handles[i]), TARN_OK);
                assert_null(tarn_resolve(s.pool, w->handles[i]));
                live--;
            }
            for (size_t i = frees % 11; i < live && frees < 1000; i += 11, frees++)
                live -= handles_release(&s, handles[i]) == TARN_OK;
        }
        kit_expect_conserved(s.pool, live);
        kit_clear_and_destroy(s.pool);
    }
}

/* ---- what has no objects ---- */

static void expect_refusal(const tarn_pool *pool, size_t count_max, void **objects)
{
    tarn_range range = {3, 40};
    tarn_handle handle = {7};
    assert_int_equal(tarn_each_batch(pool, &range, count_max, objects, &handle), 0);
    assert_int_equal(range.first, 3);
    assert_int_equal(range.count, 40);
    assert_int_equal(handle.bits, 7);
}

static void what_cannot_be_walked_is_left_alone(void **state)
{
    (void)state;
    void *object = NULL, *one = NULL;
    handles_stage s = handles_start(BY_CACHE, 100, plain);
    handles_take_one(&s, &object);
    expect_refusal(NULL, 1, &one);
    expect_refusal(s.pool, 1, NULL);
    expect_refusal(s.pool, 0, &one);
    assert_int_equal(tarn_each_batch(s.pool, NULL, 1, &one, NULL), 0);
    tarn_pool *without = kit_small_pool(10, 1, 0);
    assert_non_null(tarn_guest_alloc(without));
    expect_refusal(without, 1, &one);
    assert_null(one);
    kit_clear_and_destroy(without);
    assert_int_equal(walk_on(walk_of(s.pool, everything, 1, true)), 1);
    kit_clear_and_destroy(s.pool);
}

/* ---- typed ---- */

typedef struct spark {
    double heat;
} spark;

TARN_POOL_DEFINE(sparks, spark);

static void typed_batches_have_typed_objects(void **state)
{
    (void)state;
    tarn_pool_options options = sparks_options(200);
    options.handles = true;
    tarn_pool *pool = kit_pool(&options);
    tarn_cache *cache = kit_attach(pool);
    for (int i = 0; i < 200; i++)
        *sparks_alloc(cache) = (spark){.heat = i};
    for (int named = 0; named <= 1; named++) {
        tarn_range rest = everything;
        spark *objects[70];
        sparks_handle handles[70];
        double heat = 0;
        for (size_t count;
             (count = sparks_each_batch(pool, &rest, 70, objects, named ? handles : NULL)) > 0;)
            for (size_t i = 0; i < count; i++) {
                heat += objects[i]->heat;
                if (named)
                    assert_ptr_equal(sparks_resolve(pool, handles[i]), objects[i]);
            }
        assert_true(heat == 199.0 * 200 / 2);
    }
    kit_clear_and_destroy(pool);
}

/* ---- while another thread takes and releases, step by step ---- */

enum { FEW = 200, FILLED = 150 };

typedef struct scene {
    tarn_pool *pool;
    tarn_cache *cache;
    tarn_handle ended; /* the life that the other thread ends */
    uint32_t acts_at;  /* the point at which it does */
    bool has_acted, was_reported;
    size_t count_max;
    uint32_t visits[SLOTS];
} scene;

static void report_all(void *context)
{
    scene *s = context;
    tarn_range rest = everything;
    void *objects[BATCH_MAX];
    tarn_handle handles[BATCH_MAX];
    for (size_t count;
         (count = tarn_each_batch(s->pool, &rest, s->count_max, objects, handles)) > 0;)
        for (size_t i = 0; i < count; i++) {
            bool is_that = tarn_handle_equal(handles[i], s->ended);
            s->was_reported = s->was_reported || is_that;
            assert_true(is_that || tarn_resolve(s->pool, handles[i]) == objects[i]);
            s->visits[tarn_handle_index(s->pool, handles[i])]++;
        }
}

static void end_one(void *context, uint32_t point)
{
    scene *s = context;
    if (point != s->acts_at)
        return;
    s->has_acted = true;
    kit_expect_status(tarn_release(s->cache, s->ended), TARN_OK);
}

/* Fills slots, and frees all but one in `step`. Then the first that is left ends at any point. */
static void expect_one_less(uint32_t step, scene *s)
{
    handles_stage stage = handles_start(BY_CACHE, FEW, plain);
    tarn_handle handles[FILLED];
    void *objects[FILLED];
    s->pool = stage.pool;
    s->cache = stage.cache;
    handles_take_many(&stage, FILLED, handles, objects);
    for (uint32_t i = 0; i < FILLED; i++)
        if (i % step)
            kit_expect_status(handles_release(&stage, handles[i]), TARN_OK);
    s->ended = handles[0];
    interleave(report_all, end_one, s);
    for (uint32_t i = 0; i < FILLED; i += step)
        assert_in_range(s->visits[tarn_handle_index(s->pool, handles[i])], i > 0, 1);
    kit_clear_and_destroy(s->pool);
}

static void t46_what_ends_is_reported_live_or_not_at_all(void **state)
{
    (void)state;
    static scene s;
    const uint32_t steps[] = {1, 3, 130};
    const size_t counts_max[] = {1, 20, BATCH_MAX};
    for (int kind = 0; kind < 9; kind++) {
        size_t reported = 0, left_out = 0;
        s.has_acted = true;
        for (uint32_t at = 1; s.has_acted; at += 1 + at / 32) {
            s = (scene){.acts_at = at, .count_max = counts_max[kind % 3]};
            expect_one_less(steps[kind / 3], &s);
            reported += s.was_reported;
            left_out += !s.was_reported;
        }
        assert_true(reported > 0);
        assert_true(left_out > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t46_batches_have_all_live_objects_once_and_no_others),
        cmocka_unit_test(t46_batches_go_over_crowds_and_deserts),
        cmocka_unit_test(t46_batches_of_a_range_stay_in_it),
        cmocka_unit_test(t46_parts_have_all_objects_together),
        cmocka_unit_test(a_walk_that_was_left_goes_on_where_it_was),
        cmocka_unit_test(what_is_freed_before_its_batch_is_left_out),
        cmocka_unit_test(what_cannot_be_walked_is_left_alone),
        cmocka_unit_test(typed_batches_have_typed_objects),
        cmocka_unit_test(t46_what_ends_is_reported_live_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
