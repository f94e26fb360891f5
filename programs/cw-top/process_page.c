/* Finds and reads the status page of a process, a file that the process has open. The process may
 * end, or write anything, at any time. Files are therefore read, not mapped, and everything that
 * was read is checked. */
#include "cw-top.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char status_name[] = "/memfd:" CWI_STATUS_FILE " (deleted)";
static const char memory_name[] = "/memfd:causeway (deleted)"; /* the memory file of a node */

void top_clean(char *text, size_t size)
{
  text[size - 1] = '\0';
  for (char *at = text; *at != '\0'; at++)
    if (*at < ' ' || *at > '~')
      *at = '?';
}

int top_open(int pid, int file)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, file);
  return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

static bool is_called(int pid, int file, const char *name)
{
  char path[64], target[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, file);
  const ssize_t length = readlink(path, target, sizeof target - 1);
  if (length < 0)
    return false;
  target[length] = '\0';
  return strcmp(target, name) == 0;
}

/* --- The status page -------------------------------------------------------------------------- */

static bool read_once(int file, struct cwi_status *status_page)
{
  memset(status_page, 0, sizeof *status_page);
  return pread(file, status_page, sizeof *status_page, 0) >=
         (ssize_t)offsetof(struct cwi_status, job);
}

/* Discards waits that were being written while they were read: their version is odd, or differs
 * between the two reads. The next sample will have them. Cleans the texts of the others. */
static void keep_whole(struct cwi_status *status_page, const struct cwi_status *again)
{
  for (int i = 0; i < CWI_STATUS_WAITS; i++) {
    struct cwi_status_wait *wait = &status_page->waits[i];
    if (wait->version % 2 != 0 || wait->version != again->waits[i].version)
      wait->thread = 0;
    top_clean(wait->call, sizeof wait->call);
    top_clean(wait->whom, sizeof wait->whom);
  }
}

/* Returns true if no wait was being written during the two reads. */
static bool is_whole(const struct cwi_status *status_page, const struct cwi_status *again)
{
  int i = 0;
  while (i < CWI_STATUS_WAITS && status_page->waits[i].version % 2 == 0 &&
         status_page->waits[i].version == again->waits[i].version)
    i++;
  return i == CWI_STATUS_WAITS;
}

/* Returns true if the numbers of processes and nodes are consistent. */
static bool is_sound(const struct cwi_status *status_page)
{
  return status_page->processes > 0 && status_page->nodes > 0 &&
         status_page->nodes <= status_page->processes && status_page->process >= -1 &&
         status_page->process < status_page->processes && status_page->node >= 0 &&
         status_page->node < status_page->nodes;
}

/* Reads the page twice until both reads have the same waits, none of which is being written. After
 * TRIES attempts keep_whole discards the waits that differ. */
static enum top_sight read_status_page(int pid, int file, struct cwi_status *status_page)
{
  enum { TRIES = 20 };
  struct cwi_status again;
  bool whole = false;
  for (int i = 0; i < TRIES && !whole; i++) {
    if (!read_once(file, status_page) || !read_once(file, &again) ||
        status_page->magic != CWI_STATUS_MAGIC)
      return TOP_NOTHING;
    whole = is_whole(status_page, &again);
  }
  if (status_page->version != CWI_STATUS_VERSION || status_page->bytes != sizeof *status_page)
    return TOP_OTHER_VERSION;
  /* A child process that the program has forked has the same open files. */
  if (!is_sound(status_page) || status_page->pid != top_kernel_own_pid(pid))
    return TOP_NOTHING;
  top_clean(status_page->job_machine, sizeof status_page->job_machine);
  keep_whole(status_page, &again);
  return TOP_SHOWN;
}

static enum top_sight try_file(int pid, int file, struct cwi_status *status_page)
{
  const int opened = is_called(pid, file, status_name) ? top_open(pid, file) : -1;
  if (opened < 0)
    return TOP_NOTHING;
  const enum top_sight sight = read_status_page(pid, opened, status_page);
  close(opened);
  return sight;
}

/* --- Finding the page ------------------------------------------------------------------------- */

static enum top_sight search_files(DIR *files, int pid, int *file, struct cwi_status *status_page)
{
  enum top_sight best = TOP_NOTHING;
  for (const struct dirent *entry = readdir(files); entry != NULL && best != TOP_SHOWN;
       entry = readdir(files)) {
    if (entry->d_name[0] == '.')
      continue;
    const int number = (int)strtol(entry->d_name, NULL, 10);
    enum top_sight sight = try_file(pid, number, status_page);
    if (sight == TOP_NOTHING && is_called(pid, number, memory_name))
      sight = TOP_OLD;
    if (sight > best)
      best = sight;
    *file = number;
  }
  return best;
}

enum top_sight top_read_process(int pid, int *file, struct cwi_status *status_page)
{
  char path[40];
  if (*file >= 0 && try_file(pid, *file, status_page) == TOP_SHOWN)
    return TOP_SHOWN;
  snprintf(path, sizeof path, "/proc/%d/fd", pid);
  errno = 0;
  DIR *files = opendir(path);
  if (files == NULL)
    return errno == EACCES || errno == EPERM ? TOP_FORBIDDEN : TOP_NO_PROCESS;
  const enum top_sight sight = search_files(files, pid, file, status_page);
  closedir(files);
  return sight;
}
