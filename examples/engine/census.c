/* Counts and hashes what is alive. The order of the rosters is part of the hash: two worlds agree
 * only if they did the same things in the same order. Addresses are not. */
#include "world.h"

static void hash(census *c, uint64_t value)
{
    c->checksum = random_mix(c->checksum + value) + 1;
}

static void hash_pair(census *c, int32_t first, int32_t second)
{
    hash(c, (uint64_t)(uint32_t)first << 32 | (uint32_t)second);
}

static void visit_bullet(census *c, const bullet *b)
{
    c->live[KIND_BULLET]++;
    hash_pair(c, b->x, b->y);
    hash_pair(c, b->speed_x, b->speed_y);
    hash_pair(c, b->age_frames, b->damage);
    hash(c, b->shooter);
    for (int i = 0; i < TRAIL_POINTS; i++)
        hash_pair(c, b->trail[i][0], b->trail[i][1]);
}

static void visit_particle(census *c, const particle *p)
{
    c->live[KIND_PARTICLE]++;
    hash_pair(c, p->x, p->y);
    hash_pair(c, p->speed_x, p->speed_y);
    hash_pair(c, p->age_frames, p->life_frames);
    hash(c, p->colour);
}

/* As deep as the search went, which is a handful. */
static void visit_tree(census *c, const node *root)
{
    c->live[KIND_NODE]++;
    hash(c, root->member);
    hash_pair(c, root->x, root->y);
    hash_pair(c, root->own_score, root->best_score);
    for (int i = 0; i < THREATS; i++)
        hash(c, (uint32_t)root->threats[i]);
    for (const node *child = root->first_child; child; child = child->next_sibling)
        visit_tree(c, child);
}

static void visit_sector(census *c, const sector *s)
{
    const roster *rosters = s->rosters;
    for (uint32_t i = 0; i < rosters[KIND_BULLET].count; i++)
        visit_bullet(c, rosters[KIND_BULLET].objects[i]);
    for (uint32_t i = 0; i < rosters[KIND_PARTICLE].count; i++)
        visit_particle(c, rosters[KIND_PARTICLE].objects[i]);
    for (uint32_t i = 0; i < rosters[KIND_NODE].count; i++)
        visit_tree(c, rosters[KIND_NODE].objects[i]);
    for (int i = 0; i < TARGETS; i++)
        hash_pair(c, s->targets[i].y, s->targets[i].health);
    for (int i = 0; i < MEMBERS; i++)
        hash_pair(c, s->squad[i].x, s->squad[i].y);
    hash(c, s->random);
}

census world_take_census(const world *counted)
{
    census c = {.checksum = counted->options->seed};
    for (uint32_t i = 0; i < counted->sectors_count; i++)
        visit_sector(&c, &counted->sectors[i]);
    for (kind which = 0; which < KIND_COUNT; which++) {
        for (uint32_t i = 0; i < counted->sectors_count; i++) {
            hash(&c, counted->sectors[i].born[which]);
            hash(&c, counted->sectors[i].died[which]);
        }
    }
    return c;
}
