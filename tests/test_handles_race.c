/* Handles between threads: of several that end a life one succeeds, and who looks a handle up never
 * gets the object of another life. */
#include "support/handles.h"

/* An object names the life that it is in, for whoever looks it up. */
typedef struct thing {
    _Atomic uint64_t handle;
} thing;

static tarn_pool *make(size_t capacity, size_t capacity_max, bool exact)
{
    tarn_pool_options options = {.object_bytes = sizeof(thing),
                                 .capacity = capacity,
                                 .capacity_max = capacity_max,
                                 .caches_max = 4,
                                 .cache_objects_max = 8,
                                 .exact = exact,
                                 .handles = true};
    return kit_pool(&options);
}

/* ---- two threads release the same handle ---- */

enum { DUELS = 6000 };

typedef struct duel {
    tarn_pool *pool;
    kit_barrier barrier;
    atomic_uint ready;
    tarn_handle prey;
    tarn_status status[2];
    bool guests_release;
} duel;

typedef struct duellist {
    duel *duel;
    uint32_t index;
    uint32_t won;
} duellist;

/* Were an object given back twice, the next two would be one. */
static tarn_handle take_next(duel *d, tarn_cache *cache, int *failures)
{
    tarn_handle next = {0}, other = {0};
    void *objects[2];
    KIT_EXPECT(failures, tarn_take(cache, &next, &objects[0]) == TARN_OK);
    KIT_EXPECT(failures, tarn_take(cache, &other, &objects[1]) == TARN_OK);
    KIT_EXPECT(failures, objects[0] != objects[1]);
    KIT_EXPECT(failures, tarn_resolve(d->pool, next) == objects[0]);
    KIT_EXPECT(failures, tarn_release(cache, other) == TARN_OK);
    return next;
}

static void judge(duel *d, int *failures)
{
    KIT_EXPECT(failures, (d->status[0] == TARN_OK) != (d->status[1] == TARN_OK));
    for (int i = 0; i < 2; i++)
        KIT_EXPECT(failures, d->status[i] == TARN_OK || d->status[i] == TARN_ERROR_STALE);
    KIT_EXPECT(failures, !tarn_resolve(d->pool, d->prey));
    KIT_EXPECT(failures, kit_sample(d->pool).live == 1);
}

/* A barrier's last thread leaves long before the others: from here both leave within a moment, if
 * both are running. The last one, who knows first, waits a little, another while each time. */
static void meet(duel *d, int round)
{
    unsigned both = 2 * (unsigned)(round + 1);
    bool is_last = atomic_fetch_add(&d->ready, 1) + 1 == both;
    for (int spins = 0; spins < 1000 && atomic_load(&d->ready) < both; spins++)
        ;
    for (int spins = 0; is_last && spins < round % 128; spins++)
        atomic_load(&d->ready);
}

static int fight(void *argument)
{
    duellist *self = argument;
    duel *d = self->duel;
    tarn_cache *cache = kit_attach(d->pool);
    int failures = 0;
    for (int round = 0; round < DUELS; round++) {
        if (self->index == (uint32_t)round % 2)
            d->prey = take_next(d, cache, &failures);
        kit_barrier_wait(&d->barrier);
        meet(d, round);
        bool is_guest = d->guests_release && self->index == 1;
        tarn_status status =
            is_guest ? tarn_guest_release(d->pool, d->prey) : tarn_release(cache, d->prey);
        d->status[self->index] = status;
        self->won += status == TARN_OK;
        kit_barrier_wait(&d->barrier);
        if (self->index == 0)
            judge(d, &failures);
        kit_barrier_wait(&d->barrier);
    }
    kit_detach(cache);
    return failures;
}

static void t35_of_two_threads_that_release_a_handle_one_succeeds(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        static duel d;
        d = (duel){.pool = make(64, 0, kind % 2), .barrier = {.count = 2}};
        d.guests_release = kind / 2;
        tarn_handle kept; /* so that an object too many that is free would show */
        kit_expect_status(tarn_guest_take(d.pool, &kept, NULL), TARN_OK);
        duellist both[] = {{.duel = &d, .index = 0}, {.duel = &d, .index = 1}};
        assert_int_equal(kit_run_threads(2, fight, both, sizeof both[0]), 0);
        assert_int_equal(both[0].won + both[1].won, DUELS);
        /* They met: neither was always the first. */
        assert_true(both[0].won > 0 && both[1].won > 0);
        kit_expect_conserved(d.pool, 1);
        kit_expect_status(tarn_guest_release(d.pool, kept), TARN_OK);
        kit_destroy(d.pool);
    }
}

