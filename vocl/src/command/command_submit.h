/* Commands of contexts over several locations: how they are prepared, deferred and submitted.
 *
 * command_execute.c   submits or defers the commands that programs enqueue
 * command_operands.c  memory that each sort of command reads and writes
 * command_prepare.c   makes the operands of a command valid at its location
 * command_submit.c    submits a command to the executor of its location
 * deferred_command.c  commands that are deferred on the client side
 * deferred_submit.c   submits deferred commands
 * replica_transfer.c  transfers of memory between locations */
#pragma once

#include "memory/memory_contents.h"
#include "program/replicated_program.h"

/* A transfer of a range of memory from one location to another, through this process. */
struct vocl_transfer {
  struct vocl_transfer *next;
  struct vocl_replicated_memory *memory;      /* referenced */
  struct vocl_replicated_event *read, *write; /* referenced */
  size_t from, to;
  uint32_t target;
  size_t size;
  char *bytes;
};

/* --- command_submit.c --- */

/* Submits a command to the executor of `location`. `arguments` are the arguments of a launch; if
 * NULL, its kernel's present arguments are used. All objects in `command` are replicated. The
 * command also waits for the events in `more`, which may be NULL. */
cl_int vocl_command_submit(const struct vocl_command *command,
                           const struct vocl_replicated_argument *arguments,
                           const struct vocl_wait_list *more, uint32_t location, void **event);

/* Returns true if the executor will certainly accept the command. */
bool vocl_command_cannot_fail(const struct vocl_command *command, uint32_t location);

/* --- deferred_command.c --- */

/* Returns true if the command must be deferred. Called with the lock held. */
bool vocl_command_must_wait(const struct vocl_command *command);
/* Defers a command. Takes ownership of the events in `waits`. If there is no memory, returns NULL
 * and leaves `waits` to the caller. Called with the lock held. */
struct vocl_deferred_command *vocl_command_defer(struct vocl_replicated_event *event,
                                                 const struct vocl_command *command,
                                                 struct vocl_wait_list *waits);
/* Frees a command that was submitted or has failed. Called without the lock. */
void vocl_deferred_command_free(struct vocl_deferred_command *deferred);
/* Adds an event. Returns false if there is no memory. */
bool vocl_wait_list_add(struct vocl_wait_list *waits, struct vocl_replicated_event *event);
void vocl_wait_list_free(struct vocl_wait_list *waits);

/* --- command_prepare.c --- */

/* Prepares a command's operands: they will be valid at its location when the events added to
 * `waits` are complete, and the ranges that it writes will be valid only there. The caller frees
 * the uses in *over. Returns false if there is no memory. Called with the lock held. */
bool vocl_command_prepare(struct vocl_replicated_event *event, const struct vocl_command *command,
                          const struct vocl_replicated_argument *arguments,
                          struct vocl_wait_list *waits, struct vocl_memory_use **over);

/* --- replica_transfer.c --- */

/* Adds to `waits` the events of the unfinished uses at the location that touch the range. If
 * `only_writers`, adds only those of uses that write. */
bool vocl_memory_uses_add_waits(const struct vocl_memory_use *use, uint32_t location, size_t from,
                                size_t to, bool only_writers, struct vocl_wait_list *waits);
/* Starts the transfer of one piece of a range from one location to another. Returns the end of
 * the piece, or `from` if there is no memory. Called with the lock held. */
size_t vocl_transfer_begin(struct vocl_replicated_memory *memory, size_t from, size_t to,
                           uint32_t source, uint32_t target);
/* Returns CL_COMPLETE, the error, or a positive value while the transfer is not done. */
cl_int vocl_transfer_status(const struct vocl_transfer *transfer);
/* Removes and returns the transfers that are done. Called with the lock held. */
struct vocl_transfer *vocl_transfers_collect(struct vocl_replicated_context *context,
                                             struct vocl_memory_use **over);
/* Frees transfers and completed uses. Called without the lock. */
void vocl_transfers_free(struct vocl_transfer *transfers, struct vocl_memory_use *over);

/* --- deferred_submit.c --- */

/* Does one pass of a worker: submits the deferred commands that are ready. */
long vocl_deferred_submit_pass(struct vocl_replicated_context *context);
/* Does a pass during a move: submits only prepared commands. Sets *left to the number of
 * prepared commands and transfers that are not done. Returns CL_SUCCESS, or the error of a
 * transfer. */
cl_int vocl_deferred_submit_prepared(struct vocl_replicated_context *context, uint32_t *left);
