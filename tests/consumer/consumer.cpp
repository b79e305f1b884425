// A host in C++: the same headers and library, from several threads of its own.
#include <tarn/tarn.h>

#include <cstdio>
#include <thread>
#include <vector>

static bool work(tarn_pool *pool)
{
    tarn_cache *cache;
    if (tarn_cache_attach(pool, &cache) != TARN_OK)
        return false;
    bool served = true;
    for (int i = 0; i < 1000; i++) {
        void *own = tarn_alloc(cache);
        void *guest = tarn_guest_alloc(pool);
        served = served && own && guest;
        if (own)
            tarn_free(cache, own);
        if (guest)
            tarn_guest_free(pool, guest);
    }
    return tarn_cache_detach(cache) == TARN_OK && served;
}

int main()
{
    tarn_pool_options options = tarn_pool_options();
    options.object_bytes = 48;
    options.capacity = 100;
    tarn_pool *pool;
    if (tarn_pool_create(&options, &pool) != TARN_OK)
        return 1;

    bool served[2] = {false, false};
    std::vector<std::thread> workers;
    for (bool &result : served)
        workers.emplace_back([&result, pool] { result = work(pool); });
    for (std::thread &worker : workers)
        worker.join();

    tarn_status status = tarn_pool_destroy(pool);
    if (served[0] && served[1] && status == TARN_OK)
        return 0;
    std::fprintf(stderr, "served %d %d, destroy: %s\n", served[0], served[1],
                 tarn_status_text(status));
    return 1;
}
