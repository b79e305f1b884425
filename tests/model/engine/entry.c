/* The functions that gcc and clang call, under -fsanitize=thread, at each memory access. The real
 * ThreadSanitizer supplies them otherwise; its library is not linked. */
#include "engine/memory.h"
#include "engine/pages.h"
#include "engine/race.h"
#include "engine/region.h"
#include "engine/scheduler.h"

#include <stddef.h>
#include <string.h>

#define PC __builtin_return_address(0)

static void plain(const void *address, size_t bytes, model_access access, const void *pc)
{
    if (access == MODEL_PLAIN_WRITE)
        region_mark(address, bytes);
    if (!model_is_running() || model_is_stack(address) || pages_is_thread_local(address))
        return;
    model_tick();
    pages_check(address, bytes);
    model_race_access(address, bytes, access, pc);
}

#define PLAIN(name, bytes, access)         \
    void name(void *address);              \
    void name(void *address)               \
    {                                      \
        plain(address, bytes, access, PC); \
    }

PLAIN(__tsan_read1, 1, MODEL_PLAIN_READ)
PLAIN(__tsan_read2, 2, MODEL_PLAIN_READ)
PLAIN(__tsan_read4, 4, MODEL_PLAIN_READ)
PLAIN(__tsan_read8, 8, MODEL_PLAIN_READ)
PLAIN(__tsan_read16, 16, MODEL_PLAIN_READ)
PLAIN(__tsan_write1, 1, MODEL_PLAIN_WRITE)
PLAIN(__tsan_write2, 2, MODEL_PLAIN_WRITE)
PLAIN(__tsan_write4, 4, MODEL_PLAIN_WRITE)
PLAIN(__tsan_write8, 8, MODEL_PLAIN_WRITE)
PLAIN(__tsan_write16, 16, MODEL_PLAIN_WRITE)
PLAIN(__tsan_unaligned_read2, 2, MODEL_PLAIN_READ)
PLAIN(__tsan_unaligned_read4, 4, MODEL_PLAIN_READ)
PLAIN(__tsan_unaligned_read8, 8, MODEL_PLAIN_READ)
PLAIN(__tsan_unaligned_read16, 16, MODEL_PLAIN_READ)
PLAIN(__tsan_unaligned_write2, 2, MODEL_PLAIN_WRITE)
PLAIN(__tsan_unaligned_write4, 4, MODEL_PLAIN_WRITE)
PLAIN(__tsan_unaligned_write8, 8, MODEL_PLAIN_WRITE)
PLAIN(__tsan_unaligned_write16, 16, MODEL_PLAIN_WRITE)

void __tsan_read_range(void *address, size_t bytes);
void __tsan_read_range(void *address, size_t bytes)
{
    plain(address, bytes, MODEL_PLAIN_READ, PC);
}

void __tsan_write_range(void *address, size_t bytes);
void __tsan_write_range(void *address, size_t bytes)
{
    plain(address, bytes, MODEL_PLAIN_WRITE, PC);
}

static void *copy(void *to, const void *from, size_t bytes, const void *pc)
{
    plain(from, bytes, MODEL_PLAIN_READ, pc);
    plain(to, bytes, MODEL_PLAIN_WRITE, pc);
    return memmove(to, from, bytes);
}

/* gcc leaves these calls to the C library, and rename.h sends them here; clang asks for the others
 * by itself. */
#define COPY(name)                                        \
    void *name(void *to, const void *from, size_t bytes); \
    void *name(void *to, const void *from, size_t bytes)  \
    {                                                     \
        return copy(to, from, bytes, PC);                 \
    }

COPY(model_memcpy)
COPY(model_memmove)
COPY(__tsan_memcpy)
COPY(__tsan_memmove)

#define FILL(name)                                 \
    void *name(void *to, int value, size_t bytes); \
    void *name(void *to, int value, size_t bytes)  \
    {                                              \
        plain(to, bytes, MODEL_PLAIN_WRITE, PC);   \
        return memset(to, value, bytes);           \
    }

FILL(model_memset)
FILL(__tsan_memset)

void __tsan_init(void);
void __tsan_init(void)
{
}

/* What a step's place is comes from its address; calls are not recorded. */
void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

#define UPDATE(bits, word, name, operation)                                                    \
    word __tsan_atomic##bits##_##name(volatile word *address, word operand, int order);        \
    word __tsan_atomic##bits##_##name(volatile word *address, word operand, int order)         \
    {                                                                                          \
        return (word)model_atomic_update((void *)address, bits / 8, operation, operand, order, \
                                         PC);                                                  \
    }

#define CAS(bits, word, name, weak)                                                              \
    _Bool __tsan_atomic##bits##_compare_exchange_##name(volatile word *address, void *expected,  \
                                                        word desired, int success, int failure); \
    _Bool __tsan_atomic##bits##_compare_exchange_##name(volatile word *address, void *expected,  \
                                                        word desired, int success, int failure)  \
    {                                                                                            \
        model_cas cas = {(void *)address, bits / 8, desired, success, failure, weak, PC};        \
        uint64_t seen = *(word *)expected;                                                       \
        bool done = model_atomic_cas(&cas, &seen);                                               \
        if (!done)                                                                               \
            *(word *)expected = (word)seen;                                                      \
        return done;                                                                             \
    }

/* clang asks for the value, and does not tell a weak CAS from a strong one. */
#define ATOMIC(bits, word)                                                                   \
    word __tsan_atomic##bits##_load(const volatile word *address, int order);                \
    word __tsan_atomic##bits##_load(const volatile word *address, int order)                 \
    {                                                                                        \
        return (word)model_atomic_load((const void *)address, bits / 8, order, PC);          \
    }                                                                                        \
    void __tsan_atomic##bits##_store(volatile word *address, word value, int order);         \
    void __tsan_atomic##bits##_store(volatile word *address, word value, int order)          \
    {                                                                                        \
        model_atomic_store((void *)address, bits / 8, value, order, PC);                     \
    }                                                                                        \
    UPDATE(bits, word, exchange, MODEL_EXCHANGE)                                             \
    UPDATE(bits, word, fetch_add, MODEL_ADD)                                                 \
    UPDATE(bits, word, fetch_sub, MODEL_SUBTRACT)                                            \
    UPDATE(bits, word, fetch_and, MODEL_AND)                                                 \
    UPDATE(bits, word, fetch_or, MODEL_OR)                                                   \
    UPDATE(bits, word, fetch_xor, MODEL_XOR)                                                 \
    CAS(bits, word, strong, false)                                                           \
    CAS(bits, word, weak, true)                                                              \
    word __tsan_atomic##bits##_compare_exchange_val(volatile word *address, word expected,   \
                                                    word desired, int success, int failure); \
    word __tsan_atomic##bits##_compare_exchange_val(volatile word *address, word expected,   \
                                                    word desired, int success, int failure)  \
    {                                                                                        \
        model_cas cas = {(void *)address, bits / 8, desired, success, failure, false, PC};   \
        uint64_t seen = expected;                                                            \
        model_atomic_cas(&cas, &seen);                                                       \
        return (word)seen;                                                                   \
    }

ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    model_atomic_fence(order, PC);
}

void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}
