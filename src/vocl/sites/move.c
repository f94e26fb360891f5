/* Moves what a program has on a device, for all of its contexts or for none. */
#include "sites/move.h"

#include "sites/carry.h"
#include "sites/fits.h"

#include "base/clock.h"
#include "base/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A context that has the device. */
struct moving_context {
  struct cwi_sited_context *context;
  struct cwi_site_device *device;
  uint32_t site; /* the device's, before and afterwards */
  struct cwi_sited **members;
  size_t count;
  bool is_closed, is_away; /* its gate; its device is at CWI_SITE_AWAY, for the new copies */
};

struct moving {
  const struct cwi_found_device *from, *to;
  struct cwi_move_report *report;
  double until; /* waiting ends */
  struct cwi_sited_context **all;
  size_t all_count;
  struct moving_context *contexts;
  size_t count;
};

static int move_refuse(const struct moving *moving, int code, const char *sentence)
{
  snprintf(moving->report->text, sizeof moving->report->text, "%s", sentence);
  return code;
}

/* The sentence also has OpenCL's code. */
static int refuse_for(const struct moving *moving, const char *sentence, cl_int code)
{
  snprintf(moving->report->text, sizeof moving->report->text, "%s (OpenCL says %d)", sentence,
           code);
  return EIO;
}

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

static int context_choose(struct moving *moving, struct cwi_sited_context *context)
{
  struct cwi_site_device *found = NULL;
  for (cl_uint i = 0; i < context->device_count; i++) {
    struct cwi_site_device *device = &context->devices[i];
    if (is_part_of(device->device, moving->from->object))
      return move_refuse(moving, EBUSY, "the program uses parts of devices of that proxy");
    if (device->device == moving->from->object)
      found = device;
  }
  if (found == NULL)
    return 0;
  if (context->device_count > 1)
    return move_refuse(moving, ENOTSUP, "a context has several devices: these cannot be moved yet");
  const char *lacks = cwi_fits_not(facts_of(found->given), facts_of(moving->to->object));
  if (lacks != NULL) {
    snprintf(moving->report->text, sizeof moving->report->text, "the new device has less: %s",
             lacks);
    return ENOTSUP;
  }
  moving->contexts[moving->count++] =
      (struct moving_context){.context = context, .device = found, .site = found->site};
  return 0;
}

static int contexts_find(struct moving *moving)
{
  int code = 0;
  moving->all = cwi_contexts_hold(&moving->all_count);
  moving->contexts = calloc(moving->all_count + 1, sizeof *moving->contexts);
  if (moving->all == NULL || moving->contexts == NULL)
    return move_refuse(moving, ENOMEM, "the program has no memory");
  for (size_t i = 0; i < moving->all_count && code == 0; i++)
    code = context_choose(moving, moving->all[i]);
  if (code == 0 && moving->count == 0)
    return move_refuse(moving, ENOENT, "the program has nothing on that device");
  return code;
}

static cl_int ask_number(enum cwi_about about, void *copy, void *device, cl_uint what,
                         cl_uint *number)
{
  const struct cwi_native_question question = {
      .about = about, .object = copy, .device = device, .what = what};
  *number = 0;
  return cwi_copy_ask(&question, sizeof *number, number, NULL);
}

static int program_check(const struct moving *moving, const struct moving_context *each,
                         const struct cwi_sited_program *program)
{
  if (cwi_site_copy_known(program, each->device->site) == NULL)
    return 0;
  if (program->source == NULL && program->binaries == NULL && !program->build.is_there)
    return move_refuse(moving, ENOTSUP, "a program was linked, and cannot be linked again");
  if (program->binaries != NULL &&
      !cwi_fits_binary(facts_of(each->device->device), facts_of(moving->to->object)))
    return move_refuse(moving, ENOTSUP, "a program is only a binary of another device");
  return 0;
}

/* With the gate closed. */
static int members_check(const struct moving *moving, const struct moving_context *each)
{
  int code = 0;
  for (size_t i = 0; i < each->count && code == 0; i++) {
    const struct cwi_sited *member = each->members[i];
    if (member->kind == &cwi_sited_programs)
      code = program_check(moving, each, (const struct cwi_sited_program *)member);
  }
  return code;
}

