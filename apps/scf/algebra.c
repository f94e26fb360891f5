/* Computes the energy, the gradient and the next density of a Fock matrix. */
#include "algebra.h"

#include "error.h"

#include <math.h>
#include <stdlib.h>

double energy_compute(const struct matrix *density, const struct matrix *core,
                      const struct matrix *fock)
{
  return 0.5 * (matrix_dot(density, core) + matrix_dot(density, fock));
}

double gradient_compute(const struct matrix *orthogonaliser, const struct matrix *overlap,
                        const struct matrix *fock, const struct matrix *density,
                        struct matrix *gradient)
{
  int size = fock->rows;
  struct matrix half = matrix_create(size, size), full = matrix_create(size, size);
  matrix_multiply(1, 'N', fock, 'N', density, &half);
  matrix_multiply(1, 'N', &half, 'N', overlap, &full);
  for (int i = 0; i < size; i++) {
    for (int j = 0; j <= i; j++) {
      double value = full.values[i * size + j] - full.values[j * size + i];
      full.values[i * size + j] = value;
      full.values[j * size + i] = -value;
    }
  }
  matrix_congruence(orthogonaliser, &full, gradient);
  matrix_free(&half);
  matrix_free(&full);
  double largest = 0;
  for (size_t i = 0; i < matrix_size(gradient); i++) {
    largest = fmax(largest, fabs(gradient->values[i]));
  }
  return largest;
}

void density_update(const struct matrix *orthogonaliser, const struct matrix *fock,
                    const struct matrix *gradient, struct diis *diis, int pairs,
                    struct matrix *density)
{
  const struct matrix *x = orthogonaliser;
  struct matrix vectors = matrix_create(x->rows, x->rows);
  matrix_congruence(x, fock, &vectors);
  diis_extrapolate(diis, &vectors, gradient);
  double *energies = memory_allocate((size_t)x->rows, sizeof *energies);
  matrix_eigen(&vectors, energies);
  vectors.rows = pairs; /* the rows are eigenvectors; only the occupied ones are used */
  struct matrix orbitals = matrix_create(vectors.rows, x->columns);
  matrix_multiply(1, 'N', &vectors, 'N', x, &orbitals);
  matrix_multiply(2, 'T', &orbitals, 'N', &orbitals, density);
  matrix_free(&orbitals);
  matrix_free(&vectors);
  free(energies);
}
