/* Two threads on one pool, told step by step: one is stopped at each atomic access of one call in
 * turn while the other works. No object has two users, none is lost, no magazine is lost, a
 * reservation is kept, and a refusal means that the capacity is live. The states from which this
 * starts are random; a seed tells each. */
#include "support/check.h"
#include "support/interleave.h"
#include "support/random.h"

#include "pool/array.h"
#include "pool/shelf.h"
#include "pool/slots.h"
#include "tarn/tarn.h"

#include <string.h>

#define CAPACITY      14u
#define SLOTS_MAX     128u /* the plan's slots are fewer */
#define BULK_MAX      6u
#define CALLS_BEFORE  40u
#define CALLS_BETWEEN 5u
#define SEEDS         2500u

typedef enum user_kind { USER_SUBJECT, USER_OTHER, USER_GUEST, USERS } user_kind;

typedef struct user {
    tarn_cache *cache; /* NULL for a guest, and while detached */
    uint64_t promised; /* allocations that its reservation still owes */
    uint64_t pending;  /* objects that a call under way may hold already, or still */
    uint64_t peak;     /* the most that was committed since its call began */
} user;

typedef struct world {
    tarn_pool *pool;
    user users[USERS];
    bool is_live[SLOTS_MAX];
    void *live[SLOTS_MAX];
    uint32_t live_count;
    bool changes_caches;
    uint32_t seed, point;
    random_state subject_random, other_random; /* set anew for each run of a seed */
} world;

static uint64_t committed_to(const world *w)
{
    uint64_t sum = w->live_count;
    for (uint32_t i = 0; i < USERS; i++)
        sum += w->users[i].promised + w->users[i].pending;
    return sum;
}

#define check_world(w, condition)                                                              \
    check_that(condition, "seed %u, point %u, %u live, %llu committed", (w)->seed, (w)->point, \
               (w)->live_count, (unsigned long long)committed_to(w))

static void note_alloc(world *w, void *object)
{
    uint64_t slot = tarn_slot_of_(w->pool, object);
    check_world(w, slot < w->pool->plan.slots_max);
    check_world(w, !w->is_live[slot]);
    w->is_live[slot] = true;
    w->live[w->live_count++] = object;
}

static void *note_free(world *w, random_state *random)
{
    uint64_t at = random_below(random, w->live_count);
    void *object = w->live[at];
    w->live[at] = w->live[--w->live_count];
    w->is_live[tarn_slot_of_(w->pool, object)] = false;
    return object;
}

/* ---- calls ---- */

static void note_peak(world *w)
{
    uint64_t committed = committed_to(w);
    for (uint32_t i = 0; i < USERS; i++)
        if (w->users[i].peak < committed)
            w->users[i].peak = committed;
}

static void begin(world *w, user *u, uint64_t pending)
{
    u->pending += pending;
    u->peak = 0;
    note_peak(w);
}

static void end(user *u, uint64_t pending)
{
    u->pending -= pending;
}

static void alloc_one(world *w, user *u)
{
    bool is_owed = u->promised > 0;
    begin(w, u, !is_owed);
    void *object = u->cache ? tarn_alloc(u->cache) : tarn_guest_alloc(w->pool);
    end(u, !is_owed);
    check_world(w, object || (!is_owed && u->peak > CAPACITY));
    if (!object)
        return;
    u->promised -= is_owed;
    note_alloc(w, object);
}

static void free_one(world *w, user *u, random_state *random)
{
    if (w->live_count == 0)
        return;
    void *object = note_free(w, random);
    begin(w, u, 1);
    if (u->cache)
        tarn_free(u->cache, object);
    else
        tarn_guest_free(w->pool, object);
    end(u, 1);
}

static void alloc_bulk(world *w, user *u, uint32_t count)
{
    void *objects[BULK_MAX];
    uint64_t owed = count < u->promised ? count : u->promised;
    begin(w, u, count - owed);
    tarn_status status = tarn_alloc_bulk(u->cache, count, objects);
    end(u, count - owed);
    check_world(w, status == TARN_OK || (count > owed && u->peak > CAPACITY));
    if (status != TARN_OK)
        return;
    u->promised -= owed;
    for (uint32_t i = 0; i < count; i++)
        note_alloc(w, objects[i]);
}

static void free_bulk(world *w, user *u, random_state *random)
{
    void *objects[BULK_MAX];
    uint32_t count = 0;
    while (count < BULK_MAX && w->live_count > 0)
        objects[count++] = note_free(w, random);
    begin(w, u, count);
    assert_int_equal(tarn_free_bulk(u->cache, count, objects), TARN_OK);
    end(u, count);
}

