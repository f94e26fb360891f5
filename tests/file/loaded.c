/* A program that only transfers loads neither BLAS, LAPACK and ScaLAPACK nor HDF5. A product of
 * matrices then loads BLAS, and saving an array loads HDF5. It is linked with each library, shared
 * and static, and not with the libraries that tests share. */
#include <causeway.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EDGE = 4 };
static int failed;

static void check(int right, const char *what)
{
  if (right)
    return;
  failed = 1;
  fprintf(stderr, "loaded: process %d: %s\n", cw_process(), what);
}

/* Returns the number of mapped files whose path contains `word`. */
static int count_maps(const char *word)
{
  char line[4096];
  int count = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  if (maps == NULL)
    return -1;
  while (fgets(line, sizeof line, maps) != NULL)
    count += strstr(line, word) != NULL;
  fclose(maps);
  return count;
}

static void transfer(void)
{
  const int next = (cw_process() + 1) % cw_processes();
  cw_region region = NULL;
  void **at = calloc((size_t)cw_processes(), sizeof *at);
  long sent = 7 + cw_process();
  if (at == NULL)
    cw_abort("no memory", 1);
  CW_MUST(cw_region_create(cw_team_world(), sizeof sent, &region, at));
  CW_MUST(cw_put(&sent, at[next], sizeof sent, next));
  CW_MUST(cw_barrier(cw_team_world()));
  check(*(long *)at[cw_process()] == 7 + (cw_process() + cw_processes() - 1) % cw_processes(),
        "the put has not arrived");
  check(count_maps("libmpi") > 0 || count_maps("libpmpi") > 0, "MPI is not among the mapped files");
  check(count_maps("blas") == 0, "BLAS is loaded");
  check(count_maps("lapack") == 0, "LAPACK or ScaLAPACK is loaded");
  check(count_maps("hdf5") == 0, "HDF5 is loaded");
  CW_MUST(cw_barrier(cw_team_world()));
  CW_MUST(cw_region_free(cw_team_world(), &region));
  free(at);
}

static void multiply_and_save(void)
{
  static const int64_t edges[2] = {EDGE, EDGE};
  const cw_array_options options = {
      .name = "a", .type = CW_DOUBLE, .dimensions = 2, .extents = edges};
  const double one = 1;
  char path[64];
  int pid = (int)getpid();
  cw_array a = NULL, b = NULL;
  CW_MUST(cw_array_create(cw_team_world(), &options, &a));
  CW_MUST(cw_array_create(cw_team_world(), &options, &b));
  CW_MUST(cw_array_fill(a, NULL, NULL, &one));
  const cw_operand of_a = {.array = a}, of_b = {.array = b};
  CW_MUST(cw_array_multiply(CW_NOT_TRANSPOSED, CW_NOT_TRANSPOSED, NULL, &of_a, &of_a, NULL, &of_b));
  check(cw_process() != 0 || count_maps("blas") > 0, "a product has not loaded BLAS");
  check(count_maps("hdf5") == 0, "a product has loaded HDF5");
  MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
  snprintf(path, sizeof path, "/tmp/causeway-loaded-%d.h5", pid);
  CW_MUST(cw_arrays_save(path, 1, &b, NULL));
  CW_MUST(cw_array_load(path, "a", a));
  check(count_maps("hdf5") > 0, "a file has not loaded HDF5");
  if (cw_process() == 0)
    unlink(path);
  CW_MUST(cw_array_destroy(&b));
  CW_MUST(cw_array_destroy(&a));
}

int main(int argc, char **argv)
{
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  CW_MUST(cw_init(MPI_COMM_WORLD));
  transfer();
  multiply_and_save();
  CW_MUST(cw_finalize());
  MPI_Finalize();
  return failed;
}
