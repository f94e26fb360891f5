/* Computes integrals over contracted shells: fills records for libint2 and sums its results. */
#include "integrals.h"

#include "boys.h"
#include "error.h"
#include "harmonics.h"

#include <libint2.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(LIBINT2_MAX_VECLEN == 1, "this program fills one primitive quartet at a time");
_Static_assert(LIBINT2_CGSHELL_ORDERING == LIBINT2_CGSHELL_ORDERING_STANDARD,
               "harmonics.c assumes the standard order of Cartesian functions");
_Static_assert(LIBINT2_SHELLQUARTET_SET == LIBINT2_SHELLQUARTET_SET_STANDARD,
               "shell_pair.c assumes the standard order of shells");
_Static_assert(LIBINT2_MAX_AM_eri <= MOMENTUM_MAX, "harmonics.h is too small for this libint2");

/* Number of primitive quartets that are passed to libint2 at once. A longer list of its 900-byte
 * records would not fit into the second-level cache. */
enum { BATCH = 512 };

static const double sqrt_pi = 1.77245385090551602730;

struct engine {
  double cutoff;
  Libint_t *batch;  /* records for repulsion; the first one owns libint2's scratch memory */
  Libint_t *one[3]; /* records for each enum one_electron */
  double *block[2]; /* integrals before and after a transformation */
};

typedef void (*evaluator_init)(Libint_t *, int, void *);

/* Allocates and initialises records. They start as zeros, because libint2 sets some fields only
 * when it uses them. */
static Libint_t *evaluator_create(evaluator_init init, int momentum, size_t count)
{
  Libint_t *records = memory_allocate(count, sizeof *records);
  init(records, momentum, NULL);
  return records;
}

struct engine *engine_create(const struct basis *basis, double cutoff)
{
  static bool initialised;
  if (!initialised) {
    libint2_static_init();
    boys_initialise();
    initialised = true;
  }
  int l = basis->momentum_max;
  size_t primitives = (size_t)basis->primitive_max * (size_t)basis->primitive_max;
  size_t functions = (size_t)cartesian_count(l) * (size_t)cartesian_count(l);
  struct engine *engine = memory_allocate(1, sizeof *engine);
  engine->cutoff = cutoff;
  engine->batch = evaluator_create(libint2_init_eri, l, BATCH);
  engine->one[OVERLAP] = evaluator_create(libint2_init_overlap, l, primitives);
  engine->one[KINETIC] = evaluator_create(libint2_init_kinetic, l, primitives);
  engine->one[ATTRACTION] = evaluator_create(libint2_init_elecpot, l, primitives);
  for (int i = 0; i < 2; i++) {
    engine->block[i] = memory_allocate(functions * functions, sizeof(double));
  }
  return engine;
}

void engine_free(struct engine *engine)
{
  if (!engine)
    return;
  libint2_cleanup_eri(engine->batch);
  libint2_cleanup_overlap(engine->one[OVERLAP]);
  libint2_cleanup_kinetic(engine->one[KINETIC]);
  libint2_cleanup_elecpot(engine->one[ATTRACTION]);
  free(engine->batch);
  for (int i = 0; i < 3; i++)
    free(engine->one[i]);
  for (int i = 0; i < 2; i++)
    free(engine->block[i]);
  free(engine);
}

/* Transforms the Cartesian block in engine->block[0] into the functions of the shells. Returns the
 * engine's block that has the result. */
static const double *block_transform(struct engine *engine, const struct shell *const shells[],
                                     int count)
{
  double *from = engine->block[0], *to = engine->block[1];
  struct axis axis = {.outer = 1, .inner = 1};
  for (int i = 1; i < count; i++)
    axis.inner *= cartesian_count(shell_momentum(shells[i]));
  for (int i = 0; i < count; i++) {
    axis.momentum = shell_momentum(shells[i]);
    if (shells[i]->contraction->spherical) {
      harmonics_transform(&axis, from, to);
      double *swap = from;
      from = to;
      to = swap;
    }
    axis.outer *= shells[i]->size;
    if (i + 1 < count)
      axis.inner /= cartesian_count(shell_momentum(shells[i + 1]));
  }
  return from;
}

static void block_add(double *block, const double *values, int count)
{
  for (int i = 0; i < count; i++)
    block[i] += values[i];
}

/* Fills the record of a primitive quartet, with Boys values up to `order`. The equations are those
 * of Obara and Saika, J. Chem. Phys. 84, 3963 (1986), with libint2's names. */
