/* Adds the integrals of a shell quartet to the blocks of the Fock matrix. */
#include "quartet.h"

/* Returns how many of the eight permutations of the four shells are different quartets. */
static double quartet_weight(const struct quartet *quartet)
{
  const struct shell_pair *bra = quartet->bra, *ket = quartet->ket;
  return (bra->a == bra->b ? 1 : 2) * (ket->a == ket->b ? 1 : 2) * (bra == ket ? 1 : 2);
}

void quartet_digest(const struct quartet *quartet, const double *values,
                    const struct quartet_block blocks[BLOCK_COUNT])
{
  const struct quartet_block *ab = &blocks[BLOCK_AB], *cd = &blocks[BLOCK_CD];
  const struct quartet_block *ac = &blocks[BLOCK_AC], *ad = &blocks[BLOCK_AD];
  const struct quartet_block *bc = &blocks[BLOCK_BC], *bd = &blocks[BLOCK_BD];
  const int sizes[4] = {quartet->bra->a->size, quartet->bra->b->size, quartet->ket->a->size,
                        quartet->ket->b->size};
  double weight = quartet_weight(quartet), coulomb = 0.5 * weight, exchange = -0.125 * weight;
  for (int a = 0; a < sizes[0]; a++) {
    const double *density_ad = ad->density + a * ad->stride;
    double *fock_ad = ad->fock + a * ad->stride;
    for (int b = 0; b < sizes[1]; b++) {
      const double *density_bd = bd->density + b * bd->stride;
      double *fock_bd = bd->fock + b * bd->stride;
      double density_ab = coulomb * ab->density[a * ab->stride + b], fock_ab = 0;
      for (int c = 0; c < sizes[2]; c++) {
        const double *density_cd = cd->density + c * cd->stride;
        double *fock_cd = cd->fock + c * cd->stride;
        double density_ac = exchange * ac->density[a * ac->stride + c];
        double density_bc = exchange * bc->density[b * bc->stride + c];
        double fock_ac = 0, fock_bc = 0;
        for (int d = 0; d < sizes[3]; d++) {
          double value = *values++;
          fock_ab += value * density_cd[d];
          fock_ac += value * density_bd[d];
          fock_bc += value * density_ad[d];
          fock_cd[d] += value * density_ab;
          fock_ad[d] += value * density_bc;
          fock_bd[d] += value * density_ac;
        }
        ac->fock[a * ac->stride + c] += exchange * fock_ac;
        bc->fock[b * bc->stride + c] += exchange * fock_bc;
      }
      ab->fock[a * ab->stride + b] += coulomb * fock_ab;
    }
  }
}

void quartet_contribute(struct engine *engine, const struct quartet *quartet, int first,
                        const struct matrix *density, struct matrix *fock)
{
  const double *values = engine_repulsion(engine, quartet->bra, quartet->ket);
  if (!values)
    return;
  struct quartet_block blocks[BLOCK_COUNT];
  for (int k = 0; k < BLOCK_COUNT; k++) {
    int offset =
        (quartet->rows[k]->first - first) * fock->columns + quartet->columns[k]->first - first;
    blocks[k] = (struct quartet_block){.density = density->values + offset,
                                       .fock = fock->values + offset,
                                       .stride = fock->columns};
  }
  quartet_digest(quartet, values, blocks);
}
