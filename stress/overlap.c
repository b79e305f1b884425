#include "overlap.h"

#include "run.h"

#define SAMPLED_ONE_IN 8u
#define HITS_MIN       16u

static void add_relaxed(_Atomic uint64_t *counter, uint64_t amount)
{
    uint64_t now = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, now + amount, memory_order_relaxed);
}

void overlap_enter(worker *w, const char *call)
{
    atomic_store_explicit(&w->doing, call, memory_order_relaxed);
}

static bool someone_else_inside(const worker *w)
{
    const struct run *r = w->run;
    for (size_t i = 0; i < r->workers_count; i++) {
        const worker *other = &r->workers[i];
        if (other != w && atomic_load_explicit(&other->doing, memory_order_relaxed))
            return true;
    }
    return false;
}

void overlap_leave(worker *w)
{
    if (w->playing && dice_one_in(&w->dice, SAMPLED_ONE_IN)) {
        add_relaxed(&w->overlap_samples, 1);
        add_relaxed(&w->overlap_hits, someone_else_inside(w));
    }
    atomic_store_explicit(&w->doing, NULL, memory_order_relaxed);
}

overlap overlap_measure(const struct run *r)
{
    overlap sum = {0};
    for (size_t i = 0; i < r->workers_count; i++) {
        const worker *w = &r->workers[i];
        uint64_t hits = atomic_load_explicit(&w->overlap_hits, memory_order_relaxed);
        sum.samples += atomic_load_explicit(&w->overlap_samples, memory_order_relaxed);
        sum.hits += hits;
        sum.threads_hit += hits > 0;
    }
    return sum;
}

double overlap_percent(const overlap *measured)
{
    return measured->samples ? 100.0 * (double)measured->hits / (double)measured->samples : 0.0;
}

bool overlap_proven(const overlap *measured)
{
    return measured->threads_hit >= 2 && measured->hits >= HITS_MIN;
}
