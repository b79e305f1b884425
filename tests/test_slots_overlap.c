/* Two threads that carve slots at once never get the same, wherever one of them is stopped. */
#include "support/check.h"
#include "support/interleave.h"

#include "pool/slots.h"

#include <string.h>

#define CARVE_POINTS 2u /* a carve that is not disturbed: the look and the CAS */

typedef struct carving {
    uint64_t first;
    uint32_t count;
} carving;

typedef struct fixture {
    tarn_pool pool;
    uint64_t limit;
    uint32_t subject_asks, other_asks;
    uint32_t point;
    carving subject, other;
} fixture;

static carving carve(fixture *f, uint32_t count_max)
{
    carving made = {UINT64_MAX, 0};
    made.count = tarn_slots_carve_(&f->pool, count_max, f->limit, &made.first);
    return made;
}

static void subject_carves(void *context)
{
    fixture *f = context;
    f->subject = carve(f, f->subject_asks);
}

static void other_carves(void *context, uint32_t point)
{
    fixture *f = context;
    if (point == f->point)
        f->other = carve(f, f->other_asks);
}

static uint32_t min(uint64_t a, uint64_t b)
{
    return (uint32_t)(a < b ? a : b);
}

/* The other comes first, since its carve falls before the subject's CAS. */
static void check(uint64_t limit, uint32_t subject_asks, uint32_t other_asks, uint32_t point)
{
    static fixture f;
    memset(&f, 0, sizeof f);
    f.limit = limit;
    f.subject_asks = subject_asks;
    f.other_asks = other_asks;
    f.point = point;
    interleave(subject_carves, other_carves, &f);
    assert_int_equal(f.other.count, min(limit, other_asks));
    assert_int_equal(f.subject.count, min(limit - f.other.count, subject_asks));
    if (f.other.count > 0)
        assert_int_equal(f.other.first, 0);
    if (f.subject.count > 0)
        assert_int_equal(f.subject.first, f.other.count);
    assert_int_equal(tarn_u64_load_relaxed(&f.pool.slots_carved), f.other.count + f.subject.count);
}

static void two_that_carve_at_once_never_get_the_same(void **state)
{
    (void)state;
    for (uint64_t limit = 1; limit <= 7; limit++)
        for (uint32_t subject_asks = 1; subject_asks <= 4; subject_asks++)
            for (uint32_t other_asks = 1; other_asks <= 4; other_asks++)
                for (uint32_t point = 1; point <= CARVE_POINTS; point++)
                    check(limit, subject_asks, other_asks, point);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_that_carve_at_once_never_get_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
