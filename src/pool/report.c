#include "pool/report.h"

#include "base/os.h"
#include "pool/slots.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local uint32_t thread_id;

uint32_t tarn_report_thread_(void)
{
    if (thread_id == 0)
        thread_id = tarn_os_thread_id();
    return thread_id;
}

static const char *misuse_text(tarn_misuse misuse)
{
    switch (misuse) {
#define TEXT(name, number, sentence) \
    case name:                       \
        return sentence;
        TARN_MISUSE_LIST(TEXT)
#undef TEXT
    case TARN_MISUSE_NONE_:
        break;
    }
    return "unknown misuse";
}

uint64_t tarn_slot_around_(const tarn_pool *pool, const void *address)
{
    uintptr_t offset = (uintptr_t)address - (uintptr_t)pool->slots;
    uint64_t slot = offset / pool->plan.stride_bytes;
    return slot < pool->plan.slots_max ? slot : TARN_SLOT_NONE;
}

static void print_site(const char *what, const char *site)
{
    if (site)
        fprintf(stderr, ", %s at %s", what, site);
}

static bool has_offset(tarn_misuse misuse)
{
    return misuse == TARN_MISUSE_WRITE_AFTER_FREE || misuse == TARN_MISUSE_OVERRUN ||
           misuse == TARN_MISUSE_STALE_FRAME;
}

static void print(const char *whose, const tarn_report *report)
{
    fprintf(stderr, "tarn: %s \"%s\": %s: %p", whose, report->pool_name, report->text,
            report->object);
    if (report->slot != TARN_SLOT_NONE)
        fprintf(stderr, ", slot %" PRIu64, report->slot);
    if (has_offset(report->misuse))
        fprintf(stderr, ", byte %" PRIu64, report->offset);
    if (report->misuse == TARN_MISUSE_LEAK)
        fprintf(stderr, ", %" PRIu64 " objects", report->count);
    fprintf(stderr, ", thread %" PRIu32, report->thread);
    if (report->other_thread)
        fprintf(stderr, ", in use by thread %" PRIu32, report->other_thread);
    print_site("called", report->call_site);
    print_site("allocated", report->alloc_site);
    print_site("freed", report->free_site);
    fprintf(stderr, "\n");
}

void tarn_report_to_(tarn_report_fn *host, void *context, const char *whose, tarn_report report)
{
    report.text = misuse_text(report.misuse);
    report.thread = tarn_report_thread_();
    if (host) {
        host(context, &report);
        return;
    }
    print(whose, &report);
    if (report.misuse != TARN_MISUSE_LEAK) /* destruction answers with a status */
        abort();
}

void tarn_report_(const tarn_pool *pool, tarn_misuse misuse, tarn_report report)
{
    report.misuse = misuse;
    report.pool_name = pool->name;
    report.slot = tarn_slot_around_(pool, report.object);
    tarn_report_to_(pool->report, pool->report_context, "pool", report);
}
