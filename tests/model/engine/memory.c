#include "engine/memory.h"

#include "engine/arithmetic.h"
#include "engine/choice.h"
#include "engine/failure.h"
#include "engine/pages.h"
#include "engine/race.h"
#include "engine/region.h"
#include "engine/scheduler.h"
#include "engine/trace.h"
#include "engine/words.h"

#include <stdatomic.h>
#include <string.h>

#define HISTORY_STORES 16u /* the newest that are kept of each word */
#define AGE_MAX        3u  /* how many newer stores a load may pass over */

typedef struct store {
    uint64_t value;
    model_knowledge message; /* what the store released */
} store;

/* A shared word. Stores are numbered from 0, the value before the run. */
typedef struct cell {
    uint64_t run;
    uint32_t newest;
    uint32_t newest_seq_cst; /* an SC load reads this one or a newer */
    bool written_plainly;
    store stores[HISTORY_STORES];
} cell;

/* What a thread knows; what its relaxed loads could let it know, were a fence to follow; what its
 * last releasing fence lets its relaxed stores tell. */
typedef struct thread_memory {
    model_knowledge now, read, fenced;
} thread_memory;

static struct {
    uint64_t run;
    uint32_t cells;
    cell cell[MODEL_CELLS_MAX];
    thread_memory threads[MODEL_THREADS_MAX];
    model_knowledge fences; /* of all SC fences so far; its view alone counts */
} memory;

void model_memory_start(void)
{
    words_forget();
}

void model_memory_begin_run(uint32_t threads)
{
    memory.run++;
    words_begin_run();
    memory.cells = words_shared_count();
    memset(&memory.fences, 0, sizeof memory.fences);
    memset(memory.threads, 0, sizeof memory.threads);
    for (uint32_t i = 0; i <= threads; i++)
        memory.threads[i].now.clock.time[i] = 1;
}

bool model_memory_adopt_shared(void)
{
    return words_adopt_shared();
}

uint32_t model_memory_shared_count(void)
{
    return words_shared_count();
}

static thread_memory *self(void)
{
    return &memory.threads[model_self()];
}

const model_clock *model_memory_clock(void)
{
    return &self()->now.clock;
}

static void pass_time(void)
{
    self()->now.clock.time[model_self()]++;
}

static bool acquires(int order)
{
    return order == memory_order_acquire || order == memory_order_consume ||
           order == memory_order_acq_rel || order == memory_order_seq_cst;
}

static bool releases(int order)
{
    return order == memory_order_release || order == memory_order_acq_rel ||
           order == memory_order_seq_cst;
}

static store *store_number(cell *word, uint32_t number)
{
    return &word->stores[number % HISTORY_STORES];
}

/* The word behind an access, with its history begun; NULL when it is not shared. */
static cell *cell_at(const void *address, uint32_t bytes, uint32_t number)
{
    if (number == WORD_PRIVATE)
        return NULL;
    cell *word = &memory.cell[number];
    if (word->run != memory.run) {
        word->run = memory.run;
        word->newest = word->newest_seq_cst = 0;
        word->written_plainly = false;
        word->stores[0] = (store){.value = region_read(address, bytes)};
        model_race_mark_cell(address, number);
    }
    return word;
}

/* A plain write that raced with nothing happens before every later access: the older stores are
 * out of reach for all. */
static void notice_plain_write(cell *word, uint32_t number, const void *address, uint32_t bytes)
{
    if (!word->written_plainly)
        return;
    word->written_plainly = false;
    word->newest++;
    *store_number(word, word->newest) = (store){.value = region_read(address, bytes)};
    for (uint32_t i = 0; i < MODEL_THREADS_MAX; i++)
        memory.threads[i].now.view[number] = (uint16_t)word->newest;
}

void model_memory_written_plainly(uint32_t number)
{
    memory.cell[number].written_plainly = true;
}

/* Before each access: lets others go first when the word is shared. Returns its number. */
static uint32_t arrive(const void *address, bool writes)
{
    model_tick();
    pages_check(address, 1);
    uint32_t number = words_touch(address, model_self(), writes);
    if (number != WORD_PRIVATE)
        model_point();
    pass_time();
    return number;
}

static void take_message(const store *from, int order)
{
    thread_memory *thread = self();
    model_knowledge *to = acquires(order) ? &thread->now : &thread->read;
    model_knowledge_join(to, &from->message, memory.cells);
}

