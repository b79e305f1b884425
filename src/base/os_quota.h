/* How many processors a Linux cgroup's quota comes to. */
#ifndef TARN_BASE_OS_QUOTA_H
#define TARN_BASE_OS_QUOTA_H

#include <stdint.h>

/* Reads the cgroup of the process, version 2 or 1, and those above it, below the folder `root`, ""
 * for the system's own. Returns the smallest quota, rounded up to whole processors and at least 1;
 * UINT32_MAX where there is none. */
uint32_t tarn_os_quota_processors(const char *root);

#endif
