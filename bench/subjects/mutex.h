/* What many engines start with: one list through the free objects, behind one mutex. */
#include "base/thread.h"
#include "worker/harness.h"

typedef struct free_object {
    struct free_object *next;
} free_object;

typedef struct locked_list {
    _Alignas(128) tarn_mutex mutex;
    free_object *first;
} locked_list;

typedef locked_list *subject_handle;

static locked_list subject_list;

/* From the last to the first, so that addresses rise as objects are taken. */
static bool subject_open(const subject_needs *needs)
{
    size_t objects = needs->live_per_thread_max * needs->threads;
    char *memory = bench_pages(objects * needs->object_bytes);
    for (size_t i = objects; i > 0; i--) {
        free_object *object = (free_object *)(void *)(memory + (i - 1) * needs->object_bytes);
        object->next = subject_list.first;
        subject_list.first = object;
    }
    return tarn_mutex_init(&subject_list.mutex);
}

static bool subject_enter(unsigned thread, subject_handle *handle)
{
    (void)thread;
    *handle = &subject_list;
    return true;
}

static void subject_leave(subject_handle handle)
{
    (void)handle;
}

static inline void *subject_alloc(subject_handle list)
{
    tarn_mutex_lock(&list->mutex);
    free_object *object = list->first;
    if (object)
        list->first = object->next;
    tarn_mutex_unlock(&list->mutex);
    return object;
}

static inline void subject_free(subject_handle list, void *memory)
{
    free_object *object = memory;
    tarn_mutex_lock(&list->mutex);
    object->next = list->first;
    list->first = object;
    tarn_mutex_unlock(&list->mutex);
}
