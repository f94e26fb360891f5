/* The kernels transpose, nstream and dgemm on Global Arrays. Definitions and MPI sides are those of
 * the kernels on Causeway. Matrices and vectors are arrays with the same distribution; their blocks
 * replace the memory of the side. */
#include "prk_ga.h"

#include "dgemm.h"
#include "nstream.h"
#include "transpose.h"

#include <ga.h>
#include <macdecls.h>
#include <stdlib.h>

/* The arrays of the active side. Sides of different kernels do not exist at the same time. */
enum { ARRAYS = 3 };
static int arrays[ARRAYS];

/* Writes the first indices of the blocks of a dimension and returns the end of the list. */
static int64_t *add_starts(int64_t *next, int64_t extent, int blocks)
{
  for (int i = 0; i < blocks; i++)
    *next++ = span_of(extent, blocks, i).first;
  return next;
}

/* Creates arrays of doubles. `blocks` has the numbers of processes along the dimensions; their
 * product is the number of all processes. */
static void ga_begin(int count, int dimensions, const int64_t *extents, const int *blocks)
{
  char name[] = "prk";
  int64_t dims[2] = {0}, block[2] = {0};
  int64_t *map = allocate((size_t)(2 * cw_processes() + 2) * sizeof(int64_t)), *next = map;
  for (int d = 0; d < dimensions; d++) {
    dims[d] = extents[d];
    block[d] = blocks[d];
    next = add_starts(next, extents[d], blocks[d]);
  }
  GA_Initialize();
  for (int i = 0; i < count; i++) {
    arrays[i] = NGA_Create_irreg64(C_DBL, dimensions, dims, name, block, map);
    if (arrays[i] == 0)
      cw_abort("prk: Global Arrays have no memory; choose a smaller size with --size", 1);
    GA_Zero(arrays[i]); /* touches the array's pages one after the other, as the memory of other
                           sides is touched */
  }
  free(map);
}

static void ga_end(void *state)
{
  (void)state;
  GA_Terminate();
}

/* Returns the address of this process's block and stores its rows and columns. */
static double *ga_block(int array, struct span *spans)
{
  int64_t lo[2] = {0}, hi[2] = {-1}, stride = 0;
  double *block = NULL;
  NGA_Distribution64(array, GA_Nodeid(), lo, hi);
  NGA_Access64(array, lo, hi, &block, &stride);
  for (int d = 0; d < GA_Ndim(array); d++)
    spans[d] = (struct span){lo[d], hi[d] - lo[d] + 1};
  return block;
}

/* --- transpose: tiles of A are accumulated into B, in strips; only their owner touches A ------ */

/* Rows of B in a strip. While one strip travels, the next one is packed. */
enum { STRIP = 64, STRIPS = 2 };

struct strips {
  double *numbers[STRIPS]; /* [STRIP][number of this process's rows of A] */
  ga_nbhdl_t under_way[STRIPS];
  int64_t made;
};

static void transpose_ga_begin(void *state)
{
  struct transpose *transpose = state;
  const int64_t extents[] = {transpose->order, transpose->order};
  const int blocks[] = {cw_processes(), 1};
  struct span spans[2];
  ga_begin(2, 2, extents, blocks);
  transpose->a = ga_block(arrays[0], spans);
  transpose->b = ga_block(arrays[1], spans);
}

/* Accumulates this process's matching columns of A into rows of B at another process. */
static void accumulate_strip(const struct transpose *transpose, struct span rows,
                             struct strips *strips)
{
  const struct span mine = transpose->rows;
  const int64_t which = strips->made++ % STRIPS;
  double one = 1, *numbers = strips->numbers[which];
  const struct tile from = {transpose->a + rows.first, transpose->order};
  const struct tile to = {numbers, mine.count};
  int64_t lo[] = {rows.first, mine.first}, stride = mine.count;
  int64_t hi[] = {rows.first + rows.count - 1, mine.first + mine.count - 1};
  if (strips->made > STRIPS)
    NGA_NbWait(&strips->under_way[which]);
  transpose_pack(&to, &from, rows.count, mine.count);
  NGA_NbAcc64(arrays[1], lo, hi, numbers, &stride, &one, &strips->under_way[which]);
}

static void transpose_ga_add(const struct transpose *transpose, int process, struct strips *strips)
{
  const struct span rows = transpose_rows(transpose, process);
  for (int64_t before = 0; before < rows.count; before += STRIP)
    accumulate_strip(
        transpose, (struct span){rows.first + before, lesser(STRIP, rows.count - before)}, strips);
}

