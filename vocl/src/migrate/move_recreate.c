/* Recreates what is on a device that moves. A device that is alone at its location takes the
 * location along: each replica there is made again, and memory that is valid only there is
 * transferred to the new replicas. If several devices share a location, the one that moves gets
 * a location of its own. Its programs, kernels and queues are made before it continues;
 * everything else is made and transferred when it is needed there. */
#include "migrate/move_recreate.h"

#include "base/clock.h"

#include <errno.h>

/* --- preparation
 * ---------------------------------------------------------------------------------- */

static bool is_root(const struct vocl_replicated *member)
{
  return member->kind == &vocl_replicated_memory_kind &&
         ((const struct vocl_replicated_memory *)member)->whole == NULL;
}

/* Begins to track ranges if there was only one location, where everything is valid. */
static bool contents_begin(struct vocl_move_device *each)
{
  struct vocl_move_context *in = each->in;
  if (in->context->location_count > 1 || in->has_contents)
    return true;
  in->has_contents = true;
  for (size_t i = 0; i < in->count; i++) {
    struct vocl_replicated_memory *memory = (struct vocl_replicated_memory *)in->members[i];
    if (is_root(in->members[i]) &&
        !vocl_contents_begin(&memory->contents, vocl_memory_extent(memory), 1u << each->location))
      return false;
  }
  return true;
}

/* Returns another device of the same location. */
static const struct vocl_device_binding *neighbour_of(const struct vocl_move_device *each)
{
  const struct vocl_replicated_context *context = each->in->context;
  const struct vocl_device_binding *other = context->devices;
  while (other->location != each->location || other == each->device)
    other++;
  return other;
}

/* Makes the queues for transfers, both for the device that moves and for those that stay, while
 * the device is still bound to its old location. */
static cl_int transfer_queues_begin(struct vocl_move_device *each)
{
  struct vocl_replicated_context *context = each->in->context;
  struct vocl_replicated_queue *transfer_queue = context->transfer_queues[each->location];
  cl_int code = CL_SUCCESS;
  if (each->is_alone && transfer_queue == NULL)
    context->transfer_queues[each->location] =
        vocl_transfer_queue_make(context, each->device, &code);
  else if (!each->is_alone &&
           (transfer_queue == NULL || transfer_queue->device == each->device->given))
    each->transfer_queue = vocl_transfer_queue_make(context, neighbour_of(each), &code);
  return code;
}

/* --- recreation
 * ----------------------------------------------------------------------------------- */

/* Recreates a program. A build may fail if it failed on the old device, too. */
static cl_int program_again(const struct vocl_device_move *move,
                            const struct vocl_move_device *each,
                            struct vocl_replicated_program *program)
{
  cl_int before = 0;
  if (vocl_program_build_for(program, each->device->given) == NULL)
    return CL_SUCCESS;
  const cl_int code = vocl_program_rebuild(program, each->device->given, each->spare);
  if (code == CL_SUCCESS || vocl_replica_existing(program, each->spare) == NULL)
    return code;
  const struct vocl_query query = {.about = VOCL_ABOUT_BUILD,
                                   .object = vocl_replica_existing(program, each->location),
                                   .device = move->from->object,
                                   .what = CL_PROGRAM_BUILD_STATUS};
  return vocl_replica_query(&query, sizeof before, &before, NULL) == CL_SUCCESS &&
                 before == CL_BUILD_ERROR
             ? CL_SUCCESS
             : code;
}

static bool is_queue_of(const struct vocl_replicated *member, const struct vocl_move_device *each)
{
  return member->kind == &vocl_replicated_queue_kind &&
         ((const struct vocl_replicated_queue *)member)->device == each->device->given;
}

/* Returns true if the kernel does not exist on the device. */
static bool kernel_is_elsewhere(const struct vocl_move_device *each,
                                const struct vocl_replicated_kernel *kernel)
{
  const struct vocl_build *build = vocl_program_build_for(kernel->program, each->device->given);
  if (build == NULL || kernel->program->sort == VOCL_BUILT_IN_PROGRAM)
    return build == NULL;
  return build->record == NULL || (!each->is_alone && !build->has_succeeded);
}

/* Recreates a replica at the spare location. Replicas of events stay where they are. Kernels are
 * recreated also for a device that leaves others at its location: the others may move next, and
 * then some kernels have no other replica. */
