/* getrusage and sysconf are POSIX. */
#define _GNU_SOURCE

#include "driver/busy.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#define STAT_FIELDS 8 /* user, nice, system, idle, iowait, irq, softirq, steal */
#define STAT_IDLE   3
#define STAT_IOWAIT 4

static double spent_seconds(int who)
{
    struct rusage usage;
    if (getrusage(who, &usage) != 0)
        return 0;
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

busy busy_now(void)
{
    busy result = {0, 0, spent_seconds(RUSAGE_SELF) + spent_seconds(RUSAGE_CHILDREN)};
    double ticks_per_second = (double)sysconf(_SC_CLK_TCK), ticks;
    FILE *file = fopen("/proc/stat", "r");
    if (!file)
        return result;
    if (fscanf(file, "cpu") == 0) {
        for (int field = 0; field < STAT_FIELDS && fscanf(file, "%lf", &ticks) == 1; field++) {
            result.machine_seconds += ticks / ticks_per_second;
            if (field != STAT_IDLE && field != STAT_IOWAIT)
                result.working_seconds += ticks / ticks_per_second;
        }
    }
    fclose(file);
    return result;
}

double busy_others_percent(const busy *since)
{
    busy now = busy_now();
    double machine = now.machine_seconds - since->machine_seconds;
    if (machine <= 0)
        return -1;
    double others = now.working_seconds - since->working_seconds;
    others -= now.own_seconds - since->own_seconds;
    return others > 0 ? 100 * others / machine : 0;
}
