#include "model.h"

#include <string.h>

/* ---- contents ---- */

static unsigned char content_of(uint32_t stamp, size_t i)
{
    return stamp == 0 ? 0 : (unsigned char)(stamp * 37 + i * 11 + 1);
}

static void write_content(const model *m, const model_object *object)
{
    for (size_t i = 0; i < m->info.object_bytes; i++)
        object->address[i] = content_of(object->stamp, i);
}

static void check_content(const model *m, const model_object *object)
{
    for (size_t i = 0; i < m->info.object_bytes; i++)
        FUZZ_CHECK(object->address[i] == content_of(object->stamp, i));
}

static bool is_zero(const model *m, const unsigned char *address)
{
    for (size_t i = 0; i < m->info.object_bytes; i++)
        if (address[i] != 0)
            return false;
    return true;
}

static model_object *place_in_left(model *m, const void *address)
{
    size_t i = (size_t)((uintptr_t)address * 0x9E3779B1u >> 7) % MODEL_OBJECTS_MAX;
    while (m->left[i].address && m->left[i].address != address)
        i = (i + 1) % MODEL_OBJECTS_MAX;
    return &m->left[i];
}

/* ---- objects ---- */

static bool overlap(const model *m, const unsigned char *a, const unsigned char *b)
{
    uintptr_t distance = a < b ? (uintptr_t)b - (uintptr_t)a : (uintptr_t)a - (uintptr_t)b;
    return distance < m->info.object_bytes;
}

void model_note_alloc(model *m, void *address)
{
    FUZZ_CHECK(m->live_count < MODEL_OBJECTS_MAX);
    FUZZ_CHECK((uintptr_t)address % m->info.object_alignment == 0);
    FUZZ_CHECK(tarn_pool_owns(m->pool, address));
    for (uint32_t i = 0; i < m->live_count; i++)
        FUZZ_CHECK(!overlap(m, address, m->live[i].address));
    model_object object = {.address = address, .stamp = place_in_left(m, address)->stamp};
    if (m->zero_fill || (m->forgets && is_zero(m, address)))
        object.stamp = 0;
    if (m->zero_fill || !m->info.checked) /* a checked pool may write into what is free */
        check_content(m, &object);
    model_note_handle(m, &object);
    object.stamp = ++m->stamp_last;
    write_content(m, &object);
    m->live[m->live_count++] = object;
    m->allocs++;
    uint64_t committed = model_committed(m);
    if (committed > m->committed_peak)
        m->committed_peak = committed;
}

void *model_note_free(model *m, uint32_t which)
{
    model_object *object = &m->live[which % m->live_count];
    model_object freed = *object;
    check_content(m, &freed);
    *object = m->live[--m->live_count];
    *place_in_left(m, freed.address) = freed;
    m->freed_last = freed.address;
    if (m->info.handles)
        model_note_stale(m, freed.handle);
    m->frees++;
    return freed.address;
}

uint64_t model_committed(const model *m)
{
    uint64_t sum = m->live_count;
    for (uint32_t i = 0; i < MODEL_USERS; i++)
        sum += m->promised[i];
    return sum;
}

/* ---- figures ---- */

static void check_attached(const model *m, const tarn_pool_statistics *statistics)
{
    uint32_t attached = 0;
    for (uint32_t i = 0; i < MODEL_USERS; i++)
        attached += m->caches[i] != NULL;
    /* The calling thread may hold one more, as a guest. */
    FUZZ_CHECK(statistics->caches_attached >= attached);
    FUZZ_CHECK(statistics->caches_attached <= attached + 1);
    FUZZ_CHECK(statistics->caches_attached <= m->info.caches_max);
}

void model_check_figures(model *m)
{
    tarn_pool_statistics statistics;
    FUZZ_CHECK(tarn_pool_sample(m->pool, &statistics) == TARN_OK);
    FUZZ_CHECK(tarn_pool_describe(m->pool, &m->info) == TARN_OK);
    FUZZ_CHECK(statistics.live == m->live_count);
    FUZZ_CHECK(statistics.allocs == m->allocs && statistics.frees == m->frees);
    FUZZ_CHECK(statistics.refusals == m->refusals && statistics.evictions == m->evictions);
    uint64_t listed = statistics.free_in_caches + statistics.free_in_depot;
    FUZZ_CHECK(m->info.slots_carved - listed == m->live_count);
    FUZZ_CHECK(m->info.slots_carved <= m->info.slots);
    FUZZ_CHECK(m->info.capacity <= m->info.capacity_max);
    FUZZ_CHECK(!m->info.exact || model_committed(m) <= m->info.capacity);
    FUZZ_CHECK(statistics.growths >= m->growths);
    m->growths = statistics.growths;
    check_attached(m, &statistics);
}

/* ---- calls that may be refused ---- */

model_attempt model_begin(model *m)
{
    m->committed_peak = model_committed(m);
    m->attempt = (model_attempt){m->hooks->failures, m->growths_refused};
    return m->attempt;
}

/* A refusal needs the capacity live or promised at some instant, and no way to grow. Growth that
 * would not suffice need not be tried. */
static void check_refusal(model *m, const model_attempt *a, uint64_t more)
{
    FUZZ_CHECK(tarn_pool_describe(m->pool, &m->info) == TARN_OK);
    if (m->forgets && m->hooks->failures > a->failures)
        return; /* memory that went back could not be had again */
    FUZZ_CHECK(more > 0 && m->committed_peak + more > m->info.capacity);
    bool may_have_grown = m->committed_peak + more <= m->info.capacity_max && m->budget_bytes == 0;
    FUZZ_CHECK(!may_have_grown || m->hooks->failures > a->failures ||
               m->growths_refused > a->growths_refused);
}

