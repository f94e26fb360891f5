/* Pieces of one call that go to one node leave in one message. Runs on two nodes of two processes,
 * with servers. Process 0 acts on the parts of both processes of the other node. */
#include "kit/native.h"

#include "execution/request_buffer.h"

#include <causeway/array.h>
#include <causeway/collective.h>

enum { ROWS = 8, COLUMNS = 64, TIMES = 20, LIST = 16 };

static cw_array array;
static int64_t lo[2], hi[2]; /* a patch of the parts of the last two processes */
static double buffer[ROWS * COLUMNS];

static void get(void)
{
  KIT_OK(cw_array_get(array, lo, hi, buffer, NULL));
}

static void put(void)
{
  KIT_OK(cw_array_put(array, lo, hi, buffer, NULL));
}

static void put_with_handle(void)
{
  cw_handle handle = {0};
  const cw_patch patch = {.operation = CW_PUT, .lo = lo, .hi = hi, .buffer = buffer};
  KIT_OK(cw_array_start(array, &patch, &handle));
  KIT_OK(cw_wait(&handle));
}

static void get_some(void)
{
  const int64_t skip[] = {2, 3};
  const cw_patch patch = {.operation = CW_GET, .lo = lo, .hi = hi, .skip = skip, .buffer = buffer};
  KIT_OK(cw_array_transfer(array, &patch));
}

static void add_around(void)
{
  const int64_t beyond[] = {hi[0] + 2 * ROWS, hi[1]}, from[] = {lo[0] + 2 * ROWS, lo[1]};
  const cw_patch patch = {
      .operation = CW_ACCUMULATE, .lo = from, .hi = beyond, .periodic = true, .buffer = buffer};
  KIT_OK(cw_array_transfer(array, &patch));
}

static void gather(void)
{
  int64_t indices[LIST][2];
  for (int i = 0; i < LIST; i++) {
    indices[i][0] = lo[0] + i % 3;
    indices[i][1] = i % 2 == 0 ? lo[1] + i : hi[1] - i;
  }
  KIT_OK(cw_array_gather(array, LIST, &indices[0][0], buffer));
}

/* Returns the number of messages that all servers have received. */
static int64_t messages(void)
{
  KIT_MUST(cw_barrier(cw_team_world()));
  long count = (long)cwi_served().messages;
  KIT_MUST(cw_allreduce(cw_team_world(), CW_LONG, CW_SUM, 1, &count));
  return count;
}

/* Returns the number of messages of TIMES calls, without those of the counting itself. */
static int64_t count(void (*call)(void))
{
  const int64_t begin = messages();
  const int64_t idle = messages() - begin;
  for (int i = 0; i < TIMES && cw_process() == 0 && call != NULL; i++)
    call();
  return messages() - begin - 2 * idle;
}

/* A call that gets waits for an answer each time; others may share messages with the next call. */
static void check(const char *name, void (*call)(void), bool gets)
{
  const int64_t received = count(call);
  kit_about("%s", name);
  kit_check(received >= TIMES || !gets, "%d calls need %ld messages", TIMES, (long)received);
  kit_check(received < 3 * TIMES / 2, "%d calls for one node need %ld messages", TIMES,
            (long)received);
}

int main(int argc, char **argv)
{
  const int64_t extents[] = {2 * ROWS, 4 * COLUMNS};
  const int grid[] = {1, 4};
  const cw_array_options options = {
      .type = CW_DOUBLE, .dimensions = 2, .extents = extents, .distribution = {.grid = grid}};
  kit_start_native(&argc, &argv, "together");
  KIT_MUST(cw_array_create(cw_team_world(), &options, &array));
  lo[0] = 3;
  hi[0] = lo[0] + ROWS - 1;
  lo[1] = 3 * COLUMNS - COLUMNS / 2;
  hi[1] = lo[1] + COLUMNS - 1;
  check("a get", get, true);
  check("a put", put, false);
  check("a put with a handle", put_with_handle, false);
  check("a get with gaps", get_some, true);
  check("a periodic accumulate", add_around, false);
  check("a list", gather, true);
  KIT_MUST(cw_array_destroy(&array));
  return kit_finish_native();
}
