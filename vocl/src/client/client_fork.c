/* Fork handlers. The child of a fork can use the library. In the child, the library's locks are
 * free, whatever other threads did during the fork. The child may use a vendor's objects if the
 * vendor permits that. */
#include "client/client_objects.h"

#include <pthread.h>

static const struct vocl_kind *const kinds[] = {
    &vocl_kind_device,  &vocl_kind_context, &vocl_kind_queue,  &vocl_kind_memory,
    &vocl_kind_sampler, &vocl_kind_program, &vocl_kind_kernel, &vocl_kind_event,
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void fork_begins(void)
{
  for (size_t i = 0; i < KINDS; i++)
    cwi_objects_stop(kinds[i]->objects);
}

/* Runs in parent and child. */
static void fork_is_done(void)
{
  for (size_t i = 0; i < KINDS; i++)
    cwi_objects_resume(kinds[i]->objects);
}

static void fork_prepare(void)
{
  pthread_atfork(fork_begins, fork_is_done, fork_is_done);
}

void vocl_kinds_prepare_fork(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, fork_prepare);
}
