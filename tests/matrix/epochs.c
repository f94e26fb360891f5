/* Many AXPY epochs in a row, with members that are late at random. No epoch may receive a message
 * of another one, or leave one. Argument: number of epochs. */
#include "kit/native.h"

#include "team/team.h"

#include <stdlib.h>
#include <unistd.h>

enum { SIDE = 6 };

static cw_array make(const int *grid, const int64_t *block)
{
  const int64_t extents[2] = {SIDE, SIDE};
  cw_array_options options = {.type = CW_LONG, .dimensions = 2, .extents = extents};
  cw_array array = NULL;
  options.distribution =
      (cw_distribution){.layout = CW_CYCLIC, .grid = grid, .block = block, .column_major = true};
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  return array;
}

/* Every process adds an epoch's number to some elements. `sums` are the sums so far. */
static void add(cw_axpy axpy, long epoch, long sums[SIDE][SIDE])
{
  for (int process = 0; process < kit_processes(); process++)
    for (int n = kit_common(3); n > 0; n--) {
      const int i = kit_common(SIDE), j = kit_common(SIDE);
      long value = epoch;
      const cw_local_matrix one = {.data = &value, .height = 1, .width = 1};
      sums[i][j] += epoch;
      if (process == kit_me())
        KIT_OK(cw_axpy_add(axpy, NULL, &one, i, j));
    }
}

static void arrive_late(void)
{
  if (kit_own(50) == 0)
    usleep((useconds_t)kit_own(2000));
}

static void check_sums(cw_array array, long sums[SIDE][SIDE])
{
  long got[SIDE][SIDE];
  const int64_t lo[2] = {0, 0}, hi[2] = {SIDE - 1, SIDE - 1};
  KIT_OK(cw_array_sync(array));
  KIT_OK(cw_array_get(array, lo, hi, got, NULL));
  kit_check_bytes(got, sums, sizeof got, "the sums of all epochs");
  KIT_OK(cw_array_sync(array));
}

/* Counts messages of the epochs only, because other processes may already be in the next call. */
static void check_nothing_left(cw_array array)
{
  kit_barrier();
  KIT_OK(cw_array_sync(array));
  for (int slot = 0; slot < CWI_EPOCHS; slot++) {
    int left = 0;
    kit_check(MPI_Iprobe(MPI_ANY_SOURCE, CWI_TAG_EPOCHS + slot, cw_team_world()->internal, &left,
                         MPI_STATUS_IGNORE) == MPI_SUCCESS &&
                  !left,
              "a message of epoch %d is left over", slot);
  }
}

/* Several epochs at a time, which end in another order, and as many as are allowed. */
static void check_open_together(cw_array array)
{
  cw_axpy axpy[CWI_EPOCHS] = {NULL}, more = NULL;
  long sums[SIDE][SIDE] = {{0}}, value = 1, zero = 0;
  const cw_local_matrix one = {.data = &value, .height = 1, .width = 1};
  KIT_OK(cw_array_fill(array, NULL, NULL, &zero));
  for (int n = 0; n < CWI_EPOCHS; n++)
    KIT_MUST(cw_axpy_attach(array, CW_ROW_MAJOR, CW_LOCAL_TO_GLOBAL, n % 2, &axpy[n]));
  KIT_MISUSE("64 AXPY epochs",
             cw_axpy_attach(array, CW_ROW_MAJOR, CW_LOCAL_TO_GLOBAL, CW_CONSENSUS, &more));
  for (int n = 0; n < CWI_EPOCHS; n++) {
    KIT_OK(cw_axpy_add(axpy[n], NULL, &one, n % SIDE, n / SIDE % SIDE));
    sums[n % SIDE][n / SIDE % SIDE] += kit_processes();
  }
  for (int n = CWI_EPOCHS - 1; n >= 0; n--)
    KIT_OK(cw_axpy_detach(&axpy[n]));
  check_sums(array, sums);
}

/* Two epochs that the same members end one after the other, while one of them still adds to the
 * second: more messages than may be on their way, of blocks of one element. */
