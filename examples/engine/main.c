/* engine: what tarn does for a game. A headless frame loop on tarn's job system, in which bullets,
 * particles and AI nodes are born and die by the thousand in each frame, played once with tarn and
 * once with malloc. Same seed, same work: the worlds must end alike.
 *
 * To see how tarn is used, read backend_tarn.c and frame_tarn.h; for what the frames do,
 * graph.c and simulate.h. */
#include "isolate.h"
#include "report.h"
#include "verdict.h"

#include <stdio.h>

#define BACKENDS_MAX 2

static size_t results_bytes(const options *settings)
{
    return settings->rounds * sizeof(run_result);
}

static size_t times_bytes(const options *settings)
{
    return settings->frames * sizeof(uint64_t);
}

static bool series_create(series *created, const backend *on, const options *settings)
{
    *created = (series){.on = on,
                        .results = isolate_share(results_bytes(settings)),
                        .frame_ns = isolate_share(settings->rounds * times_bytes(settings)),
                        .best_ns = isolate_share(times_bytes(settings))};
    return created->results && created->frame_ns && created->best_ns;
}

static void series_destroy(series *all, int count, const options *settings)
{
    for (int i = 0; i < count; i++) {
        isolate_unshare(all[i].results, results_bytes(settings));
        isolate_unshare(all[i].frame_ns, settings->rounds * times_bytes(settings));
        isolate_unshare(all[i].best_ns, times_bytes(settings));
    }
}

/* The backends take turns, and take turns at being first, so that a noisy or throttling machine is
 * unfair to none of them. */
static bool run_rounds(const options *settings, series *all, int count)
{
    for (uint32_t round = 0; round < settings->rounds; round++) {
        for (int turn = 0; turn < count; turn++) {
            series *now = &all[(turn + (int)round) % count];
            uint64_t *frame_ns = now->frame_ns + (size_t)round * settings->frames;
            if (!isolate_run_world(now->on, settings, frame_ns, &now->results[round]))
                return false;
        }
    }
    return true;
}

static int run_and_report(const options *settings)
{
    series all[BACKENDS_MAX];
    int count = 0;
    bool ready = true;
    if (settings->use_tarn)
        ready &= series_create(&all[count++], &backend_tarn, settings);
    if (settings->use_malloc)
        ready &= series_create(&all[count++], &backend_malloc, settings);
    if (!ready)
        fprintf(stderr, "engine: no memory for the times of %u frames\n", settings->frames);
    bool passed = false;
    if (ready && run_rounds(settings, all, count)) {
        report_print(settings, all, count);
        passed = verdict_print(settings, all, count);
    }
    series_destroy(all, count, settings);
    return passed ? 0 : 1;
}

int main(int count, char **arguments)
{
    options settings;
    if (!options_parse(count, arguments, &settings))
        return 2;
    if (settings.help) {
        options_print_help();
        return 0;
    }
    return run_and_report(&settings);
}
