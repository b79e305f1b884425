#include "tarn/each.h"

#include "base/line.h"
#include "base/size.h"
#include "pool/life/word.h"
#include "tarn/full.h"

#define SLOTS_PER_LINE (TARN_LINE_BYTES / sizeof(uint32_t))

/* Words are looked at in octets, and octets in chunks. The words themselves are asked for this far
 * ahead: the processor's own prefetching ends at each page. */
#define OCTET_SLOTS  8u
#define CHUNK_OCTETS 8u
#define CHUNK_SLOTS  (CHUNK_OCTETS * OCTET_SLOTS)
#define AHEAD_SLOTS  512u

/* So many live slots are found before the first of them is visited: what is far apart is asked for
 * all at once. More, and what is found last pushes the words out of the first-level cache. */
#define FOUND_MAX CHUNK_SLOTS

/* Where an octet has so many live slots, the processor fetches objects by itself, but for the ends
 * of pages: there, what lies so many slots ahead is asked for. */
#define DENSE_LIVE     3u
#define AHEAD_IN_ORDER 32u

/* A walk over the slots from next to end - 1, and what was found of them and not yet visited: room
 * for what comes with the last one wanted, and for the one place that is written and not kept. */
typedef struct walk {
    const tarn_pool *pool;
    size_t next, end;
    uint32_t octet_live; /* live slots of an octet that has any, as far as is known */
    uint32_t count;
    uint32_t found[FOUND_MAX + CHUNK_SLOTS + 1];
} walk;

/* The host may have an array of pointers of its own type. */
typedef void *object_pointer __attribute__((may_alias));

/* What a call reports, and the room for it. */
typedef struct batch {
    object_pointer *objects;
    tarn_handle *handles; /* or NULL */
    size_t count, count_max;
} batch;

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

static uint32_t all_live(const tarn_u32 *word)
{
    return look(word) & look(word + 1) & look(word + 2) & look(word + 3) & look(word + 4) &
           look(word + 5) & look(word + 6) & look(word + 7) & 1;
}

/* Whether all slots of a chunk are live: then there is nothing to find. */
static bool is_full(const walk *w)
{
    if (w->end - w->next < CHUNK_SLOTS)
        return false;
    const tarn_u32 *words = &w->pool->lives[w->next];
    for (uint32_t i = 0; i < CHUNK_SLOTS; i += OCTET_SLOTS)
        if (!all_live(&words[i]))
            return false;
    return true;
}

static void prefetch_words(const tarn_u32 *words)
{
    for (size_t i = 0; i < CHUNK_SLOTS; i += 64 / sizeof(uint32_t))
        __builtin_prefetch(&words[i]);
}

/* Also where no object is: nothing is read by that. */
static void prefetch_in_order(const tarn_pool *pool, size_t slot)
{
    __builtin_prefetch(tarn_slot_object_(pool, slot + AHEAD_IN_ORDER));
}

/* Notes which octets have live slots, until `wanted` have or less than a chunk is left. Returns how
 * many. Without a branch on any slot, since what is live is anyone's guess. */
static uint32_t find_octets(walk *w, uint32_t wanted, uint32_t *octets)
{
    const tarn_u32 *lives = w->pool->lives;
    uint32_t count = 0;
    size_t first = w->next, end = w->end;
    for (; count < wanted && end - first >= CHUNK_SLOTS; first += CHUNK_SLOTS) {
        if (end - first >= AHEAD_SLOTS + CHUNK_SLOTS)
            prefetch_words(&lives[first + AHEAD_SLOTS]);
        for (uint32_t i = 0; i < CHUNK_SLOTS; i += OCTET_SLOTS) {
            octets[count] = (uint32_t)first + i;
            count += any_live(&lives[first + i]);
        }
    }
    w->next = first;
    return count;
}

/* Adds what is live of a few slots. */
static void add_many(walk *w, size_t first, size_t slots)
{
    const tarn_u32 *words = &w->pool->lives[first];
    uint32_t *found = w->found, count = w->count;
    for (size_t i = 0; i < slots; i++) {
        found[count] = (uint32_t)(first + i);
        count += look(&words[i]) & 1;
    }
    w->count = count;
}

/* The same for an octet with hardly more than one. */
static void add_few(walk *w, size_t first)
{
    const tarn_u32 *words = &w->pool->lives[first];
    uint32_t live = 0;
    for (uint32_t i = OCTET_SLOTS; i-- > 0;)
        live = 2 * live + (look(&words[i]) & 1);
    for (; live; live &= live - 1) {
        uint32_t slot = (uint32_t)first + (uint32_t)__builtin_ctz(live);
        __builtin_prefetch(tarn_slot_object_(w->pool, slot));
        w->found[w->count++] = slot;
    }
}

static bool is_dense(const walk *w)
{
    return w->octet_live >= DENSE_LIVE;
}

/* Until there are `most` or a few more. The walk goes on at the first octet that was not added. */
static void add_octets(walk *w, const uint32_t *octets, uint32_t count, uint32_t most)
{
    bool dense = is_dense(w);
    uint32_t added = 0;
    for (; added < count && w->count < most; added++)
        if (dense)
            add_many(w, octets[added], OCTET_SLOTS);
        else
            add_few(w, octets[added]);
    if (added < count)
        w->next = octets[added];
    if (added > 0)
        w->octet_live = (uint32_t)tarn_size_max(1, w->count / added);
}