static cl_int member_again(const struct vocl_device_move *move, const struct vocl_move_device *each,
                           struct vocl_replicated *member)
{
  cl_int code = CL_SUCCESS;
  if (member->kind == &vocl_replicated_event_kind ||
      vocl_replica_existing(member, each->location) == NULL)
    return CL_SUCCESS;
  if (member->kind == &vocl_replicated_program_kind)
    return program_again(move, each, (struct vocl_replicated_program *)member);
  const bool is_kernel = member->kind == &vocl_replicated_kernel_kind;
  if (is_kernel && kernel_is_elsewhere(each, (const struct vocl_replicated_kernel *)member))
    return CL_SUCCESS;
  if (each->is_alone || is_kernel || is_queue_of(member, each))
    vocl_replica_get(member, each->spare, &code);
  return code;
}

/* Recreates the kernels, or everything else. Kernels come last,
 * because their programs must be rebuilt, and the memory of their arguments made, before them. */
static cl_int members_again(const struct vocl_device_move *move,
                            const struct vocl_move_device *each, bool kernels)
{
  cl_int code = CL_SUCCESS;
  for (size_t i = 0; i < each->in->count && code == CL_SUCCESS; i++) {
    struct vocl_replicated *member = each->in->members[i];
    if ((member->kind == &vocl_replicated_kernel_kind) == kernels)
      code = member_again(move, each, member);
  }
  return code;
}

/* --- contents of memory
 * --------------------------------------------------------------------------- */

/* Maximum number of transfers in flight: while one is written, others are read. */
enum { TRANSFERS = 3 };

/* Returns a reference to the oldest unfinished command of a transfer that was submitted to an
 * executor, or NULL. Sets *count to the number of transfers. */
static struct vocl_replicated_event *transfer_begun(struct vocl_replicated_context *context,
                                                    size_t *count)
{
  struct vocl_replicated_event *begun = NULL;
  *count = 0;
  vocl_context_lock(context);
  for (const struct vocl_transfer *each = context->transfers; each != NULL; each = each->next) {
    struct vocl_replicated_event *const events[] = {each->write, each->read};
    (*count)++;
    for (size_t i = 0; i < 2; i++)
      if (events[i] != NULL && vocl_replica_existing(events[i], events[i]->location) != NULL &&
          vocl_replicated_event_status(events[i]) > CL_COMPLETE)
        begun = events[i];
  }
  if (begun != NULL)
    vocl_replicated_ref(begun);
  vocl_context_unlock(context);
  return begun;
}

/* Waits until at most `most` transfers are left. They wait for no other commands, because
 * everything else is drained by now. */
static cl_int transfers_wait_for(struct vocl_replicated_context *context, size_t most)
{
  for (;;) {
    uint32_t placed = 0;
    size_t left = 0;
    const cl_int code = vocl_deferred_submit_prepared(context, &placed);
    struct vocl_replicated_event *begun = transfer_begun(context, &left);
    const bool is_enough = code != CL_SUCCESS || left <= most;
    if (!is_enough && begun != NULL)
      vocl_replicated_event_wait(begun);
    else if (!is_enough)
      vocl_move_sleep();
    vocl_replicated_unref(begun);
    if (is_enough)
      return code;
  }
}

/* Returns true if the memory's data at the location becomes the valid data again if a command at
 * another location fails. */
static bool memory_may_return(const struct vocl_move_device *each,
                              struct vocl_replicated_memory *memory)
{
  struct vocl_memory_use *over = NULL;
  uint32_t before = 0;
  vocl_context_lock(each->in->context);
  for (struct vocl_valid_range *part = memory->contents.segments; part != NULL; part = part->next) {
    vocl_range_update(part, &over);
    for (const struct vocl_memory_use *use = part->unsure; use != NULL; use = use->next)
      before |= use->before;
  }
  vocl_context_unlock(each->in->context);
  vocl_memory_uses_free(over);
  return (before >> each->location & 1) != 0;
}

bool vocl_move_needs_source(const struct vocl_move_device *each)
{
  for (size_t i = 0; i < each->in->count; i++)
    if (is_root(each->in->members[i]) &&
        memory_may_return(each, (struct vocl_replicated_memory *)each->in->members[i]))
      return true;
  return false;
}

/* Finds the first range from `at` on that is valid only at locations that move and would be lost
 * with them. */
static bool part_find(const struct vocl_move_device *each, struct vocl_replicated_memory *memory,
                      size_t at, size_t *from, size_t *to)
{
  struct vocl_replicated_context *context = each->in->context;
  const uint32_t location = 1u << each->location;
  vocl_context_lock(context);
  const struct vocl_valid_range *part = memory->contents.segments;
  while (part != NULL && (part->from < at || (part->valid & location) == 0 ||
                          vocl_locations_alive(context, part->valid & ~each->in->leaving) != 0))
    part = part->next;
  if (part != NULL) {
    *from = part->from;
    *to = part->to;
  }
  vocl_context_unlock(context);
  return part != NULL;
}

