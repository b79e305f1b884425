#include "model.h"

#include "base/thread.h"

typedef struct visit {
    model *model;
    uint32_t allocs, frees;
} visit;

/* The caller waits, so that the model is this thread's alone. */
static int visit_main(void *argument)
{
    visit *v = argument;
    for (uint32_t i = 0; i < v->allocs; i++)
        model_alloc(v->model, MODEL_GUEST);
    for (uint32_t i = 0; i < v->frees; i++)
        model_free(v->model, MODEL_GUEST, i);
    return 0;
}

void model_visit(model *m, uint32_t allocs, uint32_t frees)
{
    visit v = {m, allocs, frees};
    tarn_thread thread;
    FUZZ_CHECK(tarn_thread_create(&thread, visit_main, &v));
    FUZZ_CHECK(tarn_thread_join(thread) == 0);
}
