/* Producer and consumer with notified puts. Every process produces blocks for the next one and adds
 * up those of the one before. No process polls memory: a notification arrives with the data and
 * wakes the consumer, and a notification in return frees a slot of the producer. */
#include <causeway.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 4, WORDS = 256, BLOCKS = 200 };
enum {
  FULL,
  EMPTY,
  COUNTERS
}; /* FULL counts the blocks that have arrived; EMPTY, the slots that are free again */

static void wait_for(cw_notifications told, size_t number, int64_t least)
{
  cw_handle handle = {0, 0};
  CW_MUST(cw_notification_request(told, number, CW_AT_LEAST, least, &handle));
  CW_MUST(cw_wait(&handle));
}

int main(int argc, char **argv)
{
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  CW_MUST(cw_init(MPI_COMM_WORLD));
  const int me = cw_process(), all = cw_processes();
  const int next = (me + 1) % all, last = (me + all - 1) % all;

  cw_region region = NULL;
  cw_notifications told = NULL;
  void **slices = malloc((size_t)all * sizeof(void *));
  CW_MUST(cw_region_create(cw_team_world(), SLOTS * WORDS * sizeof(int64_t), &region, slices));
  CW_MUST(cw_notifications_create(cw_team_world(), COUNTERS, &told));
  int64_t(*mine)[WORDS] = slices[me], (*there)[WORDS] = slices[next];

  int64_t block[WORDS], sum = 0;
  for (int64_t number = 0; number < BLOCKS; number++) {
    for (int i = 0; i < WORDS; i++)
      block[i] = number + i;
    wait_for(told, EMPTY,
             number - SLOTS + 1); /* until the next process has read the old block in the slot */
    CW_MUST(cw_put_notify(block, there[number % SLOTS], sizeof block, next, told, FULL));

    wait_for(told, FULL, number + 1);
    for (int i = 0; i < WORDS; i++)
      sum += mine[number % SLOTS][i];
    CW_MUST(cw_put_notify(NULL, NULL, 0, last, told, EMPTY)); /* a notification without data */
  }

  const int64_t want =
      WORDS * (int64_t)BLOCKS * (BLOCKS - 1) / 2 + BLOCKS * (int64_t)WORDS * (WORDS - 1) / 2;
  if (me == 0)
    printf("%d blocks from process %d: the sum is %" PRId64 "\n", BLOCKS, last, sum);
  CW_MUST(cw_notifications_free(&told));
  CW_MUST(cw_region_free(cw_team_world(), &region));
  free(slices);
  CW_MUST(cw_finalize());
  MPI_Finalize();
  return sum == want ? 0 : 1;
}
