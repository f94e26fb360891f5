/* The library's own kernels on a back end: random shapes, lists, types and operations, compared
 * with the number module's loops in host memory. */
#include "device/backends.h"

#include "device/library_kernels.h"
#include "number/atomic_update.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES = 200000, MANY_ROWS = 1500, TABLE = 3 * MANY_ROWS };

static void *program;
static void *kernels[CWI_KERNELS];
static void *memories[2], *table_memory, *sums_memory; /* to, from */
static char *models[2], *got;

/* Random rows with their start offsets. */
struct shapes {
  struct cwi_kernel_work work;
  size_t counts[CW_MAX_LEVELS], rows, element;
  ptrdiff_t strides[2][CW_MAX_LEVELS];
  size_t begins[2][MANY_ROWS], lengths[MANY_ROWS];
  uint64_t table[TABLE];
};
static struct shapes shapes;

static void find_all(void)
{
  KIT_MUST(back->build(device, &cwi_kernels_source, &program));
  for (int i = 0; i < CWI_KERNELS; i++)
    KIT_MUST(back->find(device, program, cwi_kernel_names[i], &kernels[i]));
}

static void run(struct cwi_kernel_call *call)
{
  call->launch.kernel = kernels[call->kernel];
  KIT_OK(back->launch(device, CWI_QUEUE_WORK, &call->launch));
  backends_finish(CWI_QUEUE_WORK);
}

/* --- Shapes ----------------------------------------------------------------------------------- */

/* Returns a random gap. Elements are aligned in most shapes. */
static size_t random_gap(bool aligned)
{
  const size_t gap = kit_own(3) == 0 ? 0 : (size_t)kit_own(kit_own(2) == 0 ? 40 : 900);
  return aligned ? gap * shapes.element : gap;
}

/* Draws strides of levels around the row, of either sign. Returns false if there is not enough
 * space. */
static bool make_strides(int side, bool aligned)
{
  struct cwi_kernel_place *place = side == 0 ? &shapes.work.to : &shapes.work.from;
  size_t extent = shapes.work.run, before = 0;
  for (int level = 0; level < shapes.work.levels; level++) {
    const size_t stride = extent + random_gap(aligned), far = stride * (shapes.counts[level] - 1);
    const bool down = kit_own(4) == 0;
    shapes.strides[side][level] = down ? -(ptrdiff_t)stride : (ptrdiff_t)stride;
    before += down ? far : 0;
    extent += far;
  }
  const size_t first = random_gap(aligned);
  if (first + extent > PLACES)
    return false;
  place->offset = kit_own(5) == 0 && !aligned ? before + PLACES - extent : before + first;
  place->strides = shapes.strides[side];
  for (size_t row = 0; row < shapes.rows; row++) {
    ptrdiff_t begin = (ptrdiff_t)place->offset;
    size_t rest = row;
    for (int level = 0; level < shapes.work.levels; level++) {
      begin += (ptrdiff_t)(rest % shapes.counts[level]) * shapes.strides[side][level];
      rest /= shapes.counts[level];
    }
    shapes.begins[side][row] = (size_t)begin;
  }
  return true;
}

static bool make_packed(int side, bool aligned)
{
  struct cwi_kernel_place *place = side == 0 ? &shapes.work.to : &shapes.work.from;
  place->offset = random_gap(aligned);
  if (place->offset + shapes.rows * shapes.work.run > PLACES)
    return false;
  for (size_t row = 0; row < shapes.rows; row++)
    shapes.begins[side][row] = place->offset + row * shapes.work.run;
  return true;
}

/* Draws segments in any order. Those of `from` may overlap by whole elements only: bytes across two
 * numbers would be a random number, and sums of those depend on their order. */
