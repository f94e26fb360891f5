/* The restricted Hartree-Fock iteration. */
#pragma once

#include "basis.h"
#include "fock.h"
#include "molecule.h"

#include <stdbool.h>

struct scf_settings {
  struct fock_settings fock;
  double tolerance; /* of the energy, in hartree */
  int iterations_max;
  const char *load, *save; /* paths of checkpoint files; NULL for none */
  bool quiet;              /* print nothing */
};

/* Seconds that the slowest process spent in each part. */
struct scf_timing {
  double setup; /* one-electron integrals, bounds and the initial density */
  double integrals;
  double communication;
  double wait;
  double algebra; /* diagonalisation, DIIS, density */
  double total;
};

struct scf_result {
  double energy;         /* in hartree, including the repulsion of the nuclei */
  int iterations;        /* number of iterations of this run */
  int iterations_loaded; /* number of earlier iterations, from the checkpoint */
  double quartets; /* number of shell quartets that all processes computed in all iterations */
  struct scf_timing timing;
};

/** Runs the iteration; process 0 prints a line for each step. Collective. Returns false and sets
 * error_text on all processes if it cannot run or does not converge. */
bool scf_run(const struct molecule *molecule, const struct basis *basis,
             const struct scf_settings *settings, struct scf_result *result);
