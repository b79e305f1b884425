#include "engine/system.h"

#include "engine/failure.h"
#include "engine/memory.h"
#include "engine/region.h"
#include "engine/scheduler.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define LOCKS_MAX 16u
#define KEYS_MAX  8u

typedef struct lock {
    const pthread_mutex_t *mutex;
    bool is_held;
    model_knowledge knowledge; /* of those who held it */
} lock;

static struct {
    lock locks[LOCKS_MAX];
    void (*destructors[KEYS_MAX])(void *);
    const void *values[KEYS_MAX][MODEL_THREADS_MAX];
    uint32_t key_count;
} process;

static void end_thread(void)
{
    for (uint32_t i = 0; i < process.key_count; i++) {
        const void *value = process.values[i][model_self()];
        process.values[i][model_self()] = NULL;
        if (value && process.destructors[i])
            process.destructors[i]((void *)(uintptr_t)value);
    }
}

void model_system_begin_run(void)
{
    memset(process.locks, 0, sizeof process.locks);
    memset(process.values, 0, sizeof process.values);
    model_at_thread_end(end_thread);
}

static lock *lock_of(const pthread_mutex_t *mutex)
{
    for (uint32_t i = 0; i < LOCKS_MAX; i++) {
        lock *found = &process.locks[i];
        if (!found->mutex)
            found->mutex = mutex;
        if (found->mutex == mutex)
            return found;
    }
    model_fail("more than %u locks", LOCKS_MAX);
    return &process.locks[0];
}

int model_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int model_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    (void)mutex;
    (void)attributes;
    return 0;
}

int model_mutex_destroy(pthread_mutex_t *mutex);
int model_mutex_destroy(pthread_mutex_t *mutex)
{
    (void)mutex;
    return 0;
}

int model_mutex_lock(pthread_mutex_t *mutex);
int model_mutex_lock(pthread_mutex_t *mutex)
{
    if (!model_is_running())
        return 0;
    lock *found = lock_of(mutex);
    model_point();
    while (found->is_held)
        model_wait(found);
    found->is_held = true;
    model_memory_acquire(&found->knowledge);
    return 0;
}

int model_mutex_unlock(pthread_mutex_t *mutex);
int model_mutex_unlock(pthread_mutex_t *mutex)
{
    if (!model_is_running())
        return 0;
    lock *found = lock_of(mutex);
    model_point();
    model_memory_release(&found->knowledge);
    found->is_held = false;
    model_wake(found, 1);
    return 0;
}

/* Every client's set-up makes a pool, so that all of this happens before threads run. */
int model_once(pthread_once_t *once, void (*function)(void));
int model_once(pthread_once_t *once, void (*function)(void))
{
    if (*once == PTHREAD_ONCE_INIT) {
        *once = (pthread_once_t)(PTHREAD_ONCE_INIT + 1);
        function();
    }
    return 0;
}

int model_key_create(pthread_key_t *key, void (*destructor)(void *));
int model_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    if (process.key_count == KEYS_MAX)
        return 1;
    process.destructors[process.key_count] = destructor;
    *key = process.key_count++;
    return 0;
}

int model_key_set(pthread_key_t key, const void *value);
int model_key_set(pthread_key_t key, const void *value)
{
    process.values[key][model_self()] = value;
    return 0;
}

int model_sched_yield(void);
int model_sched_yield(void)
{
    model_yield();
    return 0;
}

void model_futex_wait(const uint32_t *word, uint32_t value)
{
    model_point();
    if (region_read(word, sizeof *word) == value)
        model_wait(word);
}

void model_futex_wake(const uint32_t *word, uint32_t count_max)
{
    model_point();
    model_wake(word, count_max);
}