void model_note_attempt(model *m, uint32_t user, void *object, const model_attempt *a)
{
    bool is_owed = m->promised[user] > 0;
    if (object) {
        m->promised[user] -= is_owed;
        model_note_alloc(m, object);
    } else {
        FUZZ_CHECK(!is_owed);
        m->refusals++;
        check_refusal(m, a, 1);
    }
}

void model_alloc(model *m, uint32_t user)
{
    model_attempt a = model_begin(m);
    tarn_cache *cache = m->caches[user];
    void *object = cache ? tarn_alloc(cache) : tarn_guest_alloc(m->pool);
    model_note_attempt(m, user, object, &a);
}

void model_free(model *m, uint32_t user, uint32_t which)
{
    if (m->live_count == 0)
        return;
    void *object = model_note_free(m, which);
    if (m->caches[user])
        tarn_free(m->caches[user], object);
    else
        tarn_guest_free(m->pool, object);
}

void model_alloc_bulk(model *m, uint32_t user, uint32_t count)
{
    void *objects[MODEL_BULK_MAX];
    tarn_cache *cache = m->caches[user];
    if (!cache)
        return;
    model_attempt a = model_begin(m);
    uint64_t owed = count < m->promised[user] ? count : m->promised[user];
    memset(objects, 0xEE, sizeof objects);
    m->is_in_bulk = true;
    tarn_status status = tarn_alloc_bulk(cache, count, objects);
    m->is_in_bulk = false;
    if (status == TARN_OK)
        m->promised[user] -= owed;
    for (uint32_t i = 0; i < count; i++) {
        FUZZ_CHECK(status == TARN_OK || !objects[i]);
        if (objects[i])
            model_note_alloc(m, objects[i]);
    }
    if (status != TARN_OK) {
        FUZZ_CHECK(status == TARN_ERROR_FULL);
        m->refusals++;
        check_refusal(m, &a, count - owed);
    }
}

void model_free_bulk(model *m, uint32_t user, uint32_t count, uint32_t which)
{
    void *objects[MODEL_BULK_MAX];
    tarn_cache *cache = m->caches[user];
    if (!cache)
        return;
    uint32_t taken = 0;
    for (; taken < count && m->live_count > 0; taken++)
        objects[taken] = model_note_free(m, which + taken);
    FUZZ_CHECK(tarn_free_bulk(cache, taken, objects) == TARN_OK);
}

void model_reserve(model *m, uint32_t user, uint32_t count)
{
    tarn_cache *cache = m->caches[user];
    if (!cache)
        return;
    model_attempt a = model_begin(m);
    uint64_t before = m->promised[user];
    m->is_in_bulk = true;
    tarn_status status = tarn_cache_reserve(cache, count);
    m->is_in_bulk = false;
    if (status == TARN_OK) {
        m->promised[user] = count;
        return;
    }
    FUZZ_CHECK(status == TARN_ERROR_FULL);
    check_refusal(m, &a, count > before ? count - before : 0);
}

/* ---- caches ---- */

static uint32_t count_attached(const model *m)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < MODEL_USERS; i++)
        count += m->caches[i] != NULL;
    return count;
}

void model_attach(model *m, uint32_t user)
{
    if (user == MODEL_GUEST || m->caches[user])
        return;
    uint32_t attached = count_attached(m);
    tarn_status status = tarn_cache_attach(m->pool, &m->caches[user]);
    FUZZ_CHECK((status == TARN_OK) == (m->caches[user] != NULL));
    FUZZ_CHECK(status == TARN_OK || status == TARN_ERROR_NO_CACHE);
    FUZZ_CHECK(status != TARN_OK || attached < m->info.caches_max);
    FUZZ_CHECK(status == TARN_OK || attached + 1 >= m->info.caches_max);
    for (uint32_t i = 0; i < MODEL_USERS && status == TARN_OK; i++)
        FUZZ_CHECK(i == user || m->caches[i] != m->caches[user]);
}

void model_detach(model *m, uint32_t user)
{
    tarn_cache *cache = m->caches[user];
    if (!cache)
        return;
    void *object = NULL;
    FUZZ_CHECK(tarn_cache_detach(cache) == TARN_OK);
    FUZZ_CHECK(tarn_cache_detach(cache) == TARN_ERROR_NOT_ATTACHED);
    if (!m->info.checked) { /* else each of these is a report */
        FUZZ_CHECK(tarn_cache_reserve(cache, 1) == TARN_ERROR_NOT_ATTACHED);
        FUZZ_CHECK(tarn_alloc_bulk(cache, 1, &object) == TARN_ERROR_NOT_ATTACHED && !object);
        FUZZ_CHECK(!tarn_alloc(cache));
        if (m->live_count > 0)
            tarn_free(cache, model_note_free(m, user));
    }
    m->caches[user] = NULL;
    m->promised[user] = 0;
}

/* ---- the whole pool ---- */

void model_clear(model *m)
{
    for (uint32_t i = 0; i < m->live_count; i++) {
        check_content(m, &m->live[i]);
        *place_in_left(m, m->live[i].address) = m->live[i];
        if (m->info.handles)
            model_note_stale(m, m->live[i].handle);
    }
    FUZZ_CHECK(tarn_pool_clear(m->pool) == TARN_OK);
    m->frees += m->live_count;
    m->live_count = 0;
    m->freed_last = NULL;
    memset(m->promised, 0, sizeof m->promised);
    model_check_figures(m);
}

void model_destroy(model *m)
{
    model_check_figures(m);
    uint32_t live = m->live_count;
    tarn_status status = tarn_pool_destroy(m->pool);
    FUZZ_CHECK(status == (live > 0 ? TARN_ERROR_LIVE_OBJECTS : TARN_OK));
    if (status == TARN_OK)
        m->pool = NULL;
}
