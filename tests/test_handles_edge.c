/* E6: a handle that resolves, or a visit, brings what hooks wrote before the life began. What they
 * write is plain memory: ThreadSanitizer tells whether its arrival is ordered. */
#include "support/kit.h"

enum { LESSONS = 500 };

typedef struct lesson {
    tarn_pool *pool;
    _Atomic uint64_t shown, seen; /* handles */
    bool visits;
} lesson;

typedef struct pupil {
    uint64_t lives; /* plain: hooks write it */
} pupil;

static bool construct(void *context, void *object)
{
    (void)context;
    ((pupil *)object)->lives = 1;
    return true;
}

static void reset(void *context, void *object)
{
    (void)context;
    ((pupil *)object)->lives++;
}

/* Nothing but the handle's bits goes to the other thread, and orders nothing. */
static int teach(lesson *l)
{
    tarn_cache *cache = kit_attach(l->pool);
    int failures = 0;
    for (int i = 0; i < LESSONS; i++) {
        tarn_handle handle;
        KIT_EXPECT(&failures, tarn_take(cache, &handle, NULL) == TARN_OK);
        atomic_store_explicit(&l->shown, handle.bits, memory_order_relaxed);
        while (atomic_load_explicit(&l->seen, memory_order_acquire) != handle.bits)
            tarn_thread_yield();
        KIT_EXPECT(&failures, tarn_release(cache, handle) == TARN_OK);
    }
    kit_detach(cache);
    return failures;
}

static bool find(void *context, void *object, tarn_handle handle)
{
    (void)handle;
    *(void **)context = object;
    return false;
}

static const pupil *look_for(const lesson *l, tarn_handle handle)
{
    void *object = NULL;
    if (!l->visits)
        return tarn_resolve(l->pool, handle);
    tarn_each(l->pool, find, &object);
    return object;
}

static int learn(lesson *l)
{
    tarn_handle handle = {0}, last = {0};
    int failures = 0;
    for (int i = 0; i < LESSONS; i++) {
        while (tarn_handle_equal(handle, last)) {
            handle.bits = atomic_load_explicit(&l->shown, memory_order_relaxed);
            tarn_thread_yield();
        }
        const pupil *p = look_for(l, handle);
        while (!p)
            p = look_for(l, handle);
        KIT_EXPECT(&failures, p->lives == tarn_handle_generation(l->pool, handle));
        last = handle;
        atomic_store_explicit(&l->seen, handle.bits, memory_order_release);
    }
    return failures;
}

static int attend(void *argument)
{
    static _Atomic uint32_t seats;
    return atomic_fetch_add(&seats, 1) % 2 ? learn(argument) : teach(argument);
}

static void e6_what_hooks_wrote_is_there_when_the_object_is_found(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        static lesson l;
        tarn_pool_options options = {.object_bytes = sizeof(pupil),
                                     .capacity = 4,
                                     .caches_max = 1,
                                     .exact = kind % 2,
                                     .hooks = {NULL, construct, reset, NULL, false}};
        l = (lesson){.pool = kit_pool(&options), .visits = kind / 2};
        assert_int_equal(kit_run_threads(2, attend, &l, 0), 0);
        kit_destroy(l.pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(e6_what_hooks_wrote_is_there_when_the_object_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
