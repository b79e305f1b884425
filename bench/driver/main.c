/* tarn-bench: allocators side by side. Each run is a process of its own, built for one subject, so
 * that no allocator interposes on another and each is called as directly as by a user's program. */
#define _GNU_SOURCE /* unsetenv */

#include "driver/busy.h"
#include "driver/check.h"
#include "driver/growth.h"
#include "driver/json.h"
#include "driver/machine.h"
#include "driver/measure.h"
#include "driver/memory.h"
#include "driver/options.h"
#include "driver/plan.h"
#include "driver/plot.h"
#include "driver/table.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define EXIT_USAGE   2
#define BUSY_PERCENT 5 /* what is worth a word */

/* Each configuration as soon as its rounds are done. */
static unsigned print_times(const options *o, plan *p)
{
    unsigned failures = 0;
    table_head(o->csv);
    for (size_t first = 0, count; first < p->cells_count; first += count) {
        count = plan_group(p, first);
        failures += measure_cells(o, p->cells + first, count);
        table_group(o->csv, p, first, count);
    }
    return failures;
}

/* One round goes over all configurations: targets compare between them, too. */
static unsigned print_check(const options *o, plan *p)
{
    unsigned failures = measure_cells(o, p->cells, p->cells_count);
    return failures + check_print(p);
}

static void print_machine(const options *o, const machine *m)
{
    if (!m->optimised)
        fprintf(stderr, "tarn-bench: built without optimisation; the times say little\n");
    if (o->csv)
        return;
    printf("%s, %u cores, %s; %u rounds of %u ms\n\n", m->cpu[0] ? m->cpu : m->system, m->cores,
           m->compiler, o->rounds, o->stint_ms);
    fflush(stdout);
}

static unsigned measure_plan(const options *o, plan *p, FILE *json)
{
    machine m;
    machine_describe(&m);
    print_machine(o, &m);
    busy start = busy_now();
    unsigned failures = o->mode == OPTIONS_CHECK ? print_check(o, p) : print_times(o, p);
    double others_percent = busy_others_percent(&start);
    if (others_percent >= BUSY_PERCENT)
        fprintf(stderr, "tarn-bench: other programs took %.0f%% of the machine meanwhile\n",
                others_percent);
    if (json && !json_write(json, &m, o, p, others_percent))
        failures++;
    if (o->plot_path && !plot_write(o->plot_path, o, p))
        failures++;
    return failures;
}

static int measure_times(options *o)
{
    plan p;
    FILE *json = NULL;
    if (o->mode == OPTIONS_CHECK)
        check_select(o);
    if (!plan_make(o, &p))
        return EXIT_USAGE;
    if (o->mode == OPTIONS_CHECK)
        check_thin(&p);
    if (o->plot_path && !plot_possible())
        return EXIT_FAILURE;
    if (o->json_path && !(json = json_open(o->json_path)))
        return EXIT_FAILURE;
    unsigned failures = measure_plan(o, &p, json);
    free(p.cells);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    options o;
    if (!options_parse(argc, argv, &o))
        return EXIT_USAGE;
    if (o.mode == OPTIONS_HELP) {
        options_help();
        return EXIT_SUCCESS;
    }
    if (!measure_available(&o))
        return EXIT_USAGE;
    unsetenv("LD_PRELOAD");   /* an allocator there would interpose on every subject */
    signal(SIGPIPE, SIG_IGN); /* gnuplot may end early */
    if (o.mode == OPTIONS_GROWTH)
        return plot_possible() && growth_plot(&o) ? EXIT_SUCCESS : EXIT_FAILURE;
    if (o.mode == OPTIONS_MEMORY)
        return memory_print(&o) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    return measure_times(&o);
}
