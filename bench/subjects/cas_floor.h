/* The least that an end of life can cost of which only one of several callers may be the one:
 * tarn's calls for pools without handles, and one compare-and-swap per object that nobody disputes.
 */
#define subject_free subject_free_plain
#include "subjects/tarn.h"
#undef subject_free

#include <stdatomic.h>

static _Thread_local _Atomic uint32_t subject_lives;

static inline void subject_free(subject_handle handle, void *object)
{
    /* relaxed: the thread's own word. */
    uint32_t lives = atomic_load_explicit(&subject_lives, memory_order_relaxed);
    if (atomic_compare_exchange_strong_explicit(&subject_lives, &lives, lives + 1,
                                                memory_order_relaxed, memory_order_relaxed))
        subject_free_plain(handle, object);
}
