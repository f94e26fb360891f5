/* Operations on the part of a target on this process's device, by the library's kernels there.
 * Operands in host memory are transferred; a sum adds them like an accumulate. */
#include "arithmetic/operate.h"

#include "device_transfer/device_arithmetic.h"
#include "number/scalar.h"
#include "route/route.h"

#include <stdlib.h>
#include <string.h>

/* - Transfers between channels - */

/* A transfer between a channel and channel 0. It points to the arrays of this structure. */
struct crossing {
  cw_transfer transfer;
  size_t counts[CW_MAX_DIMENSIONS];
  ptrdiff_t local[CW_MAX_DIMENSIONS], remote[CW_MAX_DIMENSIONS];
};
_Static_assert((int)CW_MAX_DIMENSIONS <= (int)CW_MAX_LEVELS, "each dimension has a level");

static void cross(const struct cwi_operation *operation, const struct cwi_space *space, int channel,
                  cw_operation how, struct crossing *crossing)
{
  const int n = space->dimensions;
  for (int level = 0; level < n; level++) {
    const int d = n - 1 - level;
    crossing->counts[level] = (size_t)space->ranges[d].count;
    crossing->local[level] = space->strides[channel][d];
    crossing->remote[level] = space->strides[0][d];
  }
  crossing->transfer =
      cw_strided(how, space->at[channel], crossing->local, space->at[0], crossing->remote,
                 operation->target.array->element, crossing->counts, n, cwi_world.process);
  crossing->transfer.local_device = cwi_device_has(space->at[channel]);
}

static cw_error shape_of(const struct cwi_operation *operation, const struct cwi_space *space,
                         int channel, struct cwi_shape *shape)
{
  struct crossing crossing;
  cross(operation, space, channel, CW_PUT, &crossing);
  return cwi_shape_from(&crossing.transfer, shape);
}

/* --- Fill and copy ---------------------------------------------------------------------------- */

/* Returns the number of bytes that a fill kernel stores at once, or 0 if it cannot fill these
 * elements. Zeros may be stored in smaller pieces. */
static size_t filled_at_once(const struct cwi_operation *operation)
{
  const size_t element = operation->target.array->element;
  const bool is_power = (element & (element - 1)) == 0;
  if (operation->working.value != NULL)
    return is_power && element <= 16 ? element : 0;
  const size_t power = element & -element;
  return power < 8 ? power : 8;
}

bool cwi_has_device_kernel(const struct cwi_operation *operation)
{
  if (operation->job == CWI_JOB_FILL)
    return filled_at_once(operation) > 0;
  return operation->job != CWI_JOB_OF_HOSTS;
}

static cw_error fill_there(const struct cwi_operation *operation, const struct cwi_space *space)
{
  struct cwi_device_work work = {
      .kind = CWI_DEVICE_FILL, .element = filled_at_once(operation), .a = operation->working.value};
  CWI_TRY(shape_of(operation, space, 0, &work.shape));
  return cwi_device_work(&work);
}

static cw_error copy_there(const struct cwi_operation *operation, const struct cwi_space *space)
{
  struct crossing crossing;
  if (space->at[1] == space->at[0])
    return CW_OK;
  cross(operation, space, 1, CW_PUT, &crossing);
  return cwi_start_transfer(&crossing.transfer, true, NULL);
}

/* --- Scale and add ---------------------------------------------------------------------------- */

/* An operand of a sum. */
struct term {
  int channel; /* 0 for the target */
  const union cwi_scalar *factor;
};

/* Returns the type to calculate with. Complex numbers with real factors are treated as pairs of
 * reals. */
static cw_type type_of_terms(const struct cwi_operation *operation)
{
  const cw_type type = operation->target.array->type;
  const bool pairs = operation->job == CWI_JOB_SUM && operation->working.plain;
  return pairs ? cwi_type_of_parts(type) : type;
}

static bool is_one(cw_type type, const union cwi_scalar *factor)
{
  const union cwi_scalar one = cwi_scalar_of(type, 1);
  return memcmp(factor, &one, cwi_type_bytes[type]) == 0;
}

/* Runs a kernel on channel 0 and a term. `b` is the factor of channel 0 in CWI_DEVICE_COMBINE. */
static cw_error run_term(const struct cwi_operation *operation, const struct cwi_space *space,
                         enum cwi_device_work_kind kind, const struct term *term,
                         const union cwi_scalar *b)
{
  struct cwi_device_work work = {
      .kind = kind, .type = type_of_terms(operation), .a = term->factor, .b = b};
  CWI_TRY(shape_of(operation, space, term->channel, &work.shape));
  return cwi_device_work(&work);
}

