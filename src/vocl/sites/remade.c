/* Makes again what is on a device that is moved. A device that is alone at its site takes the site
 * along: each object's copy there is made again, and what only that site has of memory is delivered
 * to the new copies. Of several devices of one site the one that moves gets a site of its own: its
 * programs, kernels and queues are there when it goes on, and all else is made, and delivered, when
 * it is needed there. */
#include "sites/remade.h"

#include "base/clock.h"

#include <errno.h>

/* --- before ------------------------------------------------------------------------------------
 */

static bool is_root(const struct cwi_sited *member)
{
  return member->kind == &cwi_sited_memories &&
         ((const struct cwi_sited_memory *)member)->whole == NULL;
}

/* Where there was one site, all is valid there. */
static bool contents_begin(struct cwi_moving_device *each)
{
  struct cwi_moving_context *in = each->in;
  if (in->context->site_count > 1 || in->has_contents)
    return true;
  in->has_contents = true;
  for (size_t i = 0; i < in->count; i++) {
    struct cwi_sited_memory *memory = (struct cwi_sited_memory *)in->members[i];
    if (is_root(in->members[i]) &&
        !cwi_contents_begin(&memory->contents, cwi_memory_extent(memory), 1u << each->site))
      return false;
  }
  return true;
}

/* Another device of the same site. */
static const struct cwi_site_device *neighbour_of(const struct cwi_moving_device *each)
{
  const struct cwi_sited_context *context = each->in->context;
  const struct cwi_site_device *other = context->devices;
  while (other->site != each->site || other == each->device)
    other++;
  return other;
}

/* For those that leave and those that stay, before the device is away. */
static cl_int couriers_begin(struct cwi_moving_device *each)
{
  struct cwi_sited_context *context = each->in->context;
  struct cwi_sited_queue *courier = context->couriers[each->site];
  cl_int code = CL_SUCCESS;
  if (each->is_alone && courier == NULL)
    context->couriers[each->site] = cwi_courier_make(context, each->device, &code);
  else if (!each->is_alone && (courier == NULL || courier->device == each->device->given))
    each->courier = cwi_courier_make(context, neighbour_of(each), &code);
  return code;
}

/* --- making all again --------------------------------------------------------------------------
 */

/* A program that was not built before needs not be built now. */
static cl_int program_again(const struct cwi_move *move, const struct cwi_moving_device *each,
                            struct cwi_sited_program *program)
{
  cl_int before = 0;
  if (cwi_program_build(program, each->device->given) == NULL)
    return CL_SUCCESS;
  const cl_int code = cwi_program_rebuild(program, each->device->given, each->away);
  if (code == CL_SUCCESS || cwi_site_copy_known(program, each->away) == NULL)
    return code;
  const struct cwi_native_question question = {.about = CWI_ABOUT_BUILD,
                                               .object = cwi_site_copy_known(program, each->site),
                                               .device = move->from->object,
                                               .what = CL_PROGRAM_BUILD_STATUS};
  return cwi_copy_ask(&question, sizeof before, &before, NULL) == CL_SUCCESS &&
                 before == CL_BUILD_ERROR
             ? CL_SUCCESS
             : code;
}

static bool is_queue_of(const struct cwi_sited *member, const struct cwi_moving_device *each)
{
  return member->kind == &cwi_sited_queues &&
         ((const struct cwi_sited_queue *)member)->device == each->device->given;
}

/* Is there nothing of the kernel on the device? */
static bool kernel_is_elsewhere(const struct cwi_moving_device *each,
                                const struct cwi_sited_kernel *kernel)
{
  const struct cwi_build *build = cwi_program_build(kernel->program, each->device->given);
  if (build == NULL || kernel->program->sort == CWI_BUILT_IN_PROGRAM)
    return build == NULL;
  return build->record == NULL || (!each->is_alone && !build->has_succeeded);
}

/* Copies of events stay where they are. Kernels go along with a device that leaves others, too:
 * these may go next, and not all kernels are for them. */
