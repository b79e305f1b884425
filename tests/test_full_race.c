/* T67: several threads evict from one full pool. Each victim's life ends once, and each life that
 * begins is one thread's alone until that thread offers the object up. */
#include "support/kit.h"

enum { CAPACITY = 8, THREADS_MAX = 4, TAKES = 4000, KEPT = 4 };

/* The hooks pin the object before each of its lives, so that nobody takes it from its owner before
 * the owner says so. The payload is plain: sanitizers see it when two threads use it at once. */
typedef struct voice {
    _Atomic int64_t score;
    atomic_uint owner; /* 0: none */
    uint64_t payload;
} voice;

static void set_score(voice *v, int64_t score)
{
    atomic_store_explicit(&v->score, score, memory_order_release);
}

static int64_t score_of(void *context, const void *object)
{
    (void)context;
    return atomic_load_explicit(&((const voice *)object)->score, memory_order_acquire);
}

static void pin(void *context, void *object)
{
    (void)context;
    set_score(object, TARN_SCORE_PINNED);
}

static bool construct(void *context, void *object)
{
    pin(context, object);
    return true;
}

static tarn_handle evict(void *context, tarn_pool *pool)
{
    return tarn_evict_lowest(pool, score_of, context);
}

typedef enum way { CACHES, EXACT, GUESTS, CROWD, WAYS } way;

typedef struct worker {
    tarn_pool *pool;
    kit_barrier *barrier;
    way how;
    uint32_t number; /* from 1 */
    tarn_cache *cache;
    tarn_handle handles[TAKES]; /* all that it was ever given */
    uint32_t taken, released, refused;
} worker;

static tarn_status take(worker *w, tarn_handle *handle, void **object)
{
    return w->cache ? tarn_take(w->cache, handle, object)
                    : tarn_guest_take(w->pool, handle, object);
}

static tarn_status release(worker *w, tarn_handle handle)
{
    return w->cache ? tarn_release(w->cache, handle) : tarn_guest_release(w->pool, handle);
}

/* Relaxed, so that the stamp itself orders nothing. */
static uint32_t stamp(voice *v, uint32_t owner)
{
    return atomic_exchange_explicit(&v->owner, owner, memory_order_relaxed);
}

static void use(worker *w, voice *v, uint64_t *random, int *failures)
{
    uint64_t mark = kit_random(random);
    KIT_EXPECT(failures, stamp(v, w->number) == 0);
    v->payload = mark;
    KIT_EXPECT(failures, score_of(NULL, v) == TARN_SCORE_PINNED);
    KIT_EXPECT(failures, v->payload == mark);
    KIT_EXPECT(failures, stamp(v, 0) == w->number);
    set_score(v, (int64_t)(mark % 16));
}

/* Of an earlier handle, now and then: somebody else may have been quicker. */
static void release_one(worker *w, uint64_t *random, int *failures)
{
    uint32_t age = (uint32_t)(kit_random(random) % KEPT);
    if (age >= w->taken)
        return;
    tarn_status status = release(w, w->handles[w->taken - 1 - age]);
    KIT_EXPECT(failures, status == TARN_OK || status == TARN_ERROR_STALE);
    w->released += status == TARN_OK;
}

static int work(void *argument)
{
    worker *w = argument;
    int failures = 0;
    uint64_t random = 0x9E3779B97F4A7C15u * w->number;
    if (w->how < GUESTS)
        KIT_EXPECT(&failures, tarn_cache_attach(w->pool, &w->cache) == TARN_OK);
    kit_barrier_wait(w->barrier);
    for (uint32_t i = 0; i < TAKES; i++) {
        tarn_handle handle;
        void *object = NULL;
        tarn_status status = take(w, &handle, &object);
        if (status == TARN_OK) {
            w->handles[w->taken++] = handle;
            use(w, object, &random, &failures);
        } else { /* everyone it looked at was pinned, or went to another */
            KIT_EXPECT(&failures, status == TARN_ERROR_PINNED || status == TARN_ERROR_FULL);
            w->refused++;
        }
        if (i % 8 == 0)
            release_one(w, &random, &failures);
    }
    if (w->cache)
        KIT_EXPECT(&failures, tarn_cache_detach(w->cache) == TARN_OK);
    return failures;
}

static int compare_handles(const void *a, const void *b)
{
    uint64_t left = ((const tarn_handle *)a)->bits, right = ((const tarn_handle *)b)->bits;
    return (left > right) - (left < right);
}

/* Each life of each slot was given to one thread, from the first to the last, and of each slot no
 * life but the last is not over. Returns how many are not. */
static uint64_t expect_each_life_once(const tarn_pool *pool, tarn_handle *handles, size_t count)
{
    static uint32_t lives[4096]; /* of each slot, that were given out */
    size_t slots = kit_info(pool).slots;
    uint64_t live = 0;
    assert_in_range(slots, 1, 4096);
    memset(lives, 0, sizeof lives);
    qsort(handles, count, sizeof *handles, compare_handles); /* by generation, then by slot */
    for (size_t i = 0; i < count; i++) {
        uint32_t slot = tarn_handle_index(pool, handles[i]);
        assert_int_equal(tarn_handle_generation(pool, handles[i]), ++lives[slot]);
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t slot = tarn_handle_index(pool, handles[i]);
        bool is_live = tarn_resolve(pool, handles[i]) != NULL;
        assert_true(!is_live || tarn_handle_generation(pool, handles[i]) == lives[slot]);
        live += is_live;
    }
    return live;
}

