/* Where all threads of a run meet: nobody passes before everybody has come. Passing orders what
 * was done before it on every thread before what is done after it on every thread. */
#ifndef STRESS_GATE_H
#define STRESS_GATE_H

#include <stdatomic.h>
#include <stdint.h>

typedef struct gate {
    uint32_t parties;
    _Alignas(128) _Atomic uint32_t waiting;
    _Alignas(128) _Atomic uint32_t opened;
} gate;

void gate_init(gate *g, uint32_t parties);
void gate_wait(gate *g);

/* Relaxed: how many wait now. */
uint32_t gate_waiting(const gate *g);

#endif
