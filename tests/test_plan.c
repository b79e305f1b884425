/* A plan either fails with a status or satisfies every bound that the pool builds on. */
#include "support/check.h"
#include "support/random.h"

#include "base/size.h"
#include "depot/magazine.h"
#include "pool/loan.h"
#include "pool/plan.h"
#include "pool/state.h"

#define PAGE_BYTES ((size_t)4096)

static tarn_status make_paged(const tarn_pool_options *options, size_t page_bytes, tarn_plan *plan)
{
    return tarn_plan_make(options, page_bytes, sizeof(tarn_pool), sizeof(tarn_cache_state), plan);
}

static tarn_status make(const tarn_pool_options *options, tarn_plan *plan)
{
    return make_paged(options, PAGE_BYTES, plan);
}

static void check_object(const tarn_pool_options *options, const tarn_plan *plan)
{
    assert_int_equal(plan->object_bytes, options->object_bytes);
    if (options->object_alignment)
        assert_int_equal(plan->object_alignment, options->object_alignment);
    assert_int_equal(plan->stride_bytes % plan->object_alignment, 0);
    assert_in_range(plan->stride_bytes, plan->object_bytes,
                    plan->object_bytes + plan->object_alignment - 1);
}

static size_t default_cache_objects(const tarn_plan *plan)
{
    size_t objects = tarn_size_clamp(plan->capacity_max / 16, 2, 2176);
    size_t of_a_mebibyte = ((size_t)1 << 20) / plan->stride_bytes;
    return tarn_size_min(objects, tarn_size_max(of_a_mebibyte, 1));
}

/* A chain or a group, whichever is more. */
static size_t trimmed_at_once(const tarn_plan *plan)
{
    size_t chain = (size_t)plan->chain_magazines * plan->magazine_objects;
    return plan->has_groups ? tarn_size_max(chain, (size_t)1 << plan->group_shift) : 0;
}

static void check_caches(const tarn_pool_options *options, const tarn_plan *plan)
{
    size_t asked = options->cache_objects_max;
    assert_true(plan->cache_objects_max >= 1);
    assert_true(plan->cache_objects_max <= (asked ? asked : default_cache_objects(plan)));
    assert_int_equal(plan->array_objects + plan->shelf_magazines * plan->magazine_objects,
                     plan->cache_objects_max);
    assert_in_range(plan->magazine_objects, 1, TARN_MAGAZINE_OBJECTS_MAX);
    assert_in_range(plan->array_objects, plan->magazine_objects, TARN_CACHE_ARRAY_OBJECTS);
    assert_in_range(plan->chain_magazines, 1, TARN_CHAIN_MAGAZINES_MAX);
    assert_true(plan->chain_magazines <= tarn_size_max(plan->shelf_magazines, 1));
    /* What caches, threads without one, and the one that trims can keep others from finding. */
    size_t strandable = (size_t)plan->caches_max * plan->cache_objects_max +
                        (size_t)16 * plan->chain_magazines * plan->magazine_objects +
                        trimmed_at_once(plan);
    assert_int_equal(plan->slack_slots, strandable);
    /* One for every magazine's worth of slots, and what each hand may keep empty. */
    assert_true(plan->magazines_max >=
                plan->slots_max / plan->magazine_objects +
                    ((size_t)plan->caches_max + 16) * TARN_CACHE_EMPTIES_MAX);
}

static void check_exact(const tarn_plan *plan)
{
    assert_int_equal(plan->slack_slots, 0);
    assert_int_equal(plan->cache_objects_max, 0);
    assert_int_equal(plan->array_objects, 0);
    assert_int_equal(plan->magazine_objects, 0);
    assert_int_equal(plan->shelf_magazines, 0);
    assert_int_equal(plan->chain_magazines, 0);
    assert_int_equal(plan->magazines_max, 0);
}

