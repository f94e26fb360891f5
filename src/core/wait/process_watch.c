/* A pidfd of each process, in an epoll descriptor. Unlike a PID, a pidfd becomes readable as soon
 * as the process has ended, even if its parent has not waited for it, and never names another
 * process.
 */
#include "wait/process_watch.h"

#include "wait/thread.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool watch_add(struct cwi_process_watch *watch, int file, int number)
{
  struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT, .data.u32 = (uint32_t)number};
  return file >= 0 && epoll_ctl(watch->events, EPOLL_CTL_ADD, file, &event) == 0;
}

bool cwi_process_watch_open(struct cwi_process_watch *watch)
{
  watch->events = epoll_create1(EPOLL_CLOEXEC);
  watch->end = eventfd(0, EFD_CLOEXEC);
  return watch_add(watch, watch->end, CWI_WATCH_STOPPED);
}

bool cwi_process_watch_reserve(struct cwi_process_watch *watch, int count)
{
  watch->files = malloc((size_t)count * sizeof *watch->files);
  if (watch->files == NULL)
    return false;
  watch->count = count;
  for (int i = 0; i < count; i++)
    watch->files[i] = -1;
  return true;
}

bool cwi_process_watch_add(struct cwi_process_watch *watch, int number, pid_t pid)
{
  watch->files[number] = (int)syscall(SYS_pidfd_open, pid, 0);
  return watch_add(watch, watch->files[number], number);
}

int cwi_process_watch_start(struct cwi_process_watch *watch, void *(*run)(void *argument))
{
  const int code = cwi_thread_start(&watch->thread, run, NULL);
  watch->runs = code == 0;
  return code;
}

int cwi_process_watch_next(const struct cwi_process_watch *watch, int milliseconds)
{
  struct epoll_event event;
  const int count = epoll_wait(watch->events, &event, 1, milliseconds);
  return count == 1 ? (int)event.data.u32 : CWI_WATCH_NOTHING;
}

static void close_file(int file)
{
  if (file >= 0)
    close(file);
}

void cwi_process_watch_stop(struct cwi_process_watch *watch)
{
  if (watch->runs && eventfd_write(watch->end, 1) == 0)
    pthread_join(watch->thread, NULL);
  for (int i = 0; i < watch->count; i++)
    close_file(watch->files[i]);
  free(watch->files);
  close_file(watch->events);
  close_file(watch->end);
  *watch = (struct cwi_process_watch)CWI_PROCESS_WATCH_CLOSED;
}
