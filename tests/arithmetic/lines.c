/* Diagonals, scans, pack and unpack of random arrays, compared with naive loops over their models;
 * norms of extreme elements; and when the results of an operation become visible.
 *
 * arithmetic_lines [device] ROUNDS; device: parts of the arrays lie on devices */
#include "arithmetic/random_array.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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
  const bool done =
      KIT_ON_HOST(matrix.array, cw_array_diagonal(matrix.array, what,
                                                  what <= CW_DIAGONAL_GET ? vector.array : NULL,
                                                  what == CW_DIAGONAL_SHIFT ? element : NULL));
  for (int64_t i = 0; i < side && done; i++) {
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

/* Returns the bytes of address space that this process uses, or 0 if the kernel does not report it.
 * */
static size_t addresses_now(void)
{
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%lu", &pages) != 1)
    pages = 0;
  if (file != NULL)
    fclose(file);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* One process has no memory for another element as large as this one. The operation must not need
 * one. */
static void test_zero_large(void)
{
  enum { MEGA = 1 << 20, BYTES = 16 * MEGA };
  const int64_t extents[2] = {1, 1};
  const cw_array_options options = {
      .type = CW_OPAQUE, .element_bytes = BYTES, .dimensions = 2, .extents = extents};
  cw_array array = NULL;
  struct rlimit before;
  char *element = kit_alloc(BYTES, 1);
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  for (int diagonal = 0; diagonal < 2; diagonal++) {
    memset(element, 1, BYTES);
    KIT_OK(cw_array_fill(array, NULL, NULL, element));
    const bool known = getrlimit(RLIMIT_AS, &before) == 0 && addresses_now() > 0;
    struct rlimit limit = before;
    limit.rlim_cur = addresses_now() + 8 * (size_t)MEGA;
    const bool limited =
        known && kit_me() == kit_processes() - 1 && setrlimit(RLIMIT_AS, &limit) == 0;
    if (diagonal == 0)
      KIT_OK(cw_array_fill(array, NULL, NULL, NULL));
    else
      KIT_OK(cw_array_diagonal(array, CW_DIAGONAL_ZERO, NULL, NULL));
    if (limited)
      setrlimit(RLIMIT_AS, &before);
    KIT_OK(cw_array_get(array, (int64_t[]){0, 0}, (int64_t[]){0, 0}, element, NULL));
    kit_check(element[0] == 0 && memcmp(element, element + 1, BYTES - 1) == 0,
              "an element of %d bytes is not zero", BYTES);
    KIT_OK(cw_array_sync(array));
  }
  KIT_OK(cw_array_destroy(&array));
  free(element);
}

/* Arrays of a scan. Few elements of the mask are nonzero, or many, or none. */
struct lines {
  struct random_array from, to, mask;
  int64_t lo, hi;
};

/* Puts zeros, and purely imaginary numbers, into a mask. */
static void put_zeros(struct random_array *mask, int sparse)
{
  char *elements = kit_alloc(mask->count, mask->element);
  for (size_t i = 0; i < mask->count; i++) {
    mask->values[i] *= kit_common(sparse) != 0                     ? 0
                       : type_is_complex(mask->type) && i % 2 == 0 ? I
                                                                   : 1;
    number_store(mask->type, mask->values[i], elements + i * mask->element);
  }
  const int64_t lo = 0, last = (int64_t)mask->count - 1;
  KIT_OK(cw_array_sync(mask->array));
  if (kit_me() == 0)
    KIT_OK(cw_array_put(mask->array, &lo, &last, elements, NULL));
  free(elements);
}

static void make_lines(struct lines *lines, int64_t from, int64_t to, int64_t hi)
{
  const cw_type type = draw_type(), mask = draw_type();
  const int64_t length = hi + 1 + kit_draw(0, 5);
  const int sparse = kit_common(3) == 0 ? 100 : kit_common(2) == 0 ? 5 : 1;
  array_make(&lines->from, type, 1, &from, true);
  array_make(&lines->to, type, 1, &to, true);
  array_make(&lines->mask, mask, 1, &length, false);
  put_zeros(&lines->mask, sparse);
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

/* Copies between an array of some of the processes and one of all. Only those processes call, and
 * only they get the error of a rejected patch or an invalid array. */
static void test_part_rejected(void)
{
  const int64_t extents[1] = {10}, first[1] = {0}, outside[1] = {10};
  const cw_array_options options = {.type = CW_DOUBLE, .dimensions = 1, .extents = extents};
  cw_array of_all = NULL, of_part = NULL;
  cw_team part = NULL;
  KIT_MUST(cw_team_split(cw_team_world(), kit_me() == 0 ? 0 : 1, 0, &part));
  KIT_MUST(cw_array_create(cw_team_world(), &options, &of_all));
  KIT_MUST(cw_array_create(part, &options, &of_part));
  const cw_operand all = {.array = of_all}, mine = {.array = of_part}, none = {.array = NULL};
  const cw_operand beyond = {of_all, first, outside, false};
  if (kit_me() == 0) {
    KIT_MISUSE("cw_array_copy|the patch of to|hi[0]", cw_array_copy(&mine, &beyond));
    KIT_MISUSE("cw_array_copy|the patch of from|hi[0]", cw_array_copy(&beyond, &mine));
    KIT_MISUSE("cw_array_copy|from is NULL", cw_array_copy(&none, &all));
    KIT_OK(cw_array_copy(&mine, &all));
  }
  KIT_OK(cw_array_destroy(&of_part));
  KIT_OK(cw_array_destroy(&of_all));
  KIT_OK(cw_team_free(&part));
}

/* All members see the results of a call as soon as it returns, and the values that they read stay
 * unchanged until all have entered the next call. Each time another process is late to both. */
static void test_seen_at_once(void)
{
  enum { TIMES = 20, SIDE = 16 };
  const int64_t extents[2] = {SIDE, SIDE}, lo[2] = {0, 0}, hi[2] = {SIDE - 1, SIDE - 1};
  const cw_array_options options = {.type = CW_LONG, .dimensions = 2, .extents = extents};
  cw_array arrays[2] = {NULL};
  for (int i = 0; i < 2; i++)
    KIT_MUST(cw_array_create(cw_team_world(), &options, &arrays[i]));
  const cw_operand from = {.array = arrays[0]}, to = {.array = arrays[1]};
  for (long value = 0; value < TIMES; value++)
    for (int i = 0; i < 2; i++) {
      long seen[SIDE * SIDE], wrong = 0;
      if (value % kit_processes() == kit_me())
        usleep(500);
      if (i == 0)
        KIT_OK(cw_array_fill(arrays[0], NULL, NULL, &value));
      else
        KIT_OK(cw_array_copy(&from, &to));
      if ((value + 1) % kit_processes() == kit_me())
        usleep(500);
      KIT_OK(cw_array_get(arrays[i], lo, hi, seen, NULL));
      for (int k = 0; k < SIDE * SIDE; k++)
        wrong += seen[k] != value;
      kit_check(wrong == 0, "after %s number %ld %ld elements are others", i == 0 ? "fill" : "copy",
                value, wrong);
    }
  for (int i = 0; i < 2; i++)
    KIT_OK(cw_array_destroy(&arrays[i]));
}

/* Elements whose squares overflow or underflow a double, or nearly do; and an infinite one. Scaling
 * by a power of two does not change the digits of their norm. */
static void test_extreme_norms(void)
{
  enum { LEAST = -1074, GREATEST = 1000, MOST = 99 };
  const int64_t extents[1] = {kit_draw(1, 200)}, infinite = kit_draw(0, 4 * extents[0]);
  const int exponent = (int)kit_draw(LEAST, GREATEST);
  const bool complex_numbers = kit_common(2) == 0;
  double squares = 0, norm = -1;
  struct random_array array;
  array_make(&array, complex_numbers ? CW_DOUBLE_COMPLEX : CW_DOUBLE, 1, extents, false);
  KIT_OK(cw_array_sync(array.array));
  for (int64_t i = 0; i < extents[0]; i++) {
    double parts[2] = {(double)kit_draw(-MOST, MOST), (double)kit_draw(-MOST, MOST)};
    squares += parts[0] * parts[0] + (complex_numbers ? parts[1] * parts[1] : 0);
    for (int k = 0; k < 2; k++)
      parts[k] = i == infinite ? -INFINITY : ldexp(parts[k], exponent);
    if (kit_me() == 0)
      KIT_OK(cw_array_put(array.array, &i, &i, parts, NULL));
  }
  KIT_OK(cw_array_sync(array.array));
  KIT_OK(cw_array_norm(array.array, NULL, NULL, CW_NORM_EUCLIDEAN, &norm));
  const double right = infinite < extents[0] ? INFINITY : ldexp(sqrt(squares), exponent);
  kit_check(norm == right, "the norm is %.17g; it should be %.17g, 2^%d times as much", norm, right,
            exponent);
  array_end(&array);
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "arithmetic_lines");
  kit_take_devices(&argc, argv);
  test_zero_large();
  test_part_rejected();
  test_seen_at_once();
  const int rounds = (int)kit_rounds(argc > 1 ? argv[1] : NULL, 10);
  for (int round = 0; round < rounds; round++) {
    kit_about("round %d", round);
    test_diagonal();
    test_scan();
    test_pack();
    if (!kit_uses_devices()) /* norms require arrays on the host */
      test_extreme_norms();
  }
  kit_close_devices();
  return kit_finish_native();
}
