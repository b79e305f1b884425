/* Bullets and the particles that they throw up. Part of simulate.h. */
#ifndef ENGINE_SIMULATE_BULLETS_H
#define ENGINE_SIMULATE_BULLETS_H

#include "world.h"

#include <string.h>

#define SHOTS_PER_POWER   1 /* of an emitter in a frame */
#define BULLET_AGE_FRAMES 90
#define TARGET_RADIUS     METRES(24)
#define SPARKS_PER_HIT    4
#define SPARKS_PER_DEATH  64
#define GRAVITY           METRES(1) / 16
#define CONTACTS_AT_FIRST 64

typedef enum fate { FATE_FLIES, FATE_IS_OLD, FATE_HITS, FATE_GOES_LEFT, FATE_GOES_RIGHT } fate;

typedef struct velocity {
    fixed x, y;
} velocity;

/* At most one draw per full expression, here and everywhere: C leaves the order within one open,
 * and compilers differ. */
static velocity random_velocity(sector *s, fixed side_max, fixed up_min, fixed up_max)
{
    velocity v;
    v.x = random_between(&s->random, -side_max, side_max);
    v.y = random_between(&s->random, up_min, up_max);
    return v;
}

static void fire(tarn_worker *w, sector *s, fixed x, fixed y, uint32_t shooter)
{
    bullet *b = born(w, s, KIND_BULLET);
    if (!b)
        return;
    velocity v = random_velocity(s, METRES(12), METRES(-4), METRES(4));
    *b = (bullet){
        .x = x,
        .y = y,
        .speed_x = v.x,
        .speed_y = v.y,
        .damage = (uint16_t)random_between(&s->random, 1, 5),
        .shooter = shooter,
    };
    if (!keep(s, KIND_BULLET, b))
        bury(w, s, KIND_BULLET, b);
}

static void fire_emitters(tarn_worker *w, sector *s)
{
    uint32_t power = s->world->power;
    for (uint32_t i = 0; i < EMITTERS; i++)
        for (uint32_t shot = 0; shot < SHOTS_PER_POWER * power; shot++)
            fire(w, s, s->emitters[i].x, s->emitters[i].y, i);
}

static void throw_sparks(tarn_worker *w, sector *s, fixed x, fixed y, int count)
{
    for (int i = 0; i < count; i++) {
        particle *p = born(w, s, KIND_PARTICLE);
        if (!p)
            return;
        velocity v = random_velocity(s, METRES(2), 0, METRES(4));
        *p = (particle){
            .x = x,
            .y = y,
            .speed_x = v.x,
            .speed_y = v.y,
            .life_frames = (uint16_t)random_between(&s->random, 15, 30),
            .colour = 0xFFFFC040,
        };
        if (!keep(s, KIND_PARTICLE, p))
            bury(w, s, KIND_PARTICLE, p);
    }
}

static void fade_particles(tarn_worker *w, sector *s)
{
    roster *particles = &s->rosters[KIND_PARTICLE];
    for (uint32_t i = 0; i < particles->count;) {
        particle *p = particles->objects[i];
        p->speed_y -= GRAVITY;
        p->x += p->speed_x;
        p->y += p->speed_y;
        p->colour -= 0x08000000; /* 30 frames take 240 of the 255 steps of alpha */
        if (++p->age_frames < p->life_frames) {
            i++;
            continue;
        }
        roster_remove(particles, i);
        bury(w, s, KIND_PARTICLE, p);
    }
}

/* Whether the bullet, inside the sector, meets the target of its column. */
static bool hits(const sector *s, const bullet *b)
{
    const target *t = &s->targets[b->x / COLUMN_WIDTH];
    return b->y >= t->y - TARGET_RADIUS && b->y <= t->y + TARGET_RADIUS;
}

