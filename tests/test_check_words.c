/* The environment variable TARN_CHECK: each word does what it says, in any build, without code, and
 * a word that is not understood is named and left out. */
#define _GNU_SOURCE /* setenv, fork, pipe */

#include "support/child.h"
#include "support/misuse.h"

#include "pool/words.h"

#include <signal.h>
#include <sys/wait.h>

typedef struct refusals {
    uint32_t count;
    char last[100];
} refusals;

static void refuse(void *context, const char *word, size_t length)
{
    refusals *r = context;
    r->count++;
    snprintf(r->last, sizeof r->last, "%.*s", (int)length, word);
}

static void each_word_sets_its_option(void **state)
{
    (void)state;
    const struct {
        const char *words;
        tarn_check_options options;
    } samples[] = {
        {"on", {0}},
        {"fill", {.fill = true}},
        {"random", {.random_order = true}},
        {"redzone", {.red_zone_bytes = 16}},
        {"redzone=100", {.red_zone_bytes = 100}},
        {"redzone=4096", {.red_zone_bytes = 4096}},
        {"quarantine=50", {.quarantine_objects = 50}},
        {"fail=1000", {.fail_one_in = 1000}},
        {"fail=4294967295", {.fail_one_in = UINT32_MAX}},
        {"seed=18446744073709551615", {.seed = UINT64_MAX}},
        {"fill,redzone=8,,seed=7,", {.fill = true, .red_zone_bytes = 8, .seed = 7}},
    };
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        refusals r = {0};
        tarn_check_options options;
        memset(&options, 0, sizeof options);
        assert_true(tarn_words_read_(samples[i].words, &options, refuse, &r));
        assert_int_equal(r.count, 0);
        assert_int_equal(options.fill, samples[i].options.fill);
        assert_int_equal(options.random_order, samples[i].options.random_order);
        assert_int_equal(options.red_zone_bytes, samples[i].options.red_zone_bytes);
        assert_int_equal(options.quarantine_objects, samples[i].options.quarantine_objects);
        assert_int_equal(options.fail_one_in, samples[i].options.fail_one_in);
        assert_true(options.seed == samples[i].options.seed);
    }
}

static void a_word_that_is_not_understood_is_named_and_left_out(void **state)
{
    (void)state;
    const char *const words[] = {"fil",
                                 "fille",
                                 "on=1",
                                 "fill=1",
                                 "quarantine",
                                 "quarantine=",
                                 "fail",
                                 "seed=x",
                                 "seed=-1",
                                 "seed=1x",
                                 "redzone=",
                                 "redzone=4097",
                                 "fail=4294967296",
                                 "seed=18446744073709551616",
                                 "=",
                                 "on fill",
                                 "quarantine=16777217"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        refusals r = {0};
        tarn_check_options options = {0}, none = {0};
        assert_false(tarn_words_read_(words[i], &options, refuse, &r));
        assert_int_equal(r.count, 1);
        assert_string_equal(r.last, words[i]);
        assert_int_equal(options.red_zone_bytes, none.red_zone_bytes);
        assert_int_equal(options.fail_one_in, none.fail_one_in);
    }
    refusals r = {0};
    tarn_check_options options = {0};
    assert_false(tarn_words_read_("", &options, refuse, &r));
    assert_int_equal(r.count, 0);
    assert_true(tarn_words_read_("bogus,fill,worse", &options, refuse, &r));
    assert_int_equal(r.count, 2);
    assert_string_equal(r.last, "worse");
    assert_true(options.fill);
}

static const tarn_pool_options plain = {.name = "plain", .object_bytes = 24, .capacity = 10};

static void the_variable_checks_a_pool_that_asked_for_nothing(void **state)
{
    (void)state;
    assert_int_equal(setenv("TARN_CHECK", "redzone=40,quarantine=3", 1), 0);
    tarn_pool *pool = kit_pool(&plain);
    assert_true(kit_info(pool).checked);
    assert_int_equal(kit_info(pool).stride_bytes, 64);
    kit_destroy(pool);
    assert_int_equal(setenv("TARN_CHECK", "", 1), 0);
    tarn_pool *other = kit_pool(&plain);
#ifndef TARN_CHECKED
    assert_false(kit_info(other).checked);
#endif
    kit_destroy(other);
}

typedef struct asked {
    void (*function)(void);
    const char *words;
} asked;

static void ask_and_run(void *argument)
{
    const asked *a = argument;
    setenv("TARN_CHECK", a->words, 1);
    a->function();
}

static int in_a_child(void (*function)(void), const char *words, char *text, size_t text_bytes)
{
    asked a = {function, words};
    return child_stderr(ask_and_run, &a, text, text_bytes);
}

static void free_twice(void)
{
    tarn_pool *pool = NULL;
    tarn_pool_create(&plain, &pool);
    void *object = tarn_guest_alloc(pool);
    tarn_guest_free(pool, object);
    tarn_guest_free(pool, object);
}

static void a_host_is_told_of_its_misuse_without_any_code(void **state)
{
    (void)state;
    char text[4096];
    int status = in_a_child(free_twice, "on", text, sizeof text);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
    assert_non_null(strstr(text, "pool \"plain\": an object was freed that is free already"));
}

static void use_well(void)
{
    tarn_pool *pool = NULL;
    tarn_pool_create(&plain, &pool);
    tarn_guest_free(pool, tarn_guest_alloc(pool));
    tarn_pool_destroy(pool);
}

static void a_bad_word_is_reported_by_name_and_the_others_are_followed(void **state)
{
    (void)state;
    char text[4096];
    assert_int_equal(in_a_child(use_well, "fill,redzoned,quarantine=x", text, sizeof text), 0);
    assert_non_null(strstr(text, "TARN_CHECK: \"redzoned\" is not understood"));
    assert_non_null(strstr(text, "TARN_CHECK: \"quarantine=x\" is not understood"));
    assert_null(strstr(text, "\"fill\""));
    assert_int_equal(in_a_child(use_well, "fill", text, sizeof text), 0);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_word_sets_its_option),
        cmocka_unit_test(a_word_that_is_not_understood_is_named_and_left_out),
        cmocka_unit_test(the_variable_checks_a_pool_that_asked_for_nothing),
        cmocka_unit_test(a_host_is_told_of_its_misuse_without_any_code),
        cmocka_unit_test(a_bad_word_is_reported_by_name_and_the_others_are_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
