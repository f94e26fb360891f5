/* Causeway: fence, barrier, notification, mutexes.
 *
 * Thread level of all calls: any, unless one says otherwise. */
#ifndef CAUSEWAY_SYNC_H
#define CAUSEWAY_SYNC_H

#include <causeway/error.h>
#include <causeway/team.h>
#include <causeway/transfer.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Waits until all puts and accumulates that I have issued to `process` (world rank) are visible
 * there, to its plain loads and to the gets of all processes. This covers operations on handles,
 * too. Local. Costs nothing when nothing is outstanding. Errors: CW_MISUSE (process out of range;
 * updates of this process failed at the target. The thread that issued them always gets this error,
 * even if another one fences first or at the same time; other threads with outstanding updates
 * there may get it, too), CW_OUTSIDE. */
CW_CHECKED cw_error cw_fence(int process);

/* Fences like cw_fence, for all processes. Local. Errors: as cw_fence. */
CW_CHECKED cw_error cw_fence_all(void);

/* Fences to all processes, then waits for all processes of the team. The effects of all operations
 * before the barrier are visible after it, also to loads and stores. Collective over team. Errors:
 * CW_MISUSE, CW_OUTSIDE. If an earlier operation of mine failed, the call returns its error; the
 * barrier completes nevertheless. */
CW_CHECKED cw_error cw_barrier(cw_team team);

/* Notifies a process that data has arrived: adds `value` to the counter `remote` in its memory when
 * all puts and accumulates that I have issued to it before are visible there. The call does not
 * wait for that.
 *
 * remote: address of an aligned 8-byte number in a slice of the process (world rank); update it
 * with cw_notify and the calls of causeway/atomic.h only. Local. Errors: CW_MISUSE (process,
 * address), CW_OUTSIDE. */
CW_CHECKED cw_error cw_notify(int64_t *remote, int64_t value, int process);

/* Waits until a counter in my own memory has reached `least`; value (may be NULL) receives its
 * value then. Communication progresses meanwhile. Local. Errors: CW_MISUSE (NULL). */
CW_CHECKED cw_error cw_notify_wait(const int64_t *counter, int64_t least, int64_t *value);

/* Comparisons of a counter with a value. In a request, CW_CHANGED holds when the counter differs
 * from its value when the request was made; elsewhere it is the same as CW_NOT_EQUAL. */
typedef enum cw_comparison {
  CW_AT_LEAST = 0,
  CW_EQUAL = 1, /* a counter may pass a value before it is read */
  CW_NOT_EQUAL = 2,
  CW_CHANGED = 3
} cw_comparison;

/* cw_notify_test tests a counter in my own memory that others increment with cw_notify.
 * cw_notify_reset sets it to 0.
 *
 * counter: as for cw_notify_wait. holds: receives true if the comparison with `value` holds, else
 * false. now: receives the counter's value; may be NULL. before: receives its old value; may be
 * NULL. MPI progresses. Local. Complete on return: no notification is lost between the old value
 * and 0. Errors: CW_MISUSE (counter, comparison, NULL), CW_OUTSIDE. */
CW_CHECKED cw_error cw_notify_test(const int64_t *counter, cw_comparison comparison, int64_t value,
                                   bool *holds, int64_t *now);
CW_CHECKED cw_error cw_notify_reset(int64_t *counter, int64_t *before);

/* A set of notification counters: each member of a team has some of its own, which all processes
 * may increment, and for which only this member waits. */
typedef struct cwi_notifications *cw_notifications;

/* Makes a set with `count` counters of mine (0 is legal). All counters are 0.
 *
 * Collective over team. Complete on return: every member may notify the others. Errors, on every
 * member: CW_MISUSE (count), CW_OUTSIDE (memory). */
CW_CHECKED cw_error cw_notifications_create(cw_team team, size_t count,
                                            cw_notifications *notifications);

/* Frees the set and clears the handle. From now on requests on it fail with CW_MISUSE. Collective
 * over its team, synchronising. Errors: CW_MISUSE (not a living set), CW_OUTSIDE. If the members
 * could not synchronise, the set is not freed. */
CW_CHECKED cw_error cw_notifications_free(cw_notifications *notifications);

