#include "frame/gate.h"
#include "frame/objects.h"

typedef struct visitor {
    tarn_frame_visit_fn *visit;
    void *context;
    size_t visited;
    bool has_ended;
} visitor;

static void visit_lane(const tarn_objects *pool, uint64_t number, uint32_t lane, visitor *v)
{
    for (tarn_block *b = tarn_objects_block_(pool, number, lane); b && !v->has_ended; b = b->next) {
        char *end = tarn_objects_used_end_(pool, lane, b, number);
        for (char *o = tarn_objects_first_(pool, b); o < end && !v->has_ended;
             o += pool->hot.stride_bytes) {
            v->visited++;
            v->has_ended = !v->visit(v->context, o);
        }
    }
}

static bool can_read(const tarn_frame_pool *pool, uint64_t number)
{
    return pool && tarn_gate_is_readable_(tarn_objects_of_(pool)->frame, number);
}

size_t tarn_frame_pool_each(const tarn_frame_pool *pool, uint64_t frame, tarn_frame_visit_fn *visit,
                            void *context)
{
    visitor v = {visit, context, 0, false};
    if (!visit || !can_read(pool, frame))
        return 0;
    const tarn_objects *objects = tarn_objects_of_(pool);
    for (uint32_t lane = 0; lane < objects->frame->lanes_max && !v.has_ended; lane++)
        visit_lane(objects, frame, lane, &v);
    return v.visited;
}

size_t tarn_frame_pool_each_in(const tarn_frame_pool *pool, uint64_t frame, uint32_t lane,
                               tarn_frame_visit_fn *visit, void *context)
{
    visitor v = {visit, context, 0, false};
    if (visit && can_read(pool, frame) && lane < tarn_objects_of_(pool)->frame->lanes_max)
        visit_lane(tarn_objects_of_(pool), frame, lane, &v);
    return v.visited;
}

size_t tarn_frame_pool_count(const tarn_frame_pool *pool, uint64_t frame)
{
    size_t count = 0;
    if (!can_read(pool, frame))
        return 0;
    const tarn_objects *objects = tarn_objects_of_(pool);
    for (uint32_t lane = 0; lane < objects->frame->lanes_max; lane++)
        for (tarn_block *b = tarn_objects_block_(objects, frame, lane); b; b = b->next)
            count += (size_t)(tarn_objects_used_end_(objects, lane, b, frame) -
                              tarn_objects_first_(objects, b)) /
                     objects->hot.stride_bytes;
    return count;
}
