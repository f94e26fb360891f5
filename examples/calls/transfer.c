/* Calls of causeway/transfer.h: transfers of three shapes to the next process, started and waited
 * for in several ways. */
#include "expect.h"

enum { ROWS = 4, COLUMNS = 6 };

static int next;
static double (*remote)[COLUMNS]; /* the matrix of the next process */

/* Puts a 2 x 3 patch, and gets it again as a list of two rows. */
static void shapes(void)
{
  double patch[2][3] = {{1, 2, 3}, {4, 5, 6}}, again[2][3] = {{0}};
  const size_t count = 2;
  const ptrdiff_t local_stride = sizeof patch[0], remote_stride = sizeof remote[0];
  const cw_transfer put = cw_strided(CW_PUT, patch, &local_stride, &remote[1][2], &remote_stride,
                                     sizeof patch[0], &count, 1, next);
  CW_MUST(cw_transfer_run(&put));
  CW_MUST(cw_fence_all());

  void *const rows[] = {again[0], again[1]}, *const places[] = {&remote[1][2], &remote[2][2]};
  const cw_vector list = {rows, places, 2, sizeof patch[0]};
  const cw_transfer get = cw_vectors(CW_GET, &list, 1, next);
  CW_MUST(cw_transfer_run(&get));
  EXPECT(again[0][0] == 1 && again[1][2] == 6);
}

static void several_handles(void)
{
  double rows[2][COLUMNS];
  cw_handle handles[2] = {{0, 0}, {0, 0}};
  for (int i = 0; i < 2; i++) {
    const cw_transfer get = cw_contiguous(CW_GET, rows[i], remote[i], sizeof rows[i], next);
    CW_MUST(cw_transfer_start(&get, &handles[i]));
  }
  size_t which = 0;
  bool complete = false;
  CW_MUST(cw_handle_wait_any(handles, 2, &which));
  EXPECT(which < 2);
  CW_MUST(cw_handle_test_any(handles, 2, &which, &complete));
  CW_MUST(cw_handle_wait_all(handles, 2));
  EXPECT(rows[1][2] == 1);
}

/* Many short puts are sent together. */
static void aggregated(void)
{
  double values[COLUMNS] = {10, 11, 12, 13, 14, 15};
  cw_handle handle = {0, 0};
  CW_MUST(cw_handle_set_aggregate(&handle, true));
  for (int i = 0; i < COLUMNS; i++) {
    const cw_transfer put =
        cw_contiguous(CW_PUT, &values[i], &remote[3][i], sizeof values[i], next);
    CW_MUST(cw_transfer_start(&put, &handle));
  }
  CW_MUST(cw_wait(&handle));

  bool complete = false;
  const cw_transfer get = cw_contiguous(CW_GET, values, remote[3], sizeof values, next);
  CW_MUST(cw_transfer_start(&get, &handle));
  while (!complete)
    CW_MUST(cw_test(&handle, &complete));
  EXPECT(values[5] == 15);
}

/* Without a handle, an operation belongs to those that cw_wait_all completes. */
static void implicit(void)
{
  double value = 0, other = 0;
  const cw_transfer get = cw_contiguous(CW_GET, &value, &remote[1][2], sizeof value, next);
  const cw_transfer second = cw_contiguous(CW_GET, &other, &remote[1][3], sizeof other, next);
  CW_MUST(cw_transfer_start(&get, NULL));
  CW_MUST(cw_wait_process(next));
  CW_MUST(cw_transfer_start(&second, NULL));
  CW_MUST(cw_wait_all());
  EXPECT(value == 1 && other == 2);
}

int main(int argc, char **argv)
{
  start(&argc, &argv);
  void **address = calloc((size_t)cw_processes(), sizeof *address);
  cw_region region = NULL;
  CW_MUST(cw_region_create(cw_team_world(), sizeof(double[ROWS][COLUMNS]), &region, address));
  next = (cw_process() + 1) % cw_processes();
  remote = address[next];
  CW_MUST(cw_barrier(cw_team_world()));
  shapes();
  several_handles();
  aggregated();
  implicit();
  CW_MUST(cw_region_free(cw_team_world(), &region));
  free(address);
  return stop();
}
