/* Three tiers of checks inside the library. A tier that is off still compiles.
 *
 *   TARN_ASSERT  what is proven; off in release builds. Never for running out of memory, never for
 *                what a caller can cause: those are statuses and misuse reports (pool/check.h)
 *   TARN_ALWAYS  what must stop a release build too, since going on would corrupt memory
 *   TARN_AUDIT   walks over whole structures; on in stress builds (TARN_AUDITS) */
#ifndef TARN_BASE_ASSERT_H
#define TARN_BASE_ASSERT_H

#include <stdio.h>
#include <stdlib.h>

static inline void tarn_assertion_failed_(const char *file, int line, const char *condition)
{
    fprintf(stderr, "tarn: %s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}

#define TARN_ALWAYS(condition) \
    ((condition) ? (void)0 : tarn_assertion_failed_(__FILE__, __LINE__, #condition))

#define TARN_UNUSED_CONDITION_(condition) ((void)sizeof((condition) ? 1 : 0))

#ifndef NDEBUG
#define TARN_ASSERT(condition) TARN_ALWAYS(condition)
#else
#define TARN_ASSERT(condition) TARN_UNUSED_CONDITION_(condition)
#endif

#ifdef TARN_AUDITS
#define TARN_AUDIT(condition) TARN_ALWAYS(condition)
#else
#define TARN_AUDIT(condition) TARN_UNUSED_CONDITION_(condition)
#endif

#endif
