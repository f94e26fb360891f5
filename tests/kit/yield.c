/* Preloaded into the tests of an MPI on UCX: a process that waits in MPI yields its core, as
 * Causeway's own waits do, and as Open MPI does if configured so. MPICH polls without a pause;
 * where more processes than cores wait for each other, each message would cost a time slice. */
#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

typedef unsigned progress_function(void *worker);
progress_function ucp_worker_progress;

enum { POLLS = 20 };

/* Python loads MPI with an extension module, whose libraries RTLD_NEXT does not search. */
static progress_function *ucx(void)
{
  static _Atomic(progress_function *) found;
  progress_function *progress = atomic_load(&found);
  if (progress == NULL) {
    *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    void *loaded = progress == NULL ? dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (loaded != NULL)
      *(void **)&progress = dlsym(loaded, "ucp_worker_progress");
    atomic_store(&found, progress);
  }
  return progress;
}

unsigned ucp_worker_progress(void *worker)
{
  static _Thread_local unsigned polls;
  const unsigned events = ucx()(worker);
  polls = events == 0 ? polls + 1 : 0;
  if (polls == POLLS) {
    polls = 0;
    sched_yield();
  }
  return events;
}
