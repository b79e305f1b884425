/* Frame pools: per lane, blocks of objects that stay constructed from frame to frame.
 *
 *   [ header | object | object | ... ]     built: how far objects are constructed
 *
 * A block belongs to its frame pool while the lane keeps it, so that its objects stay what they
 * are. */
#ifndef TARN_FRAME_OBJECTS_H
#define TARN_FRAME_OBJECTS_H

#include "frame/state.h"

static inline tarn_objects *tarn_objects_of_(const tarn_frame_pool *pool)
{
    return (tarn_objects *)(void *)pool;
}

/* The first object of a block, and the end of the last. */
static inline char *tarn_objects_first_(const tarn_objects *pool, tarn_block *block)
{
    return (char *)block + pool->first_bytes;
}
static inline char *tarn_objects_end_of_(const tarn_objects *pool, tarn_block *block)
{
    return tarn_objects_first_(pool, block) + pool->objects_per_block * pool->hot.stride_bytes;
}

/* What a lane has for a frame, or for another on the same side. */
static inline tarn_frame_pool_part_ *tarn_objects_part_(const tarn_objects *pool, uint32_t lane,
                                                        uint64_t number)
{
    return pool->hot.parts[lane * pool->frame->sides + tarn_frame_side_(pool->frame, number)];
}

/* The lane's first block for a frame; NULL when it has none. Of a frame that nobody writes. */
static inline tarn_block *tarn_objects_block_(const tarn_objects *pool, uint64_t number,
                                              uint32_t lane)
{
    uint32_t side = tarn_frame_side_(pool->frame, number);
    /* relaxed: of a frame that the reader may read, the gate brought it; others only differ. */
    bool has_any = tarn_u64_load_relaxed(&pool->lanes[lane].frames[side]) == number;
    return has_any ? pool->lanes[lane].stock.sides[side].first : NULL;
}

/* The end of the objects in a block that the lane has used for a frame. */
static inline char *tarn_objects_used_end_(const tarn_objects *pool, uint32_t lane,
                                           tarn_block *block, uint64_t number)
{
    return block->next ? tarn_objects_end_of_(pool, block)
                       : tarn_objects_part_(pool, lane, number)->cursor;
}

/* Gives back what a lane keeps of the pool's blocks; those of frames in flight stay. The caller has
 * the lane. */
void tarn_objects_empty_(tarn_objects *pool, uint32_t lane, uint64_t dropped);

/* Tells memory checkers that the objects of a dropped frame are nobody's. */
void tarn_objects_hide_(tarn_frame *frame, uint64_t number);

/* Destroys all frame pools of a frame. */
void tarn_objects_end_(tarn_frame *frame);

#endif
