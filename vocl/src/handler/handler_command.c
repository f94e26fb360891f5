/* Receives commands and the data of writes. Decodes and checks the commands and appends them to
 * their queues, where they wait for the vendor. */
#include "handler/handler.h"

#include <stdlib.h>
#include <string.h>

/* Parts of a command's message after decoding; they point into the message. */
struct command_parts {
  const uint32_t *objects, *waits;
  const uint64_t *triples[VOCL_TRIPLES];
  const void *pattern;
};

/* Returns true if the message has everything that its sort of command requires. */
static bool fits_its_kind(const struct vocl_msg_command *msg)
{
  const struct vocl_command_kind *kind = &vocl_command_kinds[msg->sort];
  const bool has_data = kind->role == VOCL_READS_DATA || kind->role == VOCL_WRITES_DATA;
  const uint64_t least_pattern = (kind->has & VOCL_HAS_PATTERN) == 0     ? 0
                                 : kind->operands[0].form == VOCL_PIXELS ? VOCL_COLOUR_BYTES
                                                                         : 1;
  return kind->role != VOCL_MAPS && kind->role != VOCL_UNMAPS &&
         (vocl_command_sent_triples(kind, kind->has) & ~msg->has) == 0 &&
         msg->pattern_size >= least_pattern && (msg->data == 0 || has_data);
}

static bool command_part(const struct vocl_msg_command *msg, size_t bytes, struct command_parts *of)
{
  struct vocl_service_parts parts = {(const char *)(msg + 1), bytes - sizeof *msg, true};
  of->objects = vocl_service_part(&parts, msg->object_count, sizeof *of->objects);
  of->waits = vocl_service_part(&parts, msg->wait_count, sizeof *of->waits);
  for (int i = 0; i < VOCL_TRIPLES; i++)
    of->triples[i] = (msg->has & 1u << i) != 0 && parts.are_good
                         ? vocl_service_part(&parts, 3, sizeof(uint64_t))
                         : NULL;
  of->pattern = vocl_service_part(&parts, msg->pattern_size, 1);
  return parts.are_good && msg->sort < VOCL_COMMAND_COUNT && fits_its_kind(msg);
}

/* Adds `object` to the objects that the command keeps referenced until it is done. */
static void command_need(struct vocl_service_command *command, struct vocl_service_object *object)
{
  vocl_service_object_ref(object);
  command->needs[command->held_count++] = object;
}

static bool is_pocl(void *queue)
{
  const cl_icd_dispatch *calls = vocl_vendor_calls(queue);
  cl_device_id device = NULL;
  cl_platform_id platform = NULL;
  char name[64] = "";
  return calls->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL) ==
             CL_SUCCESS &&
         calls->clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) ==
             CL_SUCCESS &&
         calls->clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL) ==
             CL_SUCCESS &&
         strcmp(name, "Portable Computing Language") == 0;
}

/* Works around PoCL 3.1, which crashes when it fills an image that was made from a buffer, or
 * copies such an image to a buffer. The fill is rejected, and the copy becomes a copy between
 * buffers. */
static cl_int pocl_work_around(struct vocl_service_command *command,
                               const struct vocl_service_memory *image)
{
  struct vocl_command *native = &command->native;
  if (native->sort == VOCL_COMMAND_FILL_IMAGE && is_pocl(native->queue))
    return CL_INVALID_OPERATION;
  if (native->sort != VOCL_COMMAND_IMAGE_TO_BUFFER)
    return CL_SUCCESS;
  native->sort = VOCL_COMMAND_COPY;
  native->memory[0] = image->below;
  native->offset[0] = native->origin[0][0] * image->element;
  native->size = native->region[0] * image->element;
  native->origin[0] = native->region = NULL;
  return CL_SUCCESS;
}

