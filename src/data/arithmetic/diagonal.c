/* The diagonal of a matrix. */
#include "arithmetic/collective_call.h"
#include "number/scalar.h"
#include "profile/profile.h"

#include <causeway/arithmetic.h>

#include <stdlib.h>

static int64_t least_multiple(int64_t a, int64_t b)
{
  int64_t multiple = a;
  while (multiple % b != 0)
    multiple += a;
  return multiple;
}

static int64_t last_of(const struct cwi_range *range)
{
  return range->first + (range->count - 1) * range->step;
}

/* Finds the indices that a section has both as rows and as columns. Returns false if there are
 * none. */
static bool common(const struct cwi_range *rows, const struct cwi_range *columns,
                   struct cwi_range *both)
{
  const int64_t end_of_rows = last_of(rows), end_of_columns = last_of(columns);
  const int64_t end = end_of_rows < end_of_columns ? end_of_rows : end_of_columns;
  int64_t first = rows->first;
  if (rows->step == 1 && columns->step == 1) { /* usual case: avoids slow divisions */
    first = first < columns->first ? columns->first : first;
    *both = (struct cwi_range){first, end - first + 1, 1};
    return first <= end;
  }
  if (first < columns->first)
    first += (columns->first - first + rows->step - 1) / rows->step * rows->step;
  /* Remainders repeat after columns->step rows. */
  for (int64_t tries = 1; first <= end && (first - columns->first) % columns->step != 0; tries++) {
    if (tries == columns->step)
      return false;
    first += rows->step;
  }
  both->first = first;
  both->step = least_multiple(rows->step, columns->step);
  both->count = first <= end ? (end - first) / both->step + 1 : 0;
  return first <= end;
}

/* Returns the number of an index within the range. */
static int64_t place_in(const struct cwi_range *range, int64_t index)
{
  return range->step == 1 ? index - range->first : (index - range->first) / range->step;
}

/* Makes a space of the part of the diagonal in a section; positions count along the diagonal. */
static bool diagonal_choose(const struct cwi_section *section, struct cwi_space *space)
{
  const struct cwi_range *rows = &section->ranges[0], *columns = &section->ranges[1];
  struct cwi_range both;
  if (!common(rows, columns, &both))
    return false;
  space->dimensions = 1;
  space->ranges[0] = both;
  space->index = space->index_strides[0] = 0;
  char *first = section->address + place_in(rows, both.first) * section->strides[0] +
                place_in(columns, both.first) * section->strides[1];
  for (int k = 0; k < CWI_CHANNELS; k++) {
    space->at[k] = first;
    space->strides[k][0] = 0;
  }
  space->strides[0][0] = section->strides[0] + section->strides[1];
  if (both.step > 1)
    space->strides[0][0] = both.step / rows->step * section->strides[0] +
                           both.step / columns->step * section->strides[1];
  return true;
}

static cw_error give_space(cw_array vector, const struct cwi_space *space, char *buffer,
                           int64_t most)
{
  const struct cwi_range *range = &space->ranges[0];
  for (int64_t done = 0; done < range->count; done += most) {
    struct cwi_space part = {.dimensions = 1, .ranges = {{0, range->count - done, 1}}};
    struct cwi_working working = {.element = vector->element};
    if (part.ranges[0].count > most)
      part.ranges[0].count = most;
    part.at[0] = buffer;
    part.strides[0][0] = (ptrdiff_t)vector->element;
    part.at[1] = space->at[0] + done * space->strides[0][0];
    part.strides[1][0] = space->strides[0][0];
    cwi_loop(&part, 2, cwi_kernel_copy, &working);
    const int64_t lo = range->first + done * range->step;
    const int64_t hi = lo + (part.ranges[0].count - 1) * range->step;
    const cw_patch patch = {
        .operation = CW_PUT, .lo = &lo, .hi = &hi, .skip = &range->step, .buffer = buffer};
    CWI_TRY(cwi_array_transfer(vector, &patch));
  }
  return CW_OK;
}

/* Puts my part of the diagonal of the target into the vector, source 0. */
static cw_error diagonal_give(void *given, struct cwi_contribution *mine)
{
  const struct cwi_operation *operation = given;
  cw_array array = operation->target.array, vector = operation->source[0].box.array;
  enum { BUFFER = 64 * 1024 };
  const int holder = cwi_rank_holder(array, array->team->rank);
  const int64_t most = array->element < BUFFER ? BUFFER / (int64_t)array->element : 1;
  struct cwi_walk walk;
  struct cwi_section section;
  struct cwi_space space;
  struct cwi_first_error first;
  (void)mine;
  if (holder < 0)
    return CW_OK;
  char *buffer = malloc((size_t)most * array->element);
  if (buffer == NULL)
    return cwi_outside("no memory for a buffer of %zu bytes", (size_t)most * array->element);
  cwi_first_begin(&first, CW_OK);
  cwi_box_walk(&operation->target, holder, &walk);
  while (first.error == CW_OK && cwi_walk_next_section(&walk, &section))
    if (diagonal_choose(&section, &space))
      cwi_first_note(&first, give_space(vector, &space, buffer, most));
  free(buffer);
  return cwi_first_return(&first);
}

