/* Teams, as other modules see them.
 *
 * team.c                  the table of teams; makes and frees them
 * world.c                 the world team and its nodes
 * world_places.c          where processes are: nodes, machines, servers
 * team_memory.c           barriers of a node, in shared memory
 * team_exchange.c         exchange and barrier of any team
 * survivors.c             agreement of the surviving members of a team
 * home.c                  teams on several nodes, in jobs that survive failures
 * agreement.c             whether a step succeeded on all members, and what differs
 * collective_arguments.c  arguments of collective calls as words, for agreement.c
 * settings_agreement.c    whether all processes have the same settings */
#pragma once

#include "base/error.h"
#include "team/team_memory.h"

#include <causeway/team.h>

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* The nodes of a team whose members do not all share memory. src/move/collective makes this when it
 * first needs it; it is freed with the team. Rank r of `leaders` is the leader of node r. */
struct cwi_hierarchy {
  cw_team node; /* members on my node; NULL if I am the only one */
  /* the lowest rank of each node; NULL if I am not one of them; the team itself if all members are
   */
  cw_team leaders;
  int nodes;
  int *node_of; /* [size] node of each rank */
  int *packed;  /* [size] ranks, node by node */
  int *first;   /* [nodes + 1] index in `packed` at which each node begins */
};

struct cwi_team {
  MPI_Comm comm;     /* communicator of the program; MPI_COMM_NULL for an inner team */
  MPI_Comm internal; /* for our messages; programs never see it, and it returns errors */
  int rank, size;
  int *process;    /* [size] process of each rank */
  int *by_process; /* [size] ranks, sorted by process */
  int references;  /* number of references: one for the handle, each region, mutex set and
                      nonblocking collective */
  bool freed;      /* the program has freed its handle; the team lives on while it is referenced */
  bool inner;      /* belongs to another team's hierarchy; the program never had it */
  uint64_t id;     /* the same on all members, different from that of any other living team */
  uint32_t regions_made, regions_alive;
  bool shared;                    /* all members reach each other by load and store */
  struct cwi_team_memory *memory; /* in shared memory; only if `shared` */
  /* larger bounce buffers (src/core/region/team_memory_allocation.h); NULL until they exist */
  char *wide;
  /* number of exchanges, barriers and shares so far; in shared memory its parity selects the
   * entries and bounce buffers */
  unsigned meetings;
  const char *marked; /* name of the call whose hash is `mark` */
  uint64_t mark;
  struct cwi_entry *entries; /* [size] space for an exchange, in teams larger than CWI_TEAM_SMALL */
  /* number of further long reductions that do not check whether the members' data is in shared
   * memory */
  unsigned rows_apart;
  int awaits; /* process whose message this one waits for, for reports of long waits; or -1 */
  struct cwi_chunk *chunks;        /* src/core/region: window memory of the team */
  struct cwi_hierarchy *hierarchy; /* NULL until it is needed */
  uint64_t epochs;                 /* src/data/matrix: one bit for each open AXPY epoch */
  unsigned last_epoch;
  /* In a job that survives failures: the number of agreements so far, space for the next, and the
   * place of a team on several nodes (team/home.h), or 0. */
  uint64_t agreements, home;
  char *home_piece;   /* src/move/collective: a piece of another member; NULL until it is needed */
  bool piece_is_lost; /* the home_piece of the present call could not be read */
  uint32_t steps;     /* src/move/collective: steps of nonblocking collectives made so far */
  bool steps_broken;  /* no further one is made */
  struct cwi_entry *survivor_entries; /* [size] */
  char *survivor_flags;               /* [size] */
};

/* Upper bound on the open AXPY epochs of a team. */
enum { CWI_EPOCHS = 64 };

/* Tags on a team's internal communicator: barriers, pieces of collectives, AXPY epochs, and the
 * creation of teams with the program's tag. Open MPI's MPI_Comm_create_group sends messages with
 * that tag on the parent's communicator. */
enum {
  CWI_TAG_BARRIER,
  CWI_TAG_PIECES,
  CWI_TAG_EPOCHS, /* CWI_EPOCHS tags, one for each epoch (src/data/matrix) */
  CWI_TAG_TEAMS = CWI_TAG_EPOCHS + CWI_EPOCHS
};

/* Teams up to this size exchange entries in arrays on the stack. */
enum { CWI_TEAM_SMALL = 64 };

/* cwi_is_team returns true if this is a living team; the pointer may be that of a freed team, or no
 * team at all. cwi_check_team returns CW_MISUSE for such a pointer; `name` is the argument's name.
 */
bool cwi_is_team(const void *team);
CWI_CHECKED cw_error cwi_check_team(const char *name, cw_team team);

/* Functions of src/core/region that are called when a team begins (collective) and ends (local).
 * They are set by pointers, because this module may not call a higher one. */
