/* The restricted Hartree-Fock iteration. */
#ifndef SCF_SCF_H
#define SCF_SCF_H

#include "basis.h"
#include "fock.h"
#include "molecule.h"

#include <stdbool.h>

struct scf_settings {
  struct fock_settings fock;
  double tolerance; /* of the energy, hartree */
  int iterations_max;
  const char *load, *save; /* checkpoint files; NULL: none */
  bool quiet;              /* print nothing */
};

/* Seconds of the slowest process in each part. */
struct scf_timing {
  double setup; /* one-electron integrals, bounds, first density */
  double integrals;
  double communication;
  double wait;
  double algebra; /* diagonalisation, DIIS, density */
  double total;
};

struct scf_result {
  double energy;         /* hartree, with the repulsion of the nuclei */
  int iterations;        /* of this run */
  int iterations_loaded; /* those before it, by the checkpoint */
  double quartets;       /* of shells, computed by all processes in all iterations */
  struct scf_timing timing;
};

/** Runs the iteration; process 0 prints a line for each. Collective.
 *  False with error_text on all processes when it cannot run or does not converge. */
bool scf_run(const struct molecule *molecule, const struct basis *basis,
             const struct scf_settings *settings, struct scf_result *result);

#endif
