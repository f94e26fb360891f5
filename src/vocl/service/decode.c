/* Hears commands and the data that they write: decodes, checks, and puts them where they wait for
 * the vendor. */
#include "service/session.h"

#include <stdlib.h>
#include <string.h>

enum { LINES = 1, PIXELS = 2, EITHER = LINES | PIXELS }; /* sorts of memory */

static const struct {
  uint32_t has; /* parts that must be there */
  unsigned char memory[2];
  bool has_kernel, reads, writes, travels;
  uint64_t least_pattern;
} sorts[CWI_COMMAND_SORTS] = {
    [CWI_COMMAND_READ] = {.memory = {LINES}, .reads = true, .travels = true},
    [CWI_COMMAND_WRITE] = {.memory = {LINES}, .writes = true, .travels = true},
    [CWI_COMMAND_READ_RECT] = {.has = CWI_HAS_ORIGIN_0 | CWI_HAS_REGION,
                               .memory = {LINES},
                               .reads = true,
                               .travels = true},
    [CWI_COMMAND_WRITE_RECT] = {.has = CWI_HAS_ORIGIN_0 | CWI_HAS_REGION,
                                .memory = {LINES},
                                .writes = true,
                                .travels = true},
    [CWI_COMMAND_COPY] = {.memory = {LINES, LINES}, .travels = true},
    [CWI_COMMAND_COPY_RECT] = {.has = CWI_HAS_ORIGIN_0 | CWI_HAS_ORIGIN_1 | CWI_HAS_REGION,
                               .memory = {LINES, LINES},
                               .travels = true},
    [CWI_COMMAND_FILL] = {.memory = {LINES}, .travels = true, .least_pattern = 1},
    [CWI_COMMAND_READ_IMAGE] = {.has = CWI_HAS_ORIGIN_0 | CWI_HAS_REGION,
                                .memory = {PIXELS},
                                .reads = true,
                                .travels = true},
    [CWI_COMMAND_WRITE_IMAGE] = {.has = CWI_HAS_ORIGIN_0 | CWI_HAS_REGION,
                                 .memory = {PIXELS},
                                 .writes = true,
                                 .travels = true},
    [CWI_COMMAND_COPY_IMAGE] = {.has = CWI_HAS_ORIGIN_0 | CWI_HAS_ORIGIN_1 | CWI_HAS_REGION,
                                .memory = {PIXELS, PIXELS},
                                .travels = true},
    [CWI_COMMAND_FILL_IMAGE] = {.has = CWI_HAS_ORIGIN_0 | CWI_HAS_REGION,
                                .memory = {PIXELS},
                                .travels = true,
                                .least_pattern = 16},
    [CWI_COMMAND_IMAGE_TO_BUFFER] = {.has = CWI_HAS_ORIGIN_0 | CWI_HAS_REGION,
                                     .memory = {PIXELS, LINES},
                                     .travels = true},
    [CWI_COMMAND_BUFFER_TO_IMAGE] = {.has = CWI_HAS_ORIGIN_1 | CWI_HAS_REGION,
                                     .memory = {LINES, PIXELS},
                                     .travels = true},
    [CWI_COMMAND_MIGRATE] = {.travels = true},
    [CWI_COMMAND_LAUNCH] = {.has_kernel = true, .travels = true},
    [CWI_COMMAND_TASK] = {.has_kernel = true, .travels = true},
    [CWI_COMMAND_MARKER] = {.travels = true},
    [CWI_COMMAND_BARRIER] = {.travels = true},
};

/* A command's message as it was checked: where its parts are. */
struct command_parts {
  const uint32_t *objects, *waits;
  const uint64_t *triples[6];
  const void *pattern;
};

static bool command_part(const struct cwi_say_command *said, size_t bytes, struct command_parts *of)
{
  struct cwi_service_parts parts = {(const char *)(said + 1), bytes - sizeof *said, true};
  of->objects = cwi_service_part(&parts, said->object_count, sizeof *of->objects);
  of->waits = cwi_service_part(&parts, said->wait_count, sizeof *of->waits);
  for (int i = 0; i < 6; i++)
    of->triples[i] = (said->has & 1u << i) != 0 && parts.are_good
                         ? cwi_service_part(&parts, 3, sizeof(uint64_t))
                         : NULL;
  of->pattern = cwi_service_part(&parts, said->pattern_size, 1);
  return parts.are_good && said->sort < CWI_COMMAND_SORTS && sorts[said->sort].travels &&
         (sorts[said->sort].has & ~said->has) == 0 &&
         said->pattern_size >= sorts[said->sort].least_pattern &&
         (sorts[said->sort].writes || said->data == 0 || sorts[said->sort].reads);
}

/* The events waited for and everything else that it uses are held. */
static void command_need(struct cwi_service_command *command, struct cwi_service_object *object)
{
  cwi_service_hold(object);
  command->needs[command->held_count++] = object;
}

