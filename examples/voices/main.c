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
#include <string.h>

enum { VOICES = 32, PLAYERS = 2, NOTES_HELD = 40, LOUDEST = 1000 };

#define PINNED (LOUDEST + 1) /* not ready yet, or the music */

typedef struct voice {
    atomic_int loudness; /* read by evictors while players write it */
    int note;
} voice;

TARN_POOL_DEFINE(voices, voice);

static int64_t keep_the_loud(void *context, const voice *v)
{
    (void)context;
    /* acquire: who steals the voice comes after what its player wrote. */
    int loudness = atomic_load_explicit(&v->loudness, memory_order_acquire);
    return loudness == PINNED ? TARN_SCORE_PINNED : loudness;
}

static tarn_handle quietest(void *context, tarn_pool *pool)
{
    return voices_evict_lowest(pool, keep_the_loud, context).any;
}

static void pin(void *context, voice *v)
{
    (void)context;
    atomic_store_explicit(&v->loudness, PINNED, memory_order_relaxed);
}

static bool make(void *context, voice *v)
{
    pin(context, v);
    return true;
}

typedef struct player {
    tarn_pool *pool;
    uint32_t dice, notes;
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
    for (uint32_t step = 0; step < p->notes && !p->failed; step++) {
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

static bool play_all(tarn_pool *pool, uint32_t notes, player *players)
{
    pthread_t threads[PLAYERS];
    int started = 0;
    bool failed = false;
    for (; started < PLAYERS; started++) {
        players[started] =
            (player){.pool = pool, .dice = 17u * (unsigned)started + 5, .notes = notes};
        if (pthread_create(&threads[started], NULL, play, &players[started]) != 0)
            break;
    }
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
        failed |= players[i].failed;
    }
    return started == PLAYERS && !failed;
}

/* --notes N: how many each player plays. 0 is no number of notes. */
static uint32_t notes_asked(int argc, char **argv)
{
    if (argc == 1)
        return 20000;
    bool is_asked = argc == 3 && strcmp(argv[1], "--notes") == 0;
    return is_asked ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
}

int main(int argc, char **argv)
{
    uint32_t notes = notes_asked(argc, argv);
    if (notes == 0) {
        fprintf(stderr, "usage: voices [--notes N]\n");
        return 2;
    }
    voices_hooks hooks = {.construct = make, .reset = pin, .reset_on_return = true};
    tarn_pool_options options = voices_options(VOICES);
    options.exact = true; /* 32 and not one more: the sound card has no slack */
    options.evict = quietest;
    voices_set_hooks(&options, &hooks);
    tarn_pool *pool;
    tarn_status status = tarn_pool_create(&options, &pool);
    if (status != TARN_OK) {
        fprintf(stderr, "voices: %s\n", tarn_status_text(status));
        return 1;
    }
    voices_handle music;
    player players[PLAYERS];
    voice *music_voice = voices_guest_take(pool, &music); /* it stays pinned */
    bool ok = music_voice && play_all(pool, notes, players);
    ok = ok && voices_resolve(pool, music) == music_voice; /* nobody stole it */
    ok = ok && voices_guest_release(pool, music) == TARN_OK;
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
