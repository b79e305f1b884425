/* What the scenario of frames writes into frame memory and into objects that are freed at a frame's
 * end, and how it is judged. All of it is plain, so that ThreadSanitizer sees every edge that the
 * frame owes; what leads to it is read and written relaxed, as far as the frame orders it. */
#ifndef STRESS_FRAME_NOTES_H
#define STRESS_FRAME_NOTES_H

#include "failure.h"
#include "tarn/tarn.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define NOTES_FRAMES 8u /* a power of two, more than are in flight */

/* In frame memory, one behind the other; written once. */
typedef struct note {
    const struct note *next;
    uint64_t worker, frame, serial;
    uint64_t check; /* of the above */
} note;

/* One worker's notes and counts by frame; each word has the frame's low bits beside its value, so
 * that what is left of an older frame is not taken for it. */
typedef struct note_book {
    _Alignas(128) _Atomic uint64_t last[NOTES_FRAMES];
    _Atomic uint64_t drawn[NOTES_FRAMES]; /* objects of the frame pool */
    uint64_t serial;
} note_book;

/* Writes a note into memory of the open frame, and leaves it for others. */
void note_write(note_book *book, note *memory, uint32_t worker, uint64_t frame);

/* Reads a worker's last notes of a frame that is not dropped. False: reported. */
bool notes_read(failure *f, const note_book *book, uint32_t worker, uint64_t frame);

/* One more object of the frame pool, and how many there are. */
void note_drawn(note_book *book, uint64_t frame);
uint64_t notes_drawn(const note_book *book, uint64_t frame);

/* In the frame pool. Constructed once, reset when its memory is used again. */
typedef struct drawn {
    uint64_t constructed; /* its own address */
    uint64_t worker, frame;
} drawn;

tarn_hooks drawn_hooks(failure *f);

/* Of another pool. Its stamp goes 0 -> live -> deferred in frame n -> live ..., whoever has it. */
typedef struct shared {
    uint64_t serial, check;
    _Atomic uint64_t stamp; /* relaxed */
} shared;

/* A new owner, who is inside `frame`. False: reported. */
bool shared_claim(failure *f, shared *object, uint64_t serial, uint64_t frame, uint32_t in_flight);

/* Its free is put off to the end of `frame`. */
bool shared_defer(failure *f, shared *object, uint64_t frame);

/* Whoever found it in a frame in flight reads it. */
bool shared_read(failure *f, const shared *object);

#endif