/* --- holding and draining ----------------------------------------------------------------------
 */

static void move_nap(void)
{
  const struct timespec short_time = {.tv_nsec = 200000};
  nanosleep(&short_time, NULL);
}

static void contexts_open(const struct moving *moving)
{
  for (size_t i = 0; i < moving->count; i++) {
    struct moving_context *each = &moving->contexts[i];
    cwi_members_let_go(each->members, each->count);
    each->members = NULL;
    each->count = 0;
    if (each->is_closed)
      cwi_gate_open(&each->context->gate);
    each->is_closed = false;
  }
}

static int contexts_close(const struct moving *moving)
{
  int code = 0;
  for (size_t i = 0; i < moving->count && code == 0; i++) {
    struct moving_context *each = &moving->contexts[i];
    each->is_closed = cwi_gate_close(&each->context->gate, moving->until);
    if (!each->is_closed)
      return move_refuse(moving, ETIMEDOUT,
                         "a call of the program does not return (CW_VOCL_DRAIN)");
    each->members = cwi_members_hold(each->context, &each->count);
    code = each->members != NULL ? members_check(moving, each)
                                 : move_refuse(moving, ENOMEM, "the program has no memory");
  }
  if (code != 0)
    contexts_open(moving);
  return code;
}

/* The marker's event is asked, which takes in what the proxy says: nobody else needs to. */
static int marker_await(const struct moving *moving, void *marker)
{
  cl_uint status = 1;
  while ((cl_int)status > CL_COMPLETE) {
    if (ask_number(CWI_ABOUT_EVENT, marker, NULL, CL_EVENT_COMMAND_EXECUTION_STATUS, &status) !=
        CL_SUCCESS)
      return move_refuse(moving, EIO, "the device is not available");
    if ((cl_int)status > CL_COMPLETE && cwi_now() > moving->until)
      return move_refuse(
          moving, ETIMEDOUT,
          "the device does not come to the end of what it has to do (CW_VOCL_DRAIN)");
    move_nap();
  }
  return (cl_int)status == CL_DEVICE_NOT_AVAILABLE
             ? move_refuse(moving, EIO, "the device is not available")
             : 0;
}

static int queue_drain(const struct moving *moving, void *queue)
{
  void *marker = NULL;
  struct cwi_command command = {.sort = CWI_COMMAND_MARKER, .queue = queue, .event = &marker};
  cl_int code = cwi_copy_execute(&command);
  if (code == CL_SUCCESS)
    code = cwi_copy_flush(queue);
  const int result = code == CL_SUCCESS
                         ? marker_await(moving, marker)
                         : refuse_for(moving, "the device does not do what it has to do", code);
  if (marker != NULL)
    cwi_copy_drop(CWI_EVENT, marker);
  return result;
}

static int contexts_drain(const struct moving *moving)
{
  int code = 0;
  for (size_t i = 0; i < moving->count; i++) {
    const struct moving_context *each = &moving->contexts[i];
    for (size_t k = 0; k < each->count && code == 0; k++) {
      const struct cwi_sited *member = each->members[k];
      void *copy = member->kind == &cwi_sited_queues
                       ? cwi_site_copy_known(member, each->device->site)
                       : NULL;
      if (copy != NULL)
        code = queue_drain(moving, copy);
    }
  }
  return code;
}

/* --- making all again --------------------------------------------------------------------------
 */

/* A program that was not built before needs not be built now. */
static cl_int program_again(const struct moving_context *each, struct cwi_sited_program *program)
{
  cl_uint before = 0;
  const cl_int code = cwi_program_rebuild(program, CWI_SITE_AWAY);
  if (code == CL_SUCCESS || cwi_site_copy_known(program, CWI_SITE_AWAY) == NULL)
    return code;
  ask_number(CWI_ABOUT_BUILD, cwi_site_copy_known(program, each->site), (void *)each->device->given,
             CL_PROGRAM_BUILD_STATUS, &before);
  return (cl_int)before == CL_BUILD_ERROR ? CL_SUCCESS : code;
}

