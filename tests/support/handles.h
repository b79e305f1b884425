/* Pools with handles for tests, in each of the ways that objects are taken from one. */
#ifndef TARN_TESTS_SUPPORT_HANDLES_H
#define TARN_TESTS_SUPPORT_HANDLES_H

#include "support/kit.h"

#define HANDLES_BYTES 24u

typedef enum handles_way {
    BY_CACHE,
    BY_EXACT,
    BY_GUEST,  /* whose thread has a cache */
    BY_CROWD,  /* guests without one */
    BY_GROWTH, /* a cache, of a pool that starts with half as many objects */
    HANDLES_WAYS
} handles_way;

typedef struct handles_stage {
    handles_way way;
    tarn_pool *pool;
    tarn_cache *cache;
} handles_stage;

/* The options' sizes and caches are chosen here, as small as each way allows. */
static inline handles_stage handles_start(handles_way way, size_t capacity,
                                          tarn_pool_options options)
{
    handles_stage s = {.way = way};
    options.object_bytes = HANDLES_BYTES;
    options.capacity = way == BY_GROWTH ? (capacity + 1) / 2 : capacity;
    options.capacity_max = capacity;
    options.caches_max = way == BY_GUEST ? 2 : 1;
    options.cache_objects_max = 4;
    options.exact = way == BY_EXACT;
    options.handles = true;
    s.pool = kit_pool(&options);
    s.cache = kit_attach(s.pool);
    return s;
}

static inline tarn_status handles_take(handles_stage *s, tarn_handle *handle, void **object)
{
    if (s->way == BY_GUEST || s->way == BY_CROWD)
        return tarn_guest_take(s->pool, handle, object);
    return tarn_take(s->cache, handle, object);
}

static inline tarn_status handles_release(handles_stage *s, tarn_handle handle)
{
    if (s->way == BY_GUEST || s->way == BY_CROWD)
        return tarn_guest_release(s->pool, handle);
    return tarn_release(s->cache, handle);
}

static inline void *handles_alloc(handles_stage *s)
{
    if (s->way == BY_GUEST || s->way == BY_CROWD)
        return tarn_guest_alloc(s->pool);
    return tarn_alloc(s->cache);
}

static inline void handles_free(handles_stage *s, void *object)
{
    if (s->way == BY_GUEST || s->way == BY_CROWD)
        tarn_guest_free(s->pool, object);
    else
        tarn_free(s->cache, object);
}

/* Takes an object that must be there, and finds its handle right. */
static inline tarn_handle handles_take_one(handles_stage *s, void **object)
{
    tarn_handle handle;
    kit_expect_status(handles_take(s, &handle, object), TARN_OK);
    assert_false(tarn_handle_is_none(handle));
    assert_ptr_equal(tarn_resolve(s->pool, handle), *object);
    assert_true(tarn_handle_equal(tarn_handle_of(s->pool, *object), handle));
    return handle;
}

static inline void handles_take_many(handles_stage *s, size_t count, tarn_handle *handles,
                                     void **objects)
{
    for (size_t i = 0; i < count; i++)
        handles[i] = handles_take_one(s, &objects[i]);
    assert_true(kit_are_apart(objects, count, HANDLES_BYTES));
}

static inline void handles_release_many(handles_stage *s, size_t count, const tarn_handle *handles)
{
    for (size_t i = 0; i < count; i++)
        kit_expect_status(handles_release(s, handles[i]), TARN_OK);
}

/* No call takes the handle for that of a live object, and none does anything. */
static inline void handles_expect_stale(handles_stage *s, tarn_handle handle)
{
    assert_null(tarn_resolve(s->pool, handle));
    kit_expect_status(tarn_release(s->cache, handle), TARN_ERROR_STALE);
    kit_expect_status(tarn_guest_release(s->pool, handle), TARN_ERROR_STALE);
}

#endif
