#include "report.h"
#include "advice.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define CALLS_FEW 10000u

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

static uint64_t count_class_bytes(const plan *what, uint64_t *asked)
{
    uint64_t given = 0;
    *asked = 0;
    for (unsigned i = 0; i < CLASS_COUNT; i++) {
        given += what->classes[i].allocs * class_bytes(i);
        *asked += what->classes[i].bytes;
    }
    return given;
}

static void print_left_overs(const plan_totals *totals)
{
    printf("never freed     %" PRIu64 " blocks\n", totals->never_freed);
    if (totals->vanished)
        printf("lost frees      %" PRIu64 " blocks whose address came back without a free\n",
               totals->vanished);
    if (totals->unmatched)
        printf("skipped         %" PRIu64 " frees of blocks from before the recording\n",
               totals->unmatched);
    if (totals->large)
        printf("large           %" PRIu64 " calls beyond the classes, malloc's on both sides\n",
               totals->large);
}

void report_trace(const trace *from, const plan *what)
{
    const plan_totals *totals = &what->totals;
    uint64_t asked;
    uint64_t given = count_class_bytes(what, &asked);
    printf("recorded        %s, process %" PRIu32 "\n", from->program, from->process);
    printf("calls           %" PRIu64 ": %" PRIu64 " allocs, %" PRIu64 " frees, %" PRIu64
           " reallocs\n",
           totals->given + totals->taken + totals->resized, totals->given, totals->taken,
           totals->resized);
    printf("bytes           %" PRIu64 " asked for, at most %" PRIu64 " at once\n", totals->bytes,
           totals->peak_bytes);
    printf("threads         %" PRIu32 ", at most %" PRIu32 " at once\n", what->threads_count,
           what->lanes);
    printf("remote frees    %" PRIu64 " of %" PRIu64 " (%.1f %%)\n", totals->remote, totals->taken,
           share(totals->remote, totals->taken));
    printf("rounding        %" PRIu64 " bytes wasted, %.1f %% of %" PRIu64 " in classes\n",
           given - asked, share(given - asked, given), given);
    print_left_overs(totals);
}

static bool is_void(const char *memory, const replay_result *result)
{
    if (!result->no_thread)
        return false;
    fprintf(stderr, "tarn-replay: %s: a thread cannot be started\n", memory);
    return true;
}

bool report_check(const char *memory, const replay_result *result)
{
    if (is_void(memory, result))
        return false;
    if (result->mismatches)
        fprintf(stderr,
                "tarn-replay: %s: %" PRIu64 " blocks had wrong content, first block %" PRIu32
                " at its byte %" PRIu64 "\n",
                memory, result->mismatches, result->bad_block, result->bad_offset);
    if (result->refusals)
        fprintf(stderr,
                "tarn-replay: %s: %" PRIu64 " allocations failed, the first of %" PRIu64 " bytes\n",
                memory, result->refusals, result->refused_bytes);
    return result->mismatches == 0 && result->refusals == 0;
}

static int by_size(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Both are sorted: only the order statistics are of interest. */
static void sort_times(report_times *times)
{
    qsort(times->busy_ns, times->rounds, sizeof *times->busy_ns, by_size);
    qsort(times->wall_ns, times->rounds, sizeof *times->wall_ns, by_size);
}

static double milliseconds(uint64_t ns)
{
    return (double)ns / 1e6;
}

static void print_times(const char *memory, const report_times *times, uint64_t calls)
{
    uint64_t median = times->busy_ns[times->rounds / 2];
    printf("%-8s %10.3f %10.3f %10.3f %12.1f %12.3f\n", memory, milliseconds(median),
           milliseconds(times->busy_ns[0]), milliseconds(times->busy_ns[times->rounds - 1]),
           calls ? (double)median / (double)calls : 0.0,
           milliseconds(times->wall_ns[times->rounds / 2]));
}

void report_timing(report_times *tarn, report_times *heap, const plan *what)
{
    uint64_t calls = what->totals.given + what->totals.taken + what->totals.resized;
    sort_times(tarn);
    sort_times(heap);
    printf("\nprocessor time of all threads without waiting, median of %" PRIu32
           " rounds (ms)\n%-8s %10s %10s %10s %12s %12s\n",
           tarn->rounds, "memory", "median", "min", "max", "ns per call", "wall");
    print_times("tarn", tarn, calls);
    print_times("malloc", heap, calls);
    uint64_t heap_median = heap->busy_ns[heap->rounds / 2];
    uint64_t tarn_median = tarn->busy_ns[tarn->rounds / 2];
    if (heap_median)
        printf("tarn / malloc   %.3f\n", (double)tarn_median / (double)heap_median);
    if (calls < CALLS_FEW)
        printf("few calls: most of it is the start of threads and of their caches\n");
}

void report_classes(const plan *what)
{
    printf("\n%12s %12s %10s %12s %10s\n", "object_bytes", "allocs", "peak", "mean request",
           "wasted");
    for (unsigned i = 0; i < CLASS_COUNT; i++) {
        const plan_class *class = &what->classes[i];
        if (class->allocs == 0)
            continue;
        uint64_t given = class->allocs * class_bytes(i);
        printf("%12zu %12" PRIu64 " %10" PRIu32 " %12.1f %8.1f %%\n", class_bytes(i), class->allocs,
               class->peak, (double)class->bytes / (double)class->allocs,
               share(given - class->bytes, given));
    }
}

void report_advice(const plan *what)
{
    printf("\n/* capacity: the recorded peak and a quarter more */\n"
           "static const tarn_pool_options pools[] = {\n");
    for (unsigned i = 0; i < CLASS_COUNT; i++) {
        if (what->classes[i].allocs == 0)
            continue;
        tarn_pool_options options = advice_for(what, i);
        printf("    {.name = \"blocks of %zu\", .object_bytes = %zu, ", options.object_bytes,
               options.object_bytes);
        if (options.object_alignment)
            printf(".object_alignment = %zu, ", options.object_alignment);
        printf(".capacity = %zu,\n     .caches_max = %" PRIu32 ", .cache_objects_max = %" PRIu32
               "},\n",
               options.capacity, options.caches_max, options.cache_objects_max);
    }
    printf("};\n");
}