/* Copies of events stay where they are. */
static cl_int member_again(const struct moving_context *each, struct cwi_sited *member)
{
  cl_int code = CL_SUCCESS;
  if (member->kind == &cwi_sited_events || cwi_site_copy_known(member, each->site) == NULL)
    return CL_SUCCESS;
  if (member->kind == &cwi_sited_programs)
    return program_again(each, (struct cwi_sited_program *)member);
  cwi_site_copy(member, CWI_SITE_AWAY, &code);
  return code;
}

static bool holds_contents(const struct cwi_sited *member, uint32_t site)
{
  const struct cwi_sited_memory *memory = (const struct cwi_sited_memory *)member;
  return member->kind == &cwi_sited_memories && memory->whole == NULL &&
         cwi_site_copy_known(member, site) != NULL;
}

static cl_int contents_carry(const struct moving *moving, const struct moving_context *each)
{
  struct cwi_carrier carrier;
  cl_int code = cwi_carry_begin(&carrier, each->context, each->site, moving->from->object,
                                CWI_SITE_AWAY, moving->to->object);
  for (size_t i = 0; i < each->count && code == CL_SUCCESS; i++)
    if (holds_contents(each->members[i], each->site))
      code = cwi_carry(&carrier, (const struct cwi_sited_memory *)each->members[i]);
  moving->report->bytes += carrier.bytes;
  const cl_int ended = cwi_carry_end(&carrier);
  return code != CL_SUCCESS ? code : ended;
}

/* Programs come before their kernels, memory before its parts and kernels: so kernels are last. */
static int context_again(const struct moving *moving, struct moving_context *each)
{
  struct cwi_sited_context *context = each->context;
  cl_int code = CL_SUCCESS;
  each->is_away = true;
  each->device->site = CWI_SITE_AWAY;
  each->device->device = moving->to->object;
  cwi_site_copy(context, CWI_SITE_AWAY, &code);
  if (code != CL_SUCCESS)
    return refuse_for(moving, "there cannot be a context with the new device", code);
  for (size_t i = 0; i < each->count && code == CL_SUCCESS; i++) {
    struct cwi_sited *member = each->members[i];
    if (member->kind != &cwi_sited_kernels)
      code = member_again(each, member);
  }
  if (code != CL_SUCCESS)
    return refuse_for(moving, "what is on the device cannot be made on the new one", code);
  code = contents_carry(moving, each);
  if (code != CL_SUCCESS)
    return refuse_for(moving, "what memory holds cannot be brought to the new device", code);
  for (size_t i = 0; i < each->count && code == CL_SUCCESS; i++)
    code = member_again(each, each->members[i]);
  if (code != CL_SUCCESS)
    return refuse_for(moving, "a kernel cannot be made on the new device", code);
  return 0;
}

/* --- the end -----------------------------------------------------------------------------------
 */

static void copy_drop_at(struct cwi_sited *sited, uint32_t site)
{
  void *copy = __atomic_exchange_n(&sited->copies[site], NULL, __ATOMIC_ACQ_REL);
  if (copy != NULL)
    cwi_copy_drop(sited->kind->sort, copy);
}

static void exchange(struct cwi_sited *sited, uint32_t site)
{
  void *fresh = sited->copies[CWI_SITE_AWAY];
  if (fresh == NULL)
    return;
  sited->copies[CWI_SITE_AWAY] = sited->copies[site];
  __atomic_store_n(&sited->copies[site], fresh, __ATOMIC_RELEASE);
  if (sited->kind == &cwi_sited_memories)
    cwi_memory_exchange((struct cwi_sited_memory *)sited, site, CWI_SITE_AWAY);
  if (sited->kind == &cwi_sited_kernels)
    ((struct cwi_sited_kernel *)sited)->stale |= 1u << site;
}

/* It is complete: what it says goes on, and it counts as one of another site. Whoever looks at it
 * meanwhile finds its copy, or its status. */
