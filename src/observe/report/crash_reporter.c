/* The crash reporter: a process that sleeps beside each profiled process. If that process dies, for
 * whatever reason, the reporter writes what it had counted. A launcher kills what it started,
 * sometimes with SIGKILL, so the reporter has a session of its own. It is a grandchild, so that the
 * program does not see it among its children. */
#include "report/crash_reporter.h"

#include "memory/zone.h"
#include "profile/profile_counters.h"
#include "wait/waiter.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SECONDS = 30 };

/* Number of the world whose crash reporter is wanted; it changes when that reporter should end. It
 * lies in counter memory, which a process and its reporter share. */
static uint64_t *wanted;

void cwi_crash_reporter_extend(void)
{
  alarm(MOST_SECONDS);
}

/* --- The reporter's process ------------------------------------------------------------------- */

/* Blocks all signals except SIGALRM, which limits the reporter's time: a reporter that was ended
 * together with the job could not report. */
static void block_signals(void)
{
  sigset_t all;
  sigfillset(&all);
  sigdelset(&all, SIGALRM);
  sigprocmask(SIG_SETMASK, &all, NULL);
  signal(SIGALRM, SIG_DFL);
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_DUMPABLE, 0);
}

static void close_all_above_stderr(void)
{
  DIR *open_files = opendir("/proc/self/fd");
  if (open_files == NULL)
    return;
  for (const struct dirent *file = readdir(open_files); file != NULL; file = readdir(open_files)) {
    const long number = strtol(file->d_name, NULL, 10);
    if (number > STDERR_FILENO && number != dirfd(open_files))
      close((int)number);
  }
  closedir(open_files);
}

/* Closes the files that the process has open. Otherwise a reader that waits for the end of a pipe
 * would also wait for the crash reporter. */
static void leave_files(bool keeps_stdout, bool keeps_stderr)
{
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  if (!keeps_stdout)
    dup2(nothing, STDOUT_FILENO);
  if (!keeps_stderr)
    dup2(nothing, STDERR_FILENO);
  close_all_above_stderr();
}

/* Returns true if `process` is dead. Used where the kernel has no pidfd_open (before 5.3). */
static bool is_dead(pid_t process)
{
  char name[64], line[512] = "";
  snprintf(name, sizeof name, "/proc/%ld/stat", (long)process);
  const int file = open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return errno == ENOENT || errno == ESRCH;
  const ssize_t length = read(file, line, sizeof line - 1);
  close(file);
  const char *state = length > 0 ? strrchr(line, ')') : NULL;
  return length <= 0 || (state != NULL && (state[2] == 'Z' || state[2] == 'X'));
}

/* Waits up to a second and returns true if `process` has died. file: its pidfd, or -1. */
static bool dies(pid_t process, int file)
{
  enum { WHILE = 1000 /* milliseconds */, NAP_NANOSECONDS = 50000000 };
  struct pollfd death = {.fd = file, .events = POLLIN};
  if (file >= 0)
    return poll(&death, 1, WHILE) > 0;
  cwi_nap(NAP_NANOSECONDS);
  return is_dead(process);
}

static bool is_wanted(uint64_t world)
{
  return __atomic_load_n(wanted, __ATOMIC_ACQUIRE) == world;
}

/* Ends a process that was forked from the program. The zone is as large as the machine's memory,
 * and valgrind searches what is mapped at the end for pointers. Therefore the zone is unmapped
 * first. */
static CWI_NORETURN void reporter_exit(int status)
{
  if (cwi_zone.base != NULL)
    munmap(cwi_zone.base, cwi_zone.size);
  _exit(status);
}

/* The reporter's main function: waits until `process` dies or the reporter is not wanted any more.
 */
static CWI_NORETURN void crash_reporter(pid_t process, uint64_t world, void (*report)(void),
                                        bool keeps_stdout, bool keeps_stderr)
{
  block_signals();
  leave_files(keeps_stdout, keeps_stderr);
  const int file = (int)syscall(SYS_pidfd_open, process, 0);
  while (is_wanted(world) && !dies(process, file))
    ;
  if (is_wanted(world)) {
    cwi_crash_reporter_extend();
    report();
  }
  reporter_exit(0);
}

/* --- Starting it ------------------------------------------------------------------------------ */

static void child_signal_hold(sigset_t *before)
{
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &set, before);
}

/* Restores the signal mask. Removes the SIGCHLD of our own child, so that the program's handler
 * does not see it. A pending SIGCHLD of another child is raised again. */
static void child_signal_release(const sigset_t *before, pid_t child)
{
  sigset_t set;
  siginfo_t of = {.si_pid = child};
  const struct timespec at_once = {0, 0};
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  if (sigismember(before, SIGCHLD) == 0 && sigtimedwait(&set, &of, &at_once) > 0 &&
      of.si_pid != child)
    kill(getpid(), SIGCHLD);
  pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Forks twice. The child exits at once, so that the reporter is no child of the program. */
cw_error cwi_crash_reporter_start(void (*report)(void), bool keeps_stdout, bool keeps_stderr)
{
  const pid_t process = getpid();
  if (wanted == NULL && (wanted = cwi_counter_memory_keep(sizeof *wanted)) == NULL)
    return cwi_outside("no memory");
  const uint64_t world = __atomic_add_fetch(wanted, 1, __ATOMIC_ACQ_REL);
  sigset_t before;
  child_signal_hold(&before);
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    const pid_t grandchild = fork();
    if (grandchild == 0)
      crash_reporter(process, world, report, keeps_stdout, keeps_stderr);
    reporter_exit(grandchild < 0);
  }
  int status = 0;
  const int code = errno;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  child_signal_release(&before, child);
  if (child < 0)
    return cwi_outside("fork: %s", cwi_system_error(code));
  return status == 0 ? CW_OK : cwi_outside("it could not be forked");
}

/* The reporter notices the new number within a second and exits. */
void cwi_crash_reporter_stop(void)
{
  if (wanted != NULL)
    __atomic_add_fetch(wanted, 1, __ATOMIC_ACQ_REL);
}