/* ---- handles that pass from thread to thread ---- */

enum { BOXES = 16, PASSES = 60000, PASSERS = 3 };

typedef struct post {
    tarn_pool *pool;
    _Atomic uint64_t boxes[BOXES];
    kit_barrier barrier;
} post;

typedef struct passer {
    post *post;
    uint64_t random;
} passer;

/* Whoever takes a handle out of a box is the one to release it. */
static int pass(void *argument)
{
    passer *self = argument;
    post *p = self->post;
    tarn_cache *cache = kit_attach(p->pool);
    int failures = 0;
    kit_barrier_wait(&p->barrier);
    for (int i = 0; i < PASSES && failures == 0; i++) {
        tarn_handle mine = {0};
        void *object = NULL;
        KIT_EXPECT(&failures, tarn_take(cache, &mine, &object) == TARN_OK);
        if (object)
            atomic_store(&((thing *)object)->handle, mine.bits);
        tarn_handle got = {
            atomic_exchange(&p->boxes[kit_random(&self->random) % BOXES], mine.bits)};
        if (tarn_handle_is_none(got))
            continue;
        thing *t = tarn_resolve(p->pool, got);
        KIT_EXPECT(&failures, t && atomic_load(&t->handle) == got.bits);
        KIT_EXPECT(&failures, tarn_release(cache, got) == TARN_OK);
        KIT_EXPECT(&failures, tarn_release(cache, got) == TARN_ERROR_STALE);
    }
    kit_barrier_wait(&p->barrier);
    kit_detach(cache);
    return failures;
}

static void handles_that_change_hands_are_released_once(void **state)
{
    (void)state;
    for (int exact = 0; exact <= 1; exact++) {
        static post p;
        p = (post){.pool = make(BOXES + 2 * PASSERS, 0, exact), .barrier = {.count = PASSERS}};
        passer passers[PASSERS];
        for (uint32_t i = 0; i < PASSERS; i++)
            passers[i] = (passer){&p, i + 1};
        assert_int_equal(kit_run_threads(PASSERS, pass, passers, sizeof passers[0]), 0);
        uint64_t live = 0;
        for (int i = 0; i < BOXES; i++)
            live += atomic_load(&p.boxes[i]) != 0;
        kit_expect_conserved(p.pool, live);
        for (int i = 0; i < BOXES; i++)
            if (atomic_load(&p.boxes[i]) != 0)
                kit_expect_status(
                    tarn_guest_release(p.pool, (tarn_handle){atomic_load(&p.boxes[i])}), TARN_OK);
        kit_destroy(p.pool);
    }
}

/* ---- looking up while slots are used again, and the pool grows ---- */

enum { ELDERS = 6, REUSES = 60000, HELD = 8 };

typedef struct scene {
    tarn_pool *pool;
    tarn_handle elders[ELDERS]; /* live throughout */
    void *elder_objects[ELDERS];
    _Atomic uint64_t shown; /* of an object that may end any time */
    atomic_uint players, ends;
    bool grows, hides_free;
} scene;

/* Takes, shows and releases; in a pool that grows, keeps more and more. */
static int reuse(void *argument)
{
    scene *s = argument;
    tarn_cache *cache = kit_attach(s->pool);
    int failures = 0;
    for (int i = 0; i < REUSES; i++) {
        tarn_handle handle = {0};
        void *object = NULL;
        tarn_status status = tarn_take(cache, &handle, &object);
        KIT_EXPECT(&failures, status == TARN_OK);
        if (status != TARN_OK)
            break;
        atomic_store(&((thing *)object)->handle, handle.bits);
        atomic_store(&s->shown, handle.bits);
        if (!s->grows || i % 16 != 0)
            KIT_EXPECT(&failures, tarn_release(cache, handle) == TARN_OK);
    }
    atomic_store(&s->ends, 1);
    kit_detach(cache);
    return failures;
}

/* The second answer says that the life went on until then, so the object named its handle. Where a
 * memory checker hides what is free, an object that may be freed meanwhile is not looked at. */
