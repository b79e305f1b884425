/* A pool of one type, without casts: TARN_POOL_DEFINE(bullets, bullet) defines the types
 *
 *   bullets_handle      the name of a bullet; its member `any` is the tarn_handle
 *   bullets_visit_fn    bool (void *context, bullet *object, bullets_handle handle)
 *
 * and, as static inline functions that do what the call they are named after does,
 *
 *   tarn_pool_options bullets_options(size_t capacity)     its size and alignment are filled in
 *   bullet *bullets_alloc(tarn_cache *)                    void bullets_free(tarn_cache *, bullet
 * *) bullet *bullets_guest_alloc(tarn_pool *)               void bullets_guest_free(tarn_pool *,
 * ...) bullet *bullets_take(tarn_cache *, bullets_handle *)   NULL where tarn_take fails
 *   tarn_status bullets_release(tarn_cache *, bullets_handle)
 *   bullet *bullets_resolve(const tarn_pool *, bullets_handle)
 *   bullets_handle bullets_handle_of(const tarn_pool *, const bullet *)
 *   size_t bullets_each(const tarn_pool *, bullets_visit_fn *, void *context)
 *   size_t bullets_each_in(const tarn_pool *, tarn_range, bullets_visit_fn *, void *context)
 *
 * An object or a handle of another type's pool does not compile. That a pool or cache is one of
 * bullets is for the host to see to. */
#ifndef TARN_TYPED_H
#define TARN_TYPED_H

#include "tarn/cache.h"
#include "tarn/config.h"
#include "tarn/each.h"
#include "tarn/guest.h"
#include "tarn/handle.h"
#include "tarn/pool.h"
#include "tarn/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#ifdef __cplusplus
#define TARN_ALIGNOF_(type) alignof(type)
#else
#define TARN_ALIGNOF_(type) _Alignof(type)
#endif

/* clang warns of static functions that a source file defines and does not use. */
#define TARN_TYPED_CALL_ __attribute__((unused)) static inline

#define TARN_POOL_DEFINE(prefix, type)                                                   \
    typedef struct prefix##_handle {                                                     \
        tarn_handle any;                                                                 \
    } prefix##_handle;                                                                   \
    typedef bool prefix##_visit_fn(void *context, type *object, prefix##_handle handle); \
                                                                                         \
    TARN_TYPED_CALL_ tarn_pool_options prefix##_options(size_t capacity)                 \
    {                                                                                    \
        tarn_pool_options options;                                                       \
        memset(&options, 0, sizeof options);                                             \
        options.name = #prefix;                                                          \
        options.object_bytes = sizeof(type);                                             \
        options.object_alignment = TARN_ALIGNOF_(type);                                  \
        options.capacity = capacity;                                                     \
        return options;                                                                  \
    }                                                                                    \
    TARN_POOL_DEFINE_CALLS_(prefix, type)                                                \
    TARN_POOL_DEFINE_HANDLES_(prefix, type)                                              \
    TARN_POOL_DEFINE_EACH_(prefix, type)                                                 \
    struct tarn_semicolon_expected_

#define TARN_POOL_DEFINE_CALLS_(prefix, type)                                \
    TARN_TYPED_CALL_ type *prefix##_alloc(tarn_cache *cache)                 \
    {                                                                        \
        return (type *)tarn_alloc(cache);                                    \
    }                                                                        \
    TARN_TYPED_CALL_ void prefix##_free(tarn_cache *cache, type *object)     \
    {                                                                        \
        tarn_free(cache, object);                                            \
    }                                                                        \
    TARN_TYPED_CALL_ type *prefix##_guest_alloc(tarn_pool *pool)             \
    {                                                                        \
        return (type *)tarn_guest_alloc(pool);                               \
    }                                                                        \
    TARN_TYPED_CALL_ void prefix##_guest_free(tarn_pool *pool, type *object) \
    {                                                                        \
        tarn_guest_free(pool, object);                                       \
    }

#define TARN_POOL_DEFINE_HANDLES_(prefix, type)                                                    \
    TARN_TYPED_CALL_ type *prefix##_take(tarn_cache *cache, prefix##_handle *handle)               \
    {                                                                                              \
        void *object = NULL;                                                                       \
        tarn_take(cache, handle ? &handle->any : NULL, &object);                                   \
        return (type *)object;                                                                     \
    }                                                                                              \
    TARN_TYPED_CALL_ tarn_status prefix##_release(tarn_cache *cache, prefix##_handle handle)       \
    {                                                                                              \
        return tarn_release(cache, handle.any);                                                    \
    }                                                                                              \
    TARN_TYPED_CALL_ type *prefix##_resolve(const tarn_pool *pool, prefix##_handle handle)         \
    {                                                                                              \
        return (type *)tarn_resolve(pool, handle.any);                                             \
    }                                                                                              \
    TARN_TYPED_CALL_ prefix##_handle prefix##_handle_of(const tarn_pool *pool, const type *object) \
    {                                                                                              \
        prefix##_handle handle;                                                                    \
        handle.any = tarn_handle_of(pool, object);                                                 \
        return handle;                                                                             \
    }

/* A visitor is called through one of the library's type, which knows the host's: calling a function
 * through a pointer to another type of function is undefined. */
#define TARN_POOL_DEFINE_EACH_(prefix, type)                                               \
    typedef struct prefix##_visitor_ {                                                     \
        prefix##_visit_fn *visit;                                                          \
        void *context;                                                                     \
    } prefix##_visitor_;                                                                   \
    TARN_TYPED_CALL_ bool prefix##_visit_(void *visitor, void *object, tarn_handle handle) \
    {                                                                                      \
        const prefix##_visitor_ *host = (const prefix##_visitor_ *)visitor;                \
        prefix##_handle typed;                                                             \
        typed.any = handle;                                                                \
        return host->visit(host->context, (type *)object, typed);                          \
    }                                                                                      \
    TARN_TYPED_CALL_ size_t prefix##_each_in(const tarn_pool *pool, tarn_range range,      \
                                             prefix##_visit_fn *visit, void *context)      \
    {                                                                                      \
        prefix##_visitor_ host;                                                            \
        host.visit = visit;                                                                \
        host.context = context;                                                            \
        return visit ? tarn_each_in(pool, range, prefix##_visit_, &host) : 0;              \
    }                                                                                      \
    TARN_TYPED_CALL_ size_t prefix##_each(const tarn_pool *pool, prefix##_visit_fn *visit, \
                                          void *context)                                   \
    {                                                                                      \
        tarn_range all;                                                                    \
        all.first = 0;                                                                     \
        all.count = (size_t)-1;                                                            \
        return prefix##_each_in(pool, all, visit, context);                                \
    }

#endif
