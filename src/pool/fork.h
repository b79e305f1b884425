/* A forked child's pools. Of the process's threads only the forking one lives on in the child; the
 * others vanished anywhere, also inside a call. Stacks are whole all the same, since each of their
 * changes is one CAS. What a call holds between two CASes, and a cache's private part, is not. */
#ifndef TARN_POOL_FORK_H
#define TARN_POOL_FORK_H

#include "pool/state.h"

/* In the child, before anything else of it runs: keeps the caches of the forking thread, whose id
 * was `before` and is `now`; marks those of all other guest threads as lost, since they may have
 * been changed halfway; ends a growth that nobody is left to end. */
void tarn_fork_repair_(tarn_pool *pool, uint32_t before, uint32_t now);

/* As part of clear, which makes everything whole again: the lost caches become free. */
void tarn_fork_forget_(tarn_pool *pool);

#endif
