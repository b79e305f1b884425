/* popen is POSIX. */
#define _GNU_SOURCE

#include "driver/plot.h"

#include "driver/spawn.h"

#include <stdio.h>

#define PANEL_COLUMNS 3u
#define PANEL_WIDTH   600u
#define PANEL_HEIGHT  360u

/* A data block of a panel: a line per number of threads, a column per subject, ? where none ran.
 * Returns how many cells the workload has. */
static unsigned put_data(FILE *gnuplot, const options *o, const plan *p, bench_workload workload)
{
    unsigned found = 0;
    fprintf(gnuplot, "$w%u << END\n", (unsigned)workload);
    for (size_t t = 0; t < o->threads_count; t++) {
        fprintf(gnuplot, "%zu", o->threads[t]);
        for (unsigned s = 0; s < BENCH_SUBJECTS; s++) {
            const cell *c = plan_find(p, workload, (unsigned)o->threads[t], o->object_bytes[0],
                                      (bench_subject)s);
            found += c != NULL;
            if (c)
                fprintf(gnuplot, " %.4f", c->median_ns);
            else
                fputs(" ?", gnuplot);
        }
        fputc('\n', gnuplot);
    }
    fputs("END\n", gnuplot);
    return found;
}

static bool ran(const options *o, const plan *p, bench_workload workload, bench_subject subject)
{
    for (size_t t = 0; t < o->threads_count; t++)
        if (plan_find(p, workload, (unsigned)o->threads[t], o->object_bytes[0], subject))
            return true;
    return false;
}

static void put_panel(FILE *gnuplot, const options *o, const plan *p, bench_workload workload)
{
    const char *separator = "plot ";
    fprintf(gnuplot, "set title '%s'\n", bench_workload_name(workload));
    for (unsigned s = 0; s < BENCH_SUBJECTS; s++) {
        if (!ran(o, p, workload, (bench_subject)s))
            continue;
        fprintf(gnuplot, "%s$w%u using 1:%u with linespoints lc %u title '%s'", separator,
                (unsigned)workload, s + 2, s + 1, bench_subject_name((bench_subject)s));
        separator = ", ";
    }
    fputc('\n', gnuplot);
}

/* A mark for each number of threads, and room beside the first and the last. */
static void put_thread_axis(FILE *gnuplot, const options *o)
{
    size_t least = o->threads[0], most = o->threads[0];
    fputs("set logscale x 2\nset xlabel 'threads'\nset xtics (", gnuplot);
    for (size_t t = 0; t < o->threads_count; t++) {
        least = o->threads[t] < least ? o->threads[t] : least;
        most = o->threads[t] > most ? o->threads[t] : most;
        fprintf(gnuplot, "%s%zu", t ? ", " : "", o->threads[t]);
    }
    fprintf(gnuplot, ")\nset xrange [%f:%f]\n", (double)least * 0.9, (double)most * 1.1);
}

static void put_settings(FILE *gnuplot, const char *path, const options *o, unsigned panels)
{
    unsigned columns = panels < PANEL_COLUMNS ? panels : PANEL_COLUMNS;
    unsigned rows = (panels + columns - 1) / columns;
    fprintf(gnuplot, "set terminal pngcairo size %u,%u\n", columns * PANEL_WIDTH,
            rows * PANEL_HEIGHT);
    fprintf(gnuplot, "set output '%s'\nset datafile missing '?'\n", path);
    fputs("set logscale y 10\nset grid\nset key outside noenhanced\n", gnuplot);
    fputs("set ylabel 'ns per operation'\nset title noenhanced\n", gnuplot);
    put_thread_axis(gnuplot, o);
    fprintf(gnuplot, "set multiplot layout %u,%u title '%zu-byte objects'\n", rows, columns,
            o->object_bytes[0]);
}

static void put_script(FILE *gnuplot, const char *path, const options *o, const plan *p)
{
    bool drawn[BENCH_WORKLOADS] = {false};
    unsigned panels = 0;
    for (unsigned w = 0; w < BENCH_WORKLOADS; w++) {
        bench_kind kind = bench_workload_kind((bench_workload)w);
        /* those have one number of threads */
        bool applies = kind != BENCH_GROWTH && kind != BENCH_FRAME_END;
        drawn[w] = applies && o->workloads[w] && put_data(gnuplot, o, p, (bench_workload)w) > 0;
        panels += drawn[w];
    }
    if (panels == 0)
        return;
    put_settings(gnuplot, path, o, panels);
    for (unsigned w = 0; w < BENCH_WORKLOADS; w++)
        if (drawn[w])
            put_panel(gnuplot, o, p, (bench_workload)w);
}

bool plot_possible(void)
{
    char version[64], program[] = "gnuplot", option[] = "--version";
    char *argv[] = {program, option, NULL};
    if (spawn_line(argv, version, sizeof version))
        return true;
    fprintf(stderr, "tarn-bench: drawing needs gnuplot (Debian, Ubuntu: gnuplot-nox)\n");
    return false;
}

bool plot_write(const char *path, const options *o, const plan *p)
{
    FILE *gnuplot = popen("gnuplot", "w");
    if (gnuplot)
        put_script(gnuplot, path, o, p);
    if (gnuplot && pclose(gnuplot) == 0)
        return true;
    fprintf(stderr, "tarn-bench: gnuplot did not draw '%s'\n", path);
    return false;
}
