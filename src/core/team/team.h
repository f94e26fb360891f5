/* Teams, as the inside sees them.
 *
 * team.c        making and freeing them
 * world.c       the world team and its nodes
 * world_places.c      where processes are: nodes, machines, servers
 * team_memory.c      barriers of a node, in shared memory
 * team_exchange.c    exchange and barrier of any team
 * agreement.c       whether a step succeeded on all members, and what differs
 * collective_arguments.c      arguments of collective calls as words, for that
 * collective_check.c  the frame of collective calls; comparing them (CW_CHECK=1)
 * settings_agreement.c    whether all processes have the same settings */
#ifndef CWI_TEAM_TEAM_H
#define CWI_TEAM_TEAM_H

#include "base/error.h"
#include "team/team_memory.h"

#include <causeway/team.h>

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* The nodes of a team whose members do not all share memory: src/move/collective makes this when it
 * first needs it, and it ends with the team. Rank r of the leaders is the leader of node r. */
struct cwi_hierarchy {
  cw_team node;    /* the members on my node; NULL: I am the only one */
  cw_team leaders; /* the lowest rank of each node; NULL: I am none. The team itself, if all are */
  int nodes;
  int *node_of; /* [size] rank -> node */
  int *packed;  /* [size] ranks, node by node */
  int *first;   /* [nodes + 1] where in that order a node begins */
};

struct cwi_team {
  MPI_Comm comm;     /* the program's; an inner team has none */
  MPI_Comm internal; /* ours, which no program sees; it returns errors */
  int rank, size;
  int *process;    /* [size] rank -> process */
  int *by_process; /* [size] ranks, sorted by process */
  int references;  /* the handle, plus one for each region and mutex set */
  bool freed;      /* by the program: lives on inside */
  bool inner;      /* never was the program's: ends with another team */
  uint64_t id;     /* the same on all members, unlike that of any other living team */
  uint32_t regions_made, regions_alive;
  bool shared;                    /* all members reach each other by load and store */
  struct cwi_team_memory *memory; /* in shared memory; only if shared */
  char *
      wide; /* larger bounce buffers: see src/core/region/team_memory_allocation.h; NULL: not yet */
  unsigned meetings;  /* so far, of all kinds; in shared memory their parity chooses the entries and
                         the bounce buffers */
  const char *marked; /* the call of which `mark` is a hash */
  uint64_t mark;
  struct cwi_entry *entries; /* [size] of teams larger than CWI_TEAM_SMALL: room to exchange */
  unsigned rows_apart; /* so many long reductions from now on nobody asks where the numbers lie */
  int awaits; /* process from which a message is awaited now, for the report of long waits; or -1 */
  struct cwi_chunk *chunks;        /* src/core/memory: window memory of the team */
  struct cwi_hierarchy *hierarchy; /* NULL: not needed yet */
  uint64_t epochs;                 /* src/data/matrix: a bit for each AXPY epoch that is open */
  unsigned last_epoch;
};

/* AXPY epochs at a time, of a team. */
enum { CWI_EPOCHS = 64 };

/* Messages on a team's own communicator: barriers, pieces of collectives, AXPY epochs, and the
 * making of teams with the program's tag, for which Open MPI's MPI_Comm_create_group sends on the
 * parent's communicator. */
enum {
  CWI_TAG_BARRIER,
  CWI_TAG_PIECES,
  CWI_TAG_EPOCHS, /* so many tags: see src/data/matrix */
  CWI_TAG_TEAMS = CWI_TAG_EPOCHS + CWI_EPOCHS
};

/* Members of smaller teams have room on the stack. */
enum { CWI_TEAM_SMALL = 64 };

/* Is this a team that lives? Recognises what was freed, and what never was a team. `name`: of the
 * argument. */
bool cwi_is_team(const void *team);
CWI_CHECKED cw_error cwi_check_team(const char *name, cw_team team);

/* What upper rooms do when a team begins (collective) and ends (local). */
struct cwi_team_hooks {
  cw_error (*begin)(cw_team team);
  void (*end)(cw_team team);
};
void cwi_team_set_hooks(const struct cwi_team_hooks *hooks);

/* Wrap `internal` (taken over, on failure too) as a team, and make a copy for the program.
 * Collective over internal: all members succeed, or none. */
CWI_CHECKED cw_error cwi_team_wrap(MPI_Comm internal, cw_team *team);

/* Run the begin hook. Collective. */
CWI_CHECKED cw_error cwi_team_begin(cw_team team);

/* A team of the members with my colour, for inside use: it belongs to the team's hierarchy.
 * Collective over team; some may fail where others do not. */
CWI_CHECKED cw_error cwi_team_make_inner(cw_team team, int color, int key, cw_team *part);

/* End them, whole or half made. Collective. */
CWI_CHECKED cw_error cwi_team_end_hierarchy(cw_team team);

void cwi_team_keep(cw_team team);
CWI_CHECKED cw_error cwi_team_release(cw_team team);

/* Rank of a process in the team, or -1. */
int cwi_team_rank_of(cw_team team, int process);

/* Do two teams have the same processes in the same order? */
bool cwi_team_same_members(cw_team a, cw_team b);

/* Are all processes of a part in the team? */
bool cwi_team_holds(cw_team team, cw_team part);

/* Where the entries of an exchange go: small teams have room on the stack, large ones have it
 * already, so that nobody need ask for memory once others wait for it. */
static inline struct cwi_entry *cwi_team_entries(cw_team team, struct cwi_entry few[])
{
  return team->size <= CWI_TEAM_SMALL ? few : team->entries;
}

/* Collective: everybody gives one entry and sees everybody's. Also a barrier. alike: NULL; or this
 * member asks only whether all is well, which costs no more than a barrier: true, if all have
 * status 0 and, keyed, one key; then `all` stays as it is. Errors, on all members: CW_MISUSE that
 * names both sides, if one is in another call, at another step, or in a barrier. */
CWI_CHECKED cw_error cwi_team_exchange(cw_team team, const struct cwi_entry *mine, bool keyed,
                                       bool *alike, struct cwi_entry *all);

/* Small collectives on a team with shared memory (team->memory is not NULL): write up to CWI_BOUNCE
 * bytes to my bounce buffer, call share, read the bounce buffers of all. They stay valid until the
 * team meets for the next but one time, for whatever. step: what has to be the same on all members,
 * as a number: which step of a call this is, and with what. Errors, on all members: CW_MISUSE as
 * above, or if their steps differ: then none goes on with what they did together. */
char *cwi_team_my_bounce(cw_team team);
CWI_CHECKED cw_error cwi_team_share(cw_team team, uint64_t step);
const char *cwi_team_bounce(cw_team team, int rank);

/* For wait/wait_report.h: whom of the team this process waits for. */
void cwi_team_awaited(const void *team, char *text, size_t size);

/* Wait for all members. No fence. Errors, on all members: CW_MISUSE as above, if one is in an
 * exchange. */
CWI_CHECKED cw_error cwi_team_barrier(cw_team team);

/* After a start that failed: no team lives. Their communicators stay with MPI: others may not come
 * to free them. Local. */
void cwi_teams_forget(void);

/* All living teams of this process: NULL gives the first, NULL comes after the last. */
cw_team cwi_team_next(cw_team team);
#endif
