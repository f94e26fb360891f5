/* Creation of teams from others: with communicators of MPI, or without MPI in jobs that survive
 * failures.
 *
 * team_create.c     the calls that create teams
 * team_in_memory.c  creates teams without MPI
 * failure_calls.c   the calls of causeway/failure.h, which make teams of survivors */
#pragma once

#include "team/team.h"

/* Makes an inner team of the members with the same colour. It belongs to the team's hierarchy.
 * Collective over team; it may fail on some members only. */
CWI_CHECKED cw_error cwi_team_make_inner(cw_team team, int color, int key, cw_team *part);

/* Makes teams as cw_team_split and cw_team_create do, in jobs that survive failures. */
CWI_CHECKED cw_error cwi_team_split_in_memory(cw_team parent, int color, int key, cw_team *team);
CWI_CHECKED cw_error cwi_team_create_in_memory(cw_team parent, size_t members, const int *ranks,
                                               int tag, cw_team *team);
