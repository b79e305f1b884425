/* How much of the machine went to others while we measured: what makes times too high, and lets
 * threads take turns that were meant to run side by side. */
#ifndef TARN_BENCH_BUSY_H
#define TARN_BENCH_BUSY_H

typedef struct busy {
    double machine_seconds; /* of all cores, idle or not; 0 when the system does not tell */
    double working_seconds; /* of it not idle; what a hypervisor took counts */
    double own_seconds;     /* of it this program's and its finished workers' */
} busy;

busy busy_now(void);

/* Percent of the machine's time since then that went to other programs; negative when unknown. */
double busy_others_percent(const busy *since);

#endif
