/* Builds the two-electron part of the Fock matrix by tasks that the processes share (work.h). A
 * task is one pair of tiles with a range of other pairs. */
#pragma once

#include "basis.h"
#include "integrals.h"
#include "work.h"

struct fock_settings {
  double screening; /* smaller contributions are left out */
  int cache_tiles;  /* most tiles of the density and Fock matrices that a process caches */
  bool progress;    /* process 0 reports the progress of a long build on stderr */
  const struct work_source *work; /* distributes the tasks */
};

/* Seconds of this process; fock_build adds to them. */
struct fock_cost {
  double integrals;     /* computing integrals and adding them to local tiles */
  double communication; /* in NGA_Get and NGA_Acc, and getting tasks */
  double wait;          /* waiting for the other processes */
  double quartets;      /* number of shell quartets that this process computed */
};

struct fock_builder;

/** Creates a builder. Collective. `engine` and `basis` must outlive it. The densities of all builds
 * must have the distribution of `density_array`. */
struct fock_builder *fock_builder_create(const struct basis *basis, struct engine *engine,
                                         const struct fock_settings *settings, int density_array);

void fock_builder_free(struct fock_builder *builder);

/** Computes fock_array = G(density), Coulomb minus half of exchange. The density must be symmetric.
 * Collective. */
void fock_build(struct fock_builder *builder, int density_array, int fock_array,
                struct fock_cost *cost);
