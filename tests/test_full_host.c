/* What the host's functions may do while a full pool asks them: use the pool, name the wrong
 * victim, have their own pools ask. Nothing is lost, and the questions end. */
#include "support/kit.h"

enum { CAPACITY = 8, SLOTS_MAX = 512 };

typedef struct host host;
typedef tarn_handle answer_fn(host *h);

struct host {
    tarn_pool *pool;
    tarn_cache *cache;
    answer_fn *answer;
    int calls, growths_asked, builds, resets, destroys;
    size_t count;
    tarn_handle handles[SLOTS_MAX]; /* of what was taken first, by which the pool became full */
    void *objects[SLOTS_MAX];
    host *other;
};

typedef struct part {
    int64_t score;
    int built, resets;
} part;

static tarn_handle evict(void *context, tarn_pool *pool)
{
    host *h = context;
    assert_ptr_equal(pool, h->pool);
    h->calls++;
    return h->answer(h);
}

static int64_t score_of(void *context, const void *object)
{
    (void)context;
    return ((const part *)object)->score;
}

static tarn_handle name_the_lowest(host *h)
{
    return tarn_evict_lowest(h->pool, score_of, NULL);
}

static void fill(host *h)
{
    h->cache = kit_attach(h->pool);
    h->count = kit_info(h->pool).slots;
    assert_in_range(h->count, CAPACITY, SLOTS_MAX);
    for (size_t i = 0; i < h->count; i++) {
        kit_expect_status(tarn_take(h->cache, &h->handles[i], &h->objects[i]), TARN_OK);
        ((part *)h->objects[i])->score = (int64_t)i;
    }
    assert_int_equal(h->calls, 0);
}

/* A full pool that evicts, exact or with a cache. */
static void begin(host *h, answer_fn *answer, tarn_pool_options options)
{
    memset(h, 0, sizeof *h);
    h->answer = answer;
    options.object_bytes = sizeof(part);
    options.capacity = CAPACITY;
    options.caches_max = 1;
    options.handles = true;
    if (answer) {
        options.evict = evict;
        options.evict_context = h;
    }
    if (options.hooks.construct)
        options.hooks.context = h;
    h->pool = kit_pool(&options);
    fill(h);
}

static void end(host *h)
{
    kit_expect_conserved(h->pool, h->count);
    kit_clear_and_destroy(h->pool);
}

static tarn_handle release_and_name_it(host *h)
{
    kit_expect_status(tarn_release(h->cache, h->handles[3]), TARN_OK);
    return h->handles[3];
}

static tarn_handle release_as_a_guest_and_name_it(host *h)
{
    kit_expect_status(tarn_guest_release(h->pool, h->handles[3]), TARN_OK);
    return h->handles[3];
}

/* As if another thread had released it between the naming and the claim. */
static void t67_a_victim_released_meanwhile_is_room_enough(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        host h;
        begin(&h, kind & 1 ? release_and_name_it : release_as_a_guest_and_name_it,
              (tarn_pool_options){.exact = kind & 2});
        void *object = tarn_alloc(h.cache);
        assert_ptr_equal(object, h.objects[3]);
        assert_int_equal(h.calls, 1);
        assert_int_equal(kit_sample(h.pool).evictions, 0);
        end(&h);
    }
}

static tarn_handle name_anothers(host *h)
{
    return h->other->handles[2];
}

static void t43_a_victim_of_another_pool_is_none_of_this(void **state)
{
    (void)state;
    host h, other;
    begin(&other, NULL, (tarn_pool_options){0});
    begin(&h, name_anothers, (tarn_pool_options){0});
    h.other = &other;
    tarn_handle handle;
    kit_expect_status(tarn_take(h.cache, &handle, NULL), TARN_ERROR_FULL);
    assert_int_equal(h.calls, TARN_EVICTIONS_TRIED_MAX);
    assert_ptr_equal(tarn_resolve(other.pool, other.handles[2]), other.objects[2]);
    end(&h);
    end(&other);
}

