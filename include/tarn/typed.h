/* A pool of one type, without casts: TARN_POOL_DEFINE(bullets, bullet) defines the types
 *
 *   bullets_handle    the name of a bullet; its member `any` is the tarn_handle
 *   bullets_hooks     tarn_hooks whose functions take a bullet *
 *   bullets_visit_fn  bool (void *context, bullet *, bullets_handle)
 *   bullets_score_fn  int64_t (void *context, const bullet *)
 *
 * and, as static inline functions that do what the calls they are named after do,
 *
 *   bullets_options(capacity)               tarn_pool_options with name, size and alignment
 *   bullets_set_hooks(options, hooks)       hooks is not copied: it outlives the pool
 *   bullets_alloc(cache)                    a bullet *, or NULL
 *   bullets_free(cache, b)
 *   bullets_guest_alloc(pool)
 *   bullets_guest_free(pool, b)
 *   bullets_take(cache, &handle)            a bullet *; NULL where tarn_take fails
 *   bullets_release(cache, handle)          a tarn_status
 *   bullets_guest_take(pool, &handle)
 *   bullets_guest_release(pool, handle)
 *   bullets_resolve(pool, handle)           a bullet *, or NULL
 *   bullets_handle_of(pool, b)              a bullets_handle
 *   bullets_each(pool, visit, context)      how many were visited
 *   bullets_each_in(pool, range, visit, context)
 *   bullets_each_batch(pool, &range, count_max, objects, handles)   how many there are; into
 *                                           arrays of bullet * and, if not NULL, bullets_handle
 *   bullets_evict_lowest(pool, score, context)
 *
 * An object, a handle or a function for another type's pool does not compile. That a pool or a
 * cache is one of bullets is for the host to see to. */
#ifndef TARN_TYPED_H
#define TARN_TYPED_H

#include "tarn/cache.h"
#include "tarn/config.h"
#include "tarn/each.h"
#include "tarn/full.h"
#include "tarn/guest.h"
#include "tarn/handle.h"
#include "tarn/life.h"
#include "tarn/pool.h"
#include "tarn/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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
    TARN_POOL_DEFINE_SCORE_(prefix, type)                                                \
    TARN_POOL_DEFINE_HOOKS_(prefix, type)                                                \
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
    TARN_TYPED_CALL_ type *prefix##_guest_take(tarn_pool *pool, prefix##_handle *handle)           \
    {                                                                                              \
        void *object = NULL;                                                                       \
        tarn_guest_take(pool, handle ? &handle->any : NULL, &object);                              \
        return (type *)object;                                                                     \
    }                                                                                              \
    TARN_TYPED_CALL_ tarn_status prefix##_guest_release(tarn_pool *pool, prefix##_handle handle)   \
    {                                                                                              \
        return tarn_guest_release(pool, handle.any);                                               \
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

/* Visitors, scores and hooks are called through functions of the library's types that know the
 * host's: a call through a pointer to another type of function is undefined. */
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
    }                                                                                      \
    TARN_TYPED_CALL_ size_t prefix##_each_batch(const tarn_pool *pool, tarn_range *range,  \
                                                size_t count_max, type **objects,          \
                                                prefix##_handle *handles)                  \
    {                                                                                      \
        return tarn_each_batch(pool, range, count_max, (void **)(void *)objects,           \
                               (tarn_handle *)(void *)handles);                            \
    }

#define TARN_POOL_DEFINE_SCORE_(prefix, type)                                        \
    typedef int64_t prefix##_score_fn(void *context, const type *object);            \
    typedef struct prefix##_scorer_ {                                                \
        prefix##_score_fn *score;                                                    \
        void *context;                                                               \
    } prefix##_scorer_;                                                              \
    TARN_TYPED_CALL_ int64_t prefix##_score_(void *scorer, const void *object)       \
    {                                                                                \
        const prefix##_scorer_ *host = (const prefix##_scorer_ *)scorer;             \
        return host->score(host->context, (const type *)object);                     \
    }                                                                                \
    TARN_TYPED_CALL_ prefix##_handle prefix##_evict_lowest(                          \
        const tarn_pool *pool, prefix##_score_fn *score, void *context)              \
    {                                                                                \
        prefix##_scorer_ host;                                                       \
        prefix##_handle lowest;                                                      \
        host.score = score;                                                          \
        host.context = context;                                                      \
        lowest.any = tarn_evict_lowest(pool, score ? prefix##_score_ : NULL, &host); \
        return lowest;                                                               \
    }

#define TARN_POOL_DEFINE_HOOKS_(prefix, type)                                                   \
    typedef struct prefix##_hooks {                                                             \
        void *context;                                                                          \
        bool (*construct)(void *context, type *object);                                         \
        void (*reset)(void *context, type *object);                                             \
        void (*destroy)(void *context, type *object);                                           \
        bool reset_on_return;                                                                   \
    } prefix##_hooks;                                                                           \
    TARN_TYPED_CALL_ bool prefix##_construct_(void *hooks, void *object)                        \
    {                                                                                           \
        const prefix##_hooks *host = (const prefix##_hooks *)hooks;                             \
        return host->construct(host->context, (type *)object);                                  \
    }                                                                                           \
    TARN_TYPED_CALL_ void prefix##_reset_(void *hooks, void *object)                            \
    {                                                                                           \
        const prefix##_hooks *host = (const prefix##_hooks *)hooks;                             \
        host->reset(host->context, (type *)object);                                             \
    }                                                                                           \
    TARN_TYPED_CALL_ void prefix##_destroy_(void *hooks, void *object)                          \
    {                                                                                           \
        const prefix##_hooks *host = (const prefix##_hooks *)hooks;                             \
        host->destroy(host->context, (type *)object);                                           \
    }                                                                                           \
    TARN_TYPED_CALL_ void prefix##_set_hooks(tarn_pool_options *options, prefix##_hooks *hooks) \
    {                                                                                           \
        options->hooks.context = hooks;                                                         \
        options->hooks.construct = hooks->construct ? prefix##_construct_ : NULL;               \
        options->hooks.reset = hooks->reset ? prefix##_reset_ : NULL;                           \
        options->hooks.destroy = hooks->destroy ? prefix##_destroy_ : NULL;                     \
        options->hooks.reset_on_return = hooks->reset_on_return;                                \
    }

#endif
