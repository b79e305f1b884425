#include "base/os_quota.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_BYTES 4096

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Rounded up: half a processor more is of use to one thread more. */
static uint32_t processors_of(long long quota, long long period)
{
    if (quota <= 0 || period <= 0)
        return UINT32_MAX;
    long long whole = quota / period + (quota % period != 0);
    return whole < UINT32_MAX ? (uint32_t)whole : UINT32_MAX;
}

/* The first line of root/folder/name. */
static bool read_line(const char *root, const char *folder, const char *name, char *line, int bytes)
{
    char path[PATH_BYTES];
    int length = snprintf(path, sizeof path, "%s%s/%s", root, folder, name);
    if (length < 0 || length >= (int)sizeof path)
        return false;
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    bool done = fgets(line, bytes, file) != NULL;
    fclose(file);
    return done;
}

/* "max 100000" or "150000 100000". */
static uint32_t quota_of_2(const char *root, const char *folder)
{
    char line[64], *end;
    if (!read_line(root, folder, "cpu.max", line, sizeof line) || line[0] == 'm')
        return UINT32_MAX;
    long long quota = strtoll(line, &end, 10);
    return processors_of(quota, strtoll(end, NULL, 10));
}

/* A quota of -1 is none. */
static uint32_t quota_of_1(const char *root, const char *folder)
{
    char quota[64], period[64];
    if (!read_line(root, folder, "cpu.cfs_quota_us", quota, sizeof quota) ||
        !read_line(root, folder, "cpu.cfs_period_us", period, sizeof period))
        return UINT32_MAX;
    return processors_of(strtoll(quota, NULL, 10), strtoll(period, NULL, 10));
}

/* The folder mount/group and those above it, down to the mount: each may have its own quota. */
static uint32_t smallest(const char *root, const char *mount, const char *group,
                         uint32_t (*quota_of)(const char *, const char *))
{
    char folder[PATH_BYTES / 2];
    int length = snprintf(folder, sizeof folder, "%s%s", mount, group);
    uint32_t found = UINT32_MAX;
    if (length < 0 || length >= (int)sizeof folder)
        return found;
    while (strlen(folder) >= strlen(mount)) {
        found = smaller(found, quota_of(root, folder));
        char *last = strrchr(folder, '/');
        if (!last || last == folder)
            break;
        *last = '\0';
    }
    return found;
}

/* Whether the list "cpu,cpuacct" has the word cpu. */
static bool names_cpu(const char *list, size_t length)
{
    for (const char *word = list; word < list + length; word += strcspn(word, ",:") + 1)
        if (strncmp(word, "cpu", 3) == 0 && (word[3] == ',' || word[3] == ':'))
            return true;
    return false;
}

/* A line of /proc/self/cgroup is "0::/group" or "4:cpu,cpuacct:/group". */
static uint32_t quota_of_line(const char *root, char *line)
{
    line[strcspn(line, "\n")] = '\0';
    char *list = strchr(line, ':');
    char *group = list ? strchr(list + 1, ':') : NULL;
    if (!group)
        return UINT32_MAX;
    const char *path = strcmp(group + 1, "/") == 0 ? "" : group + 1;
    if (group == list + 1)
        return smallest(root, "/sys/fs/cgroup", path, quota_of_2);
    if (!names_cpu(list + 1, (size_t)(group - list)))
        return UINT32_MAX;
    return smaller(smallest(root, "/sys/fs/cgroup/cpu", path, quota_of_1),
                   smallest(root, "/sys/fs/cgroup/cpu,cpuacct", path, quota_of_1));
}

uint32_t tarn_os_quota_processors(const char *root)
{
    char path[PATH_BYTES], line[PATH_BYTES / 2];
    int length = snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = length > 0 && length < (int)sizeof path ? fopen(path, "r") : NULL;
    uint32_t found = UINT32_MAX;
    while (file && fgets(line, sizeof line, file))
        found = smaller(found, quota_of_line(root, line));
    if (file)
        fclose(file);
    return found;
}
