/* The library's happens-before edges, each by two threads that no other edge joins. What they pass
 * on is plain memory: a run shows that it arrives, and ThreadSanitizer that its arrival is ordered,
 * on every processor. Each thread ends after a bounded number of attempts. */
#include "support/check.h"

#include "base/os.h"
#include "base/thread.h"
#include "depot/depot.h"
#include "pool/state.h"
#include "tarn/tarn.h"

#include <string.h>

#define ROUNDS       2000u
#define ATTEMPTS_MAX 50000000u

/* Runs both at once. Each returns how many of its expectations failed. */
static void run_both(tarn_thread_fn *first, tarn_thread_fn *second, void *argument)
{
    tarn_thread threads[2];
    assert_true(tarn_thread_create(&threads[0], first, argument));
    assert_true(tarn_thread_create(&threads[1], second, argument));
    int failures = tarn_thread_join(threads[0]);
    failures += tarn_thread_join(threads[1]);
    assert_int_equal(failures, 0);
}

/* ---- E1: a stack hands over what its pusher wrote ---- */

#define INDEX_MAX 8u

typedef struct exchange {
    tarn_depot depot;
    tarn_magazine headers[INDEX_MAX + 1];
    void *objects[INDEX_MAX + 1];
    uint32_t payload[INDEX_MAX + 1]; /* plain: the holder of an index may use its word */
    uint32_t way;                    /* how the taker takes */
} exchange;

static exchange *start_exchange(uint32_t way)
{
    static exchange e;
    memset(&e, 0, sizeof e);
    e.depot.shard_count = 1;
    tarn_magazines_init(&e.depot.magazines, e.headers, e.objects, 1, INDEX_MAX);
    e.way = way;
    for (uint32_t index = 1; index <= INDEX_MAX; index++)
        tarn_stack_push(&e.depot.shards[0].empty, &e.depot.magazines.links, index);
    return &e;
}

/* Moves indices from `empty` to `full`, each with something written for it. */
static int give(void *argument)
{
    exchange *e = argument;
    uint32_t given = 0;
    for (uint32_t i = 0; i < ATTEMPTS_MAX && given < ROUNDS; i++) {
        uint32_t index = tarn_stack_pop(&e->depot.shards[0].empty, &e->depot.magazines.links);
        if (index == TARN_INDEX_NONE) {
            tarn_thread_yield();
            continue;
        }
        e->payload[index] = index * 1000;
        tarn_stack_push(&e->depot.shards[0].full, &e->depot.magazines.links, index);
        given++;
    }
    return given != ROUNDS;
}

static uint32_t take(exchange *e, uint32_t *indices)
{
    const tarn_links *links = &e->depot.magazines.links;
    if (e->way == 1)
        return tarn_stack_pop_some(&e->depot.shards[0].full, links, 3, indices);
    uint32_t index = e->way == 0 ? tarn_stack_pop(&e->depot.shards[0].full, links)
                                 : tarn_stack_take_all(&e->depot.shards[0].full, links);
    uint32_t count = 0;
    for (; index != TARN_INDEX_NONE; index = tarn_links_get(links, index)) {
        indices[count++] = index;
        if (e->way == 0)
            break;
    }
    return count;
}

static int take_and_check(void *argument)
{
    exchange *e = argument;
    int failures = 0;
    uint32_t taken = 0;
    for (uint32_t i = 0; i < ATTEMPTS_MAX && taken < ROUNDS; i++) {
        uint32_t indices[INDEX_MAX];
        uint32_t count = take(e, indices);
        for (uint32_t k = 0; k < count; k++) {
            failures += e->payload[indices[k]] != indices[k] * 1000;
            e->payload[indices[k]] = 0;
            tarn_stack_push(&e->depot.shards[0].empty, &e->depot.magazines.links, indices[k]);
        }
        taken += count;
        if (count == 0)
            tarn_thread_yield();
    }
    return failures + (taken < ROUNDS);
}

static void e1_a_taker_sees_what_the_pusher_wrote(void **state)
{
    (void)state;
    for (uint32_t way = 0; way < 3; way++)
        run_both(give, take_and_check, start_exchange(way));
}

