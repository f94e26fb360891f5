/* Moves what a program has on a device, in all of its contexts or in none. */
#include "migrate/device_move.h"

#include "migrate/device_compare.h"
#include "migrate/move_recreate.h"

#include "base/clock.h"
#include "base/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* --- choice and checks
 * ---------------------------------------------------------------------------- */

static const struct vocl_facts *facts_of(const void *device)
{
  return ((const struct vocl_stub_device *)device)->facts;
}

/* Returns true if `device` is a sub-device of a device of the same proxy as `whole`. */
static bool is_part_of(const void *device, const void *whole)
{
  return vocl_is_remote(device) &&
         ((const struct vocl_stub_device *)device)->stub.kind !=
             ((const struct vocl_stub_device *)whole)->stub.kind &&
         ((const struct vocl_stub_device *)device)->proxy ==
             ((const struct vocl_stub_device *)whole)->proxy;
}

static bool is_alone(const struct vocl_replicated_context *context,
                     const struct vocl_device_binding *device)
{
  for (cl_uint i = 0; i < context->device_count; i++)
    if (context->devices[i].location == device->location && &context->devices[i] != device)
      return false;
  return true;
}

static int device_choose(struct vocl_device_move *move, struct vocl_move_context *in,
                         struct vocl_device_binding *device, uint32_t spare)
{
  const char *lacks = vocl_device_lacks(facts_of(device->given), facts_of(move->to->object));
  if (lacks != NULL) {
    snprintf(move->report->text, sizeof move->report->text,
             "the new device cannot replace the old one: %s", lacks);
    return ENOTSUP;
  }
  const bool takes_location = is_alone(in->context, device);
  in->leaving |= takes_location ? 1u << device->location : 0;
  move->devices[move->device_count++] = (struct vocl_move_device){.in = in,
                                                                  .device = device,
                                                                  .location = device->location,
                                                                  .spare = spare,
                                                                  .is_alone = takes_location};
  return 0;
}

/* Chooses what moves in a context. Its locations are numbered from 0 upwards; replicas under
 * construction use the numbers from VOCL_LOCATION_SPARE downwards. */
static int context_choose(struct vocl_device_move *move, struct vocl_replicated_context *context)
{
  struct vocl_move_context *in = &move->contexts[move->context_count];
  uint32_t locations = context->location_count, spare = VOCL_LOCATION_SPARE + 1;
  int code = 0;
  *in = (struct vocl_move_context){.context = context};
  for (cl_uint i = 0; i < context->device_count && code == 0; i++) {
    struct vocl_device_binding *device = &context->devices[i];
    if (is_part_of(device->device, move->from->object))
      return vocl_move_report_error(move, EBUSY, "the program uses sub-devices of that proxy");
    if (device->device != move->from->object)
      continue;
    code = device_choose(move, in, device, --spare);
    locations += code == 0 && !move->devices[move->device_count - 1].is_alone;
  }
  if (code == 0 && locations > spare)
    return vocl_move_report_error(move, ENOSPC,
                                  "a context has devices of too many vendors and proxies");
  move->context_count += spare <= VOCL_LOCATION_SPARE;
  return code;
}

static int contexts_find(struct vocl_device_move *move)
{
  size_t devices = 1;
  int code = 0;
  move->all = vocl_contexts_ref(&move->all_count);
  for (size_t i = 0; move->all != NULL && i < move->all_count; i++)
    devices += move->all[i]->device_count;
  move->contexts = calloc(move->all_count + 1, sizeof *move->contexts);
  move->devices = calloc(devices, sizeof *move->devices);
  if (move->all == NULL || move->contexts == NULL || move->devices == NULL)
    return vocl_move_report_error(move, ENOMEM, "the program has no memory for the move");
  for (size_t i = 0; i < move->all_count && code == 0; i++)
    code = context_choose(move, move->all[i]);
  if (code == 0 && move->device_count == 0)
    return vocl_move_report_error(move, ENOENT, "the program does not use that device");
  return code;
}

static int program_check(const struct vocl_device_move *move, const struct vocl_move_device *each,
                         const struct vocl_replicated_program *program)
{
  const struct vocl_build *build = vocl_program_build_for(program, each->device->given);
  if (vocl_replica_existing(program, each->location) == NULL || build == NULL)
    return 0;
  if (program->source == NULL && program->binaries == NULL && build->record == NULL)
    return vocl_move_report_error(move, ENOTSUP,
                                  "a program was linked, and cannot be linked again");
  if (program->binaries != NULL &&
      !vocl_device_is_same_product(facts_of(move->from->object), facts_of(move->to->object)))
    return vocl_move_report_error(
        move, ENOTSUP, "a program was created from binaries, which the new device cannot execute");
  return 0;
}

static int device_check(const struct vocl_device_move *move, const struct vocl_move_device *each)
{
  int code = 0;
  for (size_t i = 0; i < each->in->count && code == 0; i++) {
    const struct vocl_replicated *member = each->in->members[i];
    if (member->kind == &vocl_replicated_program_kind)
      code = program_check(move, each, (const struct vocl_replicated_program *)member);
  }
  return code;
}

