#include "transfer/operations.h"

#include "kit/native.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 8, SLOT_BYTES = 8192, EDGE = 64, SCRATCH = SLOTS * SLOT_BYTES };

/* One operation, from its start until its local buffer has been checked. Its number is that of its
 * buffer. */
struct pending {
  bool busy;
  size_t number;
  struct model_part *part;
  struct request request;
  int handle;        /* number of the handle that names it, or -1 */
  size_t begin, end; /* of the part */
  char *local;
  char *there; /* address of the buffer on this process's device; NULL if it is `local` */
  char expected[SLOT_BYTES];
};

static struct pending slots[SLOTS];
static cw_handle handles[SLOTS];
static char *private_memory;
static cw_region scratch, on_device;
static size_t issued;

static const char *const operation_names[] = {"put", "get", "accumulate"};
static const char *const completion_names[] = {"blocking", "handle", "tested handle",
                                               "aggregate handle", "implicit"};

void operations_begin(void)
{
  private_memory = kit_alloc(SCRATCH, 1);
  KIT_MUST(cw_region_create(cw_team_world(), SCRATCH, &scratch, NULL));
  KIT_MUST(cw_region_create_on(cw_team_world(), model_device(),
                               model_device() != NULL ? SCRATCH : 0, &on_device, NULL));
  memset(slots, 0, sizeof slots);
}

void operations_end(void)
{
  operations_complete(NULL);
  KIT_OK(cw_region_free(cw_team_world(), &scratch));
  KIT_OK(cw_region_free(cw_team_world(), &on_device));
  free(private_memory);
}

static void name_checks(const struct pending *pending)
{
  const struct model_part *part = pending->part;
  const int shape = pending->request.shape;
  char shape_text[32] = "vector";
  if (shape != PLAN_VECTOR)
    snprintf(shape_text, sizeof shape_text, "strided, %d levels", shape);
  kit_about("operation %zu: %s, %s, %s, %s, scale %d, %spart of process %d in area %d, bytes %zu "
            "to %zu, buffer %s",
            pending->number, operation_names[pending->request.operation],
            completion_names[pending->request.completion], shape_text, model_kind_names[part->kind],
            pending->request.scale, part->shared ? "shared " : "", part->process, part->area,
            pending->begin, pending->end,
            pending->there != NULL ? "on a device"
            : pending->local >= private_memory && pending->local < private_memory + SCRATCH
                ? "private"
                : "in a region");
}

/* Compares the whole buffer, including the bytes that a get or a put must not change. */
static void check_done(struct pending *pending)
{
  name_checks(pending);
  if (pending->there != NULL)
    KIT_OK(cw_get(pending->local, pending->there, SLOT_BYTES, kit_me()));
  kit_check_bytes(pending->local, pending->expected, SLOT_BYTES, "local buffer");
  pending->busy = false;
}

static void check_handle(int handle)
{
  for (int i = 0; i < SLOTS; i++)
    if (slots[i].busy && slots[i].handle == handle)
      check_done(&slots[i]);
}

static void check_process(int process)
{
  for (int i = 0; i < SLOTS; i++)
    if (slots[i].busy && (process < 0 || slots[i].part->process == process))
      check_done(&slots[i]);
}

static void complete(struct pending *pending)
{
  const int process = pending->part->process, handle = pending->handle;
  if (handle >= 0 && pending->request.completion == TESTED) {
    bool done = false;
    while (!done && KIT_OK(cw_test(&handles[handle], &done)))
      cw_progress();
    check_handle(handle);
  } else if (handle >= 0 && kit_own(4) != 0) {
    KIT_OK(cw_wait(&handles[handle]));
    check_handle(handle);
  } else if (kit_own(2) == 0) {
    KIT_OK(cw_wait_process(process));
    check_process(process);
  } else {
    KIT_OK(kit_own(2) == 0 ? cw_wait_all() : cw_wait(NULL));
    check_process(-1);
  }
}

void operations_complete(const struct model_part *part)
{
  for (int i = 0; i < SLOTS; i++)
    if (slots[i].busy && (part == NULL || slots[i].part == part))
      complete(&slots[i]);
}

/* Pending operations on the same bytes have no order, unless both read or both add. */
static void complete_conflicts(const struct model_part *part, cw_operation operation,
                               const struct plan *plan)
{
  size_t begin = 0, end = 0;
  plan_remote_extent(plan, &begin, &end);
  for (int i = 0; i < SLOTS; i++) {
    const struct pending *other = &slots[i];
    if (other->busy && other->part == part && begin < other->end && other->begin < end &&
        (operation != other->request.operation || operation == CW_PUT))
      complete(&slots[i]);
  }
}

static struct pending *free_slot(void)
{
  struct pending *pending = &slots[kit_own(SLOTS)];
  if (pending->busy)
    complete(pending);
  return pending;
}

/* Returns a handle that other aggregated operations already share, or one of its own. */
static int choose_handle(const struct pending *pending)
{
  const int own = (int)(pending - slots);
  if (pending->request.completion == IMPLICIT)
    return -1;
  for (int i = 0; pending->request.completion == AGGREGATE && i < SLOTS; i++)
    if (slots[i].busy && &slots[i] != pending && slots[i].request.completion == AGGREGATE)
      return slots[i].handle;
  /* A handle may still have other operations when that of its slot is complete. */
  for (int i = 0; i < SLOTS; i++)
    if (slots[i].busy && slots[i].handle == own) {
      KIT_OK(cw_wait(&handles[own]));
      check_handle(own);
    }
  KIT_OK(cw_handle_set_aggregate(&handles[own], pending->request.completion == AGGREGATE));
  return own;
}

