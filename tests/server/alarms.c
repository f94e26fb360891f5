/* Sleeping on descriptors that tell of something else: one that is ready all the time must not keep
 * a waiter from sleeping, and one that tells now and then must go on being heard. */
#include "kit/kit.h"
#include "mpi/sleep.h"

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

static int calls;
static long after; /* nanoseconds until the descriptor tells */

int __wrap_ppoll(struct pollfd *descriptors, nfds_t count, const struct timespec *limit,
                 const sigset_t *signals);

int __wrap_ppoll(struct pollfd *descriptors, nfds_t count, const struct timespec *limit,
                 const sigset_t *signals)
{
  (void)limit;
  (void)signals;
  calls++;
  if (after > 0)
    nanosleep(&(struct timespec){.tv_nsec = after}, NULL);
  if (count > 0)
    descriptors[0].revents = POLLIN;
  return 1;
}

static int calls_of(int sleeps, long tells_after)
{
  struct cwi_sleep sleep = {0};
  calls = 0;
  after = tells_after;
  for (int i = 0; i < sleeps; i++)
    cwi_sleep(&sleep);
  return calls;
}

int main(int argc, char **argv)
{
  enum { SLEEPS = 40, FEW = 12 };
  kit_start(&argc, &argv, "alarms");
  const int descriptor = epoll_create1(0);
  cwi_sleep_start();
  kit_check(cwi_sleep_has_descriptors(), "there is an epoll descriptor that is not found");
  const int always = calls_of(SLEEPS, 0);
  kit_check(always > 0 && always <= FEW,
            "of %d sleeps %d looked at a descriptor that is always ready; a few should", SLEEPS,
            always);
  kit_check_long(calls_of(SLEEPS, 20000), SLEEPS,
                 "number of sleeps that heard a descriptor that tells now and then");
  close(descriptor);
  return kit_finish();
}
