#include "driver/check.h"

#include "driver/memory.h"

#include <stdio.h>
#include <string.h>

#define CHECK_OBJECT_BYTES 64
#define WHAT_WIDTH         64

/* The subject's median over the rival's is to be at most `most`; 0: no bound, for comparison. */
typedef struct target {
    bench_workload workload;
    unsigned threads;
    bench_subject subject, rival;
    double most;
} target;

#define TARGET(workload, threads, subject, rival, most)                                          \
    {                                                                                            \
        BENCH_WORKLOAD_##workload, threads, BENCH_SUBJECT_##subject, BENCH_SUBJECT_##rival, most \
    }

static const target targets[] = {
    TARGET(pair, 1, tarn, glibc, 1.0 / 6),
    TARGET(pair, 1, tarn, mimalloc, 1.0 / 3),
    TARGET(pair, 1, tarn, floor, 1.25),
    TARGET(burst1000_random, 1, tarn, glibc, 0.25),
    TARGET(burst1000_random, 1, tarn, mimalloc, 0.7),
    TARGET(burst1000_random, 2, tarn, glibc, 0.25),
    TARGET(burst1000_random, 2, tarn, mimalloc, 0.7),
    TARGET(burst100000_random, 1, tarn, mimalloc, 0.75),
    TARGET(burst100000_random, 2, tarn, mimalloc, 0.75),
    TARGET(handoff_oneway, 2, tarn, glibc, 1.0 / 6),
    TARGET(handoff_oneway, 2, tarn, mimalloc, 1.0 / 3),
    TARGET(handoff_bothways, 2, tarn, mimalloc, 1.0 / 3),
    TARGET(pair, 1, tarn_guest, mimalloc, 1.0),
    TARGET(pair, 1, tarn_handles, glibc, 0.5),
    TARGET(pair, 1, tarn_handles, mimalloc, 1.0),
    TARGET(pair, 1, tarn_handles, cas_floor, 0),
    TARGET(pair, 1, tarn_handles_free, glibc, 0.5),
    TARGET(pair, 1, tarn_handles_free, mimalloc, 1.0),
    TARGET(pair, 2, tarn_handles, glibc, 0.5),
    TARGET(pair, 2, tarn_handles, mimalloc, 1.0),
    TARGET(pair, 2, tarn_handles, cas_floor, 0),
    TARGET(burst1000_random, 1, tarn_handles, glibc, 0.5),
    TARGET(burst1000_random, 1, tarn_handles, mimalloc, 1.0),
    TARGET(burst1000_random, 1, tarn_handles, cas_floor, 0),
    TARGET(burst1000_random, 1, tarn_handles_free, glibc, 0.5),
    TARGET(burst1000_random, 1, tarn_handles_free, mimalloc, 1.0),
    TARGET(burst1000_random, 2, tarn_handles, glibc, 0.5),
    TARGET(burst1000_random, 2, tarn_handles, mimalloc, 1.0),
    TARGET(burst1000_random, 2, tarn_handles, cas_floor, 0),
    TARGET(resolve1000, 1, tarn_objects, array, 2.0),
    TARGET(resolve100000, 1, tarn_objects, array, 2.0),
    TARGET(iterate_full, 1, tarn_batches, array, 1 / 0.9),
    TARGET(iterate_full, 1, tarn_objects, array, 0),
    TARGET(iterate_sparse, 1, tarn_batches, array, 0.1),
    TARGET(iterate_sparse, 1, tarn_objects, array, 0),
    TARGET(growth_worst, 1, prepared, unprepared, 0.05),
    TARGET(growth_worst, 1, prepared_beside, unprepared, 0),
    TARGET(growth_prefault_worst, 1, prepared, unprepared, 0.05),
    TARGET(growth_prefault_worst, 1, prepared_beside, unprepared, 0),
    TARGET(frame, 1, tarn_frame, bump, 1.4),
    TARGET(frame, 1, tarn_frame, glibc, 1.0 / 15),
    TARGET(frame, 1, tarn_frame, pmr, 1.0),
    TARGET(frame, 1, tarn_frame, apr, 1.0),
    TARGET(frame, 1, tarn_frame, obstack, 1.0),
    TARGET(frame, 1, tarn_frame_pool, bump, 2.0),
    TARGET(frame, 2, tarn_frame, bump, 1.4),
    TARGET(frame, 2, tarn_frame, glibc, 1.0 / 15),
    TARGET(frame, 2, tarn_frame, pmr, 1.0),
    TARGET(frame, 2, tarn_frame, apr, 1.0),
    TARGET(frame, 2, tarn_frame, obstack, 1.0),
    TARGET(frame, 2, tarn_frame_pool, bump, 2.0),
    TARGET(frame_end_few, 1, tarn_frame_end, atomic_adds, 1.0),
    TARGET(frame_end_many, 1, tarn_frame_end, atomic_adds, 1.0),
    TARGET(frame_end_few_64lanes, 1, tarn_frame_end, atomic_adds, 1.0),
    TARGET(frame_end_many_64lanes, 1, tarn_frame_end, atomic_adds, 1.0),
    TARGET(jobs_fib, 1, jobs_tarn, jobs_tbb, 1.0 / 3),
    TARGET(jobs_fib, 1, jobs_tarn, jobs_libomp, 1.0 / 3),
    TARGET(jobs_fib, 2, jobs_tarn, jobs_tbb, 0.5),
    TARGET(jobs_fib, 2, jobs_tarn, jobs_libomp, 0.5),
    TARGET(jobs_fib, 2, jobs_tarn, jobs_libgomp, 0.5),
    TARGET(jobs_fib, 1, jobs_tarn, jobs_serial, 0),
    TARGET(jobs_empty, 2, jobs_tarn, jobs_tbb, 1.0),
    TARGET(jobs_empty, 2, jobs_tarn, jobs_libomp, 1.0),
    TARGET(jobs_empty, 2, jobs_tarn, jobs_libgomp, 1.0),
    TARGET(jobs_dispatch, 2, jobs_tarn, jobs_tbb, 1.0),
    TARGET(jobs_dispatch, 2, jobs_tarn, jobs_libomp, 1.0),
    TARGET(jobs_dispatch, 2, jobs_tarn, jobs_libgomp, 1.0),
    TARGET(jobs_queens, 2, jobs_tarn, jobs_tbb, 1.05),
    TARGET(jobs_queens, 2, jobs_tarn, jobs_libomp, 1.05),
    TARGET(jobs_queens, 2, jobs_tarn, jobs_libgomp, 1.05),
    TARGET(jobs_queens, 2, jobs_tarn, jobs_serial, 0),
    TARGET(jobs_tree, 2, jobs_tarn, jobs_tbb, 1.05),
    TARGET(jobs_tree, 2, jobs_tarn, jobs_libomp, 1.05),
    TARGET(jobs_tree, 2, jobs_tarn, jobs_libgomp, 1.05),
    TARGET(jobs_tree, 2, jobs_tarn, jobs_serial, 0),
    TARGET(jobs_for, 2, jobs_tarn, jobs_tbb, 1.05),
    TARGET(jobs_for, 2, jobs_tarn, jobs_libomp, 1.05),
    TARGET(jobs_for, 2, jobs_tarn, jobs_libgomp, 1.05),
    TARGET(jobs_for, 2, jobs_tarn, jobs_serial, 0),
};

