/* Access to private memory of processes of my node. My own memory is copied directly. A peer's
 * memory is copied by the kernel (process_vm_readv) or, if the kernel forbids that, by the peer's
 * agent. */
#include "route/memory_handle/private_memory.h"

#include "base/log.h"
#include "base/settings.h"
#include "base/stop_hooks.h"
#include "machine/copy.h"
#include "memory/zone.h"
#include "mpi/mpi_progress.h"
#include "region/agent.h"
#include "region/peers.h"
#include "route/memory_handle/memory_handle_agent.h"
#include "team/world.h"
#include "wait/failures.h"

#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Latest errno with which the kernel denied access to a peer's memory; 0 if it never did. */
static int failed_copy;

/* Returns the pid of a process. For a peer, returns 0 with CW_ATTACH=never or if its pid is not
 * known here (other pid namespace). */
static pid_t pid_of(int process)
{
  if (process == cwi_world.process)
    return getpid();
  return cwi_settings.attach == CWI_ATTACH_NEVER ? 0 : (pid_t)cwi_peer_pid(cwi_node_index(process));
}

/* --- What the kernel allows ------------------------------------------------------------------- */

/* Returns 0 if the kernel lets me read memory of `pid`, else errno. The kernel checks the
 * permission before the address, so EFAULT shows that access is allowed. */
static int try_to_attach(pid_t pid)
{
  char got = 0;
  struct iovec mine = {&got, 1}, there = {cwi_zone.base, 1};
  if (pid == 0)
    return ESRCH;
  return process_vm_readv(pid, &mine, 1, &there, 1, 0) < 0 && errno != EFAULT ? errno : 0;
}

/* Returns 0 if peers may read my memory, else errno. Tests this process's access to them instead:
 * all processes of a node belong to one user and one job. */
static int find_obstacle(void)
{
  if (cwi_settings.attach == CWI_ATTACH_NEVER)
    return EACCES;
  int obstacle = prctl(PR_GET_DUMPABLE) == 1 ? try_to_attach(getpid()) : EPERM;
  for (int rank = 0; rank < cwi_world.node_ranks && obstacle == 0; rank++)
    obstacle = try_to_attach((pid_t)cwi_peer_pid(rank));
  return obstacle;
}

/* Logs the result once per node, since all its processes find the same. */
static void obstacle_log(int obstacle)
{
  static const uint64_t MESSAGE = 0x6d656d6f72793031; /* an arbitrary number */
  if (!cwi_zone_is_new(MESSAGE))
    return;
  if (obstacle == 0)
    cwi_log(CWI_LOG_INFO, "the kernel copies memory of handles (process_vm_readv)");
  else if (cwi_settings.attach == CWI_ATTACH_NEVER)
    cwi_log(CWI_LOG_INFO, "threads of the owners copy memory of handles (CW_ATTACH=never)");
  else
    cwi_log(CWI_LOG_WARNING,
            "threads of the owners copy memory of handles, which is slow: processes of node %d may "
            "not read each other's memory (%s)",
            cwi_world.node, cwi_system_error(obstacle));
}

/* True if this process has checked whether it needs an agent. */
static bool offered;

static void forget_offer(void)
{
  offered = false;
}

cw_error cwi_reach_offer(void)
{
  static struct cwi_stop_hook end = {.run = forget_offer};
  if (__atomic_load_n(&offered, __ATOMIC_ACQUIRE))
    return CW_OK;
  cw_error error = CW_OK;
  cwi_threads_lock();
  if (!offered) {
    const int obstacle = find_obstacle();
    obstacle_log(obstacle);
    error = obstacle != 0 ? cwi_memory_handle_agent_open() : CW_OK;
    __atomic_store_n(&offered, error == CW_OK, __ATOMIC_RELEASE);
    cwi_stop_hook_add(&end);
  }
  cwi_threads_unlock();
  return error;
}

/* --- Moving ----------------------------------------------------------------------------------- */

static void reach_copy(bool write, const struct iovec *mine, const struct iovec *there,
                       size_t count)
{
  for (size_t i = 0; i < count; i++)
    cwi_copy(write ? there[i].iov_base : mine[i].iov_base,
             write ? mine[i].iov_base : there[i].iov_base, mine[i].iov_len);
}

