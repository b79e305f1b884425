/* What clients of a pool with handles share: calls that keep the notes of lives.h beside those of
 * pool_kit.h, and the check that each life that ended did so once. */
#ifndef TARN_MODEL_HANDLE_KIT_H
#define TARN_MODEL_HANDLE_KIT_H

#include "clients/pool_kit.h"
#include "tarn/handle.h"

#define HANDLE_KIT_NAMED_MAX 8u

typedef struct handle_kit_world {
    tarn_handle handles[2]; /* taken while setting up */
    void *objects[2];
    tarn_u64 published;                                         /* a handle, without an order */
    tarn_handle named[MODEL_THREADS_MAX][HANDLE_KIT_NAMED_MAX]; /* victims, in the take under way */
    uint32_t named_count[MODEL_THREADS_MAX];
} handle_kit_world;

extern handle_kit_world handle_kit;

/* A pool with a cache for each thread, and objects of 8 bytes; takes that many for the arrays
 * above; the present state is what each run begins with. */
void handle_kit_make(tarn_pool_options options, uint32_t threads);
void handle_kit_take_spares(uint32_t count);
void handle_kit_ready(void);

/* The calls under test, on the running thread's cache. A take writes to the object, unless quietly:
 * others may look at it. *object is NULL when the pool is full. */
tarn_handle handle_kit_take(void **object);
tarn_handle handle_kit_take_quietly(void **object);
void handle_kit_release(tarn_handle handle);
void *handle_kit_resolve(tarn_handle handle);

/* For pools that evict: names the live object of the lowest slot. */
tarn_handle handle_kit_name_victim(void *context, tarn_pool *pool);

uint32_t handle_kit_slot(const void *object);

void handle_kit_begin_run(void);

/* Every slot is free, live or retired. After a run in which a thread stopped: nothing that is free
 * is live. */
void handle_kit_check(void);

#endif
