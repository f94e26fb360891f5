/* Reports the owner of an address at which a load or store faulted, if the address names memory of
 * another node or of a device. The program then has used it as a pointer. The handler is installed
 * only if the zones of nodes are apart. After the report, the signal has the effect that it would
 * have without the handler. */
#include "region/fault.h"

#include "base/file_write.h"
#include "memory/zone.h"
#include "region/region.h"
#include "team/world.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static struct sigaction before;
static bool installed, watches;

/* Writes with a system call, because the thread that faulted may hold the lock of stderr. */
static void fault_report(const char *address)
{
  char text[400];
  struct cwi_zone_slice slice;
  int length = 0;
  if (cwi_zone_is_others(address) && cwi_find_owner(cwi_world.process, address, &slice))
    length = snprintf(text, sizeof text,
                      "causeway[%d]: the address %p lies in a slice of process %d, on node %d; "
                      "loads and stores reach only the memory of this process's node, %d: "
                      "cw_get and cw_put (ARMCI_Get, NGA_Get, ...) reach all\n",
                      cwi_world.process, (const void *)address, slice.owner,
                      cwi_world.node_of[slice.owner], cwi_world.node);
  else
    length =
        snprintf(text, sizeof text,
                 "causeway[%d]: the address %p is memory of %s, which no load or store of this "
                 "process reaches\n",
                 cwi_world.process, (const void *)address,
                 cwi_zone_is_others(address) ? "another node" : "a device");
  struct cwi_write_signals signals;
  cwi_write_signals_block(&signals);
  const ssize_t written = write(STDERR_FILENO, text, (size_t)length);
  (void)written;
  cwi_write_signals_restore(&signals);
}

/* If there was no handler before, restores the default; the access then faults again and ends the
 * process. */
static void on_fault(int number, siginfo_t *info, void *context)
{
  if (watches && info->si_code > 0 && !cwi_is_loadable(info->si_addr))
    fault_report(info->si_addr);
  if ((before.sa_flags & SA_SIGINFO) != 0)
    before.sa_sigaction(number, info, context);
  else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
    before.sa_handler(number);
  else
    sigaction(SIGSEGV, &before, NULL);
}

void cwi_faults_watch(void)
{
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  if (!installed)
    installed = sigaction(SIGSEGV, &action, &before) == 0;
  watches = true;
}

/* Removes the handler unless another one was installed later: that may pass signals on to ours. */
void cwi_faults_leave(void)
{
  struct sigaction now;
  if (installed && sigaction(SIGSEGV, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
      now.sa_sigaction == on_fault)
    installed = sigaction(SIGSEGV, &before, NULL) != 0;
  watches = false;
}