/* Multiplies channel 0 by `factor`. */
static cw_error scale_there(const struct cwi_operation *operation, const struct cwi_space *space,
                            const union cwi_scalar *factor)
{
  const struct term itself = {0, factor};
  if (is_one(type_of_terms(operation), factor))
    return CW_OK;
  return run_term(operation, space, CWI_DEVICE_SCALE, &itself, NULL);
}

/* Sets channel 0 to a term. */
static cw_error begin_sum(const struct cwi_operation *operation, const struct cwi_space *space,
                          const struct term *term)
{
  struct crossing crossing;
  if (term->channel != 0 && cwi_device_has(space->at[term->channel]))
    return run_term(operation, space, CWI_DEVICE_SCALED, term, NULL);
  if (term->channel != 0) {
    cross(operation, space, term->channel, CW_PUT, &crossing);
    CWI_TRY(cwi_start_transfer(&crossing.transfer, true, NULL));
  }
  return scale_there(operation, space, term->factor);
}

/* Adds a term, which is not channel 0, to channel 0. */
static cw_error add_term(const struct cwi_operation *operation, const struct cwi_space *space,
                         const struct term *term)
{
  struct crossing crossing;
  if (cwi_device_has(space->at[term->channel]))
    return run_term(operation, space, CWI_DEVICE_ADD, term, NULL);
  cross(operation, space, term->channel, CW_ACCUMULATE, &crossing);
  crossing.transfer.type = type_of_terms(operation);
  crossing.transfer.scale = term->factor;
  return cwi_start_transfer(&crossing.transfer, true, NULL);
}

static cw_error sum_there(const struct cwi_operation *operation, const struct cwi_space *space)
{
  struct term first = {1, &operation->working.alpha}, second = {2, &operation->working.beta};
  if (space->at[1] == space->at[0])
    first.channel = 0;
  if (space->at[2] == space->at[0])
    second.channel = 0;
  if (second.channel == 0 &&
      first.channel != 0) { /* use the target's own elements before they are overwritten */
    const struct term other = first;
    first = second;
    second = other;
  }
  if (first.channel == 0 && cwi_device_has(space->at[second.channel]))
    return run_term(operation, space, CWI_DEVICE_COMBINE, &second, first.factor);
  CWI_TRY(begin_sum(operation, space, &first));
  return add_term(operation, space, &second);
}

/* --- Dot products ----------------------------------------------------------------------------- */

/* Computes the dot product of two channels on the device. */
static cw_error dot_there(struct cwi_operation *operation, const struct cwi_space *space)
{
  const cw_type type = operation->target.array->type;
  struct cwi_working *working = &operation->working;
  struct cwi_shape shape;
  uint64_t whole = 0;
  double real[2] = {0, 0};
  CWI_TRY(shape_of(operation, space, 1, &shape));
  CWI_TRY(cwi_device_dot(type, &shape, &whole, real));
  if (cwi_type_is_whole(type)) {
    working->sum.whole += whole;
  } else {
    working->sum.real[0] += real[0];
    working->sum.real[1] += real[1];
  }
  return CW_OK;
}

/* Computes the dot product on the host. The other factor is a small part in host memory; the
 * elements of channel 0 are copied there, too. */
static cw_error dot_here(struct cwi_operation *operation, const struct cwi_space *space)
{
  struct cwi_space here = *space;
  struct crossing crossing;
  size_t bytes = operation->target.array->element;
  for (int d = space->dimensions - 1; d >= 0; d--) {
    here.strides[0][d] = (ptrdiff_t)bytes;
    bytes *= (size_t)space->ranges[d].count;
  }
  here.at[0] = malloc(bytes);
  if (here.at[0] == NULL)
    return cwi_outside("no memory for a buffer of %zu bytes", bytes);
  cross(operation, space, 0, CW_GET, &crossing);
  crossing.transfer.local = here.at[0];
  crossing.transfer.local_device = false;
  for (int level = 0; level < space->dimensions; level++)
    crossing.local[level] = here.strides[0][space->dimensions - 1 - level];
  const cw_error error = cwi_start_transfer(&crossing.transfer, true, NULL);
  if (error == CW_OK)
    cwi_loop(&here, 2, operation->kernel, &operation->working);
  free(here.at[0]);
  return error;
}

cw_error cwi_run_on_device(struct cwi_operation *operation, const struct cwi_space *space)
{
  switch (operation->job) {
  case CWI_JOB_FILL:
    return fill_there(operation, space);
  case CWI_JOB_COPY:
    return copy_there(operation, space);
  case CWI_JOB_SCALE:
    return scale_there(operation, space, &operation->working.alpha);
  case CWI_JOB_SUM:
    return sum_there(operation, space);
  case CWI_JOB_DOT:
    return cwi_device_has(space->at[1]) ? dot_there(operation, space) : dot_here(operation, space);
  case CWI_JOB_OF_HOSTS:
    break;
  }
  return cwi_reject_devices(&operation->target);
}
