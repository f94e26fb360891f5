/* Extrapolates the Fock matrix from those of earlier iterations. */
#include "diis.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

struct diis {
  int capacity, count;
  struct matrix *focks, *errors; /* sorted by age, oldest first */
};

struct diis *diis_create(int capacity)
{
  struct diis *diis = memory_allocate(1, sizeof *diis);
  diis->capacity = capacity;
  diis->focks = memory_allocate((size_t)capacity, sizeof *diis->focks);
  diis->errors = memory_allocate((size_t)capacity, sizeof *diis->errors);
  return diis;
}

static void oldest_drop(struct diis *diis)
{
  matrix_free(&diis->focks[0]);
  matrix_free(&diis->errors[0]);
  diis->count--;
  memmove(diis->focks, diis->focks + 1, (size_t)diis->count * sizeof *diis->focks);
  memmove(diis->errors, diis->errors + 1, (size_t)diis->count * sizeof *diis->errors);
}

void diis_free(struct diis *diis)
{
  if (!diis)
    return;
  while (diis->count)
    oldest_drop(diis);
  free(diis->focks);
  free(diis->errors);
  free(diis);
}

static struct matrix matrix_duplicate(const struct matrix *matrix)
{
  struct matrix copy = matrix_create(matrix->rows, matrix->columns);
  matrix_copy(matrix, &copy);
  return copy;
}

/* Computes the coefficients, whose sum is 1, with the least error. Returns false if the errors are
 * linearly dependent. */
static bool coefficients_solve(const struct diis *diis, double *coefficients)
{
  int size = diis->count + 1, last = diis->count;
  struct matrix system = matrix_create(size, size);
  /* Errors shrink by many powers of ten. Division by the newest one makes the system well
   * scaled. */
  double scale = matrix_dot(&diis->errors[last - 1], &diis->errors[last - 1]);
  if (scale == 0)
    scale = 1;
  for (int i = 0; i < last; i++) {
    for (int j = 0; j < last; j++) {
      system.values[i * size + j] = matrix_dot(&diis->errors[i], &diis->errors[j]) / scale;
    }
    system.values[i * size + last] = system.values[last * size + i] = -1;
    coefficients[i] = 0;
  }
  coefficients[last] = -1;
  bool solved = matrix_solve(&system, coefficients);
  matrix_free(&system);
  return solved;
}

void diis_extrapolate(struct diis *diis, struct matrix *fock, const struct matrix *error)
{
  if (diis->count == diis->capacity)
    oldest_drop(diis);
  diis->focks[diis->count] = matrix_duplicate(fock);
  diis->errors[diis->count] = matrix_duplicate(error);
  diis->count++;

  double *coefficients = memory_allocate((size_t)diis->capacity + 1, sizeof *coefficients);
  while (diis->count > 1 && !coefficients_solve(diis, coefficients))
    oldest_drop(diis);
  if (diis->count > 1) {
    memset(fock->values, 0, matrix_size(fock) * sizeof(double));
    for (int i = 0; i < diis->count; i++)
      matrix_add(coefficients[i], &diis->focks[i], fock);
  }
  free(coefficients);
}
