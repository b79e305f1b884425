/* cmocka with the headers that it wants before it, and assertions that it lacks. */
#ifndef TARN_TESTS_SUPPORT_CHECK_H
#define TARN_TESTS_SUPPORT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* Fails with a message when the condition is false. */
#define check_that(condition, ...)           \
    do {                                     \
        if (!(condition)) {                  \
            print_error("%s: ", #condition); \
            print_error(__VA_ARGS__);        \
            print_error("\n");               \
            fail();                          \
        }                                    \
    } while (0)

#endif
