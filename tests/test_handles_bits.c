/* What is in a handle's bits: slot, life and pool, and what happens to bits that name nothing. */
#include "support/handles.h"

enum { CAPACITY = 40 };

static const tarn_pool_options plain = {.handle_bits = 0};
static const tarn_pool_options numbered = {
    .handle_bits = 32, .handle_index_bits = 12, .handle_pool_bits = 8};
static const tarn_pool_options unnumbered = {.handle_bits = 32, .handle_index_bits = 12};

/* ---- another pool's ---- */

static void expect_foreign(handles_stage *s, tarn_handle handle)
{
    assert_null(tarn_resolve(s->pool, handle));
    kit_expect_status(tarn_release(s->cache, handle), TARN_ERROR_FOREIGN);
    kit_expect_status(tarn_guest_release(s->pool, handle), TARN_ERROR_FOREIGN);
}

static void t43_a_handle_of_another_pool_is_refused(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2 * HANDLES_WAYS; kind++) {
        tarn_pool_options options = kind % 2 ? numbered : plain;
        handles_stage a = handles_start((handles_way)(kind / 2), CAPACITY, options);
        handles_stage b = handles_start((handles_way)(kind / 2), CAPACITY, options);
        tarn_handle of_a[CAPACITY], of_b[CAPACITY];
        void *objects[CAPACITY];
        handles_take_many(&a, CAPACITY, of_a, objects);
        handles_take_many(&b, CAPACITY, of_b, objects);
        for (int i = 0; i < CAPACITY; i++) {
            expect_foreign(&b, of_a[i]);
            expect_foreign(&a, of_b[i]);
        }
        handles_release_many(&a, CAPACITY, of_a);
        expect_foreign(&b, of_a[0]);
        kit_expect_conserved(b.pool, CAPACITY);
        kit_destroy(a.pool);
        kit_clear_and_destroy(b.pool);
    }
}

/* Whatever the word, it is taken for a live object's handle only if it is one. */
static void expect_harmless(handles_stage *s, uint64_t bits)
{
    tarn_handle handle = {bits};
    void *object = tarn_resolve(s->pool, handle);
    if (object)
        assert_int_equal(tarn_handle_of(s->pool, object).bits, bits);
    else
        assert_int_not_equal(tarn_release(s->cache, handle), TARN_OK);
}

/* Neighbours of a handle: one bit away, or a slot, a life, a pool or two further on. */
static void expect_neighbours_harmless(handles_stage *s, uint64_t bits)
{
    for (int bit = 0; bit < 64; bit++) {
        expect_harmless(s, bits ^ (uint64_t)1 << bit);
        for (uint64_t step = 1; step <= 3; step++)
            expect_harmless(s, bits + (step << bit));
    }
}

static void t43_no_pattern_of_bits_does_harm(void **state)
{
    (void)state;
    const tarn_pool_options options[] = {
        plain, numbered, unnumbered, {.handle_bits = 32, .handle_index_bits = 30}};
    uint64_t random = 4;
    for (int kind = 0; kind < 4 * HANDLES_WAYS; kind++) {
        handles_stage s = handles_start((handles_way)(kind / 4), CAPACITY, options[kind % 4]);
        tarn_handle handles[CAPACITY];
        void *objects[CAPACITY];
        handles_take_many(&s, CAPACITY, handles, objects);
        handles_release_many(&s, CAPACITY / 2, handles);
        for (int i = 0; i < CAPACITY; i++)
            expect_neighbours_harmless(&s, handles[i].bits);
        for (int i = 0; i < 10000; i++) {
            uint64_t word = kit_random(&random);
            expect_harmless(&s, word >> (i % 64));
            expect_harmless(&s, handles[i % CAPACITY].bits ^ word >> (i % 64));
            expect_harmless(&s, handles[i % CAPACITY].bits ^ (word & 0xFFFF));
        }
        kit_expect_conserved(s.pool, CAPACITY / 2);
        handles_release_many(&s, CAPACITY / 2, handles + CAPACITY / 2);
        kit_destroy(s.pool);
    }
}

