/* Guest calls: any thread, no set-up. */
#include "support/kit.h"

static void guest_calls_take_null(void **state)
{
    (void)state;
    int object = 0;
    assert_null(tarn_guest_alloc(NULL));
    tarn_guest_free(NULL, &object);
}

static int alloc_and_free_without_set_up(void *argument)
{
    tarn_pool *pool = argument;
    int failures = 0;
    void *objects[50];
    for (size_t i = 0; i < 50; i++) {
        objects[i] = tarn_guest_alloc(pool);
        KIT_EXPECT(&failures, objects[i] != NULL);
    }
    KIT_EXPECT(&failures, kit_are_apart(objects, 50, 16));
    for (int i = 0; i < 50; i++)
        tarn_guest_free(pool, objects[i]);
    return failures;
}

static void t10_a_thread_that_never_registered_allocates_and_frees(void **state)
{
    (void)state;
    tarn_pool *pool = kit_small_pool(50, 2, 0);
    kit_run_thread(alloc_and_free_without_set_up, pool);
    kit_expect_conserved(pool, 0);
    assert_int_equal(kit_sample(pool).allocs, 50);
    assert_int_equal(kit_sample(pool).caches_attached, 0);
    kit_destroy(pool);
}

static void a_guest_takes_one_cache_and_keeps_it(void **state)
{
    (void)state;
    tarn_pool *pool = kit_small_pool(1000, 3, 64);
    void *objects[500];
    for (int i = 0; i < 500; i++)
        objects[i] = tarn_guest_alloc(pool);
    assert_true(kit_are_apart(objects, 500, 16));
    assert_int_equal(kit_sample(pool).caches_attached, 1);
    for (int i = 0; i < 500; i++)
        tarn_guest_free(pool, objects[i]);
    assert_int_equal(kit_sample(pool).caches_attached, 1);
    assert_true(kit_sample(pool).free_in_caches > 0);
    kit_expect_conserved(pool, 0);
    kit_destroy(pool);
}

static void guest_and_attached_caches_mix(void **state)
{
    (void)state;
    tarn_pool *pool = kit_small_pool(200, 2, 16);
    tarn_cache *cache = kit_attach(pool);
    void *objects[200];
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 200; i++)
            objects[i] = (i + round) % 3 ? tarn_alloc(cache) : tarn_guest_alloc(pool);
        assert_true(kit_are_apart(objects, 200, 16));
        for (int i = 0; i < 200; i++)
            if ((i + round) % 2)
                tarn_free(cache, objects[i]);
            else
                tarn_guest_free(pool, objects[i]);
    }
    kit_expect_conserved(pool, 0);
    assert_int_equal(kit_sample(pool).caches_attached, 2);
    kit_destroy(pool);
}

static void a_guest_without_a_cache_is_served_and_gets_one_when_it_is_free(void **state)
{
    (void)state;
    tarn_pool *pool = kit_small_pool(100, 1, 8);
    tarn_cache *cache = kit_attach(pool);
    void *objects[100];
    for (int i = 0; i < 100; i++)
        objects[i] = tarn_guest_alloc(pool);
    assert_true(kit_are_apart(objects, 100, 16));
    assert_int_equal(kit_sample(pool).caches_attached, 1);
    for (int i = 0; i < 100; i++)
        tarn_guest_free(pool, objects[i]);
    assert_int_equal(kit_sample(pool).free_in_caches, 0);
    kit_expect_conserved(pool, 0);
    kit_detach(cache);
    for (int i = 0; i < 200; i++)
        tarn_guest_free(pool, tarn_guest_alloc(pool));
    assert_int_equal(kit_sample(pool).caches_attached, 1);
    assert_true(kit_sample(pool).free_in_caches > 0);
    kit_expect_conserved(pool, 0);
    kit_destroy(pool);
}

static void a_guest_without_a_cache_breaks_up_magazines_and_loses_none(void **state)
{
    (void)state;
    for (uint32_t bound = 1; bound <= 300; bound += bound < 10 ? 1 : 50) {
        tarn_pool *pool = kit_small_pool(500, 1, bound);
        tarn_cache *cache = kit_attach(pool);
        size_t slots = kit_info(pool).slots;
        void **objects = kit_array(slots);
        assert_int_equal(kit_alloc_many(cache, objects, slots), slots);
        kit_free_many(cache, objects, slots);
        size_t in_array = kit_sample(pool).free_in_caches;
        size_t count = 0;
        while (count < slots && (objects[count] = tarn_guest_alloc(pool)) != NULL)
            count++;
        /* It gets all but what the attached cache's array holds; never less than the capacity. */
        assert_in_range(count, slots - in_array, slots);
        assert_true(count >= 500);
        assert_true(kit_are_apart(objects, count, 16));
        kit_expect_conserved(pool, count);
        for (size_t i = 0; i < count; i++)
            tarn_guest_free(pool, objects[i]);
        kit_expect_conserved(pool, 0);
        free(objects);
        kit_destroy(pool);
    }
}

/* More threads than caches, all of them guests, passing objects through shared places. */
enum { CROWD = 6, PLACES = 64, CROWD_ROUNDS = 20000 };

