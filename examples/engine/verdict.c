#include "verdict.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* The run that is being judged, and how many of its promises were broken so far. */
typedef struct judge {
    const backend *on;
    uint32_t round;
    int broken;
} judge;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void
expect(judge *j, bool kept, const char *format, ...)
{
    if (kept)
        return;
    j->broken++;
    printf("broken: %s, round %u: ", j->on->name, j->round + 1);
    va_list values;
    va_start(values, format);
    vprintf(format, values);
    va_end(values);
    printf("\n");
}

/* Objects born minus objects died are those that were found alive. */
static void judge_conservation(judge *j, const run_result *run, kind which)
{
    uint64_t counted = run->counted[which];
    expect(j, run->born[which] - run->died[which] == counted,
           "%" PRIu64 " %s born, %" PRIu64 " died, but %" PRIu64 " found alive", run->born[which],
           kind_name(which), run->died[which], counted);
}

/* The pool's own count says the same as ours; to it, bullets that are still drawn are live. */
static void judge_pool(judge *j, const run_result *run, kind which)
{
    const tarn_pool_statistics *pool = &run->pools[which].statistics;
    uint64_t waiting = which == KIND_BULLET ? run->frame.retired_waiting : 0;
    expect(j, pool->allocs == run->born[which] && pool->frees + waiting == run->died[which],
           "the pool of %s counts %" PRIu64 " allocs, %" PRIu64 " frees and %" PRIu64
           " to come, the engine %" PRIu64 " and %" PRIu64,
           kind_name(which), pool->allocs, pool->frees, waiting, run->born[which],
           run->died[which]);
    expect(j, pool->live == run->counted[which] + waiting,
           "the pool of %s has %" PRIu64 " live and %" PRIu64 " dead, the engine %" PRIu64,
           kind_name(which), pool->live - waiting, waiting, run->counted[which]);
    expect(j, pool->refusals == 0, "the pool of %s refused %" PRIu64 " times", kind_name(which),
           pool->refusals);
}

static void expect_equal(judge *j, uint64_t count, uint64_t first, const char *what)
{
    expect(j, count == first, "%" PRIu64 " %s, in the first run %" PRIu64, count, what, first);
}

/* What lives for a frame: there is some, each command was drawn once or is the last frame's, and
 * all runs say the same. */
static void judge_frames(judge *j, const run_result *run, const run_result *first)
{
    const transients *now = &run->transients;
    expect(j, now->contacts > 0 && now->pictures > 0 && now->retired > 0, "nothing was hit");
    expect(j, now->draws == run->drawn + run->frame.draws_waiting,
           "%" PRIu64 " draw commands written, %" PRIu64 " drawn, %" PRIu64 " to come", now->draws,
           run->drawn, run->frame.draws_waiting);
    expect_equal(j, now->contacts, first->transients.contacts, "contacts");
    expect_equal(j, now->draws, first->transients.draws, "draw commands");
    expect_equal(j, now->pictures, first->transients.pictures, "pictures");
    expect_equal(j, now->retired, first->transients.retired, "bullets died in a frame");
    expect_equal(j, run->frame.draws_waiting, first->frame.draws_waiting, "commands to come");
    expect_equal(j, run->frame.retired_waiting, first->frame.retired_waiting, "dead bullets");
    expect(j, run->drawn_sum == first->drawn_sum,
           "what was drawn sums up to %016" PRIx64 ", in the first run to %016" PRIx64,
           run->drawn_sum, first->drawn_sum);
    expect(j, run->frame.overflows == 0, "%" PRIu64 " overflows of frame memory",
           run->frame.overflows);
    expect(j, run->ended == TARN_OK, "a frame did not end: %s", tarn_status_text(run->ended));
}

static void judge_run(judge *j, const run_result *run, const run_result *first)
{
    judge_frames(j, run, first);
    expect(j, run->hook_calls_after == 0, "%" PRIu64 " calls to the memory hooks after the warm-up",
           run->hook_calls_after);
    expect(j, run->refused == 0, "%" PRIu64 " allocations were refused", run->refused);
    expect(j, run->checksum == first->checksum,
           "the world ended as %016" PRIx64 ", in the first run as %016" PRIx64, run->checksum,
           first->checksum);
    expect(j, run->closed == TARN_OK, "at the end: %s", tarn_status_text(run->closed));
    for (kind which = 0; which < KIND_COUNT; which++) {
        judge_conservation(j, run, which);
        if (j->on->has_pools)
            judge_pool(j, run, which);
    }
}

bool verdict_print(const options *settings, const series *all, int count)
{
    judge j = {0};
    for (int i = 0; i < count; i++) {
        j.on = all[i].on;
        for (j.round = 0; j.round < settings->rounds; j.round++)
            judge_run(&j, &all[i].results[j.round], &all[0].results[0]);
    }
    if (j.broken > 0)
        printf("verdict: FAIL (%d promises broken)\n", j.broken);
    else
        printf("verdict: PASS (no hook calls after the warm-up, no refusals, nothing leaked, every "
               "run drew %016" PRIx64 " and ended as %016" PRIx64 ")\n",
               all[0].results[0].drawn_sum, all[0].results[0].checksum);
    return j.broken == 0;
}