static void check_fine(cw_axpy_direction direction, cw_axpy_end end)
{
  enum { FINE = 12 };
  const int64_t extents[2] = {FINE, FINE}, block[2] = {1, 1};
  cw_array_options options = {.type = CW_LONG, .dimensions = 2, .extents = extents};
  cw_array array = NULL;
  cw_axpy first = NULL, second = NULL;
  long values[FINE][FINE], got[FINE][FINE];
  const long three = 3;
  options.distribution = (cw_distribution){.layout = CW_TILED, .block = block};
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  KIT_OK(cw_array_fill(array, NULL, NULL, &three));
  KIT_MUST(cw_axpy_attach(array, CW_ROW_MAJOR, direction, end, &first));
  KIT_MUST(cw_axpy_attach(array, CW_ROW_MAJOR, direction, end, &second));
  for (int i = 0; i < FINE * FINE; i++)
    values[i / FINE][i % FINE] = i;
  for (int i = 0; i < FINE * FINE && kit_me() == 0; i++) {
    const cw_local_matrix one = {.data = &values[i / FINE][i % FINE], .height = 1, .width = 1};
    KIT_OK(cw_axpy_add(second, NULL, &one, i / FINE, i % FINE));
  }
  KIT_OK(cw_axpy_detach(&first));
  KIT_OK(cw_axpy_detach(&second));
  KIT_OK(cw_array_sync(array));
  const int64_t lo[2] = {0, 0}, hi[2] = {FINE - 1, FINE - 1};
  KIT_OK(cw_array_get(array, lo, hi, got, NULL));
  const bool to_global = direction == CW_LOCAL_TO_GLOBAL;
  for (int i = 0; i < FINE * FINE; i++) {
    kit_check_long(got[i / FINE][i % FINE], to_global ? i + 3 : 3, "an element of fine tiles");
    kit_check_long(values[i / FINE][i % FINE], to_global || kit_me() != 0 ? i : i + 3,
                   "an element of the local matrix");
  }
  KIT_OK(cw_array_sync(array));
  KIT_OK(cw_array_destroy(&array));
}

/* A collective call that was started before an epoch ends, and that not all members have entered.
 */
static void check_started(cw_array array, cw_axpy_end end)
{
  cw_axpy axpy = NULL;
  cw_handle handle = {0};
  double number = 1;
  KIT_MUST(cw_axpy_attach(array, CW_ROW_MAJOR, CW_LOCAL_TO_GLOBAL, end, &axpy));
  if (kit_me() == 1)
    usleep(100000);
  KIT_OK(cw_iallreduce(cw_team_world(), CW_DOUBLE, CW_SUM, 1, &number, &handle));
  for (int i = 0; i < 100 && kit_me() == 1; i++) {
    bool done = false;
    KIT_OK(cw_test(&handle, &done));
  }
  KIT_OK(cw_axpy_detach(&axpy));
  KIT_OK(cw_wait(&handle));
  kit_check(number == kit_processes(), "a sum beside an epoch is %g", number);
}

/* Each piece with elements is added by one of these calls. */
static int messages;

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
  messages += count > 32;
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Issend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request *request)
{
  messages += count > 32;
  return PMPI_Issend(buffer, count, type, to, tag, comm, request);
}

/* A local matrix with many pieces at each owner is sent to each in one message, and requested by
 * one. */
static void check_one_message(cw_layout layout, int64_t width)
{
  enum { EDGE = 64 };
  const int64_t extents[2] = {EDGE, EDGE}, block[2] = {width, width};
  const int grid[2] = {1, kit_processes()};
  cw_array_options options = {.type = CW_LONG, .dimensions = 2, .extents = extents};
  cw_array array = NULL;
  long values[EDGE - 2][EDGE - 2] = {{0}};
  const long seven = 7;
  const cw_local_matrix inner = {.data = values, .height = EDGE - 2, .width = EDGE - 2};
  options.distribution = (cw_distribution){
      .layout = layout, .grid = layout == CW_ROUND_ROBIN ? NULL : grid, .block = block};
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  KIT_OK(cw_array_fill(array, NULL, NULL, &seven));
  for (int choice = 0; choice < 4; choice++) {
    cw_axpy axpy = NULL;
    KIT_MUST(cw_axpy_attach(array, CW_COLUMN_MAJOR, (cw_axpy_direction)(choice / 2),
                            (cw_axpy_end)(choice % 2), &axpy));
    messages = 0;
    if (kit_me() == 0)
      KIT_OK(cw_axpy_add(axpy, NULL, &inner, 1, 1));
    if (kit_me() == 0)
      kit_check_long(messages, kit_processes() - 1, "messages for one local matrix");
    KIT_OK(cw_axpy_detach(&axpy));
  }
  long sum = 0;
  for (int i = 0; i < EDGE - 2; i++)
    for (int j = 0; j < EDGE - 2; j++)
      sum += values[i][j];
  kit_check_long(sum, kit_me() == 0 ? 14L * (EDGE - 2) * (EDGE - 2) : 0, "the sum of what came");
  KIT_OK(cw_array_destroy(&array));
}

