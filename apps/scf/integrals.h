/* Integrals over contracted shells, computed by libint2 through its C interface. */
#pragma once

#include "basis.h"
#include "molecule.h"
#include "shell_pair.h"

/** Scratch memory for the integrals of one basis set. Each thread needs its own. */
struct engine;

/** Creates an engine. Primitive repulsion integrals below `cutoff` are left out. */
struct engine *engine_create(const struct basis *basis, double cutoff);

void engine_free(struct engine *engine);

/** Computes (bra|ket), an array of four indices: the functions of bra->a, bra->b, ket->a and
 * ket->b, the last index fastest. Requires pair_momentum(bra) <= pair_momentum(ket). Returns
 * NULL if all primitives are below the cutoff. The engine owns the values, which are valid
 * until the next call. */
const double *engine_repulsion(struct engine *engine, const struct shell_pair *bra,
                               const struct shell_pair *ket);

/** Returns the square root of the largest (ab|ab), the factor of the pair in the Schwarz
 * inequality. */
double engine_bound(struct engine *engine, const struct shell_pair *pair);

enum one_electron { OVERLAP, KINETIC, ATTRACTION };

/** Computes one-electron integrals [functions of a][functions of b], with a and b as
 * shell_pair_create orders them. No primitive is left out. ATTRACTION is the attraction by all
 * nuclei. The engine owns the values, which are valid until the next call. */
const double *engine_one_electron(struct engine *engine, enum one_electron kind,
                                  const struct shell_pair *pair, const struct molecule *molecule);
