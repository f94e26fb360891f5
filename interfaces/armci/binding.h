/* Functions that the files of the ARMCI binding share.
 *
 * armci_error.c   errors of ARMCI calls: a message, and the end of the job
 * armci_handle.c  non-blocking handles of ARMCI
 * domain.c        ARMCI's domains: one for each process, or one for each node
 * group.c         ARMCI's groups: teams behind handles that a program may copy
 * init.c          start and stop of ARMCI
 * layout.c        checks of the binary interface of ARMCI-MPI (LP64)
 * memory.c        ARMCI_Malloc and ARMCI_Free: regions that are looked up by address
 * message.c       messages, broadcasts and exchanges of message.h
 * mutex.c         ARMCI's mutexes: the default set, and the sets of armcix.h
 * reduce.c        reductions of message.h: sums, extremes, selections
 * rmw.c           ARMCI_Rmw
 * shape.c         converts ARMCI's strided and vector arguments to transfers of causeway.h
 * sync.c          barrier, fences, and access to a process's own memory
 * transfer.c      put, get and accumulate of all shapes, blocking and non-blocking
 * value.c         transfers of one value */
#pragma once

#include "armci.h"
#include "armcix.h"
#include "base/error.h"
#include "base/reword.h"
#include "wait/wait_report.h"

#include <causeway.h>

#include <stdbool.h>

/* Defines the ARMCI_ name of a call as a weak alias of its PARMCI_ twin. A tool may then define the
 * ARMCI_ name itself and call the twin. The library itself calls no weak name. */
#define CWI_WEAK_NAME(name, twin) extern __typeof__(twin) name __attribute__((weak, alias(#twin)))
#define CWI_TWIN(name) CWI_WEAK_NAME(name, P##name)

/* Returns 0 if there is no error. Otherwise it prints the error message with the name of the ARMCI
 * call, and ends the job. */
#define CWI_ARMCI(error) cwi_armci_result(__func__, (error))
int cwi_armci_fail(const char *call, cw_error error);

static inline int cwi_armci_result(const char *call, cw_error error)
{
  return CWI_LIKELY(error == CW_OK) ? 0 : cwi_armci_fail(call, error);
}

/* Like CWI_ARMCI, for calls that may wait long for other processes: a report of a long wait names
 * this call. */
#define CWI_ARMCI_WAITS(error)                                                                     \
  (cwi_armci_enter(__func__), cwi_armci_leave(cwi_armci_result(__func__, (error))))

/* Returns the name of the call as users know it: without the P of the twin. */
static inline const char *cwi_armci_name(const char *call)
{
  return call[0] == 'P' || call[0] == 'p' ? call + 1 : call;
}

static inline void cwi_armci_enter(const char *call)
{
  cwi_waiting = (struct cwi_waiting){.call = cwi_armci_name(call)};
}

static inline int cwi_armci_leave(int result)
{
  cwi_waiting_leave();
  return result;
}

/* cwi_armci_running returns CW_OK if Causeway runs, which is enough for most calls.
 * cwi_armci_not_running returns the error of a call that needs ARMCI_Init. */
CWI_CHECKED cw_error cwi_armci_running(void);
CWI_CHECKED cw_error cwi_armci_not_running(void);

/* Returns an error if `process` is not a rank of the world. `what` names the argument in the
 * message. */
CWI_CHECKED cw_error cwi_armci_process(const char *what, int process);

/* Replaces the argument names of the native call in an error message by those of the ARMCI call.
 * `names` has the form "remote is prem, process is proc". */
static inline cw_error cwi_armci_known_as(cw_error error, const char *names)
{
  return CWI_LIKELY(error == CW_OK) ? CW_OK : cwi_reword(error, names);
}

/* Handles: armci_handle.c. Returns the native handle that has the bits of *hdl. If *hdl was never
 * initialised, the result is an empty handle, as with ARMCI-MPI. */
cw_handle cwi_armci_native_handle(const armci_hdl_t *hdl);

/* Groups: group.c. Returns the team of a group. Returns NULL if `group` is NULL, the group was
 * freed or never made, or this process is not a member. */
cw_team cwi_armci_team(const ARMCI_Group *group);

/* Stores the team of a group in *team. Returns an error if there is none. */
CWI_CHECKED cw_error cwi_armci_member(const char *what, const ARMCI_Group *group, cw_team *team);
ARMCI_Group cwi_armci_default_group(void);
CWI_CHECKED cw_error cwi_armci_groups_start(void);
void cwi_armci_groups_stop(void);

/* Stores in *team the team of those members of the group that the scope covers. If `group` is NULL,
 * the world is used. *team is NULL if the scope does not cover this process. The first call creates
 * the team. */
CWI_CHECKED cw_error cwi_armci_scope(const ARMCI_Group *group, int scope, cw_team *team);

/* Messages: message.c. */
CWI_CHECKED cw_error cwi_armci_messages_start(void);
CWI_CHECKED cw_error cwi_armci_messages_stop(void);

/* Domains: domain.c. Process p is in domain p / size. */
void cwi_armci_domains_start(void);
int cwi_armci_domain_size(void);
int cwi_armci_domain_of(int process);
CWI_CHECKED cw_error cwi_armci_check_scope(int scope);

void cwi_armci_mutexes_stop(void);
