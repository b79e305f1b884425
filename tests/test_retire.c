/* Slots whose lives are used up: none of their handles becomes valid again, and the pool goes on
 * without them. */
#include "support/handles.h"

enum { CAPACITY = 12, LIVES = 8, SLOTS_MAX = 64 };

static const tarn_pool_options short_lives = {.handle_bits = 32, .handle_index_bits = 28};

typedef struct history {
    tarn_handle handles[SLOTS_MAX * LIVES];
    size_t count;
} history;

static void record(history *h, tarn_handle handle)
{
    assert_true(h->count < SLOTS_MAX * LIVES);
    h->handles[h->count++] = handle;
}

/* The ways a life can end, but for those that leave the object in a cache where the next take does
 * not look. */
static void end_one(handles_stage *s, tarn_handle handle, void *object, size_t round)
{
    bool is_guest = s->way == BY_GUEST || s->way == BY_CROWD;
    if (round % 4 == 0)
        handles_free(s, object);
    else if (round % 4 == 1 && !is_guest)
        kit_expect_status(tarn_free_bulk(s->cache, 1, &object), TARN_OK);
    else if (round % 4 == 2)
        kit_expect_status(tarn_guest_release(s->pool, handle), TARN_OK);
    else
        kit_expect_status(handles_release(s, handle), TARN_OK);
}

/* Takes all objects that the pool gives, and returns them: at least one, until none is left. */
static size_t count_served(handles_stage *s, history *h)
{
    tarn_handle handles[SLOTS_MAX];
    void *objects[SLOTS_MAX];
    size_t count = 0;
    while (handles_take(s, &handles[count], &objects[count]) == TARN_OK)
        assert_true(++count < SLOTS_MAX);
    assert_true(kit_are_apart(objects, count, HANDLES_BYTES));
    kit_expect_conserved(s->pool, count);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(tarn_resolve(s->pool, handles[i]), objects[i]);
        record(h, handles[i]);
        end_one(s, handles[i], objects[i], i);
    }
    return count;
}

/* With r slots retired, N - r objects can live: exactly so in an exact pool, where others have
 * slack that makes up for some. */
static void expect_served(handles_stage *s, history *h)
{
    size_t retired = (size_t)kit_sample(s->pool).slots_retired;
    size_t served = count_served(s, h);
    size_t capacity = kit_info(s->pool).capacity_max, slots = kit_info(s->pool).slots;
    assert_in_range(served, capacity > retired ? capacity - retired : 1, slots - retired);
    if (s->way == BY_EXACT)
        assert_int_equal(served, capacity - retired);
}

static int compare_handles(const void *a, const void *b)
{
    uint64_t left = ((const tarn_handle *)a)->bits, right = ((const tarn_handle *)b)->bits;
    return (left > right) - (left < right);
}

/* Each handle there ever was is stale, and none was given twice. */
static void expect_all_told_apart(handles_stage *s, history *h)
{
    for (size_t i = 0; i < h->count; i++)
        handles_expect_stale(s, h->handles[i]);
    qsort(h->handles, h->count, sizeof *h->handles, compare_handles);
    for (size_t i = 1; i < h->count; i++)
        assert_true(h->handles[i].bits > h->handles[i - 1].bits);
}

/* One object after the other, which wears out one slot after the other. */
static void t41_a_slot_is_retired_after_its_last_life(void **state)
{
    (void)state;
    for (handles_way way = 0; way < HANDLES_WAYS; way++) {
        handles_stage s = handles_start(way, CAPACITY, short_lives);
        assert_int_equal(kit_info(s.pool).lives_max, LIVES);
        static history h;
        h.count = 0;
        for (;;) {
            tarn_handle handle;
            void *object;
            if (handles_take(&s, &handle, &object) != TARN_OK)
                break;
            uint64_t retired = kit_sample(s.pool).slots_retired;
            bool is_last = tarn_handle_generation(s.pool, handle) == LIVES;
            kit_expect_conserved(s.pool, 1);
            end_one(&s, handle, object, h.count);
            assert_int_equal(kit_sample(s.pool).slots_retired, retired + is_last);
            kit_expect_conserved(s.pool, 0);
            record(&h, handle);
            if (h.count == 3 * LIVES || h.count == 5 * LIVES)
                expect_served(&s, &h);
        }
        size_t slots = kit_info(s.pool).slots;
        assert_int_equal(h.count, slots * LIVES); /* none is given up early */
        assert_int_equal(kit_sample(s.pool).slots_retired, slots);
        kit_expect_status(handles_take(&s, &(tarn_handle){0}, NULL), TARN_ERROR_FULL);
        assert_null(handles_alloc(&s));
        expect_all_told_apart(&s, &h);
        kit_expect_conserved(s.pool, 0);
        kit_destroy(s.pool);
    }
}

