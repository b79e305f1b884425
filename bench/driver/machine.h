/* Where a measurement was made. */
#ifndef TARN_BENCH_MACHINE_H
#define TARN_BENCH_MACHINE_H

#include <stdbool.h>

typedef struct machine {
    char cpu[128];    /* empty when the system does not tell */
    char system[128]; /* name, release and architecture */
    char commit[64];  /* of the sources, with a mark when they were changed; empty without git */
    const char *compiler;
    unsigned cores;
    bool optimised;
} machine;

void machine_describe(machine *result);

#endif
