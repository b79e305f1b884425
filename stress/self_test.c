/* For fork, pipe and waitpid. */
#define _POSIX_C_SOURCE 200809L

#include "self_test.h"

#include "scenarios.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTPUT_BYTES_MAX 16384u

typedef struct expectation {
    plant plant;
    const scenario *scenario;
    const char *phrase; /* in what the child prints */
} expectation;

static const expectation expectations[] = {
    {PLANT_NONE, &scenario_pair, "stress pair: PASS"},
    {PLANT_NONE, &scenario_guests, "stress guests: PASS"},
    {PLANT_TWICE, &scenario_pair, "was handed out while it is owned"},
    {PLANT_TWICE, &scenario_guests, "was handed out while it is owned"},
    {PLANT_LOST, &scenario_pair, "objects were lost"},
    {PLANT_LOST, &scenario_churn, "objects were lost"},
    {PLANT_REFUSE, &scenario_pair, "was refused below the capacity"},
    {PLANT_REFUSE, &scenario_handoff, "was refused below the capacity"},
    {PLANT_REFUSE, &scenario_bulk, "refused"},
    {PLANT_SCRIBBLE, &scenario_pair, "changed its content while it was free"},
    {PLANT_INTERIOR, &scenario_pair, "is not the start of a slot"},
    {PLANT_SERIAL, &scenario_pair, "no overlap"},
    {PLANT_SERIAL, &scenario_exhaustion, "no overlap"},
    {PLANT_HANG, &scenario_pair, "hangs in alloc"},
};

/* Never returns: what it prints goes into the pipe. */
static void run_child(const stress_options *options, const scenario *s, int output)
{
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    bool passed = run_scenario(options, s);
    fflush(stdout);
    _exit(passed ? EXIT_SUCCESS : EXIT_FAILURE);
}

static void read_all(int input, char *text)
{
    size_t length = 0;
    ssize_t got;
    while (length < OUTPUT_BYTES_MAX - 1 &&
           (got = read(input, text + length, OUTPUT_BYTES_MAX - 1 - length)) > 0)
        length += (size_t)got;
    text[length] = '\0';
}

/* Returns the child's wait status. */
static int run_apart(const stress_options *options, const scenario *s, char *text)
{
    int ends[2], status = 0;
    fflush(stdout);
    if (pipe(ends) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run_child(options, s, ends[1]);
    }
    close(ends[1]);
    if (child > 0) {
        read_all(ends[0], text);
        waitpid(child, &status, 0);
    }
    close(ends[0]);
    return child > 0 ? status : -1;
}

static bool ended_as_expected(plant p, int status)
{
    if (status == -1)
        return false;
    if (p == PLANT_HANG)
        return WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) != EXIT_SUCCESS);
    return WIFEXITED(status) &&
           WEXITSTATUS(status) == (p == PLANT_NONE ? EXIT_SUCCESS : EXIT_FAILURE);
}

static bool meets(const stress_options *options, const expectation *e)
{
    static char text[OUTPUT_BYTES_MAX];
    stress_options planted = *options;
    planted.plant = e->plant;
    planted.seconds = 1;
    planted.watchdog_seconds = e->plant == PLANT_HANG ? 2 : options->watchdog_seconds;
    text[0] = '\0';
    int status = run_apart(&planted, e->scenario, text);
    bool met = ended_as_expected(e->plant, status) && strstr(text, e->phrase);
    printf("self-test: %s  %s planted in %s, expected \"%s\"\n", met ? "PASS" : "FAIL",
           plant_word(e->plant), e->scenario->name, e->phrase);
    if (!met)
        printf("%s", text);
    return met;
}

bool self_test(const stress_options *options)
{
    bool passed = true;
    for (size_t i = 0; i < sizeof expectations / sizeof expectations[0]; i++)
        passed &= meets(options, &expectations[i]);
    return passed;
}