static int devices_check(const struct vocl_device_move *move)
{
  int code = 0;
  for (size_t i = 0; i < move->device_count && code == 0; i++)
    code = device_check(move, &move->devices[i]);
  return code;
}

/* --- freezing and draining
 * ------------------------------------------------------------------------ */

static void contexts_open(const struct vocl_device_move *move)
{
  for (size_t i = 0; i < move->context_count; i++) {
    struct vocl_move_context *each = &move->contexts[i];
    if (each->members != NULL)
      vocl_context_objects_unref(each->members, each->count);
    if (each->is_closed)
      vocl_context_unfreeze(each->context);
  }
}

/* Flushes the queues, because the threads that would have flushed them may be blocked by the
 * freeze. */
static void queues_flush(struct vocl_replicated_context *context,
                         struct vocl_replicated *const *members, size_t count)
{
  vocl_freeze_bypass(&context->freeze);
  for (size_t i = 0; i < count; i++)
    if (members[i]->kind == &vocl_replicated_queue_kind)
      vocl_replicated_flush(members[i]);
  vocl_freeze_leave(&context->freeze);
}

/* Submits the prepared commands and transfers, which wait for nothing else; other deferred commands
 * stay. The callbacks that this may make bypass the freeze. Returns the number of those that are
 * not done. */
static uint32_t context_release(struct vocl_replicated_context *context)
{
  uint32_t left = 1;
  size_t count = 0;
  if (pthread_mutex_trylock(&context->worker.pass_lock) != 0)
    return left; /* the worker is in a pass */
  vocl_freeze_bypass(&context->freeze);
  vocl_deferred_submit_prepared(context, &left);
  struct vocl_replicated **members = left > 0 ? vocl_context_objects_ref(context, &count) : NULL;
  queues_flush(context, members, count);
  vocl_context_objects_unref(members, count);
  vocl_freeze_leave(&context->freeze);
  pthread_mutex_unlock(&context->worker.pass_lock);
  return left;
}

/* Does context_release for all contexts. Returns the number of commands and transfers that are not
 * done. */
static uint32_t contexts_release(const struct vocl_device_move *move)
{
  uint32_t left = 0;
  for (size_t i = 0; i < move->context_count; i++)
    left += context_release(move->contexts[i].context);
  return left;
}

static bool contexts_are_drained(const struct vocl_device_move *move)
{
  for (size_t i = 0; i < move->context_count; i++)
    if (!vocl_freeze_is_drained(&move->contexts[i].context->freeze))
      return false;
  return true;
}

/* Freezes all contexts and waits until no call is inside. In the state that admits callbacks,
 * prepared commands are still submitted: a callback may wait for such a command, and a call that is
 * inside may wait for the callback. */
static int contexts_freeze(const struct vocl_device_move *move, enum vocl_freeze_state state)
{
  for (size_t i = 0; i < move->context_count; i++) {
    move->contexts[i].is_closed = true;
    vocl_freeze_begin(&move->contexts[i].context->freeze, state);
  }
  while (!contexts_are_drained(move)) {
    if (cwi_now() > move->until)
      return vocl_move_report_error(move, ETIMEDOUT,
                                    "a call of the program does not return (CW_VOCL_DRAIN)");
    if (state == VOCL_FREEZE_ALL_BUT_CALLBACKS)
      contexts_release(move);
    vocl_move_sleep();
  }
  return 0;
}

static int release_wait_for(const struct vocl_device_move *move)
{
  while (contexts_release(move) > 0) {
    if (cwi_now() > move->until)
      return vocl_move_report_error(
          move, ETIMEDOUT,
          "transfers between devices of a context do not complete (CW_VOCL_DRAIN)");
    vocl_move_sleep();
  }
  return 0;
}

static int contexts_check(const struct vocl_device_move *move)
{
  for (size_t i = 0; i < move->context_count; i++) {
    struct vocl_move_context *each = &move->contexts[i];
    if (each->members != NULL)
      vocl_context_objects_unref(each->members, each->count);
    each->members = vocl_context_objects_ref(each->context, &each->count);
    if (each->members == NULL)
      return vocl_move_report_error(move, ENOMEM, "the program has no memory for the move");
  }
  return 0;
}

static int queue_drain(const struct vocl_device_move *move, void *queue)
{
  const struct vocl_command marker = {.sort = VOCL_COMMAND_MARKER, .queue = queue};
  return vocl_move_execute(move, &marker, "the device rejects a marker",
                           "the device does not complete its commands (CW_VOCL_DRAIN)");
}

/* Waits for all queues at the location, not only those of the device: with one location, ranges
 * are not tracked, so any queue of the location may use the data. */