static void quartet_fill(Libint_t *record, const struct primitive_pair *bra,
                         const struct primitive_pair *ket, double sum_inverse, int order)
{
  const double *p = bra->center, *q = ket->center;
  double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
  double bra_share = bra->exponent * sum_inverse, ket_share = ket->exponent * sum_inverse;
  double factor = bra->weight * ket->weight * sqrt(sum_inverse);

  double *boys = record->LIBINT_T_SS_EREP_SS(0);
  boys_values(bra_share * ket->exponent * (x * x + y * y + z * z), order, boys);
  for (int m = 0; m <= order; m++)
    boys[m] *= factor;

  record->PA_x[0] = bra->shift[0];
  record->PA_y[0] = bra->shift[1];
  record->PA_z[0] = bra->shift[2];
  record->QC_x[0] = ket->shift[0];
  record->QC_y[0] = ket->shift[1];
  record->QC_z[0] = ket->shift[2];
  /* W = (bra P + ket Q) / (bra + ket) */
  record->WP_x[0] = -ket_share * x;
  record->WP_y[0] = -ket_share * y;
  record->WP_z[0] = -ket_share * z;
  record->WQ_x[0] = bra_share * x;
  record->WQ_y[0] = bra_share * y;
  record->WQ_z[0] = bra_share * z;
  record->oo2z[0] = 0.5 * bra->inverse;
  record->oo2e[0] = 0.5 * ket->inverse;
  record->oo2ze[0] = 0.5 * sum_inverse;
  record->roz[0] = ket_share;
  record->roe[0] = bra_share;
}

static void separations_fill(Libint_t *record, const struct shell_pair *bra,
                             const struct shell_pair *ket)
{
  record->AB_x[0] = bra->separation[0];
  record->AB_y[0] = bra->separation[1];
  record->AB_z[0] = bra->separation[2];
  record->CD_x[0] = ket->separation[0];
  record->CD_y[0] = ket->separation[1];
  record->CD_z[0] = ket->separation[2];
}

/* Computes (ss|ss), which needs no recurrence and for which libint2 has no function. */
static double repulsion_s(const struct engine *engine, const struct shell_pair *bra,
                          const struct shell_pair *ket)
{
  double value = 0;
  for (int i = 0; i < bra->primitive_count; i++) {
    const struct primitive_pair *p = &bra->primitives[i];
    for (int j = 0; j < ket->primitive_count; j++) {
      const struct primitive_pair *q = &ket->primitives[j];
      double weight = p->weight * q->weight;
      if (fabs(weight) < engine->cutoff)
        break; /* sorted by weight: all others are smaller */
      double sum_inverse = 1 / (p->exponent + q->exponent), square = 0, boys;
      for (int axis = 0; axis < 3; axis++) {
        double distance = p->center[axis] - q->center[axis];
        square += distance * distance;
      }
      boys_values(p->exponent * q->exponent * sum_inverse * square, 0, &boys);
      value += weight * sqrt(sum_inverse) * boys;
    }
  }
  return value;
}

/* Adds the batch of `count` records to the Cartesian block of `size` integrals. */
static void batch_finish(struct engine *engine, const struct shell_pair *bra,
                         const struct shell_pair *ket, int count, int size)
{
  if (count == 0)
    return;
  engine->batch->contrdepth = count;
  separations_fill(engine->batch, bra, ket);
  libint2_build_eri[shell_momentum(bra->a)][shell_momentum(bra->b)][shell_momentum(ket->a)]
                   [shell_momentum(ket->b)](engine->batch);
  block_add(engine->block[0], engine->batch->targets[0], size);
}

const double *engine_repulsion(struct engine *engine, const struct shell_pair *bra,
                               const struct shell_pair *ket)
{
  int order = pair_momentum(bra) + pair_momentum(ket);
  if (order == 0) {
    engine->block[0][0] = repulsion_s(engine, bra, ket);
    return engine->block[0];
  }
  const struct shell *const shells[4] = {bra->a, bra->b, ket->a, ket->b};
  int size = 1, count = 0;
  bool any = false;
  for (int i = 0; i < 4; i++)
    size *= cartesian_count(shell_momentum(shells[i]));
  memset(engine->block[0], 0, (size_t)size * sizeof(double));

  for (int i = 0; i < bra->primitive_count; i++) {
    const struct primitive_pair *p = &bra->primitives[i];
    for (int j = 0; j < ket->primitive_count; j++) {
      const struct primitive_pair *q = &ket->primitives[j];
      if (fabs(p->weight * q->weight) < engine->cutoff)
        break;
      quartet_fill(&engine->batch[count++], p, q, 1 / (p->exponent + q->exponent), order);
      any = true;
      if (count == BATCH) {
        batch_finish(engine, bra, ket, count, size);
        count = 0;
      }
    }
  }
  batch_finish(engine, bra, ket, count, size);
  return any ? block_transform(engine, shells, 4) : NULL;
}

double engine_bound(struct engine *engine, const struct shell_pair *pair)
{
  /* (ab|ab) is the square of the factor in the Schwarz inequality, so even tiny values matter:
   * compute it without a cutoff. */
  double cutoff = engine->cutoff;
  engine->cutoff = 0;
  const double *values = engine_repulsion(engine, pair, pair);
  engine->cutoff = cutoff;
  int size = pair->a->size * pair->b->size;
  double largest = 0;
  for (int i = 0; values && i < size; i++) {
    largest = fmax(largest, fabs(values[i * size + i]));
  }
  return sqrt(largest);
}

