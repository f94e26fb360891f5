/* Deferred commands. They wait for user events that are not set, for events of other locations,
 * for transfers, for other deferred commands, and, in an in-order queue, for the commands before
 * them. */
#include "command/command_submit.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SPACE = 8 };

/* --- lists of events --- */

bool vocl_wait_list_add(struct vocl_wait_list *waits, struct vocl_replicated_event *event)
{
  if (waits->count == waits->space) {
    const cl_uint space = waits->space > 0 ? 2 * waits->space : FIRST_SPACE;
    struct vocl_replicated_event **events = realloc(waits->events, space * sizeof *events);
    if (events == NULL)
      return false;
    waits->events = events;
    waits->space = space;
  }
  vocl_replicated_ref(event);
  waits->events[waits->count++] = event;
  return true;
}

void vocl_wait_list_free(struct vocl_wait_list *waits)
{
  for (cl_uint i = 0; i < waits->count; i++)
    vocl_replicated_unref(waits->events[i]);
  free(waits->events);
  *waits = (struct vocl_wait_list){0};
}

/* --- decision --- */

/* Returns true if the command waits for all earlier commands of its queue. */
static bool command_gathers(const struct vocl_command *command)
{
  return vocl_command_kind_of(command)->role == VOCL_GATHERS && command->wait_count == 0 &&
         (command->flags & VOCL_WAITS_FOR_LIST) == 0;
}

bool vocl_command_must_wait(const struct vocl_command *command)
{
  const struct vocl_replicated_queue *queue = command->queue;
  for (cl_uint i = 0; i < command->wait_count; i++)
    if (!vocl_replicated_event_permits(command->waits[i], queue->location))
      return true;
  if (queue->waiting == 0)
    return false;
  if (vocl_queue_is_in_order(queue) || command_gathers(command))
    return true;
  for (const struct vocl_deferred_command *each = queue->first; each != NULL; each = each->after)
    if (each->command.sort == VOCL_COMMAND_BARRIER)
      return true;
  return false;
}

/* --- deferring --- */

static void keep_triples(struct vocl_deferred_command *deferred)
{
  struct vocl_command *c = &deferred->command;
  for (unsigned i = 0; i < VOCL_TRIPLES; i++)
    if (c->triples[i] != NULL)
      c->triples[i] = memcpy(deferred->triples[i], c->triples[i],
                             vocl_command_triple_words(c, i) * sizeof(size_t));
}

/* Copies the pattern. A pattern that is too long is cut here, and rejected when the command is
 * submitted. */
static void keep_pattern(struct vocl_deferred_command *deferred)
{
  struct vocl_command *c = &deferred->command;
  const size_t most = sizeof deferred->pattern;
  if (c->pattern != NULL)
    c->pattern =
        memcpy(deferred->pattern, c->pattern, c->pattern_size < most ? c->pattern_size : most);
}

static bool keep_objects(struct vocl_deferred_command *deferred)
{
  struct vocl_command *c = &deferred->command;
  for (cl_uint i = 0; i < c->wait_count; i++)
    if (!vocl_wait_list_add(&deferred->waits, c->waits[i]))
      return false;
  const bool gathers = command_gathers(c);
  c->wait_count = 0;
  c->waits = NULL;
  deferred->gathers = gathers;
  if (c->object_count > 0) {
    deferred->objects = malloc(c->object_count * sizeof *deferred->objects);
    if (deferred->objects == NULL)
      return false;
    c->objects = memcpy(deferred->objects, c->objects, c->object_count * sizeof *deferred->objects);
  }
  if (c->kernel != NULL)
    deferred->arguments = vocl_arguments_snapshot(c->kernel);
  return c->kernel == NULL || deferred->arguments != NULL;
}

static void hold_objects(const struct vocl_deferred_command *deferred)
{
  const struct vocl_command *c = &deferred->command;
  vocl_replicated_ref(deferred->event);
  for (int i = 0; i < 2; i++)
    if (c->memory[i] != NULL)
      vocl_replicated_ref(c->memory[i]);
  if (c->kernel != NULL)
    vocl_replicated_ref(c->kernel);
  for (cl_uint i = 0; i < c->object_count; i++)
    vocl_replicated_ref(deferred->objects[i]);
}

struct vocl_deferred_command *vocl_command_defer(struct vocl_replicated_event *event,
                                                 const struct vocl_command *command,
                                                 struct vocl_wait_list *waits)
{
  struct vocl_replicated_queue *queue = event->queue;
  struct vocl_deferred_command *deferred = calloc(1, sizeof *deferred);
  if (deferred == NULL)
    return NULL;
  deferred->command = *command;
  deferred->command.blocking = CL_FALSE;
  deferred->command.event = NULL;
  deferred->event = event;
  deferred->waits = *waits;
  *waits = (struct vocl_wait_list){0};
  if (!keep_objects(deferred)) {
    *waits = deferred->waits; /* for the caller to free */
    free(deferred->objects);
    free(deferred);
    return NULL;
  }
  keep_triples(deferred);
  keep_pattern(deferred);
  hold_objects(deferred);
  deferred->place = ++queue->entered;
  deferred->before = queue->last;
  *(queue->last != NULL ? &queue->last->after : &queue->first) = deferred;
  queue->last = deferred;
  __atomic_fetch_add(&queue->waiting, 1, __ATOMIC_RELEASE);
  queue->replicated.context->deferred++;
  return deferred;
}

void vocl_deferred_command_free(struct vocl_deferred_command *deferred)
{
  const struct vocl_command *c = &deferred->command;
  struct vocl_replicated_kernel *kernel = c->kernel;
  vocl_wait_list_free(&deferred->waits);
  for (cl_uint i = 0; i < c->object_count; i++)
    vocl_replicated_unref(deferred->objects[i]);
  for (int i = 0; i < 2; i++)
    vocl_replicated_unref(c->memory[i]);
  if (kernel != NULL)
    vocl_arguments_free(deferred->arguments, kernel->count);
  vocl_replicated_unref(kernel);
  vocl_replicated_unref(deferred->event);
  free(deferred->objects);
  free(deferred);
}
