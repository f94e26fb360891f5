/* Issues waiting commands to the vendors, in order for each queue. A command is issued when three
 * conditions hold: the commands of its wait list have been issued, its data has arrived, and its
 * queue has fewer operations in progress than CW_VOCL_AHEAD. */
#include "handler/handler.h"

#include <stdlib.h>
#include <string.h>

/* Maximum size of a short read; maximum number of bytes that reads in progress stage outside the
 * ring; maximum number of wait events that need no allocation. */
enum { MOST_SHORT = 64 << 10, MOST_STAGED = 8 << 20, FEW_EVENTS = 32 };

static bool command_is_ready(const struct vocl_service *session,
                             const struct vocl_service_command *command, cl_int *code)
{
  for (uint32_t i = 0; i < command->wait_count; i++) {
    if (!vocl_service_awaited_command(command, i)->is_issued)
      return false;
    if (vocl_service_awaited_command(command, i)->status < 0)
      *code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  }
  return command->issued > 0 || command->queue->operations < session->ahead;
}

/* --- one call of the vendor --- */

static cl_int execute_after(struct vocl_service_command *command, struct vocl_command *native)
{
  void *few[FEW_EVENTS];
  size_t count = 0, i = 0;
  for (uint32_t each = 0; each < command->wait_count; each++)
    for (const struct vocl_service_operation *operation =
             vocl_service_awaited_command(command, each)->operations;
         operation != NULL; operation = operation->next_of_command)
      count++;
  void **events = count <= FEW_EVENTS ? few : malloc(count * sizeof *events);
  if (events == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  for (uint32_t each = 0; each < command->wait_count; each++)
    for (const struct vocl_service_operation *operation =
             vocl_service_awaited_command(command, each)->operations;
         operation != NULL; operation = operation->next_of_command)
      events[i++] = operation->event;
  native->wait_count = (cl_uint)count;
  native->waits = count > 0 ? events : NULL;
  const cl_int code = vocl_native_execute(native);
  if (events != few)
    free(events);
  return code;
}

/* Issues one operation, which waits for the events of the command's wait list. On failure returns
 * NULL and sets *code. */
static struct vocl_service_operation *add_operation(struct vocl_service_command *command,
                                                    struct vocl_command *native, cl_int *code)
{
  struct vocl_service_operation *operation = calloc(1, sizeof *operation);
  *code = CL_OUT_OF_HOST_MEMORY;
  if (operation == NULL)
    return NULL;
  operation->command = command;
  native->event = &operation->event;
  *code = execute_after(command, native);
  if (*code != CL_SUCCESS) {
    free(operation);
    return NULL;
  }
  operation->next_of_command = command->operations;
  command->operations = operation;
  vocl_service_queue_add_operation(command->queue, operation);
  return operation;
}

/* --- commands without data --- */

static cl_int issue_plain(struct vocl_service_command *command)
{
  struct vocl_command native = command->native;
  cl_int code = CL_SUCCESS;
  char nowhere = 0;
  native.host = &nowhere; /* for reads and writes of no bytes */
  void **objects = NULL;
  if (native.sort == VOCL_COMMAND_MIGRATE) {
    native.object_count = command->held_count - command->wait_count;
    objects = malloc((native.object_count + (size_t)1) * sizeof *objects);
    if (objects == NULL)
      return CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < native.object_count; i++)
      objects[i] = command->needs[command->wait_count + i]->native;
    native.objects = objects;
  }
  add_operation(command, &native, &code);
  free(objects);
  return code;
}

/* --- data --- */

/* Issues the bytes of a piece box by box. Sets *last to the last operation that the vendor
 * accepted, or to NULL. */
