#include "jobs/deep.h"

#include "jobs/run.h"

/* Values of tarn_worker_.hand, which the first thread waits for, and who waits for it. */
#define HAND_NONE 0u
#define HAND_JOB  1u /* the first thread is to run `handed` */
#define HAND_OVER 2u /* the deeper call is over */

typedef struct deep_call {
    tarn_worker_ *worker;
    tarn_deep_fn_ *function;
    void *argument;
    bool is_first;
} deep_call;

static void set_hand(tarn_worker_ *worker, tarn_park *park, uint32_t value)
{
    /* E50 release: all that is the worker's. */
    tarn_u32_store_release(&worker->hand, value);
    tarn_fence_seq_cst();
    tarn_park_wake(park);
}

/* Returns what it is when it is not that value any more. */
static uint32_t await_hand(tarn_worker_ *worker, tarn_park *park, uint32_t value)
{
    for (;;) {
        uint32_t ticket = tarn_park_ticket(park);
        /* E50 acquire: all that is the worker's. */
        uint32_t hand = tarn_u32_load_acquire(&worker->hand);
        if (hand != value)
            return hand;
        tarn_park_wait(park, ticket, TARN_PARK_FOR_EVER);
    }
}

static int go_on(void *argument)
{
    const deep_call *call = argument;
    call->function(call->worker, call->argument);
    if (call->is_first)
        set_hand(call->worker, &call->worker->park_first, HAND_OVER);
    return 0;
}

/* The first thread, while others have its worker. */
static void serve(tarn_worker_ *worker)
{
    while (await_hand(worker, &worker->park_first, HAND_NONE) == HAND_JOB) {
        tarn_task *task = worker->handed;
        worker->is_away = false;
        tarn_run_(worker, task);
        worker->is_away = true;
        set_hand(worker, &worker->park_handed, HAND_NONE);
    }
    /* relaxed: the other thread is about to end. */
    tarn_u32_store_relaxed(&worker->hand, HAND_NONE);
}

/* Where the system refuses a thread, the stack that there is has to do. */
void tarn_deep_call_(tarn_worker_ *worker, tarn_deep_fn_ *function, void *argument)
{
    tarn_thread thread;
    deep_call call = {worker, function, argument, !worker->is_away};
    uint32_t levels = worker->levels;
    worker->is_away = true;
    worker->levels = 0;
    if (!tarn_thread_create(&thread, go_on, &call)) {
        worker->is_away = !call.is_first;
        function(worker, argument);
        worker->levels = levels;
        return;
    }
    if (call.is_first)
        serve(worker);
    tarn_thread_join(thread);
    worker->levels = levels;
    if (call.is_first)
        worker->is_away = false;
}

void tarn_deep_hand_down_(tarn_worker_ *worker, tarn_task *task)
{
    worker->handed = task;
    set_hand(worker, &worker->park_first, HAND_JOB);
    await_hand(worker, &worker->park_handed, HAND_JOB);
}
