/* Every way in which a short sequence of one thread's calls falls between the accesses of another
 * thread's call: no index is ever lost or doubled (I1), each change moves the tag by one (I2), and
 * nothing out of range is seen (I3). */
#include "support/check.h"
#include "support/interleave.h"

#include "depot/stack.h"

#include <string.h>

#define INDICES        5u
#define SUBJECT_STARTS 2u /* with indices 1 and 2 */
#define OTHER_CALLS    4u

typedef enum call {
    CALL_NOTHING,
    CALL_PUSH_OLDEST,
    CALL_PUSH_NEWEST,
    CALL_PUSH_CHAIN,
    CALL_POP,
    CALL_POP_TWO,
    CALL_TAKE_ALL,
    CALLS
} call;

typedef struct actor {
    uint32_t held[INDICES]; /* oldest first */
    uint32_t held_count;
} actor;

typedef struct fixture {
    tarn_u32 next[INDICES + 1];
    tarn_links links;
    tarn_stack stack;
    actor subject, other;
    call subject_call, other_calls[OTHER_CALLS];
    uint32_t first_point, second_point; /* the other makes half of its calls at each */
    uint32_t changes;                   /* of the head, by either */
} fixture;

static void hold(actor *who, uint32_t index)
{
    assert_in_range(index, 1, INDICES);
    assert_true(who->held_count < INDICES);
    who->held[who->held_count++] = index;
}

static uint32_t give(actor *who, uint32_t at)
{
    uint32_t index = who->held[at];
    who->held_count--;
    memmove(who->held + at, who->held + at + 1, (who->held_count - at) * sizeof index);
    return index;
}

static void push_chain(fixture *f, actor *who)
{
    for (uint32_t i = 0; i + 1 < who->held_count; i++)
        tarn_links_set(&f->links, who->held[i], who->held[i + 1]);
    uint32_t first = who->held[0];
    uint32_t last = who->held[who->held_count - 1];
    who->held_count = 0;
    tarn_stack_push_chain(&f->stack, &f->links, first, last);
}

static void push(fixture *f, actor *who, call how)
{
    if (who->held_count == 0)
        return;
    f->changes++;
    if (how == CALL_PUSH_CHAIN)
        push_chain(f, who);
    else
        tarn_stack_push(&f->stack, &f->links,
                        give(who, how == CALL_PUSH_OLDEST ? 0 : who->held_count - 1));
}

static void pop(fixture *f, actor *who)
{
    uint32_t index = tarn_stack_pop(&f->stack, &f->links);
    if (index == TARN_INDEX_NONE)
        return;
    f->changes++;
    hold(who, index);
}

static void pop_two(fixture *f, actor *who)
{
    uint32_t indices[2];
    uint32_t count = tarn_stack_pop_some(&f->stack, &f->links, 2, indices);
    f->changes += count > 0;
    for (uint32_t i = 0; i < count; i++)
        hold(who, indices[i]);
}

static void take_all(fixture *f, actor *who)
{
    uint32_t index = tarn_stack_take_all(&f->stack, &f->links);
    f->changes += index != TARN_INDEX_NONE;
    for (; index != TARN_INDEX_NONE; index = tarn_links_get(&f->links, index))
        hold(who, index);
}

static void make(fixture *f, actor *who, call what)
{
    switch (what) {
    case CALL_PUSH_OLDEST:
    case CALL_PUSH_NEWEST:
    case CALL_PUSH_CHAIN:
        push(f, who, what);
        break;
    case CALL_POP:
        pop(f, who);
        break;
    case CALL_POP_TWO:
        pop_two(f, who);
        break;
    case CALL_TAKE_ALL:
        take_all(f, who);
        break;
    case CALL_NOTHING:
    case CALLS:
        break;
    }
}

static void run_subject(void *context)
{
    fixture *f = context;
    make(f, &f->subject, f->subject_call);
}

static void run_other(void *context, uint32_t point)
{
    fixture *f = context;
    if (point == f->first_point)
        for (uint32_t i = 0; i < OTHER_CALLS / 2; i++)
            make(f, &f->other, f->other_calls[i]);
    if (point == f->second_point)
        for (uint32_t i = OTHER_CALLS / 2; i < OTHER_CALLS; i++)
            make(f, &f->other, f->other_calls[i]);
}

