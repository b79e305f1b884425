#include "tarn/each.h"

#include "base/line.h"
#include "base/size.h"
#include "pool/life/word.h"
#include "tarn/full.h"

#define SLOTS_PER_LINE (TARN_LINE_BYTES / sizeof(uint32_t))

/* So many live objects are found before the first is visited: their memory is asked for meanwhile,
 * which hides most of the way there where few slots are live. */
#define BATCH_OBJECTS 64u

typedef struct batch {
    uint32_t live[BATCH_OBJECTS + SLOTS_PER_LINE];
    uint32_t count;
} batch;

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

/* Whether any slot of a whole line is live. */
static bool is_line_live(const tarn_pool *pool, size_t first)
{
    uint32_t words = 0;
    for (size_t i = 0; i < SLOTS_PER_LINE; i++)
        words |= tarn_u32_load_relaxed(&pool->lives[first + i]); /* relaxed: as in add_live */
    return tarn_life_is_live_(words);
}

/* Notes which of the slots are live, without a branch, since that is anyone's guess. */
static void add_live(const tarn_pool *pool, size_t first, size_t end, batch *b)
{
    uint32_t count = b->count;
    for (size_t slot = first; slot < end; slot++) {
        b->live[count] = (uint32_t)slot;
        /* relaxed: looked at again before the visit. */
        count += tarn_u32_load_relaxed(&pool->lives[slot]) & 1;
    }
    b->count = count;
}

/* Returns where it stopped: the batch is full, or there are no more slots. */
static size_t find_live(const tarn_pool *pool, size_t first, size_t end, batch *b)
{
    b->count = 0;
    while (first < end && b->count < BATCH_OBJECTS) {
        size_t next = first + tarn_size_min(SLOTS_PER_LINE, end - first);
        if (next - first < SLOTS_PER_LINE || is_line_live(pool, first))
            add_live(pool, first, next, b);
        first = next;
    }
    return first;
}

/* The processor itself fetches what lies in a row. */
static void prefetch(const tarn_pool *pool, const batch *b, size_t slots)
{
    for (uint32_t i = 0; b->count < slots && i < b->count; i++)
        __builtin_prefetch(tarn_slot_object_(pool, b->live[i]));
}

/* Returns false when the visitor ended the iteration. */
static bool visit_all(const tarn_pool *pool, const batch *b, tarn_visit_fn *visit, void *context,
                      size_t *visited)
{
    for (uint32_t i = 0; i < b->count; i++) {
        uint32_t word = tarn_life_word_(pool, b->live[i]);
        if (!tarn_life_is_live_(word))
            continue;
        ++*visited;
        if (!visit(context, tarn_slot_object_(pool, b->live[i]),
                   tarn_life_handle_(pool, b->live[i], word)))
            return false;
    }
    return true;
}

size_t tarn_each_in(const tarn_pool *pool, tarn_range range, tarn_visit_fn *visit, void *context)
{
    size_t visited = 0;
    if (!visit)
        return 0;
    size_t slots = tarn_each_slots(pool);
    size_t first = tarn_size_min(range.first, slots);
    size_t end = first + tarn_size_min(range.count, slots - first);
    batch b;
    for (size_t next = 0; first < end; first = next) {
        next = find_live(pool, first, end, &b);
        prefetch(pool, &b, next - first);
        if (!visit_all(pool, &b, visit, context, &visited))
            break;
    }
    return visited;
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