/* All at a time, which wears out all slots alike. */
static void t41_capacity_shrinks_by_one_for_each_slot_that_is_retired(void **state)
{
    (void)state;
    for (handles_way way = 0; way < HANDLES_WAYS; way++) {
        handles_stage s = handles_start(way, CAPACITY, short_lives);
        static history h;
        h.count = 0;
        size_t slots = kit_info(s.pool).slots;
        while (kit_sample(s.pool).slots_retired < slots)
            expect_served(&s, &h);
        assert_int_equal(h.count, slots * LIVES);
        expect_all_told_apart(&s, &h);
        kit_destroy(s.pool);
    }
}

/* The last life of each object ends with the pool's others. */
static void t41_clear_retires_too(void **state)
{
    (void)state;
    for (handles_way way = 0; way < HANDLES_WAYS; way++) {
        handles_stage s = handles_start(way, CAPACITY, short_lives);
        static history h;
        h.count = 0;
        size_t slots = kit_info(s.pool).slots, lives = 0;
        while (kit_sample(s.pool).slots_retired < slots) {
            size_t lives_before = lives;
            tarn_handle handle;
            while (handles_take(&s, &handle, NULL) == TARN_OK) {
                record(&h, handle);
                lives++;
            }
            assert_true(lives > lives_before);
            kit_expect_status(tarn_pool_clear(s.pool), TARN_OK);
            kit_expect_conserved(s.pool, 0);
        }
        assert_int_equal(lives, slots * LIVES);
        expect_all_told_apart(&s, &h);
        kit_expect_conserved(s.pool, 0);
        kit_destroy(s.pool);
    }
}

typedef struct ends {
    int constructs, destroys, resets;
} ends;

static bool construct(void *context, void *object)
{
    (void)object;
    ((ends *)context)->constructs++;
    return true;
}

static void reset(void *context, void *object)
{
    (void)object;
    ((ends *)context)->resets++;
}

static void destroy(void *context, void *object)
{
    (void)object;
    ((ends *)context)->destroys++;
}

static void a_retired_object_is_destroyed_once(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2 * HANDLES_WAYS; kind++) {
        ends log = {0};
        tarn_pool_options options = short_lives;
        options.hooks = (tarn_hooks){&log, construct, reset, destroy, kind % 2};
        handles_stage s = handles_start((handles_way)(kind / 2), CAPACITY, options);
        tarn_handle handle;
        void *object;
        size_t lives = 0;
        for (; handles_take(&s, &handle, &object) == TARN_OK; lives++) {
            assert_true(lives < SLOTS_MAX * LIVES);
            end_one(&s, handle, object, lives);
            assert_int_equal(log.destroys, kit_sample(s.pool).slots_retired);
        }
        int slots = (int)kit_info(s.pool).slots;
        assert_int_equal(log.constructs, slots);
        assert_int_equal(log.destroys, slots);
        assert_int_equal(log.resets, slots * (kind % 2 ? LIVES : LIVES - 1));
        kit_destroy(s.pool);
        assert_int_equal(log.destroys, slots);
    }
}

/* Lives are never ordered: those from beyond the middle of their range are as good as the first. */
static void t45_generations_are_compared_for_equality_alone(void **state)
{
    (void)state;
    enum { MANY = 1 << 11 };
    const tarn_pool_options options = {.handle_bits = 32, .handle_index_bits = 20};
    for (handles_way way = 0; way < HANDLES_WAYS; way++) {
        handles_stage s = handles_start(way, 1, options);
        assert_int_equal(kit_info(s.pool).lives_max, MANY);
        static tarn_handle seen[MANY];
        for (size_t life = 0, takes = 0; life < MANY;) {
            assert_true(takes++ < kit_info(s.pool).slots * MANY);
            void *object;
            tarn_handle handle = handles_take_one(&s, &object);
            kit_expect_status(handles_release(&s, handle), TARN_OK);
            if (tarn_handle_index(s.pool, handle) != 0)
                continue;
            assert_int_equal(tarn_handle_generation(s.pool, handle), life + 1);
            for (size_t old = life % 64; old < life; old += 64)
                assert_null(tarn_resolve(s.pool, seen[old]));
            seen[life++] = handle;
        }
        assert_true(kit_sample(s.pool).slots_retired > 0);
        for (size_t old = 0; old < MANY; old++)
            handles_expect_stale(&s, seen[old]);
        kit_clear_and_destroy(s.pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t41_a_slot_is_retired_after_its_last_life),
        cmocka_unit_test(t41_capacity_shrinks_by_one_for_each_slot_that_is_retired),
        cmocka_unit_test(t41_clear_retires_too),
        cmocka_unit_test(a_retired_object_is_destroyed_once),
        cmocka_unit_test(t45_generations_are_compared_for_equality_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
