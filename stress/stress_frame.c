/* Claim: while threads enter frames, allocate, free things at the frame's end, leave, and hand
 * their lanes to others, frames end only when nobody is inside; memory and objects stay as they are
 * as long as a frame in flight can see them, and then are used again, each once; nothing is lost.
 *
 * The first thread ends frames, in half of the pools now and then the others do too. In half of
 * them a frame's memory is used again only when the second thread, outside of all lanes, has read
 * it. */
#include "frame_play.h"
#include "overlap.h"
#include "scenarios.h"

#include <inttypes.h>
#include <stdlib.h>

#define BLOCK_BYTES    4096u
#define MEMORY_BYTES   ((size_t)64 << 20)
#define WAIT_NS        50000u
#define FIRST_WAIT_NS  5000000000u
#define STAND_BY_TURNS 4u

/* ---- lanes ---- */

static void attach(worker *w)
{
    overlap_enter(w, "lane_attach");
    tarn_status status = tarn_lane_attach(frames_of(w)->frame, "stress", &player_of(w)->lane);
    overlap_leave(w);
    frame_expect(w, "attach", status, TARN_OK);
}

static void detach(worker *w)
{
    overlap_enter(w, "lane_detach");
    frame_expect(w, "detach", tarn_lane_detach(player_of(w)->lane), TARN_OK);
    overlap_leave(w);
}

static bool enter(worker *w)
{
    overlap_enter(w, "lane_enter");
    tarn_status status = tarn_lane_enter(player_of(w)->lane);
    overlap_leave(w);
    frame_expect(w, "enter", status, TARN_ERROR_CLOSED);
    return status == TARN_OK;
}

/* Now and then the lane is left by giving it back, and another takes it over. */
static void leave(worker *w)
{
    frames *s = frames_of(w);
    const tarn_lane *lane = player_of(w)->lane;
    if (tarn_frame_number(s->frame) != lane->frame)
        failure_report(&w->run->failure, "frame %" PRIu64 " ended while a lane was inside",
                       lane->frame);
    if (dice_one_in(&w->dice, 64)) {
        detach(w);
        tarn_thread_yield();
        attach(w);
        return;
    }
    overlap_enter(w, "lane_leave");
    frame_expect(w, "leave", tarn_lane_leave(player_of(w)->lane), TARN_OK);
    overlap_leave(w);
}

static void stand_by(worker *w)
{
    for (uint32_t i = 0; i < STAND_BY_TURNS && worker_goes_on(w); i++) {
        if (!atomic_load_explicit(&frames_of(w)->is_ending, memory_order_relaxed))
            return;
        tarn_thread_yield();
    }
}

static void work(worker *w)
{
    stand_by(w);
    if (!enter(w))
        return;
    overlap_enter(w, "inside");
    for (uint64_t i = 1 + dice_below(&w->dice, 24); i > 0 && !failure_found(&w->run->failure); i--)
        frame_act(w);
    overlap_leave(w);
    leave(w);
}

/* ---- ending and completing ---- */

/* Closed, the frame can be read while it is open. Without other enders it stays so. */
static void close_frame(worker *w, uint64_t wait_ns)
{
    frames *s = frames_of(w);
    tarn_status status = tarn_frame_close(s->frame, wait_ns, NULL);
    if (status == TARN_OK && !s->all_end)
        frame_read(w, tarn_frame_number(s->frame));
    frame_expect(w, "close", status, TARN_ERROR_LATE);
}

static void end_frame(worker *w, uint64_t wait_ns)
{
    frames *s = frames_of(w);
    tarn_late late;
    atomic_store_explicit(&s->is_ending, true, memory_order_relaxed);
    overlap_enter(w, "frame_end");
    if (dice_one_in(&w->dice, 4))
        close_frame(w, wait_ns);
    tarn_status status = tarn_frame_end(s->frame, wait_ns, &late);
    overlap_leave(w);
    atomic_store_explicit(&s->is_ending, false, memory_order_relaxed);
    if (status == TARN_OK)
        atomic_fetch_add_explicit(&s->ends, 1, memory_order_relaxed);
    else if (status != TARN_ERROR_LATE)
        frame_expect(w, "end", status, s->gated ? TARN_ERROR_IN_FLIGHT : TARN_OK);
}