static cl_int issue_boxes(struct vocl_service_command *command, char *bytes, size_t size,
                          uint64_t from, struct vocl_service_operation **last)
{
  const struct vocl_service_memory *memory =
      (const struct vocl_service_memory *)command->needs[command->held_count - 1];
  cl_int code = CL_SUCCESS;
  *last = NULL;
  for (size_t done = 0, step = 0; done < size && code == CL_SUCCESS; done += step) {
    struct vocl_command native = command->native;
    struct vocl_service_box box;
    const size_t nowhere[3] = {0, 0, 0};
    step = vocl_service_next_box(command, memory, from + done, size - done, &box);
    if (step == 0)
      return CL_INVALID_VALUE;
    native.host = bytes + done;
    native.offset[0] += box.origin[0];
    native.size = box.region[0];
    for (int i = 0; native.origin[0] != NULL && i < 3; i++)
      box.origin[i] += native.origin[0][i];
    native.origin[0] = box.origin;
    native.origin[1] = nowhere;
    native.region = box.region;
    native.row_pitch[1] = native.slice_pitch[1] = 0;
    struct vocl_service_operation *operation = add_operation(command, &native, &code);
    *last = operation != NULL ? operation : *last;
  }
  return code;
}

/* Issues the data that has arrived. The vendor reads it directly from the ring; the last
 * operation of each piece releases it. */
static cl_int issue_write(struct vocl_service *session, struct vocl_service_command *command)
{
  while (command->first != NULL) {
    struct vocl_service_piece *piece = command->first;
    struct vocl_service_operation *last = NULL;
    const cl_int code = issue_boxes(command, piece->bytes, piece->size, piece->offset, &last);
    command->first = piece->next_of_command;
    if (command->first == NULL)
      command->last = NULL;
    if (last != NULL)
      last->piece = piece;
    else
      vocl_service_piece_release(session, piece);
    if (code != CL_SUCCESS)
      return code;
    command->issued += piece->size;
  }
  return CL_SUCCESS;
}

/* Returns true for a long read, whose data goes directly into the ring. It is issued only when
 * its wait list is done and its queue is idle, because all data after it in the ring must wait
 * for it. */
static bool is_long(const struct vocl_service_command *command)
{
  return vocl_command_reads(&command->native) && command->total > MOST_SHORT;
}

static bool is_next(const struct vocl_service_command *command)
{
  return vocl_service_waits_are_done(command) &&
         (command->issued > 0 || command->queue->operations == 0);
}

/* Provides `size` bytes to read into: space in the ring, or a staging buffer in *stage. Returns
 * false if there is no space now. If there is no memory, also sets *code. */
static bool read_space(struct vocl_service *session, const struct vocl_service_command *command,
                       size_t size, struct vocl_service_space *space, char **stage, cl_int *code)
{
  *stage = NULL;
  if (is_long(command))
    return vocl_service_space_reserve(session, size, space);
  *space = (struct vocl_service_space){.bytes = NULL};
  if (session->staged > 0 && session->staged + size > MOST_STAGED)
    return false;
  *stage = malloc(size);
  *code = *stage != NULL ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
  return *stage != NULL;
}

static cl_int issue_read(struct vocl_service *session, struct vocl_service_command *command)
{
  cl_int code = command->status; /* a command that has failed is not continued */
  while (code == CL_SUCCESS && command->issued < command->total) {
    const uint64_t left = command->total - command->issued;
    const size_t size = left < VOCL_PIECE_MAX ? left : VOCL_PIECE_MAX;
    struct vocl_service_space space;
    struct vocl_service_operation *last = NULL;
    char *stage = NULL;
    if (!read_space(session, command, size, &space, &stage, &code))
      return code;
    code = issue_boxes(command, stage != NULL ? stage : space.bytes, size, command->issued, &last);
    if (last == NULL) {
      if (stage == NULL)
        vocl_service_space_cancel(session, &space);
      free(stage);
      return code;
    }
    last->space = space;
    last->stage = stage;
    last->offset = command->issued;
    last->size = size;
    session->staged += stage != NULL ? size : 0;
    command->issued += code == CL_SUCCESS ? size : 0;
  }
  return code;
}

/* --- order of commands --- */

