/* Allocation fails on one process while a team makes a chunk: all members get the error, and the
 * next attempt works. */
#include "kit/native.h"

#include "region/chunk.h"
#include "team/world.h"

#include <stdlib.h>

enum { BYTES = 100000, ALLOCATIONS = 4 };

static int failing_call; /* the call, counted from now on, that fails; 0 for none */

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_calloc(size_t count, size_t size)
{
  if (failing_call > 0 && --failing_call == 0)
    return NULL;
  return __real_calloc(count, size);
}

static void make(int starved, int allocation)
{
  struct cwi_chunk *chunk = NULL;
  void *slice = NULL;
  kit_about("allocation %d of process %d", allocation, starved);
  failing_call = kit_me() == starved ? allocation : 0;
  const cw_error error = cwi_chunk_create(cw_team_world(), BYTES, true, 1, &chunk, &slice);
  kit_check(failing_call == 0, "there was no such allocation");
  kit_check(error == (allocation > 0 ? CW_OUTSIDE : CW_OK), "error %d", (int)error);
  kit_check((chunk != NULL) == (error == CW_OK), "the chunk is %p", (void *)chunk);
  kit_check((slice != NULL) == (error == CW_OK), "the slice is %p", slice);
  if (chunk != NULL)
    KIT_OK(cwi_chunk_destroy(chunk));
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "starved");
  for (int process = 0; process < kit_processes(); process++)
    for (int allocation = 0; allocation <= ALLOCATIONS; allocation++)
      make(process, allocation);
  make(0, 0);
  return kit_finish_native();
}
