#include "classes.h"
#include "tarn/pool.h"

#define SMALL_CLASSES 16u
#define SMALL_STEP    ((size_t)16)
#define SMALL_MAX     (SMALL_CLASSES * SMALL_STEP)

_Static_assert(CLASS_BYTES_MAX <= TARN_OBJECT_BYTES_MAX, "each class fits a pool");
_Static_assert(SMALL_MAX << (CLASS_COUNT - SMALL_CLASSES) / 4 == CLASS_BYTES_MAX,
               "four classes per doubling reach the largest");

size_t class_bytes(unsigned index)
{
    if (index < SMALL_CLASSES)
        return (index + 1) * SMALL_STEP;
    unsigned above = index - SMALL_CLASSES;
    return (SMALL_MAX << above / 4) / 4 * (5 + above % 4);
}

static unsigned smallest_of(size_t bytes)
{
    if (bytes <= SMALL_MAX)
        return bytes == 0 ? 0 : (unsigned)((bytes - 1) / SMALL_STEP);
    unsigned index = SMALL_CLASSES;
    while (index < CLASS_COUNT && class_bytes(index) < bytes)
        index++;
    return index;
}

unsigned class_of(size_t bytes, size_t alignment)
{
    if (bytes > CLASS_BYTES_MAX || alignment > TARN_OBJECT_ALIGNMENT_MAX)
        return CLASS_LARGE;
    unsigned index = smallest_of(bytes);
    while (alignment > CLASS_ALIGNMENT_MIN && index < CLASS_COUNT &&
           class_bytes(index) % alignment != 0)
        index++;
    return index;
}
