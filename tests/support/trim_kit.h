/* What tests of trimming share: a pool over memory functions that count, of many small objects and
 * small caches, so that nearly all that is free can go. For use with cmocka. */
#ifndef TARN_TESTS_SUPPORT_TRIM_KIT_H
#define TARN_TESTS_SUPPORT_TRIM_KIT_H

#include "support/kit.h"
#include "support/memory_hooks.h"

enum { TRIM_CAPACITY = 8192, TRIM_OBJECT_BYTES = 64, TRIM_CACHE_OBJECTS = 64 };

static memory_hooks trim_hooks;

static inline tarn_pool_options trim_options(void)
{
    memory_hooks_init(&trim_hooks, 0);
    return (tarn_pool_options){.object_bytes = TRIM_OBJECT_BYTES,
                               .capacity = TRIM_CAPACITY,
                               .caches_max = 4,
                               .cache_objects_max = TRIM_CACHE_OBJECTS,
                               .memory = &trim_hooks.memory};
}

static inline size_t trim(tarn_pool *pool, size_t keep_objects)
{
    size_t bytes = 0;
    kit_expect_status(tarn_pool_trim(pool, keep_objects, &bytes), TARN_OK);
    return bytes;
}

/* Destroys the pool, and sees that no memory call broke a rule and all memory is back. */
static inline void trim_end(tarn_pool *pool)
{
    kit_destroy(pool);
    assert_null(trim_hooks.violation);
    assert_true(memory_hooks_are_balanced(&trim_hooks));
    memory_hooks_destroy(&trim_hooks);
}

#endif
