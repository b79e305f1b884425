/* A host in C: a pool, a cache, the bulk calls and the guest calls; each result is checked. */
#include <tarn/tarn.h>

#include <stdio.h>

#define EXPECT(condition)                                                                 \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            return 1;                                                                     \
        }                                                                                 \
    } while (0)

int main(void)
{
    tarn_pool_options options = {.name = "consumer", .object_bytes = 48, .capacity = 100};
    tarn_pool *pool;
    EXPECT(tarn_pool_create(&options, &pool) == TARN_OK);

    tarn_cache *cache;
    EXPECT(tarn_cache_attach(pool, &cache) == TARN_OK);
    void *objects[100];
    EXPECT(tarn_alloc_bulk(cache, 50, objects) == TARN_OK);
    for (int i = 50; i < 100; i++)
        EXPECT((objects[i] = tarn_alloc(cache)) != NULL);
    for (int i = 0; i < 100; i++)
        tarn_free(cache, objects[i]);
    EXPECT(tarn_cache_detach(cache) == TARN_OK);

    void *object = tarn_guest_alloc(pool);
    EXPECT(object != NULL);
    EXPECT(tarn_pool_destroy(pool) == TARN_ERROR_LIVE_OBJECTS);
    tarn_guest_free(pool, object);
    EXPECT(tarn_pool_destroy(pool) == TARN_OK);
    return 0;
}
