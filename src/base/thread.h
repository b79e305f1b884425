/* The few thread calls that tarn and its tests need, over C11 <threads.h>; over pthreads where the
 * system lacks that header (MinGW-w64, macOS) and under a sanitizer. ThreadSanitizer does not
 * intercept thrd_create (the new thread crashes: gcc 12, clang 14) nor mtx_lock (false reports), so
 * the build that it watches must use pthreads. */
#ifndef TARN_BASE_THREAD_H
#define TARN_BASE_THREAD_H

#include <stdbool.h>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define TARN_THREADS_POSIX 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer) || \
    __has_feature(memory_sanitizer)
#define TARN_THREADS_POSIX 1
#endif
#endif

#if !defined(TARN_THREADS_POSIX) && defined(__has_include)
#if !__has_include(<threads.h>)
#define TARN_THREADS_POSIX 1
#endif
#endif

typedef int tarn_thread_fn(void *argument);

#ifdef TARN_THREADS_POSIX

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>

typedef pthread_t tarn_thread;
typedef pthread_mutex_t tarn_mutex;
typedef pthread_key_t tarn_thread_key;

typedef struct tarn_thread_start_ {
    tarn_thread_fn *function;
    void *argument;
} tarn_thread_start_;

static inline void *tarn_thread_main_(void *start)
{
    tarn_thread_start_ copy = *(tarn_thread_start_ *)start;
    free(start);
    return (void *)(intptr_t)copy.function(copy.argument);
}

static inline bool tarn_thread_create(tarn_thread *thread, tarn_thread_fn *function, void *argument)
{
    tarn_thread_start_ *start = malloc(sizeof *start);
    if (!start)
        return false;
    *start = (tarn_thread_start_){function, argument};
    if (pthread_create(thread, NULL, tarn_thread_main_, start) == 0)
        return true;
    free(start);
    return false;
}

static inline int tarn_thread_join(tarn_thread thread)
{
    void *result = NULL;
    pthread_join(thread, &result);
    return (int)(intptr_t)result;
}

static inline void tarn_thread_yield(void)
{
    sched_yield();
}

static inline bool tarn_mutex_init(tarn_mutex *mutex)
{
    return pthread_mutex_init(mutex, NULL) == 0;
}
static inline void tarn_mutex_lock(tarn_mutex *mutex)
{
    pthread_mutex_lock(mutex);
}
static inline void tarn_mutex_unlock(tarn_mutex *mutex)
{
    pthread_mutex_unlock(mutex);
}
static inline void tarn_mutex_destroy(tarn_mutex *mutex)
{
    pthread_mutex_destroy(mutex);
}

/* A value per thread whose destructor runs when its thread ends and the value is not NULL. */
static inline bool tarn_thread_key_create(tarn_thread_key *key, void (*destructor)(void *))
{
    return pthread_key_create(key, destructor) == 0;
}
static inline bool tarn_thread_key_set(tarn_thread_key key, void *value)
{
    return pthread_setspecific(key, value) == 0;
}

typedef pthread_once_t tarn_once;
#define TARN_ONCE_INIT PTHREAD_ONCE_INIT
static inline void tarn_once_call(tarn_once *once, void (*function)(void))
{
    pthread_once(once, function);
}

#else

#include <threads.h>

typedef thrd_t tarn_thread;
typedef mtx_t tarn_mutex;
typedef tss_t tarn_thread_key;

static inline bool tarn_thread_create(tarn_thread *thread, tarn_thread_fn *function, void *argument)
{
    return thrd_create(thread, function, argument) == thrd_success;
}

static inline int tarn_thread_join(tarn_thread thread)
{
    int result = 0;
    thrd_join(thread, &result);
    return result;
}

static inline void tarn_thread_yield(void)
{
    thrd_yield();
}

static inline bool tarn_mutex_init(tarn_mutex *mutex)
{
    return mtx_init(mutex, mtx_plain) == thrd_success;
}
static inline void tarn_mutex_lock(tarn_mutex *mutex)
{
    mtx_lock(mutex);
}
static inline void tarn_mutex_unlock(tarn_mutex *mutex)
{
    mtx_unlock(mutex);
}
static inline void tarn_mutex_destroy(tarn_mutex *mutex)
{
    mtx_destroy(mutex);
}

/* A value per thread whose destructor runs when its thread ends and the value is not NULL. */
static inline bool tarn_thread_key_create(tarn_thread_key *key, void (*destructor)(void *))
{
    return tss_create(key, destructor) == thrd_success;
}
static inline bool tarn_thread_key_set(tarn_thread_key key, void *value)
{
    return tss_set(key, value) == thrd_success;
}

typedef once_flag tarn_once;
#define TARN_ONCE_INIT ONCE_FLAG_INIT
static inline void tarn_once_call(tarn_once *once, void (*function)(void))
{
    call_once(once, function);
}

#endif
#endif