typedef struct crowd_member {
    tarn_pool *pool;
    _Atomic(uint64_t *) *places;
    uint64_t seed;
} crowd_member;

static int swap_in_places(void *argument)
{
    crowd_member *self = argument;
    int failures = 0;
    for (int i = 0; i < CROWD_ROUNDS; i++) {
        uint64_t *object = tarn_guest_alloc(self->pool);
        KIT_EXPECT(&failures, object != NULL);
        if (object)
            object[0] = object[1] = kit_random(&self->seed);
        uint64_t *other = atomic_exchange(&self->places[self->seed % PLACES], object);
        if (other) {
            KIT_EXPECT(&failures, other[0] == other[1]);
            tarn_guest_free(self->pool, other);
        }
    }
    return failures;
}

static void t10_more_threads_than_caches_lose_nothing(void **state)
{
    (void)state;
    static _Atomic(uint64_t *) places[PLACES];
    tarn_pool *pool = kit_small_pool(PLACES + CROWD, 2, 8);
    crowd_member members[CROWD];
    for (int i = 0; i < CROWD; i++)
        members[i] = (crowd_member){pool, places, 90 + (uint64_t)i};
    assert_int_equal(kit_run_threads(CROWD, swap_in_places, members, sizeof *members), 0);
    assert_int_equal(kit_sample(pool).caches_attached, 0);
    assert_int_equal(kit_sample(pool).refusals, 0);
    uint64_t live = 0;
    for (int i = 0; i < PLACES; i++)
        live += atomic_load(&places[i]) != NULL;
    kit_expect_conserved(pool, live);
    for (int i = 0; i < PLACES; i++)
        if (atomic_load(&places[i]))
            tarn_guest_free(pool, atomic_exchange(&places[i], NULL));
    kit_expect_conserved(pool, 0);
    kit_destroy(pool);
}

static void threads_in_turn_pass_one_cache_on_with_its_content(void **state)
{
    (void)state;
    tarn_pool *pool = kit_small_pool(5000, 2, 200);
    kit_run_thread(alloc_and_free_without_set_up, pool);
    uint64_t carved = kit_info(pool).slots_carved;
    assert_true(kit_sample(pool).free_in_caches >= 50);
    for (int i = 0; i < 20; i++) {
        kit_run_thread(alloc_and_free_without_set_up, pool);
        kit_expect_conserved(pool, 0);
    }
    assert_int_equal(kit_info(pool).slots_carved, carved);
    assert_int_equal(kit_sample(pool).caches_attached, 0);
    kit_destroy(pool);
}

static void one_thread_uses_many_pools_at_once(void **state)
{
    (void)state;
    enum { POOLS = 50, EACH = 20 };
    tarn_pool *pools[POOLS];
    static void *objects[POOLS][EACH];
    for (int p = 0; p < POOLS; p++)
        pools[p] = kit_small_pool(EACH, 2, 0);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < EACH; i++)
            for (int p = 0; p < POOLS; p++)
                objects[p][i] = tarn_guest_alloc(pools[p]);
        for (int p = 0; p < POOLS; p++) {
            assert_true(kit_are_apart(objects[p], EACH, 16));
            for (int i = 0; i < EACH; i++)
                assert_true(tarn_pool_owns(pools[p], objects[p][i]));
            assert_int_equal(kit_sample(pools[p]).caches_attached, 1);
            kit_expect_conserved(pools[p], EACH);
        }
        for (int i = 0; i < EACH; i++)
            for (int p = 0; p < POOLS; p++)
                tarn_guest_free(pools[p], objects[p][i]);
    }
    for (int p = 0; p < POOLS; p++)
        kit_destroy(pools[p]);
}

/* Memory that is always in the same place. */
static _Alignas(4096) char arena[1 << 20];

static void *arena_reserve(void *context, size_t bytes, size_t alignment)
{
    (void)context;
    (void)alignment;
    return bytes <= sizeof arena ? memset(arena, 0, bytes) : NULL;
}
static bool arena_commit(void *context, void *address, size_t bytes)
{
    (void)context;
    (void)address;
    (void)bytes;
    return true;
}
static void arena_forget(void *context, void *address, size_t bytes)
{
    (void)context;
    (void)address;
    (void)bytes;
}

static void a_new_pool_in_an_old_ones_place_is_not_taken_for_it(void **state)
{
    (void)state;
    tarn_memory memory = {.reserve = arena_reserve,
                          .commit = arena_commit,
                          .decommit = arena_forget,
                          .release = arena_forget};
    tarn_pool_options options = {
        .object_bytes = 16, .capacity = 100, .caches_max = 2, .memory = &memory};
    for (int round = 0; round < 40; round++) {
        tarn_pool *pool = kit_pool(&options);
        assert_ptr_equal(pool, arena);
        /* Every second pool's first cache is somebody else's. */
        tarn_cache *cache = round % 2 ? kit_attach(pool) : NULL;
        void *first = tarn_guest_alloc(pool);
        void *second = tarn_guest_alloc(pool);
        assert_non_null(first);
        assert_ptr_not_equal(first, second);
        assert_int_equal(kit_sample(pool).caches_attached, 1 + round % 2);
        if (cache)
            assert_ptr_not_equal(tarn_alloc(cache), first);
        kit_clear_and_destroy(pool);
    }
}

