/* Every atomic access of the library, with its memory order in its name.
 *
 * One place, so that the same sources can run in three ways:
 *   as shipped           C11 atomics, nothing else
 *   TARN_SCHEDULE        each access first calls tarn_schedule_point_, which the program supplies:
 *                        a stress run yields there, which turns rare interleavings into common ones
 *   (a model checker replaces this header by its own, with the same names)
 *
 * No happens-before of the library is carried by a fence: TSan does not see those. The two fences
 * below only keep a store before a later load. */
#ifndef TARN_BASE_ATOMIC_H
#define TARN_BASE_ATOMIC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#if ATOMIC_INT_LOCK_FREE != 2 || ATOMIC_LLONG_LOCK_FREE != 2
#error "tarn needs 32-bit and 64-bit atomics that are always lock-free"
#endif

#ifdef TARN_SCHEDULE
void tarn_schedule_point_(void);
#define TARN_SCHEDULE_POINT() tarn_schedule_point_()
#else
#define TARN_SCHEDULE_POINT() ((void)0)
#endif

typedef struct tarn_u32 {
    _Atomic uint32_t value;
} tarn_u32;

/* Aligned by hand: i386 would align it to 4, where it can straddle two cache lines. */
typedef struct tarn_u64 {
    _Alignas(8) _Atomic uint64_t value;
} tarn_u64;

/* Defines the operations for one width. A CAS that fails stores what it saw in *expected; its
 * failure order is the load's part of its success order. */
#define TARN_ATOMIC_OPERATIONS_(cell, word)                                                       \
    static inline word cell##_load_relaxed(const cell *c)                                         \
    {                                                                                             \
        TARN_SCHEDULE_POINT();                                                                    \
        return atomic_load_explicit(&c->value, memory_order_relaxed);                             \
    }                                                                                             \
    static inline word cell##_load_acquire(const cell *c)                                         \
    {                                                                                             \
        TARN_SCHEDULE_POINT();                                                                    \
        return atomic_load_explicit(&c->value, memory_order_acquire);                             \
    }                                                                                             \
    static inline void cell##_store_relaxed(cell *c, word desired)                                \
    {                                                                                             \
        TARN_SCHEDULE_POINT();                                                                    \
        atomic_store_explicit(&c->value, desired, memory_order_relaxed);                          \
    }                                                                                             \
    static inline void cell##_store_release(cell *c, word desired)                                \
    {                                                                                             \
        TARN_SCHEDULE_POINT();                                                                    \
        atomic_store_explicit(&c->value, desired, memory_order_release);                          \
    }                                                                                             \
    static inline word cell##_fetch_add_relaxed(cell *c, word operand)                            \
    {                                                                                             \
        TARN_SCHEDULE_POINT();                                                                    \
        return atomic_fetch_add_explicit(&c->value, operand, memory_order_relaxed);               \
    }                                                                                             \
    static inline word cell##_fetch_add_release(cell *c, word operand)                            \
    {                                                                                             \
        TARN_SCHEDULE_POINT();                                                                    \
        return atomic_fetch_add_explicit(&c->value, operand, memory_order_release);               \
    }                                                                                             \
    static inline word cell##_fetch_add_acq_rel(cell *c, word operand)                            \
    {                                                                                             \
        TARN_SCHEDULE_POINT();                                                                    \
        return atomic_fetch_add_explicit(&c->value, operand, memory_order_acq_rel);               \
    }                                                                                             \
    static inline word cell##_fetch_or_relaxed(cell *c, word operand)                             \
    {                                                                                             \
        TARN_SCHEDULE_POINT();                                                                    \
        return atomic_fetch_or_explicit(&c->value, operand, memory_order_relaxed);                \
    }                                                                                             \
    static inline word cell##_fetch_and_relaxed(cell *c, word operand)                            \
    {                                                                                             \
        TARN_SCHEDULE_POINT();                                                                    \
        return atomic_fetch_and_explicit(&c->value, operand, memory_order_relaxed);               \
    }                                                                                             \
    static inline word cell##_exchange_acquire(cell *c, word desired)                             \
    {                                                                                             \
        TARN_SCHEDULE_POINT();                                                                    \
        return atomic_exchange_explicit(&c->value, desired, memory_order_acquire);                \
    }                                                                                             \
    static inline bool cell##_cas_weak_relaxed(cell *c, word *expected, word desired)             \
    {                                                                                             \
        TARN_SCHEDULE_POINT();                                                                    \
        return atomic_compare_exchange_weak_explicit(&c->value, expected, desired,                \
                                                     memory_order_relaxed, memory_order_relaxed); \
    }                                                                                             \
    static inline bool cell##_cas_weak_acquire(cell *c, word *expected, word desired)             \
    {                                                                                             \
        TARN_SCHEDULE_POINT();                                                                    \
        return atomic_compare_exchange_weak_explicit(&c->value, expected, desired,                \
                                                     memory_order_acquire, memory_order_acquire); \
    }                                                                                             \
    static inline bool cell##_cas_weak_release(cell *c, word *expected, word desired)             \
    {                                                                                             \
        TARN_SCHEDULE_POINT();                                                                    \
        return atomic_compare_exchange_weak_explicit(&c->value, expected, desired,                \
                                                     memory_order_release, memory_order_relaxed); \
    }                                                                                             \
    static inline bool cell##_cas_weak_acq_rel(cell *c, word *expected, word desired)             \
    {                                                                                             \
        TARN_SCHEDULE_POINT();                                                                    \
        return atomic_compare_exchange_weak_explicit(&c->value, expected, desired,                \
                                                     memory_order_acq_rel, memory_order_acquire); \
    }                                                                                             \
    static inline bool cell##_cas_strong_relaxed(cell *c, word *expected, word desired)           \
    {                                                                                             \
        TARN_SCHEDULE_POINT();                                                                    \
        return atomic_compare_exchange_strong_explicit(                                           \
            &c->value, expected, desired, memory_order_relaxed, memory_order_relaxed);            \
    }                                                                                             \
    static inline bool cell##_cas_strong_acquire(cell *c, word *expected, word desired)           \
    {                                                                                             \
        TARN_SCHEDULE_POINT();                                                                    \
        return atomic_compare_exchange_strong_explicit(                                           \
            &c->value, expected, desired, memory_order_acquire, memory_order_acquire);            \
    }                                                                                             \
    static inline bool cell##_cas_strong_seq_cst(cell *c, word *expected, word desired)           \
    {                                                                                             \
        TARN_SCHEDULE_POINT();                                                                    \
        return atomic_compare_exchange_strong_explicit(                                           \
            &c->value, expected, desired, memory_order_seq_cst, memory_order_relaxed);            \
    }

TARN_ATOMIC_OPERATIONS_(tarn_u32, uint32_t)
TARN_ATOMIC_OPERATIONS_(tarn_u64, uint64_t)

/* gcc says that ThreadSanitizer does not follow fences, which is known here. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtsan"
#endif

/* Between a store and a load: of two threads that each store, fence, and load what the other
 * stores, one at least sees the other's store. */
static inline void tarn_fence_seq_cst(void)
{
    TARN_SCHEDULE_POINT();
    atomic_thread_fence(memory_order_seq_cst);
}

/* The same for the compiler alone, where tarn_os_process_barrier does the rest elsewhere. */
static inline void tarn_fence_compiler(void)
{
    atomic_signal_fence(memory_order_seq_cst);
}

#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
#pragma GCC diagnostic pop
#endif

#endif
