/* A fiber over ucontext, made known to the sanitizers, which must follow what runs on which stack.
 * For ThreadSanitizer a fiber is a thread of its own, which goes on where its resumer is. */
#ifndef TARN_TESTS_SUPPORT_FIBER_H
#define TARN_TESTS_SUPPORT_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <ucontext.h>

#if defined(__SANITIZE_THREAD__)
#define FIBER_TSAN 1
#elif defined(__SANITIZE_ADDRESS__)
#define FIBER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FIBER_TSAN 1
#elif __has_feature(address_sanitizer)
#define FIBER_ASAN 1
#endif
#endif

#ifdef FIBER_TSAN
#include <sanitizer/tsan_interface.h>
#endif
#ifdef FIBER_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

enum { FIBER_STACK_BYTES = 256 * 1024 };

typedef struct fiber {
    ucontext_t here, back;
    void (*body)(struct fiber *);
    void *user;
    char *stack;
    bool is_over;
    void *tsan_here, *tsan_back;
    void *asan_back_fake;
    const void *asan_back_stack;
    size_t asan_back_bytes;
} fiber;

static inline void fiber_to_back_(fiber *f)
{
#ifdef FIBER_TSAN
    __tsan_switch_to_fiber(f->tsan_back, 0);
#endif
#ifdef FIBER_ASAN
    void *fake = NULL;
    __sanitizer_start_switch_fiber(f->is_over ? NULL : &fake, f->asan_back_stack,
                                   f->asan_back_bytes);
#endif
    swapcontext(&f->here, &f->back);
#ifdef FIBER_ASAN
    __sanitizer_finish_switch_fiber(fake, &f->asan_back_stack, &f->asan_back_bytes);
#endif
}

/* Called on the fiber: goes on, on whatever thread, when it is resumed. */
static inline void fiber_yield(fiber *f)
{
    fiber_to_back_(f);
}

static inline void fiber_main_(unsigned high, unsigned low)
{
    fiber *f = (fiber *)(uintptr_t)((unsigned long long)high << 32 | low);
#ifdef FIBER_ASAN
    __sanitizer_finish_switch_fiber(NULL, &f->asan_back_stack, &f->asan_back_bytes);
#endif
    f->body(f);
    f->is_over = true;
    fiber_to_back_(f);
}

static inline bool fiber_create(fiber *f, void (*body)(fiber *), void *user)
{
    *f = (fiber){.body = body, .user = user, .stack = malloc(FIBER_STACK_BYTES)};
    if (!f->stack)
        return false;
    getcontext(&f->here);
    f->here.uc_stack.ss_sp = f->stack;
    f->here.uc_stack.ss_size = FIBER_STACK_BYTES;
    f->here.uc_link = NULL;
    unsigned long long address = (uintptr_t)f;
    makecontext(&f->here, (void (*)(void))fiber_main_, 2, (unsigned)(address >> 32),
                (unsigned)address);
#ifdef FIBER_TSAN
    f->tsan_here = __tsan_create_fiber(0);
#endif
    return true;
}

/* Runs the fiber on the calling thread until it yields or is over. */
static inline void fiber_resume(fiber *f)
{
#ifdef FIBER_TSAN
    f->tsan_back = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(f->tsan_here, 0);
#endif
#ifdef FIBER_ASAN
    void *fake = NULL;
    __sanitizer_start_switch_fiber(&fake, f->stack, FIBER_STACK_BYTES);
#endif
    swapcontext(&f->back, &f->here);
#ifdef FIBER_ASAN
    __sanitizer_finish_switch_fiber(fake, NULL, NULL);
#endif
}

static inline void fiber_destroy(fiber *f)
{
#ifdef FIBER_TSAN
    __tsan_destroy_fiber(f->tsan_here);
#endif
    free(f->stack);
}

#endif
