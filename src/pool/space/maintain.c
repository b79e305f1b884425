/* Trimming by itself. Within a window of calls the lowest number of free objects is noted: so many
 * were not needed at any time. What of it is more than the host wants to keep is the surplus of the
 * next window, during which it goes back, a bite per call. The eighth of what is live that is kept
 * besides is the hysteresis: demand that comes back to where it was finds its memory. */
#include "base/size.h"
#include "pool/reclaim.h"
#include "pool/space/groups.h"
#include "pool/space/trim.h"
#include "tarn/space.h"

#define WINDOW_CALLS_DEFAULT 64u
#define LIVE_PARTS_KEPT      8u

static uint32_t window_calls(const tarn_pool *pool)
{
    return pool->shrink.window_calls ? pool->shrink.window_calls : WINDOW_CALLS_DEFAULT;
}

/* Notes the pool's figures; at the window's end, what it was good for. What demand has taken up
 * since then is no surplus any more. */
static void observe(tarn_pool *pool)
{
    tarn_window *window = &pool->window;
    tarn_pool_statistics now;
    tarn_pool_sample(pool, &now);
    uint64_t keep = pool->shrink.keep_objects + now.live / LIVE_PARTS_KEPT;
    if (window->calls == 0 || now.free_in_depot < window->lowest)
        window->lowest = now.free_in_depot;
    bool is_last = ++window->calls >= window_calls(pool);
    uint64_t unused = is_last ? window->lowest : now.free_in_depot;
    uint64_t surplus = unused > keep ? unused - keep : 0;
    if (is_last || surplus < window->surplus)
        window->surplus = surplus;
    if (!is_last)
        return;
    window->calls = 0;
    if (window->surplus > 0)
        tarn_reclaim_request_(pool, NULL);
}

static void bite(tarn_pool *pool, size_t budget_bytes, size_t *bytes)
{
    tarn_window *window = &pool->window;
    uint64_t group_slots = (uint64_t)1 << pool->plan.group_shift;
    if (window->surplus < group_slots)
        return;
    uint64_t budget = tarn_size_max(1, budget_bytes / pool->plan.stride_bytes);
    uint64_t groups = budget > group_slots ? budget : group_slots;
    uint64_t count = groups < window->surplus ? groups : window->surplus;
    uint64_t gone = tarn_trim_give_back_(pool, count, bytes);
    window->surplus -= gone;
    if (gone < budget)
        tarn_trim_sort_(pool, budget - gone);
}

tarn_status tarn_pool_maintain(tarn_pool *pool, size_t budget_bytes, size_t *bytes)
{
    size_t gone = 0;
    if (bytes)
        *bytes = 0;
    if (!pool || pool->plan.exact)
        return TARN_ERROR_INVALID;
    if (!pool->plan.has_groups)
        return TARN_OK;
    if (!tarn_trim_begin_(pool))
        return TARN_ERROR_BUSY;
    observe(pool);
    bite(pool, budget_bytes, &gone);
    tarn_trim_end_(pool);
    if (bytes)
        *bytes = gone;
    return TARN_OK;
}
