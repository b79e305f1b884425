#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define FRAMES_PER_SECOND 60 /* of the game's fixed time step */
#define KIB               1024.0
#define MIB               (1024.0 * KIB)

static int compare_ns(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* The smallest sample that at least `percent` of them do not exceed. */
static double percentile_us(const uint64_t *sorted_ns, size_t count, size_t percent)
{
    size_t rank = (count * percent + 99) / 100;
    return (double)sorted_ns[rank == 0 ? 0 : rank - 1] / 1000.0;
}

static void print_settings(const options *settings)
{
    printf("%u workers, %u sectors, seed %" PRIu64
           ", %u rounds of %u frames after %d frames of warm-up, ",
           settings->threads, settings->threads * SECTORS_PER_WORKER, settings->seed,
           settings->rounds, settings->frames, WARM_UP_FRAMES);
    if (settings->storm_frames)
        printf("a storm every %u frames\n", settings->storm_frames);
    else
        printf("no storms\n");
}

static void print_work(const options *settings, const run_result *run)
{
    double per_frame = (double)run->measured_born / settings->frames;
    printf("\n%-20s %12s %12s %12s %12s\n", "work of one round", "born", "died", "peak live",
           "bytes each");
    for (kind which = 0; which < KIND_COUNT; which++)
        printf("  %-18s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12zu\n", kind_name(which),
               run->born[which], run->died[which], run->live_peak[which], kind_bytes(which));
    printf("  a measured frame allocates %.0f objects on average, %.0f a second at %d frames\n",
           per_frame, per_frame * FRAMES_PER_SECOND, FRAMES_PER_SECOND);
}

static const size_t percents[] = {50, 99, 100};

static void print_ratio(const uint64_t *tarn_ns, const uint64_t *malloc_ns, size_t count)
{
    printf("  %-18s", "malloc / tarn");
    for (int p = 0; p < 3; p++)
        printf(" %12.2f", percentile_us(malloc_ns, count, percents[p]) /
                              percentile_us(tarn_ns, count, percents[p]));
    printf("\n");
}

/* Sorts the times. */
static void print_percentiles(const char *name, uint64_t *times_ns, size_t count)
{
    qsort(times_ns, count, sizeof *times_ns, compare_ns);
    printf("  %-18s", name);
    for (int p = 0; p < 3; p++)
        printf(" %12.1f", percentile_us(times_ns, count, percents[p]));
    printf("\n");
}

/* A frame does the same work in every round, so a time that only one round needed came from
 * elsewhere: another program, an interrupt, a core that slept. */
static void find_best(const options *settings, const series *runs)
{
    for (size_t frame = 0; frame < settings->frames; frame++) {
        uint64_t best = runs->frame_ns[frame];
        for (uint32_t round = 1; round < settings->rounds; round++) {
            uint64_t other = runs->frame_ns[(size_t)round * settings->frames + frame];
            best = other < best ? other : best;
        }
        runs->best_ns[frame] = best;
    }
}

static void print_times(const options *settings, series *all, int count)
{
    size_t frames = settings->frames;
    size_t samples = settings->rounds * frames;
    printf("\n%-20s %12s %12s %12s\n", "frame time, us", "p50", "p99", "max");
    for (int i = 0; i < count; i++) {
        find_best(settings, &all[i]);
        print_percentiles(all[i].on->name, all[i].frame_ns, samples);
    }
    if (count == 2)
        print_ratio(all[0].frame_ns, all[1].frame_ns, samples);
    printf("each frame in the best of its rounds, which leaves out most of the machine's noise\n");
    for (int i = 0; i < count; i++)
        print_percentiles(all[i].on->name, all[i].best_ns, frames);
    if (count == 2)
        print_ratio(all[0].best_ns, all[1].best_ns, frames);
}

/* The worst of all rounds, for each figure. */
static run_result worst_of(const options *settings, const series *runs)
{
    run_result worst = runs->results[0];
    for (uint32_t i = 1; i < settings->rounds; i++) {
        const run_result *run = &runs->results[i];
        if (run->resident_bytes_peak > worst.resident_bytes_peak)
            worst.resident_bytes_peak = run->resident_bytes_peak;
        if (run->page_faults > worst.page_faults)
            worst.page_faults = run->page_faults;
        if (run->hook_calls_before > worst.hook_calls_before)
            worst.hook_calls_before = run->hook_calls_before;
        if (run->hook_calls_after > worst.hook_calls_after)
            worst.hook_calls_after = run->hook_calls_after;
    }
    return worst;
}

static void print_memory(const options *settings, const series *all, int count)
{
    printf("\n%-20s %12s %12s %12s %12s\n", "memory, worst round", "peak MiB", "page faults",
           "hook calls", "hook calls");
    printf("  %-18s %12s %12s %12s %12s\n", "", "resident", "after w.-up", "in warm-up",
           "after w.-up");
    for (int i = 0; i < count; i++) {
        run_result worst = worst_of(settings, &all[i]);
        printf("  %-18s %12.1f %12" PRIu64, all[i].on->name,
               (double)worst.resident_bytes_peak / MIB, worst.page_faults);
        if (all[i].on->has_pools)
            printf(" %12" PRIu64 " %12" PRIu64 "\n", worst.hook_calls_before,
                   worst.hook_calls_after);
        else
            printf(" %12s %12s\n", "-", "-");
    }
}

static void print_frame_work(const options *settings, const run_result *run)
{
    const transients *t = &run->transients;
    uint32_t frames = WARM_UP_FRAMES + settings->frames;
    printf("\n%-20s %12s %12s %12s %12s\n", "lives for a frame", "contacts", "commands", "pictures",
           "dead bullets");
    printf("  %-18s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "\n", "in one round",
           t->contacts, t->draws, t->pictures, t->retired);
    printf("  %-18s %12.0f %12.0f %12.1f %12.0f\n", "a frame on average",
           (double)t->contacts / frames, (double)t->draws / frames, (double)t->pictures / frames,
           (double)t->retired / frames);
}

static void print_pool(kind which, const pool_sample *pool)
{
    const tarn_pool_statistics *s = &pool->statistics;
    printf("  %-18s %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64
           " %9" PRIu64 " %9.1f\n",
           kind_name(which), s->live, s->free_in_caches, s->free_in_depot,
           s->depot_takes + s->depot_puts, s->steals, s->drain_requests, s->growths,
           (double)pool->committed_bytes / MIB);
}

static void print_pools(const options *settings, const series *runs)
{
    const run_result *last = &runs->results[settings->rounds - 1];
    printf("\n%-20s %9s %9s %9s %9s %9s %9s %9s %9s\n", "pools, last round", "live", "in caches",
           "in depot", "depot ops", "steals", "drains", "growths", "MiB");
    for (kind which = 0; which < KIND_COUNT; which++)
        print_pool(which, &last->pools[which]);
}

static void print_frame_memory(const options *settings, const series *runs)
{
    const frame_sample *last = &runs->results[settings->rounds - 1].frame;
    printf("\n%-20s %12s %12s %12s %12s\n", "frame, last round", "commands", "dead bullets",
           "lane's peak", "held");
    printf("  %-18s %12s %12s %12s %12s\n", "", "to draw", "to free", "KiB", "KiB");
    printf("  %-18s %12" PRIu64 " %12" PRIu64 " %12.1f %12.1f\n", runs->on->name,
           last->draws_waiting, last->retired_waiting, (double)last->lane_bytes_peak / KIB,
           (double)last->held_bytes / KIB);
}

void report_print(const options *settings, series *all, int count)
{
    print_settings(settings);
    print_work(settings, &all[0].results[0]);
    print_frame_work(settings, &all[0].results[0]);
    print_times(settings, all, count);
    print_memory(settings, all, count);
    for (int i = 0; i < count; i++)
        if (all[i].on->has_pools) {
            print_pools(settings, &all[i]);
            print_frame_memory(settings, &all[i]);
        }
    printf("\n");
}
