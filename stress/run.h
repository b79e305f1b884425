/* One scenario's run: pool after pool, on each pool crew after crew of threads, for each crew round
 * after round. Between rounds all threads are parked at a gate with their caches attached, and the
 * main thread counts everything.
 *
 *   pool  create ...................................................... all free again, destroy
 *   crew      threads begin ............................. threads end
 *   round         steps | parked: count | steps | parked: count, fill to capacity */
#ifndef STRESS_RUN_H
#define STRESS_RUN_H

#include "base/thread.h"
#include "failure.h"
#include "gate.h"
#include "options.h"
#include "oracle.h"
#include "plant.h"
#include "worker.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run;

/* Functions that are NULL do what the comment says in parentheses. */
typedef struct scenario {
    const char *name;
    const char *claim;
    bool over;    /* asks for more than the limit, so tickets are taken one by one */
    bool forgets; /* memory may go back, so that a free object's content may become zero */
    bool guests;  /* main too uses guest calls */
    bool lean;    /* main fills the pool only at its end: the carved slots are watched */
    uint32_t crews_per_pool, rounds_per_crew, round_ms;
    void (*shape)(struct run *, tarn_pool_options *);               /* (the command line's pool) */
    tarn_status (*create)(struct run *, const tarn_pool_options *); /* (tarn_pool_create) */
    bool (*open)(struct run *);   /* the pool is there, no thread yet */
    void (*begin)(worker *);      /* on each thread (attach a cache) */
    bool (*step)(worker *);       /* until the round is over; false: over for this worker */
    void (*parked)(struct run *); /* main, after the count; may call anything */
    void (*end)(worker *);        /* on each thread (free all, detach) */
    void (*ended)(struct run *);  /* main, when a crew is gone, before the count */
    void (*close)(struct run *);  /* undo open; the pool is there still */
    void (*closed)(struct run *); /* the pool is gone */
} scenario;

typedef struct run {
    const stress_options *options;
    const scenario *scenario;
    const subject *subject;
    failure failure;
    tarn_pool *pool;
    tarn_pool_info info; /* as of creation */
    uint64_t limit;      /* of tickets */
    oracle oracle;
    worker *workers; /* the crew, as many that a scenario may use as it likes, and main's */
    size_t workers_count;
    gate gate;
    _Atomic bool round_over;
    bool crew_over; /* ordered by the gate */
    bool all_done;  /* every worker ended the last round by itself */
    uint32_t round; /* within the crew */
    uint64_t rounds_total, pools_total, allocs_total;
    uint64_t deadline_ms;
    dice dice;         /* main's */
    tarn_mutex serial; /* of PLANT_SERIAL */
    void *state;       /* the scenario's own, from open to close */
} run;

/* Prints the verdict. Returns whether the claim held. */
bool run_scenario(const stress_options *options, const scenario *s);

static inline worker *run_main_worker(run *r)
{
    return &r->workers[r->workers_count - 1];
}

/* A second worker for the crew's worker, for the scenario's own use. */
static inline worker *run_partner(const worker *w)
{
    return &w->run->workers[w->number - 1 + w->run->options->threads];
}

#endif