static void an_exact_pool_serves_guests_without_a_cache(void **state)
{
    (void)state;
    tarn_pool_options options = {.object_bytes = 8, .capacity = 30, .caches_max = 1, .exact = true};
    tarn_pool *pool = kit_pool(&options);
    void *objects[30];
    for (int i = 0; i < 30; i++)
        objects[i] = tarn_guest_alloc(pool);
    assert_true(kit_are_apart(objects, 30, 8));
    assert_null(tarn_guest_alloc(pool));
    assert_int_equal(kit_sample(pool).refusals, 1);
    for (int i = 0; i < 30; i++)
        tarn_guest_free(pool, objects[i]);
    kit_expect_conserved(pool, 0);
    assert_int_equal(kit_sample(pool).free_in_caches, 0);
    kit_destroy(pool);
}

typedef struct outliver {
    tarn_pool *pool, *other;
    atomic_uint step;
} outliver;

static int use_and_wait_for_the_pools_end(void *argument)
{
    outliver *self = argument;
    int failures = alloc_and_free_without_set_up(self->pool);
    kit_raise(&self->step, 1);
    kit_await(&self->step, 2);
    failures += alloc_and_free_without_set_up(self->other);
    return failures;
}

static void a_thread_may_outlive_a_pool_that_it_used(void **state)
{
    (void)state;
    outliver o = {.pool = kit_small_pool(100, 2, 0), .other = kit_small_pool(100, 2, 0)};
    tarn_thread thread;
    assert_true(tarn_thread_create(&thread, use_and_wait_for_the_pools_end, &o));
    kit_await(&o.step, 1);
    kit_destroy(o.pool);
    kit_raise(&o.step, 2);
    assert_int_equal(tarn_thread_join(thread), 0);
    assert_int_equal(kit_sample(o.other).caches_attached, 0);
    kit_expect_conserved(o.other, 0);
    kit_destroy(o.other);
}

/* A destructor that runs after the library's own has left the thread's cache to others. */
typedef struct late_user {
    tarn_pool *pool;
    tarn_thread_key key;
    void *kept;
    int misuses;
    tarn_cache *adopted; /* what the thread had, attached again in between */
    uint64_t allocs_of_adopted;
} late_user;

static late_user late;

static void note_misuse(void *context, const tarn_report *report)
{
    (void)report;
    ++*(int *)context;
}

static void use_the_pool_late(void *value)
{
    (void)value;
    tarn_cache_attach(late.pool, &late.adopted);
    for (int i = 0; i < 10; i++)
        tarn_guest_free(late.pool, tarn_guest_alloc(late.pool));
    tarn_guest_free(late.pool, late.kept);
    late.allocs_of_adopted = late.adopted ? late.adopted->allocs : 0;
}

static int keep_an_object_to_the_end(void *argument)
{
    (void)argument;
    late.kept = tarn_guest_alloc(late.pool);
    late.allocs_of_adopted = 0;
    return late.kept && tarn_thread_key_set(late.key, &late) ? 0 : 1;
}

static void t29_a_late_destructor_frees_without_touching_a_cache_that_was_left(void **state)
{
    (void)state;
    tarn_pool_options options = {.object_bytes = 16,
                                 .capacity = 100,
                                 .caches_max = 1,
                                 .checked = true,
                                 .report = note_misuse,
                                 .report_context = &late.misuses};
    late.pool = kit_pool(&options);
    assert_true(tarn_thread_key_create(&late.key, use_the_pool_late));
    kit_run_thread(keep_an_object_to_the_end, NULL);
    assert_non_null(late.adopted);
    assert_int_equal(late.misuses, 0);
    assert_int_equal(late.allocs_of_adopted, 1); /* the thread's first, nothing since */
    kit_expect_conserved(late.pool, 0);
    kit_detach(late.adopted);
    kit_destroy(late.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guest_calls_take_null),
        cmocka_unit_test(t10_a_thread_that_never_registered_allocates_and_frees),
        cmocka_unit_test(a_guest_takes_one_cache_and_keeps_it),
        cmocka_unit_test(guest_and_attached_caches_mix),
        cmocka_unit_test(a_guest_without_a_cache_is_served_and_gets_one_when_it_is_free),
        cmocka_unit_test(a_guest_without_a_cache_breaks_up_magazines_and_loses_none),
        cmocka_unit_test(t10_more_threads_than_caches_lose_nothing),
        cmocka_unit_test(threads_in_turn_pass_one_cache_on_with_its_content),
        cmocka_unit_test(one_thread_uses_many_pools_at_once),
        cmocka_unit_test(a_new_pool_in_an_old_ones_place_is_not_taken_for_it),
        cmocka_unit_test(an_exact_pool_serves_guests_without_a_cache),
        cmocka_unit_test(a_thread_may_outlive_a_pool_that_it_used),
        cmocka_unit_test(t29_a_late_destructor_frees_without_touching_a_cache_that_was_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