static void fill(struct pending *pending)
{
  const size_t step = model_element(pending->part->kind);
  char *memory = kit_own(2) == 0 ? private_memory : cw_region_address(scratch, kit_me());
  pending->local = memory + (size_t)(pending - slots) * SLOT_BYTES;
  for (size_t at = 0; at < SLOT_BYTES; at += step)
    model_payload(pending->part->kind, at / step + issued, pending->local + at);
  memcpy(pending->expected, pending->local, SLOT_BYTES);
  pending->there = NULL;
  if (model_device() == NULL || kit_own(2) == 0)
    return;
  pending->there = (char *)cw_region_address(on_device, kit_me()) + (pending->local - memory);
  KIT_OK(cw_put(pending->local, pending->there, SLOT_BYTES, kit_me()));
}

static cw_error run_on_device(const cw_transfer *transfer)
{
  if (transfer->operation == CW_PUT)
    return cw_device_put(transfer->local, transfer->remote, transfer->bytes, transfer->process);
  if (transfer->operation == CW_GET)
    return cw_device_get(transfer->local, transfer->remote, transfer->bytes, transfer->process);
  return cw_device_accumulate(transfer->type, transfer->scale, transfer->local, transfer->remote,
                              transfer->bytes, transfer->process);
}

static cw_error run(const cw_transfer *transfer)
{
  if (transfer->vectors != NULL || transfer->levels > 0 || kit_own(2) == 0)
    return cw_transfer_run(transfer);
  if (transfer->local_device)
    return run_on_device(transfer);
  if (transfer->operation == CW_PUT)
    return cw_put(transfer->local, transfer->remote, transfer->bytes, transfer->process);
  if (transfer->operation == CW_GET)
    return cw_get(transfer->local, transfer->remote, transfer->bytes, transfer->process);
  return cw_accumulate(transfer->type, transfer->scale, transfer->local, transfer->remote,
                       transfer->bytes, transfer->process);
}

static bool may_be(const struct plan *plan, const char *local, size_t at, char value)
{
  for (size_t i = 0; i < plan->segment_count; i++) {
    const struct plan_segment *segment = &plan->segments[i];
    if (at - segment->remote < segment->bytes &&
        local[segment->local + at - segment->remote] == value)
      return true;
  }
  return false;
}

/* Segments of one put overlap: each byte is that of one of them. The model takes this value. */
static void settle_overlaps(const struct pending *pending, const struct plan *plan)
{
  struct model_part *part = pending->part;
  const size_t begin = pending->begin, end = pending->end;
  if (begin >= end)
    return;
  char *got = kit_alloc(end - begin, 1);
  KIT_OK(cw_get(got, part->remote + begin, end - begin, part->process));
  for (size_t at = begin; at < end; at++) {
    const char value = got[at - begin];
    if (value == part->contents[at] || !may_be(plan, pending->local + EDGE, at, value))
      kit_check(value == part->contents[at], "byte %zu is 0x%02x; no segment brought that", at,
                (unsigned char)value);
    part->contents[at] = value;
  }
  free(got);
}

static void start(struct pending *pending, const struct plan_terms *terms, struct plan *plan)
{
  const struct request *request = &pending->request;
  struct model_part *part = pending->part;
  char scale[16] = {0};
  char *local = pending->there != NULL ? pending->there : pending->local;
  cw_transfer transfer = plan_transfer(plan, terms, local + EDGE, part->remote);
  transfer.local_device = pending->there != NULL;
  transfer.operation = request->operation;
  transfer.process = part->process;
  transfer.type = (cw_type)part->kind;
  if (request->scale > 0)
    memcpy(scale, model_scale(part->kind, request->scale), model_element(part->kind));
  transfer.scale = request->scale > 0 ? scale : NULL;
  if (request->completion == BLOCKING) {
    KIT_OK(run(&transfer));
    if (!terms->remote_disjoint && request->operation == CW_PUT)
      settle_overlaps(pending, plan);
    check_done(pending);
    return;
  }
  pending->handle = choose_handle(pending);
  KIT_OK(cw_transfer_start(&transfer, pending->handle >= 0 ? &handles[pending->handle] : NULL));
  plan_overwrite(plan);
  memset(scale, 0x5a, sizeof scale);
}

void operations_issue(struct model_part *part, const struct request *request)
{
  struct plan plan;
  const struct plan_terms terms = {
      .shape = request->shape,
      .element = model_element(part->kind),
      .remote_space = part->bytes,
      .local_space = SLOT_BYTES - 2 * EDGE,
      .local_disjoint = request->operation == CW_GET,
      .remote_disjoint = request->operation == CW_PUT &&
                         (request->completion != BLOCKING || part->kind != MODEL_BYTES)};
  plan_make(&plan, &terms);
  complete_conflicts(part, request->operation, &plan);
  struct pending *pending = free_slot();
  pending->number = ++issued;
  pending->busy = true;
  pending->part = part;
  pending->request = *request;
  pending->handle = -1;
  plan_remote_extent(&plan, &pending->begin, &pending->end);
  fill(pending);
  model_apply(part, request->operation, request->scale, &plan,
              request->operation == CW_GET ? pending->expected + EDGE : pending->local + EDGE);
  name_checks(pending);
  start(pending, &terms, &plan);
}