/* Outside of all lanes: only that it has not said so keeps the frame. */
static void complete_all(worker *w)
{
    frames *s = frames_of(w);
    tarn_frame_statistics sample;
    tarn_frame_sample(s->frame, &sample);
    uint64_t open = tarn_frame_number(s->frame);
    for (uint64_t next = sample.completed + 1; next < open; next++) {
        frame_read(w, next);
        overlap_enter(w, "frame_complete");
        frame_expect(w, "complete", tarn_frame_complete(s->frame, next), TARN_OK);
        overlap_leave(w);
    }
}

static void manage(worker *w)
{
    frames *s = frames_of(w);
    tarn_frame_statistics sample;
    if (dice_one_in(&w->dice, 4))
        tarn_frame_trim(s->frame, NULL);
    tarn_frame_sample(s->frame, &sample);
    if (sample.lanes > w->run->options->threads || sample.held_bytes > MEMORY_BYTES ||
        sample.deferred > s->deferred_max || sample.overflows_full > 0)
        failure_report(&w->run->failure, "a figure of the frame is out of range");
}

/* The first end waits until it gets its turn: on a slow machine no other may. */
static uint64_t wait_ns(worker *w)
{
    bool is_first_end = atomic_load_explicit(&frames_of(w)->ends, memory_order_relaxed) == 0;
    if (w->number != 1)
        return 0;
    if (is_first_end)
        return FIRST_WAIT_NS;
    return dice_one_in(&w->dice, 2) ? WAIT_NS : 0;
}

static bool step(worker *w)
{
    bool is_first = w->number == 1, is_second = w->number == 2;
    if (is_first || (frames_of(w)->all_end && dice_one_in(&w->dice, 32)))
        end_frame(w, wait_ns(w));
    if (is_second && frames_of(w)->gated)
        complete_all(w);
    if (dice_one_in(&w->dice, 128))
        manage(w);
    work(w);
    worker_walk(w);
    return true;
}

/* ---- from open to close ---- */

static void report(void *context, const tarn_report *misuse)
{
    run *r = context;
    failure_report(&r->failure, "%s reported: %s", misuse->pool_name, misuse->text);
}

static tarn_status create_pool(run *r, frames *s)
{
    size_t bytes = r->options->object_bytes;
    tarn_pool_info info;
    tarn_pool_options options = {.name = "shared",
                                 .object_bytes = bytes > sizeof(shared) ? bytes : sizeof(shared),
                                 .object_alignment = _Alignof(shared),
                                 .capacity = r->options->capacity,
                                 .caches_max = r->options->threads + 1,
                                 .exact = r->options->exact};
    tarn_status status = tarn_pool_create(&options, &s->pool);
    if (status == TARN_OK) {
        tarn_pool_describe(s->pool, &info);
        s->deferred_max = info.slots + r->options->threads;
    }
    return status;
}

static tarn_status create_frame(run *r, frames *s)
{
    tarn_frame_pool_options drawn_options = {.object_bytes = sizeof(drawn),
                                             .hooks = drawn_hooks(&r->failure)};
    s->gated = dice_one_in(&r->dice, 2);
    s->all_end = dice_one_in(&r->dice, 2);
    s->in_flight = 1 + (uint32_t)dice_below(&r->dice, 3);
    if (s->gated && s->in_flight == 1)
        s->in_flight = 2;
    tarn_frame_options options = {.name = "stress",
                                  .frames_in_flight = s->in_flight,
                                  .gated = s->gated,
                                  .lanes_max = r->options->threads,
                                  .block_bytes = BLOCK_BYTES,
                                  .memory_bytes_max = MEMORY_BYTES,
                                  .retention = dice_one_in(&r->dice, 2) ? TARN_RETAIN_DECAY
                                                                        : TARN_RETAIN_ALL,
                                  .deferred_max = s->deferred_max,
                                  .checked = dice_one_in(&r->dice, 4),
                                  .report = report,
                                  .report_context = r};
    tarn_status status = tarn_frame_create(&options, &s->frame);
    return status == TARN_OK ? tarn_frame_pool_create(s->frame, &drawn_options, &s->drawn) : status;
}