static fate fly(sector *s, bullet *b)
{
    fixed *was = b->trail[b->age_frames % TRAIL_POINTS];
    was[0] = b->x;
    was[1] = b->y;
    b->x += b->speed_x;
    b->y += b->speed_y;
    if (b->y < 0 || b->y > SECTOR_HEIGHT)
        b->speed_y = -b->speed_y;
    if (++b->age_frames > BULLET_AGE_FRAMES)
        return FATE_IS_OLD;
    if (b->x < 0)
        return FATE_GOES_LEFT;
    if (b->x >= SECTOR_WIDTH)
        return FATE_GOES_RIGHT;
    return hits(s, b) ? FATE_HITS : FATE_FLIES;
}

static void send_bullet(sector *s, bullet *b, int side)
{
    b->x += side == LEFT ? SECTOR_WIDTH : -SECTOR_WIDTH;
    b->next_in_mail = s->outbox[side].bullets;
    s->outbox[side].bullets = b;
}

static bool grow_contacts(tarn_worker *w, sector *s)
{
    contacts *found = &s->found;
    uint32_t count_max = found->count_max > 0 ? 2 * found->count_max : CONTACTS_AT_FIRST;
    contact *all = world_contacts(w, s, count_max);
    if (!all)
        return false;
    if (found->count > 0)
        memcpy(all, found->all, found->count * sizeof *all);
    found->all = all;
    found->count_max = count_max;
    return true;
}

/* Without memory for the contact, the bullet ends without effect. */
static void add_contact(tarn_worker *w, sector *s, bullet *b)
{
    contacts *found = &s->found;
    if (found->count == found->count_max && !grow_contacts(w, s)) {
        s->refused++;
        retire(w, s, b);
        return;
    }
    found->all[found->count++] = (contact){b, (uint32_t)(b->x / COLUMN_WIDTH)};
    s->transients.contacts++;
}

static void move_bullets(tarn_worker *w, sector *s)
{
    s->found = (contacts){0};
    roster *bullets = &s->rosters[KIND_BULLET];
    for (uint32_t i = 0; i < bullets->count;) {
        bullet *b = bullets->objects[i];
        fate next = fly(s, b);
        if (next == FATE_FLIES) {
            i++;
            continue;
        }
        roster_remove(bullets, i);
        if (next == FATE_GOES_LEFT || next == FATE_GOES_RIGHT) {
            send_bullet(s, b, next == FATE_GOES_LEFT ? LEFT : RIGHT);
            continue;
        }
        if (next == FATE_HITS)
            add_contact(w, s, b);
        else
            retire(w, s, b);
    }
}

/* Another target takes its place. */
static void explode(tarn_worker *w, sector *s, uint32_t column)
{
    target *t = &s->targets[column];
    fixed x = COLUMN_WIDTH * (fixed)column + COLUMN_WIDTH / 2;
    throw_sparks(w, s, x, t->y, SPARKS_PER_DEATH);
    write_explosion(w, s, x, t->y);
    *t = (target){random_between(&s->random, 0, SECTOR_HEIGHT), 100};
}

/* The second of two steps, as a physics engine takes them: all contacts were found before any has
 * an effect, by another worker perhaps. */
static void collide_bullets(tarn_worker *w, sector *s)
{
    const contacts *found = &s->found;
    for (uint32_t i = 0; i < found->count; i++) {
        bullet *b = found->all[i].by;
        s->targets[found->all[i].column].health -= b->damage;
        throw_sparks(w, s, b->x, b->y, SPARKS_PER_HIT);
        retire(w, s, b);
    }
    for (uint32_t column = 0; column < TARGETS; column++)
        if (s->targets[column].health <= 0)
            explode(w, s, column);
}

static void take_bullets(tarn_worker *w, sector *s, mail *from)
{
    bullet *b = from->bullets;
    from->bullets = NULL;
    while (b) {
        bullet *next = b->next_in_mail;
        b->next_in_mail = NULL;
        if (!keep(s, KIND_BULLET, b))
            retire(w, s, b);
        b = next;
    }
}

#endif
