/* The end of a thread that used guest calls. */
#ifndef TARN_POOL_GUEST_H
#define TARN_POOL_GUEST_H

/* Leaves the thread's caches, and makes guest calls that come later still, from other destructors,
 * go to the pools' shared parts. The argument is unused. */
void tarn_guest_thread_ends_(void *unused);

#endif