struct cwi_team_hooks {
  cw_error (*begin)(cw_team team);
  void (*end)(cw_team team);
  /* `allocate` returns the offset of shared memory for a team of these processes, or 0 with an
   * error message; `attach` gives it to the team; `release` frees memory that no team has. Local.
   */
  uint64_t (*allocate)(const int *processes, int members);
  void (*attach)(cw_team team, uint64_t offset);
  void (*release)(uint64_t offset);
};
void cwi_team_set_hooks(const struct cwi_team_hooks *hooks);

/* Makes a team of `internal` and, unless it is an inner team, a duplicate of that communicator for
 * the program. The caller no
 * longer owns `internal`, even after a failure. Collective over internal: all members succeed, or
 * none. */
CWI_CHECKED cw_error cwi_team_wrap(MPI_Comm internal, bool inner, cw_team *team);

/* cwi_team_found makes a team of processes, without MPI and still without shared memory and number.
 * Its first member also picks a number, as made->key, and allocates the shared memory, or a place
 * at the home for a team on several nodes. made->address is its offset, or the place.
 * cwi_team_complete gives both to the team, and cwi_team_drop frees a team that has failed.
 * cwi_team_deallocate frees memory, or a place, that no team has; 0 is none. Local. Errors:
 * CW_OUTSIDE (memory). */
CWI_CHECKED cw_error cwi_team_found(const int *processes, int count, cw_team *team,
                                    struct cwi_entry *made);
void cwi_team_complete(cw_team team, uint64_t id, uint64_t offset);
void cwi_team_drop(cw_team team);
void cwi_team_deallocate(uint64_t offset);

/* Calls the begin hook. Collective. */
CWI_CHECKED cw_error cwi_team_begin(cw_team team);

/* Frees the teams of the hierarchy, even if it is incomplete. Collective. */
CWI_CHECKED cw_error cwi_team_end_hierarchy(cw_team team);

/* cwi_team_keep adds a reference to the team. cwi_team_release removes one, and frees the team with
 * the last one; that is collective. */
void cwi_team_keep(cw_team team);
CWI_CHECKED cw_error cwi_team_release(cw_team team);

/* Returns the rank of a process in the team, or -1 if it is not a member. */
int cwi_team_rank_of(cw_team team, int process);

/* Returns true if both teams have the same processes in the same order. */
bool cwi_team_same_members(cw_team a, cw_team b);

/* Returns true if all processes of `part` are in `team`. */
bool cwi_team_holds(cw_team team, cw_team part);

/* Returns the array for the entries of an exchange: `few` on the caller's stack in small teams,
 * else an array allocated with the team. So no member has to allocate memory while others wait for
 * it. */
static inline struct cwi_entry *cwi_team_entries(cw_team team, struct cwi_entry few[])
{
  return team->size <= CWI_TEAM_SMALL ? few : team->entries;
}

/* Sends one entry to all members and stores the entries of all in `all`. Collective; also a
 * barrier. If `alike` is not NULL, this member only needs to know whether all is well. In shared
 * memory that costs no more than a barrier. The caller sets *alike to false before. It becomes true
 * if all statuses are 0 and, if `keyed`, all keys are equal; `all` is then unchanged. Without
 * shared memory it stays false. Errors, on all members: CW_MISUSE with both sides if a member is in
 * another call, at another step, or in a barrier. */
CWI_CHECKED cw_error cwi_team_exchange(cw_team team, const struct cwi_entry *mine, bool keyed,
                                       bool *alike, struct cwi_entry *all);

/* Small collectives on a team with shared memory (team->memory is not NULL): write up to CWI_BOUNCE
 * bytes to my bounce buffer, call cwi_team_share, read the bounce buffers of all. They stay valid
 * until the second exchange, barrier or share of the team after this one. `step` identifies the
 * step of a call and its arguments as a number; it must be the same on all members. Errors, on all
 * members: CW_MISUSE as above, or if steps differ. After an error no member may continue with the
 * shared data. */
char *cwi_team_my_bounce(cw_team team);
CWI_CHECKED cw_error cwi_team_share(cw_team team, uint64_t step);
const char *cwi_team_bounce(cw_team team, int rank);

/* Describes the members for which this process waits, for wait/wait_report.h. */
void cwi_team_awaited(const void *team, char *text, size_t size);

/* Waits for all members. It is not a fence. Errors, on all members: CW_MISUSE as above, if a member
 * is in an exchange. */
CWI_CHECKED cw_error cwi_team_barrier(cw_team team);

/* Frees all teams after a start that failed. Their communicators stay with MPI, because freeing
 * them is collective and other members may not call. Local. */
void cwi_teams_forget(void);

/* Returns the living team after `team`, or the first one for NULL. Returns NULL after the last. */
cw_team cwi_team_next(cw_team team);