/* Their words would be far beyond the pool's memory. */
static void t43_slots_that_a_pool_has_not_grown_to_are_refused(void **state)
{
    (void)state;
    for (int exact = 0; exact <= 1; exact++) {
        tarn_pool_options options = {.object_bytes = HANDLES_BYTES,
                                     .capacity = 8,
                                     .capacity_max = (size_t)1 << 23,
                                     .grow_objects = 100000,
                                     .caches_max = 2,
                                     .exact = exact,
                                     .handle_bits = 32,
                                     .handle_index_bits = 25,
                                     .handles = true};
        handles_stage s = {BY_CACHE, kit_pool(&options), NULL};
        s.cache = kit_attach(s.pool);
        void *object;
        tarn_handle first = handles_take_one(&s, &object);
        for (size_t slot = 1; slot < (size_t)1 << 25; slot += 1 + slot / 4)
            handles_expect_stale(&s, (tarn_handle){first.bits ^ slot});
        char *far = (char *)object + (size_t)HANDLES_BYTES * 6000000;
        assert_true(tarn_handle_is_none(tarn_handle_of(s.pool, far)));
        kit_expect_conserved(s.pool, 1);
        while (kit_sample(s.pool).growths == 0)
            handles_take_one(&s, &object);
        assert_true(tarn_handle_equal(tarn_handle_of(s.pool, tarn_resolve(s.pool, first)), first));
        kit_clear_and_destroy(s.pool);
    }
}

/* ---- layout ---- */

static void a_compact_handle_is_split_as_chosen(void **state)
{
    (void)state;
    const uint32_t splits[][3] = {/* index, pool, lives */
                                  {6, 0, 26}, {6, 8, 18},  {16, 8, 8}, {20, 0, 12},
                                  {30, 0, 2}, {12, 18, 2}, {6, 24, 2}, {10, 1, 21}};
    for (size_t i = 0; i < sizeof splits / sizeof *splits; i++) {
        tarn_pool_options options = {
            .handle_bits = 32, .handle_index_bits = splits[i][0], .handle_pool_bits = splits[i][1]};
        handles_stage s = handles_start(BY_EXACT, CAPACITY, options);
        assert_int_equal(kit_info(s.pool).lives_max, (uint32_t)1 << (splits[i][2] - 1));
        void *object;
        for (uint32_t slot = 0; slot < CAPACITY; slot++) {
            tarn_handle handle = handles_take_one(&s, &object);
            assert_int_equal(handle.bits >> 32, 0);
            assert_int_equal(tarn_handle_index(s.pool, handle), slot);
            assert_int_equal(tarn_handle_generation(s.pool, handle), 1);
            assert_int_equal(handle.bits >> splits[i][0] & ((1u << splits[i][2]) - 1), 1);
            tarn_compact_handle compact = tarn_handle_compact(handle);
            assert_int_equal(compact.bits, handle.bits);
            assert_true(tarn_handle_equal(tarn_handle_expand(compact), handle));
        }
        kit_clear_and_destroy(s.pool);
    }
}

static void a_handle_of_64_bits_has_no_compact_form(void **state)
{
    (void)state;
    handles_stage s = handles_start(BY_EXACT, CAPACITY, plain);
    void *object;
    tarn_handle handle = handles_take_one(&s, &object);
    if (handle.bits >> (64 - TARN_HANDLE_POOL_BITS) != 0)
        assert_int_equal(tarn_handle_compact(handle).bits, 0);
    assert_int_equal(tarn_handle_compact((tarn_handle){(uint64_t)5 << 32 | 7}).bits, 0);
    assert_int_equal(tarn_handle_compact((tarn_handle){0xFFFFFFFF}).bits, 0xFFFFFFFF);
    assert_int_equal(kit_info(s.pool).lives_max, 1u << 29);
    kit_clear_and_destroy(s.pool);
}

static void expect_refused(tarn_pool_options options)
{
    tarn_pool *pool = (tarn_pool *)&options;
    options.object_bytes = 16;
    options.capacity = options.capacity ? options.capacity : CAPACITY;
    kit_expect_status(tarn_pool_create(&options, &pool), TARN_ERROR_INVALID);
    assert_null(pool);
}

