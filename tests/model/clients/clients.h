/* All clients, and what each run of the tests does with them. */
#ifndef TARN_MODEL_CLIENTS_H
#define TARN_MODEL_CLIENTS_H

#include "engine/search.h"

typedef enum client_kind {
    CLIENT_LOCK_FREE,   /* a thread may stop for ever, and the others finish all the same */
    CLIENT_FIRST_STOPS, /* thread 1 may stop for ever, and the others finish all the same */
    CLIENT_LOCKING,     /* documented to wait: growth, a thread's first guest call and its end */
    CLIENT_WRAPS        /* its tag is too narrow: a failure must be found */
} client_kind;

typedef struct client_entry {
    model_client model;
    client_kind kind;
} client_entry;

typedef struct client_list {
    const client_entry *clients;
    uint32_t count;
} client_list;

client_list stack_clients(void);
client_list depot_clients(void);
client_list cache_clients(void);
client_list sharing_clients(void);
client_list lifetime_clients(void);
client_list limit_clients(void);
client_list checked_clients(void);
client_list life_clients(void);
client_list handle_clients(void);
client_list space_clients(void);
client_list trim_clients(void);
client_list frame_clients(void);
client_list lane_clients(void);
client_list deferred_clients(void);
client_list release_clients(void);
client_list deque_clients(void);
client_list group_clients(void);
client_list idle_clients(void);

#define CLIENT_LIST(array) ((client_list){(array), (uint32_t)(sizeof(array) / sizeof(array)[0])})

#endif
