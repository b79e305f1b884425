/* Threads that allocate, share and defer objects while one ends frames: whoever is inside a frame
 * can read what it found in there, and no object is handed out before all frames that could see it
 * are dropped. */
#include "support/frames.h"

#include "tarn/guest.h"

enum { WORKERS = 3, FRAMES = 250, PLACES = 32, ACTS = 60, MEETING = 8 };

/* The state orders nothing, and the payload is plain: sanitizers see it when an object is used anew
 * while somebody still reads it. */
typedef struct item {
    _Atomic uint64_t state; /* 0: never used; odd: live; even: 2 * the frame it may be free in */
    uint64_t payload[2];
} item;

typedef enum kind { RAW, EXACT, HANDLES, KINDS } kind;

typedef struct race {
    kind k;
    uint32_t in_flight;
    tarn_pool *pool;
    tarn_frame *frame;
    _Atomic(item *) places[PLACES];
    _Atomic uint64_t refused, deferred, taken;
    atomic_uint inside, overlaps, is_over;
    kit_barrier meeting;
} race;

typedef struct worker {
    race *r;
    uint32_t number;
} worker;

/* Who takes an object finds it unused, or deferred in a frame that was dropped. */
static item *take(race *r, uint64_t frame, uint64_t *random, int *failures)
{
    item *i = tarn_guest_alloc(r->pool);
    if (!i)
        return NULL;
    uint64_t before = atomic_exchange_explicit(&i->state, 1, memory_order_relaxed);
    KIT_EXPECT(failures, before % 2 == 0);
    KIT_EXPECT(failures, before / 2 <= frame);
    i->payload[0] = kit_random(random);
    i->payload[1] = ~i->payload[0];
    atomic_fetch_add_explicit(&r->taken, 1, memory_order_relaxed);
    return i;
}

/* One that is named until the drop can be found in the frame that drops it, and waits for that. */
static bool is_named_until_drop(const race *r, uint64_t random)
{
    return r->k == HANDLES && random % 3 != 1;
}

static tarn_status defer(race *r, tarn_lane *lane, item *i, uint64_t random)
{
    if (r->k != HANDLES || random % 3 == 0)
        return tarn_frame_defer_free(lane, r->pool, i);
    tarn_handle handle = tarn_handle_of(r->pool, i);
    return tarn_frame_defer_release(lane, r->pool, handle,
                                    random % 3 == 1 ? TARN_STALE_AT_ONCE : TARN_STALE_AT_DROP);
}

/* Others that found it in its place may still be reading it. */
static void retire(race *r, tarn_lane *lane, item *i, uint64_t frame, uint64_t random,
                   int *failures)
{
    uint64_t free_in = frame + r->in_flight * (is_named_until_drop(r, random) ? 2 : 1);
    KIT_EXPECT(failures,
               atomic_exchange_explicit(&i->state, 2 * free_in, memory_order_relaxed) == 1);
    KIT_EXPECT(failures, defer(r, lane, i, random) == TARN_OK);
    atomic_fetch_add_explicit(&r->deferred, 1, memory_order_relaxed);
}

static void read_place(race *r, uint64_t random, int *failures)
{
    const item *i = atomic_load_explicit(&r->places[random % PLACES], memory_order_acquire);
    if (!i)
        return;
    uint64_t seen = i->payload[0];
    for (uint32_t k = 0; k < 4; k++) {
        if (k == 2)
            tarn_thread_yield();
        KIT_EXPECT(failures, i->payload[0] == seen && i->payload[1] == ~seen);
    }
}

static void act(race *r, tarn_lane *lane, uint64_t frame, uint64_t *random, int *failures)
{
    uint64_t dice = kit_random(random) >> 8;
    if (dice % 2) {
        read_place(r, dice / 2, failures);
        return;
    }
    item *fresh = take(r, frame, random, failures);
    if (!fresh) {
        atomic_fetch_add_explicit(&r->refused, 1, memory_order_relaxed);
        return;
    }
    item *old =
        atomic_exchange_explicit(&r->places[dice / 2 % PLACES], fresh, memory_order_acq_rel);
    if (old)
        retire(r, lane, old, frame, dice / 64, failures);
}

/* In every MEETING-th frame all are inside at once, which proves that they overlap. */
static void work_inside(race *r, tarn_lane *lane, uint64_t *random, int *failures)
{
    uint64_t frame = tarn_frame_number(r->frame);
    atomic_fetch_add(&r->inside, 1);
    if (frame % MEETING == 0)
        kit_barrier_wait(&r->meeting);
    if (atomic_load(&r->inside) > 1)
        atomic_fetch_add(&r->overlaps, 1);
    for (uint32_t i = 0; i < ACTS; i++)
        act(r, lane, frame, random, failures);
    atomic_fetch_sub(&r->inside, 1);
}

static int work(void *argument)
{
    const worker *w = argument;
    race *r = w->r;
    int failures = 0;
    uint64_t random = 77 + w->number, last = 0;
    tarn_lane *lane = NULL;
    KIT_EXPECT(&failures, tarn_lane_attach(r->frame, "worker", &lane) == TARN_OK);
    while (last < FRAMES && failures == 0) {
        tarn_status status = tarn_lane_enter(lane);
        KIT_EXPECT(&failures, status == TARN_OK || status == TARN_ERROR_BUSY);
        uint64_t frame = tarn_frame_number(r->frame);
        if (status == TARN_OK && frame > last) {
            last = frame;
            work_inside(r, lane, &random, &failures);
        }
        if (status == TARN_OK)
            KIT_EXPECT(&failures, tarn_lane_leave(lane) == TARN_OK);
        tarn_thread_yield();
    }
    KIT_EXPECT(&failures, tarn_lane_detach(lane) == TARN_OK);
    atomic_fetch_add(&r->is_over, 1);
    return failures;
}

