#include "frame/plan.h"

#include "base/os.h"
#include "base/size.h"
#include "frame/state.h"
#include "pool/checks.h"

#ifdef TARN_CHECKED
#define CHECKED_BY_DEFAULT true
#else
#define CHECKED_BY_DEFAULT false
#endif

#define BLOCK_BYTES     ((size_t)64 << 10)
#define LANES           64u
#define DEFERRED        ((size_t)1 << 20)
#define MEMORY_BYTES    ((size_t)(sizeof(void *) > 4 ? 1024u : 64u) << 20)
#define BLOCK_GRANULE   ((size_t)4096)
#define NOT_SET(option) ((option) == 0)

static void set_defaults(tarn_frame_options *options)
{
    if (!options->name)
        options->name = "frame";
    if (NOT_SET(options->frames_in_flight))
        options->frames_in_flight = 1;
    if (NOT_SET(options->lanes_max))
        options->lanes_max = LANES;
    if (NOT_SET(options->block_bytes))
        options->block_bytes = BLOCK_BYTES;
    if (NOT_SET(options->memory_bytes_max))
        options->memory_bytes_max = MEMORY_BYTES;
    if (NOT_SET(options->memory_bytes))
        options->memory_bytes = options->block_bytes;
    if (NOT_SET(options->deferred_max))
        options->deferred_max = DEFERRED;
}

static bool is_memory_valid(const tarn_memory *memory)
{
    return tarn_is_power_of_two(memory->page_bytes) && memory->page_bytes >= 4096 &&
           memory->page_bytes <= (size_t)1 << 21 && memory->reserve && memory->commit &&
           memory->decommit && memory->release;
}

static bool are_options_valid(const tarn_frame_options *options)
{
    return options->frames_in_flight <= TARN_FRAMES_IN_FLIGHT_MAX &&
           options->lanes_max <= TARN_LANES_MAX && options->block_bytes % BLOCK_GRANULE == 0 &&
           options->block_bytes >= TARN_FRAME_BLOCK_BYTES_MIN &&
           options->block_bytes <= TARN_FRAME_BLOCK_BYTES_MAX &&
           options->memory_bytes_max >= options->block_bytes &&
           options->memory_bytes <= options->memory_bytes_max &&
           options->retention <= TARN_RETAIN_LIMIT && options->deferred_max < UINT32_MAX;
}

static bool lay_out(tarn_frame_plan *plan)
{
    size_t lanes = (size_t)plan->options.lanes_max + 1; /* and the host's: see state.h */
    size_t links = lanes * (2 * (size_t)plan->options.frames_in_flight + 1) + 1;
    size_t bytes;
    return tarn_size_round_up(sizeof(tarn_frame), TARN_LINE_BYTES, &plan->lanes_offset_bytes) &&
           tarn_size_multiply(lanes, sizeof(tarn_lane_state), &bytes) &&
           tarn_size_add(plan->lanes_offset_bytes, bytes, &plan->links_offset_bytes) &&
           tarn_size_add(plan->links_offset_bytes, links * sizeof(tarn_u32), &bytes) &&
           tarn_size_round_up(bytes, plan->memory.page_bytes, &plan->reserved_bytes);
}

tarn_status tarn_frame_plan_(const tarn_frame_options *options, tarn_frame_plan *plan)
{
    *plan = (tarn_frame_plan){.options = *options};
    plan->memory = options->memory ? *options->memory : tarn_os_memory();
    if (plan->memory.page_bytes == 0)
        plan->memory.page_bytes = 4096;
    set_defaults(&plan->options);
    if (!is_memory_valid(&plan->memory) || !are_options_valid(&plan->options))
        return TARN_ERROR_INVALID;
    tarn_check_options unused = {0};
    plan->is_checked = options->checked || CHECKED_BY_DEFAULT;
    plan->is_checked |= tarn_checks_asked_for_("frame", plan->options.name, &unused);
    return lay_out(plan) ? TARN_OK : TARN_ERROR_TOO_LARGE;
}
