/* More messages with credits in a row than the server takes in one pass: it must not end that pass
 * as if nothing had arrived, nor sleep before it has seen the others. */
#include "kit/native.h"

#include "execution/async_operations.h"
#include "execution/request_buffer.h"
#include "link/reply_tags.h"
#include "link/wire_format.h"
#include "server/server_loop.h"
#include "team/world.h"

#include <mpi.h>
#include <sched.h>

enum { MESSAGES = 3 * CWI_POSTED + 5, TAG = 7 };

static bool held;        /* the server begins no pass */
static bool brings;      /* the last poll found credits */
static int polls;        /* of this pass */
static long taken;       /* messages with credits */
static long full, ended; /* number of passes that took the largest number of messages, and of those
                            among them that returned false */

bool __real_cwi_async_progress(struct cwi_seen *seen);
bool __wrap_cwi_async_progress(struct cwi_seen *seen);
bool __real_cwi_server_loop_pass(void);
bool __wrap_cwi_server_loop_pass(void);

bool __wrap_cwi_async_progress(struct cwi_seen *seen)
{
  const bool busy = __real_cwi_async_progress(seen);
  polls++;
  brings = seen->here[CWI_RECEIVE_CREDIT];
  __atomic_fetch_add(&taken, brings, __ATOMIC_RELAXED);
  return busy;
}

bool __wrap_cwi_server_loop_pass(void)
{
  while (__atomic_load_n(&held, __ATOMIC_ACQUIRE))
    sched_yield();
  polls = 0;
  const bool busy = __real_cwi_server_loop_pass();
  const bool is_full = polls == CWI_POSTED && brings;
  __atomic_fetch_add(&full, is_full, __ATOMIC_RELAXED);
  __atomic_fetch_add(&ended, is_full && !busy, __ATOMIC_RELAXED);
  return busy;
}

static void hold(bool hold_it)
{
  __atomic_store_n(&held, hold_it, __ATOMIC_RELEASE);
}

/* The messages carry no data; MPI has received them when the last word is there. */
static void send_credits(void)
{
  struct cwi_credit nothing = {.version = CWI_WIRE_VERSION, .node = cwi_world.node};
  MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < MESSAGES; i++)
    MPI_Send(&nothing, sizeof nothing, MPI_BYTE, cwi_world.server_of[0], CWI_TAG_CREDIT,
             cwi_world.all_comm);
  MPI_Send(NULL, 0, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
}

static void take_credits(void)
{
  const long before = __atomic_load_n(&taken, __ATOMIC_RELAXED);
  hold(true);
  MPI_Send(NULL, 0, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
  MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  hold(false);
  while (__atomic_load_n(&taken, __ATOMIC_RELAXED) < before + MESSAGES)
    sched_yield();
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "credits in a row");
  kit_need_threads();
  kit_hang_guard();
  if (kit_me() == 0)
    take_credits();
  else
    send_credits();
  KIT_OK(cw_barrier(cw_team_world()));
  if (kit_me() == 0) {
    kit_check(full > 0, "no turn was full");
    kit_check_long(ended, 0, "full turns that found nothing");
  }
  return kit_finish_native();
}
