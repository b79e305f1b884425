/* How frames are made checked, and what they do where the host has no report function. */
#define _GNU_SOURCE /* fork, pipe, setenv */

#include "support/child.h"
#include "support/frames.h"

#include <signal.h>
#include <sys/wait.h>

static void the_environment_makes_frames_checked(void **state)
{
    (void)state;
    const char *before = getenv("TARN_CHECK");
    char *kept = before ? strdup(before) : NULL;
    static const struct {
        const char *words;
        uint32_t reports;
    } ways[] = {{NULL, 0}, {"", 0}, {"nonsense", 0}, {"on", 1}, {"nonsense,fill", 1}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (ways[i].words)
            setenv("TARN_CHECK", ways[i].words, 1);
        else
            unsetenv("TARN_CHECK");
        tarn_frame *frame = frames_create((tarn_frame_options){0});
        tarn_lane *lane = frame_kit_attach(frame, "test");
        assert_null(tarn_frame_alloc(lane, 1));
#ifdef TARN_CHECKED
        assert_int_equal(frames_log.count, 1);
#else
        assert_int_equal(frames_log.count, ways[i].reports);
#endif
        frames_log.count = 0;
        frames_destroy(frame);
    }
    if (kept)
        setenv("TARN_CHECK", kept, 1);
    else
        unsetenv("TARN_CHECK");
    free(kept);
}

static void allocate_outside(void *unused)
{
    (void)unused;
    tarn_frame_options options = {.name = "render", .checked = true};
    tarn_frame *frame = NULL;
    tarn_lane *lane = NULL;
    if (tarn_frame_create(&options, &frame) == TARN_OK &&
        tarn_lane_attach(frame, "culling", &lane) == TARN_OK)
        (void)tarn_frame_alloc(lane, 4);
}

static void the_default_report_names_the_frame_and_aborts(void **state)
{
    (void)state;
    char text[4096];
    int status = child_stderr(allocate_outside, NULL, text, sizeof text);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
    assert_non_null(strstr(text, "frame \"render\""));
    assert_non_null(strstr(text, "frame memory was asked for outside the frame"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_environment_makes_frames_checked),
        cmocka_unit_test(the_default_report_names_the_frame_and_aborts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
