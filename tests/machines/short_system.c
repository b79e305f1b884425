#include "short.h"

#include "base/os.h"
#include "base/size.h"
#include "base/thread.h"

#include <string.h>

static bool is_filled(const char *bytes, size_t count, char with)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != with)
            return false;
    return true;
}

/* Takes eight pages at that alignment, and uses a part of them at a time. */
static void check_memory(const tarn_memory *os, size_t alignment)
{
    size_t page = os->page_bytes;
    char *start = os->reserve(os->context, 8 * page, alignment);
    CHECK(start && ((uintptr_t)start & (alignment - 1)) == 0);
    if (!start)
        return;
    CHECK(os->commit(os->context, start + page, 2 * page));
    CHECK(os->commit(os->context, start + 3 * page, page));
    CHECK(is_filled(start + page, 3 * page, 0));
    memset(start + page, 0x5A, 3 * page);
    CHECK(is_filled(start + page, 3 * page, 0x5A));
    os->decommit(os->context, start + page, 2 * page);
    CHECK(os->commit(os->context, start + page, 2 * page));
    CHECK(is_filled(start + page, 2 * page, 0));
    CHECK(is_filled(start + 3 * page, page, 0x5A));
    os->release(os->context, start, 8 * page);
}

static int give_id(void *argument)
{
    *(uint32_t *)argument = tarn_os_thread_id();
    return 7;
}

static void check_thread_ids(void)
{
    uint32_t id = 0;
    tarn_thread thread;
    CHECK(tarn_os_thread_id() != 0 && tarn_os_thread_id() == tarn_os_thread_id());
    CHECK(tarn_thread_create(&thread, give_id, &id));
    CHECK(tarn_thread_join(thread) == 7);
    CHECK(id != 0 && id != tarn_os_thread_id());
}

void short_system(void)
{
    tarn_memory os = tarn_os_memory();
    CHECK(tarn_is_power_of_two(os.page_bytes) && os.page_bytes >= 4096);
    for (size_t alignment = os.page_bytes; alignment <= (size_t)4 << 20; alignment *= 2)
        check_memory(&os, alignment);
    CHECK(os.reserve(os.context, SIZE_MAX & ~(os.page_bytes - 1), os.page_bytes) == NULL);
    check_thread_ids();
}
