#include "pool/check.h"

#include "pool/report.h"
#include "pool/slots.h"

static tarn_misuse misuse_of(const tarn_pool *pool, const void *object)
{
    if (!object)
        return TARN_MISUSE_NULL;
    uint64_t slot = tarn_slot_of_(pool, object);
    if (slot == TARN_SLOT_NONE)
        return tarn_slot_around_(pool, object) == TARN_SLOT_NONE ? TARN_MISUSE_FOREIGN
                                                                 : TARN_MISUSE_INTERIOR;
    /* relaxed: who holds an object rightly has seen its carving. */
    if (slot >= tarn_u64_load_relaxed(&pool->slots_carved))
        return TARN_MISUSE_NEVER_ALLOCATED;
    return TARN_MISUSE_NONE_;
}

bool tarn_check_object_(const tarn_pool *pool, const void *object, const char *site)
{
    tarn_misuse misuse = misuse_of(pool, object);
    if (misuse == TARN_MISUSE_NONE_)
        return true;
    tarn_report_(pool, misuse, (tarn_report){.object = object, .call_site = site});
    return false;
}

void tarn_check_detached_(const tarn_pool *pool, const void *object, const char *site)
{
    if (pool->checked)
        tarn_report_(pool, TARN_MISUSE_DETACHED,
                     (tarn_report){.object = object, .call_site = site});
}
