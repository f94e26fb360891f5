/* Each call of causeway/collective.h once: the members of the world team exchange numbers. */
#include "expect.h"

static cw_team team;
static int me, size;

static void reduce(void)
{
  long sum = me + 1, root_sum = me + 1, before = 1, up_to = 1;
  CW_MUST(cw_allreduce(team, CW_LONG, CW_SUM, 1, &sum));
  EXPECT(sum == (long)size * (size + 1) / 2);
  CW_MUST(cw_reduce(team, 0, CW_LONG, CW_SUM, 1, &root_sum));
  EXPECT(me != 0 || root_sum == sum);
  CW_MUST(cw_scan(team, CW_LONG, CW_SUM, 1, &up_to)); /* 1 of each rank up to mine */
  EXPECT(up_to == me + 1);
  CW_MUST(cw_exclusive_scan(team, CW_LONG, CW_SUM, 1, &before)); /* rank 0 keeps its own */
  EXPECT(before == (me == 0 ? 1 : me));
}

static void gather(int *all, size_t *bytes)
{
  const int mine[2] = {me, me};
  CW_MUST(cw_allgather(team, &me, sizeof me, all));
  EXPECT(all[size - 1] == size - 1);
  CW_MUST(cw_gather(team, 0, &me, sizeof me, all));
  EXPECT(all[size - 1] == size - 1);

  /* Ranks above 0 contribute two numbers, rank 0 one. */
  for (int rank = 0; rank < size; rank++)
    bytes[rank] = (rank == 0 ? 1 : 2) * sizeof *mine;
  CW_MUST(cw_allgatherv(team, mine, bytes[me], all, bytes, NULL));
  EXPECT(all[0] == 0 && all[2 * size - 2] == size - 1);
  CW_MUST(cw_gatherv(team, 0, mine, bytes[me], all, bytes, NULL));
  EXPECT(me != 0 || all[2 * size - 2] == size - 1);
}

static void scatter(int *all, const size_t *bytes)
{
  int piece = -1, pieces[2] = {-1, -1};
  for (int i = 0; i < 2 * size; i++)
    all[i] = 10 * i;
  CW_MUST(cw_scatter(team, 0, all, sizeof piece, &piece));
  EXPECT(piece == 10 * me);
  CW_MUST(cw_scatterv(team, 0, all, bytes, NULL, pieces, bytes[me]));
  EXPECT(pieces[0] == (me == 0 ? 0 : 10 * (2 * me - 1)));
}

static void exchange(int *mine, int *all, size_t *bytes)
{
  for (int rank = 0; rank < size; rank++) {
    mine[rank] = 100 * me + rank;
    bytes[rank] = sizeof *mine;
  }
  CW_MUST(cw_alltoall(team, mine, sizeof *mine, all));
  EXPECT(all[size - 1] == 100 * (size - 1) + me);
  CW_MUST(cw_alltoallv(team, mine, bytes, NULL, all, bytes, NULL));
  EXPECT(all[0] == me);
}

/* All calls are under way at the same time, on one handle. */
static void nonblocking(const int *mine, int *all, int *pieces)
{
  cw_handle handle = {0, 0};
  int number = me == 0 ? 7 : 0, count = 1;
  CW_MUST(cw_ibroadcast(team, 0, &number, sizeof number, &handle));
  CW_MUST(cw_iallreduce(team, CW_INT, CW_SUM, 1, &count, &handle));
  CW_MUST(cw_iallgather(team, &me, sizeof me, all, &handle));
  CW_MUST(cw_ialltoall(team, mine, sizeof *mine, pieces, &handle));
  CW_MUST(cw_ibarrier(team, &handle));
  CW_MUST(cw_wait(&handle));
  EXPECT(number == 7 && count == size && all[size - 1] == size - 1 && pieces[0] == me);
}

int main(int argc, char **argv)
{
  start(&argc, &argv);
  team = cw_team_world();
  me = cw_team_rank(team);
  size = cw_team_size(team);
  int *mine = calloc((size_t)size, sizeof *mine), *pieces = calloc((size_t)size, sizeof *pieces);
  int *all = calloc(2 * (size_t)size, sizeof *all);
  size_t *bytes = calloc((size_t)size, sizeof *bytes);

  int number = me == 0 ? 42 : 0;
  CW_MUST(cw_broadcast(team, 0, &number, sizeof number));
  EXPECT(number == 42);
  reduce();
  gather(all, bytes);
  scatter(all, bytes);
  exchange(mine, all, bytes);
  nonblocking(mine, all, pieces);
  free(mine);
  free(pieces);
  free(all);
  free(bytes);
  return stop();
}
