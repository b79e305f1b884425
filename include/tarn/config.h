/* What the public headers need of the compiler: symbol visibility, branch hints and relaxed
 * atomic access that reads the same in C and in C++ (so no <stdatomic.h> leaks to the host). */
#ifndef TARN_CONFIG_H
#define TARN_CONFIG_H

#define TARN_VERSION_MAJOR 0
#define TARN_VERSION_MINOR 1
#define TARN_VERSION_PATCH 0

#if defined(_WIN32) && defined(TARN_SHARED)
#ifdef TARN_BUILDING
#define TARN_API __declspec(dllexport)
#else
#define TARN_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define TARN_API __attribute__((visibility("default")))
#else
#define TARN_API
#endif

#if !defined(__GNUC__)
#error "tarn needs the __atomic builtins of gcc or clang (clang-cl included)"
#endif

#if __SIZEOF_POINTER__ < 4
#error "tarn needs pointers of at least 32 bits"
#endif

#define TARN_LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define TARN_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* What the compiler may rely on: a caller's test for NULL then vanishes where it cannot be. */
#define TARN_ASSUME(condition) ((condition) ? (void)0 : __builtin_unreachable())

/* Single loads and stores that another thread may sample: the same instructions as plain access. */
#define TARN_LOAD_RELAXED(address)         __atomic_load_n((address), __ATOMIC_RELAXED)
#define TARN_STORE_RELAXED(address, value) __atomic_store_n((address), (value), __ATOMIC_RELAXED)

#endif
