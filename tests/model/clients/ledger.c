#include "clients/ledger.h"

#include "engine/failure.h"
#include "engine/memory.h"
#include "engine/scheduler.h"

#include <string.h>

#define UNFINISHED UINT32_MAX /* the call that gives a thing back is under way */

typedef struct books {
    uint8_t owner[LEDGER_THINGS_MAX]; /* thread + 1; 0: nobody's */
    uint8_t giver[LEDGER_THINGS_MAX];
    uint32_t given_at[LEDGER_THINGS_MAX]; /* by the giver's clock, when its call ended */
    uint32_t taken;
    uint32_t calls; /* under way */
    bool in_call[MODEL_THREADS_MAX];
    uint32_t reserved[MODEL_THREADS_MAX];
    uint32_t peak[MODEL_THREADS_MAX]; /* of what is busy, since its call began */
} books;

static books now, kept;

void ledger_begin_run(void)
{
    now = kept;
}

void ledger_clear(void)
{
    memset(&now, 0, sizeof now);
    kept = now;
}

void ledger_keep(void)
{
    kept = now;
}

static void note_peaks(void)
{
    uint32_t reserved = 0;
    for (uint32_t i = 0; i < MODEL_THREADS_MAX; i++)
        reserved += now.reserved[i];
    for (uint32_t i = 0; i < MODEL_THREADS_MAX; i++) {
        uint32_t busy = now.taken + now.calls - now.in_call[i] + reserved - now.reserved[i];
        if (busy > now.peak[i])
            now.peak[i] = busy;
    }
}

static bool is_known(uint32_t thing)
{
    if (thing < LEDGER_THINGS_MAX)
        return true;
    model_fail("there is no thing number %u", thing);
    return false;
}

void ledger_take(uint32_t thing)
{
    if (!is_known(thing))
        return;
    if (now.owner[thing] != 0)
        model_fail("number %u is given to thread %u while thread %u has it", thing, model_self(),
                   now.owner[thing] - 1u);
    now.owner[thing] = (uint8_t)(model_self() + 1);
    now.taken++;
    if (now.reserved[model_self()] > 0)
        now.reserved[model_self()]--;
    note_peaks();
}

void ledger_give(uint32_t thing)
{
    if (!is_known(thing))
        return;
    if (now.owner[thing] == 0)
        model_fail("number %u is given back, but nobody has it", thing);
    now.owner[thing] = 0;
    now.giver[thing] = (uint8_t)model_self();
    now.given_at[thing] = UNFINISHED;
    now.taken--;
}

bool ledger_is_own(uint32_t thing)
{
    return now.owner[thing] == model_self() + 1 || now.owner[thing] == 1;
}

void ledger_reserve(uint32_t count)
{
    now.reserved[model_self()] = count;
    note_peaks();
}

uint32_t ledger_taken(void)
{
    return now.taken;
}

void ledger_call_begins(void)
{
    now.calls++;
    now.in_call[model_self()] = true;
    now.peak[model_self()] = 0;
    note_peaks();
}

void ledger_call_ends(void)
{
    now.calls--;
    now.in_call[model_self()] = false;
    for (uint32_t i = 0; i < LEDGER_THINGS_MAX; i++)
        if (now.giver[i] == model_self() && now.given_at[i] == UNFINISHED)
            now.given_at[i] = model_memory_clock()->time[model_self()];
}

/* Things that are free, though the running thread cannot know of it. */
static uint32_t unknown(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < LEDGER_THINGS_MAX; i++)
        count += now.owner[i] == 0 && now.giver[i] != 0 && now.given_at[i] != UNFINISHED &&
                 now.given_at[i] > model_memory_clock()->time[now.giver[i]];
    return count;
}

void ledger_refused(uint32_t capacity)
{
    uint32_t busy = now.peak[model_self()] + unknown();
    if (busy < capacity)
        model_fail("refused with at most %u of %u taken", busy, capacity);
}