static void transpose_ga_add_mine(const struct transpose *transpose)
{
  const struct span mine = transpose->rows;
  const struct tile from = {transpose->a + mine.first, transpose->order};
  const struct tile to = {transpose->b + mine.first, transpose->order};
  transpose_add(&to, &from, mine.count, mine.count, true);
}

static void transpose_ga_run(void *state, int iterations)
{
  const struct transpose *transpose = state;
  const int processes = transpose->state.problem->processes, me = transpose->state.problem->process;
  struct strips strips = {.made = 0};
  for (int i = 0; i < STRIPS; i++)
    strips.numbers[i] = allocate((size_t)(STRIP * transpose->rows.count) * sizeof(double));
  for (int i = 0; i < iterations; i++) {
    transpose_ga_add_mine(transpose);
    for (int step = 1; step < processes; step++)
      transpose_ga_add(transpose, (me + step) % processes, &strips);
  }
  GA_Sync();
  for (int i = 0; i < STRIPS; i++)
    free(strips.numbers[i]);
}

/* --- nstream: in the memory of arrays --------------------------------------------------------- */

static void nstream_ga_begin(void *state)
{
  struct vectors *vectors = state;
  const int blocks[] = {cw_processes()};
  struct span span;
  ga_begin(3, 1, vectors->state.problem->sizes, blocks);
  vectors->a = ga_block(arrays[0], &span);
  vectors->b = ga_block(arrays[1], &span);
  vectors->c = ga_block(arrays[2], &span);
}

/* --- dgemm: GA's own product ------------------------------------------------------------------ */

static void dgemm_ga_begin(void *state)
{
  struct dgemm *dgemm = state;
  const int64_t extents[] = {dgemm->order, dgemm->order};
  struct span spans[2];
  ga_begin(3, 2, extents, dgemm->counts);
  dgemm->a = ga_block(arrays[0], spans);
  dgemm->b = ga_block(arrays[1], spans);
  dgemm->c = ga_block(arrays[2], spans);
  dgemm->rows = spans[0]; /* GA decides which process has which block */
  dgemm->columns = spans[1];
}

static void dgemm_ga_run(void *state, int iterations)
{
  const struct dgemm *dgemm = state;
  const int64_t order = dgemm->order;
  for (int i = 0; i < iterations; i++)
    GA_Dgemm64('n', 'n', order, order, order, 1, arrays[0], arrays[1], 1, arrays[2]);
}

/* --- The memory of a side is that of the arrays ----------------------------------------------- */

static size_t ga_measure(const struct kernel *kernel, void *state)
{
  const size_t bytes = kernel->measure(state);
  return ((const struct state *)state)->memory.side == CAUSEWAY ? 0 : bytes;
}

static size_t transpose_ga_measure(void *state)
{
  return ga_measure(&transpose_kernel, state);
}

static size_t nstream_ga_measure(void *state)
{
  return ga_measure(&nstream_kernel, state);
}

static size_t dgemm_ga_measure(void *state)
{
  return ga_measure(&dgemm_kernel, state);
}

/* --- The list --------------------------------------------------------------------------------- */

/* GA does not support empty blocks in arrays with a given distribution. */
static const char *reject_empty(const struct problem *problem)
{
  return problem->sizes[0] >= problem->processes ? NULL
                                                 : "is too small for this number of processes";
}

static const char *transpose_ga_reject(const struct problem *problem)
{
  const char *why = transpose_kernel.reject(problem);
  return why != NULL ? why : reject_empty(problem);
}

void ga_add_kernels(void)
{
  static const struct side sides[] = {{transpose_ga_begin, transpose_ga_run, ga_end},
                                      {nstream_ga_begin, nstream_run, ga_end},
                                      {dgemm_ga_begin, dgemm_ga_run, ga_end}};
  static const char *const what[] = {"transpose, Causeway's side on Global Arrays",
                                     "nstream, Causeway's side on Global Arrays",
                                     "dgemm, Causeway's side on Global Arrays"};
  static struct kernel list[sizeof sides / sizeof sides[0]];
  list[0] = transpose_kernel;
  list[0].name = "transpose-ga";
  list[0].measure = transpose_ga_measure;
  list[1] = nstream_kernel;
  list[1].name = "nstream-ga";
  list[1].measure = nstream_ga_measure;
  list[2] = dgemm_kernel;
  list[2].name = "dgemm-ga";
  list[2].measure = dgemm_ga_measure;
  for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
    list[i].what = what[i];
    list[i].reject = i == 0 ? transpose_ga_reject : reject_empty;
    list[i].sides[CAUSEWAY] = &sides[i];
    kernels_add(&list[i]);
  }
}