static bool make_list(int side, bool aligned)
{
  struct cwi_kernel_place *place = side == 0 ? &shapes.work.to : &shapes.work.from;
  place->offset = random_gap(aligned);
  place->listed = true;
  place->entry = (size_t)side * MANY_ROWS + (size_t)kit_own(MANY_ROWS - (int)shapes.rows + 1);
  size_t at = place->offset;
  for (size_t row = 0; row < shapes.rows; row++) {
    at += random_gap(aligned) / 4 / shapes.element * (aligned ? shapes.element : 1);
    shapes.begins[side][row] = at;
    at += side == 0 || !aligned ? shapes.work.run : (size_t)kit_own(2) * shapes.element;
  }
  if (at + shapes.work.run > PLACES)
    return false;
  for (size_t row = 0; row < shapes.rows; row++) {
    const size_t other = (size_t)kit_own((int)shapes.rows), begin = shapes.begins[side][row];
    shapes.begins[side][row] = shapes.begins[side][other];
    shapes.begins[side][other] = begin;
  }
  for (size_t row = 0; row < shapes.rows; row++)
    shapes.table[place->entry + row] = shapes.begins[side][row] - place->offset;
  place->alignment = cwi_launch_list_alignment(shapes.table + place->entry, shapes.rows);
  return true;
}

/* Draws segments of different lengths. */
static void make_ragged(void)
{
  struct cwi_kernel_work *work = &shapes.work;
  work->ragged = true;
  work->lengths = 2 * (size_t)MANY_ROWS + (size_t)kit_own(MANY_ROWS - (int)shapes.rows + 1);
  for (size_t row = 0; row < shapes.rows; row++) {
    shapes.lengths[row] = shapes.element * (1 + (size_t)kit_own((int)(work->run / shapes.element)));
    shapes.table[work->lengths + row] = shapes.lengths[row];
    work->grain |= shapes.lengths[row];
  }
  work->grain &= -work->grain;
}

static bool try_shape(size_t element, bool one_side)
{
  const bool listed = kit_own(4) == 0, aligned = kit_own(4) > 0;
  memset(&shapes.work, 0, sizeof shapes.work);
  shapes.element = element;
  shapes.rows = 1;
  shapes.work.levels = listed ? 1 : kit_own(CW_MAX_LEVELS + 1);
  for (int level = 0; level < shapes.work.levels; level++) {
    const size_t most = MANY_ROWS / shapes.rows;
    const size_t few = level == 0 ? 300 : shapes.work.levels < 4 ? 12 : 4;
    shapes.counts[level] = 1 + (size_t)kit_own((int)(few < most ? few : most));
    shapes.rows *= shapes.counts[level];
  }
  shapes.work.run = element * (1 + (size_t)kit_own(kit_own(3) == 0 ? 4000 : 12));
  shapes.work.counts = shapes.counts;
  shapes.work.to.memory = memories[0];
  shapes.work.processor = kit_own(2) != 0;
  if (!(listed ? make_list(0, aligned) : make_strides(0, aligned)))
    return false;
  if (!one_side) {
    const int kind = listed ? kit_own(2) : 1 + kit_own(2);
    if (!(kind == 0   ? make_list(1, aligned)
          : kind == 1 ? make_packed(1, aligned)
                      : make_strides(1, aligned)))
      return false;
    shapes.work.from.memory = memories[1];
  }
  if (listed)
    shapes.work.table = table_memory;
  for (size_t row = 0; row < shapes.rows; row++)
    shapes.lengths[row] = shapes.work.run;
  if (listed && (one_side || shapes.work.from.listed) && kit_own(2) == 0)
    make_ragged();
  return true;
}

static void make_shape(const char *what, long round, size_t element, bool one_side)
{
  while (!try_shape(element, one_side))
    continue;
  kit_about("round %ld: %s, %d levels, %zu rows of %s%zu bytes, elements of %zu, %s %s, %s", round,
            what, shapes.work.levels, shapes.rows, shapes.work.ragged ? "at most " : "",
            shapes.work.run, element, shapes.work.to.listed ? "list" : "strides",
            shapes.work.from.listed            ? "of list"
            : shapes.work.from.strides == NULL ? "of packed"
                                               : "of strides",
            shapes.work.processor ? "processor" : "accelerator");
}

/* --- Numbers ---------------------------------------------------------------------------------- */

