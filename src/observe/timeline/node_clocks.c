/* Clocks of nodes start with their machines and run at slightly different rates. Process 0 reads
 * each clock by messages, at the beginning and at the end of a run. Of several round trips, the
 * fastest one gives the most exact time of the reading (Cristian's algorithm). */
#include "timeline/node_clocks.h"

#include "summary/packed_summary.h"
#include "team/world.h"

enum { QUESTIONS = 16 };

static cw_error clock_query(int process, struct cwi_clock_sample *sample, MPI_Comm comm)
{
  sample->trip = UINT64_MAX;
  for (int i = 0; i < QUESTIONS; i++) {
    char question = 0;
    uint64_t there = 0;
    const uint64_t before = cwi_nanoseconds();
    CWI_TRY(cwi_bytes_send(&question, sizeof question, process, comm));
    CWI_TRY(cwi_bytes_receive(&there, sizeof there, process, comm));
    const uint64_t after = cwi_nanoseconds();
    if (after - before < sample->trip)
      *sample = (struct cwi_clock_sample){(int64_t)(there - (before + (after - before) / 2)), there,
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

/* The first process of each node answers. Nodes are numbered in the order of their first processes.
 */
cw_error cwi_clocks_sample(struct cwi_clock_sample *samples, MPI_Comm comm)
{
  const bool answers = cwi_world.node > 0 && cwi_world.process == cwi_world.first_process;
  if (cwi_world.process != 0)
    return answers ? clock_answer(comm) : CW_OK;
  for (int process = 1, node = 0; process < cwi_world.processes; process++)
    if (cwi_world.node_of[process] > node) {
      node = cwi_world.node_of[process];
      CWI_TRY(clock_query(process, &samples[node], comm));
    }
  return CW_OK;
}

/* Returns true if the sample does not distinguish the clock from that of process 0. */
static bool is_same(const struct cwi_clock_sample *sample)
{
  const uint64_t apart = (uint64_t)(sample->ahead < 0 ? -sample->ahead : sample->ahead);
  return apart <= (sample->trip + 1) / 2;
}

uint64_t cwi_clock_aligned(const struct cwi_clock_sample samples[2], uint64_t time)
{
  const uint64_t between = samples[1].at - samples[0].at;
  if (is_same(&samples[0]) && is_same(&samples[1]))
    return time;
  const double part = between > 0 ? (double)(int64_t)(time - samples[0].at) / (double)between : 0;
  const double drifted = part * (double)(samples[1].ahead - samples[0].ahead);
  return time - (uint64_t)(samples[0].ahead + (int64_t)drifted);
}