static void check_regions(const tarn_plan *plan, size_t page_bytes)
{
    size_t magazines = plan->exact ? 0 : (size_t)plan->magazines_max + 1;
    const struct {
        const tarn_region *region;
        size_t bytes_min;
    } regions[] = {
        {&plan->head, sizeof(tarn_pool) + plan->caches_max * sizeof(tarn_cache_state)},
        {&plan->magazine_headers, magazines * sizeof(tarn_magazine)},
        {&plan->magazine_lists, magazines * plan->magazine_objects * sizeof(void *)},
        {&plan->slot_links, (plan->slots_max + 1) * sizeof(tarn_u32)},
        {&plan->loans, plan->loans.bytes_max ? plan->slots_max * sizeof(tarn_loan) : 0},
        {&plan->quarantine, plan->quarantine_objects * sizeof(uint32_t)},
        {&plan->lives, plan->layout.lives_bits ? plan->slots_max * sizeof(tarn_u32) : 0},
        {&plan->groups, tarn_plan_groups(plan, plan->slots_max) * sizeof(tarn_group)},
        {&plan->slots, plan->slots_max * plan->stride_bytes},
    };
    size_t end = 0;
    for (size_t i = 0; i < sizeof regions / sizeof regions[0]; i++) {
        assert_int_equal(regions[i].region->offset_bytes, end);
        assert_int_equal(end % page_bytes, 0);
        assert_in_range(regions[i].region->bytes_max, regions[i].bytes_min,
                        regions[i].bytes_min + page_bytes - 1);
        end += regions[i].region->bytes_max;
    }
    assert_int_equal(plan->reserved_bytes, end);
    assert_true(end <= PTRDIFF_MAX);
}

static void check_plan(const tarn_pool_options *options, const tarn_plan *plan, size_t page_bytes)
{
    check_object(options, plan);
    assert_int_equal(plan->capacity, options->capacity);
    assert_int_equal(plan->capacity_max,
                     options->capacity_max ? options->capacity_max : options->capacity);
    assert_int_equal(plan->caches_max, options->caches_max ? options->caches_max : 64);
    assert_int_equal(plan->slots_max, plan->capacity_max + plan->slack_slots);
    assert_true(plan->slots_max <= TARN_CAPACITY_MAX);
    if (plan->exact)
        check_exact(plan);
    else
        check_caches(options, plan);
    assert_true(plan->exact || !options->exact);
    check_regions(plan, page_bytes);
}

static tarn_pool_options small(void)
{
    return (tarn_pool_options){.object_bytes = 48, .capacity = 1000};
}

static void a_watched_pool_keeps_books_and_has_red_zones_and_no_other_does(void **state)
{
    (void)state;
    tarn_pool_options options = small();
    tarn_plan plan;
    assert_int_equal(make(&options, &plan), TARN_OK);
    assert_int_equal(plan.loans.bytes_max, 0);
    assert_int_equal(plan.quarantine.bytes_max, 0);
    options.checked = true;
    options.check = (tarn_check_options){.red_zone_bytes = 3, .quarantine_objects = 5000};
    assert_int_equal(make(&options, &plan), TARN_OK);
    assert_int_equal(plan.stride_bytes, 64);
    assert_true(plan.loans.bytes_max > 0);
    assert_int_equal(plan.quarantine_objects, 5000);
    check_regions(&plan, PAGE_BYTES);
}

static void zero_fields_mean_what_the_header_says(void **state)
{
    (void)state;
    tarn_pool_options options = small();
    tarn_plan plan;
    assert_int_equal(make(&options, &plan), TARN_OK);
    check_plan(&options, &plan, PAGE_BYTES);
    assert_int_equal(plan.object_alignment, 16);
    assert_int_equal(plan.capacity_max, 1000);
    assert_int_equal(plan.caches_max, 64);
    assert_false(plan.exact);
    assert_in_range(plan.cache_objects_max, 1000 / 16 - 15, 1000 / 16); /* whole magazines */
}