/* Replies to the program's call with the result of the first operation, unless a reply was sent
 * before or none is wanted. */
static void command_answer(struct vocl_service *session, struct vocl_service_command *command,
                           cl_int code)
{
  if (command->ticket == 0)
    return;
  vocl_service_reply(session, command->ticket, code);
  command->ticket = 0;
  command->is_rejected = code != CL_SUCCESS;
}

static void command_leave_queue(struct vocl_service *session, struct vocl_service_command *command)
{
  struct vocl_service_queue *queue = command->queue;
  if (queue == NULL)
    return;
  queue->first = command->next;
  if (queue->first == NULL)
    queue->last = NULL;
  session->waiting--;
  if (session->is_full)
    vocl_channel_ring_bell(session->channel.memory, VOCL_PROXY_SIDE);
  if (vocl_command_writes(&command->native) && command->received < command->total)
    session->awaiting--;
}

void vocl_service_issued(struct vocl_service *session, struct vocl_service_command *command,
                         cl_int code)
{
  command_leave_queue(session, command);
  command->is_issued = true;
  command_answer(session, command, code);
  if (code != CL_SUCCESS)
    command->status = code;
  while (command->first != NULL) {
    struct vocl_service_piece *piece = command->first;
    command->first = piece->next_of_command;
    vocl_service_piece_release(session, piece);
  }
  if (command->kept != NULL)
    vocl_service_kernel_of(command)->waiting--;
  if (command->operations == NULL)
    vocl_service_command_done(session, command);
}

void vocl_service_command_done(struct vocl_service *session, struct vocl_service_command *command)
{
  struct vocl_service_queue *queue = command->queue;
  command->is_done = true;
  pthread_cond_broadcast(&session->changed);
  if (!command->is_rejected)
    vocl_service_send_done(session, command);
  for (uint32_t i = 0; i < command->held_count; i++)
    vocl_service_object_unref(session, command->needs[i]);
  for (uint32_t i = 0; i < command->kept_count; i++)
    vocl_service_object_unref(session, command->kept[i]);
  command->held_count = command->wait_count = command->kept_count = 0;
  free(command->kept);
  command->kept = NULL;
  command->queue = NULL;
  if (command->is_rejected && command->received == command->total)
    vocl_service_object_forget(session, &command->object);
  if (queue == NULL)
    return;
  vocl_service_count(&queue->load->unfinished, (uint64_t)-1);
  vocl_service_queue_report(queue);
  vocl_service_object_unref(session, &command->object);
  vocl_service_object_unref(session, &queue->object);
}

/* Issues the first command of a queue as far as possible. Returns false if it must wait. */
static bool issue_first(struct vocl_service *session, struct vocl_service_queue *queue)
{
  struct vocl_service_command *command = queue->first;
  const uint64_t before = command->issued;
  cl_int code = CL_SUCCESS;
  if (!command_is_ready(session, command, &code) ||
      (code == CL_SUCCESS && is_long(command) && !is_next(command)))
    return false;
  const bool reads = vocl_command_reads(&command->native);
  const bool has_data = command->total > 0 && (reads || vocl_command_writes(&command->native));
  if (code == CL_SUCCESS)
    code = !has_data ? issue_plain(command)
           : reads   ? issue_read(session, command)
                     : issue_write(session, command);
  queue->is_dirty = true;
  if (code != CL_SUCCESS || !has_data || command->issued == command->total) {
    vocl_service_issued(session, command, code);
    return true;
  }
  if (command->issued > before)
    command_answer(session, command, CL_SUCCESS);
  return false;
}

void vocl_service_issue(struct vocl_service *session)
{
  for (bool has_moved = true; has_moved && session->waiting > 0;) {
    has_moved = false;
    struct vocl_service_queue *next = NULL;
    for (struct vocl_service_queue *queue = session->queues; queue != NULL; queue = next) {
      next = queue->next;
      while (queue->first != NULL && issue_first(session, queue))
        has_moved = true;
    }
  }
}
