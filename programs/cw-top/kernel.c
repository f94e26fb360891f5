/* Reads what the kernel knows of a process, from files below /proc. Each file is read in a
 * single read, so that its content is consistent. */
#include "cw-top.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

double top_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool read_text(const char *path, char *text, size_t size)
{
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  const ssize_t length = read(file, text, size - 1);
  close(file);
  text[length > 0 ? length : 0] = '\0';
  return length > 0;
}

/* Parses /proc/PID/stat. The name stands in parentheses and may contain any characters, even
 * parentheses. */
static bool parse_stat(const char *text, struct top_kernel *kernel)
{
  const char *begin = strchr(text, '('), *end = strrchr(text, ')');
  unsigned long user = 0, system = 0;
  if (begin == NULL || end == NULL || end < begin)
    return false;
  snprintf(kernel->name, sizeof kernel->name, "%.*s", (int)(end - begin - 1), begin + 1);
  top_clean(kernel->name, sizeof kernel->name);
  if (sscanf(end + 1, " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &kernel->state,
             &kernel->parent, &user, &system) != 4)
    return false;
  kernel->seconds = (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
  return true;
}

/* Replaces `seconds`, which is counted in ticks, by a more exact figure if the kernel provides one.
 * The clock of a thread is available only to its own process, so the schedstat file of the thread
 * is read instead. */
static void read_clock(int pid, int thread, double *seconds)
{
  char path[80], text[128];
  struct timespec used;
  clockid_t clock = 0;
  unsigned long long nanoseconds = 0;
  snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", pid, thread);
  if (thread == 0 && clock_getcpuclockid(pid, &clock) == 0 && clock_gettime(clock, &used) == 0)
    *seconds = (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
  else if (thread != 0 && read_text(path, text, sizeof text) &&
           sscanf(text, "%llu", &nanoseconds) == 1)
    *seconds = 1e-9 * (double)nanoseconds;
}

bool top_kernel_read(int pid, int thread, struct top_kernel *kernel)
{
  char path[80], text[1024];
  unsigned long pages = 0, shared = 0;
  memset(kernel, 0, sizeof *kernel);
  if (thread != 0)
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", pid, thread);
  else
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
  if (!read_text(path, text, sizeof text) || !parse_stat(text, kernel))
    return false;
  read_clock(pid, thread, &kernel->seconds);
  snprintf(path, sizeof path, "/proc/%d/statm", pid);
  if (thread == 0 && read_text(path, text, sizeof text) &&
      sscanf(text, "%*u %lu %lu", &pages, &shared) == 2) {
    kernel->resident = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
    kernel->own = pages > shared ? (uint64_t)(pages - shared) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
  }
  return true;
}

int top_kernel_own_pid(int pid)
{
  char path[40], text[4096];
  snprintf(path, sizeof path, "/proc/%d/status", pid);
  const char *line = read_text(path, text, sizeof text) ? strstr(text, "\nNSpid:") : NULL;
  if (line == NULL)
    return pid;
  char *end = strchr(line + 1, '\n');
  if (end != NULL)
    *end = '\0';
  const char *last = strrchr(line, '\t');
  return last != NULL ? (int)strtol(last, NULL, 10) : pid;
}

long top_kernel_user(int pid)
{
  char path[40];
  struct stat status;
  snprintf(path, sizeof path, "/proc/%d", pid);
  return stat(path, &status) == 0 ? (long)status.st_uid : -1;
}

struct top_list top_kernel_pids(void)
{
  struct top_list pids = {0};
  DIR *folder = opendir("/proc");
  if (folder == NULL)
    return pids;
  for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
    if (isdigit((unsigned char)entry->d_name[0]))
      *(int *)top_add(&pids, sizeof(int)) = (int)strtol(entry->d_name, NULL, 10);
  closedir(folder);
  return pids;
}
