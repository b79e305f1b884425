/* What libFuzzer calls. */
#include "fuzz_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    fuzz_run(bytes, count);
    return 0;
}