static void reserve(world *w, user *u, uint32_t count)
{
    uint64_t before = u->promised;
    uint64_t more = count > before ? count - before : 0;
    begin(w, u, more);
    tarn_status status = tarn_cache_reserve(u->cache, count);
    end(u, more);
    check_world(w, status == TARN_OK || (more > 0 && u->peak > CAPACITY));
    u->promised = status == TARN_OK ? count : before;
}

static void change_cache(world *w, user *u)
{
    assert_int_equal(tarn_cache_detach(u->cache), TARN_OK);
    u->promised = 0;
    assert_int_equal(tarn_cache_attach(w->pool, &u->cache), TARN_OK);
}

static void call_any(world *w, user *u, random_state *random)
{
    switch (random_below(random, u->cache ? 16 : 10)) {
    case 10:
        alloc_bulk(w, u, (uint32_t)random_below(random, BULK_MAX) + 1);
        break;
    case 11:
        free_bulk(w, u, random);
        break;
    case 12:
        reserve(w, u, (uint32_t)random_below(random, BULK_MAX));
        break;
    case 13:
        if (w->changes_caches)
            change_cache(w, u);
        break;
    case 0:
    case 1:
    case 2:
    case 3:
    case 14:
        free_one(w, u, random);
        break;
    default:
        alloc_one(w, u);
    }
}

/* ---- a run ---- */

/* T6: at no instant does a cache hold more than its bound; what is reserved comes on top. */
static void check_bounds(const world *w)
{
    const tarn_plan *plan = &w->pool->plan;
    for (uint32_t i = 0; i < plan->caches_max; i++) {
        const tarn_cache_state *cache = &w->pool->caches[i];
        uint64_t held =
            tarn_array_count_(cache) + tarn_shelf_count_(cache) * plan->magazine_objects;
        check_world(w, held <= plan->cache_objects_max);
    }
}

static void run_subject(void *context)
{
    world *w = context;
    call_any(w, &w->users[USER_SUBJECT], &w->subject_random);
}

static void run_others(void *context, uint32_t point)
{
    world *w = context;
    check_bounds(w);
    for (uint32_t i = 0; point == w->point && i < CALLS_BETWEEN; i++) {
        uint32_t who = USER_OTHER + (uint32_t)random_below(&w->other_random, 2);
        call_any(w, &w->users[who], &w->other_random);
    }
}

static void forget_all(world *w)
{
    tarn_cache_reserve(w->users[USER_OTHER].cache, 3); /* for clear to end, if there is enough */
    assert_int_equal(tarn_pool_clear(w->pool), TARN_OK);
    memset(w->is_live, 0, sizeof w->is_live);
    w->live_count = 0;
    for (uint32_t i = 0; i < USERS; i++)
        w->users[i].promised = w->users[i].pending = 0;
}

/* Until nothing is left, the slack included: after that, little is enough to make a pool dry. */
static void alloc_all(world *w, user *u)
{
    uint32_t before;
    do {
        before = w->live_count;
        alloc_one(w, u);
    } while (w->live_count > before);
}

/* The state from which the seed's call starts: the same each time. */
static void start(world *w)
{
    forget_all(w);
    w->subject_random = (random_state){w->seed * 2 + 1};
    w->other_random = (random_state){w->seed * 4 + 3};
    for (uint32_t i = 0; i < 8; i++) {
        random_next(&w->subject_random);
        random_next(&w->other_random);
    }
    random_state *random = &w->other_random;
    if (w->seed % 4 > 0) {
        alloc_all(w, &w->users[USER_SUBJECT]);
        uint64_t rest = CAPACITY - 4 + random_below(random, 8);
        while (w->live_count > rest)
            free_one(w, &w->users[random_below(random, USERS)], random);
    }
    for (uint64_t i = random_below(random, CALLS_BEFORE); i > 0; i--)
        call_any(w, &w->users[random_below(random, USERS)], random);
}

static uint64_t magazines_on(tarn_depot *depot, tarn_stack *stack)
{
    uint64_t count = 0;
    uint32_t members[TARN_CHAIN_MAGAZINES_MAX];
    uint32_t leader = tarn_stack_take_all(stack, &depot->magazines.links);
    for (; leader != TARN_INDEX_NONE; leader = tarn_links_get(&depot->magazines.links, leader))
        count += tarn_chain_read(&depot->magazines, leader, members);
    return count;
}

/* Every magazine that was ever carved lies in the depot or with a cache. */
static void check_magazines(const world *w)
{
    tarn_depot *depot = &w->pool->depot;
    uint64_t magazines = magazines_on(depot, &depot->full) + magazines_on(depot, &depot->empty);
    for (uint32_t i = 0; i < w->pool->plan.caches_max; i++)
        magazines += w->pool->caches[i].empty_count + tarn_shelf_count_(&w->pool->caches[i]);
    check_world(w, magazines == tarn_u32_load_relaxed(&depot->magazines.carved));
}

