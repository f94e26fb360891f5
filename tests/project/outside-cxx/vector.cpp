// Every process adds to a vector at process 0. A call within CW_MAY_FAIL that throws has no later
// effect:
// the next failed call is reported when the program ends.
#include <causeway.h>

#include <cstdio>
#include <vector>

static cw_error throws()
{
  throw 1;
}

static void leave_a_failure_unread()
{
  try {
    if (CW_MAY_FAIL(throws()) == CW_OK)
      std::puts("not reached");
  } catch (int) {
  }
  if (CW_MAY_FAIL(cw_fence(-10)) == CW_OK || cw_fence(-11) == CW_OK)
    std::puts("wrong: a fence of no process");
}

int main(int argc, char **argv)
{
  int threads;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &threads);
  CW_MUST(cw_init(MPI_COMM_WORLD));
  const int processes = cw_processes();
  std::vector<void *> address(static_cast<size_t>(processes));
  const std::vector<double> ones(100, 1.0);
  const size_t bytes = ones.size() * sizeof(double);
  cw_region region = nullptr;
  CW_MUST(cw_region_create(cw_team_world(), bytes, &region, address.data()));
  double *mine = static_cast<double *>(address[static_cast<size_t>(cw_process())]);
  for (size_t i = 0; i < ones.size(); i++)
    mine[i] = 0;
  CW_MUST(cw_barrier(cw_team_world()));
  CW_MUST(cw_accumulate(CW_DOUBLE, nullptr, ones.data(), address[0], bytes, 0));
  CW_MUST(cw_barrier(cw_team_world()));
  if (cw_process() == 0)
    std::puts(mine[0] == processes && mine[99] == processes ? "right" : "wrong");
  CW_MUST(cw_region_free(cw_team_world(), &region));
  leave_a_failure_unread();
  CW_MUST(cw_finalize());
  return MPI_Finalize();
}