static void look_up(const scene *s, tarn_handle handle, int *failures)
{
    thing *t = tarn_resolve(s->pool, handle);
    if (!t || s->hides_free)
        return;
    uint64_t named = atomic_load(&t->handle);
    thing *again = tarn_resolve(s->pool, handle);
    KIT_EXPECT(failures, !again || (again == t && named == handle.bits));
}

static int watch(void *argument)
{
    scene *s = argument;
    tarn_handle held[HELD] = {{0}};
    int failures = 0;
    for (uint32_t i = 0; !atomic_load(&s->ends) && failures == 0; i++) {
        held[i % HELD].bits = atomic_load(&s->shown);
        for (int k = 0; k < HELD; k++)
            look_up(s, held[k], &failures);
        uint32_t elder = i % ELDERS;
        look_up(s, s->elders[elder], &failures);
        KIT_EXPECT(&failures, tarn_resolve(s->pool, s->elders[elder]) == s->elder_objects[elder]);
    }
    return failures;
}

static int play(void *argument)
{
    scene *s = argument;
    return atomic_fetch_add(&s->players, 1) == 0 ? watch(s) : reuse(s);
}

static void t44_a_handle_never_resolves_to_the_object_of_another_life(void **state)
{
    (void)state;
    for (int grows = 0; grows <= 1; grows++) {
        static scene s;
        s = (scene){.pool = make(16, grows ? 20000 : 0, false), .grows = grows};
        s.hides_free = kit_info(s.pool).inspected;
        for (int i = 0; i < ELDERS; i++) {
            kit_expect_status(tarn_guest_take(s.pool, &s.elders[i], &s.elder_objects[i]), TARN_OK);
            thing *t = s.elder_objects[i];
            atomic_store(&t->handle, s.elders[i].bits);
        }
        assert_int_equal(kit_run_threads(2, play, &s, 0), 0);
        assert_true((kit_sample(s.pool).growths > 5) == grows);
        for (int i = 0; i < ELDERS; i++)
            assert_ptr_equal(tarn_resolve(s.pool, s.elders[i]), s.elder_objects[i]);
        kit_clear_and_destroy(s.pool);
    }
}

/* ---- a slot's last life ---- */

enum { LIVES = 2, SLOTS = 500 };

/* One succeeds, and the slot is retired once. */
static int spend(void *argument)
{
    duellist *self = argument;
    duel *d = self->duel;
    tarn_cache *cache = kit_attach(d->pool);
    int failures = 0;
    for (int round = 0; round < SLOTS * LIVES; round++) {
        if (self->index == 0)
            KIT_EXPECT(&failures, tarn_take(cache, &d->prey, NULL) == TARN_OK);
        kit_barrier_wait(&d->barrier);
        meet(d, round);
        self->won += tarn_release(cache, d->prey) == TARN_OK;
        kit_barrier_wait(&d->barrier);
    }
    kit_detach(cache);
    return failures;
}

static void t41_a_slot_is_retired_once_by_several_that_end_its_last_life(void **state)
{
    (void)state;
    static duel d;
    tarn_pool_options options = {.object_bytes = sizeof(thing),
                                 .capacity = SLOTS,
                                 .exact = true,
                                 .handles = true,
                                 .handle_bits = 32,
                                 .handle_index_bits = 30};
    d = (duel){.pool = kit_pool(&options), .barrier = {.count = 2}};
    assert_int_equal(kit_info(d.pool).lives_max, LIVES);
    duellist both[] = {{.duel = &d, .index = 0}, {.duel = &d, .index = 1}};
    assert_int_equal(kit_run_threads(2, spend, both, sizeof both[0]), 0);
    assert_int_equal(both[0].won + both[1].won, SLOTS * LIVES);
    assert_int_equal(kit_sample(d.pool).slots_retired, SLOTS);
    kit_expect_conserved(d.pool, 0);
    kit_destroy(d.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t35_of_two_threads_that_release_a_handle_one_succeeds),
        cmocka_unit_test(handles_that_change_hands_are_released_once),
        cmocka_unit_test(t44_a_handle_never_resolves_to_the_object_of_another_life),
        cmocka_unit_test(t41_a_slot_is_retired_once_by_several_that_end_its_last_life),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
