/* popen and mkstemp are POSIX. */
#define _GNU_SOURCE

#include "driver/growth.h"

#include "driver/spawn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One line of the picture: per frame, the slowest allocation of each round. */
typedef struct trace {
    double slowest_ns[BENCH_GROWTH_FRAMES][OPTIONS_ROUNDS_MAX];
} trace;

static const struct {
    bench_workload workload;
    const char *title;
} panels[] = {
    {BENCH_WORKLOAD_growth_worst, "memory of the system"},
    {BENCH_WORKLOAD_growth_prefault_worst, "memory of a host whose commit touches all pages"},
};

static const bench_subject lines[] = {BENCH_SUBJECT_unprepared, BENCH_SUBJECT_prepared,
                                      BENCH_SUBJECT_prepared_beside};

#define PANELS (sizeof panels / sizeof panels[0])
#define LINES  (sizeof lines / sizeof lines[0])

static bool read_trace(const char *path, unsigned round, trace *t)
{
    FILE *file = fopen(path, "r");
    unsigned frame = 0;
    while (file && frame < BENCH_GROWTH_FRAMES &&
           fscanf(file, "%*u %lf %*u", &t->slowest_ns[frame][round]) == 1)
        frame++;
    if (file)
        fclose(file);
    if (frame < BENCH_GROWTH_FRAMES)
        fprintf(stderr, "tarn-bench: the trace of a growing pool is incomplete\n");
    return frame == BENCH_GROWTH_FRAMES;
}

static bool run(bench_workload workload, bench_subject subject, unsigned round, trace *t)
{
    char name[64], path[] = P_tmpdir "/tarn-bench-XXXXXX";
    char mode[] = "run", threads[] = "1", bytes[] = "64", ms[] = "1", option[] = "trace";
    double worst_ns;
    int file = mkstemp(path);
    if (file < 0) {
        fprintf(stderr, "tarn-bench: no temporary file for a trace\n");
        return false;
    }
    close(file);
    snprintf(name, sizeof name, "%s", bench_workload_name(workload));
    char *argv[] = {NULL, mode, name, threads, bytes, ms, option, path, NULL};
    bool done =
        spawn_worker(bench_subject_name(subject), argv, &worst_ns) && read_trace(path, round, t);
    unlink(path);
    return done;
}

static bool run_all(unsigned rounds, trace *traces)
{
    for (unsigned round = 0; round < rounds; round++)
        for (size_t p = 0; p < PANELS; p++)
            for (size_t l = 0; l < LINES; l++)
                if (!run(panels[p].workload, lines[l], round, &traces[p * LINES + l]))
                    return false;
    return true;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *values, unsigned count)
{
    qsort(values, count, sizeof *values, compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static void put_data(FILE *gnuplot, size_t panel, unsigned rounds, trace *traces)
{
    fprintf(gnuplot, "$p%zu << END\n", panel);
    for (unsigned frame = 0; frame < BENCH_GROWTH_FRAMES; frame++) {
        fprintf(gnuplot, "%u", frame + 1);
        for (size_t l = 0; l < LINES; l++)
            fprintf(gnuplot, " %.3f",
                    median(traces[panel * LINES + l].slowest_ns[frame], rounds) / 1000);
        fputc('\n', gnuplot);
    }
    fputs("END\n", gnuplot);
}

static void put_panel(FILE *gnuplot, size_t panel)
{
    fprintf(gnuplot, "set title '%s'\nplot ", panels[panel].title);
    for (size_t l = 0; l < LINES; l++)
        fprintf(gnuplot, "%s$p%zu using 1:%zu with lines lc %zu title '%s'", l ? ", " : "", panel,
                l + 2, l + 1, bench_subject_name(lines[l]));
    fputc('\n', gnuplot);
}

static void put_script(FILE *gnuplot, const options *o, trace *traces)
{
    for (size_t p = 0; p < PANELS; p++)
        put_data(gnuplot, p, o->rounds, traces);
    fputs("set terminal pngcairo size 1200,900\n", gnuplot);
    fprintf(gnuplot, "set output '%s'\n", o->growth_path);
    fputs("set logscale y 10\nset grid\nset key outside noenhanced\n", gnuplot);
    fputs("set xlabel 'frame, of 1000 allocations each'\n", gnuplot);
    fputs("set ylabel 'slowest allocation, us'\n", gnuplot);
    fprintf(gnuplot, "set multiplot layout %zu,1 title 'A pool grows to 1,000,000 objects'\n",
            PANELS);
    for (size_t p = 0; p < PANELS; p++)
        put_panel(gnuplot, p);
}

static bool draw(const options *o, trace *traces)
{
    FILE *gnuplot = popen("gnuplot", "w");
    if (gnuplot)
        put_script(gnuplot, o, traces);
    if (gnuplot && pclose(gnuplot) == 0)
        return true;
    fprintf(stderr, "tarn-bench: gnuplot did not draw '%s'\n", o->growth_path);
    return false;
}

bool growth_plot(const options *o)
{
    trace *traces = calloc(PANELS * LINES, sizeof *traces);
    if (!traces) {
        fprintf(stderr, "tarn-bench: no memory for the traces\n");
        return false;
    }
    bool drawn = run_all(o->rounds, traces) && draw(o, traces);
    free(traces);
    return drawn;
}
