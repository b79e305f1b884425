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

static void populate(sector *s)
{
    for (int i = 0; i < TARGETS; i++)
        s->targets[i] = (target){random_between(&s->random, 0, SECTOR_HEIGHT), 100};
    for (int i = 0; i < EMITTERS; i++)
        s->emitters[i] =
            (place){SECTOR_WIDTH / EMITTERS * i, random_between(&s->random, 0, SECTOR_HEIGHT)};
    for (int i = 0; i < MEMBERS; i++)
        s->squad[i] = (place){SECTOR_WIDTH / MEMBERS * i, SECTOR_HEIGHT / 2};
}

static size_t rosters_objects_max(void)
{
    size_t sum = 0;
    for (kind which = 0; which < KIND_COUNT; which++)
        sum += world_sector_objects_max(which);
    return sum;
}

static void place_rosters(sector *s)
{
    void **objects = s->world->roster_memory + s->index * rosters_objects_max();
    for (kind which = 0; which < KIND_COUNT; which++) {
        s->rosters[which] = (roster){objects, 0, world_sector_objects_max(which)};
        objects += world_sector_objects_max(which);
    }
}

static void set_up_sector(world *created, uint32_t index)
{
    sector *s = &created->sectors[index];
    s->world = created;
    s->index = index;
    s->random = random_mix(created->options->seed + index);
    place_rosters(s);
    populate(s);
}

bool world_create(world *created, const options *settings)
{
    uint32_t sectors_count = settings->threads * SECTORS_PER_WORKER;
    size_t sectors_bytes = sectors_count * sizeof(sector);
    size_t shelves_bytes = settings->threads * sizeof(shelf);
    size_t rosters_bytes = sectors_count * rosters_objects_max() * sizeof(void *);
    *created = (world){.options = settings,
                       .sectors = aligned_alloc(_Alignof(sector), sectors_bytes),
                       .sectors_count = sectors_count,
                       .shelves = aligned_alloc(_Alignof(shelf), shelves_bytes),
                       .roster_memory = malloc(rosters_bytes)};
    if (!created->sectors || !created->shelves || !created->roster_memory) {
        world_destroy(created);
        return false;
    }
    hooks_init(&created->hooks);
    memset(created->sectors, 0, sectors_bytes);
    memset(created->shelves, 0, shelves_bytes);
    memset(created->roster_memory, 0xFF, rosters_bytes); /* touches; a clearing calloc would not */
    for (uint32_t i = 0; i < sectors_count; i++)
        set_up_sector(created, i);
    for (uint32_t i = 0; i < settings->threads; i++) {
        created->shelves[i].world = created;
        created->shelves[i].index = i;
    }
    return true;
}

void world_destroy(world *created)
{
    free(created->roster_memory);
    free(created->shelves);
    free(created->sectors);
}

uint64_t world_live(const world *counted, kind which)
{
    uint64_t live = 0;
    for (uint32_t i = 0; i < counted->sectors_count; i++)
        live += counted->sectors[i].born[which] - counted->sectors[i].died[which];
    return live;
}
