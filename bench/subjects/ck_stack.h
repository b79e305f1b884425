/* Concurrency Kit's tagged stack as a free list through the objects, with its exponential backoff
 * after a lost CAS. All objects are on it from the start. */
#include "worker/harness.h"

#include <ck_backoff.h>
#include <ck_stack.h>

typedef ck_stack_t *subject_handle;

static _Alignas(128) ck_stack_t subject_stack = CK_STACK_INITIALIZER;

/* From the last to the first, so that addresses rise as objects are taken. */
static bool subject_open(const subject_needs *needs)
{
    size_t objects = needs->live_per_thread_max * needs->threads;
    char *memory = bench_pages(objects * needs->object_bytes);
    for (size_t i = objects; i > 0; i--)
        ck_stack_push_spnc(&subject_stack,
                           (ck_stack_entry_t *)(void *)(memory + (i - 1) * needs->object_bytes));
    return true;
}

static bool subject_enter(unsigned thread, subject_handle *handle)
{
    (void)thread;
    *handle = &subject_stack;
    return true;
}

static void subject_leave(subject_handle handle)
{
    (void)handle;
}

static inline void *subject_alloc(subject_handle stack)
{
    ck_backoff_t spins = CK_BACKOFF_INITIALIZER;
    ck_stack_entry_t *entry;
    while (!ck_stack_trypop_mpmc(stack, &entry)) {
        if (CK_STACK_ISEMPTY(stack))
            return NULL;
        ck_backoff_eb(&spins);
    }
    return entry;
}

static inline void subject_free(subject_handle stack, void *object)
{
    ck_backoff_t spins = CK_BACKOFF_INITIALIZER;
    while (!ck_stack_trypush_mpmc(stack, object))
        ck_backoff_eb(&spins);
}
