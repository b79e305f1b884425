/* The pools that the calling thread is at work on while it is in a function of the host's, which
 * may call into any pool again. A list through the stack: each file that needs one has a
 * thread-local head of its own. */
#ifndef TARN_POOL_INSIDE_H
#define TARN_POOL_INSIDE_H

#include "pool/state.h"

typedef struct tarn_inside {
    const tarn_pool *pool;
    const struct tarn_inside *outer;
} tarn_inside;

/* How many times the pool is in the list. */
static inline uint32_t tarn_inside_count_(const tarn_inside *innermost, const tarn_pool *pool)
{
    uint32_t count = 0;
    for (const tarn_inside *i = innermost; i; i = i->outer)
        count += i->pool == pool;
    return count;
}

#endif
