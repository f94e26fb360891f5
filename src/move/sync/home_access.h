/* Access to the home of teams on several nodes (team/home.h), by Causeway's own transfers. */
#pragma once

#include "base/error.h"
#include "team/team.h"

#include <stddef.h>

/* Allocates the home's memory, and buffers of each process for collectives. Does nothing in jobs
 * that have no home. Collective over the world. cwi_home_access_begin makes the world use it; it is
 * called after all servers have been started. Local. */
CWI_CHECKED cw_error cwi_home_access_start(void);
void cwi_home_access_begin(void);

/* Ends the use of the home if no process has failed. Its memory is then freed like all regions.
 * Collective over the world. */
CWI_CHECKED cw_error cwi_home_access_stop(void);

/* Ends the use of the home after a failure. The home waits for the others. Called by all survivors.
 */
void cwi_home_access_leave(void);

/* Forgets the home after a start that failed. Local. */
void cwi_home_access_forget(void);

/* Returns the address of a member's buffer of CWI_HOME_BUFFER bytes for the collectives of a team,
 * at meeting `number` of the team. It is valid until the second meeting after that one. */
enum { CWI_HOME_BUFFER = 16384 };
char *cwi_home_buffer(cw_team team, unsigned number, int rank);

/* Such a buffer for step `number` of the team's nonblocking collectives (team/survivors.h). */
char *cwi_home_step_buffer(cw_team team, unsigned number, int rank);

/* Waits until the servers of all nodes know that a process has failed. They then execute no more
 * requests of it. Does nothing in jobs that have no home. Local. */
void cwi_home_await_servers(int failed);
