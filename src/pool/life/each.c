#include "tarn/each.h"

#include "base/line.h"
#include "base/size.h"
#include "pool/life/word.h"
#include "tarn/full.h"

/* Slots whose words are looked at before their objects are visited: their memory is asked for
 * meanwhile. */
#define BLOCK_SLOTS 128u

#define SLOTS_PER_LINE (TARN_LINE_BYTES / sizeof(uint32_t))

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

/* Notes which of the block's slots are live, without a branch, since that is anyone's guess. */
static uint32_t find_live(const tarn_pool *pool, size_t first, size_t end, uint32_t *live)
{
    uint32_t count = 0;
    for (size_t slot = first; slot < end; slot++) {
        live[count] = (uint32_t)slot;
        /* relaxed: looked at again before the visit. */
        count += tarn_u32_load_relaxed(&pool->lives[slot]) & 1;
    }
    return count;
}

/* Returns false when the visitor ended the iteration. */
static bool visit_block(const tarn_pool *pool, size_t first, size_t end, tarn_visit_fn *visit,
                        void *context, size_t *visited)
{
    uint32_t live[BLOCK_SLOTS];
    uint32_t count = find_live(pool, first, end, live);
    if (count < BLOCK_SLOTS) /* a full one is fetched by the processor itself */
        for (uint32_t i = 0; i < count; i++)
            __builtin_prefetch(tarn_slot_object_(pool, live[i]));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t word = tarn_life_word_(pool, live[i]);
        if (!tarn_life_is_live_(word))
            continue;
        ++*visited;
        if (!visit(context, tarn_slot_object_(pool, live[i]),
                   tarn_life_handle_(pool, live[i], word)))
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
    for (size_t next = 0; first < end; first = next) {
        next = first + tarn_size_min(BLOCK_SLOTS, end - first);
        if (!visit_block(pool, first, next, visit, context, &visited))
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
