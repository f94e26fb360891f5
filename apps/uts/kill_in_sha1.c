/* A library that is preloaded into apps/uts: process 1 kills itself when it has visited some nodes,
 * that is, in the middle of a task. */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>

enum { NODES = 1000 };

int SHA1_Init(void *context);

static int is_process_1(void)
{
  const char *rank = getenv("PMI_RANK");
  if (rank == NULL)
    rank = getenv("OMPI_COMM_WORLD_RANK");
  return rank != NULL && atoi(rank) == 1;
}

/* The library's function, found once. Only one thread of a process visits nodes. */
int SHA1_Init(void *context)
{
  static int (*begin)(void *);
  static int left = NODES;
  if (begin == NULL)
    *(void **)&begin = dlsym(RTLD_NEXT, "SHA1_Init");
  if (begin == NULL || (is_process_1() && --left == 0))
    raise(SIGKILL);
  return begin(context);
}
