/* Memory as a pool gets it from the model: committed page by page. Committing a page is a write to
 * all of it: whoever uses the page has to know of that. So is giving it back: whoever used it must
 * have been done with it. What is committed is zero. */
#ifndef TARN_MODEL_PAGES_H
#define TARN_MODEL_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void pages_clear(void);
void pages_begin_run(void);

/* Fails the run when a part of the arena is used that is not committed, as far as the running
 * thread can know. */
void pages_check(const void *address, size_t bytes);

/* Lets commits in the present run fail from the count-th on, counted from 1; 0: none. */
void pages_fail_commits(uint32_t from);

/* Each look at the clock moves it on by so much; 0: time stands still. */
void pages_let_time_pass(uint64_t step_ns);

/* Whether this is a thread-local variable, which rename.h has made an ordinary one. */
bool pages_is_thread_local(const void *address);

#endif
