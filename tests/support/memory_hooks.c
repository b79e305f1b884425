#include "support/memory_hooks.h"

#include "base/os.h"

#include <string.h>

#ifndef _WIN32
#include <sys/mman.h>
#endif

static void violate(memory_hooks *hooks, const char *what)
{
    if (!hooks->violation)
        hooks->violation = what;
}

static size_t page_bytes_of(const memory_hooks *hooks)
{
    return hooks->memory.page_bytes ? hooks->memory.page_bytes : 4096;
}

static bool is_paged(const memory_hooks *hooks, uintptr_t address, size_t bytes)
{
    size_t mask = page_bytes_of(hooks) - 1;
    return (address & mask) == 0 && (bytes & mask) == 0 && bytes > 0;
}

static bool is_inside(const memory_part *outer, const char *start, size_t bytes)
{
    uintptr_t offset = (uintptr_t)start - (uintptr_t)outer->start;
    return outer->start && offset < outer->bytes && bytes <= outer->bytes - offset;
}

static bool overlaps(const memory_part *part, const char *start, size_t bytes)
{
    return (uintptr_t)start < (uintptr_t)part->start + part->bytes &&
           (uintptr_t)part->start < (uintptr_t)start + bytes;
}

static memory_reservation *reservation_around(memory_hooks *hooks, const char *start, size_t bytes)
{
    for (uint32_t i = 0; i < MEMORY_HOOKS_RESERVATIONS_MAX; i++)
        if (is_inside(&hooks->reservations[i].whole, start, bytes))
            return &hooks->reservations[i];
    return NULL;
}

static memory_reservation *unused_reservation(memory_hooks *hooks)
{
    for (uint32_t i = 0; i < MEMORY_HOOKS_RESERVATIONS_MAX; i++)
        if (!hooks->reservations[i].whole.start)
            return &hooks->reservations[i];
    return NULL;
}

static bool must_fail(memory_hooks *hooks)
{
    hooks->calls++;
    bool fails = hooks->calls == hooks->fail_at ||
                 (hooks->fail_from > 0 && hooks->calls >= hooks->fail_from);
    hooks->failures += fails;
    return fails;
}

static void *reserve_locked(memory_hooks *hooks, size_t bytes, size_t alignment)
{
    hooks->reserves++;
    hooks->alignment_last = alignment;
    if (!is_paged(hooks, alignment, bytes))
        violate(hooks, "reserve: not in pages");
    if (must_fail(hooks))
        return NULL;
    memory_reservation *reservation = unused_reservation(hooks);
    if (!reservation) {
        violate(hooks, "reserve: more reservations than the hooks can follow");
        return NULL;
    }
    char *start = hooks->os.reserve(hooks->os.context, bytes, alignment);
    if (!start)
        return NULL;
    reservation->whole = (memory_part){start, bytes};
    reservation->commit_count = 0;
    hooks->reserved_bytes += bytes;
    return start;
}

/* With the parts that it touches, which are taken out: what is committed is one, whichever calls
 * made it so. */
static memory_part join(memory_reservation *reservation, memory_part part)
{
    for (uint32_t i = 0; i < reservation->commit_count;) {
        memory_part other = reservation->commits[i];
        if (other.start + other.bytes != part.start && part.start + part.bytes != other.start) {
            i++;
            continue;
        }
        part.start = other.start < part.start ? other.start : part.start;
        part.bytes += other.bytes;
        reservation->commits[i] = reservation->commits[--reservation->commit_count];
    }
    return part;
}

static void note_commit(memory_hooks *hooks, memory_reservation *reservation, char *start,
                        size_t bytes)
{
    for (uint32_t i = 0; i < reservation->commit_count; i++)
        if (overlaps(&reservation->commits[i], start, bytes))
            violate(hooks, "commit: committed already");
    hooks->committed_bytes += bytes;
    memory_part part = join(reservation, (memory_part){start, bytes});
    if (reservation->commit_count < MEMORY_HOOKS_COMMITS_MAX)
        reservation->commits[reservation->commit_count++] = part;
    else
        violate(hooks, "commit: more parts than the hooks can follow");
    if (hooks->committed_bytes > hooks->committed_bytes_peak)
        hooks->committed_bytes_peak = hooks->committed_bytes;
}

static bool commit_locked(memory_hooks *hooks, char *start, size_t bytes)
{
    hooks->commits++;
    memory_reservation *reservation = reservation_around(hooks, start, bytes);
    if (!is_paged(hooks, (uintptr_t)start, bytes))
        violate(hooks, "commit: not in pages");
    if (!reservation) {
        violate(hooks, "commit: outside of every reservation");
        return false;
    }
    if (must_fail(hooks) || !hooks->os.commit(hooks->os.context, start, bytes))
        return false;
    note_commit(hooks, reservation, start, bytes);
    return true;
}

