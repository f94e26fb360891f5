/* C += A B for up to three pairs of tiles, in OpenCL C. kernel.c has the same for hosts; generated/pairs.ptx is what clang makes of
 * this for CUDA (scripts/ptx.sh).
 *
 * A group of SIDE x SIDE items makes a square of C: its items bring squares of A and B into local memory. */
#define SIDE 16 /* KERNEL_SIDE */

#ifdef __NVPTX__
#define ITEM(x) ((long)__nvvm_read_ptx_sreg_ctaid_##x() * SIDE + __nvvm_read_ptx_sreg_tid_##x())
#define ALL_ARE_HERE() __nvvm_bar_sync(0)
#define LOCAL(x) (int)__nvvm_read_ptx_sreg_tid_##x()
#else
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
enum { x, y };
#define ITEM(dimension) (long)get_global_id(dimension)
#define ALL_ARE_HERE() barrier(CLK_LOCAL_MEM_FENCE)
#define LOCAL(dimension) (int)get_local_id(dimension)
#endif

static double part(global const double *a, global const double *b, long rows, long columns, long terms,
                   local double (*mine)[SIDE], local double (*other)[SIDE])
{
  const long column = ITEM(x), row = ITEM(y);
  const int i = LOCAL(x), j = LOCAL(y);
  double sum = 0;
  for (long first = 0; first < terms; first += SIDE) {
    const long k = first + i, l = first + j;
    mine[j][i] = row < rows && k < terms ? a[row * terms + k] : 0;
    other[j][i] = column < columns && l < terms ? b[l * columns + column] : 0;
    ALL_ARE_HERE();
    for (int n = 0; n < SIDE; n++)
      sum += mine[j][n] * other[n][i];
    ALL_ARE_HERE();
  }
  return sum;
}

kernel void pairs(global double *c, global const double *a0, global const double *b0, global const double *a1,
                  global const double *b1, global const double *a2, global const double *b2, long rows, long columns,
                  long terms0, long terms1, long terms2)
{
  local double mine[SIDE][SIDE], other[SIDE][SIDE];
  const long column = ITEM(x), row = ITEM(y);
  const double sum = part(a0, b0, rows, columns, terms0, mine, other) +
                     part(a1, b1, rows, columns, terms1, mine, other) +
                     part(a2, b2, rows, columns, terms2, mine, other);
  if (row < rows && column < columns)
    c[row * columns + column] += sum;
}
