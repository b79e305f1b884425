/* What the modelled threads get from the system: locks, thread ends, futexes. rename.h sends the
 * calls here. Keeps to what base/thread.h uses. */
#ifndef TARN_MODEL_SYSTEM_H
#define TARN_MODEL_SYSTEM_H

#include <stdint.h>

void model_system_begin_run(void);

/* Sleeps if the word still has that value, as the kernel does: it reads the newest. */
void model_futex_wait(const uint32_t *word, uint32_t value);
void model_futex_wake(const uint32_t *word, uint32_t count_max);

#endif
