#include "kernel.h"

#define SIDE_TEXT "16"

/* A group makes a square of C: its items bring squares of A and B into local memory. */
static const char opencl[] =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "#define SIDE " SIDE_TEXT "\n"
    "static double part(__global const double *a, __global const double *b, long rows,\n"
    "                   long columns, long terms, __local double (*mine)[SIDE],\n"
    "                   __local double (*other)[SIDE])\n"
    "{\n"
    "  const long column = get_global_id(0), row = get_global_id(1);\n"
    "  const int x = get_local_id(0), y = get_local_id(1);\n"
    "  double sum = 0;\n"
    "  for (long first = 0; first < terms; first += SIDE) {\n"
    "    const long k = first + x, l = first + y;\n"
    "    mine[y][x] = row < rows && k < terms ? a[row * terms + k] : 0;\n"
    "    other[y][x] = column < columns && l < terms ? b[l * columns + column] : 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int i = 0; i < SIDE; i++)\n"
    "      sum += mine[y][i] * other[i][x];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  }\n"
    "  return sum;\n"
    "}\n"
    "__kernel void pairs(__global double *c, __global const double *a0, __global const double "
    "*b0,\n"
    "                    __global const double *a1, __global const double *b1,\n"
    "                    __global const double *a2, __global const double *b2, long rows,\n"
    "                    long columns, long terms0, long terms1, long terms2)\n"
    "{\n"
    "  __local double mine[SIDE][SIDE], other[SIDE][SIDE];\n"
    "  const long column = get_global_id(0), row = get_global_id(1);\n"
    "  const double sum = part(a0, b0, rows, columns, terms0, mine, other) +\n"
    "                     part(a1, b1, rows, columns, terms1, mine, other) +\n"
    "                     part(a2, b2, rows, columns, terms2, mine, other);\n"
    "  if (row < rows && column < columns)\n"
    "    c[row * columns + column] += sum;\n"
    "}\n";

static void add_pair(double *c, const double *a, const double *b, int64_t rows, int64_t columns,
                     int64_t terms)
{
  for (int64_t i = 0; i < rows; i++)
    for (int64_t k = 0; k < terms; k++)
      for (int64_t j = 0; j < columns; j++)
        c[i * columns + j] += a[i * terms + k] * b[k * columns + j];
}

static void pairs_on_host(void *const *arguments, const size_t global[3])
{
  const int64_t *const *sizes = (const int64_t *const *)(arguments + 1 + 2 * KERNEL_PAIRS);
  (void)global;
  for (int pair = 0; pair < KERNEL_PAIRS; pair++)
    add_pair(arguments[0], arguments[1 + 2 * pair], arguments[2 + 2 * pair], *sizes[0], *sizes[1],
             *sizes[2 + pair]);
}

static const cw_host_function functions[] = {{"pairs", pairs_on_host}, {NULL, NULL}};

const cw_kernel_source kernel_source = {.opencl = opencl, .functions = functions};
const char kernel_name[] = "pairs";