static cl_int part_deliver(const struct vocl_device_move *move, const struct vocl_move_device *each,
                           struct vocl_replicated_memory *memory, size_t from, size_t to)
{
  struct vocl_replicated_context *context = each->in->context;
  cl_int code = CL_SUCCESS;
  while (from < to && code == CL_SUCCESS) {
    vocl_context_lock(context);
    const size_t next = vocl_transfer_begin(memory, from, to, each->location, each->spare);
    move->report->bytes += context->transfers != NULL ? context->transfers->size : 0;
    vocl_context_unlock(context);
    if (next == from)
      return CL_OUT_OF_HOST_MEMORY;
    from = next;
    code = transfers_wait_for(context, TRANSFERS - 1);
  }
  return code;
}

/* Marks the range as valid at the spare location, after its transfer. */
static void part_note_holder(const struct vocl_move_device *each,
                             struct vocl_replicated_memory *memory, size_t from, size_t to)
{
  vocl_context_lock(each->in->context);
  for (struct vocl_valid_range *part = memory->contents.segments; part != NULL; part = part->next)
    if (from <= part->from && part->to <= to)
      part->valid |= 1u << each->spare;
  vocl_context_unlock(each->in->context);
}

static cl_int memory_deliver(const struct vocl_device_move *move,
                             const struct vocl_move_device *each,
                             struct vocl_replicated_memory *memory)
{
  cl_int code = CL_SUCCESS;
  for (size_t from = 0, to = 0; code == CL_SUCCESS && part_find(each, memory, to, &from, &to);) {
    code = part_deliver(move, each, memory, from, to);
    if (code == CL_SUCCESS)
      part_note_holder(each, memory, from, to);
  }
  return code;
}

/* Transfers the contents of all memory. Callbacks made meanwhile bypass the freeze. */
static cl_int contents_deliver(const struct vocl_device_move *move,
                               const struct vocl_move_device *each)
{
  const struct vocl_move_context *in = each->in;
  struct vocl_replicated_context *context = in->context;
  cl_int code = CL_SUCCESS;
  vocl_freeze_bypass(&context->freeze);
  for (size_t i = 0; i < in->count && code == CL_SUCCESS; i++)
    if (is_root(in->members[i]))
      code = memory_deliver(move, each, (struct vocl_replicated_memory *)in->members[i]);
  for (size_t left = 1; left > 0;) { /* wait for all transfers, even after an error */
    const cl_int ended = transfers_wait_for(context, 0);
    code = code != CL_SUCCESS ? code : ended;
    vocl_replicated_unref(transfer_begun(context, &left));
  }
  vocl_freeze_leave(&context->freeze);
  return code;
}

static cl_int begin_spare(const struct vocl_device_move *move, struct vocl_move_device *each)
{
  struct vocl_replicated_context *context = each->in->context;
  cl_int code = transfer_queues_begin(each);
  if (code == CL_SUCCESS && !contents_begin(each))
    code = CL_OUT_OF_HOST_MEMORY;
  if (code != CL_SUCCESS)
    return code;
  each->is_away = true;
  each->device->location = each->spare;
  each->device->device = move->to->object;
  vocl_replica_get(context, each->spare, &code);
  if (code == CL_SUCCESS)
    context->transfer_queues[each->spare] = vocl_transfer_queue_make(context, each->device, &code);
  return code;
}

/* Checks that the new device executes a small command before transfers begin. The wait for
 * transfers has no time limit, so a device that other programs keep busy must be rejected before
 * transfers begin. */
static int device_try(const struct vocl_device_move *move, const struct vocl_move_device *each)
{
  static const char *const cannot_execute = "the new device cannot execute a command";
  struct vocl_replicated_context *context = each->in->context;
  const cl_uint zero = 0;
  void *scratch = NULL;
  const struct vocl_making making = {.sort = VOCL_BUFFER,
                                     .parent = vocl_replica_existing(context, each->spare),
                                     .flags = CL_MEM_READ_WRITE,
                                     .size = sizeof zero};
  const cl_int code = vocl_replica_make(&making, &scratch);
  if (code != CL_SUCCESS)
    return vocl_move_report_code(move, cannot_execute, code);
  const struct vocl_command fill = {
      .sort = VOCL_COMMAND_FILL,
      .queue = vocl_replica_existing(context->transfer_queues[each->spare], each->spare),
      .memory = {scratch},
      .size = sizeof zero,
      .pattern = &zero,
      .pattern_size = sizeof zero};
  const int result =
      vocl_move_execute(move, &fill, cannot_execute, "the new device is busy (CW_VOCL_DRAIN)");
  vocl_replica_drop(VOCL_BUFFER, scratch);
  return result;
}

