/* What read-modify-writes write. */
#ifndef TARN_MODEL_ARITHMETIC_H
#define TARN_MODEL_ARITHMETIC_H

#include "engine/memory.h"

static inline uint64_t apply(model_operation operation, uint64_t value, uint64_t operand)
{
    switch (operation) {
    case MODEL_EXCHANGE:
        return operand;
    case MODEL_ADD:
        return value + operand;
    case MODEL_SUBTRACT:
        return value - operand;
    case MODEL_AND:
        return value & operand;
    case MODEL_OR:
        return value | operand;
    case MODEL_XOR:
        return value ^ operand;
    }
    return value;
}

static inline uint64_t truncated(uint64_t value, uint32_t bytes)
{
    return bytes == 8 ? value : value & ((UINT64_C(1) << (8 * bytes)) - 1);
}

#endif
