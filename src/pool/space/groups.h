/* Groups: 2^group_shift neighbouring slots, whose memory goes back to the system together.
 *
 *   a group        in use ----------> whole ----------> trimmed
 *                         all its slots      give_back     |
 *                    ^    are sorted                       |
 *                    +-------------------------------------+ restore
 *
 * Free slots lie in the depot in the order in which they were freed. Trimming sorts them: each
 * group has a stack of its own, and slots on it can still be allocated, the lowest group's first,
 * so that the highest become whole.
 *
 *   may overlap   put  take  restore  give_back    I1 sorted is never more than what lies on the
 *   put           yes  yes   yes      yes             stacks: it is added to after a push, and
 *   take          yes  yes   yes      yes             taken from before a pop
 *   restore       yes  yes   yes      yes          I2 a trimmed group's slots are on no list
 *   give_back     yes  yes   yes      no           I3 links, groups and tags are never given back,
 *                                                     so a popper that sleeps over a trim reads
 *                                                     what is still there, and its CAS fails
 *
 *   E9  each change of sorted (release) -> are_dry's loads of it (acquire): pushes and pops.
 *   E10 restore subtracts from slots_trimmed (release) -> restore's load of it (acquire): the
 *       group's slots are sorted.
 *
 * What is on its way between two stacks is in one hand: a chain or a group, which the slack makes
 * up for (plan.c). */
#ifndef TARN_POOL_SPACE_GROUPS_H
#define TARN_POOL_SPACE_GROUPS_H

#include "pool/state.h"

void tarn_groups_init_(tarn_pool *pool);

/* Groups that slots were ever carved from. */
uint32_t tarn_groups_used_(const tarn_pool *pool);

/* Puts free slots that the caller holds on their groups' stacks. */
void tarn_groups_put_(tarn_pool *pool, void *const *objects, uint32_t count);

/* Takes up to count_max free slots of one group. Returns how many. */
uint32_t tarn_groups_take_(tarn_pool *pool, uint32_t count_max, void **objects);

/* How many slots lie there, to be taken; a little too few while others put and take. */
uint64_t tarn_groups_sorted_(const tarn_pool *pool);

/* Whether at one and the same instant nothing was in the depot, nothing sorted, and nothing trimmed
 * whose memory can be had. */
bool tarn_groups_are_dry_(tarn_pool *pool);

/* After takes found nothing: makes a trimmed group's memory usable, or waits for a thread that does
 * so. False when there is no such group, or no memory for it. */
bool tarn_groups_restore_(tarn_pool *pool);

/* Gives a group's memory back if all its slots are sorted. For the trimmer. Returns how many slots
 * went, and adds to *bytes. */
uint32_t tarn_groups_give_back_(tarn_pool *pool, uint32_t group, size_t *bytes);

/* Whether the slot's memory has gone back. No trim may overlap. */
bool tarn_groups_is_trimmed_(const tarn_pool *pool, uint64_t slot);

/* Forgets what was sorted; what was trimmed stays so. No other use of the pool may overlap. */
void tarn_groups_clear_(tarn_pool *pool);

#endif