/* ---- a pool whose memory functions order nothing ---- */

static bool commit_and_write(void *context, void *address, size_t bytes)
{
    tarn_u32 *calls_until_failure = context;
    uint32_t calls = tarn_u32_load_relaxed(calls_until_failure);
    if (calls > 0)
        tarn_u32_store_relaxed(calls_until_failure, calls - 1);
    tarn_memory os = tarn_os_memory();
    if (calls == 1 || !os.commit(os.context, address, bytes))
        return false;
    memset(address, 0, bytes); /* a write that who uses the memory must come after */
    return true;
}

static void *reserve(void *context, size_t bytes, size_t alignment)
{
    (void)context;
    tarn_memory os = tarn_os_memory();
    return os.reserve(os.context, bytes, alignment);
}

static void release(void *context, void *address, size_t bytes)
{
    (void)context;
    tarn_memory os = tarn_os_memory();
    os.release(os.context, address, bytes);
}

static void decommit(void *context, void *address, size_t bytes)
{
    (void)context;
    tarn_memory os = tarn_os_memory();
    os.decommit(os.context, address, bytes);
}

typedef struct sharing {
    tarn_pool *pool;
    tarn_cache *caches[2];
    tarn_u32 commits_until_failure; /* 0: none fails */
    tarn_u32 is_first_done;         /* relaxed: it orders nothing */
} sharing;

#define START 500u
#define STEP  5000u

static sharing *start_sharing(uint32_t caches_max, bool exact)
{
    static sharing s;
    memset(&s, 0, sizeof s);
    tarn_memory memory = {&s.commits_until_failure, 4096,     reserve,
                          commit_and_write,         decommit, release};
    tarn_pool_options options = {.object_bytes = 64,
                                 .capacity = START,
                                 .capacity_max = START + 2 * STEP,
                                 .grow_objects = STEP,
                                 .caches_max = caches_max,
                                 .cache_objects_max = 16,
                                 .exact = exact,
                                 .memory = &memory};
    assert_int_equal(tarn_pool_create(&options, &s.pool), TARN_OK);
    return &s;
}

static void end_sharing(sharing *s)
{
    assert_int_equal(tarn_pool_clear(s->pool), TARN_OK);
    assert_int_equal(tarn_pool_destroy(s->pool), TARN_OK);
}

static bool wait_for_first(sharing *s)
{
    for (uint32_t i = 0; i < ATTEMPTS_MAX; i++) {
        if (tarn_u32_load_relaxed(&s->is_first_done))
            return true;
        tarn_thread_yield();
    }
    return false;
}

/* ---- E2: who carves new slots comes after their commit ---- */

static int write_objects(tarn_cache *cache, uint32_t count)
{
    int failures = 0;
    for (uint32_t i = 0; i < count; i++) {
        unsigned char *object = tarn_alloc(cache);
        if (object)
            object[0] = 1; /* not memset: gcc 12 does not show ThreadSanitizer a short one */
        failures += object == NULL;
    }
    return failures;
}

static int grow_first(void *argument)
{
    sharing *s = argument;
    int failures = write_objects(s->caches[0], START + 1);
    tarn_u32_store_relaxed(&s->is_first_done, 1);
    return failures;
}

static int use_what_was_grown(void *argument)
{
    sharing *s = argument;
    return wait_for_first(s) ? write_objects(s->caches[1], STEP - 1) : 1;
}

static void e2_new_slots_are_committed_before_another_thread_uses_them(void **state)
{
    (void)state;
    sharing *s = start_sharing(2, true);
    assert_int_equal(tarn_cache_attach(s->pool, &s->caches[0]), TARN_OK);
    assert_int_equal(tarn_cache_attach(s->pool, &s->caches[1]), TARN_OK);
    run_both(grow_first, use_what_was_grown, s);
    end_sharing(s);
}

/* ---- E3: who claims a cache comes after who left it ---- */

