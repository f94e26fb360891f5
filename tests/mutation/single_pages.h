/* A broken collective: the memory's pages are one set, not two. */
#include "team/memory.h"

#define cwi_team_memory_page(memory, members, turn, rank)                                          \
  cwi_team_memory_page(memory, members, 0, rank)
