/* Calls on stubs, which stand for objects at a proxy (remote/stub.h).
 *
 * stub_check.c            which commands the vendor will certainly accept
 * stub_command_message.c  sends commands and their data
 * stub_event.c            events and queues: order, completion, callbacks, waits
 * stub_execute.c          executes commands
 * stub_kernel.c           kernels, their facts and arguments
 * stub_make.c             makes and drops objects
 * stub_make_message.c     sends the description of an object to make
 * stub_memory.c           buffers and images, and their deletion
 * stub_program.c          programs and builds
 * stub_query.c            answers queries */
#pragma once

#include "remote/remote_session.h"

/* --- stub_event.c --- */

extern const struct vocl_stub_kind vocl_stub_event_kind;
/* Appends the event to its queue. */
void vocl_stub_event_enqueued(struct vocl_stub_event *event, struct vocl_stub_queue *queue);
/* Marks the event's command as sent. */
void vocl_stub_event_submitted(struct vocl_stub_event *event);
/* Completes the event. */
void vocl_stub_event_complete(struct vocl_stub_event *event, cl_int status, const uint64_t *times);
/* Records the failure of an event that only the caller references, so that clFinish returns it. */
void vocl_stub_event_record_failure(const struct vocl_stub_event *event,
                                    struct vocl_stub_queue *queue);
/* Waits for the event. Returns CL_SUCCESS, or the error of its command. */
cl_int vocl_stub_event_wait(struct vocl_stub_event *event);
/* vocl_stub_queue_is_done returns true if the queue's commands up to `place` are complete;
 * vocl_stub_queue_wait waits until they are or the session is over. */
static inline bool vocl_stub_queue_is_done(const struct vocl_stub_queue *queue, uint64_t place)
{
  return queue->first == NULL || queue->first->place > place;
}
void vocl_stub_queue_wait(struct vocl_stub_queue *queue, uint64_t place);

/* --- stub_make_message.c --- */

/* Parts of a make message besides its fixed fields. */
struct vocl_create_parts {
  cl_uint device_count;
  struct vocl_stub_device *const *devices;
  const cl_context_properties *properties;
  cl_uint string_count;
  const void *const *strings;
  const size_t *lengths;                 /* if NULL or 0, the string ends at its null byte */
  const struct vocl_host_layout *layout; /* initial data of memory, or NULL */
  void *answer;                          /* buffer for the data of the reply, or NULL */
  size_t answer_bytes;
};

/* Sends the proxy the request to make the object. Waits for a reply unless `is_certain`; may also
 * wait for space. */
cl_int vocl_send_create(struct vocl_stub *stub, const struct vocl_msg_make *fields,
                        const struct vocl_create_parts *parts, bool is_certain);

/* --- stub_program.c --- */

cl_int vocl_stub_program_make(const struct vocl_making *making, void **object);

/* --- stub_memory.c --- */

bool vocl_stub_memory_is_image(const struct vocl_stub_memory *memory);
cl_int vocl_stub_memory_make(const struct vocl_making *making, void **object);
/* Releases the program's reference and, if possible, calls the deletion callbacks before it
 * returns. Releases the lock meanwhile. */
void vocl_stub_memory_release(struct vocl_stub_memory *memory);

/* --- stub_kernel.c --- */

/* Releases a reference to the facts. */
void vocl_kernel_facts_unref(struct vocl_kernel_facts *facts);
/* Makes a kernel and queries its facts if they are not known yet. */
cl_int vocl_stub_kernel_make(const struct vocl_making *making, void **object);
/* Sets *value and *size to the answer if it is known on the client side. Returns false
 * otherwise. */
bool vocl_stub_kernel_query_known(const struct vocl_query *query, const void **value, size_t *size);
/* Returns true if the argument names no object, or one that still exists. */
bool vocl_stub_argument_is_alive(const struct vocl_session *session,
                                 const struct vocl_set_argument *argument);

/* --- stub_check.c --- */

/* Returns CL_SUCCESS, or an error if the command is invalid. Sets *is_certain if the vendor will
 * certainly accept the command. */
cl_int vocl_stub_command_check(const struct vocl_command *command, bool *is_certain);

/* --- stub_command_message.c --- */

/* Returns an upper bound of the message's length. */
size_t vocl_command_message_bytes(const struct vocl_command *command);
/* Returns true if an event of the wait list has failed. */
bool vocl_command_has_failed_wait(const struct vocl_command *command);
/* Sends the command and its data; may wait. If an event of the wait list fails meanwhile, the
 * command's event fails too and nothing is sent. Returns false if the session is over. */
bool vocl_command_send(struct vocl_stub_event *event, const struct vocl_command *command,
                       uint64_t ticket);
