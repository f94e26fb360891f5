/* A quartet of shells. Its integrals (ab|cd) contribute to six blocks of the Fock matrix, one for
 * each two of its shells. */
#pragma once

#include "integrals.h"
#include "matrix.h"
#include "shell_pair.h"

enum { BLOCK_AB, BLOCK_CD, BLOCK_AC, BLOCK_AD, BLOCK_BC, BLOCK_BD, BLOCK_COUNT };

struct quartet {
  const struct shell_pair *bra, *ket; /* in the order that engine_repulsion requires */
  const struct shell *rows[BLOCK_COUNT],
      *columns[BLOCK_COUNT]; /* shells of the rows and columns of the six blocks */
};

/* The block of two shells within larger matrices whose rows have `stride` elements. */
struct quartet_block {
  const double *density;
  double *fock;
  int stride;
};

/** Returns the quartet of two pairs, which may be given in either order. */
static inline struct quartet quartet_create(const struct shell_pair *x, const struct shell_pair *y)
{
  bool swap = pair_momentum(x) > pair_momentum(y);
  const struct shell_pair *bra = swap ? y : x, *ket = swap ? x : y;
  const struct shell *a = bra->a, *b = bra->b, *c = ket->a, *d = ket->b;
  return (struct quartet){
      .bra = bra, .ket = ket, .rows = {a, c, a, a, b, b}, .columns = {b, d, c, d, c, d}};
}

/** Adds the Coulomb and exchange contributions of the integrals `values` with the total density to
 * the blocks. The caller completes the Fock matrix at the end: it adds the transpose and halves the
 * sum. */
void quartet_digest(const struct quartet *quartet, const double *values,
                    const struct quartet_block blocks[BLOCK_COUNT]);

/** Computes the integrals of a quartet and adds their contributions to `fock`. Both matrices begin
 * with the function `first`. */
void quartet_contribute(struct engine *engine, const struct quartet *quartet, int first,
                        const struct matrix *density, struct matrix *fock);
