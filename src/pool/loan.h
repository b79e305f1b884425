/* Each slot of a watched pool, from the host's side: handed out or not, by whom, and what its bytes
 * must look like meanwhile.
 *
 *                    begin                      end
 *   NEVER, RETURNED  ------->  LENT             ------->  RETURNED
 *
 * Of two threads that end one loan at the same time, one changes the word and the other is
 * reported. While a slot is not lent, its memory is the checks': they may have written to it. */
#ifndef TARN_POOL_LOAN_H
#define TARN_POOL_LOAN_H

#include "pool/state.h"

/* Values of tarn_loan.state. */
#define TARN_LOAN_NEVER    0u
#define TARN_LOAN_LENT     1u
#define TARN_LOAN_RETURNED 2u

struct tarn_loan {
    tarn_u32 state;
    tarn_u64 alloc_site, free_site; /* the addresses of their texts */
};

/* The object goes to the host. */
void tarn_loan_begin_(tarn_pool *pool, void *object, const char *site);

/* The object comes back. False, reported, and nothing done when it is not lent. */
bool tarn_loan_end_(tarn_pool *pool, void *object, const char *site);

/* Reports an end as loan_end does when the object is not lent. */
void tarn_loan_refuse_end_(tarn_pool *pool, void *object, const char *site);

/* Looks for damage in a slot whose memory goes back to the system, and forgets that it was ever
 * lent. */
void tarn_loan_forget_(tarn_pool *pool, uint64_t slot);

/* Ends all loans: for clear. */
void tarn_loan_end_all_(tarn_pool *pool);

/* Slots that were lent at any time lie below this one. No other use of the pool may overlap. */
uint64_t tarn_loan_slots_used_(const tarn_pool *pool);

/* Looks for damage in all that was returned. No other use of the pool may overlap. */
void tarn_loan_inspect_all_(tarn_pool *pool);

const char *tarn_loan_site_(const tarn_u64 *site);

#endif