/* Frees two, takes them again in the other ways, and still names a victim. */
static tarn_handle use_the_pool_and_name_the_lowest(host *h)
{
    tarn_handle handle;
    void *object;
    tarn_free(h->cache, h->objects[6]);
    kit_expect_status(tarn_guest_release(h->pool, h->handles[7]), TARN_OK);
    kit_expect_status(tarn_take(h->cache, &handle, &object), TARN_OK);
    ((part *)object)->score = 100;
    void *guests = tarn_guest_alloc(h->pool);
    assert_non_null(guests);
    ((part *)guests)->score = 100;
    assert_null(tarn_guest_alloc(h->pool)); /* full again, and nobody is asked */
    assert_null(tarn_alloc(h->cache));
    kit_expect_status(tarn_alloc_bulk(h->cache, 1, &object), TARN_ERROR_FULL);
    return name_the_lowest(h);
}

static void t67_an_evict_function_may_use_the_pool(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        host h;
        begin(&h, use_the_pool_and_name_the_lowest, (tarn_pool_options){.exact = kind & 1});
        void *object = kind & 2 ? tarn_guest_alloc(h.pool) : tarn_alloc(h.cache);
        assert_ptr_equal(object, h.objects[0]);
        assert_int_equal(h.calls, 1);
        assert_int_equal(kit_sample(h.pool).evictions, 1);
        end(&h);
    }
}

/* Each of two full pools takes from the other while it is asked. */
static tarn_handle take_from_the_other(host *h)
{
    if (h->calls + h->other->calls < 20) {
        part *object = tarn_alloc(h->other->cache);
        if (object) /* that pool was not asked yet */
            object->score = 100;
    }
    return name_the_lowest(h);
}

static void pools_that_ask_each_other_come_to_an_end(void **state)
{
    (void)state;
    host h, other;
    begin(&other, take_from_the_other, (tarn_pool_options){0});
    begin(&h, take_from_the_other, (tarn_pool_options){.exact = true});
    h.other = &other;
    other.other = &h;
    assert_ptr_equal(tarn_alloc(h.cache), h.objects[0]);
    assert_int_equal(h.calls, 1);
    assert_int_equal(other.calls, 1);
    assert_ptr_equal(tarn_alloc(other.cache), other.objects[1]); /* asked anew */
    assert_int_equal(other.calls, 2);
    end(&h);
    end(&other);
}

static bool construct(void *context, void *object)
{
    part *p = object;
    assert_int_equal(p->built++, 0);
    ((host *)context)->builds++;
    return true;
}

static void reset(void *context, void *object)
{
    part *p = object;
    assert_int_equal(p->built, 1);
    p->resets++;
    p->score = 50;
    ((host *)context)->resets++;
}

static void destroy(void *context, void *object)
{
    assert_int_equal(((part *)object)->built, 1);
    ((host *)context)->destroys++;
}

static void a_victim_is_reset_once_and_never_built_again(void **state)
{
    (void)state;
    for (int kind = 0; kind < 8; kind++) {
        host h;
        begin(&h, name_the_lowest,
              (tarn_pool_options){.exact = kind & 1,
                                  .hooks = {NULL, construct, reset, destroy, kind & 2}});
        for (int i = 1; i <= 3; i++) {
            part *object = kind & 4 ? tarn_guest_alloc(h.pool) : tarn_alloc(h.cache);
            assert_ptr_equal(object, h.objects[i - 1]);
            assert_int_equal(object->resets, 1);
            assert_int_equal(h.resets, i);
        }
        int builds = h.builds;
        assert_int_equal(builds, h.count);
        end(&h);
        assert_int_equal(h.builds, builds);
        assert_int_equal(h.destroys, builds);
    }
}

static void an_evicted_object_is_handed_out_all_zero(void **state)
{
    (void)state;
    host h;
    begin(&h, name_the_lowest, (tarn_pool_options){.zero_fill = true});
    memset(h.objects[1], 0xA5, sizeof(part));
    ((part *)h.objects[1])->score = -1;
    const part zero = {0};
    void *object = tarn_alloc(h.cache);
    assert_ptr_equal(object, h.objects[1]);
    assert_memory_equal(object, &zero, sizeof zero);
    end(&h);
}

