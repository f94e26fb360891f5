/* Teams on several nodes in a job that survives failures. Their state is in the memory of one
 * process, the home: process 0. A barrier ends or breaks, and an agreement is decided, in one word
 * of it, as in the shared memory of a team on one node (team_memory.h, survivors.h). Members on
 * other nodes access the words by atomic operations of the home's server. The home cannot be
 * replaced: if it fails, the job ends. */
#pragma once

#include "base/error.h"
#include "team/team.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Access to the home's memory by offset, which a higher module provides. If the home cannot be
 * reached, these functions end the job. All complete before they return, except that `write` may
 * complete later, but before the next access of the same thread is executed. */
struct cwi_home_access {
  void (*read)(uint64_t offset, void *to, size_t bytes);
  void (*write)(uint64_t offset, const void *from, size_t bytes);
  uint64_t (*add)(uint64_t offset, uint64_t value); /* returns the value before */
  bool (*swap)(uint64_t offset, uint64_t expected, uint64_t value);
};

/* Upper bound on the existing teams on several nodes, with the world. */
enum { CWI_HOME_TEAMS = 64 };

/* Number of bytes of the home's memory. All of them are 0 at first. */
size_t cwi_home_bytes(void);

/* cwi_home_start makes the world use the home, after all servers have been started.
 * cwi_home_stop ends the access to the home. Local. */
void cwi_home_start(const struct cwi_home_access *access);
void cwi_home_stop(void);

/* cwi_home_take returns a place for a team of these processes, or 0 if all are in use; it is called
 * by one member. cwi_home_give frees a place that no other member has. A place is odd, and so
 * differs from an offset of memory. */
uint64_t cwi_home_take(const int *processes, int members, uint64_t id);
void cwi_home_give(uint64_t place);
static inline bool cwi_is_home_place(uint64_t place)
{
  return place % 2 == 1;
}

/* Returns the index of the team's place, below CWI_HOME_TEAMS. */
static inline size_t cwi_home_number(const struct cwi_team *team)
{
  return (size_t)(team->home / 2);
}

/* Waits for all members, and gives them `mine`. Returns false on all of them if a member failed
 * before all had arrived; later meetings then return false, too. After true, cwi_home_entries
 * stores the entries of all members until the next but one meeting. */
bool cwi_home_meet(cw_team team, const struct cwi_entry *mine);
void cwi_home_entries(cw_team team, struct cwi_entry *all);

/* A text of up to CWI_HOME_TEXT bytes, which one member writes before a meeting and all members
 * read after it. */
enum { CWI_HOME_TEXT = 2560 };
void cwi_home_write_text(cw_team team, const void *text, size_t bytes);
void cwi_home_read_text(cw_team team, void *text, size_t bytes);

/* Words of a team: those of survivors.h, then those of its mutexes (src/move/sync). cwi_home_words
 * reads `count` of them. cwi_home_word_swap replaces one if it is `expected`, and returns true if
 * it was. cwi_home_words_clear sets `count` of them to 0. */
enum { CWI_HOME_MUTEXES = 4096 };
void cwi_home_words(cw_team team, size_t first, size_t count, uint64_t *values);
bool cwi_home_word_swap(cw_team team, size_t number, uint64_t expected, uint64_t value);
void cwi_home_words_clear(cw_team team, size_t first, size_t count);

/* Does the work of cwi_survivors_agree (survivors.h). */
void cwi_home_agree(cw_team team, const struct cwi_entry *mine, struct cwi_entry *all,
                    char *failed);

/* Records that this member has left the team. Its place is used again when all members have left or
 * failed. After a failure all processes leave the world before they stop. cwi_home_await_leaves
 * waits until the others of the node, or all if it is -1, have done so: the home waits for all,
 * because they read its memory, and the process that runs a node's server for those that use the
 * server. */
void cwi_home_leave(cw_team team);
void cwi_home_await_leaves(cw_team world, int node);
