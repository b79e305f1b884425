#include "lists.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    bench_kind kind;
    bool paired;
    unsigned burst_objects;
} workloads[BENCH_WORKLOADS] = {
#define ROW(name, kind, paired, burst) {#name, kind, paired, burst},
    BENCH_WORKLOAD_LIST(ROW)
#undef ROW
};

static const struct {
    const char *name;
    unsigned kinds;
} subjects[BENCH_SUBJECTS] = {
#define ROW(name, kinds) {#name, kinds},
    BENCH_SUBJECT_LIST(ROW)
#undef ROW
};

const char *bench_workload_name(bench_workload workload)
{
    return workloads[workload].name;
}

const char *bench_subject_name(bench_subject subject)
{
    return subjects[subject].name;
}

unsigned bench_burst_objects(bench_workload workload)
{
    return workloads[workload].burst_objects;
}

bool bench_workload_find(const char *name, bench_workload *workload)
{
    for (unsigned i = 0; i < BENCH_WORKLOADS; i++) {
        if (strcmp(name, workloads[i].name) == 0) {
            *workload = (bench_workload)i;
            return true;
        }
    }
    return false;
}

bool bench_subject_find(const char *name, bench_subject *subject)
{
    for (unsigned i = 0; i < BENCH_SUBJECTS; i++) {
        if (strcmp(name, subjects[i].name) == 0) {
            *subject = (bench_subject)i;
            return true;
        }
    }
    return false;
}

bench_kind bench_workload_kind(bench_workload workload)
{
    return workloads[workload].kind;
}

bool bench_runs(bench_subject subject, bench_kind kind)
{
    return (subjects[subject].kinds & BENCH_RUNS(kind)) != 0;
}

bool bench_applies(bench_workload workload, unsigned threads, bench_subject subject)
{
    bench_kind kind = workloads[workload].kind;
    if (workloads[workload].paired && threads % 2 != 0)
        return false;
    if ((kind == BENCH_GROWTH || kind == BENCH_FRAME_END) && threads != 1)
        return false;
    return bench_runs(subject, kind);
}
