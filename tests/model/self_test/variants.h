/* Small programs that are broken in one way each, and right ones beside them: the checker has to
 * tell them apart, or its silence about the library means nothing. */
#ifndef TARN_MODEL_VARIANTS_H
#define TARN_MODEL_VARIANTS_H

#include "engine/search.h"

typedef struct variant_case {
    model_client model;
    const char *expected; /* a part of the failure's text; NULL: the program is right */
    bool stops;           /* is judged with threads that stop for ever */
} variant_case;

typedef struct variant_list {
    const variant_case *variants;
    uint32_t count;
} variant_list;

variant_list stack_variants(void);
variant_list order_variants(void);
variant_list system_variants(void);
variant_list lives_variants(void);
variant_list deque_variants(void);

#define VARIANT_LIST(array) ((variant_list){(array), (uint32_t)(sizeof(array) / sizeof(array)[0])})

/* name, what is expected, what sets up, what checks, then a body for each thread. */
#define VARIANT(name, expected, set_up, check, ...)                    \
    {                                                                  \
        {name,                                                         \
         set_up,                                                       \
         {__VA_ARGS__},                                                \
         sizeof((model_body *[]){__VA_ARGS__}) / sizeof(model_body *), \
         ledger_begin_run,                                             \
         check},                                                       \
            expected, false                                            \
    }
#define VARIANT_STOPS(name, expected, set_up, check, ...)              \
    {                                                                  \
        {name,                                                         \
         set_up,                                                       \
         {__VA_ARGS__},                                                \
         sizeof((model_body *[]){__VA_ARGS__}) / sizeof(model_body *), \
         ledger_begin_run,                                             \
         check},                                                       \
            expected, true                                             \
    }

#endif
