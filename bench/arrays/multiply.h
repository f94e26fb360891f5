/* One way to multiply distributed matrices of n x n doubles. */
#pragma once

#include <mpi.h>
#include <stdbool.h>

struct multiply_side {
  const char *name;
  void (*start)(void);
  void (*begin)(int n); /* makes the matrices; collective */
  void (*run)(bool ta, bool tb);
  double (*check)(void); /* returns an element of the product */
  void (*end)(void);
  void (*stop)(void);
};

/* Returns an element of the matrices a and b. */
static inline double multiply_element(long i, long j)
{
  return (double)((i * 3 + j * 7) % 11 - 5);
}

extern const struct multiply_side multiply_ours;