int vocl_move_recreate(const struct vocl_device_move *move, struct vocl_move_device *each)
{
  cl_int code = begin_spare(move, each);
  if (code != CL_SUCCESS)
    return vocl_move_report_code(move, "a context with the new device cannot be made", code);
  const int result = each->is_alone ? device_try(move, each) : 0;
  if (result != 0)
    return result;
  code = members_again(move, each, false);
  if (code != CL_SUCCESS)
    return vocl_move_report_code(move, "an object cannot be made on the new device", code);
  if (each->is_alone)
    code = contents_deliver(move, each);
  if (code != CL_SUCCESS)
    return vocl_move_report_code(
        move, "the contents of memory cannot be transferred to the new device", code);
  code = members_again(move, each, true);
  if (code != CL_SUCCESS)
    return vocl_move_report_code(move, "a kernel cannot be made on the new device", code);
  return 0;
}

/* --- commit
 * --------------------------------------------------------------------------------------- */

/* Moves the new replica, if any, to `location`, and the old replica from `left` to the spare
 * location. */
static void replica_commit(struct vocl_replicated *replicated, uint32_t spare, uint32_t location,
                           uint32_t left)
{
  void *fresh = replicated->replicas[spare];
  __atomic_store_n(&replicated->replicas[spare], replicated->replicas[left], __ATOMIC_RELEASE);
  __atomic_store_n(&replicated->replicas[location], fresh, __ATOMIC_RELEASE);
  if (left != location)
    __atomic_store_n(&replicated->replicas[left], NULL, __ATOMIC_RELEASE);
}

/* Updates the valid ranges: replicas at the old location are gone, new ones are at `location`. */
static void parts_commit(const struct vocl_move_device *each, struct vocl_contents *contents,
                         uint32_t location)
{
  const uint32_t is_left = each->is_alone ? 1u << each->location : 0, is_away = 1u << each->spare;
  for (struct vocl_valid_range *part = contents->segments; part != NULL; part = part->next) {
    const bool has_arrived = (part->valid & is_away) != 0;
    part->valid = (part->valid & ~(is_left | is_away)) | (has_arrived ? 1u << location : 0);
  }
}

static void memory_commit(const struct vocl_move_device *each,
                          struct vocl_replicated_memory *memory, uint32_t location)
{
  vocl_memory_adopt_replica(memory, each->spare, location);
  vocl_context_lock(each->in->context);
  parts_commit(each, &memory->contents, location);
  vocl_context_unlock(each->in->context);
}

/* Moves an event. An event with a replica is complete; its replica moves to VOCL_LOCATION_SPARE,
 * and it counts as an event of another location. An event without a replica moves with its queue. A
 * thread that reads the event meanwhile finds its replica or its status. */
static void event_commit(struct vocl_replicated_event *event, const struct vocl_move_device *each,
                         uint32_t location)
{
  struct vocl_replicated_context *context = event->replicated.context;
  void *replica = vocl_replica_existing(event, each->location);
  if (event->queue == NULL || event->queue->device != each->device->given ||
      event->location != each->location)
    return;
  const cl_int status = vocl_replicated_event_status(event);
  vocl_context_lock(context);
  if (replica != NULL) {
    __atomic_store_n(&event->status, status <= CL_COMPLETE ? status : CL_COMPLETE,
                     __ATOMIC_RELEASE);
    __atomic_store_n(&event->replicated.replicas[VOCL_LOCATION_SPARE], replica, __ATOMIC_RELEASE);
    __atomic_store_n(&event->location, VOCL_LOCATION_SPARE, __ATOMIC_RELEASE);
    __atomic_store_n(&event->replicated.replicas[each->location], NULL, __ATOMIC_RELEASE);
  } else {
    __atomic_store_n(&event->location, location, __ATOMIC_RELEASE);
  }
  vocl_context_unlock(context);
}

