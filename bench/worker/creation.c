/* Prints the resident bytes that creating a pool of the given capacity touches before its first
 * allocation. */
#include "tarn/tarn.h"
#include "worker/pages.h"
#include "worker/resident.h"

#include <stdio.h>
#include <stdlib.h>

static tarn_pool *create(size_t capacity)
{
    tarn_pool_options options = {.name = "bench", .object_bytes = 64, .capacity = capacity};
    tarn_pool *pool = NULL;
    tarn_status status = tarn_pool_create(&options, &pool);
    if (status != TARN_OK)
        bench_fail(tarn_status_text(status));
    return pool;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "%s: started by tarn-bench; see tarn-bench --help\n", argv[0]);
        return 2;
    }
    /* A first pool brings in the code and the system's own tables. */
    tarn_pool_destroy(create(1));
    resident_bytes();
    uint64_t before = resident_bytes();
    tarn_pool *pool = create(strtoul(argv[1], NULL, 10));
    printf("%llu\n", (unsigned long long)(resident_bytes() - before));
    return tarn_pool_destroy(pool) == TARN_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
