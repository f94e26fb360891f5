/* Sleeping on descriptors with other events: a descriptor that is ready all the time must not keep
 * a waiter from sleeping, and events of one that is ready now and then must still be received. Each
 * of several sleepers is woken, though one event descriptor serves all. */
#include "kit/kit.h"
#include "mpi/mpi_sleep.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

static int calls;
static long after; /* nanoseconds until the descriptor is ready */

static bool listens; /* waits for the event descriptor alone, and for a long time: MPI's own may be
                        ready, which would keep a waiter from sleeping */
static int asleep, missed;

int __real_ppoll(struct pollfd *descriptors, nfds_t count, const struct timespec *limit,
                 const sigset_t *signals);
int __wrap_ppoll(struct pollfd *descriptors, nfds_t count, const struct timespec *limit,
                 const sigset_t *signals);

static int sleep_long(struct pollfd *descriptors, nfds_t count, const sigset_t *signals)
{
  static const struct timespec LONG = {.tv_sec = 20};
  for (nfds_t i = 0; i + 1 < count; i++)
    descriptors[i].revents = 0;
  __atomic_fetch_add(&asleep, 1, __ATOMIC_SEQ_CST);
  const int ready = __real_ppoll(&descriptors[count - 1], 1, &LONG, signals);
  __atomic_fetch_sub(&asleep, 1, __ATOMIC_SEQ_CST);
  if (ready == 0)
    __atomic_fetch_add(&missed, 1, __ATOMIC_RELAXED);
  return ready;
}

int __wrap_ppoll(struct pollfd *descriptors, nfds_t count, const struct timespec *limit,
                 const sigset_t *signals)
{
  (void)limit;
  if (listens)
    return sleep_long(descriptors, count, signals);
  calls++;
  if (after > 0)
    nanosleep(&(struct timespec){.tv_nsec = after}, NULL);
  if (count > 0)
    descriptors[0].revents = POLLIN;
  return 1;
}

static int calls_of(int sleeps, long answers_after)
{
  struct cwi_sleep sleep = {0};
  calls = 0;
  after = answers_after;
  for (int i = 0; i < sleeps; i++)
    cwi_sleep(&sleep);
  return calls;
}

/* --- Several sleepers ------------------------------------------------------------------------- */

enum { SLEEPERS = 3, ROUNDS = 100 };

static uint32_t rounds[SLEEPERS]; /* each sleeper waits until its number appears */
static int done;

static void *sleeper_run(void *number)
{
  const uint32_t *word = number;
  for (uint32_t round = 1; round <= ROUNDS; round++) {
    struct cwi_sleep sleep = {0};
    while (__atomic_load_n(word, __ATOMIC_SEQ_CST) != round)
      cwi_sleep_unless(&sleep, word, round);
    __atomic_fetch_add(&done, 1, __ATOMIC_SEQ_CST);
  }
  return NULL;
}

/* In each round all sleep, and are woken one after the other. */
static void check_bell(void)
{
  pthread_t threads[SLEEPERS];
  listens = true;
  for (int i = 0; i < SLEEPERS; i++)
    if (pthread_create(&threads[i], NULL, sleeper_run, &rounds[i]) != 0)
      abort();
  for (uint32_t round = 1; round <= ROUNDS && missed == 0; round++) {
    kit_await(&asleep, SLEEPERS);
    for (int i = 0; i < SLEEPERS; i++) {
      __atomic_store_n(&rounds[i], round, __ATOMIC_SEQ_CST);
      cwi_sleep_wake();
      kit_await(&done, SLEEPERS * (int)(round - 1) + i + 1);
    }
  }
  kit_check_long(missed, 0, "sleepers that were woken and slept on");
  for (int i = 0; i < SLEEPERS && missed == 0; i++)
    if (pthread_join(threads[i], NULL) != 0)
      abort();
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
  check_bell();
  close(descriptor);
  return kit_finish();
}
