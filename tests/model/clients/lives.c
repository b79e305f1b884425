#include "clients/lives.h"

#include "engine/failure.h"
#include "engine/memory.h"
#include "engine/scheduler.h"

#include <string.h>

/* An event in a thread's time. */
typedef struct moment {
    bool has_come;
    uint32_t thread, time;
} moment;

typedef struct life {
    uint64_t name;
    uint32_t slot; /* once it has begun */
    moment begun, ended;
    uint32_t tries;     /* to end it, under way */
    bool is_taken_over; /* by an eviction, or by a take after another's release: its slot tells */
} life;

typedef struct annals {
    life lives[LIVES_MAX];
    uint32_t count;
} annals;

static annals now, kept;

void lives_begin_run(void)
{
    now = kept;
}

void lives_clear(void)
{
    memset(&now, 0, sizeof now);
    kept = now;
}

void lives_keep(void)
{
    kept = now;
}

/* The life of that name, which may be heard of before the call that began it has returned. */
static life *find(uint64_t name)
{
    for (uint32_t i = 0; i < now.count; i++)
        if (now.lives[i].name == name)
            return &now.lives[i];
    if (now.count == LIVES_MAX)
        model_fail("more than %u lives", LIVES_MAX);
    now.lives[now.count] = (life){.name = name};
    return &now.lives[now.count++];
}

static moment present(void)
{
    return (moment){true, model_self(), model_memory_clock()->time[model_self()]};
}

static bool is_known(moment m)
{
    return m.has_come && (m.thread == 0 || m.time <= model_memory_clock()->time[m.thread]);
}

static bool may_have_ended(const life *l)
{
    return l->ended.has_come || l->is_taken_over || l->tries > 0;
}

void lives_began(uint64_t name, uint32_t slot)
{
    life *l = find(name);
    if (name == 0 || l->begun.has_come)
        model_fail("the handle %llx is given out a second time", (unsigned long long)name);
    for (uint32_t i = 0; i < now.count; i++) {
        const life *other = &now.lives[i];
        if (other != l && other->begun.has_come && other->slot == slot && !may_have_ended(other))
            model_fail("slot %u is given out while its life %llx goes on", slot,
                       (unsigned long long)other->name);
    }
    l->begun = present();
    l->slot = slot;
}

void lives_end_begins(uint64_t name)
{
    find(name)->tries++;
}

void lives_end_done(uint64_t name, bool ended)
{
    life *l = find(name);
    l->tries--;
    if (ended && l->ended.has_come)
        model_fail("the life %llx is ended twice", (unsigned long long)name);
    if (ended)
        l->ended = present();
    else if (is_known(l->begun) && !may_have_ended(l))
        model_fail("the life %llx goes on, but its end is refused", (unsigned long long)name);
}

void lives_evict_done(uint64_t name, bool taken_over)
{
    life *l = find(name);
    if (taken_over && l->tries == 1 && !l->ended.has_come && !l->is_taken_over)
        l->ended = present();
    l->is_taken_over |= taken_over;
    l->tries--;
}

/* The running thread knows of a later life of the slot. */
static bool is_succeeded(const life *l)
{
    for (uint32_t i = 0; i < now.count; i++) {
        const life *other = &now.lives[i];
        if (other != l && is_known(other->begun) && other->slot == l->slot &&
            other->begun.thread != 0 && l->begun.thread == 0)
            return true;
    }
    return false;
}

void lives_resolved(uint64_t name, bool found)
{
    const life *l = find(name);
    if (found && is_known(l->ended))
        model_fail("a handle is resolved whose life %llx has ended", (unsigned long long)name);
    if (found && l->begun.has_come && is_succeeded(l))
        model_fail("the handle of an earlier life, %llx, is resolved", (unsigned long long)name);
    if (!found && is_known(l->begun) && !may_have_ended(l))
        model_fail("the life %llx goes on, but is not found", (unsigned long long)name);
}

uint32_t lives_count(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < now.count; i++)
        count += now.lives[i].begun.has_come && !may_have_ended(&now.lives[i]);
    return count;
}

bool lives_is_live(uint32_t slot)
{
    for (uint32_t i = 0; i < now.count; i++) {
        const life *l = &now.lives[i];
        if (l->slot == slot && l->begun.has_come && !may_have_ended(l))
            return true;
    }
    return false;
}
