/* Caches come, go and change hands; what they hold is never lost. */
#include "pool/state.h"
#include "support/kit.h"

static void attach_serves_caches_max_and_then_refuses(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 2, 7, 64, 300};
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++) {
        tarn_pool *pool = kit_small_pool(100, counts[n], 0);
        tarn_cache **caches = (tarn_cache **)kit_array(counts[n]);
        for (uint32_t i = 0; i < counts[n]; i++) {
            caches[i] = kit_attach(pool);
            assert_int_equal(kit_sample(pool).caches_attached, i + 1);
            for (uint32_t j = 0; j < i; j++)
                assert_ptr_not_equal(caches[i], caches[j]);
        }
        tarn_cache *more = caches[0];
        kit_expect_status(tarn_cache_attach(pool, &more), TARN_ERROR_NO_CACHE);
        assert_null(more);
        kit_detach(caches[counts[n] / 2]);
        caches[counts[n] / 2] = kit_attach(pool);
        kit_expect_status(tarn_cache_attach(pool, &more), TARN_ERROR_NO_CACHE);
        free(caches);
        kit_destroy(pool);
    }
}

static void attach_and_detach_take_null(void **state)
{
    (void)state;
    tarn_pool *pool = kit_small_pool(10, 2, 0);
    tarn_cache *cache = (tarn_cache *)&pool;
    kit_expect_status(tarn_cache_attach(NULL, &cache), TARN_ERROR_INVALID);
    assert_null(cache);
    kit_expect_status(tarn_cache_attach(pool, NULL), TARN_ERROR_INVALID);
    kit_expect_status(tarn_cache_detach(NULL), TARN_ERROR_INVALID);
    assert_int_equal(kit_sample(pool).caches_attached, 0);
    kit_destroy(pool);
}

static void t29_detach_works_once(void **state)
{
    (void)state;
    tarn_pool *pool = kit_small_pool(10, 2, 0);
    tarn_cache *cache = kit_attach(pool);
    tarn_free(cache, tarn_alloc(cache));
    kit_detach(cache);
    kit_expect_status(tarn_cache_detach(cache), TARN_ERROR_NOT_ATTACHED);
    kit_expect_status(tarn_cache_detach(cache), TARN_ERROR_NOT_ATTACHED);
    assert_int_equal(kit_sample(pool).caches_attached, 0);
    kit_expect_conserved(pool, 0);
    kit_destroy(pool);
}

static void detach_refuses_a_guest_threads_cache(void **state)
{
    (void)state;
    tarn_pool *pool = kit_small_pool(100, 1, 0);
    /* With one cache, what is attached and then left is what the guest gets. */
    tarn_cache *cache = kit_attach(pool);
    kit_detach(cache);
    void *object = tarn_guest_alloc(pool);
    assert_int_equal(kit_sample(pool).caches_attached, 1);
    kit_expect_status(tarn_cache_detach(cache), TARN_ERROR_NOT_ATTACHED);
    assert_int_equal(kit_sample(pool).caches_attached, 1);
    tarn_guest_free(pool, object);
    kit_expect_conserved(pool, 0);
    kit_destroy(pool);
}

static void note_misuse(void *count, const tarn_report *report)
{
    (void)report;
    ++*(int *)count;
}

static void t29_what_comes_after_detach_is_refused_or_goes_to_the_pool(void **state)
{
    (void)state;
    int misuses = 0;
    tarn_pool_options options = {
        .object_bytes = 16, .capacity = 10, .report = note_misuse, .report_context = &misuses};
    tarn_pool *pool = kit_pool(&options);
    tarn_cache *cache = kit_attach(pool);
    void *object = tarn_alloc(cache);
    void *pair[] = {object, object};
    kit_detach(cache);
    assert_null(tarn_alloc(cache));
    kit_expect_status(tarn_alloc_bulk(cache, 2, pair), TARN_ERROR_NOT_ATTACHED);
    assert_null(pair[0]);
    assert_null(pair[1]);
    kit_expect_status(tarn_cache_reserve(cache, 1), TARN_ERROR_NOT_ATTACHED);
    kit_expect_conserved(pool, 1);
    tarn_free(cache, object);
    if (!kit_info(pool).checked) {
        kit_expect_conserved(pool, 0);
        assert_int_equal(kit_sample(pool).free_in_depot, 1);
        assert_int_equal(misuses, 0);
    }
    kit_clear_and_destroy(pool);
}

