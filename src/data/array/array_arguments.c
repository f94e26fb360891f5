/* Writes arrays as arguments of collective calls, for messages. */
#include "array/array_arguments.h"

#include "array/distribution.h"

#include <float.h>
#include <string.h>

/* Writes the name of an array and the number of its region, which is the same on all members. */
void cwi_write_array(const struct cwi_argument *argument, struct cwi_words *words)
{
  const struct cwi_array *array = argument->what;
  if (array == NULL)
    cwi_words_add(words, "NULL");
  else if (array->region == NULL)
    cwi_words_add(words, "array '%.40s'", array->name);
  else
    cwi_words_add(words, "array '%.40s' (number %llu)", array->name,
                  (unsigned long long)array->region->key & 0xfffffff);
}

/* Writes the numbers without their padding. */
static void write_long_doubles(const char *element, size_t bytes, struct cwi_words *words)
{
  for (size_t at = 0; at < bytes; at += sizeof(long double)) {
    long double number;
    memcpy(&number, element + at, sizeof number);
    cwi_words_add(words, at > 0 ? ", %.*Lg" : "%.*Lg", LDBL_DECIMAL_DIG, number);
  }
}

void cwi_write_element(const struct cwi_argument *argument, struct cwi_words *words)
{
  const struct cwi_array *array = argument->by;
  if (array->long_doubles && argument->what != NULL)
    write_long_doubles(argument->what, array->element, words);
  else
    cwi_words_element(words, array->type, array->element, argument->what);
}

static __thread bool values_are_own;

void cwi_values_set_own(bool own)
{
  values_are_own = own;
}

void cwi_write_value(const struct cwi_argument *argument, struct cwi_words *words)
{
  if (values_are_own)
    cwi_words_add(words, "its own");
  else
    cwi_write_element(argument, words);
}

void cwi_write_corner(const struct cwi_argument *argument, struct cwi_words *words)
{
  const struct cwi_array *array = argument->by;
  const struct cwi_argument indices =
      cwi_argument_indices(argument->name, argument->what, (size_t)array->dimensions);
  cwi_write_indices(&indices, words);
}

void cwi_agreed_operand(const char *name, const cw_operand *operand, struct cwi_argument *four)
{
  four[0] = cwi_agreed_array(name, operand->array);
  four[1] = cwi_agreed_corner("lo", name, operand->array, operand->lo);
  four[2] = cwi_agreed_corner("hi", name, operand->array, operand->hi);
  four[3] = cwi_argument_truth("transposed", operand->transposed);
  four[3].of = name;
}

/* Writes one number of each dimension. */
#define WRITE_AXES(number)                                                                         \
  static void write_##number(const struct cwi_argument *argument, struct cwi_words *words)         \
  {                                                                                                \
    const struct cwi_array *array = argument->by;                                                  \
    for (int d = 0; d < array->dimensions; d++)                                                    \
      cwi_words_add(words, d > 0 ? ", %lld" : "%lld", (long long)array->axes[d].number);           \
  }
WRITE_AXES(extent)
WRITE_AXES(width)
WRITE_AXES(blocks)
WRITE_AXES(grid)
WRITE_AXES(alignment)
WRITE_AXES(ghosts)

static void write_boundaries(const struct cwi_argument *argument, struct cwi_words *words)
{
  const struct cwi_array *array = argument->by;
  for (int d = 0; d < array->dimensions; d++) {
    const struct cwi_axis *axis = &array->axes[d];
    cwi_words_add(words, d > 0 ? "; " : "");
    for (int64_t block = 0; axis->starts != NULL && block < axis->blocks; block++)
      cwi_words_add(words, block > 0 ? ", %lld" : "%lld", (long long)axis->starts[block]);
  }
}

void cwi_write_distribution(const struct cwi_argument *argument, struct cwi_words *words)
{
  const struct cwi_array *array = argument->what;
  static const char *const layouts[] = {"CW_BLOCKS", "CW_CYCLIC", "CW_TILED", "CW_ROUND_ROBIN"};
  const struct cwi_argument all[] = {
      cwi_argument_type("type", array->type),
      cwi_argument_size("element_bytes", array->element),
      cwi_argument_int("dimensions", &array->dimensions),
      {"extents", write_extent, NULL, 0, NULL, array},
      cwi_argument_choice("layout", layouts, array->layout),
      {"block", write_width, NULL, 0, NULL, array},
      {"blocks", write_blocks, NULL, 0, NULL, array},
      {"grid", write_grid, NULL, 0, NULL, array},
      {"boundaries", write_boundaries, NULL, 0, NULL, array},
      {"alignment", write_alignment, NULL, 0, NULL, array},
      {"ghosts", write_ghosts, NULL, 0, NULL, array},
      cwi_argument_truth("column_major", array->column_major),
      cwi_argument_int("members", &array->holders),
      cwi_argument_ints("ranks", array->ranks, (size_t)array->holders),
      CWI_ARGUMENTS_END,
  };
  cwi_arguments_write(all, words);
}
