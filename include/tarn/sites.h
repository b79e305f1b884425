/* Where calls come from, for reports: in a file that defines TARN_SITES before it includes
 * tarn/tarn.h or this header, allocations and frees, by handle or not, note their file and line,
 * and the reports of checked pools name them. In such a file a call on an unchecked pool costs one
 * more test, or one more call where it is not inline itself; in all others nothing changes.
 *
 * The names that are noted are literals of the calling code, which must stay loaded as long as the
 * pool lives. */
#ifndef TARN_SITES_H
#define TARN_SITES_H

#include "tarn/cache.h"
#include "tarn/config.h"
#include "tarn/guest.h"
#include "tarn/handle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Not for direct use: notes the site of the calling thread's next call on this cache or pool. */
TARN_API void tarn_site_note_(const void *cache_or_pool, const char *site);

static inline void *tarn_alloc_at_(tarn_cache *cache, const char *site)
{
    if (TARN_LOAD_RELAXED(&cache->top) <= TARN_LOAD_RELAXED(&cache->alloc_floor))
        tarn_site_note_(cache, site);
    return tarn_alloc(cache);
}

static inline void tarn_free_at_(tarn_cache *cache, void *object, const char *site)
{
    if (TARN_LOAD_RELAXED(&cache->top) >= TARN_LOAD_RELAXED(&cache->free_ceiling))
        tarn_site_note_(cache, site);
    tarn_free(cache, object);
}

#ifdef __cplusplus
}
#endif

#ifdef TARN_SITES
#define TARN_SITE_TEXT_(line) #line
#define TARN_SITE_LINE_(line) TARN_SITE_TEXT_(line)
#define TARN_SITE_            __FILE__ ":" TARN_SITE_LINE_(__LINE__)

#define tarn_alloc(cache)        tarn_alloc_at_((cache), TARN_SITE_)
#define tarn_free(cache, object) tarn_free_at_((cache), (object), TARN_SITE_)
#define tarn_alloc_bulk(cache, count, objects) \
    (tarn_site_note_((cache), TARN_SITE_), tarn_alloc_bulk((cache), (count), (objects)))
#define tarn_free_bulk(cache, count, objects) \
    (tarn_site_note_((cache), TARN_SITE_), tarn_free_bulk((cache), (count), (objects)))
#define tarn_guest_alloc(pool) (tarn_site_note_((pool), TARN_SITE_), tarn_guest_alloc(pool))
#define tarn_guest_free(pool, object) \
    (tarn_site_note_((pool), TARN_SITE_), tarn_guest_free((pool), (object)))
#define tarn_take(cache, handle, object) \
    (tarn_site_note_((cache), TARN_SITE_), tarn_take((cache), (handle), (object)))
#define tarn_release(cache, handle) \
    (tarn_site_note_((cache), TARN_SITE_), tarn_release((cache), (handle)))
#define tarn_guest_take(pool, handle, object) \
    (tarn_site_note_((pool), TARN_SITE_), tarn_guest_take((pool), (handle), (object)))
#define tarn_guest_release(pool, handle) \
    (tarn_site_note_((pool), TARN_SITE_), tarn_guest_release((pool), (handle)))
#endif

#endif