static int attach_often(void *argument)
{
    sharing *s = argument;
    int failures = 0;
    uint32_t attached = 0;
    for (uint32_t i = 0; i < ATTEMPTS_MAX && attached < 100; i++) {
        tarn_cache *cache = NULL;
        if (tarn_cache_attach(s->pool, &cache) != TARN_OK) {
            tarn_thread_yield();
            continue;
        }
        void *objects[40];
        failures += tarn_alloc_bulk(cache, 40, objects) != TARN_OK;
        failures += tarn_free_bulk(cache, 40, objects) != TARN_OK;
        failures += tarn_cache_detach(cache) != TARN_OK;
        attached++;
    }
    return failures + (attached != 100);
}

static void e3_a_detached_caches_next_user_finds_it_as_it_was_left(void **state)
{
    (void)state;
    sharing *s = start_sharing(1, false);
    run_both(attach_often, attach_often, s);
    end_sharing(s);
}

/* Ends as a thread; its cache, with content, is left for whoever comes. */
static int use_as_guest(void *argument)
{
    sharing *s = argument;
    void *object = tarn_guest_alloc(s->pool);
    if (object)
        tarn_guest_free(s->pool, object);
    tarn_u32_store_relaxed(&s->is_first_done, 1);
    return object == NULL;
}

static int adopt_as_guest(void *argument)
{
    sharing *s = argument;
    if (!wait_for_first(s))
        return 1;
    tarn_cache *cache = NULL;
    for (uint32_t i = 0; i < ATTEMPTS_MAX; i++) {
        if (tarn_cache_attach(s->pool, &cache) == TARN_OK)
            return tarn_alloc(cache) == NULL;
        tarn_thread_yield();
    }
    return 1;
}

static void e3_a_finished_threads_cache_is_found_as_it_was_left(void **state)
{
    (void)state;
    sharing *s = start_sharing(1, false);
    run_both(use_as_guest, adopt_as_guest, s);
    end_sharing(s);
}

/* Takes all that there is until the cache that was left has been emptied on the way. */
static int empty_what_was_left(void *argument)
{
    sharing *s = argument;
    const tarn_cache_state *left = &s->pool->caches[1];
    if (!wait_for_first(s))
        return 1;
    for (uint32_t i = 0; i < ATTEMPTS_MAX; i++) {
        while (tarn_alloc(s->caches[0]))
            ;
        if (tarn_u64_load_relaxed(&left->owner) == TARN_OWNER_FREE)
            return 0;
        tarn_thread_yield();
    }
    return 1;
}

static void e3_a_finished_threads_cache_is_emptied_as_it_was_left(void **state)
{
    (void)state;
    sharing *s = start_sharing(2, false);
    assert_int_equal(tarn_cache_attach(s->pool, &s->caches[0]), TARN_OK);
    run_both(use_as_guest, empty_what_was_left, s);
    end_sharing(s);
}

/* ---- E4: who grows next comes after who grew last, also in vain ---- */

static int fail_to_grow(void *argument)
{
    sharing *s = argument;
    int failures = write_objects(s->caches[0], START);
    tarn_u32_store_relaxed(&s->commits_until_failure, 2); /* one region more, then no further */
    failures += tarn_alloc(s->caches[0]) != NULL;
    tarn_u32_store_relaxed(&s->is_first_done, 1);
    return failures;
}

static int grow_next(void *argument)
{
    sharing *s = argument;
    return wait_for_first(s) ? write_objects(s->caches[1], STEP) : 1;
}

static void e4_the_next_grower_goes_on_where_another_failed(void **state)
{
    (void)state;
    sharing *s = start_sharing(2, true);
    assert_int_equal(tarn_cache_attach(s->pool, &s->caches[0]), TARN_OK);
    assert_int_equal(tarn_cache_attach(s->pool, &s->caches[1]), TARN_OK);
    run_both(fail_to_grow, grow_next, s);
    end_sharing(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(e1_a_taker_sees_what_the_pusher_wrote),
        cmocka_unit_test(e2_new_slots_are_committed_before_another_thread_uses_them),
        cmocka_unit_test(e3_a_detached_caches_next_user_finds_it_as_it_was_left),
        cmocka_unit_test(e3_a_finished_threads_cache_is_found_as_it_was_left),
        cmocka_unit_test(e3_a_finished_threads_cache_is_emptied_as_it_was_left),
        cmocka_unit_test(e4_the_next_grower_goes_on_where_another_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
