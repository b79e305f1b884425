/* Handles, iteration, and memory that comes and goes, against the model. */
#include "model.h"

#include <string.h>

void model_note_handle(model *m, model_object *object)
{
    object->handle = tarn_handle_of(m->pool, object->address);
    FUZZ_CHECK(tarn_handle_is_none(object->handle) == !m->info.handles);
    FUZZ_CHECK(!m->info.handles || tarn_resolve(m->pool, object->handle) == object->address);
    FUZZ_CHECK(!tarn_resolve(m->pool, (tarn_handle){0}));
}

void model_note_stale(model *m, tarn_handle handle)
{
    m->stale[m->stale_count++ % MODEL_STALE_MAX] = handle;
}

void model_take(model *m, uint32_t user)
{
    tarn_handle handle = {1};
    void *object = m;
    tarn_cache *cache = m->caches[user];
    if (!m->info.handles) {
        FUZZ_CHECK(tarn_guest_take(m->pool, &handle, &object) == TARN_ERROR_INVALID);
        FUZZ_CHECK(!object && tarn_handle_is_none(handle));
        return;
    }
    model_attempt a = model_begin(m);
    m->is_pinned = false;
    tarn_status status =
        cache ? tarn_take(cache, &handle, &object) : tarn_guest_take(m->pool, &handle, &object);
    FUZZ_CHECK((status == TARN_OK) == (object != NULL));
    FUZZ_CHECK(tarn_handle_is_none(handle) == !object);
    FUZZ_CHECK(object || status == (m->is_pinned ? TARN_ERROR_PINNED : TARN_ERROR_FULL));
    model_note_attempt(m, user, object, &a);
    if (object)
        FUZZ_CHECK(tarn_handle_equal(m->live[m->live_count - 1].handle, handle));
}

static tarn_status release(model *m, uint32_t user, tarn_handle handle)
{
    return m->caches[user] ? tarn_release(m->caches[user], handle)
                           : tarn_guest_release(m->pool, handle);
}

void model_release(model *m, uint32_t user, uint32_t which)
{
    if (m->live_count == 0 || !m->info.handles)
        return;
    tarn_handle handle = m->live[which % m->live_count].handle;
    model_note_free(m, which);
    FUZZ_CHECK(release(m, user, handle) == TARN_OK);
    FUZZ_CHECK(release(m, user, handle) == TARN_ERROR_STALE);
}

void model_release_stale(model *m, uint32_t user, uint32_t bit)
{
    uint32_t count = m->stale_count < MODEL_STALE_MAX ? m->stale_count : MODEL_STALE_MAX;
    for (uint32_t i = 0; i < count; i++) {
        FUZZ_CHECK(!tarn_resolve(m->pool, m->stale[i]));
        FUZZ_CHECK(release(m, user, m->stale[i]) == TARN_ERROR_STALE);
    }
    /* Any other bits are refused too, or name what is live. */
    tarn_handle forged = {(count ? m->stale[0].bits : 0) ^ (uint64_t)1 << bit % 64};
    void *object = tarn_resolve(m->pool, forged);
    bool is_live = false;
    for (uint32_t i = 0; i < m->live_count; i++)
        is_live = is_live || m->live[i].address == object;
    FUZZ_CHECK(!object || is_live);
}

typedef struct tour {
    model *model;
    uint32_t left; /* visits until it is ended */
    uint64_t visited;
    const void *last;
} tour;

static bool visit(void *context, void *object, tarn_handle handle)
{
    tour *t = context;
    FUZZ_CHECK(object > t->last);
    FUZZ_CHECK(tarn_resolve(t->model->pool, handle) == object);
    t->last = object;
    t->visited++;
    return --t->left > 0;
}

void model_each(model *m, uint32_t visits)
{
    tour t = {m, visits + 1, 0, NULL};
    size_t visited = tarn_each(m->pool, visit, &t);
    uint64_t expected = m->info.handles ? m->live_count : 0;
    FUZZ_CHECK(visited == t.visited);
    FUZZ_CHECK(visited == (expected < visits + 1 ? expected : visits + 1));
}

void model_manage(model *m, uint32_t how, uint32_t count)
{
    size_t bytes = 1, left = 1;
    tarn_status exact = m->info.exact ? TARN_ERROR_INVALID : TARN_OK, status;
    m->forgets = true;
    switch (how % 3) {
    case 0:
        FUZZ_CHECK(tarn_pool_trim(m->pool, count, &bytes) == exact);
        break;
    case 1:
        FUZZ_CHECK(tarn_pool_maintain(m->pool, count * (size_t)1024, &bytes) == exact);
        break;
    default:
        m->is_in_bulk = true; /* it asks nobody */
        status = tarn_pool_prepare(m->pool, count, (size_t)64 << 10, &left);
        m->is_in_bulk = false;
        FUZZ_CHECK(status == TARN_OK || status == TARN_ERROR_FULL);
        FUZZ_CHECK(left <= count && (status == TARN_OK || left > 0));
    }
}
