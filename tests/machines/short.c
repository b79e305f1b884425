#include "short.h"

#include "base/atomic.h"

#include <stdio.h>
#include <stdlib.h>

static tarn_u32 passed, failed;

void short_check(bool condition, const char *file, int line, const char *text)
{
    if (condition) {
        tarn_u32_fetch_add_relaxed(&passed, 1);
        return;
    }
    tarn_u32_fetch_add_relaxed(&failed, 1);
    fprintf(stderr, "%s:%d: not true: %s\n", file, line, text);
}

int main(void)
{
    short_system();
    short_layout();
    short_pools();
    short_threads();
    short_frame();
    short_jobs();
    uint32_t failures = tarn_u32_load_relaxed(&failed);
    printf("%u checks passed, %u failed\n", (unsigned)tarn_u32_load_relaxed(&passed),
           (unsigned)failures);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