/* Finds up to `limit` live slots, the next of the walk, or nothing where what was live has ended
 * while it looked. */
static void find_some(walk *w, uint32_t limit)
{
    uint32_t octets[FOUND_MAX + CHUNK_OCTETS];
    uint32_t wanted = (uint32_t)tarn_size_max(1, limit / w->octet_live);
    w->count = 0;
    add_octets(w, octets, find_octets(w, wanted, octets), limit);
    if (w->count < limit && w->end - w->next < CHUNK_SLOTS) {
        add_many(w, w->next, w->end - w->next);
        w->next = w->end;
    }
    if (w->count > limit) {
        w->next = w->found[limit];
        w->count = limit;
    }
}

/* Finds up to `most` live slots, FOUND_MAX at the most. False only at the walk's end. */
static bool find_live(walk *w, size_t most)
{
    uint32_t limit = (uint32_t)tarn_size_min(most, FOUND_MAX);
    do
        find_some(w, limit);
    while (w->count == 0 && w->next < w->end);
    return w->count > 0;
}

static walk begin(const tarn_pool *pool, tarn_range range)
{
    walk w;
    size_t slots = tarn_each_slots(pool);
    w.pool = pool;
    w.next = tarn_size_min(range.first, slots);
    w.end = w.next + tarn_size_min(range.count, slots - w.next);
    w.octet_live = OCTET_SLOTS;
    return w;
}

static inline bool visit_slot(const tarn_pool *pool, uint32_t slot, visitor *v)
{
    uint32_t word = tarn_life_word_(pool, slot);
    if (!tarn_life_is_live_(word))
        return true;
    v->visited++;
    return v->visit(v->context, tarn_slot_object_(pool, slot), tarn_life_handle_(pool, slot, word));
}

/* Returns false when the visitor ended the iteration, as does the next. */
static bool visit_chunk(walk *w, visitor *v)
{
    size_t first = w->next;
    for (size_t slot = first; slot < first + CHUNK_SLOTS; slot++) {
        prefetch_in_order(w->pool, slot);
        if (!visit_slot(w->pool, (uint32_t)slot, v))
            return false;
    }
    w->next = first + CHUNK_SLOTS;
    return true;
}

static bool visit_found(const walk *w, visitor *v)
{
    bool dense = is_dense(w);
    for (uint32_t i = 0; i < w->count; i++) {
        if (dense)
            prefetch_in_order(w->pool, w->found[i]);
        if (!visit_slot(w->pool, w->found[i], v))
            return false;
    }
    return true;
}

size_t tarn_each_in(const tarn_pool *pool, tarn_range range, tarn_visit_fn *visit, void *context)
{
    visitor v = {visit, context, 0};
    if (!pool || !pool->has_lives || !visit)
        return 0;
    walk w = begin(pool, range);
    bool goes_on = true;
    while (goes_on)
        if (is_full(&w))
            goes_on = visit_chunk(&w, &v);
        else
            goes_on = find_live(&w, FOUND_MAX) && visit_found(&w, &v);
    return v.visited;
}

/* Without a branch on whether the slot is live. */
static inline void report(batch *b, const tarn_pool *pool, uint32_t slot, void *object)
{
    uint32_t word = tarn_life_word_(pool, slot);
    b->objects[b->count] = object;
    if (b->handles)
        b->handles[b->count] = tarn_life_handle_(pool, slot, word);
    b->count += tarn_life_is_live_(word);
}

static void report_chunk(walk *w, batch *all)
{
    const tarn_pool *pool = w->pool;
    size_t stride_bytes = pool->plan.stride_bytes, first = w->next;
    char *object = tarn_slot_object_(pool, first);
    batch b = *all; /* its own copy: what atomic accesses cannot change */
    for (size_t slot = first; slot < first + CHUNK_SLOTS; slot++) {
        __builtin_prefetch(object + AHEAD_IN_ORDER * stride_bytes);
        report(&b, pool, (uint32_t)slot, object);
        object += stride_bytes;
    }
    *all = b;
    w->next = first + CHUNK_SLOTS;
}

static void report_found(const walk *w, batch *all)
{
    const tarn_pool *pool = w->pool;
    bool dense = is_dense(w);
    batch b = *all;
    for (uint32_t i = 0; i < w->count; i++) {
        if (dense)
            prefetch_in_order(pool, w->found[i]);
        report(&b, pool, w->found[i], tarn_slot_object_(pool, w->found[i]));
    }
    *all = b;
}

/* What was found and has ended since leaves room for more. */
size_t tarn_each_batch(const tarn_pool *pool, tarn_range *range, size_t count_max, void **objects,
                       tarn_handle *handles)
{
    batch b = {objects, handles, 0, count_max};
    if (!pool || !pool->has_lives || !range || !objects || count_max == 0)
        return 0;
    walk w = begin(pool, *range);
    bool goes_on = true;
    while (goes_on && b.count < count_max)
        if (count_max - b.count >= CHUNK_SLOTS && is_full(&w))
            report_chunk(&w, &b);
        else if ((goes_on = find_live(&w, count_max - b.count)))
            report_found(&w, &b);
    *range = (tarn_range){w.next, w.end - w.next};
    return b.count;
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