static bool open(run *r)
{
    frames *s = aligned_alloc(_Alignof(frames), sizeof *s);
    size_t players_bytes = (r->options->threads + 1) * sizeof *s->players;
    if (s)
        *s = (frames){.failure = &r->failure,
                      .players = aligned_alloc(_Alignof(player), players_bytes)};
    if (!s || !s->players) {
        failure_report(&r->failure, "no memory for the players");
        return false;
    }
    for (uint32_t i = 0; i <= r->options->threads; i++)
        s->players[i] = (player){.lane = NULL};
    r->state = s;
    tarn_status status = create_pool(r, s);
    if (status == TARN_OK)
        status = create_frame(r, s);
    if (status != TARN_OK)
        failure_report(&r->failure, "the frame could not be created: %s", tarn_status_name(status));
    return status == TARN_OK;
}

static void begin(worker *w)
{
    worker_attach(w);
    attach(w);
}

static void end(worker *w)
{
    detach(w);
    worker_free_down_to(w, 0);
    worker_detach(w);
}

static void end_all(run *r, frames *s)
{
    for (uint32_t i = 0; i <= s->in_flight; i++) {
        tarn_frame_complete(s->frame, tarn_frame_number(s->frame) - 1);
        tarn_status status = tarn_frame_end(s->frame, 0, NULL);
        if (status != TARN_OK)
            failure_report(&r->failure, "a frame without lanes cannot be ended: %s",
                           tarn_status_name(status));
    }
    tarn_frame_reclaim(s->frame, SIZE_MAX, NULL);
}

static uint64_t count_board(frames *s)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < BOARD_OBJECTS; i++)
        count += atomic_load_explicit(&s->board[i], memory_order_relaxed) != NULL;
    return count;
}

/* The threads are gone. Once nothing is in flight, all that is left is what the board has. */
static void ended(run *r)
{
    frames *s = r->state;
    tarn_frame_statistics sample;
    tarn_pool_statistics objects;
    uint64_t registered = 0;
    end_all(r, s);
    tarn_frame_sample(s->frame, &sample);
    tarn_pool_sample(s->pool, &objects);
    for (uint32_t i = 1; i <= r->options->threads; i++)
        registered += s->players[i].finalizers;
    uint64_t finalized = atomic_load_explicit(&s->finalized, memory_order_relaxed);
    if (finalized != registered)
        failure_report(&r->failure, "%" PRIu64 " of %" PRIu64 " finalizers ran", finalized,
                       registered);
    if (sample.deferred != 0 || objects.live != count_board(s))
        failure_report(&r->failure,
                       "%" PRIu64 " frees are left, %" PRIu64 " objects live, %" PRIu64 " in use",
                       sample.deferred, objects.live, count_board(s));
    if (sample.lanes != 0 || sample.lanes_inside != 0)
        failure_report(&r->failure, "%u lanes are attached to nobody", sample.lanes);
    if (atomic_load_explicit(&s->ends, memory_order_relaxed) == 0)
        failure_report(&r->failure, "no frame ended");
}

static void destroy(run *r, frames *s)
{
    for (uint32_t i = 0; i < BOARD_OBJECTS; i++) {
        shared *object = atomic_load_explicit(&s->board[i], memory_order_relaxed);
        if (object)
            tarn_guest_free(s->pool, object);
    }
    tarn_status frame = tarn_frame_destroy(s->frame);
    tarn_status pool = tarn_pool_destroy(s->pool);
    if (frame != TARN_OK || pool != TARN_OK)
        failure_report(&r->failure, "destruction answered %s for the frame, %s for the pool",
                       tarn_status_name(frame), tarn_status_name(pool));
}

/* After a failure lanes may still be inside, and the memory is not given back. */
static void close(run *r)
{
    frames *s = r->state;
    if (!s)
        return;
    if (!failure_found(&r->failure))
        destroy(r, s);
    free(s->players);
    free(s);
    r->state = NULL;
}

const scenario scenario_frame = {
    .name = "frame",
    .claim = "frames end while nobody is inside, and what they hold stays as long as it is seen",
    .crews_per_pool = 2,
    .rounds_per_crew = 3,
    .round_ms = 60,
    .open = open,
    .begin = begin,
    .step = step,
    .end = end,
    .ended = ended,
    .close = close,
};
