/* Helpers of programs in which processes die: how a process dies at a random moment, and how the
 * others end. A program is survivor_start(), checks of the kit, survivor_end(). */
#pragma once

#include <causeway.h>
#include <stdbool.h>
#include <stdint.h>

/* Starts MPI and the kit. */
void survivor_start(int *argc, char ***argv, const char *program);

/* Returns the seed of a random sequence (kit_random) that is the same in all processes. The
 * arguments distinguish the sequences of a program. */
uint64_t survivor_sequence(uint64_t first, uint64_t second);

/* Ways in which a victim dies. */
enum survivor_death {
  DEATH_BY_TIMER, /* SIGKILL after a random time, at most `most` microseconds */
  DEATH_AT_CALL, /* SIGKILL before a random call of survivor_call(), at most the one numbered `most`
                  */
  DEATH_BY_EXIT  /* exit(3) before such a call */
};

/* Returns the death that a word of the command line names: timer, call or exit. */
enum survivor_death survivor_death_of(const char *word);

/* Process 0 is not chosen as a victim. */
void survivor_spare_first(void);

/* Chooses `victims` of the processes at random, the same in all of them. This process dies if it is
 * one of them: the time, or the number of calls, counts from survivor_begin_deaths(). */
void survivor_choose(int victims, enum survivor_death death, int most);
void survivor_begin_deaths(void);

/* From now on this process does not die at a call. */
void survivor_end_deaths(void);

/* Marks a point before a call into the library, at which this process may die. */
void survivor_call(void);

/* Makes a call that must succeed among survivors. */
#define MUST(call)                                                                                 \
  do {                                                                                             \
    survivor_call();                                                                               \
    const cw_error must_error = CW_MAY_FAIL(call);                                                 \
    kit_check(must_error == CW_OK, "%s: %d %s", #call, (int)must_error, cw_error_message());       \
  } while (0)

/* Stops Causeway, which must succeed, and ends the process with the verdict of its checks. Does not
 * return. */
_Noreturn void survivor_end(void);
