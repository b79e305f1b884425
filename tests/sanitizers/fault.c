/* A program with one fault, named on its command line, in how it uses pooled objects and frame
 * memory; or with none.
 * A memory checker that sees single objects reports the fault, and nothing in the clean program. */
#include "fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tarn_pool *pool;
static tarn_cache *cache;

/* What is read goes here, so that the compiler leaves the read in. */
static volatile int sink;

static void start(tarn_hooks hooks)
{
    tarn_pool_options options = {.name = "matrix",
                                 .object_bytes = OBJECT_BYTES,
                                 .capacity = CAPACITY,
                                 .caches_max = 2,
                                 .hooks = hooks};
    if (tarn_pool_create(&options, &pool) != TARN_OK || tarn_cache_attach(pool, &cache) != TARN_OK)
        exit(2);
}

static void finish(void)
{
    tarn_cache_detach(cache);
    if (tarn_pool_destroy(pool) != TARN_OK)
        exit(2);
}

char *written_object(void)
{
    char *object = tarn_alloc(cache);
    memset(object, 1, OBJECT_BYTES);
    return object;
}

void read_byte(const char *address)
{
    if (*address > 1) /* a decision, since memcheck follows content until one is made */
        sink = 1;
}

static void clean(void)
{
    static char *objects[CAPACITY];
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < CAPACITY; i++) {
            objects[i] = written_object();
            read_byte(objects[i] + OBJECT_BYTES - 1);
        }
        for (size_t i = 0; i < CAPACITY; i++)
            tarn_free(cache, objects[i]);
    }
    written_object();
    tarn_pool_clear(pool); /* drops it */
}

/* In pools with hooks: an object that owns memory from its first life to the pool's end. */
static bool construct(void *context, void *object)
{
    (void)context;
    char **owner = object;
    *owner = malloc(100);
    if (*owner)
        **owner = 1;
    return *owner;
}

static void reset(void *context, void *object)
{
    (void)context;
    read_byte(*(char **)object);
}

static void destroy(void *context, void *object)
{
    (void)context;
    free(*(char **)object);
}

static void clean_with_hooks(void)
{
    static tarn_handle handles[CAPACITY];
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < CAPACITY; i++) {
            void *object;
            if (tarn_take(cache, &handles[i], &object) != TARN_OK)
                exit(2);
            read_byte(*(char **)object);
        }
        for (size_t i = 0; i < CAPACITY; i++)
            tarn_release(cache, handles[i]);
    }
    tarn_alloc(cache);
    tarn_pool_clear(pool); /* drops it */
}

static void use_after_free_with_hooks(void)
{
    char **object = tarn_alloc(cache);
    tarn_free(cache, object);
    read_byte((const char *)object);
}

static void use_after_release(void)
{
    tarn_handle handle;
    void *object;
    if (tarn_take(cache, &handle, &object) != TARN_OK)
        exit(2);
    tarn_release(cache, handle);
    read_byte(object);
}

/* The only pointer to what malloc gave lies in a live object: no leak. */
static void owner_of_memory(void)
{
    char **object = tarn_alloc(cache);
    *object = malloc(100);
    **object = 1;
    exit(0);
}

/* The only pointer lies in an object that was freed: a leak. */
static void leak_behind_a_free_object(void)
{
    char **object = tarn_alloc(cache);
    *object = malloc(100);
    **object = 1;
    tarn_free(cache, object);
    object = NULL;
    memset(written_object(), 0, OBJECT_BYTES);
    written_object();
    exit(0);
}

static void use_after_free_in_cache(void)
{
    char *object = written_object();
    tarn_free(cache, object);
    read_byte(object + 8);
}

static void use_after_free_in_depot(void)
{
    char *object = written_object();
    tarn_free(cache, object);
    tarn_cache_detach(cache);
    read_byte(object + 8);
    tarn_cache_attach(pool, &cache);
}

static void use_after_clear(void)
{
    char *object = written_object();
    tarn_pool_clear(pool);
    read_byte(object + 8);
}

static void write_after_free(void)
{
    char *object = written_object();
    tarn_free(cache, object);
    object[8] = 2;
}

static void overrun(void)
{
    char *object = written_object();
    object[OBJECT_BYTES] = 2;
    tarn_free(cache, object);
}

static void double_free(void)
{
    char *object = written_object();
    tarn_free(cache, object);
    tarn_free(cache, object);
}

static void uninitialised_read(void)
{
    tarn_free(cache, written_object());
    char *object = tarn_alloc(cache);
    read_byte(object + 8);
    tarn_free(cache, object);
}

static void pool_leak(void)
{
    written_object();
}

static const tarn_hooks all_hooks = {.construct = construct, .reset = reset, .destroy = destroy};

static const fault faults[] = {
    {"clean", clean},
    {"owner_of_memory", owner_of_memory},
    {"leak_behind_a_free_object", leak_behind_a_free_object},
    {"use_after_free_in_cache", use_after_free_in_cache},
    {"use_after_free_in_depot", use_after_free_in_depot},
    {"use_after_clear", use_after_clear},
    {"write_after_free", write_after_free},
    {"overrun", overrun},
    {"double_free", double_free},
    {"uninitialised_read", uninitialised_read},
    {"pool_leak", pool_leak},
    {"clean_with_hooks", clean_with_hooks, &all_hooks},
    {"use_after_free_with_hooks", use_after_free_with_hooks, &all_hooks},
    {"use_after_release", use_after_release, &all_hooks},
};

static const fault *find(const char *name, const fault *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, all[i].name) == 0)
            return &all[i];
    return NULL;
}

int main(int argument_count, char **arguments)
{
    const char *name = argument_count == 2 ? arguments[1] : "";
    const fault *chosen = find(name, faults, sizeof faults / sizeof faults[0]);
    if (!chosen)
        chosen = find(name, frame_faults, frame_faults_count);
    if (!chosen) {
        fprintf(stderr, "fault: expected the name of one fault\n");
        return 2;
    }
    start(chosen->hooks ? *chosen->hooks : (tarn_hooks){0});
    chosen->commit();
    finish();
    return 0;
}
