/* Commands that wait at home: for events of the program's own that are not set, for events of other
 * sites, for data that is on its way, for others that wait, and, in a queue that keeps order, for
 * what comes before them. */
#include "sites/site.h"

#include <stdlib.h>
#include <string.h>

enum { COLOUR_BYTES = 16, FIRST_ROOM = 8 };

/* --- lists of events --- */

bool cwi_waits_add(struct cwi_waits *waits, struct cwi_sited_event *event)
{
  if (waits->count == waits->room) {
    const cl_uint room = waits->room > 0 ? 2 * waits->room : FIRST_ROOM;
    struct cwi_sited_event **events = realloc(waits->events, room * sizeof *events);
    if (events == NULL)
      return false;
    waits->events = events;
    waits->room = room;
  }
  cwi_sited_hold(event);
  waits->events[waits->count++] = event;
  return true;
}

void cwi_waits_free(struct cwi_waits *waits)
{
  for (cl_uint i = 0; i < waits->count; i++)
    cwi_sited_let_go(waits->events[i]);
  free(waits->events);
  *waits = (struct cwi_waits){0};
}

/* --- must it wait? --- */

/* One of them waits for all that came before it in the queue. */
static bool command_gathers(const struct cwi_command *command)
{
  return (command->sort == CWI_COMMAND_MARKER || command->sort == CWI_COMMAND_BARRIER) &&
         command->wait_count == 0 && (command->flags & CWI_WAITS_FOR_LIST) == 0;
}

bool cwi_command_must_wait(const struct cwi_command *command)
{
  const struct cwi_sited_queue *queue = command->queue;
  for (cl_uint i = 0; i < command->wait_count; i++)
    if (!cwi_event_lets_go(command->waits[i], queue->site))
      return true;
  if (queue->waiting == 0)
    return false;
  if (cwi_queue_keeps_order(queue) || command_gathers(command))
    return true;
  for (const struct cwi_kept *each = queue->first; each != NULL; each = each->after)
    if (each->command.sort == CWI_COMMAND_BARRIER)
      return true;
  return false;
}

/* --- keeping --- */

static void keep_triples(struct cwi_kept *kept)
{
  struct cwi_command *c = &kept->command;
  const size_t **const places[] = {&c->origin[0],     &c->origin[1],   &c->region,
                                   &c->global_offset, &c->global_size, &c->local_size};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    if (*places[i] == NULL)
      continue;
    const size_t words = i < 3 ? 3 : c->count < 3 ? c->count : 3;
    memcpy(kept->triples[i], *places[i], words * sizeof(size_t));
    *places[i] = kept->triples[i];
  }
}

static void keep_pattern(struct cwi_kept *kept)
{
  struct cwi_command *c = &kept->command;
  size_t bytes = c->sort == CWI_COMMAND_FILL ? c->pattern_size : COLOUR_BYTES;
  if (c->pattern == NULL)
    return;
  bytes = bytes < sizeof kept->pattern ? bytes : sizeof kept->pattern;
  memcpy(kept->pattern, c->pattern, bytes);
  c->pattern = kept->pattern;
}

static bool keep_objects(struct cwi_kept *kept)
{
  struct cwi_command *c = &kept->command;
  for (cl_uint i = 0; i < c->wait_count; i++)
    if (!cwi_waits_add(&kept->waits, c->waits[i]))
      return false;
  const bool gathers = command_gathers(c);
  c->wait_count = 0;
  c->waits = NULL;
  kept->gathers = gathers;
  if (c->sort == CWI_COMMAND_MIGRATE) {
    kept->objects = malloc((c->count + 1) * sizeof *kept->objects);
    if (kept->objects == NULL)
      return false;
    memcpy(kept->objects, c->objects, c->count * sizeof *kept->objects);
    c->objects = kept->objects;
  }
  if (c->kernel != NULL)
    kept->arguments = cwi_arguments_keep(c->kernel);
  return c->kernel == NULL || kept->arguments != NULL;
}

static void hold_objects(const struct cwi_kept *kept)
{
  const struct cwi_command *c = &kept->command;
  cwi_sited_hold(kept->event);
  for (int i = 0; i < 2; i++)
    if (c->memory[i] != NULL)
      cwi_sited_hold(c->memory[i]);
  if (c->kernel != NULL)
    cwi_sited_hold(c->kernel);
  for (cl_uint i = 0; kept->objects != NULL && i < c->count; i++)
    cwi_sited_hold(kept->objects[i]);
}

struct cwi_kept *cwi_command_keep(struct cwi_sited_event *event, const struct cwi_command *command,
                                  struct cwi_waits *waits)
{
  struct cwi_sited_queue *queue = event->queue;
  struct cwi_kept *kept = calloc(1, sizeof *kept);
  if (kept == NULL)
    return NULL;
  kept->command = *command;
  kept->command.blocking = CL_FALSE;
  kept->command.event = NULL;
  kept->event = event;
  kept->waits = *waits;
  *waits = (struct cwi_waits){0};
  if (!keep_objects(kept)) {
    *waits = kept->waits; /* for the caller to free */
    free(kept->objects);
    free(kept);
    return NULL;
  }
  keep_triples(kept);
  keep_pattern(kept);
  hold_objects(kept);
  kept->place = ++queue->entered;
  kept->before = queue->last;
  *(queue->last != NULL ? &queue->last->after : &queue->first) = kept;
  queue->last = kept;
  __atomic_fetch_add(&queue->waiting, 1, __ATOMIC_RELEASE);
  queue->sited.context->kept++;
  return kept;
}

void cwi_kept_free(struct cwi_kept *kept)
{
  const struct cwi_command *c = &kept->command;
  struct cwi_sited_kernel *kernel = c->kernel;
  cwi_waits_free(&kept->waits);
  for (cl_uint i = 0; kept->objects != NULL && i < c->count; i++)
    cwi_sited_let_go(kept->objects[i]);
  for (int i = 0; i < 2; i++)
    cwi_sited_let_go(c->memory[i]);
  if (kernel != NULL)
    cwi_arguments_free(kept->arguments, kernel->count);
  cwi_sited_let_go(kernel);
  cwi_sited_let_go(kept->event);
  free(kept->objects);
  free(kept);
}
