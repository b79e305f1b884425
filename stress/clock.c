/* For clock_gettime and nanosleep. */
#define _POSIX_C_SOURCE 200809L

#include "clock.h"

#include <time.h>

uint64_t clock_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_now_ms(void)
{
    return clock_now_ns() / 1000000u;
}

void clock_sleep_us(uint32_t microseconds)
{
    struct timespec pause = {.tv_sec = microseconds / 1000000,
                             .tv_nsec = (long)(microseconds % 1000000) * 1000};
    nanosleep(&pause, NULL);
}
