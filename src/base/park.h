/* Where one thread sleeps until others wake it: an event count. Over Concurrency Kit's ck_ec where
 * that is at hand (os_park_ck.c), else in its manner (os_park.c).
 *
 *   the sleeper                          who wakes
 *   ticket = tarn_park_ticket            makes something true
 *   looks whether something is true      tarn_park_wake
 *   if not, tarn_park_wait(ticket)
 *
 * A wake after the ticket was drawn ends that wait, or keeps it from beginning. No happens-before
 * hangs on it: what the sleeper looks at orders itself. */
#ifndef TARN_BASE_PARK_H
#define TARN_BASE_PARK_H

#include <stdint.h>

typedef struct tarn_park {
    uint32_t count;
} tarn_park;

#define TARN_PARK_FOR_EVER UINT64_MAX

uint32_t tarn_park_ticket(const tarn_park *park);

/* Returns after a wake, at the end of the time, or early. */
void tarn_park_wait(tarn_park *park, uint32_t ticket, uint64_t timeout_ns);

/* Any thread, any number of times; a system call only while the thread sleeps. */
void tarn_park_wake(tarn_park *park);

#endif
