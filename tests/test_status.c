/* Every status has its stable number, its name and a sentence of its own. */
#include "support/check.h"

#include "tarn/status.h"

#include <string.h>

/* Written out, not generated: a number that changes must show up here. */
static const struct {
    int number;
    const char *name;
} statuses[] = {
    {0, "TARN_OK"},
    {1, "TARN_ERROR_INVALID"},
    {2, "TARN_ERROR_TOO_LARGE"},
    {3, "TARN_ERROR_NO_MEMORY"},
    {4, "TARN_ERROR_BUDGET"},
    {5, "TARN_ERROR_FULL"},
    {6, "TARN_ERROR_NO_CACHE"},
    {7, "TARN_ERROR_NOT_ATTACHED"},
    {8, "TARN_ERROR_LIVE_OBJECTS"},
    {9, "TARN_ERROR_STALE"},
    {10, "TARN_ERROR_FOREIGN"},
    {11, "TARN_ERROR_PINNED"},
    {12, "TARN_ERROR_CONSTRUCT"},
    {13, "TARN_ERROR_BUSY"},
    {14, "TARN_ERROR_LATE"},
    {15, "TARN_ERROR_IN_FLIGHT"},
    {16, "TARN_ERROR_CLOSED"},
    {17, "TARN_ERROR_OUTSIDE"},
    {18, "TARN_ERROR_NO_LANE"},
    {19, "TARN_ERROR_NO_THREAD"},
    {20, "TARN_ERROR_NO_WORKER"},
};

#define STATUSES (int)(sizeof statuses / sizeof statuses[0])

static void every_number_keeps_its_name(void **state)
{
    (void)state;
    assert_int_equal(TARN_STATUS_COUNT, STATUSES);
    for (int i = 0; i < STATUSES; i++)
        assert_string_equal(tarn_status_name((tarn_status)statuses[i].number), statuses[i].name);
}

static void every_status_has_a_sentence_of_its_own(void **state)
{
    (void)state;
    for (int i = 0; i < STATUSES; i++) {
        const char *text = tarn_status_text((tarn_status)i);
        assert_true(strlen(text) > 0);
        assert_string_not_equal(text, "unknown status");
        for (int j = 0; j < i; j++)
            assert_string_not_equal(text, tarn_status_text((tarn_status)j));
    }
}

static void an_unknown_number_is_called_so(void **state)
{
    (void)state;
    const int unknown[] = {-1, STATUSES, STATUSES + 1, 12345, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        assert_string_equal(tarn_status_name((tarn_status)unknown[i]), "TARN_STATUS_UNKNOWN");
        assert_string_equal(tarn_status_text((tarn_status)unknown[i]), "unknown status");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_keeps_its_name),
        cmocka_unit_test(every_status_has_a_sentence_of_its_own),
        cmocka_unit_test(an_unknown_number_is_called_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