static void event_stays(struct cwi_sited_event *event, uint32_t site)
{
  struct cwi_sited_context *context = event->sited.context;
  void *copy = cwi_site_copy_known(event, site);
  if (event->site != site || copy == NULL)
    return;
  const cl_int status = cwi_event_status(event);
  cwi_context_lock(context);
  __atomic_store_n(&event->status, status <= CL_COMPLETE ? status : CL_COMPLETE, __ATOMIC_RELEASE);
  __atomic_store_n(&event->sited.copies[CWI_SITE_AWAY], copy, __ATOMIC_RELEASE);
  __atomic_store_n(&event->site, CWI_SITE_AWAY, __ATOMIC_RELEASE);
  __atomic_store_n(&event->sited.copies[site], NULL, __ATOMIC_RELEASE);
  cwi_context_unlock(context);
}

/* The new copies take the places; nothing can go wrong any more. */
static void context_settle(const struct moving *moving, struct moving_context *each)
{
  const uint32_t site = each->site;
  each->device->site = site;
  each->context->vendors[site] = moving->to->vendor;
  each->is_away = false;
  for (size_t i = 0; i < each->count; i++) {
    struct cwi_sited *member = each->members[i];
    if (member->kind == &cwi_sited_events)
      event_stays((struct cwi_sited_event *)member, site);
    else
      exchange(member, site);
  }
  cwi_context_exchange(each->context, site);
  cwi_moved_remember(each->device->given, moving->to);
}

/* The copies at CWI_SITE_AWAY: the old ones, or new ones of a move that is refused. */
static void context_clear(const struct moving_context *each)
{
  for (size_t i = 0; i < each->count; i++) {
    struct cwi_sited *member = each->members[i];
    if (member->kind == &cwi_sited_events)
      continue;
    if (member->kind == &cwi_sited_memories)
      cwi_memory_forget_copy((struct cwi_sited_memory *)member, CWI_SITE_AWAY);
    copy_drop_at(member, CWI_SITE_AWAY);
  }
  copy_drop_at(&each->context->sited, CWI_SITE_AWAY);
}

static void contexts_clear(const struct moving *moving)
{
  for (size_t i = 0; i < moving->count; i++) {
    struct moving_context *each = &moving->contexts[i];
    if (each->is_away) {
      each->device->site = each->site;
      each->device->device = moving->from->object;
      each->is_away = false;
    }
    context_clear(each);
  }
}

static int contexts_move(const struct moving *moving)
{
  int code = contexts_drain(moving);
  for (size_t i = 0; i < moving->count && code == 0; i++)
    code = context_again(moving, &moving->contexts[i]);
  for (size_t i = 0; i < moving->count && code == 0; i++)
    context_settle(moving, &moving->contexts[i]);
  contexts_clear(moving);
  return code;
}

static int move_alone(struct moving *moving)
{
  int code = contexts_find(moving);
  if (code == 0)
    code = contexts_close(moving);
  if (code == 0) {
    code = contexts_move(moving);
    contexts_open(moving);
  }
  if (code == 0)
    snprintf(moving->report->text, sizeof moving->report->text,
             "the program goes on on the new device");
  free(moving->contexts);
  cwi_contexts_let_go(moving->all, moving->all_count);
  return code;
}

static int devices_find(struct moving *moving, struct cwi_device_name from,
                        struct cwi_device_name to)
{
  char *text = moving->report->text;
  moving->from = cwi_remote_device(from);
  moving->to = cwi_remote_device(to);
  if (moving->from == NULL || moving->to == NULL) {
    const struct cwi_device_name none = moving->from == NULL ? from : to;
    snprintf(text, sizeof moving->report->text, "there is no device %u.%u", none.proxy,
             none.number);
    return ENODEV;
  }
  if (moving->from == moving->to) {
    snprintf(text, sizeof moving->report->text, "it is on device %u.%u already", to.proxy,
             to.number);
    return EEXIST;
  }
  return 0;
}

int cwi_sites_move(struct cwi_device_name from, struct cwi_device_name to,
                   struct cwi_move_report *report)
{
  struct moving moving = {.report = report, .until = cwi_now() + (double)cwi_settings.vocl_drain};
  int code = devices_find(&moving, from, to);
  if (code != 0)
    return code;
  if (!cwi_move_begin())
    return move_refuse(&moving, EBUSY, "the program is moving a device already");
  code = move_alone(&moving);
  cwi_move_end();
  return code;
}
