/* Layout of data in memory. Transfers send their data packed; this file splits the packed bytes
 * into boxes of rows and slices, which commands of vendors accept. */
#include "handler/handler.h"

static enum vocl_operand_form form_of(const struct vocl_service_command *command, int side)
{
  return vocl_command_kind_of(&command->native)->operands[side].form;
}

/* Returns true if the box lies within `image`; sets *bytes to the size of its pixels. */
static bool pixels_are_within(const struct vocl_service_memory *image, const size_t *origin,
                              const size_t *region, size_t *bytes)
{
  *bytes = image->element;
  for (int i = 0; i < 3; i++)
    if (region[i] == 0 || region[i] > image->extent[i] ||
        origin[i] > image->extent[i] - region[i] ||
        __builtin_mul_overflow(*bytes, region[i], bytes))
      return false;
  return true;
}

/* Sets *bytes to the offset of position `at` for the given row and slice pitches. Returns false
 * if that overflows. */
static bool rows_before(const size_t *at, size_t row, size_t slice, size_t *bytes)
{
  size_t rows = 0, slices = 0;
  return !__builtin_mul_overflow(at[1], row, &rows) &&
         !__builtin_mul_overflow(at[2], slice, &slices) &&
         !__builtin_add_overflow(rows, slices, bytes) &&
         !__builtin_add_overflow(*bytes, at[0], bytes);
}

/* Returns true if a box with these row and slice pitches lies within `buffer`. */
static bool rows_are_within(const struct vocl_service_memory *buffer, const size_t *origin,
                            const size_t *region, size_t row, size_t slice)
{
  const size_t last[3] = {region[0], region[1] - 1, region[2] - 1};
  size_t first = 0, length = 0, end = 0;
  return rows_before(origin, row, slice, &first) && rows_before(last, row, slice, &length) &&
         !__builtin_add_overflow(first, length, &end) && end <= buffer->size;
}

static bool line_is_within(const struct vocl_service_memory *buffer, size_t offset, size_t size)
{
  return size <= buffer->size && offset <= buffer->size - size;
}

/* Returns true if the box of one side (0 is the source, 1 the destination) lies within `buffer`. */
static bool box_is_within(const struct vocl_service_command *command, int side,
                          const struct vocl_service_memory *buffer)
{
  const struct vocl_command *native = &command->native;
  const size_t *region = command->triples[2];
  const size_t row = native->row_pitch[side] != 0 ? native->row_pitch[side] : region[0];
  size_t slice = native->slice_pitch[side];
  if (region[0] == 0 || region[1] == 0 || region[2] == 0 ||
      (slice == 0 && __builtin_mul_overflow(row, region[1], &slice)))
    return false;
  return rows_are_within(buffer, command->triples[side], region, row, slice);
}

static bool side_is_within(const struct vocl_service_command *command, int side,
                           const struct vocl_service_memory *const sides[2])
{
  const struct vocl_command *native = &command->native;
  const size_t(*triples)[3] = command->triples;
  size_t bytes = 0;
  switch (form_of(command, side)) {
  case VOCL_RANGE:
    return line_is_within(sides[side], native->offset[side], native->size);
  case VOCL_BOX:
    return box_is_within(command, side, sides[side]);
  case VOCL_PIXELS:
    return pixels_are_within(sides[side], triples[side], triples[2], &bytes);
  case VOCL_PACKED:
    return pixels_are_within(sides[!side], triples[!side], triples[2], &bytes) &&
           line_is_within(sides[side], native->offset[side], bytes);
  default:
    return true;
  }
}

bool vocl_service_command_is_within(const struct vocl_service_command *command,
                                    const struct vocl_service_memory *const sides[2])
{
  return side_is_within(command, 0, sides) && side_is_within(command, 1, sides);
}

/* Replaces pitches of 0. Returns false if the pitches are invalid. */
static bool pitches_set(struct vocl_command *native, const size_t *region)
{
  size_t slice = 0;
  if (native->row_pitch[0] == 0)
    native->row_pitch[0] = region[0];
  if (native->row_pitch[0] < region[0] ||
      __builtin_mul_overflow(region[1], native->row_pitch[0], &slice))
    return false;
  if (native->slice_pitch[0] == 0)
    native->slice_pitch[0] = slice;
  return native->slice_pitch[0] >= slice && native->slice_pitch[0] % native->row_pitch[0] == 0;
}

cl_int vocl_service_command_measure(struct vocl_service_command *command,
                                    const struct vocl_service_memory *memory)
{
  struct vocl_command *native = &command->native;
  const enum vocl_operand_form form = form_of(command, 0);
  const size_t *region = command->triples[2];
  if (form == VOCL_BOX && !pitches_set(native, region))
    return CL_INVALID_VALUE;
  command->total = form == VOCL_RANGE ? native->size
                                      : (uint64_t)region[0] * region[1] * region[2] *
                                            (form == VOCL_PIXELS ? memory->element : 1);
  return CL_SUCCESS;
}

static size_t smaller(size_t a, size_t b)
{
  return a < b ? a : b;
}

size_t vocl_service_next_box(const struct vocl_service_command *command,
                             const struct vocl_service_memory *memory, uint64_t from, size_t most,
                             struct vocl_service_box *box)
{
  const size_t unit = form_of(command, 0) == VOCL_PIXELS ? memory->element : 1;
  const size_t line[3] = {command->total, 1, 1};
  const size_t *region = form_of(command, 0) == VOCL_RANGE ? line : command->triples[2];
  const size_t row = region[0] * unit, slice = row * region[1];
  const size_t x = from % row, y = from / row % region[1], z = from / slice;
  *box = (struct vocl_service_box){{x / unit, y, z}, {region[0], 1, 1}};
  if (x != 0 || most < row) {
    box->region[0] = smaller(most, row - x) / unit;
    return x % unit == 0 ? box->region[0] * unit : 0;
  }
  if (y != 0 || most < slice) {
    box->region[1] = smaller(most / row, region[1] - y);
    return box->region[1] * row;
  }
  box->region[1] = region[1];
  box->region[2] = smaller(most / slice, region[2] - z);
  return box->region[2] * slice;
}
