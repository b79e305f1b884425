/* Claim: while threads allocate and free, trims, maintenance and preparation by any of them never
 * give an object two owners, never refuse one below the capacity, and lose none. A free object's
 * content is as its last owner left it, or zero where its memory went back in between.
 *
 * Threads swing between nothing and their share, so that groups become whole now and then. */
#include "scenarios.h"

#define BUDGET_BYTES     16384u
#define MANAGE_EVERY     512u
#define PREPARED_OBJECTS 1024u

static void expect(worker *w, const char *what, tarn_status status, tarn_status also)
{
    if (status != TARN_OK && status != TARN_ERROR_BUSY && status != also)
        failure_report(&w->run->failure, "%s answered %s", what, tarn_status_name(status));
}

/* An exact pool keeps its memory, and says so. */
static void manage_memory(worker *w)
{
    tarn_pool *pool = w->run->pool;
    tarn_status exact = w->run->info.exact ? TARN_ERROR_INVALID : TARN_OK;
    size_t objects = (size_t)dice_below(&w->dice, w->run->info.capacity + 1);
    switch (dice_below(&w->dice, 4)) {
    case 0:
        expect(w, "a trim", tarn_pool_trim(pool, objects, NULL), exact);
        break;
    case 1:
        objects = objects < PREPARED_OBJECTS ? objects : PREPARED_OBJECTS;
        expect(w, "preparing", tarn_pool_prepare(pool, objects, BUDGET_BYTES, NULL),
               TARN_ERROR_FULL);
        break;
    default:
        expect(w, "maintenance", tarn_pool_maintain(pool, BUDGET_BYTES, NULL), exact);
    }
}

static bool step(worker *w)
{
    if (dice_one_in(&w->dice, MANAGE_EVERY))
        manage_memory(w);
    worker_walk(w);
    return true;
}

static void shape(run *r, tarn_pool_options *options)
{
    (void)r;
    options->shrink.window_calls = 4;
}

const scenario scenario_trim = {
    .name = "trim",
    .claim = "objects stay apart and none is lost while their memory comes and goes",
    .forgets = true,
    .crews_per_pool = 2,
    .rounds_per_crew = 4,
    .round_ms = 100,
    .shape = shape,
    .step = step,
};
