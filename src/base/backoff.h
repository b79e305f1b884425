/* What a thread does after a lost CAS: spin a little, twice as long each time (Concurrency Kit's
 * exponential backoff). No happens-before depends on it. */
#ifndef TARN_BASE_BACKOFF_H
#define TARN_BASE_BACKOFF_H

#include <ck_backoff.h>

typedef struct tarn_backoff {
    ck_backoff_t spins;
} tarn_backoff;

#define TARN_BACKOFF_INIT \
    {                     \
        16                \
    }

/* Short bounds: the CAS windows here are a few instructions, so a long sleep only idles cores. */
#define TARN_BACKOFF_SPINS_MAX 1024u

static inline void tarn_backoff_wait(tarn_backoff *backoff)
{
    ck_backoff_t spins = backoff->spins;
    if (spins > TARN_BACKOFF_SPINS_MAX)
        spins = TARN_BACKOFF_SPINS_MAX;
    ck_backoff_eb(&spins);
    backoff->spins = spins;
}

#endif
