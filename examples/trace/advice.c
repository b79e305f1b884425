#include "advice.h"

/* A class is a multiple of all alignments asked for in it, so the pool's default, the largest power
 * of two that divides the size, suffices up to here. */
#define DEFAULT_ALIGNMENT_MAX 64u

#define CACHE_OBJECTS_MIN ((size_t)2)
#define CACHE_OBJECTS_MAX ((size_t)2176)
#define CACHE_BYTES_MAX   ((size_t)1 << 20)

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* One object more even for tiny peaks: a peak seen once is a sample, not a bound. */
static size_t capacity_for(size_t peak)
{
    return smaller(peak + peak / 4 + 1, TARN_CAPACITY_MAX);
}

tarn_pool_options advice_for(const plan *from, unsigned size_class)
{
    const plan_class *class = &from->classes[size_class];
    size_t bytes = class_bytes(size_class);
    size_t caches = smaller(from->lanes ? from->lanes : 1, TARN_CACHES_MAX);
    tarn_pool_options options = {
        .object_bytes = bytes,
        .object_alignment = class->alignment > DEFAULT_ALIGNMENT_MAX ? class->alignment : 0,
        .capacity = capacity_for(class->peak),
        .caches_max = (uint32_t)caches,
    };
    size_t objects = smaller(class->swing, options.capacity / (2 * caches));
    objects = smaller(objects, smaller(CACHE_OBJECTS_MAX, CACHE_BYTES_MAX / bytes));
    options.cache_objects_max =
        (uint32_t)(objects < CACHE_OBJECTS_MIN ? CACHE_OBJECTS_MIN : objects);
    return options;
}
