/* A reference pool: what one pool may answer, told by simple means. Each call goes to the library
 * and to the model; where they disagree the process aborts, which a fuzzer takes for a find.
 *
 * Checked after each call: the status; that a refusal had its reason (the capacity live or
 * promised, and growth impossible); that no object is handed out twice, overlaps another or lies
 * askew; that its content is what its last user left; that a failed call changed nothing; and the
 * figures: allocations, frees, live, refusals, growths, evictions, and slots_carved - free = live.
 * Handles name what is live, and nothing else. The host is asked when the pool is full, and only
 * then. */
#ifndef TARN_TESTS_FUZZ_MODEL_H
#define TARN_TESTS_FUZZ_MODEL_H

#include "support/memory_hooks.h"
#include "tarn/tarn.h"

#include <stdio.h>
#include <stdlib.h>

#define MODEL_USERS       5u /* caches, while attached; the last is always a guest */
#define MODEL_GUEST       (MODEL_USERS - 1)
#define MODEL_BULK_MAX    255u
#define MODEL_OBJECTS_MAX 4096u /* more than any of the fuzzed pools has slots */

#define MODEL_STALE_MAX 16u

#define FUZZ_CHECK(condition) \
    ((condition)              \
         ? (void)0            \
         : (fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition), abort()))

typedef struct model_object {
    unsigned char *address;
    uint32_t stamp; /* names its content; 0: never written */
    tarn_handle handle;
} model_object;

/* How the growth callback answers, and what it does besides. */
typedef enum model_growth {
    GROWTH_AGREES,
    GROWTH_REFUSES,
    GROWTH_FREES,
    GROWTH_ALLOCS
} model_growth;

/* How the host answers when the pool is full. */
typedef enum model_full {
    FULL_MAKES_ROOM, /* names a victim, or frees something at the third attempt */
    FULL_REFUSES,
    FULL_FREES,  /* names what it has just released itself */
    FULL_ALLOCS, /* before it makes room */
    FULL_LIES    /* names what is stale, frees nothing */
} model_full;

/* A call that may be refused: what was before. */
typedef struct model_attempt {
    uint64_t failures, growths_refused;
} model_attempt;

typedef struct model {
    tarn_pool *pool; /* NULL: none at the time */
    tarn_pool_info info;
    size_t budget_bytes;
    memory_hooks *hooks;
    tarn_cache *caches[MODEL_USERS]; /* NULL: not attached */
    uint64_t promised[MODEL_USERS];
    model_object live[MODEL_OBJECTS_MAX];
    uint32_t live_count;
    model_object left[MODEL_OBJECTS_MAX]; /* what freed objects hold, by address: a hash table */
    tarn_handle stale[MODEL_STALE_MAX];   /* of what was freed last */
    uint32_t stale_count;
    bool forgets; /* memory went back, or may have: what is free may be zero */
    uint64_t allocs, frees, refusals, growths;
    uint32_t stamp_last;
    model_growth growth;
    model_full full;
    model_attempt attempt; /* the last that began */
    uint64_t questions, evictions;
    bool is_in_bulk, is_growing, is_pinned; /* pinned: the last question was answered so */
    bool zero_fill;
    uint64_t committed_peak; /* most that was live or promised since the call began */
    uint64_t growths_refused;
    unsigned char *freed_last; /* NULL: none since creation or clear */
    uint32_t reports;
    tarn_misuse misuse_last;
} model;

/* Creates the pool, if the library does; true then. */
void model_create(model *m, tarn_pool_options *options, memory_hooks *hooks);
void model_destroy(model *m);
void model_attach(model *m, uint32_t user);
void model_detach(model *m, uint32_t user);
void model_alloc(model *m, uint32_t user);
void model_free(model *m, uint32_t user, uint32_t which);
void model_alloc_bulk(model *m, uint32_t user, uint32_t count);
void model_free_bulk(model *m, uint32_t user, uint32_t count, uint32_t which);
void model_reserve(model *m, uint32_t user, uint32_t count);
void model_clear(model *m);

/* In pools with handles; else each checks that nothing is done. */
void model_take(model *m, uint32_t user);
void model_release(model *m, uint32_t user, uint32_t which);
void model_release_stale(model *m, uint32_t user, uint32_t bit);
void model_each(model *m, uint32_t visits);

/* Trims, maintains or prepares. */
void model_manage(model *m, uint32_t how, uint32_t count);

/* A thread comes, takes and gives back as a guest, and leaves. */
void model_visit(model *m, uint32_t allocs, uint32_t frees);

/* What no correct program does: kind says what. Checked pools report it, and nothing changes. */
void model_misuse(model *m, uint32_t user, uint32_t kind);

/* The figures, against the model's. */
void model_check_figures(model *m);

/* The host of a full pool, with the model as its context. */
tarn_evict_fn model_evict;
tarn_full_fn model_make_room;

/* Before a call that may be refused, and what came of it. */
model_attempt model_begin(model *m);
void model_note_attempt(model *m, uint32_t user, void *object, const model_attempt *a);

/* Notes for the other files. */
void model_note_handle(model *m, model_object *object);
void model_note_stale(model *m, tarn_handle handle);
void model_note_alloc(model *m, void *object);
void *model_note_free(model *m, uint32_t which);
uint64_t model_committed(const model *m);

#endif