static cl_int command_resolve_memory(struct vocl_service *session,
                                     struct vocl_service_command *command,
                                     const struct vocl_msg_command *msg)
{
  const struct vocl_service_memory *sides[2] = {NULL};
  cl_int code = CL_SUCCESS;
  for (int i = 0; i < 2; i++) {
    const enum vocl_operand_form form = vocl_command_kinds[msg->sort].operands[i].form;
    if (form == VOCL_NO_MEMORY)
      continue;
    struct vocl_service_object *memory =
        vocl_service_object_resolve(session, msg->memory[i], VOCL_BUFFER, &code);
    if (memory == NULL)
      return code;
    if ((memory->sort == VOCL_IMAGE) != (form == VOCL_PIXELS))
      return CL_INVALID_MEM_OBJECT;
    command->native.memory[i] = memory->native;
    command_need(command, memory);
    sides[i] = (const struct vocl_service_memory *)memory;
  }
  if (!vocl_service_command_is_within(command, sides))
    return CL_INVALID_VALUE;
  return sides[0] != NULL && sides[0]->below != NULL ? pocl_work_around(command, sides[0])
                                                     : CL_SUCCESS;
}

/* Returns true if a work-group size is 0: PoCL would divide by it. */
static bool has_empty_group(const struct vocl_command *native)
{
  for (cl_uint i = 0; native->local_size != NULL && i < native->count; i++)
    if (native->local_size[i] == 0)
      return true;
  return false;
}

static bool is_launch(const struct vocl_service_command *command)
{
  return (vocl_command_kind_of(&command->native)->has & VOCL_HAS_KERNEL) != 0;
}

/* Resolves all objects that the command uses. Its memory comes last, so that a transfer finds
 * its memory in needs[held_count - 1]. */
static cl_int command_resolve(struct vocl_service *session, struct vocl_service_command *command,
                              const struct vocl_msg_command *msg, const struct command_parts *parts)
{
  cl_int code = CL_SUCCESS;
  for (uint32_t i = 0; i < msg->wait_count; i++) {
    struct vocl_service_object *event = vocl_service_object_find(session, parts->waits[i]);
    if (event == NULL || event->sort != VOCL_EVENT || event == &command->object)
      return CL_INVALID_EVENT_WAIT_LIST;
    command_need(command, event);
    command->wait_count++;
  }
  if (is_launch(command)) {
    struct vocl_service_object *kernel =
        vocl_service_object_resolve(session, msg->kernel, VOCL_KERNEL, &code);
    if (kernel == NULL)
      return code;
    command->native.kernel = kernel->native;
    command_need(command, kernel);
  }
  for (uint32_t i = 0; i < msg->object_count; i++) {
    struct vocl_service_object *memory =
        vocl_service_object_resolve(session, parts->objects[i], VOCL_BUFFER, &code);
    if (memory == NULL)
      return code;
    command_need(command, memory);
  }
  if (msg->sort == VOCL_COMMAND_LAUNCH && (msg->count < 1 || msg->count > 3))
    return CL_INVALID_WORK_DIMENSION;
  if (msg->sort == VOCL_COMMAND_LAUNCH && has_empty_group(&command->native))
    return CL_INVALID_WORK_GROUP_SIZE;
  return command_resolve_memory(session, command, msg);
}

static size_t needs_of(const struct vocl_msg_command *msg)
{
  return (size_t)msg->wait_count + msg->object_count + 3;
}

/* Creates the command with the values in the message. command_resolve adds the objects later.
 * Returns NULL if the event's number is invalid or taken, or if there is no memory. */
static struct vocl_service_command *command_new(struct vocl_service *session,
                                                const struct vocl_msg_command *msg,
                                                const struct command_parts *parts)
{
  const size_t space = needs_of(msg) * sizeof(void *);
  struct vocl_service_command *command = vocl_service_object_enter(
      session, VOCL_EVENT, msg->event, sizeof *command + space + msg->pattern_size);
  if (command == NULL)
    return NULL;
  struct vocl_command *native = &command->native;
  command->needs = (struct vocl_service_object **)(void *)(command + 1);
  command->ticket = msg->header.ticket;
  *native = (struct vocl_command){.sort = (enum vocl_command_sort)msg->sort,
                                  .offset = {msg->offset[0], msg->offset[1]},
                                  .row_pitch = {msg->row_pitch[0], msg->row_pitch[1]},
                                  .slice_pitch = {msg->slice_pitch[0], msg->slice_pitch[1]},
                                  .size = msg->size,
                                  .pattern_size = msg->pattern_size,
                                  .flags = msg->flags,
                                  .count = msg->count};
  for (int i = 0; i < VOCL_TRIPLES; i++)
    if (parts->triples[i] != NULL)
      native->triples[i] =
          memcpy(command->triples[i], parts->triples[i], sizeof command->triples[i]);
  if (msg->pattern_size > 0)
    native->pattern = memcpy((char *)command->needs + space, parts->pattern, msg->pattern_size);
  return command;
}

