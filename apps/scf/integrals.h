/* Integrals over contracted shells, by libint2's C interface. */
#ifndef SCF_INTEGRALS_H
#define SCF_INTEGRALS_H

#include "basis.h"
#include "molecule.h"
#include "shell_pair.h"

/** Scratch memory of the integrals of one basis set; one for each thread of control. */
struct engine;

/** `cutoff` drops primitive repulsion integrals below it. */
struct engine *engine_create(const struct basis *basis, double cutoff);

void engine_free(struct engine *engine);

/** (bra|ket), four indices: the functions of bra->a, bra->b, ket->a, ket->b, last one fastest.
 *  Requires pair_momentum(bra) <= pair_momentum(ket). Returns NULL when all primitives are below
 *  the cutoff; the values last until the next call. */
const double *engine_repulsion(struct engine *engine, const struct shell_pair *bra,
                               const struct shell_pair *ket);

/** sqrt of the largest (ab|ab): the factor of the Schwarz inequality. */
double engine_bound(struct engine *engine, const struct shell_pair *pair);

enum one_electron { OVERLAP, KINETIC, ATTRACTION };

/** One-electron integrals [functions of a][functions of b], a and b as shell_pair_create orders
 *  them (no primitive is left out); ATTRACTION by all nuclei. They last until the next call. */
const double *engine_one_electron(struct engine *engine, enum one_electron kind,
                                  const struct shell_pair *pair, const struct molecule *molecule);

#endif