static void check_statistics(const world *w)
{
    tarn_pool_statistics statistics;
    tarn_pool_info info;
    tarn_pool_sample(w->pool, &statistics);
    tarn_pool_describe(w->pool, &info);
    check_world(w, statistics.live == w->live_count);
    check_world(w, statistics.allocs - statistics.frees == statistics.live);
    check_world(w, statistics.live + statistics.free_in_caches + statistics.free_in_depot ==
                       info.slots_carved);
}

/* Whatever happened: all the capacity can be taken, once, and comes back whole. */
static void check_end(world *w)
{
    check_statistics(w);
    check_bounds(w);
    user *subject = &w->users[USER_SUBJECT];
    reserve(w, subject, 0);
    reserve(w, &w->users[USER_OTHER], 0);
    alloc_all(w, subject);
    check_world(w, w->live_count >= CAPACITY);
    while (w->live_count > 0)
        free_one(w, subject, &w->other_random);
    check_statistics(w);
    check_magazines(w);
}

static uint64_t check_seed(world *w)
{
    uint64_t runs = 0;
    uint32_t points = UINT32_MAX;
    for (w->point = 1; w->point <= points; w->point++, runs++) {
        start(w);
        points = interleave(run_subject, run_others, w);
        check_end(w);
    }
    return runs;
}

/* Slack for no more threads than there are here, so that a refusal too many shows. */
static void tighten_slack(world *w, bool guest_has_cache)
{
    tarn_plan *plan = &w->pool->plan;
    size_t direct = (size_t)!guest_has_cache * plan->chain_magazines * plan->magazine_objects;
    size_t slack = plan->caches_max * plan->cache_objects_max + direct;
    assert_true(slack <= plan->slack_slots);
    plan->slack_slots = slack;
}

/* A guest that comes before the others has a cache; one that comes after them finds none. */
static void check_pool(const char *test, uint32_t bound, bool guest_has_cache)
{
    static world w;
    memset(&w, 0, sizeof w);
    tarn_pool_options options = {.object_bytes = 8,
                                 .capacity = CAPACITY,
                                 .caches_max = guest_has_cache ? 3 : 2,
                                 .cache_objects_max = bound,
                                 .exact = bound == 0};
    assert_int_equal(tarn_pool_create(&options, &w.pool), TARN_OK);
    assert_true(w.pool->plan.slots_max <= SLOTS_MAX);
    tighten_slack(&w, guest_has_cache);
    if (guest_has_cache)
        tarn_guest_free(w.pool, tarn_guest_alloc(w.pool));
    w.changes_caches = guest_has_cache; /* or the guest would take what is left for an instant */
    assert_int_equal(tarn_cache_attach(w.pool, &w.users[USER_SUBJECT].cache), TARN_OK);
    assert_int_equal(tarn_cache_attach(w.pool, &w.users[USER_OTHER].cache), TARN_OK);
    uint32_t first = (uint32_t)random_start(test, 1).word;
    uint64_t runs = 0;
    for (w.seed = first; w.seed < first + SEEDS; w.seed++)
        runs += check_seed(&w);
    printf("%s: %llu interleavings\n", test, (unsigned long long)runs);
    assert_true(runs > 4 * SEEDS);
    tarn_pool_clear(w.pool);
    assert_int_equal(tarn_pool_destroy(w.pool), TARN_OK);
}

/* Magazines of 2, an array of 4, a shelf of 2. */
static void every_call_may_be_stopped_anywhere(void **state)
{
    (void)state;
    check_pool("magazines of 2", 8, true);
}

/* Magazines of 1, an array of 2, a shelf of 5, so that two magazines make a chain. */
static void every_call_may_be_stopped_anywhere_where_magazines_move_in_chains(void **state)
{
    (void)state;
    check_pool("chains of 2", 7, true);
}

static void every_call_may_be_stopped_anywhere_beside_a_guest_without_a_cache(void **state)
{
    (void)state;
    check_pool("guest without a cache", 7, false);
}

static void every_call_on_an_exact_pool_may_be_stopped_anywhere(void **state)
{
    (void)state;
    check_pool("exact", 0, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_may_be_stopped_anywhere),
        cmocka_unit_test(every_call_may_be_stopped_anywhere_where_magazines_move_in_chains),
        cmocka_unit_test(every_call_may_be_stopped_anywhere_beside_a_guest_without_a_cache),
        cmocka_unit_test(every_call_on_an_exact_pool_may_be_stopped_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