#define TARGETS (sizeof targets / sizeof targets[0])

#define SCALING_LEAST       1.9 /* throughput of pair on 2 threads over that on 1 */
#define LIVE_MOST           1.03
#define CREATION_BYTES_MOST (256.0 * 1024)
#define NOISE_MOST          1.25 /* between times that are to be the same */
#define FRAMES_MOST         1.02 /* resident bytes after many frames, of those after a few */

void check_select(options *o)
{
    bool built[BENCH_SUBJECTS];
    memcpy(built, o->subjects, sizeof built);
    memset(o->workloads, false, sizeof o->workloads);
    memset(o->subjects, false, sizeof o->subjects);
    for (size_t i = 0; i < TARGETS; i++) {
        o->workloads[targets[i].workload] = true;
        o->subjects[targets[i].subject] = built[targets[i].subject];
        o->subjects[targets[i].rival] = built[targets[i].rival];
    }
}

static bool is_needed(const cell *c)
{
    for (size_t i = 0; i < TARGETS; i++)
        if (targets[i].workload == c->workload && targets[i].threads == c->threads &&
            (targets[i].subject == c->subject || targets[i].rival == c->subject))
            return true;
    return c->workload == BENCH_WORKLOAD_pair && c->subject == BENCH_SUBJECT_tarn; /* scaling */
}

void check_thin(plan *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->cells_count; i++)
        if (is_needed(&p->cells[i]))
            p->cells[kept++] = p->cells[i];
    p->cells_count = kept;
}

static void print_line(const char *what, const char *comparison, double bound, double measured,
                       bool reached)
{
    printf("%-*s %-8s %8.3f %9.3f  %s\n", WHAT_WIDTH, what, comparison, bound, measured,
           reached ? "yes" : "no");
}

