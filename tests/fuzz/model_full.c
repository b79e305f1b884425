/* What the host does when a pool is full, against the model. */
#include "model.h"

/* Asked only in want of a free object, and by single allocations alone. Those of the growth
 * function are such, too, but what the call that grows the pool has in hand by then is not known
 * here. */
static void check_question(const model *m, const tarn_pool *pool)
{
    FUZZ_CHECK(m->pool == pool);
    if (m->is_growing)
        return;
    bool lacks_memory = m->forgets && m->hooks->failures > m->attempt.failures;
    FUZZ_CHECK(lacks_memory || m->committed_peak >= m->info.capacity);
    FUZZ_CHECK(!m->is_in_bulk);
}

/* Inside, an allocation asks nobody. */
static void alloc_inside(model *m)
{
    uint64_t questions = m->questions;
    void *object = tarn_guest_alloc(m->pool);
    FUZZ_CHECK(m->questions == questions);
    if (object)
        model_note_alloc(m, object);
    else
        m->refusals++;
}

/* Not for what the growth function allocates: it would take for ever what is given back here, which
 * the call that grows the pool then looks for in vain. */
static bool refuses(const model *m)
{
    return m->full == FULL_REFUSES || m->is_growing;
}

/* The model's victim is chosen by how often it was asked. */
static tarn_handle choose(const model *m)
{
    return m->live[m->questions % m->live_count].handle;
}

static tarn_handle name_victim(model *m)
{
    tarn_handle victim = choose(m);
    model_note_free(m, (uint32_t)(m->questions % m->live_count));
    m->evictions++;
    return victim;
}

static tarn_handle release_victim(model *m)
{
    tarn_handle victim = choose(m);
    model_note_free(m, (uint32_t)(m->questions % m->live_count));
    FUZZ_CHECK(tarn_guest_release(m->pool, victim) == TARN_OK);
    return victim;
}

tarn_handle model_evict(void *context, tarn_pool *pool)
{
    model *m = context;
    check_question(m, pool);
    m->questions++;
    if (m->full == FULL_ALLOCS)
        alloc_inside(m);
    bool names_none = refuses(m) || m->live_count == 0;
    m->is_pinned = names_none;
    if (names_none)
        return (tarn_handle){0};
    if (m->full == FULL_LIES && m->stale_count > 0)
        return m->stale[0];
    return m->full == FULL_FREES ? release_victim(m) : name_victim(m);
}

bool model_make_room(void *context, tarn_pool *pool, uint32_t attempt)
{
    model *m = context;
    check_question(m, pool);
    m->questions++;
    if (m->full == FULL_ALLOCS)
        alloc_inside(m);
    if (refuses(m) || attempt == 3)
        return false;
    bool frees = m->full == FULL_FREES || attempt == 2;
    if (frees && m->full != FULL_LIES && m->live_count > 0)
        tarn_guest_free(pool, model_note_free(m, (uint32_t)m->questions));
    return true;
}