/* Draws a number. Reals are small integers, so that no order of operations causes rounding. */
static void random_number(cw_type type, char *to)
{
  const size_t bytes = cwi_type_bytes[type];
  const float f[2] = {(float)(kit_own(15) - 7), (float)(kit_own(15) - 7)};
  const double d[2] = {kit_own(15) - 7, kit_own(15) - 7};
  if (cwi_type_is_single(type))
    memcpy(to, f, bytes);
  else if (type == CW_DOUBLE || type == CW_DOUBLE_COMPLEX)
    memcpy(to, d, bytes);
  else
    for (size_t i = 0; i < bytes; i++)
      to[i] = (char)(kit_own(4) == 0 ? 0 : kit_own(256));
}

/* Fills both models with random bytes and their rows with numbers, then the memories. */
static void fill_all(cw_type type)
{
  const size_t bytes = cwi_type_bytes[type];
  for (int side = 0; side < 2; side++) {
    memset(models[side], 1 + kit_own(100), PLACES);
    for (size_t row = 0; row < shapes.rows && (side == 0 || shapes.work.from.memory); row++)
      for (size_t at = 0; at < shapes.work.run; at += bytes)
        random_number(type, models[side] + shapes.begins[side][row] + at);
    backends_write(memories[side], 0, models[side], PLACES);
  }
  if (shapes.work.table != NULL)
    backends_write(table_memory, 0, shapes.table, sizeof shapes.table);
}

static void check_memory(void)
{
  backends_read(memories[0], 0, got, PLACES);
  kit_check_bytes(got, models[0], PLACES, "the memory");
}

static void model_rows(cwi_accumulate_kernel kernel, const union cwi_scalar *scale)
{
  for (size_t row = 0; row < shapes.rows; row++)
    kernel(models[0] + shapes.begins[0][row], 0, models[1] + shapes.begins[1][row], 0,
           shapes.lengths[row], 1, scale);
}

/* --- Tests ------------------------------------------------------------------------------------ */

static void test_move(long round)
{
  struct cwi_kernel_call call;
  make_shape("move", round, (size_t)1 << kit_own(5), false);
  fill_all(CW_UINT8);
  cwi_launch_move(&shapes.work, &call);
  run(&call);
  for (size_t row = 0; row < shapes.rows; row++)
    memcpy(models[0] + shapes.begins[0][row], models[1] + shapes.begins[1][row],
           shapes.lengths[row]);
  check_memory();
}

static cw_type random_type(int types)
{
  int type = kit_own(types);
  while (cwi_type_bytes[type] == 0)
    type = kit_own(types);
  return (cw_type)type;
}

static void test_accumulate(long round)
{
  struct cwi_kernel_call call;
  const cw_type type = random_type(CWI_TYPES);
  int reduction = kit_own(CW_NO_OP);
  while (!cwi_update_is_defined(reduction, type))
    reduction = kit_own(CW_NO_OP);
  char what[64];
  union cwi_scalar scale;
  random_number(type, (char *)&scale);
  const bool scaled = reduction == CW_SUM && type < CW_TYPES && kit_own(2) == 0;
  snprintf(what, sizeof what, "%s of %s%s", cwi_operation_word(reduction), cwi_type_word(type),
           scaled ? " scaled" : "");
  make_shape(what, round, cwi_type_bytes[type], false);
  fill_all(type);
  cwi_launch_accumulate(&shapes.work, type, (cw_reduction)reduction, scaled ? &scale : NULL, &call);
  run(&call);
  model_rows(cwi_update_kernel((cw_reduction)reduction, type, scaled), &scale);
  check_memory();
}

/* Segments that overlap: each of them counts. */
static void test_overlaps(long round)
{
  struct cwi_kernel_call call;
  make_shape("sum of rows that overlap", round, 8, false);
  fill_all(CW_LONG);
  shapes.work.overlaps = true;
  shapes.work.to.listed = true;
  shapes.work.to.strides = NULL;
  shapes.work.to.entry = 0;
  shapes.work.to.alignment = 8;
  shapes.work.to.offset = 0;
  shapes.work.table = table_memory;
  if (shapes.work.levels != 1 || shapes.work.from.listed)
    return;
  for (size_t row = 0; row < shapes.rows; row++)
    shapes.table[row] = shapes.begins[0][row] = 8 * (size_t)kit_own(20);
  backends_write(table_memory, 0, shapes.table, sizeof shapes.table);
  cwi_launch_accumulate(&shapes.work, CW_LONG, CW_SUM, NULL, &call);
  run(&call);
  model_rows(cwi_update_kernel(CW_SUM, CW_LONG, false), NULL);
  check_memory();
}