static void t27_what_a_detached_cache_held_is_available(void **state)
{
    (void)state;
    for (uint32_t bound = 1; bound <= 300; bound += bound < 20 ? 1 : 37) {
        tarn_pool *pool = kit_small_pool(500, 2, bound);
        void *objects[500];
        tarn_cache *leaver = kit_attach(pool);
        assert_int_equal(kit_alloc_many(leaver, objects, 500), 500);
        kit_free_many(leaver, objects, 500);
        kit_detach(leaver);
        assert_int_equal(kit_sample(pool).free_in_caches, 0);
        assert_int_equal(kit_sample(pool).free_in_depot, kit_info(pool).slots_carved);
        tarn_cache *other = kit_attach(pool);
        assert_int_equal(kit_alloc_many(other, objects, 500), 500);
        assert_true(kit_are_apart(objects, 500, 16));
        kit_free_many(other, objects, 500);
        kit_destroy(pool);
    }
}

/* Caches detach one after another, each with another rest in its array and on its shelf. Then all
 * slots are taken: each must come exactly once. */
static void leave_residues(uint32_t bound, uint32_t caches_max)
{
    tarn_pool *pool = kit_small_pool(600, caches_max, bound);
    size_t slots = kit_info(pool).slots;
    void **objects = kit_array(slots);
    tarn_cache *caches[8];
    for (uint32_t i = 0; i < caches_max; i++)
        caches[i] = kit_attach(pool);
    assert_int_equal(kit_alloc_many(caches[0], objects, slots), slots);
    size_t freed = 0;
    for (size_t residue = 0; residue <= kit_info(pool).cache_objects_max + 1; residue++) {
        tarn_cache **cache = &caches[residue % caches_max];
        size_t count = residue < slots - freed ? residue : slots - freed;
        kit_free_many(*cache, objects + freed, count);
        freed += count;
        kit_detach(*cache);
        *cache = kit_attach(pool);
        kit_expect_conserved(pool, slots - freed);
        assert_int_equal(kit_sample(pool).free_in_caches, 0);
    }
    assert_int_equal(kit_alloc_many(caches[0], objects, freed), freed);
    assert_null(tarn_alloc(caches[0]));
    assert_true(kit_are_apart(objects, slots, 16));
    kit_expect_conserved(pool, slots);
    free(objects);
    kit_clear_and_destroy(pool);
}

static void t26_residues_of_every_size_are_kept(void **state)
{
    (void)state;
    for (uint32_t bound = 1; bound <= 40; bound++)
        leave_residues(bound, 1 + bound % 8);
    leave_residues(64, 8);
    leave_residues(130, 3);
    leave_residues(256, 8);
    leave_residues(1000, 2);
}

/* Everything that a cache did beyond its array. */
static uint64_t moves_of(const tarn_cache *cache)
{
    const tarn_cache_counters *counters = &((const tarn_cache_state *)cache)->counters;
    return tarn_u64_load_relaxed(&counters->shelf_put) +
           tarn_u64_load_relaxed(&counters->shelf_taken) +
           tarn_u64_load_relaxed(&counters->depot_takes) +
           tarn_u64_load_relaxed(&counters->depot_puts) +
           tarn_u64_load_relaxed(&counters->loose_taken) +
           tarn_u64_load_relaxed(&counters->loose_put);
}

static void alternate(tarn_cache *cache, void **objects, size_t k, int turns)
{
    for (int turn = 0; turn < turns; turn++) {
        assert_int_equal(kit_alloc_many(cache, objects, k), k);
        kit_free_many(cache, objects, k);
    }
}

/* k allocations and k frees in turn, from every fill of the cache. Up to a magazine, only the first
 * turn leaves the array; beyond, the depot is asked at most once per half magazine of calls. */
static void alternate_at_every_edge(uint32_t bound)
{
    enum { TURNS = 40 };
    tarn_pool *pool = kit_small_pool(1000, 1, bound);
    tarn_cache *cache = kit_attach(pool);
    size_t magazine_objects = kit_info(pool).magazine_objects;
    void *live[1000];
    size_t count = kit_alloc_many(cache, live, 700);
    for (size_t position = 0; position < 3 * (size_t)bound; position++) {
        tarn_free(cache, live[--count]);
        for (size_t k = 1; k <= 2 * magazine_objects + 1; k++) {
            alternate(cache, live + count, k, 1);
            uint64_t moves = moves_of(cache);
            tarn_pool_statistics before = kit_sample(pool);
            alternate(cache, live + count, k, TURNS);
            tarn_pool_statistics after = kit_sample(pool);
            if (k <= magazine_objects && bound > 1)
                assert_int_equal(moves_of(cache), moves);
            assert_in_range(after.depot_takes + after.depot_puts - before.depot_takes -
                                before.depot_puts,
                            0, 1 + 2 * k * TURNS / magazine_objects);
        }
    }
    kit_free_many(cache, live, count);
    kit_destroy(pool);
}

