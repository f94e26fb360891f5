/* cw_abort ends the job although another thread reads from a stream that stays silent. */
#include "kit/native.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void *read_for_ever(void *stream)
{
  char line[8];
  return fgets(line, sizeof line, stream);
}

int main(int argc, char **argv)
{
  const struct timespec nap = {.tv_nsec = 200000000};
  int ends[2];
  pthread_t thread;
  kit_start_native(&argc, &argv, "abort_reads");
  kit_hang_guard(30);
  FILE *stream = pipe(ends) == 0 ? fdopen(ends[0], "r") : NULL;
  if (stream == NULL || pthread_create(&thread, NULL, read_for_ever, stream) != 0)
    return 1;
  nanosleep(&nap, NULL); /* it holds the stream now */
  printf("what was printed before");
  cw_abort("the end of the job", 3);
}
