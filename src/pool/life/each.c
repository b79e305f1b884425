#include "tarn/each.h"

#include "base/line.h"
#include "base/size.h"
#include "pool/life/word.h"
#include "tarn/full.h"

#include <string.h>

#define SLOTS_PER_LINE (TARN_LINE_BYTES / sizeof(uint32_t))

/* An object's memory is asked for while so many others are visited, fewer where all are live and
 * the processor fetches ahead by itself, but for the ends of pages. */
#define AHEAD_OBJECTS  64u
#define AHEAD_IN_ORDER 32u

/* Words are looked at in octets, and octets in chunks, until so many have a live slot. The words
 * themselves are asked for this far ahead: the processor's own prefetching ends at each page. */
#define OCTET_SLOTS  8u
#define CHUNK_SLOTS  (8 * OCTET_SLOTS)
#define OCTETS_LEAST 8u
#define AHEAD_SLOTS  1024u

/* Live slots that were found and not yet visited, and room for what one search finds, with the one
 * place that is written and not kept. */
typedef struct queue {
    uint32_t live[AHEAD_OBJECTS + (OCTETS_LEAST + CHUNK_SLOTS / OCTET_SLOTS) * OCTET_SLOTS +
                  CHUNK_SLOTS + 1];
    uint32_t count;
} queue;

typedef struct visitor {
    tarn_visit_fn *visit;
    void *context;
    size_t visited;
} visitor;

size_t tarn_each_slots(const tarn_pool *pool)
{
    /* relaxed: an object that is live throughout was carved before. */
    return pool && pool->has_lives ? (size_t)tarn_u64_load_relaxed(&pool->slots_carved) : 0;
}

tarn_range tarn_each_part(size_t slots, size_t index, size_t count)
{
    tarn_range range = {0, 0};
    if (index >= count)
        return range;
    size_t lines = (slots + SLOTS_PER_LINE - 1) / SLOTS_PER_LINE;
    size_t each = lines / count, rest = lines % count;
    size_t first = each * index + tarn_size_min(index, rest);
    size_t end = first + each + (index < rest);
    range.first = tarn_size_min(first * SLOTS_PER_LINE, slots);
    range.count = tarn_size_min(end * SLOTS_PER_LINE, slots) - range.first;
    return range;
}

static uint32_t look(const tarn_u32 *word)
{
    return tarn_u32_load_relaxed(word); /* relaxed: looked at again before the visit */
}

/* 1 when any of an octet's slots is live, else 0. */
static uint32_t any_live(const tarn_u32 *word)
{
    return (look(word) | look(word + 1) | look(word + 2) | look(word + 3) | look(word + 4) |
            look(word + 5) | look(word + 6) | look(word + 7)) &
           1;
}

static void prefetch_words(const tarn_pool *pool, size_t slot)
{
    for (size_t i = 0; i < CHUNK_SLOTS; i += 64 / sizeof(uint32_t))
        __builtin_prefetch(&pool->lives[slot + i]);
}

/* Notes which octets have live slots. Returns where it stopped: before an incomplete chunk, or as
 * soon as there are enough. Without a branch on any slot here and below, since what is live is
 * anyone's guess. */
static size_t find_octets(const tarn_pool *pool, size_t first, size_t end, size_t *octets,
                          uint32_t *count)
{
    uint32_t found = 0;
    for (; found < OCTETS_LEAST && end - first >= CHUNK_SLOTS; first += CHUNK_SLOTS) {
        if (end - first >= AHEAD_SLOTS + CHUNK_SLOTS)
            prefetch_words(pool, first + AHEAD_SLOTS);
        for (size_t slot = first; slot < first + CHUNK_SLOTS; slot += OCTET_SLOTS) {
            octets[found] = slot;
            found += any_live(&pool->lives[slot]);
        }
    }
    *count = found;
    return first;
}

static inline void add_live(const tarn_pool *pool, size_t first, size_t slots, queue *q)
{
    uint32_t count = q->count;
    for (size_t slot = first; slot < first + slots; slot++) {
        q->live[count] = (uint32_t)slot;
        count += look(&pool->lives[slot]) & 1;
    }
    q->count = count;
}