static void alternation_at_any_edge_spares_the_depot(void **state)
{
    (void)state;
    static const uint32_t bounds[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 31, 48, 64};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        alternate_at_every_edge(bounds[i]);
}

/* Two threads use one cache in turn; the hand-over is ordered, which is all that it takes. */
enum { HAND_OVERS = 2000 };

typedef struct shift_worker {
    tarn_cache *cache;
    atomic_uint *turn;
    unsigned parity;
    uint64_t **live; /* objects that pass with the cache, 20 of them */
} shift_worker;

static int work_in_turn(void *argument)
{
    shift_worker *self = argument;
    int failures = 0;
    for (unsigned i = self->parity; i < HAND_OVERS; i += 2) {
        kit_await(self->turn, i);
        uint64_t *object = tarn_alloc(self->cache);
        KIT_EXPECT(&failures, object != NULL);
        if (i >= 20) {
            KIT_EXPECT(&failures, *self->live[i % 20] == i - 20);
            tarn_free(self->cache, self->live[i % 20]);
        }
        if (object)
            *object = i;
        self->live[i % 20] = object;
        kit_raise(self->turn, i + 1);
    }
    return failures;
}

static void t32_a_cache_may_change_threads_when_the_hand_over_is_ordered(void **state)
{
    (void)state;
    tarn_pool *pool = kit_small_pool(30, 1, 4);
    tarn_cache *cache = kit_attach(pool);
    atomic_uint turn = 0;
    uint64_t *live[20] = {0};
    shift_worker workers[] = {{cache, &turn, 0, live}, {cache, &turn, 1, live}};
    assert_int_equal(kit_run_threads(2, work_in_turn, workers, sizeof *workers), 0);
    kit_expect_conserved(pool, 20);
    kit_free_many(cache, (void **)live, 20);
    kit_detach(cache);
    kit_destroy(pool);
}

static int leave_content_behind(void *argument)
{
    tarn_pool *pool = argument;
    void *objects[10];
    for (int i = 0; i < 10; i++)
        objects[i] = tarn_guest_alloc(pool);
    for (int i = 0; i < 10; i++)
        tarn_guest_free(pool, objects[i]);
    return 0;
}

static void attach_adopts_what_a_finished_thread_left(void **state)
{
    (void)state;
    tarn_pool *pool = kit_small_pool(1000, 4, 40);
    tarn_cache *mine = kit_attach(pool);
    kit_run_thread(leave_content_behind, pool);
    uint64_t held = kit_sample(pool).free_in_caches;
    assert_true(held >= 10);
    assert_int_equal(kit_sample(pool).caches_attached, 1);
    tarn_cache *adopted = kit_attach(pool);
    assert_int_equal(kit_sample(pool).free_in_caches, held);
    uint64_t carved = kit_info(pool).slots_carved;
    void *objects[1000];
    assert_int_equal(kit_alloc_many(adopted, objects, held), held);
    assert_int_equal(kit_info(pool).slots_carved, carved);
    kit_free_many(mine, objects, held);
    kit_expect_conserved(pool, 0);
    kit_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attach_serves_caches_max_and_then_refuses),
        cmocka_unit_test(attach_and_detach_take_null),
        cmocka_unit_test(t29_detach_works_once),
        cmocka_unit_test(detach_refuses_a_guest_threads_cache),
        cmocka_unit_test(t29_what_comes_after_detach_is_refused_or_goes_to_the_pool),
        cmocka_unit_test(t27_what_a_detached_cache_held_is_available),
        cmocka_unit_test(t26_residues_of_every_size_are_kept),
        cmocka_unit_test(alternation_at_any_edge_spares_the_depot),
        cmocka_unit_test(t32_a_cache_may_change_threads_when_the_hand_over_is_ordered),
        cmocka_unit_test(attach_adopts_what_a_finished_thread_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
