/* What a process shows: its gauge, a file among those that it has open. It may end, or write
 * anything, at any time: files are read, not mapped, and what was read is checked. */
#include "cw-top.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char gauge_name[] = "/memfd:" CWI_GAUGE_FILE " (deleted)";
static const char memory_name[] = "/memfd:causeway (deleted)"; /* of a node */

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

/* --- The gauge -------------------------------------------------------------------------------- */

static bool read_once(int file, struct cwi_gauge *gauge)
{
  memset(gauge, 0, sizeof *gauge);
  return pread(file, gauge, sizeof *gauge, 0) >= (ssize_t)offsetof(struct cwi_gauge, job);
}

/* A wait that is being written was the same before and after, or is another one: the next look has
 * it. */
static void keep_whole(struct cwi_gauge *gauge, const struct cwi_gauge *again)
{
  for (int i = 0; i < CWI_GAUGE_WAITS; i++) {
    struct cwi_gauge_wait *wait = &gauge->waits[i];
    if (wait->version % 2 != 0 || wait->version != again->waits[i].version)
      wait->thread = 0;
    top_clean(wait->call, sizeof wait->call);
    top_clean(wait->whom, sizeof wait->whom);
  }
}

static bool is_whole(const struct cwi_gauge *gauge, const struct cwi_gauge *again)
{
  int i = 0;
  while (i < CWI_GAUGE_WAITS && gauge->waits[i].version % 2 == 0 &&
         gauge->waits[i].version == again->waits[i].version)
    i++;
  return i == CWI_GAUGE_WAITS;
}

static bool is_sound(const struct cwi_gauge *gauge)
{
  return gauge->processes > 0 && gauge->nodes > 0 && gauge->nodes <= gauge->processes &&
         gauge->process >= -1 && gauge->process < gauge->processes && gauge->node >= 0 &&
         gauge->node < gauge->nodes;
}

static enum top_sight read_gauge(int pid, int file, struct cwi_gauge *gauge)
{
  enum { TRIES = 20 };
  struct cwi_gauge again;
  bool whole = false;
  for (int i = 0; i < TRIES && !whole; i++) {
    if (!read_once(file, gauge) || !read_once(file, &again) || gauge->magic != CWI_GAUGE_MAGIC)
      return TOP_NOTHING;
    whole = is_whole(gauge, &again);
  }
  if (gauge->version != CWI_GAUGE_VERSION || gauge->bytes != sizeof *gauge)
    return TOP_OTHER_VERSION;
  /* A child that the program has forked has the same open files. */
  if (!is_sound(gauge) || gauge->pid != top_kernel_own_pid(pid))
    return TOP_NOTHING;
  top_clean(gauge->job_machine, sizeof gauge->job_machine);
  keep_whole(gauge, &again);
  return TOP_SHOWN;
}

static enum top_sight look_at(int pid, int file, struct cwi_gauge *gauge)
{
  const int opened = is_called(pid, file, gauge_name) ? top_open(pid, file) : -1;
  if (opened < 0)
    return TOP_NOTHING;
  const enum top_sight sight = read_gauge(pid, opened, gauge);
  close(opened);
  return sight;
}

/* --- Where it is ------------------------------------------------------------------------------ */

static enum top_sight look_through(DIR *files, int pid, int *file, struct cwi_gauge *gauge)
{
  enum top_sight best = TOP_NOTHING;
  for (const struct dirent *entry = readdir(files); entry != NULL && best != TOP_SHOWN;
       entry = readdir(files)) {
    if (entry->d_name[0] == '.')
      continue;
    const int number = (int)strtol(entry->d_name, NULL, 10);
    enum top_sight sight = look_at(pid, number, gauge);
    if (sight == TOP_NOTHING && is_called(pid, number, memory_name))
      sight = TOP_OLD;
    if (sight > best)
      best = sight;
    *file = number;
  }
  return best;
}

enum top_sight top_look(int pid, int *file, struct cwi_gauge *gauge)
{
  char path[40];
  if (*file >= 0 && look_at(pid, *file, gauge) == TOP_SHOWN)
    return TOP_SHOWN;
  snprintf(path, sizeof path, "/proc/%d/fd", pid);
  errno = 0;
  DIR *files = opendir(path);
  if (files == NULL)
    return errno == EACCES || errno == EPERM ? TOP_FORBIDDEN : TOP_NO_PROCESS;
  const enum top_sight sight = look_through(files, pid, file, gauge);
  closedir(files);
  return sight;
}