/* Returns where the next search begins. */
static size_t find_live(const tarn_pool *pool, size_t first, size_t end, queue *q)
{
    size_t octets[OCTETS_LEAST + CHUNK_SLOTS / OCTET_SLOTS];
    uint32_t count, known = q->count;
    first = find_octets(pool, first, end, octets, &count);
    for (uint32_t i = 0; i < count; i++)
        add_live(pool, octets[i], OCTET_SLOTS, q);
    if (count < OCTETS_LEAST) { /* less than a chunk is left */
        add_live(pool, first, end - first, q);
        first = end;
    }
    /* Few are asked for at once, many as the visits go on. */
    if (q->count - known <= OCTETS_LEAST * OCTET_SLOTS / 2)
        for (uint32_t i = known; i < q->count; i++)
            __builtin_prefetch(tarn_slot_object_(pool, q->live[i]));
    return first;
}

static inline bool visit_slot(const tarn_pool *pool, uint32_t slot, visitor *v)
{
    uint32_t word = tarn_life_word_(pool, slot);
    if (!tarn_life_is_live_(word))
        return true;
    v->visited++;
    return v->visit(v->context, tarn_slot_object_(pool, slot), tarn_life_handle_(pool, slot, word));
}

/* Visits the first in the queue. Returns false when the visitor ended the iteration. */
static bool visit_some(const tarn_pool *pool, queue *q, uint32_t count, visitor *v)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i + AHEAD_OBJECTS < q->count)
            __builtin_prefetch(tarn_slot_object_(pool, q->live[i + AHEAD_OBJECTS]));
        if (!visit_slot(pool, q->live[i], v))
            return false;
    }
    q->count -= count;
    memmove(q->live, q->live + count, q->count * sizeof q->live[0]);
    return true;
}

/* Whether all slots of a chunk are live: then there is nothing to find. */
static bool is_full(const tarn_pool *pool, size_t first, size_t end)
{
    if (end - first < CHUNK_SLOTS)
        return false;
    uint32_t all = 1;
    for (size_t slot = first; slot < first + CHUNK_SLOTS; slot++)
        all &= look(&pool->lives[slot]);
    return all;
}

/* Asks for objects ahead over the chunk's end, also where no object is: nothing is read by that.
 * Returns false when the visitor ended the iteration. */
static bool visit_chunk(const tarn_pool *pool, size_t first, visitor *v)
{
    for (size_t slot = first; slot < first + CHUNK_SLOTS; slot++) {
        __builtin_prefetch(tarn_slot_object_(pool, slot + AHEAD_IN_ORDER));
        if (!visit_slot(pool, (uint32_t)slot, v))
            return false;
    }
    return true;
}

size_t tarn_each_in(const tarn_pool *pool, tarn_range range, tarn_visit_fn *visit, void *context)
{
    visitor v = {visit, context, 0};
    if (!visit)
        return 0;
    size_t slots = tarn_each_slots(pool);
    size_t first = tarn_size_min(range.first, slots);
    size_t end = first + tarn_size_min(range.count, slots - first);
    queue q;
    q.count = 0;
    while (first < end) {
        if (q.count == 0 && is_full(pool, first, end)) {
            if (!visit_chunk(pool, first, &v))
                break;
            first += CHUNK_SLOTS;
            continue;
        }
        first = find_live(pool, first, end, &q);
        uint32_t kept = first < end ? AHEAD_OBJECTS : 0;
        if (q.count > kept && !visit_some(pool, &q, q.count - kept, &v))
            break;
    }
    return v.visited;
}

size_t tarn_each(const tarn_pool *pool, tarn_visit_fn *visit, void *context)
{
    return tarn_each_in(pool, (tarn_range){0, SIZE_MAX}, visit, context);
}

typedef struct search {
    tarn_score_fn *score;
    void *context;
    int64_t lowest_score;
    tarn_handle lowest;
} search;

static bool compare(void *context, void *object, tarn_handle handle)
{
    search *s = context;
    int64_t score = s->score(s->context, object);
    if (score < s->lowest_score) {
        s->lowest_score = score;
        s->lowest = handle;
    }
    return true;
}

tarn_handle tarn_evict_lowest(const tarn_pool *pool, tarn_score_fn *score, void *context)
{
    search s = {score, context, TARN_SCORE_PINNED, {0}};
    if (score)
        tarn_each(pool, compare, &s);
    return s.lowest;
}
