#include "worker.h"

#include "base/thread.h"
#include "overlap.h"
#include "run.h"

static uint64_t next_content(worker *w)
{
    return dice_mix(((uint64_t)w->number << 48) ^ ++w->contents);
}

static void count_operations(worker *w, uint64_t count)
{
    uint64_t now = atomic_load_explicit(&w->operations, memory_order_relaxed);
    atomic_store_explicit(&w->operations, now + count, memory_order_relaxed);
}

static void *call_alloc(worker *w)
{
    overlap_enter(w, "alloc");
    void *object = w->run->subject->alloc(w);
    overlap_leave(w);
    count_operations(w, 1);
    return object;
}

static void call_free(worker *w, void *object)
{
    overlap_enter(w, "free");
    w->run->subject->free(w, object);
    overlap_leave(w);
    count_operations(w, 1);
}

static bool claim(worker *w, void *object)
{
    w->tally.allocs++;
    if (!oracle_claim(&w->run->oracle, w->number, object, next_content(w)))
        return false;
    w->held[w->held_count++] = object;
    return true;
}

static void fail_refused(worker *w, const char *what, size_t count)
{
    failure_report(&w->run->failure, "%s of %zu was refused below the capacity (thread %u)", what,
                   count, w->number);
}

/* The ticket is taken. `over` tells whether a refusal is fair. */
static bool alloc_with_ticket(worker *w, const char *what, bool fair, uint64_t over)
{
    oracle *o = &w->run->oracle;
    void *object = call_alloc(w);
    if (object)
        return claim(w, object);
    w->tally.refusals++;
    if (!fair && oracle_over(o) == over)
        fail_refused(w, what, 1);
    oracle_give(o, &w->purse, 1);
    return false;
}

bool worker_alloc(worker *w)
{
    oracle *o = &w->run->oracle;
    uint64_t over = oracle_over(o);
    if (w->held_count == w->held_max || !oracle_take(o, &w->purse, 1))
        return false;
    return alloc_with_ticket(w, "an alloc", false, over);
}

bool worker_alloc_over(worker *w)
{
    oracle *o = &w->run->oracle;
    uint64_t over = oracle_over(o);
    if (w->held_count == w->held_max)
        return false;
    bool fair = !oracle_take(o, &w->purse, 1);
    if (fair)
        oracle_take_over(o, 1);
    return alloc_with_ticket(w, "an alloc", fair, over);
}

static bool check_untouched(worker *w, void *const *objects, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!objects[i])
            continue;
        failure_report(&w->run->failure, "a refused bulk alloc of %zu left object %zu set", count,
                       i);
        return false;
    }
    return true;
}

static tarn_status call_alloc_bulk(worker *w, size_t count)
{
    overlap_enter(w, "alloc_bulk");
    tarn_status status = tarn_alloc_bulk(w->cache, count, w->held + w->held_count);
    overlap_leave(w);
    count_operations(w, count);
    return status;
}

static bool claim_bulk(worker *w, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!claim(w, w->held[w->held_count]))
            return false;
    }
    return true;
}

bool worker_alloc_bulk(worker *w, size_t count, bool over_too)
{
    oracle *o = &w->run->oracle;
    uint64_t over = oracle_over(o);
    if (w->held_max - w->held_count < count)
        return false;
    bool fair = !oracle_take(o, &w->purse, count);
    if (fair && !over_too)
        return false;
    if (fair)
        oracle_take_over(o, count);
    tarn_status status = call_alloc_bulk(w, count);
    if (status == TARN_OK)
        return claim_bulk(w, count);
    w->tally.refusals++;
    if (status != TARN_ERROR_FULL)
        failure_report(&w->run->failure, "alloc_bulk answered %s", tarn_status_name(status));
    else if (!fair && oracle_over(o) == over)
        fail_refused(w, "a bulk alloc", count);
    check_untouched(w, w->held + w->held_count, count);
    oracle_give(o, &w->purse, count);
    return false;
}

static tarn_status call_reserve(worker *w, size_t count)
{
    overlap_enter(w, "reserve");
    tarn_status status = tarn_cache_reserve(w->cache, count);
    overlap_leave(w);
    count_operations(w, 1);
    return status;
}