/* The data exceeds the size of one message, and that of all messages in flight. */
static void check_large(void)
{
  const int64_t extents[2] = {1100, 5000}; /* 44 MB */
  const cw_array_options options = {.type = CW_DOUBLE, .dimensions = 2, .extents = extents};
  cw_array array = NULL;
  cw_axpy axpy = NULL;
  const double zero = 0;
  double *all = kit_alloc((size_t)(extents[0] * extents[1]), sizeof *all);
  for (int64_t n = 0; n < extents[0] * extents[1]; n++)
    all[n] = (double)(n % 1001);
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  KIT_OK(cw_array_fill(array, NULL, NULL, &zero));
  const cw_local_matrix whole = {.data = all, .height = extents[0], .width = extents[1]};
  KIT_MUST(cw_axpy_attach(array, CW_ROW_MAJOR, CW_LOCAL_TO_GLOBAL, CW_CONSENSUS, &axpy));
  KIT_OK(cw_axpy_add(axpy, NULL, &whole, 0, 0));
  KIT_OK(cw_axpy_detach(&axpy));
  KIT_OK(cw_array_sync(array));
  KIT_MUST(cw_axpy_attach(array, CW_ROW_MAJOR, CW_GLOBAL_TO_LOCAL, CW_END_OF_MESSAGES, &axpy));
  KIT_OK(cw_axpy_add(axpy, NULL, &whole, 0, 0));
  KIT_OK(cw_axpy_detach(&axpy));
  long wrong = 0;
  for (int64_t n = 0; n < extents[0] * extents[1]; n++)
    wrong += all[n] != (double)((kit_processes() + 1) * (n % 1001));
  kit_check_long(wrong, 0, "elements of a large matrix that are wrong");
  KIT_OK(cw_array_destroy(&array));
  free(all);
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "matrix_epochs");
  const long epochs = kit_rounds(argc > 1 ? argv[1] : NULL, 10000);
  const int grid[2] = {1, kit_processes()};
  const int64_t block[2] = {1, 1};
  long sums[SIDE][SIDE] = {{0}}, zero = 0;
  cw_array array = make(grid, block);
  KIT_OK(cw_array_fill(array, NULL, NULL, &zero));
  for (long epoch = 1; epoch <= epochs; epoch++) {
    cw_axpy axpy = NULL;
    KIT_MUST(cw_axpy_attach(array, CW_ROW_MAJOR, CW_LOCAL_TO_GLOBAL,
                            epoch % 3 == 0 ? CW_END_OF_MESSAGES : CW_CONSENSUS, &axpy));
    arrive_late();
    add(axpy, epoch, sums);
    arrive_late();
    KIT_OK(cw_axpy_detach(&axpy));
  }
  check_sums(array, sums);
  check_open_together(array);
  for (int end = 0; end < 2; end++) {
    check_fine(CW_LOCAL_TO_GLOBAL, (cw_axpy_end)end);
    check_fine(CW_GLOBAL_TO_LOCAL, (cw_axpy_end)end);
    check_started(array, (cw_axpy_end)end);
  }
  check_one_message(CW_CYCLIC, 1);
  check_one_message(CW_CYCLIC, 5);
  check_one_message(CW_TILED, 3);
  check_one_message(CW_ROUND_ROBIN, 3);
  check_one_message(CW_BLOCKS, 1);
  check_large();
  check_nothing_left(array);
  KIT_OK(cw_array_destroy(&array));
  return kit_finish_native();
}
