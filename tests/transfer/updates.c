/* Every operation of atomic updates on every type, compared with a plain model: one element and
 * many, aligned and not, alone and as accumulates of each shape. Each process updates memory of
 * the next one.
 *   updates [most elements [aligned]]
 * aligned: for Open MPI's osc/ucx, which compares and swaps only aligned numbers. */
#include "kit/native.h"
#include "route/route.h"
#include "transfer/update_model.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 5000, BUFFER_BYTES = 16 * MOST + 64 };

static bool aligned;
static char *remote; /* this process's part of the next process's memory */
static int next;
static char *model, *operands, *before, *expected_before, *seen;

/* Operation, type and size of the next test. */
static cw_reduction operation;
static cw_type type;
static size_t count, element;

static void describe(const char *how, size_t offset)
{
  kit_about("%s: operation %d on %zu elements of type %d, %zu bytes behind a multiple of 64", how,
            (int)operation, count, (int)type, offset);
}

/* Stores new contents in the memory and the model, draws new operands, and computes the expected
 * results. */
static void prepare(size_t offset)
{
  for (size_t i = 0; i < count; i++) {
    model_random(type, model + i * element);
    model_random(type, operands + i * element);
  }
  KIT_OK(cw_put(model, remote + offset, count * element, next));
  KIT_OK(cw_fence(next));
  memcpy(expected_before, model, count * element);
  memset(before, 0x5a, count * element);
  for (size_t i = 0; i < count; i++)
    model_update(operation, type, model + i * element, operands + i * element);
}

static void check_there(size_t offset)
{
  KIT_OK(cw_fence(next));
  KIT_OK(cw_get(seen, remote + offset, count * element, next));
  kit_check_bytes(seen, model, count * element, "what is there");
}

static void check_both(size_t offset)
{
  kit_check_bytes(before, expected_before, count * element, "what was there");
  check_there(offset);
}

static void test_lock_free(void)
{
  const size_t offset = 48;
  describe("get-accumulate", offset);
  prepare(offset);
  KIT_OK(cw_get_accumulate(type, operation, operation == CW_NO_OP ? NULL : operands, before,
                           remote + offset, count, next));
  check_both(offset);
  describe("get-accumulate without a place for what was there", offset);
  prepare(offset);
  KIT_OK(cw_get_accumulate(type, operation, operands, NULL, remote + offset, count, next));
  check_there(offset);
  if (count > 1)
    return;
  describe("fetch-and-op", offset);
  prepare(offset);
  KIT_OK(cw_fetch_op(type, operation, operands, remote + offset, next, before));
  check_both(offset);
}

/* Tries locked updates at any address, which are started and waited for later. */
static void test_locked(size_t offset)
{
  cw_handle handle = {0, 0};
  struct cwi_update update = {.operation = (int)operation,
                              .type = type,
                              .locked = true,
                              .process = next,
                              .remote = remote + offset,
                              .count = count,
                              .local = operands,
                              .before = before};
  describe("locked update", offset);
  prepare(offset);
  if (count == 1)
    memcpy(update.operand.bytes, operands, element);
  KIT_OK(cwi_start_update(&update, count % 2 == 0, &handle));
  KIT_OK(cw_wait(&handle));
  check_both(offset);
}

static void test_accumulate(size_t offset, bool lock_free)
{
  cw_transfer run = cw_contiguous(CW_ACCUMULATE, operands, remote + offset, count * element, next);
  run.type = type;
  run.reduction = operation;
  run.lock_free = lock_free;
  describe(lock_free ? "lock-free accumulate" : "accumulate", offset);
  prepare(offset);
  KIT_OK(cw_transfer_run(&run));
  check_there(offset);
}

/* Adds the operands with a scale of 2. */
static void test_scaled(size_t offset, bool lock_free)
{
  double two[2] = {0};
  cw_transfer run = cw_contiguous(CW_ACCUMULATE, operands, remote + offset, count * element, next);
  describe(lock_free ? "scaled lock-free accumulate" : "scaled accumulate", offset);
  prepare(offset);
  for (size_t i = 0; i < count; i++)
    model_update(CW_SUM, type, model + i * element, operands + i * element);
  model_two(type, two);
  run.type = type;
  run.scale = two;
  run.lock_free = lock_free;
  KIT_OK(cw_transfer_run(&run));
  check_there(offset);
}

