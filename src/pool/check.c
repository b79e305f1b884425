#include "pool/check.h"

#include "pool/slots.h"

#include <stdio.h>
#include <stdlib.h>

static const char *misuse_text(tarn_misuse misuse)
{
    switch (misuse) {
#define TEXT(name, number, sentence) \
    case name:                       \
        return sentence;
        TARN_MISUSE_LIST(TEXT)
#undef TEXT
    case TARN_MISUSE_NONE_:
        break;
    }
    return "unknown misuse";
}

static uint64_t slot_around(const tarn_pool *pool, const void *object)
{
    uintptr_t offset = (uintptr_t)object - (uintptr_t)pool->slots;
    uint64_t slot = offset / pool->plan.stride_bytes;
    return slot < pool->plan.slots_max ? slot : TARN_SLOT_NONE;
}

static void report(const tarn_pool *pool, tarn_misuse misuse, const void *object)
{
    tarn_report report = {
        .misuse = misuse,
        .text = misuse_text(misuse),
        .pool_name = pool->name,
        .object = object,
        .slot = slot_around(pool, object),
    };
    if (pool->report) {
        pool->report(pool->report_context, &report);
        return;
    }
    fprintf(stderr, "tarn: pool \"%s\": %s (%p)\n", report.pool_name, report.text, object);
    abort();
}

static tarn_misuse misuse_of(const tarn_pool *pool, const void *object)
{
    if (!object)
        return TARN_MISUSE_NULL;
    uint64_t slot = tarn_slot_of_(pool, object);
    if (slot == TARN_SLOT_NONE)
        return slot_around(pool, object) == TARN_SLOT_NONE ? TARN_MISUSE_FOREIGN
                                                           : TARN_MISUSE_INTERIOR;
    /* relaxed: who holds an object rightly has seen its carving. */
    if (slot >= tarn_u64_load_relaxed(&pool->slots_carved))
        return TARN_MISUSE_NEVER_ALLOCATED;
    return TARN_MISUSE_NONE_;
}

bool tarn_check_object_(const tarn_pool *pool, const void *object)
{
    tarn_misuse misuse = pool->checked ? misuse_of(pool, object) : TARN_MISUSE_NONE_;
    if (misuse == TARN_MISUSE_NONE_)
        return true;
    report(pool, misuse, object);
    return false;
}

void tarn_check_detached_(const tarn_pool *pool, const void *object)
{
    if (pool->checked)
        report(pool, TARN_MISUSE_DETACHED, object);
}