/* What is not committed faults, whatever the system leaves of it. */
static void protect(char *start, size_t bytes)
{
#ifndef _WIN32
    mprotect(start, bytes, PROT_NONE);
#else
    (void)start;
    (void)bytes;
#endif
}

/* Takes a range out of one of the parts that were committed, and keeps what lies around it. */
static bool forget_commit(memory_hooks *hooks, memory_reservation *reservation, char *start,
                          size_t bytes)
{
    for (uint32_t i = 0; i < reservation->commit_count; i++) {
        memory_part part = reservation->commits[i];
        if (!is_inside(&part, start, bytes))
            continue;
        reservation->commits[i] = reservation->commits[--reservation->commit_count];
        hooks->committed_bytes -= part.bytes;
        size_t before = (size_t)(start - part.start), after = part.bytes - before - bytes;
        if (before > 0)
            note_commit(hooks, reservation, part.start, before);
        if (after > 0)
            note_commit(hooks, reservation, start + bytes, after);
        return true;
    }
    return false;
}

static void decommit_locked(memory_hooks *hooks, char *start, size_t bytes)
{
    hooks->decommits++;
    memory_reservation *reservation = reservation_around(hooks, start, bytes);
    if (!is_paged(hooks, (uintptr_t)start, bytes))
        violate(hooks, "decommit: not in pages");
    if (!reservation || !forget_commit(hooks, reservation, start, bytes)) {
        violate(hooks, "decommit: not a part that was committed");
        return;
    }
    hooks->os.decommit(hooks->os.context, start, bytes);
    protect(start, bytes);
}

static void release_locked(memory_hooks *hooks, char *start, size_t bytes)
{
    hooks->releases++;
    memory_reservation *reservation = reservation_around(hooks, start, bytes);
    if (!reservation || reservation->whole.start != start || reservation->whole.bytes != bytes) {
        violate(hooks, "release: not a whole reservation");
        return;
    }
    for (uint32_t i = 0; i < reservation->commit_count; i++)
        hooks->committed_bytes -= reservation->commits[i].bytes;
    hooks->reserved_bytes -= bytes;
    reservation->whole = (memory_part){NULL, 0};
    hooks->os.release(hooks->os.context, start, bytes);
}

static void *hook_reserve(void *context, size_t bytes, size_t alignment)
{
    memory_hooks *hooks = context;
    tarn_mutex_lock(&hooks->lock);
    void *start = reserve_locked(hooks, bytes, alignment);
    tarn_mutex_unlock(&hooks->lock);
    return start;
}

static bool hook_commit(void *context, void *address, size_t bytes)
{
    memory_hooks *hooks = context;
    tarn_mutex_lock(&hooks->lock);
    bool committed = commit_locked(hooks, address, bytes);
    tarn_mutex_unlock(&hooks->lock);
    return committed;
}

static void hook_decommit(void *context, void *address, size_t bytes)
{
    memory_hooks *hooks = context;
    tarn_mutex_lock(&hooks->lock);
    decommit_locked(hooks, address, bytes);
    tarn_mutex_unlock(&hooks->lock);
}

static void hook_release(void *context, void *address, size_t bytes)
{
    memory_hooks *hooks = context;
    tarn_mutex_lock(&hooks->lock);
    release_locked(hooks, address, bytes);
    tarn_mutex_unlock(&hooks->lock);
}

void memory_hooks_init(memory_hooks *hooks, size_t page_bytes)
{
    memset(hooks, 0, sizeof *hooks);
    tarn_mutex_init(&hooks->lock);
    hooks->os = tarn_os_memory();
    hooks->memory = (tarn_memory){
        .context = hooks,
        .page_bytes = page_bytes,
        .reserve = hook_reserve,
        .commit = hook_commit,
        .decommit = hook_decommit,
        .release = hook_release,
    };
}

void memory_hooks_restart(memory_hooks *hooks)
{
    hooks->fail_at = hooks->fail_from = 0;
    hooks->calls = hooks->failures = 0;
    hooks->reserves = hooks->commits = hooks->decommits = hooks->releases = 0;
}

bool memory_hooks_are_balanced(const memory_hooks *hooks)
{
    for (uint32_t i = 0; i < MEMORY_HOOKS_RESERVATIONS_MAX; i++)
        if (hooks->reservations[i].whole.start)
            return false;
    return !hooks->violation && hooks->reserved_bytes == 0 && hooks->committed_bytes == 0;
}

void memory_hooks_destroy(memory_hooks *hooks)
{
    tarn_mutex_destroy(&hooks->lock);
}