/* Puts contiguous memory, and adds 1 to a counter of the process when the data, and the operations
 * that I have issued to it before, are visible there. Short data and the notification are one
 * message.
 *
 * local, remote, process (world rank): as for cw_put. With 0 bytes it is a notification alone.
 * number: of the counter.
 * Local. Complete on return: the local buffer may be reused. Errors: CW_MISUSE (no set, process not
 * a member, number; as cw_put), CW_OUTSIDE. */
CW_CHECKED cw_error cw_put_notify(const void *local, void *remote, size_t bytes, int process,
                                  cw_notifications notifications, size_t number);

/* Reads a counter of this process, or sets it to 0.
 *
 * number: of the counter. value: receives its value. before: receives its old value; may be NULL.
 * Reset loses no notification. Local. Complete on return. Errors: CW_MISUSE (no set, number, NULL),
 * CW_OUTSIDE. */
CW_CHECKED cw_error cw_notification_read(cw_notifications notifications, size_t number,
                                         int64_t *value);
CW_CHECKED cw_error cw_notification_reset(cw_notifications notifications, size_t number,
                                          int64_t *before);

/* Waits until the comparison of counter `number` of this process with `value` holds. With
 * CW_CHANGED it waits until the counter differs from its present value, and ignores `value`.
 *
 * now: receives the counter's value; may be NULL. Communication progresses meanwhile.
 * Local. Complete on return: all data that was put before the notification has arrived. Errors:
 * CW_MISUSE (no set, number, comparison; the set is freed meanwhile), CW_FAILED (a member of the
 * set's team has failed, and the comparison does not hold). Like cw_notify_wait, after GASPI's
 * gaspi_notify_waitsome. */
CW_CHECKED cw_error cw_notification_wait(cw_notifications notifications, size_t number,
                                         cw_comparison comparison, int64_t value, int64_t *now);

/* Makes a request that completes when the comparison of counter `number` of this process with
 * `value` holds. Wait for it or test it like any other handle, alone or among several.
 *
 * handle: receives the request, in addition to those it already names. It stays empty if the
 * comparison already holds. cw_wait_all and fences do not wait for it; other threads may wait for
 * the same counter. Local. Errors: CW_MISUSE (no set, number, comparison, handle NULL), CW_OUTSIDE
 * (memory).
 */
CW_CHECKED cw_error cw_notification_request(cw_notifications notifications, size_t number,
                                            cw_comparison comparison, int64_t value,
                                            cw_handle *handle);

/* A set of mutexes, hosted by the members of a team. */
typedef struct cwi_mutexes *cw_mutexes;

/* Makes mutexes: `count` of them hosted by me (0 is legal).
 *
 * Collective over team. A mutex is named by its number and the world rank of the process that hosts
 * it. Complete on return: every member may lock them. Errors, on every member: CW_OUTSIDE (memory,
 * MPI; more than 4096 mutexes in a team on several nodes of a job that survives failures). */
CW_CHECKED cw_error cw_mutexes_create(cw_team team, size_t count, cw_mutexes *mutexes);

/* Frees the set and clears the handle. Collective over its team. Errors, on every member: CW_MISUSE
 * when one of them still holds a mutex (the set and its handle stay). */
CW_CHECKED cw_error cw_mutexes_free(cw_mutexes *mutexes);

/* Lock and unlock mutex `number` of `process` (world rank). Processes get the mutex first come,
 * first served (between nodes without servers in turn, by rank); the hosting process takes no part.
 * The mutex is not recursive. Unlock first completes my operations at every target, so that the
 * next holder sees them. Local. Errors: CW_MISUSE (no such mutex; already locked by me; unlock
 * without holding it). If an earlier operation of mine failed, unlock returns its error, as
 * cw_fence does; the mutex is unlocked nevertheless. In a job that survives failures
 * (causeway/failure.h), lock returns CW_FAILED if the holder has failed: I then hold the mutex, and
 * what it guards may be half changed. */
CW_CHECKED cw_error cw_mutex_lock(cw_mutexes mutexes, size_t number, int process);
CW_CHECKED cw_error cw_mutex_unlock(cw_mutexes mutexes, size_t number, int process);

/* Locks the mutex if it is free (process: world rank); acquired: receives true if I hold the mutex
 * now, else false. Between nodes without servers each try takes time from the holder; there a try
 * soon after failed tries first waits, for at most 50 ms. Local. Errors as lock. */
CW_CHECKED cw_error cw_mutex_trylock(cw_mutexes mutexes, size_t number, int process,
                                     bool *acquired);

#ifdef __cplusplus
}
#endif
#endif
