/* The limit of arrays.c: handwritten loops on the memory of libcwga's arrays, which both processes
 * have mapped. */
#include "arrays.h"

#include <mpi.h>
#include <string.h>

static struct arrays_part parts[ARRAYS_ARRAYS][2];
static int me;

/* Keeps the compiler from merging repetitions: it must assume that this reads all memory. */
static inline void assume_read(void)
{
  __asm__ volatile("" ::: "memory");
}

static void start(void)
{
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  for (int array = 0; array < ARRAYS_ARRAYS; array++)
    for (int process = 0; process < 2; process++)
      arrays_memory.part((enum arrays_array)array, process, &parts[array][process]);
}

static void nothing(void) {}

/* --- Patches of blocks ------------------------------------------------------------------------ */

/* Rows of a patch at one process, and the matching rows of the local buffer. */
struct rows {
  double *remote, *local;
  ptrdiff_t remote_row, local_row;
  size_t count, length;
};

static struct rows rows_at(const struct arrays_work *work, int process)
{
  const struct arrays_part *part = &parts[work->array][process];
  const int line = work->array == ARRAYS_ONE_LINE;
  const int from[] = {line ? 0 : work->lo[0], work->lo[line ? 0 : 1]};
  const int to[] = {line ? 0 : work->hi[0], work->hi[line ? 0 : 1]};
  int lo[2], hi[2];
  for (int d = 0; d < 2; d++) {
    lo[d] = from[d] > part->lo[d] ? from[d] : part->lo[d];
    hi[d] = to[d] < part->hi[d] ? to[d] : part->hi[d];
    if (hi[d] < lo[d])
      return (struct rows){0};
  }
  const ptrdiff_t width = to[1] - from[1] + 1;
  return (struct rows){.remote =
                           part->base + (lo[0] - part->lo[0]) * part->row + (lo[1] - part->lo[1]),
                       .local = work->local + (lo[0] - from[0]) * width + (lo[1] - from[1]),
                       .remote_row = part->row,
                       .local_row = width,
                       .count = (size_t)(hi[0] - lo[0] + 1),
                       .length = (size_t)(hi[1] - lo[1] + 1)};
}

static void put(const struct arrays_work *work, size_t times)
{
  const struct rows both[] = {rows_at(work, 0), rows_at(work, 1)};
  for (size_t i = 0; i < times; i++, assume_read())
    for (const struct rows *rows = both; rows < both + 2; rows++)
      for (size_t r = 0; r < rows->count; r++)
        memcpy(rows->remote + (ptrdiff_t)r * rows->remote_row,
               rows->local + (ptrdiff_t)r * rows->local_row, rows->length * sizeof(double));
}

static void get(const struct arrays_work *work, size_t times)
{
  const struct rows both[] = {rows_at(work, 0), rows_at(work, 1)};
  for (size_t i = 0; i < times; i++, assume_read())
    for (const struct rows *rows = both; rows < both + 2; rows++)
      for (size_t r = 0; r < rows->count; r++)
        memcpy(rows->local + (ptrdiff_t)r * rows->local_row,
               rows->remote + (ptrdiff_t)r * rows->remote_row, rows->length * sizeof(double));
}

static void add_run(double *restrict y, double a, const double *restrict x, size_t count)
{
  for (size_t i = 0; i < count; i++)
    y[i] += a * x[i];
}

static void acc(const struct arrays_work *work, size_t times)
{
  const struct rows both[] = {rows_at(work, 0), rows_at(work, 1)};
  for (size_t i = 0; i < times; i++, assume_read())
    for (const struct rows *rows = both; rows < both + 2; rows++)
      for (size_t r = 0; r < rows->count; r++)
        add_run(rows->remote + (ptrdiff_t)r * rows->remote_row, 1,
                rows->local + (ptrdiff_t)r * rows->local_row, rows->length);
}

/* --- Elements --------------------------------------------------------------------------------- */

static inline double *element_at(enum arrays_array array, int i, int j)
{
  const struct arrays_part *part = &parts[array][0];
  if (i > part->hi[0] || j > part->hi[1])
    part = &parts[array][1];
  return part->base + (i - part->lo[0]) * part->row + (j - part->lo[1]);
}

static void read_inc(const struct arrays_work *work, size_t times)
{
  long *counter = (long *)(void *)element_at(ARRAYS_COUNTERS, 0, work->lo[0]);
  for (size_t i = 0; i < times; i++, assume_read())
    *work->local = (double)__atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
}

