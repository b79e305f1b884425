/* A lane's blocks: those in use by each frame in flight, and those kept for the next. They come
 * from the frame's pool of blocks and go back to it as retention says. All calls are the owner's.
 */
#ifndef TARN_FRAME_STOCK_H
#define TARN_FRAME_STOCK_H

#include "frame/state.h"

/* One more block at the end of the side's chain: kept, or from the pool, which *is_new tells. NULL
 * when the budget or the pool has none. */
tarn_block *tarn_stock_take_(tarn_frame *frame, tarn_stock *stock, uint32_t side, bool *is_new);

/* Keeps the side's blocks behind `last`, all of them for NULL. O(1) for all. */
void tarn_stock_rewind_(tarn_stock *stock, uint32_t side, tarn_block *last);

/* Whether the block is one of the side's. */
bool tarn_stock_has_(const tarn_stock *stock, uint32_t side, const tarn_block *block);

/* Once per frame, before anything is rewound: notes how much is in use. */
void tarn_stock_note_(tarn_stock *stock);

/* How many kept blocks are too many, at most a few. other_bytes: what else counts to the limit of
 * TARN_RETAIN_LIMIT. */
uint32_t tarn_stock_surplus_(const tarn_frame *frame, const tarn_stock *stock, size_t other_bytes);

/* Takes a kept block out, that is then to be freed; NULL when none is kept. */
tarn_block *tarn_stock_drop_(tarn_stock *stock);
void tarn_stock_free_(tarn_frame *frame, tarn_block *block);

/* Memory that lanes hold, within the budget. */
bool tarn_held_add_(tarn_frame *frame, size_t bytes);
void tarn_held_subtract_(tarn_frame *frame, size_t bytes);

/* Asks the host before more memory is taken from the system. */
bool tarn_held_may_grow_(tarn_frame *frame, size_t bytes);

#endif