/* Checks the command and appends it to its queue. */
static cl_int command_begin(struct vocl_service *session, struct vocl_service_command *command,
                            const struct vocl_msg_command *msg, const struct command_parts *parts)
{
  cl_int code = CL_SUCCESS;
  const struct vocl_command *native = &command->native;
  struct vocl_service_object *object =
      vocl_service_object_resolve(session, msg->queue, VOCL_QUEUE, &code);
  if (object == NULL)
    return code;
  struct vocl_service_queue *queue = (struct vocl_service_queue *)object;
  if (!vocl_service_queue_start(queue))
    return CL_OUT_OF_RESOURCES;
  command->native.queue = object->native;
  code = command_resolve(session, command, msg, parts);
  if (code == CL_SUCCESS && is_launch(command))
    code = vocl_service_check_arguments(session, command);
  if (code == CL_SUCCESS && (vocl_command_reads(native) || vocl_command_writes(native)))
    code = vocl_service_command_measure(
        command, (const struct vocl_service_memory *)command->needs[command->held_count - 1]);
  if (code == CL_SUCCESS && vocl_command_writes(native) && command->total != msg->data)
    code = CL_INVALID_VALUE;
  if (code == CL_SUCCESS)
    vocl_service_queue_append(queue, command);
  return code;
}

bool vocl_service_command(struct vocl_service *session, const void *message, size_t bytes)
{
  const struct vocl_msg_command *msg = message;
  struct command_parts parts;
  if (!command_part(msg, bytes, &parts))
    return vocl_service_protocol_error(session, "parts of a command");
  struct vocl_service_command *command = command_new(session, msg, &parts);
  if (command == NULL)
    return vocl_service_protocol_error(session, "the number of an event");
  vocl_service_count(&session->counts->commands, 1);
  const cl_int code = command_begin(session, command, msg, &parts);
  const bool writes = vocl_command_writes(&command->native);
  if (code != CL_SUCCESS) {
    command->total = writes ? msg->data : 0;
    vocl_service_issued(session, command, code);
    return true;
  }
  session->awaiting += writes && command->total > 0;
  vocl_service_object_ref(&command->object); /* keeps the command alive: vocl_service_issue forgets
                                                it if the vendor rejects it */
  vocl_service_issue(session);
  const bool is_kept = command->is_issued || !is_launch(command) ||
                       vocl_service_snapshot_arguments(session, command);
  vocl_service_object_unref(session, &command->object);
  return is_kept || vocl_service_protocol_error(session, "no memory for a command");
}

/* Appends a piece of data to its command, which keeps it until the vendor has read it. */
static bool command_data(struct vocl_service *session, struct vocl_service_command *command,
                         struct vocl_service_piece *piece)
{
  if (!vocl_command_writes(&command->native) || piece->offset != command->received ||
      piece->size > command->total - command->received)
    return vocl_service_protocol_error(session, "data of a command");
  command->received += piece->size;
  const bool is_all = command->received == command->total;
  if (command->is_issued) { /* the command has failed already, so nothing reads the data */
    vocl_service_piece_release(session, piece);
    if (is_all && command->is_rejected)
      vocl_service_object_forget(session, &command->object);
    return true;
  }
  if (command->last != NULL)
    command->last->next_of_command = piece;
  else
    command->first = piece;
  command->last = piece;
  session->awaiting -= is_all;
  vocl_service_issue(session);
  return true;
}

bool vocl_on_data(struct vocl_service *session, const void *message, size_t bytes)
{
  (void)bytes;
  const struct vocl_msg_data *msg = message;
  struct vocl_service_object *object = vocl_service_object_find(session, msg->number);
  struct vocl_service_piece *piece = NULL;
  if (object == NULL || (object->sort != VOCL_EVENT && !object->is_coming))
    return vocl_service_protocol_error(session, "data for a nonexistent object");
  if (!vocl_service_piece_new(session, msg, &piece))
    return false;
  if (object->sort == VOCL_EVENT)
    return command_data(session, (struct vocl_service_command *)object, piece);
  const bool is_good = vocl_service_make_continue(session, object, msg, piece->bytes);
  vocl_service_piece_release(session, piece);
  return is_good;
}