static bool is_pocl(void *queue)
{
  const cl_icd_dispatch *calls = cwi_vendor_calls(queue);
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

/* PoCL (3.1) crashes where it fills an image of a 1D buffer, or copies from one to a buffer. The
 * copy is one of buffers. */
static cl_int command_go_round(struct cwi_service_command *command,
                               const struct cwi_service_memory *image)
{
  struct cwi_command *native = &command->native;
  if (native->sort == CWI_COMMAND_FILL_IMAGE && is_pocl(native->queue))
    return CL_INVALID_OPERATION;
  if (native->sort != CWI_COMMAND_IMAGE_TO_BUFFER)
    return CL_SUCCESS;
  native->sort = CWI_COMMAND_COPY;
  native->memory[0] = image->below;
  native->offset[0] = native->origin[0][0] * image->element;
  native->size = native->region[0] * image->element;
  native->origin[0] = native->region = NULL;
  return CL_SUCCESS;
}

static cl_int command_resolve_memory(struct cwi_service *session,
                                     struct cwi_service_command *command,
                                     const struct cwi_say_command *said)
{
  const struct cwi_service_memory *sides[2] = {NULL};
  cl_int code = CL_SUCCESS;
  for (int i = 0; i < 2; i++) {
    const unsigned wanted = sorts[said->sort].memory[i];
    if (wanted == 0)
      continue;
    struct cwi_service_object *memory =
        cwi_service_resolve(session, said->memory[i], CWI_BUFFER, &code);
    if (memory == NULL)
      return code;
    if ((wanted & (memory->sort == CWI_IMAGE ? PIXELS : LINES)) == 0)
      return CL_INVALID_MEM_OBJECT;
    command->native.memory[i] = memory->native;
    command_need(command, memory);
    sides[i] = (const struct cwi_service_memory *)memory;
  }
  if (!cwi_service_is_within(command, sides))
    return CL_INVALID_VALUE;
  return sides[0] != NULL && sides[0]->below != NULL ? command_go_round(command, sides[0])
                                                     : CL_SUCCESS;
}

/* PoCL divides by it. */
static bool has_empty_group(const struct cwi_command *native)
{
  for (cl_uint i = 0; native->local_size != NULL && i < native->count; i++)
    if (native->local_size[i] == 0)
      return true;
  return false;
}

/* Memory is needed last: data has it in needs[held_count - 1]. */
static cl_int command_resolve(struct cwi_service *session, struct cwi_service_command *command,
                              const struct cwi_say_command *said, const struct command_parts *parts)
{
  cl_int code = CL_SUCCESS;
  for (uint32_t i = 0; i < said->wait_count; i++) {
    struct cwi_service_object *event = cwi_service_find(session, parts->waits[i]);
    if (event == NULL || event->sort != CWI_EVENT || event == &command->object)
      return CL_INVALID_EVENT_WAIT_LIST;
    command_need(command, event);
    command->wait_count++;
  }
  if (sorts[said->sort].has_kernel) {
    struct cwi_service_object *kernel =
        cwi_service_resolve(session, said->kernel, CWI_KERNEL, &code);
    if (kernel == NULL)
      return code;
    command->native.kernel = kernel->native;
    command_need(command, kernel);
  }
  for (uint32_t i = 0; i < said->object_count; i++) {
    struct cwi_service_object *memory =
        cwi_service_resolve(session, parts->objects[i], CWI_BUFFER, &code);
    if (memory == NULL)
      return code;
    command_need(command, memory);
  }
  if (said->sort == CWI_COMMAND_LAUNCH && (said->count < 1 || said->count > 3))
    return CL_INVALID_WORK_DIMENSION;
  if (said->sort == CWI_COMMAND_LAUNCH && has_empty_group(&command->native))
    return CL_INVALID_WORK_GROUP_SIZE;
  return command_resolve_memory(session, command, said);
}

static size_t needs_of(const struct cwi_say_command *said)
{
  return (size_t)said->wait_count + said->object_count + 3;
}

/* The command with its numbers; its objects are resolved later. NULL: its number cannot be. */
static struct cwi_service_command *command_new(struct cwi_service *session,
                                               const struct cwi_say_command *said,
                                               const struct command_parts *parts)
{
  const size_t room = needs_of(said) * sizeof(void *);
  struct cwi_service_command *command = cwi_service_enter(
      session, CWI_EVENT, said->event, sizeof *command + room + said->pattern_size);
  if (command == NULL)
    return NULL;
  struct cwi_command *native = &command->native;
  command->needs = (struct cwi_service_object **)(void *)(command + 1);
  command->ticket = said->said.ticket;
  *native = (struct cwi_command){.sort = (enum cwi_command_sort)said->sort,
                                 .offset = {said->offset[0], said->offset[1]},
                                 .row_pitch = {said->row_pitch[0], said->row_pitch[1]},
                                 .slice_pitch = {said->slice_pitch[0], said->slice_pitch[1]},
                                 .size = said->size,
                                 .pattern_size = said->pattern_size,
                                 .flags = said->flags,
                                 .count = said->count};
  const size_t *triples[6] = {NULL};
  for (int i = 0; i < 6; i++) {
    if (parts->triples[i] == NULL)
      continue;
    memcpy(command->triples[i], parts->triples[i], sizeof command->triples[i]);
    triples[i] = command->triples[i];
  }
  native->origin[0] = triples[0];
  native->origin[1] = triples[1];
  native->region = triples[2];
  native->global_offset = triples[3];
  native->global_size = triples[4];
  native->local_size = triples[5];
  if (said->pattern_size > 0)
    native->pattern = memcpy((char *)command->needs + room, parts->pattern, said->pattern_size);
  return command;
}

/* Puts it behind what its queue has. */
static cl_int command_begin(struct cwi_service *session, struct cwi_service_command *command,
                            const struct cwi_say_command *said, const struct command_parts *parts)
{
  cl_int code = CL_SUCCESS;
  struct cwi_service_object *object = cwi_service_resolve(session, said->queue, CWI_QUEUE, &code);
  if (object == NULL)
    return code;
  struct cwi_service_queue *queue = (struct cwi_service_queue *)object;
  if (!cwi_service_queue_start(queue))
    return CL_OUT_OF_RESOURCES;
  command->native.queue = object->native;
  code = command_resolve(session, command, said, parts);
  if (code == CL_SUCCESS && sorts[said->sort].has_kernel)
    code = cwi_service_check_arguments(session, command);
  if (code == CL_SUCCESS && (sorts[said->sort].reads || sorts[said->sort].writes))
    code = cwi_service_measure(
        command, (const struct cwi_service_memory *)command->needs[command->held_count - 1]);
  if (code == CL_SUCCESS && sorts[said->sort].writes && command->total != said->data)
    code = CL_INVALID_VALUE;
  if (code == CL_SUCCESS)
    cwi_service_queue_append(queue, command);
  return code;
}

bool cwi_service_command(struct cwi_service *session, const void *message, size_t bytes)
{
  const struct cwi_say_command *said = message;
  struct command_parts parts;
  if (!command_part(said, bytes, &parts))
    return cwi_service_wild(session, "parts of a command");
  struct cwi_service_command *command = command_new(session, said, &parts);
  if (command == NULL)
    return cwi_service_wild(session, "the number of an event");
  cwi_service_count(&session->counts->commands, 1);
  const cl_int code = command_begin(session, command, said, &parts);
  const bool writes = sorts[said->sort].writes;
  if (code != CL_SUCCESS) {
    command->total = writes ? said->data : 0;
    cwi_service_issued(session, command, code);
    return true;
  }
  session->awaiting += writes && command->total > 0;
  cwi_service_hold(&command->object); /* the vendor may refuse it: then it is gone */
  cwi_service_issue(session);
  const bool is_kept = command->is_issued || !sorts[said->sort].has_kernel ||
                       cwi_service_keep_arguments(session, command);
  cwi_service_let_go(session, &command->object);
  return is_kept || cwi_service_wild(session, "no memory for a command");
}

/* What a command writes is kept in its order until the vendor has it. */
static bool command_data(struct cwi_service *session, struct cwi_service_command *command,
                         struct cwi_service_piece *piece)
{
  if (!sorts[command->native.sort].writes || piece->offset != command->come ||
      piece->size > command->total - command->come)
    return cwi_service_wild(session, "data of a command");
  command->come += piece->size;
  const bool is_all = command->come == command->total;
  if (command->is_issued) { /* nobody wants it any more */
    cwi_service_piece_end(session, piece);
    if (is_all && command->is_refused)
      cwi_service_forget(session, &command->object);
    return true;
  }
  if (command->last != NULL)
    command->last->next_of_command = piece;
  else
    command->first = piece;
  command->last = piece;
  session->awaiting -= is_all;
  cwi_service_issue(session);
  return true;
}

bool cwi_service_data(struct cwi_service *session, const void *message, size_t bytes)
{
  (void)bytes;
  const struct cwi_say_data *said = message;
  struct cwi_service_object *object = cwi_service_find(session, said->number);
  struct cwi_service_piece *piece = NULL;
  if (object == NULL || (object->sort != CWI_EVENT && !object->is_coming))
    return cwi_service_wild(session, "data of nothing");
  if (!cwi_service_piece_new(session, said, &piece))
    return false;
  if (object->sort == CWI_EVENT)
    return command_data(session, (struct cwi_service_command *)object, piece);
  const bool is_good = cwi_service_make_more(session, object, said, piece->bytes);
  cwi_service_piece_end(session, piece);
  return is_good;
}
