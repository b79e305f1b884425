/* Two threads that free one object at the same time, told step by step: wherever the first is
 * stopped, one of them frees it and the other is reported. */
#include "support/check.h"
#include "support/interleave.h"
#include "support/misuse.h"

typedef struct scene {
    tarn_pool *pool;
    tarn_cache *caches[2];
    void *object;
    uint32_t acts_at; /* the point at which the other thread acts */
    misuse_log log;
} scene;

static void free_it(void *context)
{
    scene *s = context;
    tarn_free(s->caches[0], s->object);
}

static void free_it_too(void *context, uint32_t point)
{
    scene *s = context;
    if (point == s->acts_at)
        tarn_free(s->caches[1], s->object);
}

static void t35_of_two_frees_that_overlap_anywhere_one_is_reported(void **state)
{
    (void)state;
    for (uint32_t variant = 0; variant < 4; variant++) {
        uint32_t points = 1;
        for (uint32_t at = 1; at <= points; at++) {
            tarn_pool_options options = {.object_bytes = 24,
                                         .capacity = 100,
                                         .caches_max = 2,
                                         .exact = variant % 2,
                                         .check = {.quarantine_objects = variant / 2}};
            scene s = {.acts_at = at};
            s.pool = misuse_pool(&s.log, options);
            s.caches[0] = kit_attach(s.pool);
            s.caches[1] = kit_attach(s.pool);
            s.object = tarn_alloc(s.caches[0]);
            points = interleave(free_it, free_it_too, &s);
            misuse_expect_one(&s.log, TARN_MISUSE_DOUBLE_FREE);
            kit_expect_conserved(s.pool, 0);
            kit_destroy(s.pool);
        }
        assert_true(points > 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t35_of_two_frees_that_overlap_anywhere_one_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
