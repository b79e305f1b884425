/* Who is inside the open frame: one word, so that a frame ends only while nobody is.
 *
 *   [ number: 43 | waiting: 1 | ending: 1 | closed: 1 | lanes inside: 18 ]
 *
 *   may overlap  enter  leave  close  end      I1 the number changes only while no lane is inside,
 *   enter        yes    yes    yes    yes         by the thread that set `ending`
 *   leave        yes    yes    yes    yes      I2 nobody enters while one of the flags is set
 *   close, end   yes    yes    no: one is answered TARN_ERROR_BUSY
 *
 *   E12 leave's change of the gate (release) -> end's and close's look at it (acquire): what lanes
 *       wrote into the frame and into themselves. Later changes are read-modify-writes and carry it
 *       on.
 *   E13 end's store of the gate (release) -> enter's and every other look (acquire): the frame's
 *       number, and what ending did to lanes.
 *   E14 complete's change of `completed` (release) -> end's look (acquire): the host's reads of a
 *       frame come before its memory is used again.
 *
 * This is the collective reset of a region: D. R. Hanson, "Fast allocation and deallocation of
 * memory based on object lifetimes" (Software: Practice and Experience, 1990), with an epoch in the
 * place of a walk: K. Fraser, "Practical lock-freedom" (2004). */
#ifndef TARN_FRAME_GATE_H
#define TARN_FRAME_GATE_H

#include "frame/state.h"

#define TARN_GATE_INSIDE_BITS 18u
#define TARN_GATE_INSIDE_MASK (((uint64_t)1 << TARN_GATE_INSIDE_BITS) - 1)
#define TARN_GATE_CLOSED      ((uint64_t)1 << TARN_GATE_INSIDE_BITS)
#define TARN_GATE_ENDING      ((uint64_t)1 << (TARN_GATE_INSIDE_BITS + 1))
#define TARN_GATE_WAITING     ((uint64_t)1 << (TARN_GATE_INSIDE_BITS + 2)) /* for lanes to leave */
#define TARN_GATE_SHIFT       (TARN_GATE_INSIDE_BITS + 3)

void tarn_gate_init_(tarn_frame *frame);

/* *number is the frame entered. TARN_OK, TARN_ERROR_CLOSED or TARN_ERROR_BUSY: one that waits for
 * lanes to leave would else never find none inside. */
tarn_status tarn_gate_enter_(tarn_frame *frame, uint64_t *number);
void tarn_gate_leave_(tarn_frame *frame);

/* No lane enters and no frame ends any more. TARN_OK, TARN_ERROR_LATE or TARN_ERROR_BUSY. */
tarn_status tarn_gate_shut_for_good_(tarn_frame *frame);

/* In the child of a fork: as many are inside, and no thread is ending the frame but perhaps this
 * one. */
void tarn_gate_repair_(tarn_frame *frame, uint32_t inside);

/* The word as it is now. */
uint64_t tarn_gate_look_(const tarn_frame *frame);

static inline uint64_t tarn_gate_number_(uint64_t gate)
{
    return gate >> TARN_GATE_SHIFT;
}

/* Whether a frame can be read by who is not inside it: closed or ended, and not dropped. */
bool tarn_gate_is_readable_(const tarn_frame *frame, uint64_t number);

#endif