static cl_int member_again(const struct cwi_move *move, const struct cwi_moving_device *each,
                           struct cwi_sited *member)
{
  cl_int code = CL_SUCCESS;
  if (member->kind == &cwi_sited_events || cwi_site_copy_known(member, each->site) == NULL)
    return CL_SUCCESS;
  if (member->kind == &cwi_sited_programs)
    return program_again(move, each, (struct cwi_sited_program *)member);
  const bool is_kernel = member->kind == &cwi_sited_kernels;
  if (is_kernel && kernel_is_elsewhere(each, (const struct cwi_sited_kernel *)member))
    return CL_SUCCESS;
  if (each->is_alone || is_kernel || is_queue_of(member, each))
    cwi_site_copy(member, each->away, &code);
  return code;
}

/* Programs come before their kernels, memory before its parts and kernels: so kernels are last. */
static cl_int members_again(const struct cwi_move *move, const struct cwi_moving_device *each,
                            bool kernels)
{
  cl_int code = CL_SUCCESS;
  for (size_t i = 0; i < each->in->count && code == CL_SUCCESS; i++) {
    struct cwi_sited *member = each->in->members[i];
    if ((member->kind == &cwi_sited_kernels) == kernels)
      code = member_again(move, each, member);
  }
  return code;
}

/* --- what memory holds -------------------------------------------------------------------------
 */

/* So many are under way at once: while one is written, others are read. */
enum { DELIVERIES = 3 };

/* What the device that does the oldest of them has begun; held. NULL: nothing has. */
static struct cwi_sited_event *delivery_begun(struct cwi_sited_context *context, size_t *count)
{
  struct cwi_sited_event *begun = NULL;
  *count = 0;
  cwi_context_lock(context);
  for (const struct cwi_delivery *each = context->deliveries; each != NULL; each = each->next) {
    struct cwi_sited_event *const events[] = {each->write, each->read};
    (*count)++;
    for (size_t i = 0; i < 2; i++)
      if (events[i] != NULL && cwi_site_copy_known(events[i], events[i]->site) != NULL &&
          cwi_event_status(events[i]) > CL_COMPLETE)
        begun = events[i];
  }
  if (begun != NULL)
    cwi_sited_hold(begun);
  cwi_context_unlock(context);
  return begun;
}

/* Until so many are left. Others than the program's commands can wait for are done by now. */
static cl_int deliveries_await(struct cwi_sited_context *context, size_t most)
{
  for (;;) {
    uint32_t placed = 0;
    size_t left = 0;
    const cl_int code = cwi_release_placed(context, &placed);
    struct cwi_sited_event *begun = delivery_begun(context, &left);
    const bool is_enough = code != CL_SUCCESS || left <= most;
    if (!is_enough && begun != NULL)
      cwi_sited_event_wait(begun);
    else if (!is_enough)
      cwi_move_nap();
    cwi_sited_let_go(begun);
    if (is_enough)
      return code;
  }
}

/* Might what the memory has at the site count again, because a command at another one fails? */
static bool memory_may_return(const struct cwi_moving_device *each, struct cwi_sited_memory *memory)
{
  struct cwi_use *over = NULL;
  uint32_t before = 0;
  cwi_context_lock(each->in->context);
  for (struct cwi_valid_part *part = memory->contents.segments; part != NULL; part = part->next) {
    cwi_part_look(part, &over);
    for (const struct cwi_use *use = part->unsure; use != NULL; use = use->next)
      before |= use->before;
  }
  cwi_context_unlock(each->in->context);
  cwi_uses_free(over);
  return (before >> each->site & 1) != 0;
}

bool cwi_moving_is_needed(const struct cwi_moving_device *each)
{
  for (size_t i = 0; i < each->in->count; i++)
    if (is_root(each->in->members[i]) &&
        memory_may_return(each, (struct cwi_sited_memory *)each->in->members[i]))
      return true;
  return false;
}

/* The next part behind `at` that is nowhere else afterwards. */
static bool part_find(const struct cwi_moving_device *each, struct cwi_sited_memory *memory,
                      size_t at, size_t *from, size_t *to)
{
  struct cwi_sited_context *context = each->in->context;
  const uint32_t site = 1u << each->site;
  cwi_context_lock(context);
  const struct cwi_valid_part *part = memory->contents.segments;
  while (part != NULL && (part->from < at || (part->valid & site) == 0 ||
                          cwi_sites_alive(context, part->valid & ~each->in->leaving) != 0))
    part = part->next;
  if (part != NULL) {
    *from = part->from;
    *to = part->to;
  }
  cwi_context_unlock(context);
  return part != NULL;
}

