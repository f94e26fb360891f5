/* Moves what a program has on a device, for all of its contexts or for none. */
#include "sites/move.h"

#include "sites/fits.h"
#include "sites/remade.h"

#include "base/clock.h"
#include "base/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* --- what is moved, and whether it can be ------------------------------------------------------
 */

static const struct cwi_facts *facts_of(const void *device)
{
  return ((const struct cwi_far_device *)device)->facts;
}

/* A part of a device of this proxy. */
static bool is_part_of(const void *device, const void *whole)
{
  return cwi_is_remote(device) &&
         ((const struct cwi_far_device *)device)->far.kind !=
             ((const struct cwi_far_device *)whole)->far.kind &&
         ((const struct cwi_far_device *)device)->proxy ==
             ((const struct cwi_far_device *)whole)->proxy;
}

static bool is_alone(const struct cwi_sited_context *context, const struct cwi_site_device *device)
{
  for (cl_uint i = 0; i < context->device_count; i++)
    if (context->devices[i].site == device->site && &context->devices[i] != device)
      return false;
  return true;
}

static int device_choose(struct cwi_move *move, struct cwi_moving_context *in,
                         struct cwi_site_device *device, uint32_t away)
{
  const char *lacks = cwi_fits_not(facts_of(device->given), facts_of(move->to->object));
  if (lacks != NULL) {
    snprintf(move->report->text, sizeof move->report->text, "the new device has less: %s", lacks);
    return ENOTSUP;
  }
  const bool takes_site = is_alone(in->context, device);
  in->leaving |= takes_site ? 1u << device->site : 0;
  move->devices[move->device_count++] = (struct cwi_moving_device){
      .in = in, .device = device, .site = device->site, .away = away, .is_alone = takes_site};
  return 0;
}

/* Sites have numbers from the first on, those that are away from the last on. */
static int context_choose(struct cwi_move *move, struct cwi_sited_context *context)
{
  struct cwi_moving_context *in = &move->contexts[move->context_count];
  uint32_t sites = context->site_count, away = CWI_SITE_AWAY + 1;
  int code = 0;
  *in = (struct cwi_moving_context){.context = context};
  for (cl_uint i = 0; i < context->device_count && code == 0; i++) {
    struct cwi_site_device *device = &context->devices[i];
    if (is_part_of(device->device, move->from->object))
      return cwi_move_say(move, EBUSY, "the program uses parts of devices of that proxy");
    if (device->device != move->from->object)
      continue;
    code = device_choose(move, in, device, --away);
    sites += code == 0 && !move->devices[move->device_count - 1].is_alone;
  }
  if (code == 0 && sites > away)
    return cwi_move_say(move, ENOSPC, "a context has devices at too many places");
  move->context_count += away <= CWI_SITE_AWAY;
  return code;
}

static int contexts_find(struct cwi_move *move)
{
  size_t devices = 1;
  int code = 0;
  move->all = cwi_contexts_hold(&move->all_count);
  for (size_t i = 0; move->all != NULL && i < move->all_count; i++)
    devices += move->all[i]->device_count;
  move->contexts = calloc(move->all_count + 1, sizeof *move->contexts);
  move->devices = calloc(devices, sizeof *move->devices);
  if (move->all == NULL || move->contexts == NULL || move->devices == NULL)
    return cwi_move_say(move, ENOMEM, "the program has no memory");
  for (size_t i = 0; i < move->all_count && code == 0; i++)
    code = context_choose(move, move->all[i]);
  if (code == 0 && move->device_count == 0)
    return cwi_move_say(move, ENOENT, "the program has nothing on that device");
  return code;
}

static int program_check(const struct cwi_move *move, const struct cwi_moving_device *each,
                         const struct cwi_sited_program *program)
{
  const struct cwi_build *build = cwi_program_build(program, each->device->given);
  if (cwi_site_copy_known(program, each->site) == NULL || build == NULL)
    return 0;
  if (program->source == NULL && program->binaries == NULL && build->record == NULL)
    return cwi_move_say(move, ENOTSUP, "a program was linked, and cannot be linked again");
  if (program->binaries != NULL &&
      !cwi_fits_binary(facts_of(move->from->object), facts_of(move->to->object)))
    return cwi_move_say(move, ENOTSUP, "a program is only a binary of another device");
  return 0;
}

static int device_check(const struct cwi_move *move, const struct cwi_moving_device *each)
{
  int code = 0;
  for (size_t i = 0; i < each->in->count && code == 0; i++) {
    const struct cwi_sited *member = each->in->members[i];
    if (member->kind == &cwi_sited_programs)
      code = program_check(move, each, (const struct cwi_sited_program *)member);
  }
  return code;
}

