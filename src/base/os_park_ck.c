#define _POSIX_C_SOURCE 200809L /* struct timespec for ck_ec.h */

#include "base/park.h"

#include "base/os.h"

#include <ck_ec.h>
#include <stdbool.h>
#include <time.h>

_Static_assert(sizeof(tarn_park) == sizeof(ck_ec32_t), "a tarn_park is an event count of ck");

#define NS_PER_S 1000000000u

static struct timespec in_timespec(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
}

static int get_time(const struct ck_ec_ops *ops, struct timespec *now)
{
    (void)ops;
    *now = in_timespec(tarn_os_time_ns());
    return 0;
}

static uint64_t in_ns(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * NS_PER_S + (uint64_t)time->tv_nsec;
}

static void wait_32(const struct ck_ec_wait_state *state, const uint32_t *word, uint32_t value,
                    const struct timespec *deadline)
{
    (void)state;
    uint64_t left = UINT64_MAX;
    if (deadline) {
        uint64_t now = tarn_os_time_ns(), end = in_ns(deadline);
        left = end > now ? end - now : 0;
    }
    if (left > 0)
        tarn_os_sleep(word, value, left);
}

static void wake_32(const struct ck_ec_ops *ops, const uint32_t *word)
{
    (void)ops;
    tarn_os_wake(word);
}

/* Whoever parks has looked long enough: straight to sleep. */
static const struct ck_ec_ops operations = {
    .gettime = get_time,
    .wait32 = wait_32,
    .wake32 = wake_32,
    .busy_loop_iter = 1,
};

static const struct ck_ec_mode mode = {.ops = &operations, .single_producer = false};

uint32_t tarn_park_ticket(const tarn_park *park)
{
    return ck_ec32_value((const ck_ec32_t *)park);
}

void tarn_park_wait(tarn_park *park, uint32_t ticket, uint64_t timeout_ns)
{
    bool has_end = timeout_ns != TARN_PARK_FOR_EVER;
    uint64_t end_ns = has_end ? tarn_os_time_ns() + timeout_ns : 0;
    struct timespec end = in_timespec(end_ns);
    ck_ec32_wait((ck_ec32_t *)park, &mode, ticket, has_end ? &end : NULL);
}

void tarn_park_wake(tarn_park *park)
{
    ck_ec32_inc((ck_ec32_t *)park, &mode);
}
