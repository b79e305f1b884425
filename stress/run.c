#include "run.h"

#include "check.h"
#include "clock.h"
#include "crew.h"
#include "overlap.h"
#include "watchdog.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define PURSE_BATCH_MAX 64u
#define EXTENSIONS_MAX  4u

static tarn_pool_options pool_options(run *r)
{
    tarn_pool_options options = {.name = r->scenario->name,
                                 .object_bytes = r->options->object_bytes,
                                 .capacity = r->options->capacity,
                                 .caches_max = 2 * r->options->threads + 1,
                                 .exact = r->options->exact};
    if (r->scenario->shape)
        r->scenario->shape(r, &options);
    return options;
}

static bool create_pool(run *r)
{
    tarn_pool_options options = pool_options(r);
    tarn_status status = r->scenario->create ? r->scenario->create(r, &options)
                                             : tarn_pool_create(&options, &r->pool);
    if (status != TARN_OK) {
        failure_report(&r->failure, "the pool could not be created: %s", tarn_status_text(status));
        return false;
    }
    tarn_pool_describe(r->pool, &r->info);
    r->limit = r->info.capacity;
    bool is_open = oracle_open(&r->oracle, &r->failure, r->pool);
    r->oracle.forgets = r->scenario->forgets;
    return is_open;
}

/* A few spare tickets for each thread, and still far fewer than there are. */
static uint64_t purse_batch(const run *r)
{
    if (r->scenario->over)
        return 1;
    uint64_t batch = r->limit / (16 * (uint64_t)r->options->threads);
    return batch == 0 ? 1 : batch < PURSE_BATCH_MAX ? batch : PURSE_BATCH_MAX;
}

static bool ready_workers(run *r)
{
    for (size_t i = 0; i < r->workers_count; i++) {
        worker *w = &r->workers[i];
        w->purse = (purse){.limit = r->limit, .batch = purse_batch(r)};
        w->tally = (tally){0};
        w->cache = NULL;
        w->held_count = 0;
        w->held_max = r->info.slots;
        w->held = malloc(r->info.slots * sizeof *w->held);
        if (!w->held) {
            failure_report(&r->failure, "no memory for the lists of %zu objects", r->info.slots);
            return false;
        }
    }
    /* The oracle's first object. */
    run_main_worker(r)->tally = (tally){.allocs = 1, .frees = 1};
    return true;
}

static bool open_pool(run *r)
{
    if (!create_pool(r))
        return false;
    if (r->scenario->open && !r->scenario->open(r))
        return false;
    r->pools_total++;
    return ready_workers(r);
}

static void release_workers(run *r)
{
    for (size_t i = 0; i < r->workers_count; i++) {
        r->allocs_total += r->workers[i].tally.allocs;
        free(r->workers[i].held);
        r->workers[i].held = NULL;
    }
}

static void destroy_pool(run *r)
{
    if (failure_found(&r->failure))
        tarn_pool_clear(r->pool); /* whatever it thinks is live */
    tarn_status status = tarn_pool_destroy(r->pool);
    if (status != TARN_OK)
        failure_report(&r->failure, "destroy answered %s", tarn_status_name(status));
    r->pool = NULL;
}

static void close_pool(run *r)
{
    if (r->scenario->close)
        r->scenario->close(r);
    release_workers(r);
    oracle_close(&r->oracle);
    if (r->pool)
        destroy_pool(r);
    if (r->scenario->closed)
        r->scenario->closed(r);
}

static void count_crew(run *r)
{
    if (!failure_found(&r->failure) && r->scenario->ended)
        r->scenario->ended(r);
    if (!failure_found(&r->failure))
        check_quiet(r);
}

static void work_one_pool(run *r)
{
    if (open_pool(r)) {
        for (uint32_t crew = 0; crew < r->scenario->crews_per_pool; crew++) {
            if (failure_found(&r->failure) || (crew > 0 && clock_now_ms() >= r->deadline_ms))
                break;
            crew_work(r);
            count_crew(r);
        }
        if (!failure_found(&r->failure))
            check_fill(r);
    }
    close_pool(r);
}

static bool create_workers(run *r)
{
    r->workers_count = 2 * (size_t)r->options->threads + 1;
    r->workers = aligned_alloc(_Alignof(worker), r->workers_count * sizeof *r->workers);
    if (!r->workers)
        return false;
    for (size_t i = 0; i < r->workers_count; i++) {
        r->workers[i] =
            (worker){.run = r, .number = (uint32_t)i + 1, .dice = dice_seeded(r->options->seed, i)};
    }
    return true;
}

static void print_verdict(run *r)
{
    overlap met = overlap_measure(r);
    if (!overlap_proven(&met))
        failure_report(&r->failure,
                       "no overlap: %" PRIu64 " of %" PRIu64
                       " sampled calls met another thread's, so nothing was tested",
                       met.hits, met.samples);
    bool passed = !failure_found(&r->failure);
    printf("stress %s: %s  %" PRIu64 " allocs, %" PRIu64 " rounds on %" PRIu64
           " pools, overlap %.2f %%, seed %" PRIu64 "%s%s\n",
           r->scenario->name, passed ? "PASS" : "FAIL", r->allocs_total, r->rounds_total,
           r->pools_total, overlap_percent(&met), r->options->seed, passed ? "" : ": ",
           r->failure.reason);
    fflush(stdout);
}

/* A busy machine may let the threads run one by one for a while: then the run goes on, up to
 * EXTENSIONS_MAX times as long, until they have met. */
static bool time_is_left(run *r, uint32_t *extensions)
{
    overlap met = overlap_measure(r);
    if (clock_now_ms() < r->deadline_ms)
        return true;
    if (overlap_proven(&met) || *extensions == EXTENSIONS_MAX)
        return false;
    ++*extensions;
    r->deadline_ms = clock_now_ms() + 1000 * (uint64_t)r->options->seconds;
    return true;
}

bool run_scenario(const stress_options *options, const scenario *s)
{
    run *r = aligned_alloc(_Alignof(run), sizeof *r);
    if (!r)
        return false;
    *r = (run){.options = options,
               .scenario = s,
               .subject = plant_subject(options->plant),
               .deadline_ms = clock_now_ms() + 1000 * (uint64_t)options->seconds,
               .dice = dice_seeded(options->seed, UINT32_MAX)};
    watchdog dog;
    bool ready = tarn_mutex_init(&r->serial) && create_workers(r) && watchdog_start(&dog, r);
    uint32_t extensions = 0;
    while (ready && !failure_found(&r->failure) && time_is_left(r, &extensions))
        work_one_pool(r);
    if (ready)
        watchdog_stop(&dog);
    else
        failure_report(&r->failure, "the system gave no memory or no thread");
    print_verdict(r);
    bool passed = !failure_found(&r->failure);
    tarn_mutex_destroy(&r->serial);
    free(r->workers);
    free(r);
    return passed;
}
