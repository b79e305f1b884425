/* Other programs: the workers beside this one, git, gnuplot. */
#ifndef TARN_BENCH_SPAWN_H
#define TARN_BENCH_SPAWN_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the worker was built; what it needs may not have been on the machine. */
bool spawn_worker_exists(const char *name);

/* Runs a worker, named like "tarn" or "creation", and reads the number that it prints. False after
 * a line on stderr. argv[0] is filled in; the list ends with NULL. */
bool spawn_worker(const char *name, char **argv, double *number);

/* Runs a program on the search path, whose complaints nobody sees, and keeps the first line that it
 * prints. False, with an empty line, when it cannot be started or fails. */
bool spawn_line(char **argv, char *line, size_t line_bytes);

#endif
