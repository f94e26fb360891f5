/* Commands that wait at home: for events of the program's own that are not set, for others that
 * wait, and, in a queue that keeps order, for what comes before them. */
#include "remote/session.h"

#include <stdlib.h>
#include <string.h>

static bool keeps_order(const struct cwi_far_queue *queue)
{
  return (queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
}

static bool is_at_home(const struct cwi_far_event *event)
{
  return !cwi_is_complete(event) && (event->is_user || event->command != NULL);
}

/* One of them waits for all that came before it in the queue. */
static bool gathers(const struct cwi_command *command)
{
  return (command->sort == CWI_COMMAND_MARKER || command->sort == CWI_COMMAND_BARRIER) &&
         command->wait_count == 0;
}

bool cwi_command_must_wait(const struct cwi_command *command)
{
  const struct cwi_far_queue *queue = command->queue;
  for (cl_uint i = 0; i < command->wait_count; i++)
    if (is_at_home(command->waits[i]))
      return true;
  if (queue->waiting == 0)
    return false;
  if (keeps_order(queue) || gathers(command))
    return true;
  for (const struct cwi_far_event *each = queue->first; each != NULL; each = each->after)
    if (each->command != NULL && each->command->command.sort == CWI_COMMAND_BARRIER)
      return true;
  return false;
}

/* --- keeping --- */

static void keep_triples(struct cwi_waiting_command *waiting)
{
  struct cwi_command *c = &waiting->command;
  const size_t **const places[] = {&c->origin[0],     &c->origin[1],   &c->region,
                                   &c->global_offset, &c->global_size, &c->local_size};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    if (*places[i] == NULL)
      continue;
    const size_t words = i < 3 ? 3 : c->count;
    memcpy(waiting->triples[i], *places[i], words * sizeof(size_t));
    *places[i] = waiting->triples[i];
  }
}

static bool keep_objects(struct cwi_waiting_command *waiting)
{
  struct cwi_command *c = &waiting->command;
  const cl_uint objects = c->sort == CWI_COMMAND_MIGRATE ? c->count : 0;
  const cl_uint all = objects + c->wait_count;
  waiting->objects = malloc((all + 1) * sizeof *waiting->objects);
  if (waiting->objects == NULL)
    return false;
  if (objects > 0)
    memcpy(waiting->objects, c->objects, objects * sizeof *waiting->objects);
  if (c->wait_count > 0)
    memcpy(waiting->objects + objects, c->waits, c->wait_count * sizeof *waiting->objects);
  for (cl_uint i = 0; i < all; i++)
    cwi_far_hold(waiting->objects[i]);
  c->objects = waiting->objects;
  c->waits = waiting->objects + objects;
  return true;
}

bool cwi_command_keep(struct cwi_far_event *event, const struct cwi_command *command)
{
  struct cwi_waiting_command *waiting = calloc(1, sizeof *waiting);
  if (waiting == NULL)
    return false;
  struct cwi_command *c = &waiting->command;
  *c = *command;
  if (c->kernel != NULL)
    waiting->arguments = cwi_arguments_copy(c->kernel);
  if ((c->kernel != NULL && waiting->arguments == NULL) || !keep_objects(waiting)) {
    if (c->kernel != NULL && waiting->arguments != NULL)
      cwi_arguments_free(waiting->arguments, ((struct cwi_far_kernel *)c->kernel)->facts->count);
    free(waiting);
    return false;
  }
  keep_triples(waiting);
  if (c->pattern != NULL) {
    memcpy(waiting->pattern, c->pattern, c->pattern_size);
    c->pattern = waiting->pattern;
  }
  for (int i = 0; i < 2; i++)
    if (c->memory[i] != NULL)
      cwi_far_hold(c->memory[i]);
  if (c->kernel != NULL) {
    const struct cwi_far_kernel *kernel = c->kernel;
    cwi_far_hold(c->kernel);
    cwi_arguments_hold(kernel->far.session, waiting->arguments, kernel->facts->count, true);
  }
  event->command = waiting;
  event->status = CL_QUEUED;
  event->queue->waiting++;
  return true;
}

/* --- releasing --- */

enum readiness { NOT_YET, READY, FAILED };

static enum readiness readiness(const struct cwi_far_event *event, bool is_first)
{
  const struct cwi_command *c = &event->command->command;
  enum readiness ready = gathers(c) && !is_first ? NOT_YET : READY;
  for (cl_uint i = 0; i < c->wait_count; i++) {
    const struct cwi_far_event *wait = c->waits[i];
    if (wait->status < 0)
      return FAILED;
    if (is_at_home(wait))
      ready = NOT_YET;
  }
  return ready;
}

/* The command failed before it began, and in a queue that keeps order what waits behind it, too. */
static void commands_fail(struct cwi_far_event *event)
{
  struct cwi_far_queue *queue = event->queue;
  cwi_far_hold(queue);
  if (!keeps_order(queue)) {
    cwi_event_complete(event, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, NULL);
  } else {
    for (struct cwi_far_event *each = queue->first, *next = NULL; each != NULL; each = next) {
      next = each->after;
      if (each->command != NULL)
        cwi_event_complete(each, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, NULL);
    }
  }
  cwi_far_let_go(queue);
}

/* Say it. The lock may be given back meanwhile. */
static void command_release(struct cwi_far_event *event)
{
  struct cwi_waiting_command *waiting = event->command;
  struct cwi_far_kernel *kernel = waiting->command.kernel;
  cwi_far_hold(event);
  waiting->is_leaving = true;
  if (kernel != NULL) {
    kernel->is_stale = true;
    cwi_kernel_say(kernel, waiting->arguments);
  }
  cwi_command_say(event, &waiting->command, 0);
  cwi_waiting_free(waiting);
  cwi_far_let_go(event);
}

/* The first of the queue's that need not wait any more. Returns whether there was one. */
static bool queue_release(struct cwi_far_queue *queue)
{
  bool is_first = true;
  for (struct cwi_far_event *each = queue->first; each != NULL; each = each->after) {
    if (each->command == NULL)
      continue;
    const enum readiness ready = readiness(each, is_first);
    if (ready == FAILED)
      commands_fail(each);
    else if (ready == READY)
      command_release(each);
    if (ready != NOT_YET)
      return true;
    if (keeps_order(queue) || each->command->command.sort == CWI_COMMAND_BARRIER)
      return false;
    is_first = false;
  }
  return false;
}

static bool release_one(struct cwi_session *session)
{
  for (struct cwi_far_queue *queue = session->queues; queue != NULL; queue = queue->next)
    if (queue->waiting > 0 && queue_release(queue))
      return true;
  return false;
}

/* Say what need not wait any more. */
static void commands_release(struct cwi_session *session)
{
  session->releases_again = true;
  if (session->releases)
    return;
  session->releases = true;
  while (session->releases_again) {
    session->releases_again = false;
    while (!session->is_over && release_one(session))
      ;
  }
  session->releases = false;
  if (!session->is_over)
    cwi_say_commonly(session);
}

cl_int cwi_remote_set_user_event(void *object, cl_int status)
{
  struct cwi_far_event *event = object;
  struct cwi_session *session = event->far.session;
  cl_int code = CL_INVALID_OPERATION;
  cwi_session_lock(session);
  if (session->is_over) {
    code = CL_DEVICE_NOT_AVAILABLE;
  } else if (!cwi_is_complete(event)) {
    code = CL_SUCCESS;
    cwi_event_complete(event, status, NULL);
    cwi_session_wake(session);
    commands_release(session);
  }
  cwi_session_unlock(session);
  return code;
}