static void member_commit(const struct vocl_move_device *each, struct vocl_replicated *member,
                          uint32_t location)
{
  const bool leaves = each->is_alone || is_queue_of(member, each);
  if (member->kind == &vocl_replicated_event_kind) {
    event_commit((struct vocl_replicated_event *)member, each, location);
    return;
  }
  replica_commit(member, each->spare, location, leaves ? each->location : location);
  if (is_queue_of(member, each))
    ((struct vocl_replicated_queue *)member)->location = location;
  else if (member->kind == &vocl_replicated_memory_kind)
    memory_commit(each, (struct vocl_replicated_memory *)member, location);
  else if (member->kind == &vocl_replicated_kernel_kind &&
           vocl_replica_existing(member, location) != NULL)
    ((struct vocl_replicated_kernel *)member)->stale |= 1u << location;
}

/* Sets the queue for transfers of the new location, and the new queue of the devices that stay, if
 * there is one. */
static void transfer_queues_commit(struct vocl_move_device *each, uint32_t location)
{
  struct vocl_replicated_queue **transfer_queues = each->in->context->transfer_queues;
  struct vocl_replicated_queue *transfer_queue = transfer_queues[each->spare],
                               *left = transfer_queues[each->location];
  replica_commit(&transfer_queue->replicated, each->spare, location, location);
  transfer_queue->location = location;
  transfer_queues[location] = transfer_queue;
  transfer_queues[each->spare] = NULL;
  if (each->transfer_queue == NULL)
    return;
  transfer_queues[each->location] = each->transfer_queue;
  each->transfer_queue = NULL;
  vocl_transfer_queue_end(left);
}

void vocl_move_commit(const struct vocl_device_move *move, struct vocl_move_device *each)
{
  struct vocl_replicated_context *context = each->in->context;
  const uint32_t location = each->is_alone ? each->location : context->location_count;
  each->device->location = location;
  each->is_away = false;
  context->vendors[location] = move->to->vendor;
  for (size_t i = 0; i < each->in->count; i++)
    member_commit(each, each->in->members[i], location);
  if (!each->is_alone)
    transfer_queues_commit(each, location);
  /* Callbacks bypass the freeze, too, because a session may end now. */
  vocl_freeze_bypass(&context->freeze);
  vocl_context_swap_replicas(context, each->spare, location);
  vocl_freeze_leave(&context->freeze);
  if (!each->is_alone)
    vocl_context_set_limits(context);
  vocl_bound_device_set(each->device->given, move->to);
}

/* --- cleaning up
 * ---------------------------------------------------------------------------------- */

static void replica_drop_at(struct vocl_replicated *replicated, uint32_t location)
{
  void *replica = __atomic_exchange_n(&replicated->replicas[location], NULL, __ATOMIC_ACQ_REL);
  if (replica != NULL)
    vocl_replica_drop(replicated->kind->sort, replica);
}

static void transfer_queue_clear(struct vocl_replicated_context *context, uint32_t location)
{
  vocl_transfer_queue_end(context->transfer_queues[location]);
  context->transfer_queues[location] = NULL;
}

/* Stops tracking ranges if there is only one location. */
static void contents_clear(struct vocl_move_device *each)
{
  struct vocl_move_context *in = each->in;
  if (in->context->location_count > 1)
    return;
  transfer_queue_clear(in->context, each->location);
  for (size_t i = 0; i < in->count; i++)
    if (in->members[i]->kind == &vocl_replicated_memory_kind)
      vocl_contents_end(&((struct vocl_replicated_memory *)in->members[i])->contents);
  in->has_contents = false;
}

/* Records that the memory has no replica at the spare location any more. */
static void memory_clear(const struct vocl_move_device *each, struct vocl_replicated_memory *memory)
{
  vocl_memory_drop_replica(memory, each->spare);
  for (struct vocl_valid_range *part = memory->contents.segments; part != NULL; part = part->next)
    part->valid &= ~(1u << each->spare);
}

void vocl_move_clean_up(const struct vocl_device_move *move, struct vocl_move_device *each)
{
  struct vocl_replicated_context *context = each->in->context;
  if (each->is_away) {
    each->device->location = each->location;
    each->device->device = move->from->object;
    each->is_away = false;
  }
  transfer_queue_clear(context, each->spare);
  vocl_transfer_queue_end(each->transfer_queue);
  each->transfer_queue = NULL;
  contents_clear(each);
  for (size_t i = 0; i < each->in->count; i++) {
    struct vocl_replicated *member = each->in->members[i];
    if (member->kind == &vocl_replicated_event_kind)
      continue;
    if (member->kind == &vocl_replicated_memory_kind)
      memory_clear(each, (struct vocl_replicated_memory *)member);
    replica_drop_at(member, each->spare);
  }
  replica_drop_at(&context->replicated, each->spare);
}
