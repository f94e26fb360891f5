/* Agreement of a team's members: whether a step succeeded on all of them, and whether all were
 * given the same arguments. Every module calls these functions before its members rely on each
 * other. */
#pragma once

#include "team/collective_arguments.h"
#include "team/team.h"

#include <mpi.h>

/* Returns CW_OK if all members pass CW_OK. Collective: each member calls it when it has done what
 * it can do alone, also after a failure, so that no member waits for ever. It synchronizes like a
 * barrier. `mine` is the result on this member. If any member has failed, every member gets an
 * error. A member that has failed gets its own error; the others get that of the lowest rank that
 * has failed, with its message. */
CWI_CHECKED cw_error cwi_team_agree(cw_team team, cw_error mine);

/* Like cwi_team_agree, for a step that all members made together. A member on which MPI has failed
 * returns at once, because the others may still be in that step. */
CWI_CHECKED cw_error cwi_team_agree_step(cw_team team, cw_error mine);

/* Like cwi_team_agree, but the members also exchange data and compare arguments.
 *
 * `contribution` is the entry for the others; its status and call are set here. `all` [team size]
 * receives the entries of all members; it may be NULL. `same` lists the arguments that must be the
 * same on all members, and `key` of the contribution is their hash. If `same` is NULL, the key is
 * free for other use. A member that failed before it knew its arguments passes key 0. A member that
 * failed later, for example without memory, passes its key; its error is returned only if the
 * arguments of all are the same.
 *
 * Errors: as above, and CW_MISUSE with the argument and both values. */
CWI_CHECKED cw_error cwi_team_agree_on(cw_team team, cw_error mine,
                                       const struct cwi_entry *contribution,
                                       const struct cwi_argument *same, struct cwi_entry *all);

/* Like cwi_team_agree_on, for keys that are usually but not necessarily equal. Sets *alike to true
 * if the exchange shows that all members succeeded and all keys are equal; `all` is then unchanged.
 * Otherwise sets *alike to false. */
CWI_CHECKED cw_error cwi_team_agree_mostly(cw_team team, cw_error mine, uint64_t key, bool *alike,
                                           struct cwi_entry *all);

/* Like cwi_team_agree_step, for the ranks of a communicator that has no team yet. `most` may be
 * NULL; else *most becomes the largest value of all ranks. */
CWI_CHECKED cw_error cwi_agree(MPI_Comm comm, cw_error mine, uint64_t *most);
