#include "short.h"

#include "base/size.h"
#include "depot/depot.h"
#include "pool/slots.h"

#include <limits.h>

static void check_atomics(void)
{
    struct {
        char before;
        tarn_u64 cell;
        tarn_u32 narrow;
    } s;
    CHECK((uintptr_t)&s.cell % 8 == 0);
    CHECK(sizeof(tarn_u64) == 8 && sizeof(tarn_u32) == 4);
    uint64_t both_halves = UINT64_C(0x0123456789ABCDEF);
    tarn_u64_store_release(&s.cell, both_halves);
    CHECK(tarn_u64_load_acquire(&s.cell) == both_halves);
    uint64_t expected = both_halves + 1;
    CHECK(!tarn_u64_cas_strong_acquire(&s.cell, &expected, 1) && expected == both_halves);
    CHECK(tarn_u64_cas_strong_acquire(&s.cell, &expected, UINT64_MAX));
    CHECK(tarn_u64_fetch_add_relaxed(&s.cell, 1) == UINT64_MAX);
    CHECK(tarn_u64_exchange_acquire(&s.cell, 5) == 0);
    tarn_u32_store_relaxed(&s.narrow, UINT32_MAX);
    CHECK(tarn_u32_fetch_add_relaxed(&s.narrow, 2) == UINT32_MAX);
    CHECK(tarn_u32_load_acquire(&s.narrow) == 1);
}

/* Both ends of the head's word are in use, whatever the byte order. */
static void check_stack(void)
{
    enum { COUNT = 5 };
    tarn_u32 words[COUNT + 1] = {{0}};
    tarn_links links;
    tarn_links_init(&links, words, sizeof words[0], COUNT);
    tarn_stack stack = {{UINT64_MAX << links.index_bits}}; /* the tag is about to wrap */
    for (uint32_t i = 1; i <= COUNT; i++)
        tarn_stack_push(&stack, &links, i);
    CHECK(tarn_stack_peek(&stack) >> links.index_bits == COUNT - 1);
    for (uint32_t i = COUNT; i >= 1; i--)
        CHECK(tarn_stack_pop(&stack, &links) == i);
    CHECK(tarn_stack_pop(&stack, &links) == TARN_INDEX_NONE);
    CHECK(tarn_stack_peek(&stack) >> links.index_bits == 2 * COUNT - 1);
}

static void check_division(void)
{
    static char slots[1];
    for (size_t stride = 1; stride < 5000; stride += stride < 130 ? 1 : 97) {
        tarn_pool pool = {.plan = {.stride_bytes = stride, .slots_max = 10}};
        tarn_slots_init_(&pool, slots);
        bool exact = true;
        for (size_t offset = 0; offset <= 10 * stride; offset++) {
            uint64_t slot = tarn_slot_of_(&pool, (void *)((uintptr_t)slots + offset));
            uint64_t expected =
                offset % stride == 0 && offset / stride < 10 ? offset / stride : TARN_SLOT_NONE;
            exact = exact && slot == expected;
        }
        CHECK(exact);
        CHECK(tarn_slot_of_(&pool, (void *)((uintptr_t)slots - stride)) == TARN_SLOT_NONE);
        CHECK(tarn_slot_of_(&pool, NULL) == TARN_SLOT_NONE);
    }
}

static bool is_in_order(const tarn_region *region, size_t *end)
{
    bool fits = region->offset_bytes == *end && region->bytes_max <= PTRDIFF_MAX - *end;
    *end = region->offset_bytes + region->bytes_max;
    return fits;
}

/* Where the arithmetic says yes, every region fits the address space. */
static void check_plan(size_t object_bytes, size_t capacity, uint32_t caches_max)
{
    tarn_pool_options options = {
        .object_bytes = object_bytes, .capacity = capacity, .caches_max = caches_max};
    tarn_plan plan;
    tarn_status status = tarn_plan_make(&options, 4096, 8192, sizeof(tarn_cache_state), &plan);
    CHECK(status == TARN_OK || status == TARN_ERROR_TOO_LARGE);
    uint64_t least_bytes = (uint64_t)object_bytes * capacity;
    CHECK(least_bytes <= PTRDIFF_MAX || status == TARN_ERROR_TOO_LARGE);
    if (status != TARN_OK)
        return;
    size_t end = 0;
    CHECK(is_in_order(&plan.head, &end) && is_in_order(&plan.magazine_headers, &end) &&
          is_in_order(&plan.magazine_lists, &end) && is_in_order(&plan.slot_links, &end) &&
          is_in_order(&plan.groups, &end) && is_in_order(&plan.slots, &end) &&
          end == plan.reserved_bytes);
    CHECK(plan.slots.bytes_max / plan.stride_bytes >= plan.slots_max);
    CHECK(plan.slots_max >= capacity && plan.slots_max <= TARN_CAPACITY_MAX);
}

void short_layout(void)
{
    check_atomics();
    check_stack();
    check_division();
    const size_t sizes[] = {1, 3, 8, 64, 4096, TARN_OBJECT_BYTES_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (size_t capacity = 1; capacity < TARN_CAPACITY_MAX / 3; capacity = capacity * 3 + 1) {
            check_plan(sizes[i], capacity, 1);
            check_plan(sizes[i], capacity, TARN_CACHES_MAX);
            check_plan(sizes[i], TARN_CAPACITY_MAX - capacity + 1, TARN_CACHES_MAX);
        }
}
