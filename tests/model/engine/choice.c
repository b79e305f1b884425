#include "engine/choice.h"

#include "engine/failure.h"

#include <string.h>

#define DECISIONS_MAX 100000u

typedef struct decision {
    uint8_t pick, count;
} decision;

static struct {
    model_mode mode;
    model_budgets budgets, left;
    uint64_t seed, random;
    uint32_t position, count;
    decision list[DECISIONS_MAX];
} choices;

/* Plain decisions in this many of each kind, where a die decides. */
static const uint32_t plain_one_in[MODEL_CHOICE_COUNT] = {
    [MODEL_CHOICE_THREAD] = 4,
    [MODEL_CHOICE_STORE] = 3,
    [MODEL_CHOICE_WEAK_FAILURE] = 8,
    [MODEL_CHOICE_STOP] = 40,
};

void model_choice_start(model_mode mode, const model_budgets *budgets, uint64_t seed)
{
    choices.mode = mode;
    choices.budgets = *budgets;
    choices.seed = seed;
    model_choice_restart();
}

void model_choice_restart(void)
{
    choices.count = 0;
}

static void begin(void)
{
    choices.left = choices.budgets;
    choices.position = 0;
}

void model_choice_begin_run(uint64_t run)
{
    begin();
    if (choices.mode == MODEL_EXHAUSTIVE)
        return;
    choices.count = 0;
    choices.random = (choices.seed + run) * UINT64_C(0x9E3779B97F4A7C15) | 1;
    for (int i = 0; i < 4; i++)
        model_choice_random();
}

void model_choice_repeat_run(void)
{
    begin();
}

uint64_t model_choice_random(void)
{
    choices.random ^= choices.random << 13;
    choices.random ^= choices.random >> 7;
    choices.random ^= choices.random << 17;
    return choices.random >> 8;
}

model_mode model_choice_mode(void)
{
    return choices.mode;
}

static uint32_t by_die(model_choice kind, uint32_t count)
{
    if (kind == MODEL_CHOICE_THREAD || kind == MODEL_CHOICE_STORE) {
        if (model_choice_random() % plain_one_in[kind] != 0)
            return 0;
    } else {
        return model_choice_random() % plain_one_in[kind] == 0;
    }
    return (uint32_t)(model_choice_random() % count);
}

/* Takes the decision at the present position from the list, or appends one. */
static uint32_t note(uint32_t count, uint32_t fresh)
{
    if (choices.position == choices.count) {
        if (choices.count == DECISIONS_MAX) {
            model_fail("a run of more than %u decisions", DECISIONS_MAX);
            return 0;
        }
        choices.list[choices.count++] = (decision){(uint8_t)fresh, (uint8_t)count};
    }
    return choices.list[choices.position++].pick;
}

uint32_t model_choose(model_choice kind, uint32_t count, bool is_free)
{
    if (count <= 1 || (!is_free && choices.left.of[kind] == 0))
        return 0;
    bool rolls = choices.mode != MODEL_EXHAUSTIVE && choices.position == choices.count;
    uint32_t pick = note(count, rolls ? by_die(kind, count) : 0);
    if (pick > 0 && !is_free)
        choices.left.of[kind]--;
    return pick;
}

uint32_t model_choose_given(uint32_t count, uint32_t pick)
{
    return count <= 1 ? 0 : note(count, pick);
}

bool model_choice_next_run(void)
{
    if (choices.mode != MODEL_EXHAUSTIVE)
        return true;
    while (choices.count > 0) {
        decision *last = &choices.list[choices.count - 1];
        if (last->pick + 1u < last->count) {
            last->pick++;
            return true;
        }
        choices.count--;
    }
    return false;
}
