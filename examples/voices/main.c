/* 32 voices, and more notes than that: the quietest makes room.
 *
 * Two threads play notes: each takes a voice by handle, and lets go of it some steps later. When
 * all voices sound, the pool evicts the quietest one; its player finds its handle stale, once, and
 * knows that the note is over. The music has a voice of its own that is never evicted.
 *
 * A voice that was just taken must not be stolen while its player still sets it up: hooks leave
 * every free voice pinned, and its player lets go of that last. */
#include "tarn/tarn.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { VOICES = 32, PLAYERS = 2, NOTES_HELD = 40, STEPS = 20000, LOUDEST = 1000 };

#define PINNED (LOUDEST + 1) /* not ready yet, or the music */

typedef struct voice {
    atomic_int loudness; /* read by evictors while players write it */
    int note;
} voice;

TARN_POOL_DEFINE(voices, voice);

static int64_t keep_the_loud(void *context, const void *object)
{
    (void)context;
    /* acquire: who steals the voice comes after what its player wrote. */
    int loudness = atomic_load_explicit(&((voice *)object)->loudness, memory_order_acquire);
    return loudness == PINNED ? TARN_SCORE_PINNED : loudness;
}

static tarn_handle quietest(void *context, tarn_pool *pool)
{
    return tarn_evict_lowest(pool, keep_the_loud, context);
}

static void pin(void *context, void *object)
{
    (void)context;
    atomic_store_explicit(&((voice *)object)->loudness, PINNED, memory_order_relaxed);
}

static bool make(void *context, void *object)
{
    pin(context, object);
    return true;
}

typedef struct player {
    tarn_pool *pool;
    uint32_t dice;
    voices_handle held[NOTES_HELD];
    unsigned played, ended, stolen;
    bool failed;
} player;

static uint32_t roll(player *p)
{
    p->dice = p->dice * 1664525u + 1013904223u;
    return p->dice >> 8;
}

static void end_note(player *p, tarn_cache *cache, voices_handle *handle)
{
    if (tarn_handle_is_none(handle->any))
        return;
    tarn_status status = voices_release(cache, *handle);
    p->ended += status == TARN_OK;
    p->stolen += status == TARN_ERROR_STALE; /* its voice sounds another note by now */
    p->failed |= status != TARN_OK && status != TARN_ERROR_STALE;
    handle->any = (tarn_handle){0};
}

static void play_note(player *p, tarn_cache *cache, voices_handle *handle)
{
    voice *v = voices_take(cache, handle);
    if (!v) {
        p->failed = true; /* there is always a voice to steal */
        return;
    }
    v->note = (int)(roll(p) % 88);
    atomic_store_explicit(&v->loudness, (int)(1 + roll(p) % LOUDEST), memory_order_release);
    p->played++;
}

static void *play(void *argument)
{
    player *p = argument;
    tarn_cache *cache;
    p->failed = tarn_cache_attach(p->pool, &cache) != TARN_OK;
    for (int step = 0; step < STEPS && !p->failed; step++) {
        voices_handle *handle = &p->held[roll(p) % NOTES_HELD];
        end_note(p, cache, handle);
        play_note(p, cache, handle);
    }
    for (int i = 0; i < NOTES_HELD && !p->failed; i++)
        end_note(p, cache, &p->held[i]);
    if (!p->failed)
        tarn_cache_detach(cache);
    return p;
}

/* Returns the music's voice, which stays pinned, or NULL. */
static voice *start_music(tarn_pool *pool, voices_handle *handle)
{
    void *object;
    return tarn_guest_take(pool, &handle->any, &object) == TARN_OK ? object : NULL;
}

static bool play_all(tarn_pool *pool, player *players)
{
    pthread_t threads[PLAYERS];
    int started = 0;
    bool failed = false;
    for (; started < PLAYERS; started++) {
        players[started] = (player){.pool = pool, .dice = 17u * (unsigned)started + 5};
        if (pthread_create(&threads[started], NULL, play, &players[started]) != 0)
            break;
    }
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
        failed |= players[i].failed;
    }
    return started == PLAYERS && !failed;
}

int main(void)
{
    tarn_pool_options options = voices_options(VOICES);
    options.exact = true; /* 32 and not one more: the sound card has no slack */
    options.evict = quietest;
    options.hooks = (tarn_hooks){.construct = make, .reset = pin, .reset_on_return = true};
    tarn_pool *pool;
    tarn_status status = tarn_pool_create(&options, &pool);
    if (status != TARN_OK) {
        fprintf(stderr, "voices: %s\n", tarn_status_text(status));
        return 1;
    }
    voices_handle music;
    player players[PLAYERS];
    voice *music_voice = start_music(pool, &music);
    bool ok = music_voice && play_all(pool, players);
    ok = ok && voices_resolve(pool, music) == music_voice; /* nobody stole it */
    ok = ok && tarn_guest_release(pool, music.any) == TARN_OK;
    unsigned played = 0, ended = 0, stolen = 0;
    for (int i = 0; ok && i < PLAYERS; i++) {
        played += players[i].played;
        ended += players[i].ended;
        stolen += players[i].stolen;
    }
    tarn_pool_statistics statistics;
    tarn_pool_sample(pool, &statistics);
    /* Each note ended once: by its player, or by another note that took its voice. */
    ok = ok && played == ended + stolen && stolen == statistics.evictions;
    printf("%u notes on %d voices: %u ended, %u stolen: %s\n", played, VOICES, ended, stolen,
           ok ? "as it should be" : "FAILED");
    return tarn_pool_destroy(pool) == TARN_OK && ok ? 0 : 1;
}
