#include "model.h"

/* Frees what must be reported, and nothing else. */
static void free_wrongly(model *m, uint32_t user, void *object, tarn_misuse expected)
{
    uint32_t before = m->reports;
    if (m->caches[user])
        tarn_free(m->caches[user], object);
    else
        tarn_guest_free(m->pool, object);
    FUZZ_CHECK(m->reports == before + 1 && m->misuse_last == expected);
}

static void refuse_null(const model *m)
{
    tarn_cache *cache = (tarn_cache *)(uintptr_t)m;
    FUZZ_CHECK(tarn_cache_attach(NULL, &cache) == TARN_ERROR_INVALID && !cache);
    FUZZ_CHECK(tarn_cache_attach(m->pool, NULL) == TARN_ERROR_INVALID);
    FUZZ_CHECK(tarn_cache_detach(NULL) == TARN_ERROR_INVALID);
    FUZZ_CHECK(tarn_pool_clear(NULL) == TARN_ERROR_INVALID);
    FUZZ_CHECK(tarn_pool_destroy(NULL) == TARN_OK);
    FUZZ_CHECK(!tarn_guest_alloc(NULL));
    FUZZ_CHECK(!tarn_pool_owns(m->pool, NULL) && !tarn_pool_owns(m->pool, m));
}

static bool is_live(const model *m, const unsigned char *address)
{
    for (uint32_t i = 0; i < m->live_count; i++)
        if (m->live[i].address == address)
            return true;
    return false;
}

void model_misuse(model *m, uint32_t user, uint32_t kind)
{
    if (kind == 0)
        refuse_null(m);
    if (!m->info.checked)
        return;
    unsigned char *live = m->live_count > 0 ? m->live[kind % m->live_count].address : NULL;
    switch (kind) {
    case 1:
        free_wrongly(m, user, NULL, TARN_MISUSE_NULL);
        break;
    case 2:
        free_wrongly(m, user, m, TARN_MISUSE_FOREIGN);
        break;
    case 3:
        if (live && m->info.stride_bytes > 1)
            free_wrongly(m, user, live + 1, TARN_MISUSE_INTERIOR);
        break;
    case 4:
        if (m->freed_last && !is_live(m, m->freed_last))
            free_wrongly(m, user, m->freed_last, TARN_MISUSE_DOUBLE_FREE);
        break;
    default:
        break;
    }
}
