#include "transfer/model.h"

#include "kit/native.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

const char *const model_kind_names[MODEL_KINDS] = {
    "int", "long", "float", "double", "float complex", "double complex", "long long", "bytes"};

union element {
  int i;
  long l;
  long long ll;
  float f[2];
  double d[2];
};

/* The scale factors 1, 2, -1, 3 and 2-i, as far as the kind has them. Number 0 is no scaling. */
static const union element scales[MODEL_KINDS][MODEL_SCALES] = {
    [CW_INT] = {{0}, {.i = 1}, {.i = 2}, {.i = -1}, {.i = 3}},
    [CW_LONG] = {{0}, {.l = 1}, {.l = 2}, {.l = -1}, {.l = 3}},
    [CW_FLOAT] = {{0}, {.f = {1}}, {.f = {2}}, {.f = {-1}}, {.f = {3}}},
    [CW_DOUBLE] = {{0}, {.d = {1}}, {.d = {2}}, {.d = {-1}}, {.d = {3}}},
    [CW_FLOAT_COMPLEX] = {{0}, {.f = {1}}, {.f = {2}}, {.f = {0, 1}}, {.f = {2, -1}}},
    [CW_DOUBLE_COMPLEX] = {{0}, {.d = {1}}, {.d = {2}}, {.d = {0, 1}}, {.d = {2, -1}}},
    [CW_LONG_LONG] = {{0}, {.ll = 1}, {.ll = 2}, {.ll = -1}, {.ll = 3}}};

size_t model_element(int kind)
{
  static const size_t bytes[MODEL_KINDS] = {
      sizeof(int),       sizeof(long),       sizeof(float),     sizeof(double),
      2 * sizeof(float), 2 * sizeof(double), sizeof(long long), 1};
  return bytes[kind];
}

const void *model_scale(int kind, int number)
{
  return number > 0 && number < MODEL_SCALES ? &scales[kind][number] : NULL;
}

void model_payload(int kind, size_t index, void *element)
{
  const int value = 1 + kit_me() + 7 * (int)(index % 13);
  const union element all[MODEL_KINDS] = {{.i = value},
                                          {.l = value},
                                          {.f = {(float)value}},
                                          {.d = {value}},
                                          {.f = {(float)value, (float)-value}},
                                          {.d = {value, -value}},
                                          {.ll = value},
                                          {.i = (kit_me() << 6) ^ (int)(index % 251)}};
  memcpy(element, &all[kind], model_element(kind));
}

static cw_device the_device;

void model_use_device(cw_device device)
{
  the_device = device;
}

cw_device model_device(void)
{
  return the_device;
}

/* Returns true if slices on this process's device are host memory. */
static bool model_shares(void)
{
  cw_device_facts facts;
  KIT_MUST(cw_device_describe(the_device, &facts));
  return facts.shared;
}

/* Makes this process's slice, all zeros. In two of three areas it is on the device, if there is
 * one. */
static void make_region(struct model_area *area, int number, size_t bytes, void **slices)
{
  const int rank = cw_team_rank(area->team);
  cw_device device = (number + rank) % 3 < 2 ? the_device : NULL;
  char *zeros = kit_alloc(bytes, 1);
  area->loads = device == NULL || model_shares();
  KIT_MUST(cw_region_create_on(area->team, device, bytes, &area->region, slices));
  if (area->loads)
    memset(slices[rank], 0, bytes);
  else
    KIT_OK(cw_put(zeros, slices[rank], bytes, kit_me()));
  free(zeros);
}

static void set_part(struct model_part *part, int area, int process, size_t bytes, char *remote)
{
  *part = (struct model_part){.process = process, .area = area, .bytes = bytes, .remote = remote};
  part->kind = MODEL_BYTES;
  part->contents = kit_alloc(bytes, 1);
}

void model_begin(struct model_area *area, int number, cw_team team, size_t part_bytes)
{
  const int members = cw_team_size(team), rank = cw_team_rank(team);
  void **slices = kit_alloc((size_t)members, sizeof *slices);
  *area = (struct model_area){.team = team, .members = members, .part_bytes = part_bytes};
  area->own = kit_alloc((size_t)members, sizeof *area->own);
  area->shared = kit_alloc((size_t)members, sizeof *area->shared);
  const size_t slice = part_bytes * (size_t)(members + 1);
  make_region(area, number, slice, slices);
  KIT_MUST(cw_barrier(team));
  for (int target = 0; target < members; target++) {
    char *base = slices[target];
    const int process = cw_team_process(team, target);
    set_part(&area->own[target], number, process, part_bytes, base + (size_t)rank * part_bytes);
    set_part(&area->shared[target], number, process, part_bytes,
             base + (size_t)members * part_bytes);
    area->shared[target].shared = true;
    area->shared[target].kind = (target + number + members) % CW_TYPES;
  }
  free(slices);
}

void model_end(struct model_area *area)
{
  KIT_OK(cw_region_free(area->team, &area->region));
  for (int target = 0; target < area->members; target++) {
    free(area->own[target].contents);
    free(area->shared[target].contents);
  }
  free(area->own);
  free(area->shared);
}

void model_change_kind(struct model_part *part, int kind)
{
  if (part->kind == kind)
    return;
  part->kind = kind;
  memset(part->contents, 0, part->bytes);
  KIT_OK(cw_put(part->contents, part->remote, part->bytes, part->process));
}

