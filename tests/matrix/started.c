/* Many gets of local matrices in flight at a time: the pieces of each still go to a node in one
 * message, however many replies are outstanding. */
#include "kit/native.h"

#include <stdlib.h>

/* Requests of this process, and its server's answers to another process: each local matrix causes
 * one request and one answer. With one message for each piece there were 6 to 30. */
enum { EDGE = 60, BLOCK = 5, SIDE = 22, GETS = 60, MOST = 4 };

static int sent; /* messages of this process, including those of its server */

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
  sent++;
  return PMPI_Send(buffer, count, type, to, tag, comm);
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
  sent++;
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

static cw_array make(void)
{
  const int64_t extents[2] = {EDGE, EDGE}, block[2] = {BLOCK, BLOCK};
  const int grid[2] = {1, kit_processes()};
  const cw_array_options options = {
      .type = CW_LONG,
      .dimensions = 2,
      .extents = extents,
      .distribution = {.layout = CW_CYCLIC, .grid = grid, .block = block}};
  const long seven = 7;
  cw_array array = NULL;
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  KIT_OK(cw_array_fill(array, NULL, NULL, &seven));
  return array;
}

int main(int argc, char **argv)
{
  static long got[GETS][SIDE][SIDE];
  cw_matrix matrix = NULL;
  long sum = 0;
  kit_start_native(&argc, &argv, "matrix_started");
  cw_array array = make();
  KIT_MUST(cw_matrix_attach(array, CW_ROW_MAJOR, &matrix));
  sent = 0;
  for (int n = 0; n < GETS; n++) {
    const cw_local_matrix local = {.data = got[n], .height = SIDE, .width = SIDE};
    KIT_OK(cw_matrix_iget(matrix, &local, 1 + n % 30, 2 + n % 29));
  }
  KIT_OK(cw_matrix_flush_local(matrix, NULL));
  kit_check(sent <= MOST * GETS, "%d messages for %d local matrices", sent, GETS);
  for (int n = 0; n < GETS * SIDE * SIDE; n++)
    sum += got[n / (SIDE * SIDE)][n / SIDE % SIDE][n % SIDE];
  kit_check_long(sum, 7L * GETS * SIDE * SIDE, "the sum of what came");
  KIT_OK(cw_matrix_detach(&matrix));
  KIT_OK(cw_array_destroy(&array));
  return kit_finish_native();
}
