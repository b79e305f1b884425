/* Included before everything that runs under the model: what the compiler's instrumentation does
 * not cover goes to the model by another name. The sources themselves stay as they are. */
#ifndef TARN_MODEL_RENAME_H
#define TARN_MODEL_RENAME_H

/* Accesses made inside the C library are invisible; these two faces of them are not. */
#define memcpy  model_memcpy
#define memmove model_memmove
#define memset  model_memset

/* What base/thread.h calls under ThreadSanitizer's instrumentation. */
#define pthread_mutex_init    model_mutex_init
#define pthread_mutex_destroy model_mutex_destroy
#define pthread_mutex_lock    model_mutex_lock
#define pthread_mutex_unlock  model_mutex_unlock
#define pthread_once          model_once
#define pthread_key_create    model_key_create
#define pthread_setspecific   model_key_set
#define sched_yield           model_sched_yield

/* All modelled threads are one thread to the system. Thread-locals become variables of a section
 * whose content the scheduler exchanges at each switch. */
#define _Thread_local __attribute__((section("model_tls")))

#endif
