/* Checked pools: what they keep about each object changes hands along with it. */
#include "clients/entry.h"
#include "clients/ledger.h"
#include "clients/pool_kit.h"
#include "engine/failure.h"
#include "engine/region.h"
#include "engine/scheduler.h"

static uint32_t double_frees[MODEL_THREADS_MAX] MODEL_STATE;

static void count(void *context, const tarn_report *report)
{
    (void)context;
    if (report->misuse == TARN_MISUSE_DOUBLE_FREE)
        double_frees[model_self()]++;
    else
        model_fail("reported: %s", report->text);
}

static void checked(uint32_t threads, bool is_exact)
{
    tarn_pool_options options = {.object_bytes = 8,
                                 .capacity = 2,
                                 .caches_max = threads,
                                 .cache_objects_max = 2,
                                 .exact = is_exact,
                                 .checked = true,
                                 .report = count};
    kit_make(&options, threads, threads);
    kit_take_spares();
    kit_ready();
}
static void checked_2(void)
{
    checked(2, false);
}
static void checked_3(void)
{
    checked(3, false);
}
static void checked_exact(void)
{
    checked(2, true);
}

static void free_the_same(void)
{
    tarn_free(kit.caches[model_self()], kit.spare[0]);
}

/* More than the array holds, so that objects pass through the depot. */
static void give_take(void)
{
    for (uint32_t i = 0; i < 3; i++)
        kit_give(kit.spare[(model_self() - 1) * 3 + i]);
    for (uint32_t i = 0; i < 3; i++)
        kit_take();
}

static uint32_t reports(void)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < MODEL_THREADS_MAX; i++)
        sum += double_frees[i];
    return sum;
}

/* Of the threads that freed the object, all but one were told. */
static void check_all_but_one(void)
{
    if (reports() != model_thread_count() - 1)
        model_fail("%u double frees were reported", reports());
    kit_note_given(kit.spare[0]);
    kit_check();
}

static void check_none(void)
{
    if (reports() != 0)
        model_fail("a double free was reported where there was none");
    kit_check();
}

#define CLIENT(name, set_up, check, ...) \
    CLIENT_ENTRY(name, CLIENT_LOCKING, set_up, check, __VA_ARGS__)

static const client_entry clients[] = {
    CLIENT("checked_double_free", checked_2, check_all_but_one, free_the_same, free_the_same),
    CLIENT("checked_double_free_3", checked_3, check_all_but_one, free_the_same, free_the_same,
           free_the_same),
    CLIENT("checked_double_free_exact", checked_exact, check_all_but_one, free_the_same,
           free_the_same),
    CLIENT("checked_give_take", checked_2, check_none, give_take, give_take),
};

client_list checked_clients(void)
{
    return CLIENT_LIST(clients);
}