static void options_that_leave_no_room_for_slots_or_lives_are_refused(void **state)
{
    (void)state;
    const tarn_pool_options refused[] = {
        {.handle_bits = 16},
        {.handle_bits = 33},
        {.handle_bits = 128},
        {.handle_bits = 64, .handle_index_bits = 10},
        {.handle_bits = 64, .handle_pool_bits = 4},
        {.handle_index_bits = 10}, /* 64 by default */
        {.handle_pool_bits = 4},
        {.handle_bits = 32, .handle_index_bits = 5}, /* 40 slots need 6 */
        {.handle_bits = 32, .handle_index_bits = 6, .capacity_max = 65},
        {.handle_bits = 32, .handle_index_bits = 31},
        {.handle_bits = 32, .handle_index_bits = 32},
        {.handle_bits = 32, .handle_index_bits = UINT32_MAX},
        {.handle_bits = 32, .handle_index_bits = 20, .handle_pool_bits = 11},
        {.handle_bits = 32, .handle_pool_bits = 30},
        {.handle_bits = 32, .handle_pool_bits = 32},
        {.handle_bits = 32, .handle_pool_bits = UINT32_MAX},
        {.handle_bits = 32, .capacity = (size_t)1 << 31, .exact = true},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        for (int handles = 0; handles <= 1; handles++) {
            tarn_pool_options options = refused[i];
            options.handles = handles;
            if (handles || options.handle_bits != 32 || options.handle_index_bits > 31)
                expect_refused(options);
        }
}

/* Every capacity that the index bits have room for is served; what lies beyond is the caches'. */
static void caches_shrink_to_what_the_index_bits_leave_them(void **state)
{
    (void)state;
    size_t last = SIZE_MAX;
    for (size_t capacity = 700; capacity <= 1024; capacity += 18) {
        tarn_pool_options options = {.object_bytes = 16,
                                     .capacity = capacity,
                                     .caches_max = 2,
                                     .cache_objects_max = 64,
                                     .handles = true,
                                     .handle_bits = 32,
                                     .handle_index_bits = 10};
        tarn_pool *pool = kit_pool(&options);
        tarn_pool_info info = kit_info(pool);
        assert_in_range(info.slots, capacity, 1024);
        assert_in_range(info.cache_objects_max, 0, last);
        assert_true(info.exact == (info.cache_objects_max == 0));
        last = info.cache_objects_max;
        tarn_cache *cache = kit_attach(pool);
        void **objects = kit_array(capacity);
        assert_int_equal(kit_alloc_many(cache, objects, capacity), capacity);
        for (size_t i = 0; i < capacity; i++)
            assert_ptr_equal(tarn_resolve(pool, tarn_handle_of(pool, objects[i])), objects[i]);
        free(objects);
        kit_clear_and_destroy(pool);
    }
    assert_int_equal(last, 0); /* 1024 objects leave nothing */
}

/* ---- numbers of pools ---- */

static tarn_pool *tiny_pool(void)
{
    tarn_pool_options options = {
        .object_bytes = 8, .capacity = 1, .caches_max = 1, .exact = true, .handles = true};
    return kit_pool(&options);
}

/* Longer than there are numbers. */
static void t43_no_later_pool_accepts_a_live_pools_handle(void **state)
{
    (void)state;
    tarn_pool *first = tiny_pool(), *last = NULL;
    tarn_handle of_first, of_last = {0}, handle;
    kit_expect_status(tarn_guest_take(first, &of_first, NULL), TARN_OK);
    for (int i = 0; i < 5000; i++) {
        tarn_pool *pool = tiny_pool();
        kit_expect_status(tarn_guest_take(pool, &handle, NULL), TARN_OK);
        kit_expect_status(tarn_guest_release(first, handle), TARN_ERROR_FOREIGN);
        kit_expect_status(tarn_guest_release(pool, of_first), TARN_ERROR_FOREIGN);
        if (i > 0) /* nor one of the pool that was just destroyed */
            kit_expect_status(tarn_guest_release(pool, of_last), TARN_ERROR_FOREIGN);
        of_last = handle;
        last = pool;
        kit_clear_and_destroy(last);
    }
    kit_expect_status(tarn_guest_release(first, of_first), TARN_OK);
    kit_destroy(first);
}

/* So many that their numbers run out: handles work, and are told apart as far as possible. */
static void more_pools_than_numbers_work(void **state)
{
    (void)state;
    enum { POOLS = (1 << TARN_HANDLE_POOL_BITS) + 50 };
    static tarn_pool *pools[POOLS];
    static tarn_handle handles[POOLS];
    for (int i = 0; i < POOLS; i++) {
        pools[i] = tiny_pool();
        kit_expect_status(tarn_guest_take(pools[i], &handles[i], NULL), TARN_OK);
        if (i > 0 && i < 4096)
            kit_expect_status(tarn_guest_release(pools[i], handles[i - 1]), TARN_ERROR_FOREIGN);
    }
    for (int i = 0; i < POOLS; i++) {
        assert_non_null(tarn_resolve(pools[i], handles[i]));
        kit_expect_status(tarn_guest_release(pools[i], handles[i]), TARN_OK);
        assert_null(tarn_resolve(pools[i], handles[i]));
        kit_destroy(pools[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t43_a_handle_of_another_pool_is_refused),
        cmocka_unit_test(t43_no_pattern_of_bits_does_harm),
        cmocka_unit_test(t43_slots_that_a_pool_has_not_grown_to_are_refused),
        cmocka_unit_test(a_compact_handle_is_split_as_chosen),
        cmocka_unit_test(a_handle_of_64_bits_has_no_compact_form),
        cmocka_unit_test(options_that_leave_no_room_for_slots_or_lives_are_refused),
        cmocka_unit_test(caches_shrink_to_what_the_index_bits_leave_them),
        cmocka_unit_test(t43_no_later_pool_accepts_a_live_pools_handle),
        cmocka_unit_test(more_pools_than_numbers_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