/* Fills the fields that overlap, kinetic and attraction integrals share. Returns the overlap of the
 * s functions. */
static double one_electron_fill(Libint_t *record, const struct shell_pair *pair, int i, int j)
{
  const struct contraction *a = pair->a->contraction, *b = pair->b->contraction;
  const double *x = pair->separation;
  double p = a->exponents[i], q = b->exponents[j], inverse = 1 / (p + q), square = 0;
  for (int axis = 0; axis < 3; axis++)
    square += x[axis] * x[axis];
  double edge = sqrt_pi * sqrt(inverse);
  double overlap =
      a->coefficients[i] * b->coefficients[j] * exp(-p * q * inverse * square) * edge * edge * edge;

  record->PA_x[0] = -q * inverse * x[0];
  record->PA_y[0] = -q * inverse * x[1];
  record->PA_z[0] = -q * inverse * x[2];
  record->PB_x[0] = p * inverse * x[0];
  record->PB_y[0] = p * inverse * x[1];
  record->PB_z[0] = p * inverse * x[2];
  record->AB_x[0] = x[0];
  record->AB_y[0] = x[1];
  record->AB_z[0] = x[2];
  record->oo2z[0] = 0.5 * inverse;
  record->two_alpha0_bra[0] = 2 * p;
  record->two_alpha0_ket[0] = 2 * q;
  record->_0_Overlap_0_x[0] = overlap;
  record->_0_Overlap_0_y[0] = 1;
  record->_0_Overlap_0_z[0] = 1;
  return overlap;
}

static void attraction_fill(Libint_t *record, const struct shell_pair *pair, double exponent,
                            double overlap, const struct atom *atom)
{
  const double *a = pair->a->center;
  int order = pair_momentum(pair);
  record->PC_x[0] = a[0] + record->PA_x[0] - atom->position[0];
  record->PC_y[0] = a[1] + record->PA_y[0] - atom->position[1];
  record->PC_z[0] = a[2] + record->PA_z[0] - atom->position[2];
  double square = record->PC_x[0] * record->PC_x[0] + record->PC_y[0] * record->PC_y[0] +
                  record->PC_z[0] * record->PC_z[0];
  double *boys = record->LIBINT_T_S_ELECPOT_S(0);
  boys_values(exponent * square, order, boys);
  double factor = -atom->number * 2 / sqrt_pi * sqrt(exponent) * overlap;
  for (int m = 0; m <= order; m++)
    boys[m] *= factor;
}

/* Adds the integrals of one kind to the Cartesian block, for ATTRACTION those of one nucleus. */
static void one_electron_add(struct engine *engine, enum one_electron kind,
                             const struct shell_pair *pair, const struct atom *atom)
{
  const struct contraction *a = pair->a->contraction, *b = pair->b->contraction;
  int la = a->momentum, lb = b->momentum, count = 0;
  Libint_t *records = engine->one[kind];
  double sum = 0;
  for (int i = 0; i < a->primitive_count; i++) {
    for (int j = 0; j < b->primitive_count; j++) {
      Libint_t *record = &records[count++];
      double overlap = one_electron_fill(record, pair, i, j);
      sum += overlap;
      if (kind != ATTRACTION)
        continue;
      attraction_fill(record, pair, a->exponents[i] + b->exponents[j], overlap, atom);
    }
  }
  if (la == 0 && kind != KINETIC) {
    /* libint2 has no function for these. The larger momentum comes first, so b is an s shell,
     * too. */
    for (int i = 0; kind == ATTRACTION && i < count; i++) {
      sum = (i ? sum : 0) + records[i].LIBINT_T_S_ELECPOT_S(0)[0];
    }
    engine->block[0][0] += sum;
    return;
  }
  records->contrdepth = count;
  if (kind == OVERLAP)
    libint2_build_overlap[la][lb](records);
  if (kind == KINETIC)
    libint2_build_kinetic[la][lb](records);
  if (kind == ATTRACTION)
    libint2_build_elecpot[la][lb](records);
  block_add(engine->block[0], records->targets[0], cartesian_count(la) * cartesian_count(lb));
}

const double *engine_one_electron(struct engine *engine, enum one_electron kind,
                                  const struct shell_pair *pair, const struct molecule *molecule)
{
  const struct shell *const shells[2] = {pair->a, pair->b};
  int la = shell_momentum(pair->a), lb = shell_momentum(pair->b);
  size_t size = (size_t)(cartesian_count(la) * cartesian_count(lb));
  memset(engine->block[0], 0, size * sizeof(double));
  int operators = kind == ATTRACTION ? molecule->atom_count : 1;
  for (int i = 0; i < operators; i++) {
    one_electron_add(engine, kind, pair, &molecule->atoms[i]);
  }
  return block_transform(engine, shells, 2);
}
