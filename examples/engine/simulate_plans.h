/* AI: a sector searches plans for the squad of its right neighbour, which carries them out: two
 * jobs, which may run on two workers. Part of simulate.h.
 *
 * A plan is the tree that the search has built. Each frame the squad member makes the best move,
 * and the tree shrinks to what follows from it; so a plan is torn down step by step, often
 * by other workers than the one that built it. */
#ifndef ENGINE_SIMULATE_PLANS_H
#define ENGINE_SIMULATE_PLANS_H

#include "world.h"

#define PLANS_PER_POWER 2 /* searched in a frame */
#define PLAN_DEPTH      3
#define PLAN_STRIDE     METRES(32)
#define PRUNE_MARGIN    METRES(12)
#define VOLLEY_SHOTS    4
#define MOVES           4

static fixed clamp(fixed value, fixed high)
{
    return value < 0 ? 0 : value > high ? high : value;
}

/* The closer the nearest target in the columns ahead, the better. */
static void judge(sector *s, node *n)
{
    fixed nearest = SECTOR_HEIGHT;
    for (int i = 0; i < THREATS; i++) {
        fixed above = s->targets[(n->x / COLUMN_WIDTH + i) % TARGETS].y - n->y;
        n->threats[i] = above < 0 ? -above : above;
        if (n->threats[i] < nearest)
            nearest = n->threats[i];
    }
    n->own_score = n->best_score = SECTOR_HEIGHT - nearest;
}

static node *create_node(tarn_worker *w, sector *s, uint64_t member, fixed x, fixed y)
{
    node *n = born(w, s, KIND_NODE);
    if (!n)
        return NULL;
    *n = (node){
        .member = member,
        .x = clamp(x, SECTOR_WIDTH - 1),
        .y = clamp(y, SECTOR_HEIGHT),
    };
    judge(s, n);
    return n;
}

/* Follows only moves that are not much worse than staying, at most PLAN_DEPTH deep. */
static void expand(tarn_worker *w, sector *s, node *parent, int depth)
{
    static const int moves[MOVES][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    for (int i = 0; i < MOVES; i++) {
        node *child = create_node(w, s, parent->member, parent->x + moves[i][0] * PLAN_STRIDE,
                                  parent->y + moves[i][1] * PLAN_STRIDE);
        if (!child)
            return;
        child->next_sibling = parent->first_child;
        parent->first_child = child;
        if (depth + 1 < PLAN_DEPTH && child->own_score + PRUNE_MARGIN >= parent->own_score)
            expand(w, s, child, depth + 1);
        if (!parent->best_child || child->best_score > parent->best_score) {
            parent->best_child = child;
            parent->best_score = child->best_score;
        }
    }
}

static void search_plans(tarn_worker *w, sector *s)
{
    uint32_t power = s->world->power;
    for (uint32_t i = 0; i < PLANS_PER_POWER * power; i++) {
        uint64_t member = (uint64_t)random_between(&s->random, 0, MEMBERS - 1);
        fixed x = random_between(&s->random, 0, SECTOR_WIDTH - 1);
        fixed y = random_between(&s->random, 0, SECTOR_HEIGHT);
        node *root = create_node(w, s, member, x, y);
        if (!root)
            return;
        expand(w, s, root, 0);
        root->next_sibling = s->outbox[RIGHT].plans;
        s->outbox[RIGHT].plans = root;
    }
}

static void bury_tree(tarn_worker *w, sector *s, node *root)
{
    node *child = root->first_child;
    while (child) {
        node *next = child->next_sibling;
        bury_tree(w, s, child);
        child = next;
    }
    bury(w, s, KIND_NODE, root);
}

/* Buries the tree but for the best child's subtree, which is the plan from now on; NULL at the
 * end. */
static node *advance_plan(tarn_worker *w, sector *s, node *root)
{
    node *best = root->best_child;
    node *child = root->first_child;
    while (child) {
        node *next = child->next_sibling;
        if (child != best)
            bury_tree(w, s, child);
        child = next;
    }
    bury(w, s, KIND_NODE, root);
    if (best)
        best->next_sibling = NULL;
    return best;
}

static void follow_plans(tarn_worker *w, sector *s)
{
    roster *plans = &s->rosters[KIND_NODE];
    for (uint32_t i = 0; i < plans->count;) {
        node *root = plans->objects[i];
        place *member = &s->squad[root->member];
        *member = (place){root->x, root->y};
        plans->objects[i] = advance_plan(w, s, root);
        if (plans->objects[i]) {
            i++;
            continue;
        }
        roster_remove(plans, i);
        for (int shot = 0; shot < VOLLEY_SHOTS; shot++)
            fire(w, s, member->x, member->y, EMITTERS);
    }
}

static void take_plans(tarn_worker *w, sector *s, mail *from)
{
    node *root = from->plans;
    from->plans = NULL;
    while (root) {
        node *next = root->next_sibling;
        root->next_sibling = NULL;
        if (!keep(s, KIND_NODE, root))
            bury_tree(w, s, root);
        root = next;
    }
}

#endif