static void expect_balance(tarn_pool *pool, const worker *workers, uint32_t threads)
{
    static tarn_handle handles[THREADS_MAX * TAKES];
    size_t count = 0;
    uint64_t released = 0, refused = 0;
    for (uint32_t i = 0; i < threads; i++) {
        memcpy(handles + count, workers[i].handles, workers[i].taken * sizeof *handles);
        count += workers[i].taken;
        released += workers[i].released;
        refused += workers[i].refused;
    }
    uint64_t live = expect_each_life_once(pool, handles, count);
    tarn_pool_statistics statistics = kit_sample(pool);
    assert_int_equal(statistics.live, live);
    assert_int_equal(statistics.allocs, count);
    assert_int_equal(statistics.evictions + released + live, count);
    assert_int_equal(statistics.refusals, refused);
    assert_in_range(statistics.evictions, 1, count);
    kit_expect_conserved(pool, live);
}

static tarn_pool *make(way how)
{
    tarn_pool_options options = {.name = "voices",
                                 .object_bytes = sizeof(voice),
                                 .capacity = CAPACITY,
                                 .caches_max = how == CROWD ? 1 : THREADS_MAX,
                                 .cache_objects_max = 2,
                                 .exact = how == EXACT,
                                 .hooks = {NULL, construct, pin, NULL, true},
                                 .evict = evict};
    return kit_pool(&options);
}

static void race(way how, uint32_t threads)
{
    static worker workers[THREADS_MAX];
    kit_barrier barrier = {.count = threads};
    tarn_pool *pool = make(how);
    tarn_cache *only = how == CROWD ? kit_attach(pool) : NULL; /* leaves none to the guests */
    memset(workers, 0, sizeof workers);
    for (uint32_t i = 0; i < threads; i++)
        workers[i] = (worker){.pool = pool, .barrier = &barrier, .how = how, .number = i + 1};
    assert_int_equal(kit_run_threads(threads, work, workers, sizeof *workers), 0);
    expect_balance(pool, workers, threads);
    if (only)
        kit_detach(only);
    kit_clear_and_destroy(pool);
}

static void t67_two_threads_that_evict_get_different_victims(void **state)
{
    (void)state;
    for (int how = 0; how < WAYS; how++)
        race((way)how, 2);
}

static void t67_four_threads_that_evict_get_different_victims(void **state)
{
    (void)state;
    for (int how = 0; how < WAYS; how++)
        race((way)how, THREADS_MAX);
}

/* ---- two that are given the same victim ---- */

enum { DUELS = 4000 };

typedef struct duel {
    tarn_pool *pool;
    kit_barrier barrier;
    tarn_handle victim;
    void *object;
    atomic_uint wins;
} duel;

static _Thread_local uint32_t times_asked;

/* Both name the same one, at the same time; who comes too late knows no other. */
static tarn_handle name_the_same(void *context, tarn_pool *pool)
{
    duel *d = context;
    (void)pool;
    if (times_asked++ > 0)
        return (tarn_handle){0};
    kit_barrier_wait(&d->barrier);
    return d->victim;
}

static bool fight(duel *d, uint32_t number, int *failures)
{
    tarn_handle handle, before = d->victim;
    void *object;
    times_asked = 0;
    tarn_status status = tarn_guest_take(d->pool, &handle, &object);
    bool has_won = status == TARN_OK;
    KIT_EXPECT(failures, has_won || status == TARN_ERROR_PINNED);
    KIT_EXPECT(failures, times_asked == (has_won ? 1u : 2u));
    KIT_EXPECT(failures, !has_won || object == d->object);
    atomic_fetch_add(&d->wins, has_won);
    kit_barrier_wait(&d->barrier);
    bool is_fair = atomic_load(&d->wins) == number + 1;
    KIT_EXPECT(failures, is_fair);
    KIT_EXPECT(failures, tarn_guest_release(d->pool, before) == TARN_ERROR_STALE);
    if (has_won)
        d->victim = handle;
    kit_barrier_wait(&d->barrier);
    return is_fair;
}

static int fight_often(void *argument)
{
    int failures = 0;
    for (uint32_t i = 0; i < DUELS; i++)
        if (!fight(argument, i, &failures))
            break;
    return failures;
}

static void t67_one_of_two_gets_the_victim_that_both_name(void **state)
{
    (void)state;
    duel d = {.barrier = {.count = 2}};
    tarn_pool_options options = {.object_bytes = 16,
                                 .capacity = 1,
                                 .exact = true,
                                 .evict = name_the_same,
                                 .evict_context = &d};
    d.pool = kit_pool(&options);
    kit_expect_status(tarn_guest_take(d.pool, &d.victim, &d.object), TARN_OK);
    assert_int_equal(kit_run_threads(2, fight_often, &d, 0), 0);
    assert_int_equal(kit_sample(d.pool).evictions, DUELS);
    kit_expect_conserved(d.pool, 1);
    kit_clear_and_destroy(d.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t67_one_of_two_gets_the_victim_that_both_name),
        cmocka_unit_test(t67_two_threads_that_evict_get_different_victims),
        cmocka_unit_test(t67_four_threads_that_evict_get_different_victims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
