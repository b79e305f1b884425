/* What the parts of the faulty program share. */
#ifndef TARN_TESTS_SANITIZERS_FAULT_H
#define TARN_TESTS_SANITIZERS_FAULT_H

#include "tarn/tarn.h"

#include <stddef.h>

#define OBJECT_BYTES 40u
#define CAPACITY     1000u

typedef struct fault {
    const char *name;
    void (*commit)(void);
    const tarn_hooks *hooks; /* of the pool; NULL: none */
} fault;

/* Those in how frame memory is used. */
extern const fault frame_faults[];
extern const size_t frame_faults_count;

/* The pool that each fault finds, and an object of it. */
extern tarn_pool *pool;
char *written_object(void);

/* Decides by the byte. */
void read_byte(const char *address);

#endif
