/* Clocks of nodes begin when their machines do, and do not run at one rate. Process 0 asks each for
 * its time, at the beginning and at the end of a run; of several messages there and back the
 * fastest one tells most exactly when the time was read (Cristian's algorithm). */
#include "report/clocks.h"

#include "profile/counters.h"
#include "report/parcel.h"
#include "team/world.h"

enum { QUESTIONS = 16 };

static cw_error clock_ask(int process, struct cwi_clock_look *look, MPI_Comm comm)
{
  look->trip = UINT64_MAX;
  for (int i = 0; i < QUESTIONS; i++) {
    char question = 0;
    uint64_t there = 0;
    const uint64_t before = cwi_nanoseconds();
    CWI_TRY(cwi_bytes_send(&question, sizeof question, process, comm));
    CWI_TRY(cwi_bytes_receive(&there, sizeof there, process, comm));
    const uint64_t after = cwi_nanoseconds();
    if (after - before < look->trip)
      *look = (struct cwi_clock_look){(int64_t)(there - (before + (after - before) / 2)), there,
                                      after - before};
  }
  return CW_OK;
}

static cw_error clock_answer(MPI_Comm comm)
{
  for (int i = 0; i < QUESTIONS; i++) {
    char question = 0;
    CWI_TRY(cwi_bytes_receive(&question, sizeof question, 0, comm));
    const uint64_t here = cwi_nanoseconds();
    CWI_TRY(cwi_bytes_send(&here, sizeof here, 0, comm));
  }
  return CW_OK;
}

/* Nodes are numbered by their first processes. */
cw_error cwi_clocks_look(struct cwi_clock_look *looks, MPI_Comm comm)
{
  const bool answers = cwi_world.node > 0 && cwi_world.process == cwi_world.first_process;
  if (cwi_world.process != 0)
    return answers ? clock_answer(comm) : CW_OK;
  for (int process = 1, node = 0; process < cwi_world.processes; process++)
    if (cwi_world.node_of[process] > node) {
      node = cwi_world.node_of[process];
      CWI_TRY(clock_ask(process, &looks[node], comm));
    }
  return CW_OK;
}

static bool is_same(const struct cwi_clock_look *look)
{
  const uint64_t apart = (uint64_t)(look->ahead < 0 ? -look->ahead : look->ahead);
  return apart <= (look->trip + 1) / 2;
}

uint64_t cwi_clock_aligned(const struct cwi_clock_look looks[2], uint64_t time)
{
  const uint64_t between = looks[1].at - looks[0].at;
  if (is_same(&looks[0]) && is_same(&looks[1]))
    return time;
  const double part = between > 0 ? (double)(int64_t)(time - looks[0].at) / (double)between : 0;
  const double drifted = part * (double)(looks[1].ahead - looks[0].ahead);
  return time - (uint64_t)(looks[0].ahead + (int64_t)drifted);
}
