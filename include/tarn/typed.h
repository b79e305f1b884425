/* A pool of one type: TARN_POOL_DEFINE(bullets, bullet) defines, as static inline functions,
 *
 *   tarn_pool_options bullets_options(size_t capacity)    size and alignment filled in
 *   bullet *bullets_alloc(tarn_cache *cache)              as tarn_alloc
 *   void bullets_free(tarn_cache *cache, bullet *object)  as tarn_free
 *   bullet *bullets_take(tarn_cache *cache, bullets_handle *handle)   as tarn_take; NULL on failure
 *   tarn_status bullets_release(tarn_cache *cache, bullets_handle handle)
 *   bullet *bullets_resolve(const tarn_pool *pool, bullets_handle handle)
 *   bullets_handle bullets_handle_of(const tarn_pool *pool, const bullet *object)
 *   size_t bullets_each(const tarn_pool *pool, bullets_visit_fn *visit, void *context)
 *   size_t bullets_each_in(const tarn_pool *pool, tarn_range range, bullets_visit_fn *visit,
 *                          void *context)
 *
 * and the types bullets_handle (its member any is the tarn_handle) and
 * bool bullets_visit_fn(void *context, bullet *object, bullets_handle handle). A handle of another
 * type's pool does not compile. */
#ifndef TARN_TYPED_H
#define TARN_TYPED_H

#include "tarn/cache.h"
#include "tarn/each.h"
#include "tarn/handle.h"
#include "tarn/pool.h"

#ifdef __cplusplus
#define TARN_ALIGNOF_(type) alignof(type)
#define TARN_UNUSED_        [[maybe_unused]]
#else
#define TARN_ALIGNOF_(type) _Alignof(type)
#endif

#endif