static cw_error take_vector(cw_array vector, struct cwi_operation *operation)
{
  const struct cwi_box *target = &operation->target;
  const int64_t rows = target->extents[0], columns = target->extents[1];
  struct cwi_box *box = &operation->source[0].box;
  CWI_TRY(cwi_box_make("vector", vector, NULL, NULL, box));
  if (vector->dimensions != 1 || box->extents[0] != (rows < columns ? rows : columns))
    return cwi_misuse("vector, array '%s', has %d dimensions and %lld elements in the first; it "
                      "must have 1 dimension and %lld elements, as the diagonal of array '%s'",
                      vector->name, vector->dimensions, (long long)box->extents[0],
                      (long long)(rows < columns ? rows : columns), target->array->name);
  return cwi_source_broadcast(target, 0, &operation->source[0]);
}

static cw_error diagonal_prepare(cw_array array, cw_diagonal what, cw_array vector,
                                 const void *value, struct cwi_operation *operation)
{
  struct cwi_working *working = &operation->working;
  cwi_operation_begin(operation);
  CWI_TRY(cwi_box_make("array", array, NULL, NULL, &operation->target));
  if (array->dimensions != 2)
    return cwi_misuse("array is array '%s' of %d dimensions; a matrix has 2", array->name,
                      array->dimensions);
  if ((unsigned)what > CW_DIAGONAL_ZERO)
    return cwi_misuse("what is %d; it may be CW_DIAGONAL_SET (0) to CW_DIAGONAL_ZERO (%d)",
                      (int)what, CW_DIAGONAL_ZERO);
  if (what == CW_DIAGONAL_ADD || what == CW_DIAGONAL_SHIFT)
    CWI_TRY(cwi_check_numbers(&operation->target));
  if (what <= CW_DIAGONAL_GET)
    CWI_TRY(take_vector(vector, operation));
  if (what == CW_DIAGONAL_SHIFT && value == NULL)
    return cwi_misuse("value is NULL; CW_DIAGONAL_SHIFT needs one");
  operation->choose = diagonal_choose;
  working->element = array->element;
  if (what == CW_DIAGONAL_SET) {
    operation->sources = 1;
    operation->copies = true;
    operation->kernel = cwi_kernel_copy;
  } else if (what == CW_DIAGONAL_ADD) {
    operation->sources = 1;
    operation->kernel = cwi_kernels[array->type]->rows[CWI_ADD];
  } else if (what == CW_DIAGONAL_SHIFT) {
    cwi_scalar_read(array->type, value, &working->alpha);
    operation->kernel = cwi_kernels[array->type]->rows[CWI_ADD_CONSTANT];
  } else if (what == CW_DIAGONAL_ZERO) {
    operation->kernel = cwi_kernel_fill;
  }
  return CW_OK;
}

cw_error cw_array_diagonal(cw_array array, cw_diagonal what, cw_array vector, const void *value)
{
  CWI_PROFILED(CW_CALL_ARRAY);
  static const char call[] = "cw_array_diagonal";
  static const char *const names[] = {"CW_DIAGONAL_SET", "CW_DIAGONAL_ADD", "CW_DIAGONAL_GET",
                                      "CW_DIAGONAL_SHIFT", "CW_DIAGONAL_ZERO"};
  struct cwi_operation operation;
  const cw_error checked = diagonal_prepare(array, what, vector, value, &operation);
  const struct cwi_argument agreed[] = {
      cwi_argument_choice("what", names, what),
      cwi_agreed_array("vector", what <= CW_DIAGONAL_GET ? vector : NULL),
      cwi_agreed_value("value", array, what == CW_DIAGONAL_SHIFT ? value : NULL),
      CWI_ARGUMENTS_END,
  };
  if (what != CW_DIAGONAL_GET)
    return cwi_operate_collective(call, checked, &operation, NULL, agreed);
  const struct cwi_collective_call collective = {.call = call,
                                                 .team = cwi_operation_team(&operation),
                                                 .checked = checked,
                                                 .operation = &operation,
                                                 .agreed = agreed,
                                                 .work = diagonal_give};
  return cwi_collective_run(&collective, &operation);
}
