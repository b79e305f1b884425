#include "short.h"

#include "base/atomic.h"
#include "base/thread.h"
#include "tarn/tarn.h"

#include <stdint.h>

#define THREADS    4u
#define CALLS      20000u
#define HELD_MAX   40u
#define PLACES     64u
#define CAPACITY   (THREADS * (HELD_MAX + 1) + PLACES)
#define ROUNDS     3u /* threads come and go, and leave their caches */
#define CACHES_MAX 3u /* fewer than threads */

/* A user writes both words; between its writes they are equal, and nobody else's. */
typedef struct item {
    uint64_t owner, copy;
} item;

typedef struct field {
    tarn_pool *pool;
    tarn_u64 places[PLACES]; /* items on their way to another thread */
} field;

typedef struct hands {
    field *field;
    tarn_cache *cache; /* NULL: a guest */
    uint64_t number;
    item *held[HELD_MAX];
    uint32_t count;
    uint32_t random;
    bool is_broken;
} hands;

static uint32_t below(hands *own, uint32_t count)
{
    own->random = own->random * 1664525u + 1013904223u;
    return (own->random >> 8) % count;
}

static void take(hands *own)
{
    item *taken = own->cache ? tarn_alloc(own->cache) : tarn_guest_alloc(own->field->pool);
    own->is_broken |= !taken; /* the capacity is never reached */
    if (!taken)
        return;
    taken->owner = taken->copy = own->number;
    own->held[own->count++] = taken;
}

static item *let_go(hands *own)
{
    uint32_t which = below(own, own->count);
    item *left = own->held[which];
    own->held[which] = own->held[--own->count];
    own->is_broken |= left->owner != own->number || left->copy != own->number;
    return left;
}

static void give_back(hands *own, item *left)
{
    own->is_broken |= left->owner != left->copy;
    if (own->cache)
        tarn_free(own->cache, left);
    else
        tarn_guest_free(own->field->pool, left);
}

/* Puts an item where another thread finds it, and frees the one that was there. */
static void hand_over(hands *own)
{
    tarn_u64 *place = &own->field->places[below(own, PLACES)];
    uint64_t none = 0;
    item *left = let_go(own);
    /* An exchange that acquires, then a CAS loop that releases: one of each, as the header has. */
    item *found = (item *)(uintptr_t)tarn_u64_exchange_acquire(place, 0);
    if (found)
        give_back(own, found);
    while (none == 0 && !tarn_u64_cas_weak_release(place, &none, (uintptr_t)left))
        ;
    if (none != 0) /* another thread was faster */
        give_back(own, left);
}

static int work(void *argument)
{
    hands *own = argument;
    for (uint32_t i = 0; i < CALLS; i++) {
        if (own->count < HELD_MAX && below(own, 2))
            take(own);
        else if (own->count > 0 && below(own, 3))
            hand_over(own);
        else if (own->count > 0)
            give_back(own, let_go(own));
    }
    while (own->count > 0)
        give_back(own, let_go(own));
    return own->is_broken;
}

static void run_round(field *f, uint32_t round)
{
    hands all[THREADS] = {{0}};
    tarn_thread threads[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        all[i] = (hands){.field = f, .number = i + 1, .random = round * THREADS + i};
        if (i == 0)
            CHECK(tarn_cache_attach(f->pool, &all[i].cache) == TARN_OK);
        CHECK(tarn_thread_create(&threads[i], work, &all[i]));
    }
    for (uint32_t i = 0; i < THREADS; i++)
        CHECK(tarn_thread_join(threads[i]) == 0);
    CHECK(tarn_cache_detach(all[0].cache) == TARN_OK);
}

static void check_threads(bool exact, bool growing)
{
    tarn_pool_options options = {.object_bytes = sizeof(item),
                                 .capacity = growing ? 1 : CAPACITY,
                                 .capacity_max = CAPACITY,
                                 .caches_max = CACHES_MAX,
                                 .cache_objects_max = 16,
                                 .exact = exact};
    field f = {0};
    CHECK(tarn_pool_create(&options, &f.pool) == TARN_OK);
    for (uint32_t round = 0; round < ROUNDS; round++)
        run_round(&f, round);
    for (uint32_t i = 0; i < PLACES; i++) {
        item *left = (item *)(uintptr_t)tarn_u64_load_relaxed(&f.places[i]);
        if (left)
            tarn_guest_free(f.pool, left);
    }
    tarn_pool_statistics statistics;
    CHECK(tarn_pool_sample(f.pool, &statistics) == TARN_OK);
    CHECK(statistics.live == 0 && statistics.allocs == statistics.frees);
    CHECK(statistics.caches_attached <= 1); /* the caller's own: the others were left */
    CHECK(tarn_pool_destroy(f.pool) == TARN_OK);
}

void short_threads(void)
{
    check_threads(false, false);
    check_threads(false, true);
    check_threads(true, true);
}