static void test_fill(long round)
{
  struct cwi_kernel_call call;
  char value[16];
  const size_t bytes = (size_t)1 << kit_own(5);
  make_shape("fill", round, bytes, true);
  fill_all(CW_UINT8);
  backends_random(value, sizeof value);
  cwi_launch_fill(&shapes.work, bytes, value, &call);
  run(&call);
  for (size_t row = 0; row < shapes.rows; row++)
    for (size_t at = 0; at < shapes.lengths[row]; at += bytes)
      memcpy(models[0] + shapes.begins[0][row] + at, value, bytes);
  check_memory();
}

/* Computes to = b to in the model by the number module's kernel, row by row. */
static void model_scale(cw_type type, const union cwi_scalar *factor)
{
  for (size_t row = 0; row < shapes.rows; row++) {
    char *place = models[0] + shapes.begins[0][row];
    cwi_scale_kernels[type](place, 0, place, 0, shapes.lengths[row], 1, factor);
  }
}

static void test_scale(long round)
{
  struct cwi_kernel_call call;
  union cwi_scalar factor;
  const cw_type type = random_type(CW_TYPES);
  make_shape("scale", round, cwi_type_bytes[type], true);
  fill_all(type);
  random_number(type, (char *)&factor);
  cwi_launch_scale(&shapes.work, type, &factor, &call);
  run(&call);
  model_scale(type, &factor);
  check_memory();
}

static void test_combine(long round)
{
  struct cwi_kernel_call call;
  union cwi_scalar a, b;
  const cw_type type = random_type(CW_TYPES);
  const bool both = kit_own(3) > 0;
  make_shape(both ? "combine" : "scaled copy", round, cwi_type_bytes[type], false);
  fill_all(type);
  random_number(type, (char *)&a);
  random_number(type, (char *)&b);
  cwi_launch_combine(&shapes.work, type, &a, both ? &b : NULL, &call);
  run(&call);
  if (both) {
    model_scale(type, &b);
    model_rows(cwi_accumulate_kernels[type][1], &a);
  } else {
    model_rows(cwi_scale_kernels[type], &a);
  }
  check_memory();
}

/* Computes the dot product of the models, of integers, so that the order does not matter. */
static void model_dot(cw_type type, uint64_t *whole, double real[2])
{
  const size_t bytes = cwi_type_bytes[type];
  for (size_t row = 0; row < shapes.rows; row++)
    for (size_t at = 0; at < shapes.lengths[row]; at += bytes) {
      union cwi_scalar y = {0}, x = {0};
      memcpy(&y, models[0] + shapes.begins[0][row] + at, bytes);
      memcpy(&x, models[1] + shapes.begins[1][row] + at, bytes);
      if (cwi_type_is_whole(type)) {
        *whole += (uint64_t)y.l * (uint64_t)x.l;
      } else {
        const double d[2][2] = {{cwi_type_is_single(type) ? y.f[0] : y.d[0],
                                 cwi_type_is_single(type) ? y.f[1] : y.d[1]},
                                {cwi_type_is_single(type) ? x.f[0] : x.d[0],
                                 cwi_type_is_single(type) ? x.f[1] : x.d[1]}};
        real[0] += d[0][0] * d[1][0] - d[0][1] * d[1][1];
        real[1] += d[0][0] * d[1][1] + d[0][1] * d[1][0];
      }
    }
}

