/* Carving hands out each magazine once and never moves when it fails; chains keep their members. */
#include "support/check.h"
#include "support/interleave.h"

#include "depot/magazine.h"

#include <string.h>

#define INDEX_MAX        40u
#define MAGAZINE_OBJECTS 3u
#define FAILURES         65536u

typedef struct fixture {
    tarn_magazine headers[INDEX_MAX + 1];
    void *objects[(INDEX_MAX + 1) * MAGAZINE_OBJECTS];
    tarn_magazines magazines;
    uint32_t carved_by_subject, carved_by_other;
    uint32_t point;
} fixture;

static fixture *start(uint32_t index_max)
{
    static fixture f;
    memset(&f, 0, sizeof f);
    tarn_magazines_init(&f.magazines, f.headers, f.objects, MAGAZINE_OBJECTS, index_max);
    return &f;
}

static void carving_hands_out_each_index_once(void **state)
{
    (void)state;
    fixture *f = start(INDEX_MAX);
    for (uint32_t i = 1; i <= INDEX_MAX; i++)
        assert_int_equal(tarn_magazine_carve(&f->magazines), i);
    assert_int_equal(tarn_magazine_carve(&f->magazines), TARN_INDEX_NONE);
}

static void t25_failing_carves_do_not_move_the_index(void **state)
{
    (void)state;
    fixture *f = start(INDEX_MAX);
    tarn_u32_store_relaxed(&f->magazines.carved, INDEX_MAX);
    for (uint32_t i = 0; i < FAILURES; i++)
        assert_int_equal(tarn_magazine_carve(&f->magazines), TARN_INDEX_NONE);
    assert_int_equal(tarn_u32_load_relaxed(&f->magazines.carved), INDEX_MAX);
}

static void t25_carving_near_the_largest_index_does_not_wrap(void **state)
{
    (void)state;
    fixture *f = start(UINT32_MAX);
    tarn_u32_store_relaxed(&f->magazines.carved, UINT32_MAX - 1);
    assert_true(tarn_magazine_carve(&f->magazines) == UINT32_MAX);
    for (uint32_t i = 0; i < FAILURES; i++)
        assert_int_equal(tarn_magazine_carve(&f->magazines), TARN_INDEX_NONE);
    assert_true(tarn_u32_load_relaxed(&f->magazines.carved) == UINT32_MAX);
}

static void carve_as_subject(void *context)
{
    fixture *f = context;
    f->carved_by_subject = tarn_magazine_carve(&f->magazines);
}

static void carve_as_other(void *context, uint32_t point)
{
    fixture *f = context;
    if (point == f->point)
        f->carved_by_other = tarn_magazine_carve(&f->magazines);
}

#define CARVE_POINTS 2u /* a carve that is not disturbed: the look and the CAS */

static void two_that_carve_at_once_never_get_the_same(void **state)
{
    (void)state;
    for (uint32_t point = 1; point <= CARVE_POINTS; point++) {
        fixture *f = start(2);
        f->point = point;
        uint32_t made = interleave(carve_as_subject, carve_as_other, f);
        assert_int_equal(made, CARVE_POINTS + (point == CARVE_POINTS)); /* a CAS was lost */
        assert_int_equal(f->carved_by_other, 1);
        assert_int_equal(f->carved_by_subject, 2);
        assert_int_equal(tarn_magazine_carve(&f->magazines), TARN_INDEX_NONE);
    }
}

static void the_last_magazine_goes_to_one_of_two(void **state)
{
    (void)state;
    for (uint32_t point = 1; point <= CARVE_POINTS; point++) {
        fixture *f = start(1);
        f->point = point;
        interleave(carve_as_subject, carve_as_other, f);
        assert_int_equal(f->carved_by_other, 1);
        assert_int_equal(f->carved_by_subject, TARN_INDEX_NONE);
        assert_int_equal(tarn_u32_load_relaxed(&f->magazines.carved), 1);
    }
}

static void magazines_do_not_share_memory(void **state)
{
    (void)state;
    fixture *f = start(INDEX_MAX);
    for (uint32_t i = 1; i <= INDEX_MAX; i++)
        for (uint32_t k = 0; k < MAGAZINE_OBJECTS; k++)
            tarn_magazine_objects(&f->magazines, i)[k] = (void *)(uintptr_t)(i * 100 + k);
    for (uint32_t i = 1; i <= INDEX_MAX; i++)
        for (uint32_t k = 0; k < MAGAZINE_OBJECTS; k++)
            assert_int_equal((uintptr_t)tarn_magazine_objects(&f->magazines, i)[k], i * 100 + k);
    assert_ptr_equal(tarn_magazine_objects(&f->magazines, INDEX_MAX) + MAGAZINE_OBJECTS,
                     f->objects + sizeof f->objects / sizeof f->objects[0]);
}

static void check_chain(fixture *f, uint32_t count)
{
    uint32_t members[TARN_CHAIN_MAGAZINES_MAX];
    for (uint32_t i = 0; i < count; i++)
        members[i] = 7 + (count - i); /* not in order */
    assert_int_equal(tarn_chain_write(&f->magazines, members, count), members[0]);
    uint32_t found[TARN_CHAIN_MAGAZINES_MAX + 1];
    memset(found, 0xAA, sizeof found);
    assert_int_equal(tarn_chain_read(&f->magazines, members[0], found), count);
    assert_memory_equal(found, members, count * sizeof members[0]);
    assert_int_equal(found[count], 0xAAAAAAAAu);
    for (uint32_t i = 1; i + 1 < count; i++) /* ready to be pushed in one step */
        assert_int_equal(tarn_links_get(&f->magazines.links, members[i]), members[i + 1]);
}

static void a_chain_keeps_its_members_in_order_for_every_size(void **state)
{
    (void)state;
    fixture *f = start(INDEX_MAX);
    for (uint32_t count = 1; count <= TARN_CHAIN_MAGAZINES_MAX; count++)
        check_chain(f, count);
}

static void a_chain_written_over_a_longer_one_ends_where_it_should(void **state)
{
    (void)state;
    fixture *f = start(INDEX_MAX);
    for (uint32_t count = TARN_CHAIN_MAGAZINES_MAX; count >= 1; count--) {
        memset(f->headers, 0x11, sizeof f->headers); /* as if longer ones had been everywhere */
        check_chain(f, count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carving_hands_out_each_index_once),
        cmocka_unit_test(t25_failing_carves_do_not_move_the_index),
        cmocka_unit_test(t25_carving_near_the_largest_index_does_not_wrap),
        cmocka_unit_test(two_that_carve_at_once_never_get_the_same),
        cmocka_unit_test(the_last_magazine_goes_to_one_of_two),
        cmocka_unit_test(magazines_do_not_share_memory),
        cmocka_unit_test(a_chain_keeps_its_members_in_order_for_every_size),
        cmocka_unit_test(a_chain_written_over_a_longer_one_ends_where_it_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
