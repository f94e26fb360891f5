/* Nonblocking collectives of a job that survives failures, without MPI. A thread of its own makes
 * their steps, so that a member that is in another call, or in none, takes part. */
#pragma once

#include "base/error.h"
#include "number/reduction.h"
#include "team/team.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The arguments of a nonblocking collective. `bytes` is the length of the buffer, or of one piece.
 */
struct cwi_nonblocking {
  cw_team team;
  int root;
  const struct cwi_reduction *reduction;
  const char *mine;
  char *all;
  size_t bytes;
};

/* How data moves in one step: `write` stores this member's bytes, from `done` to done + part of
 * each piece, in its buffer, and `read` takes them from the members' buffers. */
struct cwi_survivors_call;
struct cwi_survivors_moves {
  bool of_all; /* each buffer has a part for every member */
  void (*write)(const struct cwi_nonblocking *given, size_t done, size_t part, char *buffer);
  void (*read)(struct cwi_survivors_call *call, size_t done, size_t part);
};
extern const struct cwi_survivors_moves cwi_survivors_broadcast, cwi_survivors_allreduce,
    cwi_survivors_allgather, cwi_survivors_alltoall;

/* A nonblocking collective in progress. */
struct cwi_survivors_call {
  struct cwi_survivors_call *next; /* of the calls in progress, in the order of their starts */
  const struct cwi_nonblocking *given;
  const struct cwi_survivors_moves *moves; /* NULL for a barrier */
  size_t done, part; /* bytes of each piece that have moved, and that move in the present step */
  bool arrived;      /* in the present step */
  bool meets;        /* a step without data remains */
  bool lost;         /* a member's buffer could not be read */
  char *piece;       /* a part of a buffer on another node; NULL if all members are on one */
  bool failed;       /* a member has failed; valid if `ended` */
  uint32_t ended;    /* nothing more happens */
};

/* Prepares a call, and starts the thread at the first one. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_survivors_call_prepare(struct cwi_survivors_call *call,
                                                const struct cwi_nonblocking *given,
                                                const struct cwi_survivors_moves *moves);

/* Begins a call that has been prepared; `call` stays in use until it has ended. */
void cwi_survivors_call_begin(struct cwi_survivors_call *call);

/* Returns true if the call has ended. Makes steps of calls on one node, unless another thread does.
 */
bool cwi_survivors_call_poll(const struct cwi_survivors_call *call);

/* Frees what the call has allocated, and returns its result: CW_OK or CW_FAILED. Does nothing for a
 * call of zeros, which was not prepared. */
CWI_CHECKED cw_error cwi_survivors_call_end(struct cwi_survivors_call *call);

/* Ends the thread, if it runs; no further step is made. Local. */
void cwi_survivors_calls_stop(void);