static void scatter(const struct arrays_work *work, size_t times)
{
  for (size_t i = 0; i < times; i++, assume_read())
    for (int k = 0; k < work->count; k++)
      *element_at(work->array, work->elements[k][0], work->elements[k][1]) = work->local[k];
}

static void gather(const struct arrays_work *work, size_t times)
{
  for (size_t i = 0; i < times; i++, assume_read())
    for (int k = 0; k < work->count; k++)
      work->local[k] = *element_at(work->array, work->elements[k][0], work->elements[k][1]);
}

static void scatter_acc(const struct arrays_work *work, size_t times)
{
  for (size_t i = 0; i < times; i++, assume_read())
    for (int k = 0; k < work->count; k++)
      *element_at(work->array, work->elements[k][0], work->elements[k][1]) += work->local[k];
}

/* Patches of cyclic arrays begin and end at a multiple of the cycle over both processes. */

static size_t rows_of(const struct arrays_work *work)
{
  return (size_t)(work->hi[0] - work->lo[0] + 1);
}

static size_t columns_of(const struct arrays_work *work)
{
  return (size_t)(work->hi[1] - work->lo[1] + 1);
}

/* Returns a row of the patch in memory: all of it if one process has the row, else the part that
 * `process` has. */
static double *cyclic_row(const struct arrays_work *work, size_t r, int process)
{
  const struct arrays_part *part = &parts[work->array][process];
  const ptrdiff_t row = work->lo[0] + (ptrdiff_t)r;
  return work->array == ARRAYS_ELEMENT_ROWS ? part->base + row / 2 * part->row + work->lo[1]
                                            : part->base + row * part->row + work->lo[1] / 2;
}

static void copy_row(double *restrict array, double *restrict local, size_t count, int get)
{
  if (get)
    memcpy(local, array, count * sizeof *local);
  else
    memcpy(array, local, count * sizeof *local);
}

static void zip(const double *restrict even, const double *restrict odd, double *restrict both,
                size_t pairs)
{
  for (size_t k = 0; k < pairs; k++) {
    both[2 * k] = even[k];
    both[2 * k + 1] = odd[k];
  }
}

static void unzip(double *restrict even, double *restrict odd, const double *restrict both,
                  size_t pairs)
{
  for (size_t k = 0; k < pairs; k++) {
    even[k] = both[2 * k];
    odd[k] = both[2 * k + 1];
  }
}

static void assign_blocks(double *even, double *odd, double *both, size_t blocks, int get)
{
  for (size_t k = 0; k < blocks; k++, both += ARRAYS_CYCLIC_BLOCK)
    copy_row((k % 2 == 0 ? even : odd) + k / 2 * ARRAYS_CYCLIC_BLOCK, both, ARRAYS_CYCLIC_BLOCK,
             get);
}

static void assign_cyclic(const struct arrays_work *work, int get)
{
  const size_t columns = columns_of(work);
  for (size_t r = 0; r < rows_of(work); r++) {
    double *local = work->local + r * columns, *even = cyclic_row(work, r, 0);
    double *odd = cyclic_row(work, r, 1);
    if (work->array == ARRAYS_ELEMENT_ROWS)
      copy_row(r % 2 == 0 ? even : odd, local, columns, get);
    else if (work->array == ARRAYS_BLOCK_COLUMNS)
      assign_blocks(even, odd, local, columns / ARRAYS_CYCLIC_BLOCK, get);
    else if (get)
      zip(even, odd, local, columns / 2);
    else
      unzip(even, odd, local, columns / 2);
  }
}

static void cyclic_put(const struct arrays_work *work, size_t times)
{
  for (size_t i = 0; i < times; i++, assume_read())
    assign_cyclic(work, 0);
}

static void cyclic_get(const struct arrays_work *work, size_t times)
{
  for (size_t i = 0; i < times; i++, assume_read())
    assign_cyclic(work, 1);
}

/* --- Whole arrays: each process its own part -------------------------------------------------- */

static void two_barriers(const struct arrays_work *work, size_t times)
{
  (void)work;
  for (size_t i = 0; i < 2 * times; i++)
    arrays_memory.barrier();
}

static void barrier(const struct arrays_work *work, size_t times)
{
  (void)work;
  for (size_t i = 0; i < times; i++)
    arrays_memory.barrier();
}