static void append(cell *word, uint32_t number, uint64_t value, int order, const store *continued)
{
    thread_memory *thread = self();
    model_knowledge carried = {0};
    if (continued)
        carried = continued->message;
    word->newest++;
    if (word->newest == UINT16_MAX)
        model_fail("more than %u stores to one word", UINT16_MAX);
    thread->now.view[number] = (uint16_t)word->newest;
    store *added = store_number(word, word->newest);
    added->value = value;
    added->message = releases(order) ? thread->now : thread->fenced;
    if (continued)
        model_knowledge_join(&added->message, &carried, memory.cells);
    if (order == memory_order_seq_cst)
        word->newest_seq_cst = word->newest;
}

/* How far back the running thread may read. */
static uint32_t ages(const cell *word, uint32_t number, int order)
{
    uint32_t oldest = self()->now.view[number];
    if (order == memory_order_seq_cst && word->newest_seq_cst > oldest)
        oldest = word->newest_seq_cst;
    uint32_t age = word->newest - oldest;
    return age < AGE_MAX ? age : AGE_MAX;
}

static uint64_t read_store(cell *word, uint32_t number, uint32_t age, int order)
{
    store *from = store_number(word, word->newest - age);
    self()->now.view[number] = (uint16_t)(word->newest - age);
    take_message(from, order);
    return from->value;
}

uint64_t model_atomic_load(const void *address, uint32_t bytes, int order, const void *pc)
{
    if (!model_is_running() || model_is_stack(address)) {
        model_tick();
        return region_read(address, bytes);
    }
    uint32_t number = arrive(address, false);
    model_race_access(address, bytes, MODEL_ATOMIC_READ, pc);
    cell *word = cell_at(address, bytes, number);
    if (!word)
        return region_read(address, bytes);
    notice_plain_write(word, number, address, bytes);
    uint32_t age = model_choose(MODEL_CHOICE_STORE, ages(word, number, order) + 1, false);
    uint64_t value = read_store(word, number, age, order);
    model_trace_step(&(model_step){.kind = MODEL_STEP_LOAD,
                                   .pc = pc,
                                   .address = address,
                                   .before = value,
                                   .order = order,
                                   .age = age});
    return value;
}

void model_atomic_store(void *address, uint32_t bytes, uint64_t value, int order, const void *pc)
{
    if (!model_is_running() || model_is_stack(address)) {
        region_write(address, bytes, value);
        return;
    }
    uint32_t number = arrive(address, true);
    model_race_access(address, bytes, MODEL_ATOMIC_WRITE, pc);
    cell *word = cell_at(address, bytes, number);
    if (word) {
        notice_plain_write(word, number, address, bytes);
        append(word, number, value, order, NULL);
        model_trace_step(&(model_step){.kind = MODEL_STEP_STORE,
                                       .pc = pc,
                                       .address = address,
                                       .after = value,
                                       .order = order});
    }
    region_write(address, bytes, value);
    pass_time();
}

/* The write of a read-modify-write whose read was of the newest store. */
static void replace(cell *word, uint32_t number, uint64_t value, int order)
{
    store *newest = store_number(word, word->newest);
    self()->now.view[number] = (uint16_t)word->newest;
    take_message(newest, order);
    append(word, number, value, order, newest);
}

uint64_t model_atomic_update(void *address, uint32_t bytes, model_operation operation,
                             uint64_t operand, int order, const void *pc)
{
    bool is_modelled = model_is_running() && !model_is_stack(address);
    uint32_t number = is_modelled ? arrive(address, true) : WORD_PRIVATE;
    if (is_modelled)
        model_race_access(address, bytes, MODEL_ATOMIC_WRITE, pc);
    uint64_t before = region_read(address, bytes);
    uint64_t after = truncated(apply(operation, before, operand), bytes);
    cell *word = is_modelled ? cell_at(address, bytes, number) : NULL;
    if (word) {
        notice_plain_write(word, number, address, bytes);
        replace(word, number, after, order);
        model_trace_step(&(model_step){.kind = MODEL_STEP_UPDATE,
                                       .pc = pc,
                                       .address = address,
                                       .before = before,
                                       .after = after,
                                       .order = order});
    }
    region_write(address, bytes, after);
    if (is_modelled)
        pass_time();
    return before;
}

/* A failing CAS is a load: it may fail because of an older store. Returns the age that it reads;
 * 0 lets the newest value decide. */
