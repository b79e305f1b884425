/* A sample that is interrupted between any two of its reads: no figure is out of all reason. */
#include "support/interleave.h"
#include "support/kit.h"

enum { CAPACITY = 50, BURST = 40, BURSTS = 30 };

typedef struct scene {
    tarn_pool *pool;
    tarn_cache *caches[3];
    int from, to; /* objects pass one way, from one cache's allocs to another's frees */
    uint32_t point;
    tarn_pool_statistics sampled;
} scene;

static void take_sample(void *context)
{
    scene *s = context;
    tarn_pool_sample(s->pool, &s->sampled);
}

static void let_objects_pass(void *context, uint32_t point)
{
    scene *s = context;
    void *objects[BURST];
    if (point != s->point)
        return;
    for (int burst = 0; burst < BURSTS; burst++) {
        kit_alloc_many(s->caches[s->from], objects, BURST);
        kit_free_many(s->caches[s->to], objects, BURST);
    }
}

static void expect_plausible(const scene *s)
{
    tarn_pool_info info = kit_info(s->pool);
    assert_in_range(s->sampled.live, 0, info.slots);
    assert_in_range(s->sampled.free_in_caches, 0, info.slots);
    assert_in_range(s->sampled.free_in_depot, 0, info.slots);
    assert_in_range(s->sampled.frees, 0, s->sampled.allocs);
    assert_in_range(s->sampled.allocs, 0, kit_sample(s->pool).allocs);
}

static void t69_a_sample_in_the_midst_of_one_way_traffic_is_plausible(void **state)
{
    (void)state;
    static const uint32_t bounds[] = {1, 8, 20};
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
        for (int way = 0; way < 6; way++) {
            scene s = {.pool = kit_small_pool(CAPACITY, 3, bounds[b])};
            for (int i = 0; i < 3; i++)
                s.caches[i] = kit_attach(s.pool);
            s.from = way % 3;
            s.to = (s.from + 1 + way / 3) % 3;
            uint32_t points = 1;
            for (s.point = 1; s.point <= points; s.point++) {
                points = interleave(take_sample, let_objects_pass, &s);
                expect_plausible(&s);
            }
            assert_true(points > 20);
            kit_expect_conserved(s.pool, 0);
            kit_destroy(s.pool);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t69_a_sample_in_the_midst_of_one_way_traffic_is_plausible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
