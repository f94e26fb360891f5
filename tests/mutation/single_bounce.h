/* A broken collective: the bounce buffers of the team memory are one set, not two. */
#include "team/team_memory.h"

#define cwi_team_memory_bounce(memory, members, turn, rank)                                        \
  cwi_team_memory_bounce(memory, members, 0, rank)