/* Updates every second element, as rows and as segments of one element. */
static void test_shapes(bool lock_free)
{
  const size_t rows = count / 2, all = count;
  const ptrdiff_t step = (ptrdiff_t)element, wide = 2 * step;
  void *from[MOST / 2], *to[MOST / 2];
  if (rows < 1 || rows > 600)
    return;
  for (int shape = 0; shape < 2; shape++) {
    describe(shape == 0 ? "rows" : "segments", 0);
    prepare(0);
    memcpy(model, expected_before, all * element);
    for (size_t i = 0; i < rows; i++) {
      model_update(operation, type, model + 2 * i * element, operands + i * element);
      from[i] = operands + i * element;
      to[i] = remote + 2 * i * element;
    }
    const cw_vector vector = {from, to, rows, element};
    cw_transfer given = shape == 0 ? cw_strided(CW_ACCUMULATE, operands, &step, remote, &wide,
                                                element, &rows, 1, next)
                                   : cw_vectors(CW_ACCUMULATE, &vector, 1, next);
    given.type = type;
    given.reduction = operation;
    given.lock_free = lock_free;
    KIT_OK(cw_transfer_run(&given));
    check_there(0);
  }
}

static void test_pair(void)
{
  test_lock_free();
  test_locked(48);
  if (!aligned) {
    test_locked(3);
    test_accumulate(3, false);
  }
  test_accumulate(48, true);
  if (operation == CW_SUM && type < CW_TYPES) {
    test_scaled(8, false);
    test_scaled(0, true);
  }
  test_shapes(count % 2 == 1);
}

/* Tries both outcomes, and both domains. */
static void test_compare_swap(void)
{
  static const size_t offset = 32;
  const bool lacking = !cwi_ready.atomics && kit_processes() > 1 && element == 16; /* MPI's */
  count = 1;
  for (int matches = 0; matches < 2; matches++) {
    operation = CW_REPLACE;
    describe(matches ? "compare-and-swap that matches" : "compare-and-swap", offset);
    prepare(offset);
    char compared[16];
    memcpy(compared, expected_before, element);
    compared[element - 1] ^= (char)!matches;
    if (!matches)
      memcpy(model, expected_before, element);
    if (lacking) {
      KIT_OUTSIDE("compare-and-swap|16|CW_DOUBLE_COMPLEX",
                  cw_compare_swap(type, compared, operands, remote + offset, next, before));
      return;
    }
    KIT_OK(cw_compare_swap(type, compared, operands, remote + offset, next, before));
    check_both(offset);
  }
}

static void test_read_and_write(void)
{
  static const size_t offset = 16;
  count = 1;
  operation = CW_REPLACE;
  describe("read and write", offset);
  prepare(offset);
  KIT_OK(cw_atomic_read(type, remote + offset, next, before));
  KIT_OK(cw_atomic_write(type, operands, remote + offset, next));
  check_both(offset);
}

static void check_rejected_pair(void)
{
  char name[16];
  snprintf(name, sizeof name, "(%d)", (int)operation);
  cw_transfer run = cw_contiguous(CW_ACCUMULATE, operands, remote, element, next);
  run.type = type;
  run.reduction = operation;
  describe("refused", 0);
  KIT_MISUSE("reduction is CW_|not an atomic update",
             cw_fetch_op(type, operation, operands, remote, next, before));
  KIT_MISUSE(name, cw_get_accumulate(type, operation, operands, before, remote, 3, next));
  KIT_MISUSE("reduction", cw_transfer_run(&run));
}

static void test_type(size_t most)
{
  static const size_t counts[] = {1, 2, 3, 17, MOST};
  for (int o = 0; o < MODEL_OPERATIONS; o++)
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
      operation = model_operations[o];
      count = counts[c] < most ? counts[c] : most;
      if (model_allows(operation, type))
        test_pair();
      else if (c == 0)
        check_rejected_pair();
    }
  test_compare_swap();
  test_read_and_write();
}

/* Elements that cross from one stripe to the next. */
static void test_across(size_t distance)
{
  const size_t stripe = (size_t)1 << 17;
  char *const begin = remote;
  remote += stripe - (uintptr_t)remote % stripe - distance;
  for (int o = 0; o < 4; o++) {
    operation = model_operations[o];
    count = 17;
    if (model_allows(operation, type)) {
      test_locked(0);
      test_accumulate(0, false);
      if (distance % 8 == 0)
        test_lock_free();
    }
  }
  remote = begin;
}