static uint32_t stale_refusal(cell *word, uint32_t number, const model_cas *cas, uint64_t expected)
{
    uint32_t candidates[AGE_MAX + 1] = {0};
    uint32_t count = 1, oldest = ages(word, number, cas->failure);
    for (uint32_t age = 1; age <= oldest; age++)
        if (store_number(word, word->newest - age)->value != expected)
            candidates[count++] = age;
    return candidates[model_choose(MODEL_CHOICE_STORE, count, false)];
}

static bool refuse(cell *word, uint32_t number, const model_cas *cas, uint64_t *expected,
                   model_step *step)
{
    *expected = read_store(word, number, step->age, cas->failure);
    step->before = *expected;
    model_trace_step(step);
    return false;
}

static bool cas_shared(cell *word, uint32_t number, const model_cas *cas, uint64_t *expected)
{
    uint64_t newest = store_number(word, word->newest)->value;
    model_step step = {.kind = MODEL_STEP_REFUSAL, .pc = cas->pc, .address = cas->address};
    step.age = stale_refusal(word, number, cas, *expected);
    if (step.age > 0 || newest != *expected)
        return refuse(word, number, cas, expected, &step);
    if (cas->is_weak && model_choose(MODEL_CHOICE_WEAK_FAILURE, 2, false)) {
        step.kind = MODEL_STEP_SPURIOUS;
        return refuse(word, number, cas, expected, &step);
    }
    replace(word, number, cas->desired, cas->success);
    step = (model_step){.kind = MODEL_STEP_EXCHANGE,
                        .pc = cas->pc,
                        .address = cas->address,
                        .before = newest,
                        .after = cas->desired,
                        .order = cas->success};
    model_trace_step(&step);
    region_write(cas->address, cas->bytes, cas->desired);
    return true;
}

static bool cas_private(const model_cas *cas, uint64_t *expected)
{
    uint64_t value = region_read(cas->address, cas->bytes);
    bool succeeds = value == *expected;
    if (succeeds && cas->is_weak && model_is_running())
        succeeds = model_choose(MODEL_CHOICE_WEAK_FAILURE, 2, false) == 0;
    *expected = value;
    if (succeeds)
        region_write(cas->address, cas->bytes, cas->desired);
    return succeeds;
}

bool model_atomic_cas(const model_cas *cas, uint64_t *expected)
{
    if (!model_is_running() || model_is_stack(cas->address))
        return cas_private(cas, expected);
    uint32_t number = arrive(cas->address, true);
    cell *word = cell_at(cas->address, cas->bytes, number);
    if (word)
        notice_plain_write(word, number, cas->address, cas->bytes);
    uint64_t wanted = *expected;
    bool done = word ? cas_shared(word, number, cas, expected) : cas_private(cas, expected);
    model_race_access(cas->address, cas->bytes, done ? MODEL_ATOMIC_WRITE : MODEL_ATOMIC_READ,
                      cas->pc);
    if (done)
        *expected = wanted;
    pass_time();
    return done;
}

void model_atomic_fence(int order, const void *pc)
{
    if (!model_is_running() || order == memory_order_relaxed)
        return;
    model_point();
    pass_time();
    thread_memory *thread = self();
    if (acquires(order))
        model_knowledge_join(&thread->now, &thread->read, memory.cells);
    if (order == memory_order_seq_cst) {
        model_view_join(thread->now.view, memory.fences.view, memory.cells);
        model_view_join(memory.fences.view, thread->now.view, memory.cells);
    }
    if (releases(order))
        thread->fenced = thread->now;
    pass_time();
    model_trace_step(&(model_step){.kind = MODEL_STEP_FENCE, .pc = pc, .order = order});
}

void model_memory_look_up(void)
{
    model_view_join(self()->now.view, memory.fences.view, memory.cells);
    model_view_join(memory.fences.view, self()->now.view, memory.cells);
}

void model_memory_process_barrier(void)
{
    if (!model_is_running())
        return;
    model_point();
    for (uint32_t i = 0; i < MODEL_THREADS_MAX; i++)
        model_view_join(memory.fences.view, memory.threads[i].now.view, memory.cells);
    for (uint32_t i = 0; i < MODEL_THREADS_MAX; i++)
        model_view_join(memory.threads[i].now.view, memory.fences.view, memory.cells);
}

void model_memory_release(model_knowledge *knowledge)
{
    model_knowledge_join(knowledge, &self()->now, memory.cells);
    pass_time();
}

void model_memory_acquire(const model_knowledge *knowledge)
{
    model_knowledge_join(&self()->now, knowledge, memory.cells);
}
