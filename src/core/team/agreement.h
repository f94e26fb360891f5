/* How it went with all, and whether all were given the same: the members of a team tell each other.
 * Every room asks here, before its members rely on each other. */
#ifndef CWI_TEAM_AGREEMENT_H
#define CWI_TEAM_AGREEMENT_H

#include "team/collective_arguments.h"
#include "team/team.h"

#include <mpi.h>

/* Did all members succeed so far? Collective, where each has done what it can do alone: nobody
 * leaves the others waiting. mine: how it went here. Everybody waits for everybody. Errors, on
 * every member, once one has one: its own, or that of the lowest rank that has one, with its
 * sentence. */
CWI_CHECKED cw_error cwi_team_agree(cw_team team, cw_error mine);

/* The same of a step that all members made together. Whom MPI refused that takes no part: the
 * others may still be in it. */
CWI_CHECKED cw_error cwi_team_agree_step(cw_team team, cw_error mine);

/* cwi_team_agree, and members bring more. contribution: what the others are told, but for status
 * and call; all: [team size] receives what they bring, NULL: nobody asks. same: arguments that have
 * to be the same on all members, of which `key` is a hash; NULL: none, and the key is free. Who
 * failed before it knew them has the key 0; who failed later, for want of memory, gives it: the
 * others hear of that only if all were given the same. Errors: as above, and CW_MISUSE that names
 * the argument and both values. */
CWI_CHECKED cw_error cwi_team_agree_on(cw_team team, cw_error mine,
                                       const struct cwi_entry *contribution,
                                       const struct cwi_argument *same, struct cwi_entry *all);

/* cwi_team_agree_on of a key that is mostly the same on all members, and need not be. *alike: it
 * is, all is well, and `all` stays as it is: nobody has read what the others wrote. */
CWI_CHECKED cw_error cwi_team_agree_mostly(cw_team team, cw_error mine, uint64_t key, bool *alike,
                                           struct cwi_entry *all);

/* cwi_team_agree_step where there is no team yet: of all ranks of a communicator. most: a number,
 * of which everybody gets the largest; NULL: none. */
CWI_CHECKED cw_error cwi_agree(MPI_Comm comm, cw_error mine, uint64_t *most);
#endif
