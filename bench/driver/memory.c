#include "driver/memory.h"

#include "driver/spawn.h"

#include <stdio.h>

bool memory_live(bench_subject subject, double *bytes)
{
    char memory[] = "memory", objects[16], object_bytes[16];
    snprintf(objects, sizeof objects, "%u", MEMORY_OBJECTS);
    snprintf(object_bytes, sizeof object_bytes, "%u", MEMORY_OBJECT_BYTES);
    char *argv[] = {NULL, memory, objects, object_bytes, NULL};
    return spawn_worker(bench_subject_name(subject), argv, bytes);
}

bool memory_creation(double *bytes)
{
    char capacity[32];
    snprintf(capacity, sizeof capacity, "%zu", MEMORY_CREATE_CAPACITY);
    char *argv[] = {NULL, capacity, NULL};
    return spawn_worker("creation", argv, bytes);
}

bool memory_frames(double *ratio)
{
    char *argv[] = {NULL, NULL};
    return spawn_worker("frame_rss", argv, ratio);
}

unsigned memory_print(const options *o)
{
    const double payload_bytes = (double)MEMORY_OBJECTS * MEMORY_OBJECT_BYTES;
    unsigned failures = 0;
    double bytes, ratio;
    printf("resident beyond the empty process, %u live objects of %u bytes\n\n", MEMORY_OBJECTS,
           MEMORY_OBJECT_BYTES);
    printf("%-17s %12s %12s %10s\n", "subject", "bytes", "per object", "of 64 MB");
    for (unsigned s = 0; s < BENCH_SUBJECTS; s++) {
        if (!o->subjects[s] || !bench_runs((bench_subject)s, BENCH_LOCAL))
            continue;
        if (memory_live((bench_subject)s, &bytes))
            printf("%-17s %12.0f %12.2f %10.3f\n", bench_subject_name((bench_subject)s), bytes,
                   bytes / MEMORY_OBJECTS, bytes / payload_bytes);
        else
            failures++;
    }
    if (!memory_creation(&bytes))
        return failures + 1;
    printf("\ncreating a tarn pool of capacity 2^30 touches %.0f KiB\n", bytes / 1024);
    if (!memory_frames(&ratio))
        return failures + 1;
    printf("after 10,000 frames of frame memory, a program has %.3f of what it had after 100\n",
           ratio);
    return failures;
}