static int devices_check(const struct cwi_move *move)
{
  int code = 0;
  for (size_t i = 0; i < move->device_count && code == 0; i++)
    code = device_check(move, &move->devices[i]);
  return code;
}

/* --- holding and draining ----------------------------------------------------------------------
 */

static void contexts_open(const struct cwi_move *move)
{
  for (size_t i = 0; i < move->context_count; i++) {
    struct cwi_moving_context *each = &move->contexts[i];
    if (each->members != NULL)
      cwi_members_let_go(each->members, each->count);
    if (each->is_closed)
      cwi_sites_open(each->context);
  }
}

/* Whoever would have flushed them may be kept out. */
static void queues_flush(struct cwi_sited_context *context, struct cwi_sited *const *members,
                         size_t count)
{
  cwi_gate_pass(&context->gate);
  for (size_t i = 0; i < count; i++)
    if (members[i]->kind == &cwi_sited_queues)
      cwi_sites_flush(members[i]);
  cwi_gate_leave(&context->gate);
}

/* What has operands on their way to it, or there, leaves home: it waits for nothing else. Others
 * stay. Who calls us meanwhile, by a callback, passes the gates that we have closed. */
static uint32_t context_release(struct cwi_sited_context *context)
{
  uint32_t left = 1;
  size_t count = 0;
  if (pthread_mutex_trylock(&context->clerk.turns) != 0)
    return left; /* the clerk is still inside */
  cwi_gate_pass(&context->gate);
  cwi_release_placed(context, &left);
  struct cwi_sited **members = left > 0 ? cwi_members_hold(context, &count) : NULL;
  queues_flush(context, members, count);
  cwi_members_let_go(members, count);
  cwi_gate_leave(&context->gate);
  pthread_mutex_unlock(&context->clerk.turns);
  return left;
}

/* How many of them are left. */
static uint32_t contexts_release(const struct cwi_move *move)
{
  uint32_t left = 0;
  for (size_t i = 0; i < move->context_count; i++)
    left += context_release(move->contexts[i].context);
  return left;
}

static bool gates_are_left(const struct cwi_move *move)
{
  for (size_t i = 0; i < move->context_count; i++)
    if (!cwi_gate_is_left(&move->contexts[i].context->gate))
      return false;
  return true;
}

/* A callback may wait until what it calls for has left home, and others inside for the callback. */
static int gates_close(const struct cwi_move *move, enum cwi_gate_state state)
{
  for (size_t i = 0; i < move->context_count; i++) {
    move->contexts[i].is_closed = true;
    cwi_gate_close(&move->contexts[i].context->gate, state);
  }
  while (!gates_are_left(move)) {
    if (cwi_now() > move->until)
      return cwi_move_say(move, ETIMEDOUT, "a call of the program does not return (CW_VOCL_DRAIN)");
    if (state == CWI_GATE_CALLBACKS)
      contexts_release(move);
    cwi_move_nap();
  }
  return 0;
}

static int release_await(const struct cwi_move *move)
{
  while (contexts_release(move) > 0) {
    if (cwi_now() > move->until)
      return cwi_move_say(
          move, ETIMEDOUT,
          "what goes between devices of a context does not come to its end (CW_VOCL_DRAIN)");
    cwi_move_nap();
  }
  return 0;
}

static int contexts_look(const struct cwi_move *move)
{
  for (size_t i = 0; i < move->context_count; i++) {
    struct cwi_moving_context *each = &move->contexts[i];
    if (each->members != NULL)
      cwi_members_let_go(each->members, each->count);
    each->members = cwi_members_hold(each->context, &each->count);
    if (each->members == NULL)
      return cwi_move_say(move, ENOMEM, "the program has no memory");
  }
  return 0;
}

static int queue_drain(const struct cwi_move *move, void *queue)
{
  const struct cwi_command marker = {.sort = CWI_COMMAND_MARKER, .queue = queue};
  return cwi_move_perform(
      move, &marker, "the device does not do what it has to do",
      "the device does not come to the end of what it has to do (CW_VOCL_DRAIN)");
}

/* All queues at its site: what others of the same site do is not known by parts, where there is no
 * other site. */
