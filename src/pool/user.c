#include "pool/user.h"

#include "pool/report.h"

tarn_user_entry tarn_user_enter_(tarn_cache_state *cache, const char *site)
{
    if (!cache->pool->checked)
        return TARN_USER_NESTED;
    uint32_t self = tarn_report_thread_();
    uint32_t user = 0;
    /* relaxed: a hand-over that the host ordered brings the cleared word with it. */
    while (!tarn_u32_cas_weak_relaxed(&cache->user, &user, self)) {
        if (user == self)
            return TARN_USER_NESTED;
        if (user == 0)
            continue;
        tarn_report_(cache->pool, TARN_MISUSE_SHARED_CACHE,
                     (tarn_report){.call_site = site, .other_thread = user});
        return TARN_USER_REFUSED;
    }
    return TARN_USER_ENTERED;
}

void tarn_user_leave_(tarn_cache_state *cache, tarn_user_entry entry)
{
    if (entry == TARN_USER_ENTERED)
        /* relaxed: as above. */
        tarn_u32_store_relaxed(&cache->user, 0);
}
