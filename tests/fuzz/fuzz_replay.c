/* Runs inputs without libFuzzer: each file named, and each file of a folder named. */
#include "fuzz_run.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INPUT_BYTES_MAX 65536u
#define PATH_BYTES_MAX  4096u

static unsigned long inputs;

static void fail(const char *what, const char *path)
{
    fprintf(stderr, "fuzz_replay: %s %s\n", what, path);
    exit(EXIT_FAILURE);
}

static void run_file(const char *path)
{
    static uint8_t bytes[INPUT_BYTES_MAX];
    FILE *file = fopen(path, "rb");
    if (!file)
        fail("cannot open", path);
    size_t count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    fuzz_run(bytes, count);
    inputs++;
}

static void run_folder(const char *path, DIR *folder)
{
    char file[PATH_BYTES_MAX];
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (entry->d_name[0] == '.')
            continue;
        if (snprintf(file, sizeof file, "%s/%s", path, entry->d_name) >= (int)sizeof file)
            fail("too long a path in", path);
        run_file(file);
    }
    closedir(folder);
}

int main(int count, char **arguments)
{
    if (count < 2 || strcmp(arguments[1], "--help") == 0) {
        fprintf(count < 2 ? stderr : stdout, "usage: fuzz_replay FILE_OR_FOLDER ...\n");
        return count < 2 ? 2 : EXIT_SUCCESS;
    }
    for (int i = 1; i < count; i++) {
        DIR *folder = opendir(arguments[i]);
        if (folder)
            run_folder(arguments[i], folder);
        else
            run_file(arguments[i]);
    }
    printf("%lu inputs, none found anything\n", inputs);
    return inputs > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
