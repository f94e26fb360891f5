/* Sleeps on descriptors and bells at once. A watcher thread waits until any descriptor is ready,
 * rings the bell, and continues when the proxy's main thread has handled all ready descriptors. */
#include "relay/watch.h"

#include "wait/thread.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { NEWS_AT_ONCE = 32, NO_WAITV_SLEEP = 200000 };

static struct {
  pthread_t watcher;
  int set, end; /* epoll descriptor; event descriptor that ends the watcher */
  sem_t checked;
  struct cwi_signal bell;
  uint32_t sent; /* the watcher has seen ready descriptors, and waits */
  struct epoll_event news[NEWS_AT_ONCE];
  int count, next;
} watch;

static void *watcher_run(void *unused)
{
  struct pollfd both[] = {{.fd = watch.set, .events = POLLIN}, {.fd = watch.end, .events = POLLIN}};
  for (;;) {
    if (poll(both, 2, -1) < 0 && errno != EINTR)
      return unused;
    if (both[1].revents != 0)
      return unused;
    if (both[0].revents == 0)
      continue;
    __atomic_store_n(&watch.sent, 1, __ATOMIC_RELEASE);
    vocl_watch_wake();
    while (sem_wait(&watch.checked) != 0) {
    }
  }
}

bool vocl_watch_start(void)
{
  watch.set = epoll_create1(EPOLL_CLOEXEC);
  watch.end = eventfd(0, EFD_CLOEXEC);
  return watch.set >= 0 && watch.end >= 0 && sem_init(&watch.checked, 0, 0) == 0 &&
         cwi_thread_start(&watch.watcher, watcher_run, NULL) == 0;
}

void vocl_watch_stop(void)
{
  const uint64_t one = 1;
  const ssize_t written = write(watch.end, &one, sizeof one);
  sem_post(&watch.checked);
  if (written == (ssize_t)sizeof one)
    pthread_join(watch.watcher, NULL);
  close(watch.set);
  close(watch.end);
}

bool vocl_watch_add(int descriptor, void *owner)
{
  struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data = {.ptr = owner}};
  return epoll_ctl(watch.set, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void vocl_watch_remove(int descriptor)
{
  epoll_ctl(watch.set, EPOLL_CTL_DEL, descriptor, NULL);
}

bool vocl_watch_next(void **owner)
{
  if (watch.next == watch.count) {
    watch.next = 0;
    watch.count = 0;
    if (__atomic_load_n(&watch.sent, __ATOMIC_ACQUIRE) == 0)
      return false;
    watch.count = epoll_wait(watch.set, watch.news, NEWS_AT_ONCE, 0);
  }
  if (watch.count <= 0) {
    watch.count = 0;
    __atomic_store_n(&watch.sent, 0, __ATOMIC_RELAXED);
    sem_post(&watch.checked);
    return false;
  }
  *owner = watch.news[watch.next++].data.ptr;
  return true;
}

void vocl_watch_wake(void)
{
  cwi_signal_advance(&watch.bell);
}

uint32_t vocl_watch_value(void)
{
  return cwi_signal_value(&watch.bell);
}

/* Sleeps until one of the words changes. Linux before 5.16 cannot sleep on several words; then
 * only the proxy's own bell wakes it, and the sleep is short. */
static void sleep_on_all(struct futex_waitv *words, size_t count, long nanoseconds)
{
  static bool cannot;
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += nanoseconds;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  if (!cannot)
    cannot =
        syscall(SYS_futex_waitv, words, count, 0, &until, CLOCK_MONOTONIC) < 0 && errno == ENOSYS;
  if (cannot)
    cwi_word_nap(&watch.bell.value, (uint32_t)words[0].val,
                 nanoseconds < NO_WAITV_SLEEP ? nanoseconds : NO_WAITV_SLEEP);
}

/* Counts itself as a sleeper of each bell before it sleeps, like cwi_signal_nap: a thread that
 * rings a bell advances the value first, and then checks for sleepers. */
void vocl_watch_sleep(uint32_t value, const struct vocl_watch_bell *bells, size_t count,
                      long nanoseconds)
{
  struct futex_waitv words[VOCL_WATCH_BELLS + 1];
  words[0] =
      (struct futex_waitv){.val = value, .uaddr = (uintptr_t)&watch.bell.value, .flags = FUTEX_32};
  __atomic_fetch_add(&watch.bell.sleepers, 1, __ATOMIC_SEQ_CST);
  for (size_t i = 0; i < count; i++) {
    words[i + 1] = (struct futex_waitv){
        .val = bells[i].value, .uaddr = (uintptr_t)&bells[i].signal->value, .flags = FUTEX_32};
    __atomic_fetch_add(&bells[i].signal->sleepers, 1, __ATOMIC_SEQ_CST);
  }
  sleep_on_all(words, count + 1, nanoseconds);
  for (size_t i = 0; i < count; i++)
    __atomic_fetch_sub(&bells[i].signal->sleepers, 1, __ATOMIC_RELAXED);
  __atomic_fetch_sub(&watch.bell.sleepers, 1, __ATOMIC_RELAXED);
}
