/* One line per client in the tables. */
#ifndef TARN_MODEL_CLIENTS_ENTRY_H
#define TARN_MODEL_CLIENTS_ENTRY_H

#include "clients/clients.h"
#include "clients/ledger.h"

/* name, kind, what sets up, what checks, then a body for each thread. */
#define CLIENT_ENTRY(name, kind, set_up, check, ...)                   \
    {                                                                  \
        {name,                                                         \
         set_up,                                                       \
         {__VA_ARGS__},                                                \
         sizeof((model_body *[]){__VA_ARGS__}) / sizeof(model_body *), \
         ledger_begin_run,                                             \
         check},                                                       \
            kind                                                       \
    }

#endif