static void the_default_bound_of_a_cache_is_within_what_the_header_says(void **state)
{
    (void)state;
    const struct {
        size_t capacity, object_bytes, bound;
    } cases[] = {
        {1, 8, 2},
        {16, 8, 2},
        {48, 8, 3},
        {64, 8, 4},
        {34816, 8, 2176},
        {1000000, 8, 2176},
        {1000000, 512, 2048},
        {1000000, 1024, 1024},
        {1000000, 65536, 16},
        {1000000, 524288, 2},
        {100, 1048576, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tarn_pool_options options = {.object_bytes = cases[i].object_bytes,
                                     .capacity = cases[i].capacity};
        tarn_plan plan;
        assert_int_equal(make(&options, &plan), TARN_OK);
        assert_int_equal(plan.cache_objects_max, cases[i].bound);
    }
}

static void t8_every_cache_size_gives_a_cache_that_works(void **state)
{
    (void)state;
    for (uint32_t asked = 0; asked <= 5000; asked++) {
        tarn_pool_options options = small();
        options.capacity = 100000;
        options.cache_objects_max = asked;
        tarn_plan plan;
        assert_int_equal(make(&options, &plan), TARN_OK);
        check_plan(&options, &plan, PAGE_BYTES);
        if (asked > 0) /* no more is lost than a part of a magazine */
            assert_true(plan.cache_objects_max + plan.magazine_objects > asked);
    }
}

static void t8_the_largest_cache_size_is_cut_to_what_there_is_room_for(void **state)
{
    (void)state;
    tarn_pool_options options = small();
    options.cache_objects_max = UINT32_MAX;
    tarn_plan plan;
    assert_int_equal(make(&options, &plan), TARN_OK);
    check_plan(&options, &plan, PAGE_BYTES);
    assert_false(plan.exact);
    options.caches_max = TARN_CACHES_MAX;
    assert_int_equal(make(&options, &plan), TARN_OK);
    check_plan(&options, &plan, PAGE_BYTES);
}

static void t3_more_cache_than_capacity_is_made_up_for_by_slack(void **state)
{
    (void)state;
    for (size_t capacity = 1; capacity <= 200; capacity++)
        for (uint32_t caches = 1; caches <= 64; caches *= 2)
            for (uint32_t asked = 0; asked <= 300; asked += 1 + asked / 4) {
                tarn_pool_options options = {.object_bytes = 8,
                                             .capacity = capacity,
                                             .caches_max = caches,
                                             .cache_objects_max = asked};
                tarn_plan plan;
                assert_int_equal(make(&options, &plan), TARN_OK);
                check_plan(&options, &plan, PAGE_BYTES);
                assert_false(plan.exact);
            }
}

static void an_exact_plan_has_no_caches_and_no_slack(void **state)
{
    (void)state;
    tarn_pool_options options = small();
    options.exact = true;
    options.cache_objects_max = 500;
    tarn_plan plan;
    assert_int_equal(make(&options, &plan), TARN_OK);
    assert_true(plan.exact);
    check_plan(&options, &plan, PAGE_BYTES);
}

static void t50_the_largest_capacity_fits_and_one_more_does_not(void **state)
{
    (void)state;
    tarn_pool_options options = {.object_bytes = 1, .capacity = TARN_CAPACITY_MAX};
    tarn_plan plan;
    assert_int_equal(make(&options, &plan), TARN_OK);
    check_plan(&options, &plan, PAGE_BYTES);
    assert_true(plan.exact); /* there are no indices left for slack */
    options.capacity = TARN_CAPACITY_MAX + 1;
    assert_int_equal(make(&options, &plan), TARN_ERROR_INVALID);
    options.capacity = 1;
    options.capacity_max = TARN_CAPACITY_MAX;
    assert_int_equal(make(&options, &plan), TARN_OK);
    options.capacity_max = TARN_CAPACITY_MAX + 1;
    assert_int_equal(make(&options, &plan), TARN_ERROR_INVALID);
}

static void t50_caches_shrink_until_their_slack_fits_below_the_largest_capacity(void **state)
{
    (void)state;
    bool was_exact = true;
    for (size_t room = 0; room <= 400000; room += 1 + room / 8) {
        tarn_pool_options options = {.object_bytes = 8, .capacity = TARN_CAPACITY_MAX - room};
        tarn_plan plan;
        assert_int_equal(make(&options, &plan), TARN_OK);
        check_plan(&options, &plan, PAGE_BYTES);
        assert_false(plan.exact && !was_exact); /* more room is never worse */
        was_exact = plan.exact;
    }
    assert_false(was_exact);
}

static void options_out_of_range_are_invalid(void **state)
{
    (void)state;
    const tarn_pool_options wrong[] = {
        {.object_bytes = 0, .capacity = 1},
        {.object_bytes = 8, .capacity = 0},
        {.object_bytes = TARN_OBJECT_BYTES_MAX + 1, .capacity = 1},
        {.object_bytes = SIZE_MAX, .capacity = 1},
        {.object_bytes = 8, .object_alignment = 3, .capacity = 1},
        {.object_bytes = 8, .object_alignment = 8192, .capacity = 1},
        {.object_bytes = 8, .object_alignment = SIZE_MAX, .capacity = 1},
        {.object_bytes = 8, .object_alignment = SIZE_MAX / 2 + 1, .capacity = 1},
        {.object_bytes = SIZE_MAX, .object_alignment = 4096, .capacity = 1},
        {.object_bytes = 8, .capacity = SIZE_MAX},
        {.object_bytes = 8, .capacity = 1, .capacity_max = SIZE_MAX},
        {.object_bytes = 8, .capacity = 2, .capacity_max = 1},
        {.object_bytes = 8, .capacity = 1, .caches_max = TARN_CACHES_MAX + 1},
        {.object_bytes = 8, .capacity = 1, .caches_max = UINT32_MAX},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        tarn_plan plan;
        check_that(make(&wrong[i], &plan) == TARN_ERROR_INVALID, "case %zu", i);
    }
}

/* No product of options in range reaches 2^64, so what overflows here is the head's size. */
static void t50_sizes_that_do_not_fit_are_too_large(void **state)
{
    (void)state;
    tarn_pool_options options = small();
    const size_t head_bytes[] = {SIZE_MAX, SIZE_MAX - PAGE_BYTES + 1, SIZE_MAX - 2 * PAGE_BYTES,
                                 SIZE_MAX / 2, SIZE_MAX / 2 - PAGE_BYTES};
    for (size_t i = 0; i < sizeof head_bytes / sizeof head_bytes[0]; i++) {
        tarn_plan plan;
        check_that(tarn_plan_make(&options, PAGE_BYTES, head_bytes[i], 0, &plan) ==
                       TARN_ERROR_TOO_LARGE,
                   "case %zu", i);
    }
}

static void t50_a_pool_larger_than_the_address_space_is_refused(void **state)
{
    (void)state;
    tarn_pool_options options = {.object_bytes = TARN_OBJECT_BYTES_MAX,
                                 .capacity = TARN_CAPACITY_MAX};
    tarn_pool *pool = (tarn_pool *)&options;
    tarn_status status = tarn_pool_create(&options, &pool);
    /* Which of both depends on whether 2^52 bytes can be expressed on the machine. */
    assert_true(status == TARN_ERROR_TOO_LARGE || status == TARN_ERROR_NO_MEMORY);
    assert_null(pool);
}

/* ---- random options ---- */

static size_t any_size(random_state *random, size_t max)
{
    const size_t edges[] = {0, 1, 2, 3, max - 1, max, max + 1, SIZE_MAX};
    switch (random_below(random, 4)) {
    case 0:
        return edges[random_below(random, sizeof edges / sizeof edges[0])];
    case 1:
        return max - (size_t)random_below(random, tarn_size_min(max, 100000));
    default: /* each magnitude as often as any other */
        return (size_t)random_next(random) >>
               (64 - tarn_bits_for(max) + (uint32_t)random_below(random, tarn_bits_for(max)));
    }
}

static tarn_pool_options any_options(random_state *random)
{
    return (tarn_pool_options){
        .object_bytes = any_size(random, TARN_OBJECT_BYTES_MAX),
        .object_alignment = random_below(random, 2) ? (size_t)1 << random_below(random, 14) : 0,
        .capacity = any_size(random, TARN_CAPACITY_MAX),
        .capacity_max = random_below(random, 2) ? any_size(random, TARN_CAPACITY_MAX) : 0,
        .grow_objects = any_size(random, TARN_CAPACITY_MAX),
        .caches_max = (uint32_t)any_size(random, TARN_CACHES_MAX),
        .cache_objects_max = (uint32_t)any_size(random, 300000),
        .exact = random_below(random, 8) == 0,
    };
}

static void t50_random_options_fail_with_a_status_or_satisfy_every_bound(void **state)
{
    (void)state;
    random_state random = random_start("random options", 50);
    uint32_t made = 0;
    for (uint32_t i = 0; i < 200000; i++) {
        tarn_pool_options options = any_options(&random);
        size_t page_bytes = PAGE_BYTES << random_below(&random, 10);
        tarn_plan plan;
        tarn_status status = make_paged(&options, page_bytes, &plan);
        if (status != TARN_OK) {
            assert_true(status == TARN_ERROR_INVALID || status == TARN_ERROR_TOO_LARGE);
            continue;
        }
        made++;
        check_plan(&options, &plan, page_bytes);
    }
    assert_true(made > 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_watched_pool_keeps_books_and_has_red_zones_and_no_other_does),
        cmocka_unit_test(zero_fields_mean_what_the_header_says),
        cmocka_unit_test(the_default_bound_of_a_cache_is_within_what_the_header_says),
        cmocka_unit_test(t8_every_cache_size_gives_a_cache_that_works),
        cmocka_unit_test(t8_the_largest_cache_size_is_cut_to_what_there_is_room_for),
        cmocka_unit_test(t3_more_cache_than_capacity_is_made_up_for_by_slack),
        cmocka_unit_test(an_exact_plan_has_no_caches_and_no_slack),
        cmocka_unit_test(t50_the_largest_capacity_fits_and_one_more_does_not),
        cmocka_unit_test(t50_caches_shrink_until_their_slack_fits_below_the_largest_capacity),
        cmocka_unit_test(options_out_of_range_are_invalid),
        cmocka_unit_test(t50_sizes_that_do_not_fit_are_too_large),
        cmocka_unit_test(t50_a_pool_larger_than_the_address_space_is_refused),
        cmocka_unit_test(t50_random_options_fail_with_a_status_or_satisfy_every_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