static void print_missing(const char *what)
{
    printf("%-*s not measured\n", WHAT_WIDTH, what);
}

static void print_target(const plan *p, const target *t)
{
    char what[96];
    snprintf(what, sizeof what, "%s, %u thread%s: %s / %s", bench_workload_name(t->workload),
             t->threads, t->threads > 1 ? "s" : "", bench_subject_name(t->subject),
             bench_subject_name(t->rival));
    const cell *ours = plan_find(p, t->workload, t->threads, CHECK_OBJECT_BYTES, t->subject);
    const cell *theirs = plan_find(p, t->workload, t->threads, CHECK_OBJECT_BYTES, t->rival);
    if (!ours || !theirs) {
        print_missing(what);
        return;
    }
    double ratio = ours->median_ns / theirs->median_ns;
    if (t->most > 0)
        print_line(what, "at most", t->most, ratio, ratio <= t->most);
    else
        printf("%-*s %-17s %9.3f\n", WHAT_WIDTH, what, "for comparison", ratio);
}

static void print_scaling(const plan *p)
{
    const char *what = "pair: throughput of tarn, 2 threads / 1 thread";
    const cell *one = plan_find(p, BENCH_WORKLOAD_pair, 1, CHECK_OBJECT_BYTES, BENCH_SUBJECT_tarn);
    const cell *two = plan_find(p, BENCH_WORKLOAD_pair, 2, CHECK_OBJECT_BYTES, BENCH_SUBJECT_tarn);
    if (!one || !two) {
        print_missing(what);
        return;
    }
    double scaling = 2 * one->median_ns / two->median_ns;
    print_line(what, "at least", SCALING_LEAST, scaling, scaling >= SCALING_LEAST);
}

/* Ends of frames that differ in how much they end. */
static void print_ends(const plan *p, const char *what, bench_workload more, bench_workload less)
{
    const cell *m = plan_find(p, more, 1, CHECK_OBJECT_BYTES, BENCH_SUBJECT_tarn_frame_end);
    const cell *l = plan_find(p, less, 1, CHECK_OBJECT_BYTES, BENCH_SUBJECT_tarn_frame_end);
    if (!m || !l) {
        print_missing(what);
        return;
    }
    double ratio = m->median_ns / l->median_ns;
    print_line(what, "at most", NOISE_MOST, ratio, ratio <= NOISE_MOST);
}

static void print_all_ends(const plan *p)
{
    print_ends(p, "frame_end: after 10,000,000 objects / after 10, 1 lane",
               BENCH_WORKLOAD_frame_end_many, BENCH_WORKLOAD_frame_end_few);
    print_ends(p, "frame_end: after 10,000,000 objects / after 64, 64 lanes",
               BENCH_WORKLOAD_frame_end_many_64lanes, BENCH_WORKLOAD_frame_end_few_64lanes);
    print_ends(p, "frame_end: 64 lanes / 1 lane, 10,000,000 objects",
               BENCH_WORKLOAD_frame_end_many_64lanes, BENCH_WORKLOAD_frame_end_many);
}

static unsigned print_memory(void)
{
    const char *live = "memory: 1,000,000 live objects / 64 MB";
    const char *creation = "memory: KiB touched by a pool of 2^30";
    unsigned failures = 0;
    const char *frames = "memory: resident bytes after 10,000 frames / after 100";
    double bytes, ratio;
    if (memory_live(BENCH_SUBJECT_tarn, &bytes)) {
        ratio = bytes / ((double)MEMORY_OBJECTS * MEMORY_OBJECT_BYTES);
        print_line(live, "at most", LIVE_MOST, ratio, ratio <= LIVE_MOST);
    } else {
        print_missing(live);
        failures++;
    }
    if (memory_creation(&bytes)) {
        print_line(creation, "below", CREATION_BYTES_MOST / 1024, bytes / 1024,
                   bytes < CREATION_BYTES_MOST);
    } else {
        print_missing(creation);
        failures++;
    }
    if (memory_frames(&ratio)) {
        print_line(frames, "at most", FRAMES_MOST, ratio, ratio <= FRAMES_MOST);
    } else {
        print_missing(frames);
        failures++;
    }
    return failures;
}

unsigned check_print(const plan *p)
{
    printf("%-*s %-17s %9s  %s\n", WHAT_WIDTH, "target (medians, 64-byte objects)", "bound",
           "measured", "reached");
    for (size_t i = 0; i < TARGETS; i++)
        print_target(p, &targets[i]);
    print_scaling(p);
    print_all_ends(p);
    return print_memory();
}
