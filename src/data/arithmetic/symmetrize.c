/* Replaces a square matrix by the mean of itself and its transpose. */
#include "arithmetic/collective_call.h"
#include "arithmetic/operate.h"
#include "collective_call/collective_check.h"
#include "number/scalar.h"
#include "profile/profile.h"

#include <causeway/arithmetic.h>

#include <string.h>

static cw_error check_square(cw_array array)
{
  CWI_TRY(cwi_check_array("array", array));
  const int64_t *first = &array->axes[0].extent;
  if (array->dimensions != 2 || *first != array->axes[1].extent)
    return cwi_misuse("array '%s' is not a square matrix", array->name);
  if (array->type == CW_OPAQUE || cwi_type_is_whole(array->type))
    return cwi_misuse("the type of array '%s' is %s; it must be float, double or complex",
                      array->name, cwi_type_word(array->type));
  return CW_OK;
}

/* If every member can load and store all elements, elements (i, j) and (j, i) are replaced by their
 * mean at once, each pair by one member. The matrix is divided into squares. Of two squares
 * opposite each other only one is processed. It is chosen like the colours of a chessboard, so that
 * all members have equal work. */
enum { SQUARE = 64 };

struct symmetrizing {
  cw_array array;
  struct cwi_working working;
};

/* Processes the pairs of a square. The square is divided if the elements opposite are in several
 * sections. In squares on the diagonal only the pairs above it are processed: the index is the
 * distance to the right of the diagonal. */
static void run_square(struct symmetrizing *run, const struct cwi_space *square)
{
  cw_array array = run->array;
  const struct cwi_range *rows = &square->ranges[0], *columns = &square->ranges[1];
  const struct cwi_range across[2] = {*columns, *rows};
  struct cwi_walk walk;
  struct cwi_section section;
  cwi_walk_begin(&walk, array, across, CWI_WALK_SECTIONS, -1);
  while (cwi_walk_next_section(&walk, &section)) {
    const struct cwi_range part[2] = {cwi_walk_positions(&walk, 1), cwi_walk_positions(&walk, 0)};
    struct cwi_space space = *square;
    cwi_space_narrow(&space, 1, part);
    space.at[1] = section.address;
    space.strides[1][0] = section.strides[1];
    space.strides[1][1] = section.strides[0];
    cwi_loop(&space, 2, cwi_kernels[array->type]->rows[CWI_MEAN], &run->working);
  }
}

/* Returns the part of a range from position `first` on that is in one row or column of squares. */
static struct cwi_range next_strip(const struct cwi_range *range, int64_t first)
{
  const int64_t index = range->first + first * range->step;
  const int64_t most = (SQUARE - index % SQUARE - 1) / range->step + 1;
  return (struct cwi_range){first, most < range->count - first ? most : range->count - first, 1};
}

static void run_section(struct symmetrizing *run, const struct cwi_section *section)
{
  const struct cwi_range *rows = &section->ranges[0], *columns = &section->ranges[1];
  struct cwi_range part[2] = {{0}};
  for (int64_t r = 0; r < rows->count; r += part[0].count) {
    part[0] = next_strip(rows, r);
    for (int64_t c = 0; c < columns->count; c += part[1].count) {
      part[1] = next_strip(columns, c);
      const int64_t i = rows->first + r * rows->step, j = columns->first + c * columns->step;
      const int64_t down = i / SQUARE, right = j / SQUARE;
      if (down != right && ((down + right) % 2 == 0) != (down < right))
        continue;
      struct cwi_space square = {.dimensions = 2,
                                 .ranges = {*rows, *columns},
                                 .at = {section->address},
                                 .strides = {{section->strides[0], section->strides[1]}},
                                 .index = columns->first - rows->first,
                                 .index_strides = {-rows->step, columns->step}};
      cwi_space_narrow(&square, 1, part);
      if (down != right)
        square.index = 1, square.index_strides[0] = square.index_strides[1] = 0;
      run_square(run, &square);
    }
  }
}

static cw_error mean_in_place(void *given, struct cwi_contribution *mine)
{
  struct symmetrizing *run = given;
  cw_array array = run->array;
  const int holder = cwi_rank_holder(array, array->team->rank);
  const struct cwi_range whole[2] = {{0, array->axes[0].extent, 1}, {0, array->axes[1].extent, 1}};
  struct cwi_walk walk;
  struct cwi_section section;
  (void)mine;
  if (holder < 0)
    return CW_OK;
  cwi_walk_begin(&walk, array, whole, CWI_WALK_SECTIONS, holder);
  while (cwi_walk_next_section(&walk, &section))
    run_section(run, &section);
  return CW_OK;
}

/* Computes array = (array + other) / 2, where `other` receives the transposed array. */
static cw_error mean_with(cw_array array, cw_array other)
{
  const union cwi_scalar half = cwi_scalar_of(array->type, 0.5);
  const cw_operand self = {.array = array}, across = {.array = array, .transposed = true},
                   copy = {.array = other};
  CWI_TRY(cw_array_copy(&across, &copy));
  return cw_array_combine(CW_ELEMENT_SUM, &half, &self, &half, &copy, &self);
}

static cw_error mean_by_transfers(cw_array array)
{
  struct cwi_first_error first;
  cw_array other = NULL;
  CWI_TRY(cw_array_duplicate(array, "the transposed array", &other));
  cwi_first_begin(&first, mean_with(array, other));
  cwi_first_note(&first, cw_array_destroy(&other));
  return cwi_first_return(&first);
}

cw_error cw_array_symmetrize(cw_array array)
{
  CWI_PROFILED(CW_CALL_ARRAY);
  static const char call[] = "cw_array_symmetrize";
  CWI_TRY(cwi_in_call(call, check_square(array)));
  const struct cwi_argument agreed[] = {cwi_agreed_array("array", array), CWI_ARGUMENTS_END};
  if (!cwi_all_loadable(array))
    return CWI_COLLECTIVELY(call, array->team, agreed, mean_by_transfers(array));
  struct symmetrizing run = {.array = array};
  run.working.alpha = cwi_scalar_of(array->type, 0.5);
  const struct cwi_collective_call collective = {
      .call = call, .team = array->team, .agreed = agreed, .work = mean_in_place};
  return cwi_collective_run(&collective, &run);
}