static cl_int part_deliver(const struct cwi_move *move, const struct cwi_moving_device *each,
                           struct cwi_sited_memory *memory, size_t from, size_t to)
{
  struct cwi_sited_context *context = each->in->context;
  cl_int code = CL_SUCCESS;
  while (from < to && code == CL_SUCCESS) {
    cwi_context_lock(context);
    const size_t next = cwi_delivery_begin(memory, from, to, each->site, each->away);
    move->report->bytes += context->deliveries != NULL ? context->deliveries->size : 0;
    cwi_context_unlock(context);
    if (next == from)
      return CL_OUT_OF_HOST_MEMORY;
    from = next;
    code = deliveries_await(context, DELIVERIES - 1);
  }
  return code;
}

/* It is valid where the copies are that are away, once all is delivered. */
static void part_mark(const struct cwi_moving_device *each, struct cwi_sited_memory *memory,
                      size_t from, size_t to)
{
  cwi_context_lock(each->in->context);
  for (struct cwi_valid_part *part = memory->contents.segments; part != NULL; part = part->next)
    if (from <= part->from && part->to <= to)
      part->valid |= 1u << each->away;
  cwi_context_unlock(each->in->context);
}

static cl_int memory_deliver(const struct cwi_move *move, const struct cwi_moving_device *each,
                             struct cwi_sited_memory *memory)
{
  cl_int code = CL_SUCCESS;
  for (size_t from = 0, to = 0; code == CL_SUCCESS && part_find(each, memory, to, &from, &to);) {
    code = part_deliver(move, each, memory, from, to);
    if (code == CL_SUCCESS)
      part_mark(each, memory, from, to);
  }
  return code;
}

/* Who calls us meanwhile, by a callback, passes the gate that we have closed. */
static cl_int contents_deliver(const struct cwi_move *move, const struct cwi_moving_device *each)
{
  const struct cwi_moving_context *in = each->in;
  struct cwi_sited_context *context = in->context;
  cl_int code = CL_SUCCESS;
  cwi_gate_pass(&context->gate);
  for (size_t i = 0; i < in->count && code == CL_SUCCESS; i++)
    if (is_root(in->members[i]))
      code = memory_deliver(move, each, (struct cwi_sited_memory *)in->members[i]);
  for (size_t left = 1; left > 0;) { /* all come to their end, of whatever sort it is */
    const cl_int ended = deliveries_await(context, 0);
    code = code != CL_SUCCESS ? code : ended;
    cwi_sited_let_go(delivery_begun(context, &left));
  }
  cwi_gate_leave(&context->gate);
  return code;
}

static cl_int begin_away(const struct cwi_move *move, struct cwi_moving_device *each)
{
  struct cwi_sited_context *context = each->in->context;
  cl_int code = couriers_begin(each);
  if (code == CL_SUCCESS && !contents_begin(each))
    code = CL_OUT_OF_HOST_MEMORY;
  if (code != CL_SUCCESS)
    return code;
  each->is_away = true;
  each->device->site = each->away;
  each->device->device = move->to->object;
  cwi_site_copy(context, each->away, &code);
  if (code == CL_SUCCESS)
    context->couriers[each->away] = cwi_courier_make(context, each->device, &code);
  return code;
}

/* Deliveries that have begun come to their end, however long they take. So the new device does a
 * little before they begin: one that others keep busy refuses while nobody waits for it. */
static int device_try(const struct cwi_move *move, const struct cwi_moving_device *each)
{
  static const char *const does_nothing = "the new device does nothing";
  struct cwi_sited_context *context = each->in->context;
  const cl_uint zero = 0;
  void *scratch = NULL;
  const struct cwi_making making = {.sort = CWI_BUFFER,
                                    .parent = cwi_site_copy_known(context, each->away),
                                    .flags = CL_MEM_READ_WRITE,
                                    .size = sizeof zero};
  const cl_int code = cwi_copy_make(&making, &scratch);
  if (code != CL_SUCCESS)
    return cwi_move_say_code(move, does_nothing, code);
  const struct cwi_command fill = {
      .sort = CWI_COMMAND_FILL,
      .queue = cwi_site_copy_known(context->couriers[each->away], each->away),
      .memory = {scratch},
      .size = sizeof zero,
      .pattern = &zero,
      .pattern_size = sizeof zero};
  const int result =
      cwi_move_perform(move, &fill, does_nothing, "the new device is busy (CW_VOCL_DRAIN)");
  cwi_copy_drop(CWI_BUFFER, scratch);
  return result;
}

