/* Facts about the machine, read from an artificial tree of the kernel's files. One process. */
#include "kit/kit.h"

#include "base/file_write.h"
#include "machine/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/machine.XXXXXX";

/* Writes a file under the root and creates its folders. */
static void write_file(const char *path, const char *text)
{
  char whole[512];
  snprintf(whole, sizeof whole, "%s%s", root, path);
  for (char *slash = strchr(whole + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(whole, 0700);
    *slash = '/';
  }
  FILE *file = fopen(whole, "w");
  if (!kit_check(file != NULL, "cannot write %s", whole))
    return;
  fputs(text, file);
  fclose(file);
}

static void clear_root(void)
{
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s/*", root);
  kit_check(system(command) == 0, "cannot clear %s", root);
  write_file("/proc/meminfo", "MemTotal: 16000000 kB\nMemAvailable:  9765625 kB\n");
}

static void check_available(size_t wanted)
{
  const size_t got = cwi_machine_available_under(root);
  kit_check(got == wanted, "%zu bytes are available; there are %zu", got, wanted);
}

/* Writes a cgroup of version 1: limit, use, and the reclaimable part of the use. */
static void group_v1(const char *directory, const char *limit, const char *used, const char *cache)
{
  char path[256], text[128];
  snprintf(path, sizeof path, "%s/memory.limit_in_bytes", directory);
  write_file(path, limit);
  snprintf(path, sizeof path, "%s/memory.usage_in_bytes", directory);
  write_file(path, used);
  snprintf(path, sizeof path, "%s/memory.stat", directory);
  snprintf(text, sizeof text, "cache 1\ninactive_file 7\ntotal_inactive_file %s\n", cache);
  write_file(path, text);
}

static void group_v2(const char *directory, const char *limit, const char *used, const char *cache)
{
  char path[256], text[128];
  snprintf(path, sizeof path, "%s/memory.max", directory);
  write_file(path, limit);
  snprintf(path, sizeof path, "%s/memory.current", directory);
  write_file(path, used);
  snprintf(path, sizeof path, "%s/memory.stat", directory);
  snprintf(text, sizeof text, "anon 1\ninactive_file %s\n", cache);
  write_file(path, text);
}

static void test_no_cgroup(void)
{
  kit_about("a machine without cgroups");
  clear_root();
  check_available(10000000000);
}

static void test_v1(void)
{
  kit_about("cgroup v1, mounted somewhere");
  clear_root();
  write_file("/proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/job/step\n0::/\n");
  write_file("/proc/self/mountinfo",
             "20 1 0:1 / / rw - ext4 /dev/vda rw\n"
             "30 20 0:26 / /cg/cpu rw shared:3 - cgroup cgroup rw,cpu,cpuacct\n"
             "31 20 0:27 / /cg/mem rw,nosuid shared:4 master:2 - cgroup cgroup rw,memory\n");
  group_v1("/cg/mem", "9223372036854771712\n", "5000000000\n", "0");
  group_v1("/cg/mem/job", "9000000000\n", "1000000000\n", "0");
  group_v1("/cg/mem/job/step", "400000000\n", "300000000\n", "100000000");
  check_available(200000000);
  kit_about("cgroup v1, the group above is tighter");
  group_v1("/cg/mem/job", "1000000000\n", "999000000\n", "0");
  check_available(1000000);
  kit_about("cgroup v1, over its limit");
  group_v1("/cg/mem/job", "1000000000\n", "1000000001\n", "0");
  check_available(0);
}

static void test_v1_container(void)
{
  kit_about("cgroup v1 in a container: its own group is mounted, under another name");
  clear_root();
  write_file("/proc/self/cgroup", "4:memory:/docker/abc\n");
  write_file("/proc/self/mountinfo",
             "31 20 0:27 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
  group_v1("/sys/fs/cgroup/memory", "400000000\n", "100000000\n", "0");
  check_available(300000000);
  kit_about("cgroup v1 in a container inside a group");
  write_file("/proc/self/cgroup", "4:memory:/docker/abc/inner\n");
  group_v1("/sys/fs/cgroup/memory/inner", "200000000\n", "100000000\n", "0");
  check_available(100000000);
  kit_about("cgroup v1, a namespace that hides the path");
  write_file("/proc/self/cgroup", "4:memory:/../other\n");
  check_available(300000000);
}

static void test_v2(void)
{
  kit_about("cgroup v2, mounted beside v1");
  clear_root();
  write_file("/proc/self/cgroup", "4:memory:/\n0::/user/job\n");
  write_file("/proc/self/mountinfo",
             "31 20 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
             "32 20 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  group_v1("/sys/fs/cgroup/memory", "8000000000\n", "0\n", "0");
  group_v2("/sys/fs/cgroup/unified/user", "max\n", "5000000000\n", "0");
  group_v2("/sys/fs/cgroup/unified/user/job", "700000000\n", "300000000\n", "50000000");
  check_available(450000000);
  kit_about("both have limits");
  group_v1("/sys/fs/cgroup/memory", "350000000\n", "0\n", "0");
  check_available(350000000);
}

static void check_quota(size_t wanted)
{
  const size_t got = cwi_machine_quota_under(root);
  kit_check(got == wanted, "the time of %zu processors; it is of %zu", got, wanted);
}

static void test_quota_v1(void)
{
  kit_about("processors of cgroup v1");
  clear_root();
  check_quota(SIZE_MAX);
  write_file("/proc/self/cgroup", "5:cpuacct,cpu:/job/step\n4:memory:/\n0::/\n");
  write_file("/proc/self/mountinfo",
             "31 20 0:27 / /cg/mem rw - cgroup cgroup rw,memory\n"
             "30 20 0:26 / /cg/cpu rw shared:3 - cgroup cgroup rw,cpu,cpuacct\n");
  write_file("/cg/cpu/job/cpu.cfs_quota_us", "-1\n");
  write_file("/cg/cpu/job/cpu.cfs_period_us", "100000\n");
  check_quota(SIZE_MAX);
  write_file("/cg/cpu/job/step/cpu.cfs_quota_us", "250000\n");
  write_file("/cg/cpu/job/step/cpu.cfs_period_us", "100000\n");
  check_quota(2);
  kit_about("processors of cgroup v1, the group above is tighter");
  write_file("/cg/cpu/job/cpu.cfs_quota_us", "50000\n");
  check_quota(1);
}

static void test_quota_v2(void)
{
  kit_about("processors of cgroup v2");
  clear_root();
  write_file("/proc/self/cgroup", "0::/user/job\n");
  write_file("/proc/self/mountinfo", "32 20 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  write_file("/sys/fs/cgroup/user/job/cpu.max", "max 100000\n");
  check_quota(SIZE_MAX);
  write_file("/sys/fs/cgroup/user/cpu.max", "400000 100000\n");
  check_quota(4);
  write_file("/sys/fs/cgroup/user/job/cpu.max", "150000 50000\n");
  check_quota(3);
  write_file("/sys/fs/cgroup/user/job/cpu.max", "rubbish\n");
  check_quota(4);
}

static void test_here(void)
{
  kit_about("this machine");
  const size_t memory = cwi_machine_memory(), available = cwi_machine_available();
  kit_check(available > 0 && available <= memory, "%zu of %zu bytes are available", available,
            memory);
  kit_check(cwi_machine_numa_nodes() >= 1, "%d NUMA nodes", cwi_machine_numa_nodes());
  kit_check(cwi_machine_numa_node() >= 0, "NUMA node %d", cwi_machine_numa_node());
  struct rlimit limit;
  kit_check(getrlimit(RLIMIT_FSIZE, &limit) == 0, "getrlimit");
  const struct rlimit low = {.rlim_cur = 1 << 20, .rlim_max = limit.rlim_max};
  kit_check(setrlimit(RLIMIT_FSIZE, &low) == 0, "setrlimit");
  kit_check(cwi_file_limit() == 1 << 20, "files of 1 MiB, not %zu", cwi_file_limit());
  kit_check(setrlimit(RLIMIT_FSIZE, &limit) == 0, "setrlimit");
}

static volatile sig_atomic_t handled;

static void handle(int number)
{
  handled = number;
}

static bool is_pending(int number)
{
  sigset_t set;
  return sigpending(&set) == 0 && sigismember(&set, number) == 1;
}

/* Writes beyond the file size limit, and to a pipe without a reader. */
static void write_too_much(int file)
{
  static char bytes[8192];
  struct cwi_write_signals signals;
  int pipes[2];
  kit_check(cwi_write_at(file, bytes, 8192, 0) == EFBIG, "more than the limit is written");
  kit_check(cwi_write_at(file, bytes, 1, INT64_MAX) != 0, "the last byte of all is written");
  kit_check(lseek(file, 0, SEEK_END) == 4096, "%lld bytes", (long long)lseek(file, 0, SEEK_END));
  kit_check(cwi_write_at(file, bytes, 100, 3996) == 0, "up to the limit");
  kit_check(cwi_file_resize(file, 8192) == EFBIG, "a length beyond the limit");
  kit_check(cwi_file_resize(file, 10) == 0, "a shorter one");
  cwi_write_signals_block(&signals);
  FILE *out = pipe(pipes) == 0 && close(pipes[0]) == 0 ? fdopen(pipes[1], "w") : NULL;
  kit_check(out != NULL && fputs("text", out) != EOF, "writing to a stream");
  kit_check(out != NULL && cwi_write_close(out) == EPIPE, "closing a pipe without a reader");
  cwi_write_signals_restore(&signals);
}

/* A signal that the program has blocked, and that was already pending, stays pending; no other one
 * does. */
static void test_writes(void)
{
  const struct rlimit low = {4096, RLIM_INFINITY};
  struct rlimit before;
  char path[64];
  sigset_t set, now;
  kit_about("writes that fail");
  snprintf(path, sizeof path, "%s/written", root);
  const int file = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
  kit_check(file >= 0 && getrlimit(RLIMIT_FSIZE, &before) == 0, "a file");
  signal(SIGXFSZ, handle);
  signal(SIGPIPE, handle);
  kit_check(setrlimit(RLIMIT_FSIZE, &low) == 0, "setrlimit");
  write_too_much(file);
  kit_check(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0 && sigismember(&now, SIGXFSZ) == 0 &&
                sigismember(&now, SIGPIPE) == 0,
            "signals stay blocked");
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  sigaddset(&set, SIGPIPE);
  kit_check(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0 && raise(SIGPIPE) == 0, "SIGPIPE");
  write_too_much(file);
  kit_check(is_pending(SIGPIPE), "a signal of the program is lost");
  kit_check(!is_pending(SIGXFSZ), "a signal of a write is left");
  kit_check(handled == 0, "signal %d came to the program", (int)handled);
  signal(SIGPIPE, SIG_IGN);
  kit_check(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0, "unblocking");
  kit_check(setrlimit(RLIMIT_FSIZE, &before) == 0 && close(file) == 0, "the end");
}

static void test_namespaces(void)
{
  struct cwi_pid_namespace mine, same, none = {0};
  kit_about("PID namespaces");
  cwi_machine_pid_namespace(&mine);
  cwi_machine_pid_namespace(&same);
  kit_check(cwi_same_pid_namespace(&mine, &same), "my namespace is not my own");
  same.inode++;
  kit_check(!cwi_same_pid_namespace(&mine, &same), "another namespace is mine");
  same = mine;
  same.boot[3] ^= 1;
  kit_check(!cwi_same_pid_namespace(&mine, &same), "another machine's namespace is mine");
  kit_check(!cwi_same_pid_namespace(&none, &none), "unknown namespaces are equal");
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "machine");
  if (mkdtemp(root) == NULL)
    kit_skip("no folder for the made-up machine");
  test_no_cgroup();
  test_v1();
  test_v1_container();
  test_v2();
  test_quota_v1();
  test_quota_v2();
  test_here();
  test_writes();
  test_namespaces();
  clear_root();
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", root);
  kit_check(system(command) == 0, "cannot remove %s", root);
  return kit_finish();
}
