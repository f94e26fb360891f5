/* Handlers of the messages that a program sends to its proxy, and the execution of its commands.
 *
 * build_folder.c      builds in a folder with the files that a program includes
 * command_issue.c     issues commands to vendors
 * command_wait.c      waits for operations and reports completed commands
 * data_boxes.c        splits packed data into boxes, and checks them
 * handler_argument.c  arguments of kernels
 * handler_build.c     builds, compiles and links programs
 * handler_command.c   receives commands and their data
 * handler_make.c      makes and drops objects
 * handler_query.c     answers queries
 * handler_queue.c     queues: their commands, flush and finish
 * service_loop.c      the loop of a session */
#pragma once

#include "service/service_session.h"

/* A box of a transfer: packed data is split into boxes of rows and slices. */
struct vocl_service_box {
  size_t origin[3], region[3];
};

/* --- message handlers; they return false if the message is malformed --- */

vocl_message_handler vocl_on_make, vocl_on_make_kernels, vocl_on_make_sub_devices, vocl_on_drop,
    vocl_on_watch_deleted;                                 /* handler_make.c */
vocl_message_handler vocl_on_build;                        /* handler_build.c */
vocl_message_handler vocl_on_query, vocl_on_query_formats; /* handler_query.c */
vocl_message_handler vocl_service_argument;                /* handler_argument.c */
vocl_message_handler vocl_service_command, vocl_on_data;   /* handler_command.c */
vocl_message_handler vocl_on_flush, vocl_service_finish;   /* handler_queue.c */

/* --- handler_make.c --- */

/* Adds data to an object that is being made. */
bool vocl_service_make_continue(struct vocl_service *session, struct vocl_service_object *object,
                                const struct vocl_msg_data *data, const char *bytes);

/* --- handler_build.c --- */

/* Discards the queued builds and waits for the build in progress. Called without the lock. */
void vocl_service_end_builds(struct vocl_service *session);

/* --- build_folder.c --- */

/* Builds with the files of an archive (wire/message.h) in a temporary folder of its own. Sets
 * *is_other and builds nothing if a file that must be the same on this machine differs. */
cl_int vocl_service_build_in_folder(struct vocl_building *native, void *archive, bool *is_other);
/* Replaces the names of such folders by VOCL_INCLUDES_FOLDER. Returns the new length. */
size_t vocl_service_folder_mask(char *text);

/* --- handler_argument.c --- */

/* Returns the kernel of a launch. */
static inline struct vocl_service_kernel *
vocl_service_kernel_of(const struct vocl_service_command *command)
{
  return (struct vocl_service_kernel *)command->needs[command->wait_count];
}
/* Returns CL_SUCCESS if all arguments could be set and the objects that they refer to still
 * exist. */
cl_int vocl_service_check_arguments(struct vocl_service *session,
                                    const struct vocl_service_command *command);
/* Freezes the kernel's arguments, and references their objects, for a launch that must wait.
 * Returns false if there is no memory. */
bool vocl_service_snapshot_arguments(struct vocl_service *session,
                                     struct vocl_service_command *command);
/* Makes the session's object for the vendor's kernel `native`, which is NULL if the vendor failed
 * with *code. If the number is invalid or there is no memory, drops the vendor's kernel and returns
 * NULL. */
struct vocl_service_kernel *vocl_service_kernel_new(struct vocl_service *session, uint32_t number,
                                                    void *native, cl_int *code);

/* --- data_boxes.c --- */

/* Sets the total size of a transfer, and replaces pitches of 0. Returns CL_INVALID_VALUE if the
 * pitches are invalid. */
cl_int vocl_service_command_measure(struct vocl_service_command *command,
                                    const struct vocl_service_memory *memory);
/* Returns true if the command stays within its memory on both sides. Vendors do not check this
 * reliably, and would write to memory of other sessions. */
bool vocl_service_command_is_within(const struct vocl_service_command *command,
                                    const struct vocl_service_memory *const sides[2]);
/* Sets *box to the box at the packed byte `from`, of at most `most` bytes, and returns its size.
 * Returns 0 if it would split a pixel. */
size_t vocl_service_next_box(const struct vocl_service_command *command,
                             const struct vocl_service_memory *memory, uint64_t from, size_t most,
                             struct vocl_service_box *box);

/* --- command_issue.c --- */

/* Issues all commands that can be issued now. */
void vocl_service_issue(struct vocl_service *session);
/* Removes the command from its queue, because the vendor has accepted all of it or, if `code` is an
 * error, it was rejected. */
void vocl_service_issued(struct vocl_service *session, struct vocl_service_command *command,
                         cl_int code);
/* Completes a command that has no operation in progress. */
void vocl_service_command_done(struct vocl_service *session, struct vocl_service_command *command);

/* Returns the i-th command of the wait list. */
static inline const struct vocl_service_command *
vocl_service_awaited_command(const struct vocl_service_command *command, uint32_t i)
{
  return (const struct vocl_service_command *)command->needs[i];
}

/* Returns true if all commands of the wait list are done, so that their results have been sent. */
static inline bool vocl_service_waits_are_done(const struct vocl_service_command *command)
{
  for (uint32_t i = 0; i < command->wait_count; i++)
    if (!vocl_service_awaited_command(command, i)->is_done)
      return false;
  return true;
}

/* --- handler_queue.c --- */

/* Appends a command. The queue and the command stay referenced until the command is done. */
void vocl_service_queue_append(struct vocl_service_queue *queue,
                               struct vocl_service_command *command);
/* Adds an operation that the vendor has, and chooses the thread that waits for it. */
void vocl_service_queue_add_operation(struct vocl_service_queue *queue,
                                      struct vocl_service_operation *operation);
/* Flushes the queues that have new operations. */
void vocl_service_flush_queues(struct vocl_service *session);
/* Replies to each clFinish whose commands are done. */
void vocl_service_queue_report(struct vocl_service_queue *queue);

/* --- command_wait.c --- */

/* Starts the thread of the queue. Returns false if that fails. */
bool vocl_service_queue_start(struct vocl_service_queue *queue);
/* Reports completed operations of the queues that the reading thread polls, without waiting.
 * Returns true if there were any. */
bool vocl_service_poll(struct vocl_service *session);
/* Ends a queue whose object was dropped: its thread ends when nothing is in progress. */
void vocl_service_queue_retire(struct vocl_service *session, struct vocl_service_object *object);
/* Frees the queues that were dropped and whose threads have ended. */
void vocl_service_queues_reap(struct vocl_service *session);
/* vocl_service_queues_stop rejects all commands that wait. vocl_service_queues_join, called
 * without the lock, waits for the operations in progress. */
void vocl_service_queues_stop(struct vocl_service *session);
void vocl_service_queues_join(struct vocl_service *session);