static int device_drain(const struct cwi_move *move, const struct cwi_moving_device *each)
{
  int code = 0;
  for (size_t i = 0; i < each->in->count && code == 0; i++) {
    const struct cwi_sited *member = each->in->members[i];
    void *copy = member->kind == &cwi_sited_queues ? cwi_site_copy_known(member, each->site) : NULL;
    if (copy != NULL)
      code = queue_drain(move, copy);
  }
  return code;
}

static int devices_drain(const struct cwi_move *move)
{
  int code = 0;
  for (size_t i = 0; i < move->context_count; i++)
    queues_flush(move->contexts[i].context, move->contexts[i].members, move->contexts[i].count);
  for (size_t i = 0; i < move->device_count && code == 0; i++)
    code = device_drain(move, &move->devices[i]);
  return code;
}

static bool devices_are_needed(const struct cwi_move *move)
{
  for (size_t i = 0; i < move->device_count; i++)
    if (move->devices[i].is_alone && cwi_moving_is_needed(&move->devices[i]))
      return true;
  return false;
}

static int needs_await(const struct cwi_move *move)
{
  while (devices_are_needed(move)) {
    if (cwi_now() > move->until)
      return cwi_move_say(move, ETIMEDOUT,
                          "another device of a context does not come to its end (CW_VOCL_DRAIN)");
    cwi_move_nap();
  }
  return 0;
}

/* Whoever is let in may have left something to do. */
static int devices_rest(const struct cwi_move *move, enum cwi_gate_state state)
{
  int code = gates_close(move, state);
  if (code == 0)
    code = contexts_look(move);
  if (code == 0 && state == CWI_GATE_CLOSED)
    code = devices_check(move);
  if (code == 0)
    code = devices_drain(move);
  return code;
}

/* As long as other devices of the contexts are waited for, their vendors' callbacks pass. What is
 * done when nobody passes any more waits for none of them. */
static int contexts_close(const struct cwi_move *move)
{
  int code = 0;
  bool is_quiet = false;
  while (code == 0 && !is_quiet) {
    code = devices_rest(move, CWI_GATE_CALLBACKS);
    if (code == 0)
      code = release_await(move);
    if (code == 0)
      code = needs_await(move);
    if (code == 0)
      code = devices_rest(move, CWI_GATE_CLOSED);
    is_quiet = code == 0 && contexts_release(move) == 0 && !devices_are_needed(move);
    if (code == 0 && !is_quiet && cwi_now() > move->until)
      code = cwi_move_say(move, ETIMEDOUT, "callbacks of the program do not end (CW_VOCL_DRAIN)");
  }
  return code;
}

/* --- all of it ---------------------------------------------------------------------------------
 */

static int devices_move(const struct cwi_move *move)
{
  int code = 0;
  for (size_t i = 0; i < move->device_count && code == 0; i++)
    code = cwi_moving_make(move, &move->devices[i]);
  for (size_t i = 0; i < move->device_count && code == 0; i++)
    cwi_moving_settle(move, &move->devices[i]);
  for (size_t i = 0; i < move->device_count; i++)
    cwi_moving_clear(move, &move->devices[i]);
  return code;
}

static int move_alone(struct cwi_move *move)
{
  int code = contexts_find(move);
  if (code == 0)
    code = contexts_close(move);
  if (code == 0)
    code = devices_move(move);
  contexts_open(move);
  if (code == 0)
    cwi_move_say(move, 0, "the program goes on on the new device");
  free(move->contexts);
  free(move->devices);
  cwi_contexts_let_go(move->all, move->all_count);
  return code;
}

static int devices_find(struct cwi_move *move, struct cwi_device_name from,
                        struct cwi_device_name to)
{
  char *text = move->report->text;
  move->from = cwi_remote_device(from);
  move->to = cwi_remote_device(to);
  if (move->from == NULL || move->to == NULL) {
    const struct cwi_device_name none = move->from == NULL ? from : to;
    snprintf(text, sizeof move->report->text, "there is no device %u.%u", none.proxy, none.number);
    return ENODEV;
  }
  if (move->from == move->to) {
    snprintf(text, sizeof move->report->text, "it is on device %u.%u already", to.proxy, to.number);
    return EEXIST;
  }
  return 0;
}

int cwi_sites_move(struct cwi_device_name from, struct cwi_device_name to,
                   struct cwi_move_report *report)
{
  struct cwi_move move = {.report = report, .until = cwi_now() + (double)cwi_settings.vocl_drain};
  int code = devices_find(&move, from, to);
  if (code != 0)
    return code;
  if (!cwi_move_begin())
    return cwi_move_say(&move, EBUSY, "the program is moving a device already");
  code = move_alone(&move);
  cwi_move_end();
  return code;
}
