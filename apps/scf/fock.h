/* The two-electron part of the Fock matrix, built by tasks that the processes share (work.h). A
 * task is one pair of tiles with a range of other pairs. */
#ifndef SCF_FOCK_H
#define SCF_FOCK_H

#include "basis.h"
#include "integrals.h"
#include "work.h"

struct fock_settings {
  double screening;               /* contributions below it are left out */
  int cache_tiles;                /* tiles of density and Fock matrix that a process holds */
  bool progress;                  /* process 0 tells on stderr how far a long build is */
  const struct work_source *work; /* where tasks come from */
};

/* Seconds are this process's; add them up over the builds. */
struct fock_cost {
  double integrals;     /* computing integrals and adding them to local tiles */
  double communication; /* NGA_Get, NGA_Acc, drawing tasks */
  double wait;          /* for the other processes */
  double quartets;      /* of shells, computed by this process */
};

struct fock_builder;

/** Collective. `engine` and `basis` must outlive the builder. The densities of all builds are
 *  distributed as `density_array` is. */
struct fock_builder *fock_builder_create(const struct basis *basis, struct engine *engine,
                                         const struct fock_settings *settings, int density_array);

void fock_builder_free(struct fock_builder *builder);

/** fock_array = G(density): Coulomb minus half of exchange, of a symmetric density. Collective. */
void fock_build(struct fock_builder *builder, int density_array, int fock_array,
                struct fock_cost *cost);

#endif
