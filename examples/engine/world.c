#include "world.h"

#include <stdlib.h>
#include <string.h>

/* How hard a frame is. */
#define CALM_POWER      2
#define STORM_POWER_MIN 4 /* 4, 6, 8, and 4 again */
#define STORM_KINDS     3
#define REHEARSAL_POWER 10
#define LULL_POWER      1

#define STORM_FRAMES 12  /* how long a storm lasts */
#define LULL_FRAMES  120 /* at the end of the warm-up */

uint32_t world_sector_objects_max(kind which)
{
    static const uint32_t objects_max[KIND_COUNT] = {1u << 16, 1u << 17, 1u << 15};
    return objects_max[which];
}

/* A dress rehearsal, as an engine does behind its loading screen: the warm-up is a storm stronger
 * than any that follows, and then a lull quieter than any calm, both longer than anything lives.
 * Each population goes to both its extremes, so that later frames need no memory that the pools do
 * not hold yet, neither for live objects nor for the lists of free ones. */
static uint32_t warm_up_power(uint32_t frame)
{
    return frame < WARM_UP_FRAMES - LULL_FRAMES ? REHEARSAL_POWER : LULL_POWER;
}

uint32_t world_storm_power(const options *settings, uint32_t frame)
{
    if (frame < WARM_UP_FRAMES)
        return warm_up_power(frame);
    if (settings->storm_frames == 0)
        return CALM_POWER;
    uint32_t since = frame - WARM_UP_FRAMES;
    uint32_t storm = since / settings->storm_frames; /* 0: before the first */
    if (storm == 0 || since % settings->storm_frames >= STORM_FRAMES)
        return CALM_POWER;
    return STORM_POWER_MIN + (storm - 1) % STORM_KINDS * 2;
}

static void populate(worker *w)
{
    for (int i = 0; i < TARGETS; i++)
        w->targets[i] = (target){random_between(&w->random, 0, SECTOR_HEIGHT), 100};
    for (int i = 0; i < EMITTERS; i++)
        w->emitters[i] =
            (place){SECTOR_WIDTH / EMITTERS * i, random_between(&w->random, 0, SECTOR_HEIGHT)};
    for (int i = 0; i < MEMBERS; i++)
        w->squad[i] = (place){SECTOR_WIDTH / MEMBERS * i, SECTOR_HEIGHT / 2};
}

static size_t rosters_objects_max(void)
{
    size_t sum = 0;
    for (kind which = 0; which < KIND_COUNT; which++)
        sum += world_sector_objects_max(which);
    return sum;
}

static void place_rosters(worker *w)
{
    void **objects = w->world->roster_memory + w->index * rosters_objects_max();
    for (kind which = 0; which < KIND_COUNT; which++) {
        w->rosters[which] = (roster){objects, 0, world_sector_objects_max(which)};
        objects += world_sector_objects_max(which);
    }
}

bool world_create(world *created, const options *settings)
{
    size_t workers_bytes = settings->threads * sizeof(worker);
    size_t rosters_bytes = settings->threads * rosters_objects_max() * sizeof(void *);
    *created = (world){.options = settings,
                       .workers = aligned_alloc(_Alignof(worker), workers_bytes),
                       .roster_memory = malloc(rosters_bytes)};
    if (!created->workers || !created->roster_memory) {
        world_destroy(created);
        return false;
    }
    memset(created->workers, 0, workers_bytes);
    memset(created->roster_memory, 0xFF, rosters_bytes); /* touches; a clearing calloc would not */
    for (uint32_t i = 0; i < settings->threads; i++) {
        worker *w = &created->workers[i];
        w->world = created;
        w->index = i;
        w->random = random_mix(settings->seed + i);
        place_rosters(w);
        populate(w);
    }
    return true;
}

void world_destroy(world *created)
{
    free(created->roster_memory);
    free(created->workers);
}

uint64_t world_live(const world *counted, kind which)
{
    uint64_t live = 0;
    for (uint32_t i = 0; i < counted->options->threads; i++)
        live += counted->workers[i].born[which] - counted->workers[i].died[which];
    return live;
}
