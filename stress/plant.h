/* Faults that tarn-stress plants between itself and the pool, to prove that it would see them. */
#ifndef STRESS_PLANT_H
#define STRESS_PLANT_H

/* X(name, word, what the fault does). */
#define PLANT_LIST(X)                                                          \
    X(PLANT_NONE, "none", "no fault")                                          \
    X(PLANT_TWICE, "twice", "hands out an object that is live")                \
    X(PLANT_LOST, "lost", "swallows a freed object")                           \
    X(PLANT_REFUSE, "refuse", "answers NULL below the capacity")               \
    X(PLANT_SCRIBBLE, "scribble", "writes into an object while it is free")    \
    X(PLANT_INTERIOR, "interior", "hands out the middle of an object")         \
    X(PLANT_SERIAL, "serial", "lets the threads run only one after the other") \
    X(PLANT_HANG, "hang", "never returns from an alloc")

typedef enum plant {
#define PLANT_ENUM(name, word, text) name,
    PLANT_LIST(PLANT_ENUM)
#undef PLANT_ENUM
        PLANT_COUNT
} plant;

const char *plant_word(plant p);
const char *plant_text(plant p);

struct worker;

/* The pool's two calls as the scenarios use them: on the worker's cache, or as a guest when it has
 * none. */
typedef struct subject {
    void *(*alloc)(struct worker *);
    void (*free)(struct worker *, void *object);
} subject;

const subject *plant_subject(plant p);

#endif