/* Ends frames as soon as nobody is inside; a frame in which all meet is given time to be met in. */
static int end_frames(race *r)
{
    int failures = 0;
    while (atomic_load(&r->is_over) < WORKERS) {
        tarn_status status = TARN_ERROR_BUSY;
        bool are_met = atomic_load(&r->meeting.round) >= tarn_frame_number(r->frame) / MEETING;
        if (are_met && tarn_frame_number(r->frame) < FRAMES)
            status = tarn_frame_end(r->frame, 0, NULL);
        KIT_EXPECT(&failures,
                   status == TARN_OK || status == TARN_ERROR_LATE || status == TARN_ERROR_BUSY);
        tarn_thread_yield();
    }
    return failures;
}

static int play(void *argument)
{
    worker *w = argument;
    return w->number == WORKERS ? end_frames(w->r) : work(w);
}

static void expect_all_found(race *r)
{
    uint64_t shared = 0;
    for (uint32_t i = 0; i < PLACES; i++)
        shared += atomic_load(&r->places[i]) != NULL;
    assert_int_equal(frame_kit_sample(r->frame).deferred_stale, 0);
    frames_destroy(r->frame);
    assert_int_equal(atomic_load(&r->taken) - atomic_load(&r->deferred), shared);
    kit_expect_conserved(r->pool, shared);
    kit_clear_and_destroy(r->pool);
}

static void run_race(kind k, uint32_t in_flight)
{
    race r = {.k = k, .in_flight = in_flight, .meeting = {.count = WORKERS}};
    tarn_pool_options options = {.object_bytes = sizeof(item),
                                 .capacity = PLACES + 30, /* so that objects come back soon */
                                 .caches_max = WORKERS + 1,
                                 .cache_objects_max = 4,
                                 .exact = k == EXACT,
                                 .handles = k == HANDLES,
                                 .check.keeps_content = true}; /* states outlive lives */
    worker workers[WORKERS + 1];
    r.pool = kit_pool(&options);
    r.frame = frames_in_flight(in_flight);
    for (uint32_t i = 0; i <= WORKERS; i++)
        workers[i] = (worker){&r, i};
    assert_int_equal(kit_run_threads(WORKERS + 1, play, workers, sizeof *workers), 0);
    assert_true(atomic_load(&r.overlaps) >= FRAMES / MEETING);
    assert_true(atomic_load(&r.refused) > 0);                  /* all were in use */
    assert_true(atomic_load(&r.taken) > 4 * options.capacity); /* and came back */
    expect_all_found(&r);
}

static void no_object_is_used_anew_while_a_frame_in_flight_can_see_it(void **state)
{
    (void)state;
    for (kind k = 0; k < KINDS; k++)
        for (uint32_t in_flight = 1; in_flight <= 3; in_flight++)
            run_race(k, in_flight);
}

/* ---- one handle, many who defer it ---- */

enum { HANDLES_EACH = 400 };

typedef struct crowd {
    tarn_pool *pool;
    tarn_frame *frame;
    tarn_handle handles[HANDLES_EACH];
    kit_barrier barrier;
    atomic_uint won;
} crowd;

static int defer_all(void *argument)
{
    crowd *c = argument;
    int failures = 0;
    tarn_lane *lane = tarn_guest_lane(c->frame);
    KIT_EXPECT(&failures, lane && tarn_lane_enter(lane) == TARN_OK);
    kit_barrier_wait(&c->barrier);
    for (uint32_t i = 0; i < HANDLES_EACH && lane; i++) {
        tarn_status status =
            i % 4 == 3 ? tarn_guest_release(c->pool, c->handles[i])
                       : tarn_frame_defer_release(lane, c->pool, c->handles[i], TARN_STALE_AT_ONCE);
        KIT_EXPECT(&failures, status == TARN_OK || status == TARN_ERROR_STALE);
        atomic_fetch_add(&c->won, status == TARN_OK);
    }
    return failures; /* the thread's end leaves the frame */
}

static void of_many_that_defer_or_release_a_handle_at_once_one_succeeds(void **state)
{
    (void)state;
    tarn_pool_options options = {
        .object_bytes = 16, .capacity = HANDLES_EACH, .caches_max = 4, .handles = true};
    for (uint32_t round = 0; round < 20; round++) {
        crowd c = {.pool = kit_pool(&options),
                   .frame = frames_in_flight(1),
                   .barrier = {.count = WORKERS}};
        for (uint32_t i = 0; i < HANDLES_EACH; i++)
            kit_expect_status(tarn_guest_take(c.pool, &c.handles[i], NULL), TARN_OK);
        assert_int_equal(kit_run_threads(WORKERS, defer_all, &c, 0), 0);
        assert_int_equal(atomic_load(&c.won), HANDLES_EACH);
        kit_expect_conserved(c.pool, HANDLES_EACH - HANDLES_EACH / 4);
        frame_kit_end(c.frame);
        kit_expect_status(tarn_frame_reclaim(c.frame, SIZE_MAX, NULL), TARN_OK);
        kit_expect_conserved(c.pool, 0);
        frames_destroy(c.frame);
        kit_destroy(c.pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_object_is_used_anew_while_a_frame_in_flight_can_see_it),
        cmocka_unit_test(of_many_that_defer_or_release_a_handle_at_once_one_succeeds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
