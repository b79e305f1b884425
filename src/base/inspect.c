#include "base/inspect.h"

#include <stdint.h>

#ifdef TARN_INSPECTS_ADDRESSES
#include <sanitizer/asan_interface.h>
#include <sanitizer/lsan_interface.h>
#endif
#ifdef TARN_INSPECTS_CONTENT
#include <sanitizer/msan_interface.h>
#endif
#ifdef TARN_VALGRIND
#include <valgrind/memcheck.h>
#endif

bool tarn_inspect_is_on(void)
{
#if defined(TARN_INSPECTS_ADDRESSES) || defined(TARN_INSPECTS_CONTENT)
    return true;
#elif defined(TARN_VALGRIND)
    /* Other tools of Valgrind's know no such request and answer 0. */
    char probe = 0;
    return VALGRIND_MAKE_MEM_DEFINED(&probe, sizeof probe) != 0;
#else
    return false;
#endif
}

void tarn_inspect_hide(const void *start, size_t bytes)
{
#ifdef TARN_INSPECTS_ADDRESSES
    __asan_poison_memory_region(start, bytes);
#endif
#ifdef TARN_INSPECTS_CONTENT
    __msan_poison(start, bytes);
#endif
#ifdef TARN_VALGRIND
    VALGRIND_MAKE_MEM_NOACCESS(start, bytes);
#endif
    (void)start;
    (void)bytes;
}

void tarn_inspect_hide_unused(const void *start, size_t bytes)
{
#ifdef TARN_VALGRIND
    VALGRIND_MAKE_MEM_NOACCESS(start, bytes);
#endif
    (void)start;
    (void)bytes;
}

void tarn_inspect_show_unused(const void *start, size_t bytes)
{
#ifdef TARN_VALGRIND
    VALGRIND_MAKE_MEM_DEFINED(start, bytes);
#endif
    (void)start;
    (void)bytes;
}

void tarn_inspect_show(const void *start, size_t bytes)
{
#ifdef TARN_INSPECTS_ADDRESSES
    __asan_unpoison_memory_region(start, bytes);
#endif
#ifdef TARN_INSPECTS_CONTENT
    __msan_unpoison(start, bytes);
#endif
#ifdef TARN_VALGRIND
    VALGRIND_MAKE_MEM_DEFINED(start, bytes);
#endif
    (void)start;
    (void)bytes;
}

void tarn_inspect_forget(const void *start, size_t bytes)
{
#ifdef TARN_INSPECTS_CONTENT
    __msan_poison(start, bytes);
#endif
#ifdef TARN_VALGRIND
    VALGRIND_MAKE_MEM_UNDEFINED(start, bytes);
#endif
    (void)start;
    (void)bytes;
}

void tarn_inspect_expect_shown(const void *start)
{
#ifdef TARN_INSPECTS_ADDRESSES
    (void)*(const volatile char *)start;
#endif
    (void)start;
}

void tarn_inspect_add_roots(const void *start, size_t bytes)
{
#ifdef TARN_INSPECTS_ADDRESSES
    __lsan_register_root_region(start, bytes);
#endif
    (void)start;
    (void)bytes;
}

void tarn_inspect_drop_roots(const void *start, size_t bytes)
{
#ifdef TARN_INSPECTS_ADDRESSES
    __lsan_unregister_root_region(start, bytes);
#endif
    (void)start;
    (void)bytes;
}

void tarn_inspect_begin_allocator(const void *allocator)
{
#ifdef TARN_VALGRIND
    VALGRIND_CREATE_MEMPOOL(allocator, 0, 1);
#endif
    (void)allocator;
}

void tarn_inspect_end_allocator(const void *allocator)
{
#ifdef TARN_VALGRIND
    VALGRIND_DESTROY_MEMPOOL(allocator);
#endif
    (void)allocator;
}

void tarn_inspect_begin_block(const void *allocator, const void *start, size_t bytes)
{
#ifdef TARN_VALGRIND
    VALGRIND_MEMPOOL_ALLOC(allocator, start, bytes);
#endif
    (void)allocator;
    (void)start;
    (void)bytes;
}

void tarn_inspect_end_block(const void *allocator, const void *start)
{
#ifdef TARN_VALGRIND
    VALGRIND_MEMPOOL_FREE(allocator, start);
#endif
    (void)allocator;
    (void)start;
}