/* Returns this process's row of an array and its length. */
static double *my_row(enum arrays_array array, int row)
{
  return parts[array][me].base + row * parts[array][me].row;
}

static int my_extent(int d)
{
  return parts[ARRAYS_C][me].hi[d] - parts[ARRAYS_C][me].lo[d] + 1;
}

static void fill(const struct arrays_work *work, size_t times)
{
  (void)work;
  for (size_t i = 0; i < times; i++, arrays_memory.barrier())
    for (int r = 0; r < my_extent(0); r++) {
      double *c = my_row(ARRAYS_C, r);
      for (int k = 0; k < my_extent(1); k++)
        c[k] = 0.5;
    }
}

static void copy(const struct arrays_work *work, size_t times)
{
  (void)work;
  for (size_t i = 0; i < times; i++, arrays_memory.barrier())
    for (int r = 0; r < my_extent(0); r++)
      memcpy(my_row(ARRAYS_C, r), my_row(ARRAYS_A, r), (size_t)my_extent(1) * sizeof(double));
}

static void add_rows(double *restrict c, const double *restrict a, const double *restrict b, int n)
{
  for (int k = 0; k < n; k++)
    c[k] = 2 * a[k] + 3 * b[k];
}

static void add(const struct arrays_work *work, size_t times)
{
  (void)work;
  for (size_t i = 0; i < times; i++, arrays_memory.barrier())
    for (int r = 0; r < my_extent(0); r++)
      add_rows(my_row(ARRAYS_C, r), my_row(ARRAYS_A, r), my_row(ARRAYS_B, r), my_extent(1));
}

/* Four partial sums at once, because a single one would wait for the latency of each addition. */
static void ddot(const struct arrays_work *work, size_t times)
{
  for (size_t i = 0; i < times; i++) {
    double sums[4] = {0}, sum = 0;
    for (int r = 0; r < my_extent(0); r++) {
      const double *b = my_row(ARRAYS_B, r);
      for (int k = 0; k + 4 <= my_extent(1); k += 4)
        for (int s = 0; s < 4; s++)
          sums[s] += b[k + s] * b[k + s];
    }
    sum = sums[0] + sums[1] + sums[2] + sums[3];
    MPI_Allreduce(&sum, work->local, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

/* Transposes in squares that fit into the first-level cache. No part ends inside a square. */
enum { SQUARE = 16 };

static void transpose_square(double *restrict to, ptrdiff_t to_row, const double *restrict from,
                             ptrdiff_t from_row)
{
  for (ptrdiff_t r = 0; r < SQUARE; r++)
    for (ptrdiff_t k = 0; k < SQUARE; k++)
      to[r * to_row + k] = from[k * from_row + r];
}

static void transpose(const struct arrays_work *work, size_t times)
{
  const int *lo = parts[ARRAYS_C][me].lo;
  (void)work;
  for (size_t i = 0; i < times; i++, arrays_memory.barrier())
    for (int r0 = 0; r0 < my_extent(0); r0 += SQUARE)
      for (int k0 = 0; k0 < my_extent(1); k0 += SQUARE)
        transpose_square(&my_row(ARRAYS_C, r0)[k0], parts[ARRAYS_C][me].row,
                         element_at(ARRAYS_A, lo[1] + k0, lo[0] + r0), parts[ARRAYS_A][me].row);
}

static void sync_all(void)
{
  arrays_memory.barrier();
}

const struct arrays_side arrays_limit = {
    .start = start,
    .stop = nothing,
    .sync = sync_all,
    .loops = {[ARRAYS_PUT] = put,
              [ARRAYS_GET] = get,
              [ARRAYS_ACC] = acc,
              [ARRAYS_READ_INC] = read_inc,
              [ARRAYS_SCATTER] = scatter,
              [ARRAYS_GATHER] = gather,
              [ARRAYS_SCATTER_ACC] = scatter_acc,
              [ARRAYS_CYCLIC_PUT] = cyclic_put,
              [ARRAYS_CYCLIC_GET] = cyclic_get,
              [ARRAYS_CREATE_DESTROY] = two_barriers,
              [ARRAYS_SYNC] = barrier,
              [ARRAYS_FILL] = fill,
              [ARRAYS_COPY] = copy,
              [ARRAYS_ADD] = add,
              [ARRAYS_DDOT] = ddot,
              [ARRAYS_TRANSPOSE] = transpose},
};
