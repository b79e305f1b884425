/* How a checked pool tells the host that it was misused. */
#ifndef TARN_REPORT_H
#define TARN_REPORT_H

#include "tarn/config.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, number, sentence). */
#define TARN_MISUSE_LIST(X)                                                            \
    X(TARN_MISUSE_NULL, 1, "a null pointer was freed")                                 \
    X(TARN_MISUSE_FOREIGN, 2, "a pointer from outside the pool was freed")             \
    X(TARN_MISUSE_INTERIOR, 3, "a pointer into the middle of an object was freed")     \
    X(TARN_MISUSE_NEVER_ALLOCATED, 4, "an object that was never handed out was freed") \
    X(TARN_MISUSE_DETACHED, 5, "a cache was used after it was detached")

typedef enum tarn_misuse {
#define TARN_MISUSE_ENUM_(name, number, sentence) name = number,
    TARN_MISUSE_LIST(TARN_MISUSE_ENUM_)
#undef TARN_MISUSE_ENUM_
        TARN_MISUSE_NONE_ = 0
} tarn_misuse;

typedef struct tarn_report {
    tarn_misuse misuse;
    const char *text;      /* a sentence, static */
    const char *pool_name; /* lives as long as the pool */
    const void *object;    /* the pointer that was passed */
    uint64_t slot;         /* index of the slot it points into; UINT64_MAX if none */
} tarn_report;

/* Called once per misuse, on the thread that did it, before the call returns; the offending call
 * then changes nothing. The function may call into the same pool. */
typedef void tarn_report_fn(void *context, const tarn_report *report);

#ifdef __cplusplus
}
#endif
#endif
