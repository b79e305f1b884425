#include "frame/stock.h"

#include "base/inspect.h"
#include "base/size.h"
#include "tarn/guest.h"

/* So that entering a frame does a bounded piece of work, whatever there is too much of. */
#define SURPLUS_BLOCKS_MAX 16u

#define DECAY_PART 16u

bool tarn_held_add_(tarn_frame *frame, size_t bytes)
{
    /* relaxed: a bound; it orders nothing. */
    uint64_t held = tarn_u64_load_relaxed(&frame->held_bytes);
    do
        if (bytes > frame->memory_bytes_max - held)
            return false;
    while (!tarn_u64_cas_weak_relaxed(&frame->held_bytes, &held, held + bytes));
    return true;
}

void tarn_held_subtract_(tarn_frame *frame, size_t bytes)
{
    /* relaxed: as above. */
    tarn_u64_fetch_add_relaxed(&frame->held_bytes, -(uint64_t)bytes);
}

bool tarn_held_may_grow_(tarn_frame *frame, size_t bytes)
{
    const tarn_frame_options *options = &frame->options;
    tarn_pool_info blocks;
    if (!options->grow)
        return true;
    tarn_pool_describe(frame->blocks, &blocks);
    /* relaxed: a figure. */
    size_t now =
        blocks.capacity * frame->block_bytes + (size_t)tarn_u64_load_relaxed(&frame->span_bytes);
    return options->grow(options->grow_context, frame, now, now + bytes);
}

static void append(tarn_chain *chain, tarn_block *block)
{
    block->next = NULL;
    if (chain->last)
        chain->last->next = block;
    else
        chain->first = block;
    chain->last = block;
    chain->count++;
}

static tarn_block *pop(tarn_chain *chain)
{
    tarn_block *block = chain->first;
    if (!block)
        return NULL;
    chain->first = block->next;
    if (!chain->first)
        chain->last = NULL;
    chain->count--;
    return block;
}

/* Before what is there already, so that the blocks used last come first. */
static void prepend(tarn_chain *chain, tarn_chain more)
{
    if (!more.first)
        return;
    more.last->next = chain->first;
    if (!chain->last)
        chain->last = more.last;
    chain->first = more.first;
    chain->count += more.count;
}

static void publish(tarn_stock *stock, uint32_t held)
{
    /* relaxed: figures for samples. */
    tarn_u32_store_relaxed(&stock->held, held);
    tarn_u32_store_relaxed(&stock->kept_count, stock->kept.count);
}

static uint32_t held(const tarn_stock *stock)
{
    /* relaxed: the owner's own. */
    return tarn_u32_load_relaxed(&stock->held);
}

static tarn_block *take_new(tarn_frame *frame, tarn_stock *stock)
{
    if (!tarn_held_add_(frame, frame->block_bytes))
        return NULL;
    tarn_block *block = tarn_guest_alloc(frame->blocks);
    if (!block) {
        tarn_held_subtract_(frame, frame->block_bytes);
        return NULL;
    }
    *block = (tarn_block){0};
    publish(stock, held(stock) + 1);
    return block;
}

tarn_block *tarn_stock_take_(tarn_frame *frame, tarn_stock *stock, uint32_t side, bool *is_new)
{
    tarn_block *block = pop(&stock->kept);
    *is_new = !block;
    if (!block)
        block = take_new(frame, stock);
    if (!block)
        return NULL;
    append(&stock->sides[side], block);
    publish(stock, held(stock));
    return block;
}

void tarn_stock_rewind_(tarn_stock *stock, uint32_t side, tarn_block *last)
{
    tarn_chain *chain = &stock->sides[side];
    tarn_chain rest = *chain;
    if (last) {
        rest = (tarn_chain){last->next, last->next ? chain->last : NULL, 0};
        for (const tarn_block *block = last->next; block; block = block->next)
            rest.count++;
        last->next = NULL;
        *chain = (tarn_chain){chain->first, last, chain->count - rest.count};
    } else {
        *chain = (tarn_chain){0};
    }
    prepend(&stock->kept, rest);
    publish(stock, held(stock));
}

bool tarn_stock_has_(const tarn_stock *stock, uint32_t side, const tarn_block *block)
{
    const tarn_chain *chain = &stock->sides[side];
    if (block == chain->last)
        return block != NULL;
    const tarn_block *b = chain->first;
    while (b && b != block)
        b = b->next;
    return b != NULL;
}

static uint32_t used(const tarn_stock *stock)
{
    return held(stock) - stock->kept.count;
}

/* The peak rises at once, and falls by a part of its distance to what is in use. */
void tarn_stock_note_(tarn_stock *stock)
{
    uint64_t used_16ths = (uint64_t)used(stock) * DECAY_PART;
    if (used_16ths >= stock->peak_16ths)
        stock->peak_16ths = used_16ths;
    else
        stock->peak_16ths -= (stock->peak_16ths - used_16ths + DECAY_PART - 1) / DECAY_PART;
}

uint32_t tarn_stock_surplus_(const tarn_frame *frame, const tarn_stock *stock, size_t other_bytes)
{
    size_t keep = (size_t)((stock->peak_16ths + DECAY_PART - 1) / DECAY_PART);
    if (frame->options.retention == TARN_RETAIN_ALL)
        return 0;
    if (frame->options.retention == TARN_RETAIN_LIMIT)
        keep = (frame->options.retain_bytes -
                tarn_size_min(frame->options.retain_bytes, other_bytes)) /
               frame->block_bytes;
    if (held(stock) <= keep)
        return 0;
    size_t surplus = tarn_size_min(held(stock) - keep, stock->kept.count);
    return (uint32_t)tarn_size_min(surplus, SURPLUS_BLOCKS_MAX);
}

/* The one used longest ago would be the last, which a list that is linked one way does not give. */
tarn_block *tarn_stock_drop_(tarn_stock *stock)
{
    tarn_block *block = pop(&stock->kept);
    if (block)
        publish(stock, held(stock) - 1);
    return block;
}

void tarn_stock_free_(tarn_frame *frame, tarn_block *block)
{
    if (frame->is_inspected)
        tarn_inspect_show(block, frame->block_bytes);
    tarn_guest_free(frame->blocks, block);
    tarn_held_subtract_(frame, frame->block_bytes);
}
