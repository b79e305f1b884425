#include "engine/pages.h"

#include "base/os.h"
#include "engine/failure.h"
#include "engine/memory.h"
#include "engine/race.h"
#include "engine/region.h"
#include "engine/scheduler.h"

#include <string.h>

#define PAGES_MAX 512u

typedef enum page_state { UNTAKEN, RESERVED, COMMITTED } page_state;

typedef struct page {
    page_state state;
    uint64_t run; /* of the commit below; 0: it was before all runs */
    uint32_t thread, time;
} page;

static struct {
    page pages[PAGES_MAX], kept[PAGES_MAX];
    uint64_t run;
    uint32_t commits, fail_from;
    uint64_t now_ns, step_ns;
    bool is_changed;
} state;

extern char __start_model_tls[] __attribute__((weak));
extern char __stop_model_tls[] __attribute__((weak));

bool pages_is_thread_local(const void *address)
{
    return (const char *)address >= __start_model_tls && (const char *)address < __stop_model_tls;
}

void pages_clear(void)
{
    memset(state.pages, 0, sizeof state.pages);
    state.run = 0;
    state.commits = state.fail_from = 0;
    state.step_ns = 0;
}

void pages_begin_run(void)
{
    if (state.run++ == 0)
        memcpy(state.kept, state.pages, sizeof state.pages);
    else if (state.is_changed)
        memcpy(state.pages, state.kept, sizeof state.pages);
    state.is_changed = false;
    state.commits = 0;
    state.now_ns = 1;
}

void pages_fail_commits(uint32_t from)
{
    state.fail_from = from;
}

static size_t page_of(const void *address)
{
    return (size_t)((uintptr_t)address - (uintptr_t)region_arena()) / MODEL_PAGE_BYTES;
}

void pages_check(const void *address, size_t bytes)
{
    if ((uintptr_t)address - (uintptr_t)region_arena() >= region_arena_bytes() || bytes == 0)
        return;
    const model_clock *clock = model_memory_clock();
    size_t last = page_of((const char *)address + bytes - 1);
    for (size_t i = page_of(address); i <= last && i < PAGES_MAX; i++) {
        const page *found = &state.pages[i];
        if (found->state != COMMITTED)
            model_fail("memory is used that was never committed");
        if (found->run != 0 && found->thread != model_self() &&
            found->time > clock->time[found->thread])
            model_fail("memory is used that thread %u may not know to be committed", model_self());
    }
}

static void set_pages(const void *address, size_t bytes, page value)
{
    state.is_changed = true;
    for (size_t i = 0; i < bytes / MODEL_PAGE_BYTES; i++)
        state.pages[page_of(address) + i] = value;
}

static void *reserve(void *context, size_t bytes, size_t alignment)
{
    (void)context;
    void *start = region_take_pages(bytes, alignment);
    if (start)
        set_pages(start, bytes, (page){.state = RESERVED});
    return start;
}

static bool commit(void *context, void *address, size_t bytes)
{
    (void)context;
    state.commits++;
    if (state.fail_from > 0 && model_is_running() && state.commits >= state.fail_from)
        return false;
    page committed = {.state = COMMITTED};
    if (model_is_running()) {
        committed.run = state.run;
        committed.thread = model_self();
        committed.time = model_memory_clock()->time[model_self()];
        region_mark(address, bytes);
        memset(address, 0, bytes);
    }
    set_pages(address, bytes, committed);
    return true;
}

static void decommit(void *context, void *address, size_t bytes)
{
    (void)context;
    if (model_is_running())
        model_race_discard(address, bytes, __builtin_return_address(0));
    set_pages(address, bytes, (page){.state = RESERVED});
}

static void release(void *context, void *address, size_t bytes)
{
    (void)context;
    set_pages(address, bytes, (page){.state = UNTAKEN});
}

tarn_memory tarn_os_memory(void)
{
    return (tarn_memory){
        .page_bytes = MODEL_PAGE_BYTES,
        .reserve = reserve,
        .commit = commit,
        .decommit = decommit,
        .release = release,
    };
}

void pages_let_time_pass(uint64_t step_ns)
{
    state.step_ns = step_ns;
}

/* Where time stands still, what waits for a deadline waits for ever, or not at all. */
uint64_t tarn_os_time_ns(void)
{
    return state.now_ns += state.step_ns;
}

uint32_t tarn_os_thread_id(void)
{
    return model_self() + 1;
}

/* The model never forks. */
void tarn_os_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void))
{
    (void)before;
    (void)in_parent;
    (void)in_child;
}
