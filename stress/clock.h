/* Time for the runs: a clock that never jumps, and short sleeps. */
#ifndef STRESS_CLOCK_H
#define STRESS_CLOCK_H

#include <stdint.h>

uint64_t clock_now_ms(void);
uint64_t clock_now_ns(void);
void clock_sleep_us(uint32_t microseconds);

#endif
