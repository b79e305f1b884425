#define _GNU_SOURCE /* isatty */

#include "driver/measure.h"

#include "driver/spawn.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool measure_available(options *o)
{
    for (unsigned s = 0; s < BENCH_SUBJECTS; s++) {
        const char *name = bench_subject_name((bench_subject)s);
        if (!o->subjects[s] || spawn_worker_exists(name))
            continue;
        fprintf(stderr, "tarn-bench: subject '%s' was not built on this machine\n", name);
        if (o->subjects_named)
            return false;
        o->subjects[s] = false;
    }
    return true;
}

static bool run_cell(const options *o, const cell *c, double *ns)
{
    char workload[64], threads[16], bytes[32], ms[16], run[] = "run", read[] = "read";
    snprintf(workload, sizeof workload, "%s", bench_workload_name(c->workload));
    snprintf(threads, sizeof threads, "%u", c->threads);
    snprintf(bytes, sizeof bytes, "%zu", c->object_bytes);
    snprintf(ms, sizeof ms, "%u", o->stint_ms);
    char *argv[] = {NULL, run, workload, threads, bytes, ms, o->reads ? read : NULL, NULL};
    return spawn_worker(bench_subject_name(c->subject), argv, ns);
}

static void show_progress(const cell *c, unsigned round, unsigned rounds)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s, %u threads, %zu bytes, %s: round %u of %u",
                bench_workload_name(c->workload), c->threads, c->object_bytes,
                bench_subject_name(c->subject), round, rounds);
}

static void clear_progress(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void sum_up(cell *c)
{
    unsigned n = c->samples_count;
    if (n == 0)
        return;
    qsort(c->samples_ns, n, sizeof c->samples_ns[0], compare);
    c->min_ns = c->samples_ns[0];
    c->median_ns = (c->samples_ns[(n - 1) / 2] + c->samples_ns[n / 2]) / 2;
    c->max_ns = c->samples_ns[n - 1];
}

unsigned measure_cells(const options *o, cell *cells, size_t cells_count)
{
    unsigned failures = 0;
    for (unsigned round = 1; round <= o->rounds; round++) {
        for (size_t i = 0; i < cells_count; i++) {
            cell *c = &cells[i];
            show_progress(c, round, o->rounds);
            if (run_cell(o, c, &c->samples_ns[c->samples_count]))
                c->samples_count++;
            else
                failures++;
        }
    }
    clear_progress();
    for (size_t i = 0; i < cells_count; i++)
        sum_up(&cells[i]);
    return failures;
}
