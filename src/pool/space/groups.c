#include "pool/space/groups.h"

bool tarn_groups_is_trimmed_(const tarn_pool *pool, uint64_t slot)
{
    (void)pool;
    (void)slot;
    return false;
}

void tarn_groups_clear_(tarn_pool *pool)
{
    (void)pool;
}
