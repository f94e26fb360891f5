/* Makes and multiplies a process's share of the product. */
#include "share.h"

#include <stdlib.h>

enum { LONGEST = 4096 };

static int64_t side(int64_t extent)
{
  return extent < LONGEST ? extent : LONGEST;
}

static double *numbers(int64_t rows, int64_t columns)
{
  const size_t count = (size_t)rows * (size_t)columns;
  double *made = malloc(count * sizeof *made);
  if (made == NULL)
    cw_abort("matmul: no memory for a process's share of the product", 1);
  for (size_t i = 0; i < count; i++)
    made[i] = (double)(i % 11);
  return made;
}

void share_create(const struct sides *sides, bool ta, bool tb, struct share *share)
{
  const int64_t m = side((sides->m + cw_processes() - 1) / cw_processes());
  const int64_t n = side(sides->n), k = side(sides->k);
  *share = (struct share){.a = numbers(m, k), .b = numbers(k, n), .c = numbers(m, n)};
  share->call = (struct dgemm){
      .ta = ta, .tb = tb, .m = m, .n = n, .k = k, .a = share->a, .b = share->b, .c = share->c};
}

void share_destroy(struct share *share)
{
  free(share->a);
  free(share->b);
  free(share->c);
}

void share_multiply(const struct share *share)
{
  dgemm(&share->call);
}

double share_operations(const struct share *share)
{
  return 2 * (double)share->call.m * (double)share->call.n * (double)share->call.k;
}
