/* The probe at start-up, when one of its two processes has no memory or cannot make a window:
 * cw_init still succeeds, and transfers between the nodes are not treated as progressing by
 * themselves. Argument: "memory" or "window". */
#include "kit/native.h"

#include "route/rma/rma_probe.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { PROBES = 2 };

static bool no_memory, no_window;
static bool keep; /* windows that only this program can free, as one member has no handle */
static MPI_Win left[PROBES];
static int left_count;

void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
  return no_memory ? NULL : __real_aligned_alloc(alignment, bytes);
}

int MPI_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm,
                   MPI_Win *window)
{
  const int code = PMPI_Win_create(base, size, unit, info, comm, window);
  if (keep && left_count < PROBES)
    left[left_count++] = *window;
  return no_window ? MPI_ERR_OTHER : code;
}

int main(int argc, char **argv)
{
  int level = 0;
  struct cwi_probe probe = {.progresses = true};
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS)
    abort();
  kit_start(&argc, &argv, "probe");
  kit_hang_guard();
  keep = argc > 1 && strcmp(argv[1], "window") == 0;
  const bool mine = argc > 1 && kit_me() == kit_processes() - 1;
  no_memory = mine && strcmp(argv[1], "memory") == 0;
  no_window = mine && strcmp(argv[1], "window") == 0;
  kit_call_must("cw_init(MPI_COMM_WORLD)", cw_init(MPI_COMM_WORLD));
  kit_use_world(cw_team_comm(cw_team_world()));
  /* Probes once more, for its answer. */
  KIT_MUST(cwi_probe_progress(&probe));
  kit_check(!probe.progresses, "the probe says that MPI progresses without the target");
  for (int i = 0; i < left_count; i++)
    PMPI_Win_free(&left[i]);
  return kit_finish_native();
}