/* Advances a list by `bytes` bytes. Returns the number of pieces that are complete. */
static size_t reach_advance(struct iovec *pieces, size_t bytes)
{
  size_t done = 0;
  while (bytes > 0 && bytes >= pieces[done].iov_len)
    bytes -= pieces[done++].iov_len;
  if (bytes > 0) {
    pieces[done].iov_base = (char *)pieces[done].iov_base + bytes;
    pieces[done].iov_len -= bytes;
  }
  return done;
}

/* Moves all bytes by the kernel. Returns 0 or errno. One system call moves at most 2 GiB, and stops
 * at memory that it cannot access. */
static int reach_attach(pid_t pid, bool write, struct iovec *mine, struct iovec *there,
                        size_t count)
{
  while (count > 0) {
    const ssize_t moved = write ? process_vm_writev(pid, mine, count, there, count, 0)
                                : process_vm_readv(pid, mine, count, there, count, 0);
    if (moved <= 0)
      return moved < 0 ? errno : EFAULT;
    const size_t done = reach_advance(mine, (size_t)moved);
    reach_advance(there, (size_t)moved);
    mine += done;
    there += done;
    count -= done;
  }
  return 0;
}

cw_error cwi_reach_not_mapped(const struct cwi_memory_handle *memory)
{
  return cwi_misuse(
      "process %d has unmapped or protected some of the %zu bytes at %p that the handle "
      "names (or the local buffer is not mapped)",
      memory->owner, memory->bytes, (const void *)memory->address);
}

/* The process has died: its memory is gone, though its pid may still exist. Ends the job, unless it
 * survives failures. */
static cw_error owner_is_gone(int process, pid_t pid)
{
  if (!cwi_survives())
    cwi_abort_with(1, "process %d (pid %ld) has died; ending the job", process, (long)pid);
  return cwi_process_failed(process);
}

/* Moves the pieces by the owner's agent. No piece has moved yet: the kernel denies access to all or
 * none. */
static cw_error agent_request(const struct cwi_memory_handle *memory, bool write,
                              const struct iovec *mine, const struct iovec *there, size_t count,
                              int obstacle)
{
  struct cwi_agent_move move;
  bool ended = false;
  if (!cwi_agent_is_open(memory->owner, CWI_AGENT_MEMORY_HANDLE))
    return cwi_outside(
        "the kernel does not let this process reach memory of process %d (%s), which has started "
        "no thread to copy instead; CW_ATTACH=never works without the kernel",
        memory->owner, cwi_system_error(obstacle));
  cwi_agent_move_begin(&move, memory->owner, write, mine, there, count);
  return cwi_agent_move_on(&move, true, &ended) == CW_OK ? CW_OK : cwi_reach_not_mapped(memory);
}

bool cwi_private_memory_needs_agent(int owner)
{
  return (__atomic_load_n(&failed_copy, __ATOMIC_RELAXED) != 0 || pid_of(owner) == 0) &&
         cwi_agent_is_open(owner, CWI_AGENT_MEMORY_HANDLE);
}

cw_error cwi_reach(const struct cwi_memory_handle *memory, bool write, struct iovec *mine,
                   struct iovec *there, size_t count)
{
  if (memory->owner == cwi_world.process && !memory->careful) {
    reach_copy(write, mine, there, count);
    return CW_OK;
  }
  if (CWI_UNLIKELY(cwi_has_failed(memory->owner)))
    return cwi_process_failed(memory->owner);
  int obstacle = __atomic_load_n(&failed_copy, __ATOMIC_RELAXED);
  const pid_t pid = obstacle == 0 ? pid_of(memory->owner) : 0;
  if (pid != 0)
    obstacle = reach_attach(pid, write, mine, there, count);
  if (CWI_LIKELY(pid != 0 && obstacle == 0))
    return CW_OK;
  if (obstacle == EFAULT)
    return cwi_reach_not_mapped(memory);
  if (pid != 0 && obstacle == ESRCH)
    return owner_is_gone(memory->owner, pid);
  if (obstacle == EPERM || obstacle == EACCES || obstacle == ENOSYS)
    __atomic_store_n(&failed_copy, obstacle, __ATOMIC_RELAXED);
  return agent_request(memory, write, mine, there, count, obstacle != 0 ? obstacle : ESRCH);
}