static int device_drain(const struct vocl_device_move *move, const struct vocl_move_device *each)
{
  int code = 0;
  for (size_t i = 0; i < each->in->count && code == 0; i++) {
    const struct vocl_replicated *member = each->in->members[i];
    void *replica = member->kind == &vocl_replicated_queue_kind
                        ? vocl_replica_existing(member, each->location)
                        : NULL;
    if (replica != NULL)
      code = queue_drain(move, replica);
  }
  return code;
}

static int devices_drain(const struct vocl_device_move *move)
{
  int code = 0;
  for (size_t i = 0; i < move->context_count; i++)
    queues_flush(move->contexts[i].context, move->contexts[i].members, move->contexts[i].count);
  for (size_t i = 0; i < move->device_count && code == 0; i++)
    code = device_drain(move, &move->devices[i]);
  return code;
}

static bool devices_are_needed(const struct vocl_device_move *move)
{
  for (size_t i = 0; i < move->device_count; i++)
    if (move->devices[i].is_alone && vocl_move_needs_source(&move->devices[i]))
      return true;
  return false;
}

static int needs_wait_for(const struct vocl_device_move *move)
{
  while (devices_are_needed(move)) {
    if (cwi_now() > move->until)
      return vocl_move_report_error(
          move, ETIMEDOUT,
          "another device of a context does not complete its commands (CW_VOCL_DRAIN)");
    vocl_move_sleep();
  }
  return 0;
}

/* Freezes the contexts, and only then finds their objects and drains the devices: calls that were
 * running before the freeze may have added objects and commands. */
static int devices_rest(const struct vocl_device_move *move, enum vocl_freeze_state state)
{
  int code = contexts_freeze(move, state);
  if (code == 0)
    code = contexts_check(move);
  if (code == 0 && state == VOCL_FREEZE_ALL)
    code = devices_check(move);
  if (code == 0)
    code = devices_drain(move);
  return code;
}

/* Closes all contexts. First admits calls from callbacks while it waits for commands of other
 * devices, because their vendors may be making callbacks. Then excludes these calls, too. Repeats
 * both steps until nothing is left to wait for after the second one. */
static int contexts_close(const struct vocl_device_move *move)
{
  int code = 0;
  bool is_quiet = false;
  while (code == 0 && !is_quiet) {
    code = devices_rest(move, VOCL_FREEZE_ALL_BUT_CALLBACKS);
    if (code == 0)
      code = release_wait_for(move);
    if (code == 0)
      code = needs_wait_for(move);
    if (code == 0)
      code = devices_rest(move, VOCL_FREEZE_ALL);
    is_quiet = code == 0 && contexts_release(move) == 0 && !devices_are_needed(move);
    if (code == 0 && !is_quiet && cwi_now() > move->until)
      code = vocl_move_report_error(move, ETIMEDOUT,
                                    "callbacks of the program do not end (CW_VOCL_DRAIN)");
  }
  return code;
}

/* --- the whole move
 * ------------------------------------------------------------------------------- */

static int devices_move(const struct vocl_device_move *move)
{
  int code = 0;
  for (size_t i = 0; i < move->device_count && code == 0; i++)
    code = vocl_move_recreate(move, &move->devices[i]);
  for (size_t i = 0; i < move->device_count && code == 0; i++)
    vocl_move_commit(move, &move->devices[i]);
  for (size_t i = 0; i < move->device_count; i++)
    vocl_move_clean_up(move, &move->devices[i]);
  return code;
}

static int move_alone(struct vocl_device_move *move)
{
  int code = contexts_find(move);
  if (code == 0)
    code = contexts_close(move);
  if (code == 0)
    code = devices_move(move);
  contexts_open(move);
  if (code == 0)
    vocl_move_report_error(move, 0, "the program continues on the new device");
  free(move->contexts);
  free(move->devices);
  vocl_contexts_unref(move->all, move->all_count);
  return code;
}

static int devices_find(struct vocl_device_move *move, struct vocl_device_name from,
                        struct vocl_device_name to)
{
  char *text = move->report->text;
  move->from = vocl_remote_device_find(from);
  move->to = vocl_remote_device_find(to);
  if (move->from == NULL || move->to == NULL) {
    const struct vocl_device_name none = move->from == NULL ? from : to;
    snprintf(text, sizeof move->report->text, "there is no device %u.%u", none.proxy, none.number);
    return ENODEV;
  }
  if (move->from == move->to) {
    snprintf(text, sizeof move->report->text, "it is on device %u.%u already", to.proxy, to.number);
    return EEXIST;
  }
  return 0;
}

int vocl_device_move_run(struct vocl_device_name from, struct vocl_device_name to,
                         struct vocl_move_report *report)
{
  struct vocl_device_move move = {.report = report,
                                  .until = cwi_now() + (double)cwi_settings.vocl_drain};
  int code = devices_find(&move, from, to);
  if (code != 0)
    return code;
  if (!vocl_move_try_lock())
    return vocl_move_report_error(&move, EBUSY, "the program is moving a device already");
  code = move_alone(&move);
  vocl_move_unlock();
  return code;
}