static bool refuse_to_grow(void *context, tarn_pool *pool, size_t now, size_t next)
{
    (void)pool;
    assert_true(now < next);
    host *h = context;
    assert_int_equal(h->calls, h->growths_asked); /* asked before the evict function, each time */
    h->growths_asked++;
    return false;
}

static void what_may_not_grow_evicts(void **state)
{
    (void)state;
    host h = {.answer = name_the_lowest};
    tarn_pool_options options = {.object_bytes = sizeof(part),
                                 .capacity = CAPACITY,
                                 .capacity_max = 10 * CAPACITY,
                                 .caches_max = 1,
                                 .exact = true,
                                 .grow = refuse_to_grow,
                                 .grow_context = &h,
                                 .evict = evict,
                                 .evict_context = &h};
    h.pool = kit_pool(&options);
    h.cache = kit_attach(h.pool);
    for (int i = 0; i < CAPACITY; i++)
        assert_non_null(h.objects[i] = tarn_alloc(h.cache));
    assert_int_equal(h.growths_asked, 0);
    for (int i = 1; i <= 3; i++) {
        assert_non_null(tarn_alloc(h.cache));
        assert_int_equal(h.growths_asked, i);
        assert_int_equal(h.calls, i);
    }
    kit_expect_conserved(h.pool, CAPACITY);
    kit_clear_and_destroy(h.pool);
}

/* Frees one object at the first attempt and says so whenever it is asked again, up to a point. */
static bool free_one(void *context, tarn_pool *pool, uint32_t attempt)
{
    host *h = context;
    h->calls++;
    if (attempt == 0)
        tarn_guest_free(pool, h->objects[3]);
    return attempt < 3;
}

/* What the host has just freed waits in the quarantine while there is anything else. */
static void what_the_host_frees_is_had_from_the_quarantine(void **state)
{
    (void)state;
    for (int kind = 0; kind < 8; kind++) {
        host h;
        tarn_pool_options options = {
            .exact = kind & 1, .checked = true, .check = {.quarantine_objects = 4}};
        if (kind & 2) {
            options.full = free_one;
            options.full_context = &h;
        }
        begin(&h, kind & 2 ? NULL : release_and_name_it, options);
        void *object = kind & 4 ? tarn_guest_alloc(h.pool) : tarn_alloc(h.cache);
        assert_ptr_equal(object, h.objects[3]);
        assert_int_equal(h.calls, 1);
        assert_int_equal(kit_sample(h.pool).evictions, 0);
        end(&h);
    }
}

static void ignore(void *context, const tarn_report *report)
{
    ++*(int *)context;
    (void)report;
}

/* An eviction is no misuse, and what it gave out is told from what it took. */
static void checks_follow_an_eviction(void **state)
{
    (void)state;
    for (int exact = 0; exact <= 1; exact++) {
        host h;
        int reports = 0;
        begin(&h, name_the_lowest,
              (tarn_pool_options){.exact = exact,
                                  .checked = true,
                                  .check = {.fill = true, .red_zone_bytes = 16},
                                  .report = ignore,
                                  .report_context = &reports});
        void *object = tarn_alloc(h.cache);
        assert_ptr_equal(object, h.objects[0]);
        kit_expect_status(tarn_release(h.cache, h.handles[0]), TARN_ERROR_STALE);
        assert_int_equal(reports, 0);
        tarn_free(h.cache, object);
        assert_int_equal(reports, 0);
        tarn_free(h.cache, object);
        assert_int_equal(reports, 1);
        h.count--;
        end(&h);
        assert_int_equal(reports, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t67_a_victim_released_meanwhile_is_room_enough),
        cmocka_unit_test(t43_a_victim_of_another_pool_is_none_of_this),
        cmocka_unit_test(t67_an_evict_function_may_use_the_pool),
        cmocka_unit_test(pools_that_ask_each_other_come_to_an_end),
        cmocka_unit_test(a_victim_is_reset_once_and_never_built_again),
        cmocka_unit_test(an_evicted_object_is_handed_out_all_zero),
        cmocka_unit_test(what_may_not_grow_evicts),
        cmocka_unit_test(what_the_host_frees_is_had_from_the_quarantine),
        cmocka_unit_test(checks_follow_an_eviction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
