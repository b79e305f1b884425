#include "driver/table.h"

#include <stdio.h>

void table_head(bool csv)
{
    if (csv)
        puts("workload,threads,object_bytes,subject,median_ns,min_ns,ratio_to_glibc");
    else
        printf("%-23s %7s %7s  %-17s %9s %9s %9s  %8s\n", "workload", "threads", "bytes", "subject",
               "min ns", "median ns", "max ns", "of glibc");
    fflush(stdout);
}

static void print_csv_row(const cell *c, double ratio)
{
    printf("%s,%u,%zu,%s,%.3f,%.3f,", bench_workload_name(c->workload), c->threads, c->object_bytes,
           bench_subject_name(c->subject), c->median_ns, c->min_ns);
    if (ratio >= 0)
        printf("%.4f", ratio);
    putchar('\n');
}

static void print_row(const cell *c, double ratio)
{
    printf("%-23s %7u %7zu  %-17s %9.2f %9.2f %9.2f  ", bench_workload_name(c->workload),
           c->threads, c->object_bytes, bench_subject_name(c->subject), c->min_ns, c->median_ns,
           c->max_ns);
    if (ratio >= 0)
        printf("%8.3f\n", ratio);
    else
        printf("%8s\n", "-");
}

void table_group(bool csv, const plan *p, size_t first, size_t count)
{
    if (!csv)
        putchar('\n');
    for (size_t i = first; i < first + count; i++) {
        const cell *c = &p->cells[i];
        if (c->samples_count == 0)
            continue;
        if (csv)
            print_csv_row(c, plan_ratio_to_glibc(p, c));
        else
            print_row(c, plan_ratio_to_glibc(p, c));
    }
    fflush(stdout);
}
