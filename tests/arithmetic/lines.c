/* Diagonals, scans, pack and unpack of random arrays against naive loops over their models.
 *
 * arithmetic_lines ROUNDS */
#include "arithmetic/random_array.h"

#include <stdlib.h>
#include <string.h>

static void test_diagonal(void)
{
  const int64_t extents[2] = {kit_draw(1, 60), kit_draw(1, 60)};
  const int64_t side = extents[0] < extents[1] ? extents[0] : extents[1];
  struct random_array matrix, vector;
  const cw_type type = draw_type();
  char element[16];
  array_make(&matrix, type, 2, extents, true);
  array_make(&vector, type, 1, &side, true);
  const number value = draw_number(type, true);
  number_store(type, value, element);
  const cw_diagonal what = (cw_diagonal)kit_common(CW_DIAGONAL_ZERO + 1);
  kit_about("diagonal %d", (int)what);
  KIT_OK(cw_array_diagonal(matrix.array, what, what <= CW_DIAGONAL_GET ? vector.array : NULL,
                           what == CW_DIAGONAL_SHIFT ? element : NULL));
  for (int64_t i = 0; i < side; i++) {
    number *here = &matrix.values[i * extents[1] + i], *there = &vector.values[i];
    if (what == CW_DIAGONAL_GET)
      *there = *here;
    else
      *here = what == CW_DIAGONAL_SET     ? *there
              : what == CW_DIAGONAL_ADD   ? *here + *there
              : what == CW_DIAGONAL_SHIFT ? *here + value
                                          : 0;
  }
  array_check(&matrix, "the matrix");
  array_check(&vector, "the vector");
  array_end(&matrix);
  array_end(&vector);
}

/* Arrays of a scan. Few elements of the mask are not 0, or many, or none. */
struct lines {
  struct random_array from, to, mask;
  int64_t lo, hi;
};

static void make_lines(struct lines *lines, int64_t from, int64_t to, int64_t hi)
{
  const cw_type type = draw_type(), mask = draw_type();
  const int64_t length = hi + 1 + kit_draw(0, 5);
  const int sparse = kit_common(3) == 0 ? 100 : kit_common(2) == 0 ? 5 : 1;
  array_make(&lines->from, type, 1, &from, true);
  array_make(&lines->to, type, 1, &to, true);
  array_make(&lines->mask, mask, 1, &length, false);
  /* Multiply the mask by another array to have zeros in it, and imaginary numbers. */
  struct random_array zeros;
  array_make(&zeros, lines->mask.type, 1, &length, true);
  for (size_t i = 0; i < zeros.count; i++)
    zeros.values[i] = kit_common(sparse) != 0 ? 0 : type_is_complex(mask) && i % 2 == 0 ? I : 1;
  char *elements = kit_alloc(zeros.count, zeros.element);
  for (size_t i = 0; i < zeros.count; i++)
    number_store(zeros.type, zeros.values[i], elements + i * zeros.element);
  const int64_t lo = 0, last = length - 1;
  KIT_OK(cw_array_sync(zeros.array));
  if (kit_me() == 0)
    KIT_OK(cw_array_put(zeros.array, &lo, &last, elements, NULL));
  free(elements);
  const cw_operand a = {.array = lines->mask.array}, b = {.array = zeros.array};
  KIT_OK(cw_array_combine(CW_ELEMENT_PRODUCT, NULL, &a, NULL, &b, &a));
  for (size_t i = 0; i < zeros.count; i++)
    lines->mask.values[i] *= zeros.values[i];
  array_end(&zeros);
  lines->hi = hi;
  lines->lo = kit_draw(0, hi);
}

static void check_lines(struct lines *lines, const char *what)
{
  array_check(&lines->to, what);
  array_check(&lines->from, "the source");
  array_end(&lines->from);
  array_end(&lines->to);
  array_end(&lines->mask);
}

static bool flagged(const struct lines *lines, int64_t i)
{
  return lines->mask.values[i] != 0;
}

static void test_scan(void)
{
  struct lines lines;
  const int64_t hi = kit_draw(0, kit_common(30) == 0 ? 70000 : 400);
  make_lines(&lines, hi + 1 + kit_draw(0, 5), hi + 1 + kit_draw(0, 5), hi);
  const bool add = kit_common(2) == 0, exclusive = kit_common(2) == 0, same = kit_common(4) == 0;
  struct random_array *to = same ? &lines.from : &lines.to;
  const cw_array from = lines.from.array, mask = lines.mask.array;
  if (add)
    KIT_OK(cw_array_scan_add(from, to->array, mask, lines.lo, lines.hi, exclusive));
  else
    KIT_OK(cw_array_scan_copy(from, to->array, mask, lines.lo, lines.hi));
  number now = 0;
  bool begun = false;
  for (int64_t i = lines.lo; i <= lines.hi; i++) {
    const number here = lines.from.values[i];
    const number before = flagged(&lines, i) ? 0 : now;
    begun = begun || flagged(&lines, i);
    now = add ? before + here : flagged(&lines, i) ? here : now;
    if (begun)
      to->values[i] = add && exclusive ? before : now;
  }
  kit_about("%s%s", add ? "add" : "copy", same ? " in place" : "");
  check_lines(&lines, "scan");
}

static void test_pack(void)
{
  struct lines lines;
  const int64_t hi = kit_draw(0, kit_common(30) == 0 ? 70000 : 400);
  const bool unpack = kit_common(2) == 0;
  const int64_t packed = kit_draw(1, hi + 2);
  int64_t count = -1, want = 0;
  make_lines(&lines, unpack ? packed : hi + 1, unpack ? hi + 1 : packed, hi);
  for (int64_t i = lines.lo; i <= lines.hi; i++)
    want += flagged(&lines, i);
  const cw_array from = lines.from.array, to = lines.to.array, mask = lines.mask.array;
  const char *call = unpack ? "cw_array_unpack|only" : "cw_array_pack|only";
  const cw_error error =
      (unpack ? cw_array_unpack : cw_array_pack)(from, to, mask, lines.lo, lines.hi, &count);
  if (want > packed) {
    KIT_MISUSE(call, error);
  } else {
    KIT_OK(error);
    kit_check_long(count, want, "elements");
    for (int64_t i = lines.lo, k = 0; i <= lines.hi; i++)
      if (flagged(&lines, i)) {
        number *target = &lines.to.values[unpack ? i : k];
        *target = lines.from.values[unpack ? k : i];
        k++;
      }
  }
  kit_about("%s", unpack ? "unpack" : "pack");
  check_lines(&lines, "pack");
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "arithmetic_lines");
  const int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 10;
  for (int round = 0; round < rounds; round++) {
    kit_about("round %d", round);
    test_diagonal();
    test_scan();
    test_pack();
  }
  return kit_finish_native();
}