int cwi_moving_make(const struct cwi_move *move, struct cwi_moving_device *each)
{
  cl_int code = begin_away(move, each);
  if (code != CL_SUCCESS)
    return cwi_move_say_code(move, "there cannot be a context with the new device", code);
  const int result = each->is_alone ? device_try(move, each) : 0;
  if (result != 0)
    return result;
  code = members_again(move, each, false);
  if (code != CL_SUCCESS)
    return cwi_move_say_code(move, "what is on the device cannot be made on the new one", code);
  if (each->is_alone)
    code = contents_deliver(move, each);
  if (code != CL_SUCCESS)
    return cwi_move_say_code(move, "what memory holds cannot be brought to the new device", code);
  code = members_again(move, each, true);
  if (code != CL_SUCCESS)
    return cwi_move_say_code(move, "a kernel cannot be made on the new device", code);
  return 0;
}

/* --- taking places -----------------------------------------------------------------------------
 */

/* Its copy that is away, if any, comes to the site; what leaves another one, or this, is away then.
 */
static void copy_settle(struct cwi_sited *sited, uint32_t away, uint32_t site, uint32_t left)
{
  void *fresh = sited->copies[away];
  __atomic_store_n(&sited->copies[away], sited->copies[left], __ATOMIC_RELEASE);
  __atomic_store_n(&sited->copies[site], fresh, __ATOMIC_RELEASE);
  if (left != site)
    __atomic_store_n(&sited->copies[left], NULL, __ATOMIC_RELEASE);
}

/* What was not delivered others have. */
static void parts_settle(const struct cwi_moving_device *each, struct cwi_contents *contents,
                         uint32_t site)
{
  const uint32_t is_left = each->is_alone ? 1u << each->site : 0, is_away = 1u << each->away;
  for (struct cwi_valid_part *part = contents->segments; part != NULL; part = part->next) {
    const bool has_come = (part->valid & is_away) != 0;
    part->valid = (part->valid & ~(is_left | is_away)) | (has_come ? 1u << site : 0);
  }
}

static void memory_settle(const struct cwi_moving_device *each, struct cwi_sited_memory *memory,
                          uint32_t site)
{
  cwi_memory_settle(memory, each->away, site);
  cwi_context_lock(each->in->context);
  parts_settle(each, &memory->contents, site);
  cwi_context_unlock(each->in->context);
}

/* Of an event that is complete: what it says goes on, and it counts as one of another site. One
 * that is at home goes with its queue. Whoever looks at it meanwhile finds its copy, or its status.
 */
static void event_settle(struct cwi_sited_event *event, const struct cwi_moving_device *each,
                         uint32_t site)
{
  struct cwi_sited_context *context = event->sited.context;
  void *copy = cwi_site_copy_known(event, each->site);
  if (event->queue == NULL || event->queue->device != each->device->given ||
      event->site != each->site)
    return;
  const cl_int status = cwi_event_status(event);
  cwi_context_lock(context);
  if (copy != NULL) {
    __atomic_store_n(&event->status, status <= CL_COMPLETE ? status : CL_COMPLETE,
                     __ATOMIC_RELEASE);
    __atomic_store_n(&event->sited.copies[CWI_SITE_AWAY], copy, __ATOMIC_RELEASE);
    __atomic_store_n(&event->site, CWI_SITE_AWAY, __ATOMIC_RELEASE);
    __atomic_store_n(&event->sited.copies[each->site], NULL, __ATOMIC_RELEASE);
  } else {
    __atomic_store_n(&event->site, site, __ATOMIC_RELEASE);
  }
  cwi_context_unlock(context);
}

