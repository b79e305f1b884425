#include "model.h"

#include <string.h>

static bool answer_growth(model *m, tarn_pool *pool, size_t now)
{
    void *object = NULL;
    switch (m->growth) {
    case GROWTH_AGREES:
        return true;
    case GROWTH_REFUSES:
        m->growths_refused++;
        return false;
    case GROWTH_FREES:
        if (m->live_count > 0)
            tarn_guest_free(pool, model_note_free(m, (uint32_t)now));
        return true;
    case GROWTH_ALLOCS:
        object = tarn_guest_alloc(pool); /* never grows the pool */
        if (object)
            model_note_alloc(m, object);
        else
            m->refusals++;
        return true;
    }
    return true;
}

static bool grow(void *context, tarn_pool *pool, size_t now, size_t next)
{
    model *m = context;
    FUZZ_CHECK(m->pool == pool && now < next && next <= m->info.capacity_max);
    bool was_growing = m->is_growing;
    m->is_growing = true;
    bool agrees = answer_growth(m, pool, now);
    m->is_growing = was_growing;
    return agrees;
}

static void report(void *context, const tarn_report *report)
{
    model *m = context;
    FUZZ_CHECK(report->pool_name && report->text);
    m->reports++;
    m->misuse_last = report->misuse;
}

static void check_status(const model *m, tarn_status status, uint64_t failures_before)
{
    switch (status) {
    case TARN_OK:
        FUZZ_CHECK(m->pool);
        return;
    case TARN_ERROR_NO_MEMORY:
        FUZZ_CHECK(!m->pool && m->hooks->failures > failures_before);
        return;
    case TARN_ERROR_BUDGET:
        FUZZ_CHECK(!m->pool && m->budget_bytes > 0);
        return;
    default:
        FUZZ_CHECK(!"a status that valid options do not have");
    }
}

void model_create(model *m, tarn_pool_options *options, memory_hooks *hooks)
{
    memset(m, 0, sizeof *m);
    m->hooks = hooks;
    m->budget_bytes = options->memory_bytes_max;
    options->grow = grow;
    options->report = report;
    options->grow_context = options->report_context = m;
    options->evict_context = options->full_context = m;
    m->zero_fill = options->zero_fill;
    options->memory = &hooks->memory;
    uint64_t failures = hooks->failures;
    size_t reserved_bytes = hooks->reserved_bytes;
    tarn_status status = tarn_pool_create(options, &m->pool);
    check_status(m, status, failures);
    if (status != TARN_OK) {
        FUZZ_CHECK(hooks->reserved_bytes == reserved_bytes);
        return;
    }
    FUZZ_CHECK(tarn_pool_describe(m->pool, &m->info) == TARN_OK);
    FUZZ_CHECK(m->info.capacity == options->capacity && m->info.slots < MODEL_OBJECTS_MAX);
    FUZZ_CHECK(m->info.reserved_bytes == hooks->reserved_bytes - reserved_bytes);
    model_check_figures(m);
}
