/* A quartet of shells: its integrals (ab|cd) contribute to the six blocks of the Fock matrix that
 * belong to two of its shells. */
#ifndef SCF_QUARTET_H
#define SCF_QUARTET_H

#include "shell_pair.h"

enum { BLOCK_AB, BLOCK_CD, BLOCK_AC, BLOCK_AD, BLOCK_BC, BLOCK_BD, BLOCK_COUNT };

struct quartet {
  const struct shell_pair *bra, *ket; /* in the order that engine_repulsion requires */
  const struct shell *rows[BLOCK_COUNT], *columns[BLOCK_COUNT]; /* of the blocks */
};

/* The block of two shells inside larger matrices whose rows are `stride` long. */
struct quartet_block {
  const double *density;
  double *fock;
  int stride;
};

/** The quartet of two pairs given in any order. */
static inline struct quartet quartet_create(const struct shell_pair *x, const struct shell_pair *y)
{
  bool swap = pair_momentum(x) > pair_momentum(y);
  const struct shell_pair *bra = swap ? y : x, *ket = swap ? x : y;
  const struct shell *a = bra->a, *b = bra->b, *c = ket->a, *d = ket->b;
  return (struct quartet){
      .bra = bra, .ket = ket, .rows = {a, c, a, a, b, b}, .columns = {b, d, c, d, c, d}};
}

/** Adds Coulomb and exchange of the integrals `values` with the total density to the blocks. The
 *  Fock matrix is right once its transpose is added and the sum halved. */
void quartet_digest(const struct quartet *quartet, const double *values,
                    const struct quartet_block blocks[BLOCK_COUNT]);

#endif
