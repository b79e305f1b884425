#include "plant.h"

#include "base/thread.h"
#include "run.h"
#include "worker.h"

/* Which of a worker's calls go wrong: late enough that everything has warmed up. */
#define FAULT_AT_CALL 1000u

static const char *const words[] = {
#define PLANT_WORD(name, word, text) word,
    PLANT_LIST(PLANT_WORD)
#undef PLANT_WORD
};
static const char *const texts[] = {
#define PLANT_TEXT(name, word, text) text,
    PLANT_LIST(PLANT_TEXT)
#undef PLANT_TEXT
};

const char *plant_word(plant p)
{
    return words[p];
}

const char *plant_text(plant p)
{
    return texts[p];
}

static void *plain_alloc(worker *w)
{
    return w->cache ? tarn_alloc(w->cache) : tarn_guest_alloc(w->run->pool);
}

static void plain_free(worker *w, void *object)
{
    if (w->cache)
        tarn_free(w->cache, object);
    else
        tarn_guest_free(w->run->pool, object);
}

static void *alloc_twice(worker *w)
{
    if (++w->calls >= FAULT_AT_CALL && w->held_count > 0)
        return w->held[0];
    return plain_alloc(w);
}

static void free_lost(worker *w, void *object)
{
    if (++w->calls != FAULT_AT_CALL)
        plain_free(w, object);
}

static void *alloc_refused(worker *w)
{
    return ++w->calls == FAULT_AT_CALL ? NULL : plain_alloc(w);
}

static void free_scribbled(worker *w, void *object)
{
    if (++w->calls >= FAULT_AT_CALL)
        *(unsigned char *)object ^= 0xFF;
    plain_free(w, object);
}

static void *alloc_interior(worker *w)
{
    unsigned char *object = plain_alloc(w);
    return object && ++w->calls == FAULT_AT_CALL ? object + 1 : object;
}

static void *alloc_hanging(worker *w)
{
    while (w->calls >= FAULT_AT_CALL)
        tarn_thread_yield();
    w->calls++;
    return plain_alloc(w);
}

static const subject subjects[PLANT_COUNT] = {
    [PLANT_NONE] = {plain_alloc, plain_free},
    [PLANT_TWICE] = {alloc_twice, plain_free},
    [PLANT_LOST] = {plain_alloc, free_lost},
    [PLANT_REFUSE] = {alloc_refused, plain_free},
    [PLANT_SCRIBBLE] = {plain_alloc, free_scribbled},
    [PLANT_INTERIOR] = {alloc_interior, plain_free},
    [PLANT_SERIAL] = {plain_alloc, plain_free}, /* the crew takes turns */
    [PLANT_HANG] = {alloc_hanging, plain_free},
};

const subject *plant_subject(plant p)
{
    return &subjects[p];
}