/* Sizes slightly above a page, for any setting of the maximum. */
static void test_tails(void)
{
  static const size_t lengths[] = {513, 533, 1025};
  type = CW_INT64;
  element = model_bytes(type);
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
    count = lengths[i];
    operation = i % 2 == 0 ? CW_BIT_XOR : CW_NO_OP;
    test_lock_free();
  }
}

/* Factors near 1 are not ignored: the rounded product is added. */
static void test_near_one(void)
{
  const double x[2] = {16777215.25, 9007199254740991.0};
  const double factors[] = {1 + DBL_EPSILON, 1 - DBL_EPSILON / 2};
  const float f[2] = {16777215.0F, 3.0F}, single[] = {1 + FLT_EPSILON, 1 - FLT_EPSILON / 2};
  kit_about("factors next to 1");
  for (size_t n = 1; n <= 2; n++)
    for (int i = 0; i < 2; i++) {
      double zeros[2] = {0}, got[2];
      float some[2];
      KIT_OK(cw_put(zeros, remote, sizeof zeros, next));
      KIT_OK(cw_fence(next));
      KIT_OK(cw_accumulate(CW_DOUBLE, &factors[i], x, remote, n * sizeof *x, next));
      KIT_OK(cw_fence(next));
      KIT_OK(cw_get(got, remote, n * sizeof *x, next));
      for (size_t k = 0; k < n; k++)
        kit_check(got[k] == x[k] * factors[i], "%.17g is %.17g", x[k], got[k]);
      KIT_OK(cw_put(zeros, remote, sizeof zeros, next));
      KIT_OK(cw_fence(next));
      KIT_OK(cw_accumulate(CW_FLOAT, &single[i], f, remote, n * sizeof *f, next));
      KIT_OK(cw_fence(next));
      KIT_OK(cw_get(some, remote, n * sizeof *f, next));
      for (size_t k = 0; k < n; k++)
        kit_check(some[k] == f[k] * single[i], "%.9g is %.9g", f[k], some[k]);
    }
}

/* The minimum of unsigned numbers is done by compare-and-swap, which Open MPI 4.1 cannot do here.
 */
static void check_unaligned(bool can)
{
  const uint32_t large = 4000000000U, small = 3000000000U;
  uint32_t least = 0;
  cw_transfer run =
      cw_contiguous(CW_ACCUMULATE, (void *)(uintptr_t)&small, remote + 3, sizeof small, next);
  run.type = CW_UINT32;
  run.reduction = CW_MINIMUM;
  KIT_OK(cw_put(&large, remote + 3, sizeof large, next));
  KIT_OK(cw_fence(next));
  if (!can) {
    KIT_OUTSIDE("is not a multiple of 4", cw_transfer_run(&run));
    return;
  }
  KIT_OK(cw_transfer_run(&run));
  KIT_OK(cw_fence(next));
  KIT_OK(cw_get(&least, remote + 3, sizeof least, next));
  kit_check(least == small, "the least of %u and %u is %u", large, small, least);
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  void **at = NULL;
  kit_start_native(&argc, &argv, "updates");
  kit_hang_guard();
  const size_t most = argc > 1 ? (size_t)atol(argv[1]) : MOST;
  aligned = argc > 2 && strcmp(argv[2], "aligned") == 0;
  kit_make_region(2 * BUFFER_BYTES + ((size_t)2 << 17), &region, &at);
  next = (kit_me() + 1) % kit_processes();
  remote = at[next];
  model = kit_alloc(BUFFER_BYTES, 1);
  operands = kit_alloc(BUFFER_BYTES, 1);
  before = kit_alloc(BUFFER_BYTES, 1);
  expected_before = kit_alloc(BUFFER_BYTES, 1);
  seen = kit_alloc(BUFFER_BYTES, 1);
  for (int t = 0; t < MODEL_TYPES; t++) {
    type = model_types[t];
    element = model_bytes(type);
    test_type(most);
    test_across(8);
    if (!aligned)
      test_across(24 + 5);
  }
  test_tails();
  test_near_one();
  if (aligned)
    check_unaligned(argc > 3);
  KIT_OK(cw_barrier(cw_team_world()));
  free(model);
  free(operands);
  free(before);
  free(expected_before);
  free(seen);
  kit_free_region(&region, at);
  return kit_finish_native();
}
