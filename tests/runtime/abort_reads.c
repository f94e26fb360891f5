/* cw_abort ends the job while another thread reads from standard input, which stays empty. */
#include "kit/native.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void *read_for_ever(void *unused)
{
  char line[8];
  (void)unused;
  return fgets(line, sizeof line, stdin);
}

int main(int argc, char **argv)
{
  const struct timespec nap = {.tv_nsec = 200000000};
  int ends[2];
  pthread_t thread;
  kit_start_native(&argc, &argv, "abort_reads");
  kit_hang_guard();
  if (pipe(ends) != 0 || dup2(ends[0], STDIN_FILENO) < 0 ||
      pthread_create(&thread, NULL, read_for_ever, NULL) != 0)
    return 1;
  nanosleep(&nap, NULL); /* the other thread now holds the stream's lock */
  printf("what was printed before");
  cw_abort("the end of the job", 3);
}
