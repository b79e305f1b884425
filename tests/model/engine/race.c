#include "engine/race.h"

#include "engine/failure.h"
#include "engine/memory.h"
#include "engine/scheduler.h"
#include "engine/trace.h"

#include <string.h>

#define GRANULE_SHIFT 2u
#define GRANULES_MAX  (1u << 15)
#define CELL_NONE     UINT32_MAX

typedef struct granule {
    uintptr_t key;
    uint64_t run; /* the run that the rest belongs to */
    uint32_t cell;
    uint32_t time[MODEL_ACCESS_COUNT][MODEL_THREADS_MAX]; /* of each thread's last; 0: none */
    const void *pc[MODEL_ACCESS_COUNT][MODEL_THREADS_MAX];
} granule;

static granule granules[GRANULES_MAX];
static uint64_t run = 1;

void model_race_begin_run(void)
{
    run++;
}

static uint32_t first_place(uintptr_t key)
{
    return (uint32_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 40) % GRANULES_MAX;
}

/* Entries of earlier runs count as empty, so that nothing has to be cleared. */
static granule *granule_of(uintptr_t key)
{
    uint32_t place = first_place(key);
    for (uint32_t tries = 0; tries < GRANULES_MAX; tries++) {
        granule *found = &granules[place];
        if (found->run == run && found->key == key)
            return found;
        if (found->run != run) {
            memset(found, 0, sizeof *found);
            found->key = key;
            found->run = run;
            found->cell = CELL_NONE;
            return found;
        }
        place = (place + 1) % GRANULES_MAX;
    }
    model_fail("more than %u granules of memory in one run", GRANULES_MAX);
    return &granules[0];
}

/* NULL when the granule was not used in this run. */
static const granule *find_used(uintptr_t key)
{
    uint32_t place = first_place(key);
    for (; granules[place].run == run; place = (place + 1) % GRANULES_MAX)
        if (granules[place].key == key)
            return &granules[place];
    return NULL;
}

static const char *access_name(model_access access)
{
    static const char *const names[] = {"plain read", "plain write", "atomic read", "atomic write"};
    return names[access];
}

static bool conflict(model_access a, model_access b)
{
    bool writes = a == MODEL_PLAIN_WRITE || a == MODEL_ATOMIC_WRITE || b == MODEL_PLAIN_WRITE ||
                  b == MODEL_ATOMIC_WRITE;
    bool plain = a == MODEL_PLAIN_READ || a == MODEL_PLAIN_WRITE || b == MODEL_PLAIN_READ ||
                 b == MODEL_PLAIN_WRITE;
    return writes && plain;
}

static void list(model_access access, uint32_t thread, const void *address, const void *pc)
{
    model_trace_step(&(model_step){.kind = MODEL_STEP_RACE,
                                   .thread = thread,
                                   .pc = pc,
                                   .address = address,
                                   .text = access_name(access)});
}

/* Compares the access with what another thread did here last, in another way. */
static void compare(const granule *found, model_access access, model_access other, const void *pc)
{
    const model_clock *clock = model_memory_clock();
    const void *address = (const void *)(found->key << GRANULE_SHIFT);
    for (uint32_t i = 1; i <= model_thread_count(); i++) {
        if (i == model_self() || found->time[other][i] <= clock->time[i])
            continue;
        list(other, i, address, found->pc[other][i]);
        list(access, model_self(), address, pc);
        model_fail("data race: %s by thread %u, %s by thread %u before it", access_name(access),
                   model_self(), access_name(other), i);
    }
}

void model_race_access(const void *address, size_t bytes, model_access access, const void *pc)
{
    uint32_t self = model_self();
    uintptr_t first = (uintptr_t)address >> GRANULE_SHIFT;
    uintptr_t last = ((uintptr_t)address + bytes - 1) >> GRANULE_SHIFT;
    for (uintptr_t key = first; bytes > 0 && key <= last; key++) {
        granule *found = granule_of(key);
        for (model_access other = 0; other < MODEL_ACCESS_COUNT; other++)
            if (conflict(access, other))
                compare(found, access, other, pc);
        found->time[access][self] = model_memory_clock()->time[self];
        found->pc[access][self] = pc;
        if (access == MODEL_PLAIN_WRITE && found->cell != CELL_NONE)
            model_memory_written_plainly(found->cell);
    }
}

void model_race_discard(const void *address, size_t bytes, const void *pc)
{
    uintptr_t first = (uintptr_t)address >> GRANULE_SHIFT;
    uintptr_t end = first + (bytes >> GRANULE_SHIFT);
    for (uintptr_t key = first; key < end; key++) {
        const granule *found = find_used(key);
        for (model_access other = 0; found && other < MODEL_ACCESS_COUNT; other++)
            compare(found, MODEL_PLAIN_WRITE, other, pc);
    }
}

void model_race_mark_cell(const void *address, uint32_t cell)
{
    granule_of((uintptr_t)address >> GRANULE_SHIFT)->cell = cell;
}