static void member_settle(const struct cwi_moving_device *each, struct cwi_sited *member,
                          uint32_t site)
{
  const bool leaves = each->is_alone || is_queue_of(member, each);
  if (member->kind == &cwi_sited_events) {
    event_settle((struct cwi_sited_event *)member, each, site);
    return;
  }
  copy_settle(member, each->away, site, leaves ? each->site : site);
  if (is_queue_of(member, each))
    ((struct cwi_sited_queue *)member)->site = site;
  else if (member->kind == &cwi_sited_memories)
    memory_settle(each, (struct cwi_sited_memory *)member, site);
  else if (member->kind == &cwi_sited_kernels && cwi_site_copy_known(member, site) != NULL)
    ((struct cwi_sited_kernel *)member)->stale |= 1u << site;
}

/* A site of its own has a courier of its own; so have those that stay. */
static void couriers_settle(struct cwi_moving_device *each, uint32_t site)
{
  struct cwi_sited_queue **couriers = each->in->context->couriers;
  struct cwi_sited_queue *courier = couriers[each->away], *left = couriers[each->site];
  copy_settle(&courier->sited, each->away, site, site);
  courier->site = site;
  couriers[site] = courier;
  couriers[each->away] = NULL;
  if (each->courier == NULL)
    return;
  couriers[each->site] = each->courier;
  each->courier = NULL;
  cwi_courier_end(left);
}

void cwi_moving_settle(const struct cwi_move *move, struct cwi_moving_device *each)
{
  struct cwi_sited_context *context = each->in->context;
  const uint32_t site = each->is_alone ? each->site : context->site_count;
  each->device->site = site;
  each->is_away = false;
  context->vendors[site] = move->to->vendor;
  for (size_t i = 0; i < each->in->count; i++)
    member_settle(each, each->in->members[i], site);
  if (!each->is_alone)
    couriers_settle(each, site);
  cwi_gate_pass(&context->gate); /* so may who calls us by a callback: a proxy may end now */
  cwi_context_settle(context, each->away, site);
  cwi_gate_leave(&context->gate);
  if (!each->is_alone)
    cwi_context_measure(context);
  cwi_moved_remember(each->device->given, move->to);
}

/* --- the end -----------------------------------------------------------------------------------
 */

static void copy_drop_at(struct cwi_sited *sited, uint32_t site)
{
  void *copy = __atomic_exchange_n(&sited->copies[site], NULL, __ATOMIC_ACQ_REL);
  if (copy != NULL)
    cwi_copy_drop(sited->kind->sort, copy);
}

static void courier_clear(struct cwi_sited_context *context, uint32_t site)
{
  cwi_courier_end(context->couriers[site]);
  context->couriers[site] = NULL;
}

/* One site needs neither. */
static void contents_clear(struct cwi_moving_device *each)
{
  struct cwi_moving_context *in = each->in;
  if (in->context->site_count > 1)
    return;
  courier_clear(in->context, each->site);
  for (size_t i = 0; i < in->count; i++)
    if (in->members[i]->kind == &cwi_sited_memories)
      cwi_contents_end(&((struct cwi_sited_memory *)in->members[i])->contents);
  in->has_contents = false;
}

/* Nothing is away any more. */
static void memory_clear(const struct cwi_moving_device *each, struct cwi_sited_memory *memory)
{
  cwi_memory_forget_copy(memory, each->away);
  for (struct cwi_valid_part *part = memory->contents.segments; part != NULL; part = part->next)
    part->valid &= ~(1u << each->away);
}

void cwi_moving_clear(const struct cwi_move *move, struct cwi_moving_device *each)
{
  struct cwi_sited_context *context = each->in->context;
  if (each->is_away) {
    each->device->site = each->site;
    each->device->device = move->from->object;
    each->is_away = false;
  }
  courier_clear(context, each->away);
  cwi_courier_end(each->courier);
  each->courier = NULL;
  contents_clear(each);
  for (size_t i = 0; i < each->in->count; i++) {
    struct cwi_sited *member = each->in->members[i];
    if (member->kind == &cwi_sited_events)
      continue;
    if (member->kind == &cwi_sited_memories)
      memory_clear(each, (struct cwi_sited_memory *)member);
    copy_drop_at(member, each->away);
  }
  copy_drop_at(&context->sited, each->away);
}
