#include "driver/plan.h"

#include <stdio.h>
#include <stdlib.h>

static void add_configuration(const options *o, plan *p, bench_workload workload, unsigned threads,
                              size_t object_bytes)
{
    for (unsigned s = 0; s < BENCH_SUBJECTS; s++) {
        if (!o->subjects[s] || !bench_applies(workload, threads, (bench_subject)s))
            continue;
        cell *c = &p->cells[p->cells_count++];
        c->workload = workload;
        c->subject = (bench_subject)s;
        c->threads = threads;
        c->object_bytes = object_bytes;
    }
}

bool plan_make(const options *o, plan *result)
{
    size_t cells_max = (size_t)BENCH_WORKLOADS * BENCH_SUBJECTS * o->threads_count;
    result->cells_count = 0;
    result->cells = calloc(cells_max * o->object_bytes_count, sizeof *result->cells);
    if (!result->cells) {
        fprintf(stderr, "tarn-bench: no memory for the results\n");
        return false;
    }
    for (unsigned w = 0; w < BENCH_WORKLOADS; w++)
        for (size_t b = 0; o->workloads[w] && b < o->object_bytes_count; b++)
            for (size_t t = 0; t < o->threads_count; t++)
                add_configuration(o, result, (bench_workload)w, (unsigned)o->threads[t],
                                  o->object_bytes[b]);
    if (result->cells_count > 0)
        return true;
    fprintf(stderr, "tarn-bench: nothing to run: hand-offs need an even number of threads, growth "
                    "and frame_end one, and no subject runs everything; see --help\n");
    free(result->cells);
    return false;
}

static bool same_configuration(const cell *a, const cell *b)
{
    return a->workload == b->workload && a->threads == b->threads &&
           a->object_bytes == b->object_bytes;
}

size_t plan_group(const plan *p, size_t first)
{
    size_t end = first + 1;
    while (end < p->cells_count && same_configuration(&p->cells[first], &p->cells[end]))
        end++;
    return end - first;
}

const cell *plan_find(const plan *p, bench_workload workload, unsigned threads, size_t object_bytes,
                      bench_subject subject)
{
    for (size_t i = 0; i < p->cells_count; i++) {
        const cell *c = &p->cells[i];
        if (c->workload == workload && c->threads == threads && c->object_bytes == object_bytes &&
            c->subject == subject && c->samples_count > 0)
            return c;
    }
    return NULL;
}

double plan_ratio_to_glibc(const plan *p, const cell *c)
{
    const cell *glibc = plan_find(p, c->workload, c->threads, c->object_bytes, BENCH_SUBJECT_glibc);
    return glibc ? c->median_ns / glibc->median_ns : -1;
}