bool worker_reserve(worker *w, size_t count)
{
    oracle *o = &w->run->oracle;
    uint64_t over = oracle_over(o);
    if (w->held_max - w->held_count < count || !oracle_take(o, &w->purse, count))
        return false;
    tarn_status status = call_reserve(w, count);
    if (status == TARN_OK)
        return true;
    w->tally.reserve_refusals++;
    if (status != TARN_ERROR_FULL)
        failure_report(&w->run->failure, "reserve answered %s", tarn_status_name(status));
    else if (oracle_over(o) == over)
        fail_refused(w, "a reservation", count);
    oracle_give(o, &w->purse, count);
    return false;
}

bool worker_alloc_reserved(worker *w)
{
    void *object = call_alloc(w);
    if (object)
        return claim(w, object);
    w->tally.refusals++;
    failure_report(&w->run->failure, "a reserved alloc was refused (thread %u)", w->number);
    return false;
}

void worker_unreserve(worker *w, size_t left)
{
    if (call_reserve(w, 0) != TARN_OK)
        failure_report(&w->run->failure, "a reservation could not be ended");
    oracle_give(&w->run->oracle, &w->purse, left);
}

/* The last takes its place. */
static void *take_out(worker *w, size_t held_index)
{
    void *object = w->held[held_index];
    w->held[held_index] = w->held[--w->held_count];
    return object;
}

void worker_free_at(worker *w, size_t held_index)
{
    void *object = take_out(w, held_index);
    if (!oracle_release(&w->run->oracle, w->number, object, next_content(w)))
        return;
    call_free(w, object);
    w->tally.frees++;
    oracle_give(&w->run->oracle, &w->purse, 1);
}

void worker_free_bulk(worker *w, size_t count)
{
    void **objects = w->held + (w->held_count - count);
    for (size_t i = 0; i < count; i++) {
        if (!oracle_release(&w->run->oracle, w->number, objects[i], next_content(w)))
            return;
    }
    overlap_enter(w, "free_bulk");
    tarn_status status = tarn_free_bulk(w->cache, count, objects);
    overlap_leave(w);
    count_operations(w, count);
    if (status != TARN_OK)
        failure_report(&w->run->failure, "free_bulk answered %s", tarn_status_name(status));
    w->held_count -= count;
    w->tally.frees += count;
    oracle_give(&w->run->oracle, &w->purse, count);
}

void worker_free_down_to(worker *w, size_t keep)
{
    uint64_t order = dice_below(&w->dice, 3);
    while (w->held_count > keep && !failure_found(&w->run->failure)) {
        size_t index = order == 0   ? w->held_count - 1
                       : order == 1 ? 0
                                    : (size_t)dice_below(&w->dice, w->held_count);
        worker_free_at(w, index);
    }
}

void *worker_send(worker *w, size_t held_index)
{
    void *object = take_out(w, held_index);
    return oracle_send(&w->run->oracle, w->number, object) ? object : NULL;
}

bool worker_receive(worker *w, void *object)
{
    if (!oracle_receive(&w->run->oracle, w->number, object))
        return false;
    w->held[w->held_count++] = object;
    return true;
}

void worker_attach(worker *w)
{
    overlap_enter(w, "attach");
    tarn_status status = tarn_cache_attach(w->run->pool, &w->cache);
    overlap_leave(w);
    count_operations(w, 1);
    if (status != TARN_OK)
        failure_report(&w->run->failure, "attach answered %s (thread %u)", tarn_status_name(status),
                       w->number);
}

void worker_detach(worker *w)
{
    if (!w->cache)
        return;
    overlap_enter(w, "detach");
    tarn_status status = tarn_cache_detach(w->cache);
    overlap_leave(w);
    count_operations(w, 1);
    w->cache = NULL;
    if (status != TARN_OK)
        failure_report(&w->run->failure, "detach answered %s (thread %u)", tarn_status_name(status),
                       w->number);
}

size_t worker_share(const worker *w)
{
    uint64_t share = w->purse.limit / w->run->options->threads;
    return share ? (size_t)share : 1;
}

void worker_walk(worker *w)
{
    if (w->held_count == 0)
        w->rising = true;
    else if (w->held_count >= worker_share(w))
        w->rising = false;
    else if (dice_one_in(&w->dice, 256))
        w->rising = !w->rising;
    bool takes = dice_below(&w->dice, 4) < (w->rising ? 3u : 1u);
    if (takes && worker_alloc(w))
        return;
    if (w->held_count > 0)
        worker_free_at(w, (size_t)dice_below(&w->dice, w->held_count));
    else
        tarn_thread_yield(); /* no ticket and nothing to free: another thread's turn */
}

bool worker_goes_on(const worker *w)
{
    return !atomic_load_explicit(&w->run->round_over, memory_order_relaxed) &&
           !failure_found(&w->run->failure);
}
