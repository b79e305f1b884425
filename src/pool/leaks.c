#include "pool/leaks.h"

#include "pool/loan.h"
#include "pool/report.h"
#include "pool/slots.h"

#include <stdlib.h>
#include <string.h>

typedef struct leak {
    const char *site; /* NULL: not known */
    uint64_t slot;
} leak;

static int compare_sites(const leak *a, const leak *b)
{
    if (!a->site || !b->site)
        return (a->site != NULL) - (b->site != NULL);
    return strcmp(a->site, b->site);
}

/* By site, then by slot: equal texts may be different literals. */
static int compare(const void *left, const void *right)
{
    const leak *a = left, *b = right;
    int order = compare_sites(a, b);
    return order ? order : (a->slot > b->slot) - (a->slot < b->slot);
}

/* Writes down the slots that are lent, unless leaks is NULL. Returns how many there are. */
static size_t find(const tarn_pool *pool, leak *leaks)
{
    size_t count = 0;
    /* relaxed: nobody else is at work. */
    uint64_t carved = tarn_u64_load_relaxed(&pool->slots_carved);
    for (uint64_t slot = 0; slot < carved; slot++) {
        const tarn_loan *loan = &pool->loans[slot];
        if (tarn_u32_load_relaxed(&loan->state) != TARN_LOAN_LENT)
            continue;
        if (leaks)
            leaks[count] = (leak){tarn_loan_site_(&loan->alloc_site), slot};
        count++;
    }
    return count;
}

static void report(const tarn_pool *pool, const leak *first, size_t count)
{
    const tarn_loan *loan = &pool->loans[first->slot];
    tarn_report_(pool, TARN_MISUSE_LEAK,
                 (tarn_report){.object = tarn_slot_object_(pool, first->slot),
                               .count = count,
                               .alloc_site = first->site,
                               .free_site = tarn_loan_site_(&loan->free_site)});
}

static void report_by_site(const tarn_pool *pool, leak *leaks, size_t count)
{
    qsort(leaks, count, sizeof *leaks, compare);
    for (size_t first = 0, end = 0; first < count; first = end) {
        for (end = first + 1; end < count; end++)
            if (compare_sites(&leaks[first], &leaks[end]) != 0)
                break;
        report(pool, &leaks[first], end - first);
    }
}

void tarn_leaks_report_(const tarn_pool *pool)
{
    size_t count = find(pool, NULL);
    leak *leaks = malloc((count + 1) * sizeof *leaks);
    if (leaks) {
        find(pool, leaks);
        report_by_site(pool, leaks, count);
        free(leaks);
    } else {
        tarn_report_(pool, TARN_MISUSE_LEAK, (tarn_report){.count = count});
    }
}
