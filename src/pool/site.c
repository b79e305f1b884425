#include "pool/site.h"

#include "tarn/sites.h"

/* With whom the call will be, so that what one call noted and did not need is not taken for the
 * site of another. */
typedef struct noted_site {
    const void *whose;
    const char *site;
} noted_site;

static _Thread_local noted_site noted;

void tarn_site_note_(const void *cache_or_pool, const char *site)
{
    noted = (noted_site){cache_or_pool, site};
}

static const char *take(const void *cache, const void *pool)
{
    noted_site last = noted;
    noted = (noted_site){0};
    return last.whose == cache || last.whose == pool ? last.site : NULL;
}

const char *tarn_site_take_(const tarn_cache_state *cache)
{
    return take(cache, cache->pool);
}

const char *tarn_site_take_direct_(const tarn_pool *pool)
{
    return take(pool, pool);
}
