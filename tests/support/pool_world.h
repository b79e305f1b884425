/* A pool with three users that keep account of it: which objects are live and whose, what was
 * promised to each, and what a call under way may hold. Every call is checked against it: no object
 * has two users, a reservation is kept, and a refusal means that at some instant of the call the
 * capacity was live or promised. */
#ifndef TARN_TESTS_SUPPORT_POOL_WORLD_H
#define TARN_TESTS_SUPPORT_POOL_WORLD_H

#include "support/check.h"
#include "support/random.h"

#include "pool/array.h"
#include "pool/slots.h"
#include "tarn/tarn.h"

#define WORLD_SLOTS_MAX 128u
#define WORLD_BULK_MAX  11u

typedef enum user_kind { USER_SUBJECT, USER_OTHER, USER_GUEST, USERS } user_kind;

typedef struct user {
    tarn_cache *cache; /* NULL for a guest, and while detached */
    uint64_t promised; /* allocations that its reservation still owes */
    uint64_t pending;  /* objects that a call under way may hold already, or still */
    uint64_t peak;     /* the most that was committed since its call began */
} user;

typedef struct world {
    tarn_pool *pool;
    user users[USERS];
    bool is_live[WORLD_SLOTS_MAX];
    void *live[WORLD_SLOTS_MAX];
    uint32_t live_count;
    uint32_t capacity;                         /* what the pool promises */
    bool changes_caches;                       /* whether world_call_any may detach and attach */
    uint32_t seed, point;                      /* what the test is at, for messages */
    random_state subject_random, other_random; /* the test's */
} world;

static inline uint64_t world_committed(const world *w)
{
    uint64_t sum = w->live_count;
    for (uint32_t i = 0; i < USERS; i++)
        sum += w->users[i].promised + w->users[i].pending;
    return sum;
}

#define check_world(w, condition)                                                              \
    check_that(condition, "seed %u, point %u, %u live, %llu committed", (w)->seed, (w)->point, \
               (w)->live_count, (unsigned long long)world_committed(w))

static inline void world_note_alloc(world *w, void *object)
{
    uint64_t slot = tarn_slot_of_(w->pool, object);
    check_world(w, slot < w->pool->plan.slots_max);
    check_world(w, !w->is_live[slot]);
    w->is_live[slot] = true;
    w->live[w->live_count++] = object;
}

static inline void *world_note_free(world *w, random_state *random)
{
    uint64_t at = random_below(random, w->live_count);
    void *object = w->live[at];
    w->live[at] = w->live[--w->live_count];
    w->is_live[tarn_slot_of_(w->pool, object)] = false;
    return object;
}

static inline void world_note_peak(world *w)
{
    uint64_t committed = world_committed(w);
    for (uint32_t i = 0; i < USERS; i++)
        if (w->users[i].peak < committed)
            w->users[i].peak = committed;
}

static inline void world_begin(world *w, user *u, uint64_t pending)
{
    u->pending += pending;
    u->peak = 0;
    world_note_peak(w);
}

static inline void world_end(user *u, uint64_t pending)
{
    u->pending -= pending;
}

static inline void world_alloc_one(world *w, user *u)
{
    bool is_owed = u->promised > 0;
    world_begin(w, u, !is_owed);
    void *object = u->cache ? tarn_alloc(u->cache) : tarn_guest_alloc(w->pool);
    world_end(u, !is_owed);
    check_world(w, object || (!is_owed && u->peak > w->capacity));
    if (!object)
        return;
    u->promised -= is_owed;
    world_note_alloc(w, object);
}

static inline void world_free_one(world *w, user *u, random_state *random)
{
    if (w->live_count == 0)
        return;
    void *object = world_note_free(w, random);
    world_begin(w, u, 1);
    if (u->cache)
        tarn_free(u->cache, object);
    else
        tarn_guest_free(w->pool, object);
    world_end(u, 1);
}

static inline void world_alloc_bulk(world *w, user *u, uint32_t count)
{
    void *objects[WORLD_BULK_MAX];
    uint64_t owed = count < u->promised ? count : u->promised;
    world_begin(w, u, count - owed);
    tarn_status status = tarn_alloc_bulk(u->cache, count, objects);
    world_end(u, count - owed);
    check_world(w, status == TARN_OK || (count > owed && u->peak > w->capacity));
    if (status != TARN_OK)
        return;
    u->promised -= owed;
    for (uint32_t i = 0; i < count; i++)
        world_note_alloc(w, objects[i]);
}

static inline void world_free_bulk(world *w, user *u, random_state *random)
{
    void *objects[WORLD_BULK_MAX];
    uint32_t count = 0;
    while (count < WORLD_BULK_MAX && w->live_count > 0)
        objects[count++] = world_note_free(w, random);
    world_begin(w, u, count);
    assert_int_equal(tarn_free_bulk(u->cache, count, objects), TARN_OK);
    world_end(u, count);
}

static inline void world_reserve(world *w, user *u, uint32_t count)
{
    uint64_t before = u->promised;
    uint64_t more = count > before ? count - before : 0;
    world_begin(w, u, more);
    tarn_status status = tarn_cache_reserve(u->cache, count);
    world_end(u, more);
    check_world(w, status == TARN_OK || (more > 0 && u->peak > w->capacity));
    u->promised = status == TARN_OK ? count : before;
}

/* A cache that was given back is empty, down to its last magazine. */
static inline void world_check_empty(const world *w, const tarn_cache_state *left)
{
    check_world(w, tarn_array_count_(left) == 0 && left->empty_count == 0);
    check_world(w, left->reserve_first == TARN_INDEX_NONE);
    check_world(w, tarn_stack_head_is_empty(&w->pool->depot.magazines.links,
                                            tarn_stack_peek(&left->shelf)));
}

static inline void world_change_cache(world *w, user *u)
{
    const tarn_cache_state *left = tarn_cache_state_of_(u->cache);
    assert_int_equal(tarn_cache_detach(u->cache), TARN_OK);
    u->promised = 0;
    if (u != &w->users[USER_SUBJECT]) /* nobody comes in between and attaches it */
        world_check_empty(w, left);
    assert_int_equal(tarn_cache_attach(w->pool, &u->cache), TARN_OK);
}

static inline void world_call_any(world *w, user *u, random_state *random)
{
    switch (random_below(random, u->cache ? 16 : 10)) {
    case 10:
        world_alloc_bulk(w, u, (uint32_t)random_below(random, WORLD_BULK_MAX) + 1);
        break;
    case 11:
        world_free_bulk(w, u, random);
        break;
    case 12:
        world_reserve(w, u, (uint32_t)random_below(random, WORLD_BULK_MAX));
        break;
    case 13:
        if (w->changes_caches)
            world_change_cache(w, u);
        break;
    case 0:
    case 1:
    case 2:
    case 3:
    case 14:
        world_free_one(w, u, random);
        break;
    default:
        world_alloc_one(w, u);
    }
}

#endif