/* The subject holds the first two indices, the stack the next ones, the other what is left. */
static void start(fixture *f, uint32_t on_stack)
{
    tarn_links_init(&f->links, f->next, sizeof f->next[0], INDICES);
    tarn_u64_store_relaxed(&f->stack.head, 0);
    memset(f->next, 0, sizeof f->next);
    f->subject.held_count = f->other.held_count = f->changes = 0;
    for (uint32_t index = INDICES; index >= 1; index--)
        if (index <= SUBJECT_STARTS)
            hold(&f->subject, index);
        else if (index <= SUBJECT_STARTS + on_stack)
            tarn_stack_push(&f->stack, &f->links, index);
        else
            hold(&f->other, index);
    f->changes = on_stack;
}

static void check_end(fixture *f)
{
    assert_int_equal(tarn_stack_peek(&f->stack) >> f->links.index_bits, f->changes);
    uint32_t seen = 0;
    uint32_t total = f->subject.held_count + f->other.held_count;
    for (uint32_t i = 0; i < f->subject.held_count; i++)
        seen |= 1u << f->subject.held[i];
    for (uint32_t i = 0; i < f->other.held_count; i++)
        seen |= 1u << f->other.held[i];
    for (; total <= INDICES; total++) {
        uint32_t index = tarn_stack_pop(&f->stack, &f->links);
        if (index == TARN_INDEX_NONE)
            break;
        seen |= 1u << index;
    }
    check_that(total == INDICES && seen == (1u << (INDICES + 1)) - 2,
               "call %d, the other's %d %d at %u, %d %d at %u: %u indices, seen %x",
               f->subject_call, f->other_calls[0], f->other_calls[1], f->first_point,
               f->other_calls[2], f->other_calls[3], f->second_point, total, seen);
}

/* All pairs of points, first <= second, that the subject gets to. Returns how many runs. */
static uint64_t check_all_points(fixture *f, uint32_t on_stack)
{
    uint64_t runs = 0;
    for (f->first_point = 1;; f->first_point++) {
        uint32_t made;
        f->second_point = f->first_point;
        for (;; f->second_point++) {
            start(f, on_stack);
            made = interleave(run_subject, run_other, f);
            check_end(f);
            runs++;
            if (made < f->second_point)
                break;
        }
        if (made < f->first_point)
            return runs;
    }
}

static bool next_sequence(call *calls)
{
    for (uint32_t i = 0; i < OTHER_CALLS; i++) {
        calls[i] = (call)(calls[i] + 1);
        if (calls[i] != CALLS)
            return true;
        calls[i] = CALL_NOTHING;
    }
    return false;
}

static void check_all_sequences(call subject_call)
{
    static fixture f;
    uint64_t runs = 0;
    for (uint32_t on_stack = 0; on_stack <= INDICES - SUBJECT_STARTS; on_stack++) {
        memset(&f, 0, sizeof f);
        f.subject_call = subject_call;
        do
            runs += check_all_points(&f, on_stack);
        while (next_sequence(f.other_calls));
    }
    printf("%llu interleavings\n", (unsigned long long)runs);
    assert_true(runs > 50000);
}

static void push_keeps_every_index_whatever_happens_in_between(void **state)
{
    (void)state;
    check_all_sequences(CALL_PUSH_NEWEST);
}

static void push_chain_keeps_every_index_whatever_happens_in_between(void **state)
{
    (void)state;
    check_all_sequences(CALL_PUSH_CHAIN);
}

static void pop_keeps_every_index_whatever_happens_in_between(void **state)
{
    (void)state;
    check_all_sequences(CALL_POP);
}

static void pop_some_keeps_every_index_whatever_happens_in_between(void **state)
{
    (void)state;
    check_all_sequences(CALL_POP_TWO);
}

static void take_all_keeps_every_index_whatever_happens_in_between(void **state)
{
    (void)state;
    check_all_sequences(CALL_TAKE_ALL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(push_keeps_every_index_whatever_happens_in_between),
        cmocka_unit_test(push_chain_keeps_every_index_whatever_happens_in_between),
        cmocka_unit_test(pop_keeps_every_index_whatever_happens_in_between),
        cmocka_unit_test(pop_some_keeps_every_index_whatever_happens_in_between),
        cmocka_unit_test(take_all_keeps_every_index_whatever_happens_in_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
