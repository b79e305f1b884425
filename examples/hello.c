/* Two workers share one pool of bullets, each through a cache of its own. */
#include "tarn/tarn.h"

#include <stdio.h>
#include <threads.h>

typedef struct bullet {
    float x, y, dx, dy;
} bullet;

static int work(void *pool)
{
    tarn_cache *cache;
    if (tarn_cache_attach(pool, &cache) != TARN_OK)
        return 1;
    int missed = 0;
    for (int shot = 0; shot < 1000000; shot++) {
        bullet *b = tarn_alloc(cache);
        if (!b) { /* all 10000 bullets are in the air */
            missed++;
            continue;
        }
        *b = (bullet){.dy = 1};
        tarn_free(cache, b);
    }
    return tarn_cache_detach(cache) != TARN_OK || missed > 0;
}

int main(void)
{
    tarn_pool_options options = {.object_bytes = sizeof(bullet), .capacity = 10000};
    tarn_pool *pool;
    tarn_status status = tarn_pool_create(&options, &pool);
    if (status != TARN_OK) {
        fprintf(stderr, "hello: %s\n", tarn_status_text(status));
        return 1;
    }
    thrd_t workers[2];
    int started = 0, done = 0;
    while (started < 2 && thrd_create(&workers[started], work, pool) == thrd_success)
        started++;
    for (int i = 0, result; i < started; i++)
        done += thrd_join(workers[i], &result) == thrd_success && result == 0;
    printf("%d of 2 workers shot a million bullets\n", done);
    return tarn_pool_destroy(pool) == TARN_OK && done == 2 ? 0 : 1;
}
