/* A broken collective: the team memory has one set of bounce buffers instead of two. */
#include "team/team_memory.h"

#define cwi_team_memory_bounce(memory, members, number, rank)                                      \
  cwi_team_memory_bounce(memory, members, 0, rank)