static void add_complex_float(float *to, const float *from, const float *scale)
{
  to[0] += scale[0] * from[0] - scale[1] * from[1];
  to[1] += scale[0] * from[1] + scale[1] * from[0];
}

static void add_complex_double(double *to, const double *from, const double *scale)
{
  to[0] += scale[0] * from[0] - scale[1] * from[1];
  to[1] += scale[0] * from[1] + scale[1] * from[0];
}

static void add_element(int kind, int number, char *to, const char *from)
{
  const union element *scale = &scales[kind][number > 0 ? number : 1];
  union element sum = {0}, term = {0};
  memcpy(&sum, to, model_element(kind));
  memcpy(&term, from, model_element(kind));
  switch (kind) {
  case CW_INT:
    sum.i += scale->i * term.i;
    break;
  case CW_LONG:
    sum.l += scale->l * term.l;
    break;
  case CW_LONG_LONG:
    sum.ll += scale->ll * term.ll;
    break;
  case CW_FLOAT:
    sum.f[0] += scale->f[0] * term.f[0];
    break;
  case CW_DOUBLE:
    sum.d[0] += scale->d[0] * term.d[0];
    break;
  case CW_FLOAT_COMPLEX:
    add_complex_float(sum.f, term.f, scale->f);
    break;
  default:
    add_complex_double(sum.d, term.d, scale->d);
  }
  memcpy(to, &sum, model_element(kind));
}

void model_apply(struct model_part *part, cw_operation operation, int scale,
                 const struct plan *plan, char *local)
{
  const size_t step = model_element(part->kind);
  for (size_t i = 0; i < plan->segment_count; i++) {
    const struct plan_segment *segment = &plan->segments[i];
    char *here = local + segment->local, *there = part->contents + segment->remote;
    if (operation == CW_PUT)
      memcpy(there, here, segment->bytes);
    else if (operation == CW_GET)
      memcpy(here, there, segment->bytes);
    for (size_t at = 0; operation == CW_ACCUMULATE && at < segment->bytes; at += step)
      add_element(part->kind, scale, there + at, here + at);
  }
}

static void compare_got(const struct model_part *part)
{
  char *got = kit_alloc(part->bytes, 1);
  kit_about("area %d, my part (%s) of process %d, by get", part->area, model_kind_names[part->kind],
            part->process);
  KIT_OK(cw_get(got, part->remote, part->bytes, part->process));
  kit_check_bytes(got, part->contents, part->bytes, "part");
  free(got);
}

static char *fetched(const char *slice, size_t bytes)
{
  char *copy = kit_alloc(bytes, 1);
  KIT_OK(cw_get(copy, slice, bytes, kit_me()));
  return copy;
}

/* Every origin sends its model of this process's slice, which must have these contents. */
static void compare_loaded(const struct model_area *area)
{
  const size_t bytes = area->part_bytes, members = (size_t)area->members;
  char *send = kit_alloc(members, bytes), *want = kit_alloc(members, bytes);
  const char *slice = cw_region_address(area->region, cw_team_rank(area->team));
  const char *mine = area->loads ? slice : fetched(slice, members * bytes);
  for (size_t target = 0; target < members; target++)
    memcpy(send + target * bytes, area->own[target].contents, bytes);
  MPI_Alltoall(send, (int)bytes, MPI_BYTE, want, (int)bytes, MPI_BYTE, cw_team_comm(area->team));
  if (area->loads)
    KIT_OK(cw_access_begin(mine));
  for (size_t origin = 0; origin < members; origin++) {
    kit_about("area %d, part of process %d in my slice, by load", area->own[0].area,
              cw_team_process(area->team, (int)origin));
    kit_check_bytes(mine + origin * bytes, want + origin * bytes, bytes, "part");
  }
  if (area->loads)
    KIT_OK(cw_access_end(mine));
  else
    free((void *)(uintptr_t)mine);
  free(send);
  free(want);
}

/* Compares a shared part with the sum of all contributions. */
static void compare_shared(const struct model_area *area, int target)
{
  static const MPI_Datatype atoms[CW_TYPES] = {MPI_INT,   MPI_LONG,   MPI_FLOAT,    MPI_DOUBLE,
                                               MPI_FLOAT, MPI_DOUBLE, MPI_LONG_LONG};
  static const size_t atom_bytes[CW_TYPES] = {sizeof(int),      sizeof(long),  sizeof(float),
                                              sizeof(double),   sizeof(float), sizeof(double),
                                              sizeof(long long)};
  const struct model_part *part = &area->shared[target];
  char *sum = kit_alloc(part->bytes, 1), *got = kit_alloc(part->bytes, 1);
  MPI_Allreduce(part->contents, sum, (int)(part->bytes / atom_bytes[part->kind]), atoms[part->kind],
                MPI_SUM, cw_team_comm(area->team));
  kit_about("area %d, shared part (%s) of process %d", part->area, model_kind_names[part->kind],
            part->process);
  KIT_OK(cw_get(got, part->remote, part->bytes, part->process));
  kit_check_bytes(got, sum, part->bytes, "sum");
  free(sum);
  free(got);
}

void model_compare(const struct model_area *area)
{
  for (int target = 0; target < area->members; target++)
    compare_got(&area->own[target]);
  KIT_OK(cw_barrier(area->team));
  compare_loaded(area);
  for (int target = 0; target < area->members; target++)
    compare_shared(area, target);
  KIT_OK(cw_barrier(area->team));
}