static void test_dot(long round)
{
  struct cwi_kernel_call call;
  const cw_type type = random_type(CW_TYPES);
  make_shape("dot product", round, cwi_type_bytes[type], false);
  fill_all(type);
  const size_t offset = 8 * (size_t)kit_own(9);
  const size_t bytes = cwi_launch_dot(&shapes.work, type, sums_memory, offset, &call);
  void *sums = kit_alloc(1, CWI_DOT_BYTES);
  uint64_t whole = 5, want_whole = 5;
  double real[2] = {3, 4}, want_real[2] = {3, 4};
  if (kit_check(bytes >= 16 && bytes <= CWI_DOT_BYTES, "%zu bytes of sums", bytes)) {
    run(&call);
    backends_read(sums_memory, offset, sums, bytes);
    cwi_launch_dot_add(type, sums, bytes, &whole, real);
  }
  free(sums);
  model_dot(type, &want_whole, want_real);
  if (type == CW_INT)
    kit_check((uint32_t)whole == (uint32_t)want_whole, "%u, not %u", (unsigned)whole,
              (unsigned)want_whole);
  else
    kit_check(whole == want_whole, "%ld, not %ld", (long)whole, (long)want_whole);
  kit_check(real[0] == want_real[0] && (real[1] == want_real[1]), "%g, %g, not %g, %g", real[0],
            real[1], want_real[0], want_real[1]);
}

/* Uses a vector that is longer than one round of work items. */
static void test_long(long count)
{
  kit_about("long vectors");
  void *vectors[2] = {NULL};
  double *model = kit_alloc((size_t)count, sizeof *model), one = 1, two = 2, real[2] = {0, 0},
         want = 0;
  struct cwi_kernel_call call;
  KIT_MUST(back->allocate(device, (size_t)count * sizeof *model, &vectors[0]));
  KIT_MUST(back->allocate(device, (size_t)count * sizeof *model, &vectors[1]));
  for (int processor = 0; processor < 2; processor++) {
    struct cwi_kernel_work work = {.run = (size_t)count * sizeof *model,
                                   .to.memory = vectors[0],
                                   .from.memory = vectors[1],
                                   .processor = processor != 0};
    for (long i = 0; i < count; i++)
      model[i] = (double)(i % 1000 - 300);
    backends_write(vectors[1], 0, model, (size_t)count * sizeof *model);
    cwi_launch_fill(&work, sizeof one, &one, &call);
    run(&call);
    cwi_launch_accumulate(&work, CW_DOUBLE, CW_SUM, &two, &call);
    run(&call);
    uint64_t whole = 0;
    char *sums = kit_alloc(1, CWI_DOT_BYTES);
    const size_t bytes = cwi_launch_dot(&work, CW_DOUBLE, sums_memory, 0, &call);
    run(&call);
    backends_read(sums_memory, 0, sums, bytes);
    real[0] = want = 0;
    cwi_launch_dot_add(CW_DOUBLE, sums, bytes, &whole, real);
    free(sums);
    for (long i = 0; i < count; i++) {
      want += model[i] * (2 * model[i] + 1);
      model[i] = 2 * model[i] + 1;
    }
    kit_check(real[0] == want, "dot product %g, not %g", real[0], want);
    double *values = kit_alloc((size_t)count, sizeof *values);
    backends_read(vectors[0], 0, values, (size_t)count * sizeof *values);
    kit_check_bytes(values, model, (size_t)count * sizeof *values, "1 + 2 x");
    free(values);
  }
  back->release(device, vectors[0]);
  back->release(device, vectors[1]);
  free(model);
}

void test_own_kernels(long rounds)
{
  kit_about("the library's own kernels");
  find_all();
  for (int side = 0; side < 2; side++) {
    models[side] = kit_alloc(PLACES, 1);
    KIT_MUST(back->allocate(device, PLACES, &memories[side]));
  }
  KIT_MUST(back->allocate(device, sizeof shapes.table, &table_memory));
  KIT_MUST(back->allocate(device, CWI_DOT_BYTES + 64, &sums_memory));
  got = kit_alloc(PLACES, 1);
  for (long round = 0; round < rounds; round++) {
    test_move(round);
    test_accumulate(round);
    test_accumulate(round);
    test_overlaps(round);
    test_fill(round);
    test_scale(round);
    test_combine(round);
    test_dot(round);
  }
  test_long(15000 * rounds);
  for (int side = 0; side < 2; side++) {
    back->release(device, memories[side]);
    free(models[side]);
  }
  back->release(device, table_memory);
  back->release(device, sums_memory);
  for (int i = 0; i < CWI_KERNELS; i++)
    back->leave(device, kernels[i]);
  back->drop(device, program);
  free(got);
}
