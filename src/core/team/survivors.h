/* Operations of the surviving members of a team, in its shared memory: they agree on the
 * members that have failed, exchange entries, and make a team. Used only in a job that survives
 * failures (wait/failures.h). */
#pragma once

#include "base/error.h"
#include "team/team.h"

#include <stdbool.h>
#include <stdint.h>

/* Initialises the survivors' part of a team's memory. */
void cwi_survivors_clear(struct cwi_team_memory *memory, const int *processes, int members);

/* Returns true if a member is known to have failed. */
bool cwi_survivors_missing(const struct cwi_team_memory *memory, int members);

/* cwi_team_misses_members returns true if a member of the team has failed. cwi_team_failed returns
 * CW_FAILED with a message that names the member, or CW_OK if there is none. */
bool cwi_team_misses_members(cw_team team);
CWI_CHECKED cw_error cwi_team_failed(cw_team team);

/* Returns that error in a call that another member has broken because of a failure. That member may
 * have learned of it earlier than this process, whose watcher learns of it in a moment. */
CWI_CHECKED cw_error cwi_team_broken(cw_team team);

/* Returns an error if the team cannot use MPI's messages: CW_FAILED if a member has failed,
 * CW_MISUSE if the team has no communicator because it was made in a job that survives failures. */
CWI_CHECKED cw_error cwi_team_check_messages(cw_team team);

/* While this thread is in a call that frees objects, or in the stop of Causeway, a step of a
 * collective call with a failed member continues among the survivors. cwi_survivors_suffice
 * returns the previous state, which cwi_survivors_restore sets again. */
bool cwi_survivors_suffice(void);
void cwi_survivors_restore(bool before);

/* Evaluates a call that frees an object: it continues among the survivors. */
#define CWI_AMONG_SURVIVORS(body)                                                                  \
  __extension__({                                                                                  \
    const bool cwi_before = cwi_survivors_suffice();                                               \
    const cw_error cwi_error_among = (body);                                                       \
    cwi_survivors_restore(cwi_before);                                                             \
    cwi_error_among;                                                                               \
  })

/* Called by a member whose step of a collective call ended because a member had failed. If
 * survivors suffice, meets them; all[rank] of a failed member is then a copy of mine. Else returns
 * CW_FAILED. `all` may be NULL. */
CWI_CHECKED cw_error cwi_survivors_exchange(cw_team team, const struct cwi_entry *mine,
                                            struct cwi_entry *all);

/* All surviving members agree on a set of failed members: failed[rank] is 1 if the member is in the
 * set. They also exchange entries; the entry of a failed member is undefined. Collective over the
 * surviving members. */
void cwi_survivors_agree(cw_team team, const struct cwi_entry *mine, struct cwi_entry *all,
                         char *failed);

/* Returns the lowest rank that the last agreement has found alive. */
int cwi_survivors_first(cw_team team);

/* cwi_survivors_leave records that a member has freed the team; in the memory of the world, that
 * the process has stopped Causeway. cwi_survivors_have_left returns true if all members have either
 * left or failed. cwi_survivors_has_stopped returns true if a process has stopped Causeway: its end
 * is no failure. */
void cwi_survivors_leave(struct cwi_team_memory *memory, int members, int rank);
bool cwi_survivors_have_left(struct cwi_team_memory *memory, int members);
bool cwi_survivors_has_stopped(int process);

/* Words by which members meet that make a team without the others: in the team's shared memory, or
 * at the home. All are 0 at first. cwi_survivors_words reads `count` of them.
 * cwi_survivors_word_swap replaces one if it is `expected`, and returns true if it was. */
enum { CWI_SURVIVORS_WORDS = 64 };
enum { CWI_SURVIVORS_STEP = CWI_SURVIVORS_WORDS - 1 }; /* the word of steps, below */
void cwi_survivors_words(cw_team team, size_t first, size_t count, uint64_t *values);
bool cwi_survivors_word_swap(cw_team team, size_t number, uint64_t expected, uint64_t value);

/* Steps of the team's nonblocking collectives. In each of them the members wait for each other, as
 * in a barrier, but without blocking. cwi_survivors_step_arrive records that this member has
 * arrived in the step after the last complete one. cwi_survivors_step returns the state of step
 * `number`, which is the last in which this member has arrived, and is the same on all members once
 * it is not CWI_STEP_OPEN. A step is broken if a member has failed before all had arrived, or by
 * cwi_survivors_steps_break; then all later ones are, too. */
enum cwi_step { CWI_STEP_OPEN, CWI_STEP_COMPLETE, CWI_STEP_BROKEN };
void cwi_survivors_step_arrive(cw_team team);
void cwi_survivors_steps_break(cw_team team);
enum cwi_step cwi_survivors_step(cw_team team, uint32_t number);

/* Returns the buffer of CWI_STEP_BYTES of a member of a team on one node, for step `number`. It is
 * valid until the second step after that one. */
enum { CWI_STEP_BYTES = 16384 };
char *cwi_survivors_step_buffer(cw_team team, uint32_t number, int rank);
