/* scf: a restricted Hartree-Fock program on the C interface of Global Arrays. */
#include "basis.h"
#include "error.h"
#include "matrix.h"
#include "molecule.h"
#include "options.h"
#include "scf.h"

#include <ga.h>
#include <macdecls.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { EXIT_UNEXPECTED = 1, EXIT_ERROR = 2 };

static const double expectation_tolerance = 1e-7; /* in hartree */

/* Number of words of scratch memory that GA takes from MA for its own use. */
enum { SCRATCH_WORDS = 1 << 20 };

/* Returns the kind of the functions from d on as a word. */
static const char *basis_kind(const struct basis *basis)
{
  bool spherical = false, cartesian = false;
  for (int c = 0; c < basis->contraction_count; c++) {
    if (basis->contractions[c].momentum < 2)
      continue;
    if (basis->contractions[c].spherical)
      spherical = true;
    else
      cartesian = true;
  }
  if (spherical)
    return cartesian ? "spherical and Cartesian" : "spherical";
  return cartesian ? "Cartesian" : "s and p only";
}

static void header_print(const struct options *options, const struct molecule *molecule,
                         const struct basis *basis)
{
  printf("molecule    %s: %d atoms, %d electrons, charge %d\n", options->molecule,
         molecule->atom_count, molecule->electron_count, options->charge);
  printf("basis       %s: %d shells, %d functions (%s)\n", options->basis.name, basis->shell_count,
         basis->size, basis_kind(basis));
  printf("processes   %d\n\n", GA_Nnodes());
  printf("iteration               energy         change     gradient   seconds\n");
  fflush(stdout);
}

static void timing_print(const struct scf_result *result)
{
  const struct scf_timing *timing = &result->timing;
  printf("\nseconds of the slowest process\n");
  printf("  set-up                  %10.3f\n", timing->setup);
  printf("  integrals and Fock      %10.3f\n", timing->integrals);
  printf("  communication           %10.3f\n", timing->communication);
  printf("  wait for the others     %10.3f\n", timing->wait);
  printf("  diagonalisation, DIIS   %10.3f\n", timing->algebra);
  printf("  total                   %10.3f\n", timing->total);
  printf("shell quartets computed   %10.0f\n", result->quartets);
}

static int result_report(const struct options *options, const struct scf_result *result)
{
  double error = result->energy - options->energy_expected;
  bool right = !options->expected || fabs(error) <= expectation_tolerance;
  if (GA_Nodeid() != 0)
    return right ? EXIT_SUCCESS : EXIT_UNEXPECTED;
  if (!options->scf.quiet) {
    printf("\nconverged in %d iterations", result->iterations);
    if (result->iterations_loaded > 0)
      printf(", after %d of the checkpoint", result->iterations_loaded);
    printf("\n");
    timing_print(result);
    printf("\n");
  }
  printf("total energy %.10f hartree\n", result->energy);
  fflush(stdout);
  if (!right) {
    fprintf(stderr, "scf: the energy is not the expected %.10f: it is off by %.2e hartree\n",
            options->energy_expected, error);
  }
  return right ? EXIT_SUCCESS : EXIT_UNEXPECTED;
}

static int error_report(void)
{
  if (GA_Nodeid() == 0)
    fprintf(stderr, "scf: %s\n", error_text());
  return EXIT_ERROR;
}

static int run(const struct options *options)
{
  struct molecule molecule;
  struct basis basis;
  struct scf_result result;
  if (!molecule_read(&molecule, options->molecule, options->charge))
    return error_report();
  if (!basis_read(&basis, &options->basis, &molecule)) {
    molecule_free(&molecule);
    return error_report();
  }
  if (GA_Nodeid() == 0 && !options->scf.quiet)
    header_print(options, &molecule, &basis);
  bool done = scf_run(&molecule, &basis, &options->scf, &result);
  basis_free(&basis);
  molecule_free(&molecule);
  return done ? result_report(options, &result) : error_report();
}

int main(int argument_count, char **arguments)
{
  if (MPI_Init(&argument_count, &arguments) != MPI_SUCCESS)
    return EXIT_ERROR;
  GA_Initialize();
  int status = EXIT_SUCCESS;
  struct options options;
  matrix_use_one_thread();
  if (!MA_init(C_DBL, SCRATCH_WORDS, SCRATCH_WORDS)) {
    error_set("no memory for GA's scratch space");
    status = error_report();
  } else if (!options_parse(&options, arguments)) {
    status = error_report();
  } else if (options.help) {
    if (GA_Nodeid() == 0)
      fputs(options_help, stdout);
  } else {
    status = run(&options);
  }
  GA_Terminate();
  MPI_Finalize();
  return status;
}
