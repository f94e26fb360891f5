/* A pair of shells with the data of its primitives that the integrals need, computed once. */
#pragma once

#include "basis.h"

struct primitive_pair {
  double exponent, inverse; /* the sum of both exponents, and 1 / it */
  double weight;    /* coefficients x Gaussian product factor x sqrt(2) pi^(5/4) / exponent */
  double center[3]; /* P */
  double shift[3];  /* P - A */
};

struct shell_pair {
  const struct shell *a, *b; /* momentum(a) >= momentum(b), as libint2 requires */
  double separation[3];      /* A - B */
  int primitive_count;
  struct primitive_pair *primitives; /* sorted by weight, largest first */
  double bound; /* square root of the largest (ab|ab), set by the caller of engine_bound */
};

static inline int shell_momentum(const struct shell *shell)
{
  return shell->contraction->momentum;
}

static inline int pair_momentum(const struct shell_pair *pair)
{
  return shell_momentum(pair->a) + shell_momentum(pair->b);
}

/** Stores the primitive pairs whose weight is at least `cutoff`. There may be none. */
void shell_pair_create(struct shell_pair *pair, const struct shell *x, const struct shell *y,
                       double cutoff);

void shell_pair_free(struct shell_pair *pair);
