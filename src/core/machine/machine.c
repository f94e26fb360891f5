/* Reads facts about the machine from /proc, /sys and the kernel. */
#include "machine/machine.h"

#include "wait/lock.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

static size_t machine_least(size_t a, size_t b)
{
  return a < b ? a : b;
}

/* --- Files of the kernel ---------------------------------------------------------------------- */

/* Reads the beginning of a file of the kernel, which has all that the callers need. One read
 * suffices, because the kernel returns such files in one piece. Returns false if there is no such
 * file. */
static bool read_text(const char *path, char *text, size_t size)
{
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  const ssize_t length = read(file, text, size - 1);
  close(file);
  text[length > 0 ? length : 0] = '\0';
  return length >= 0;
}

/* Returns the number of a line "Name:   123 kB" times `unit`, or SIZE_MAX if there is no such line.
 */
static size_t read_field(const char *path, const char *name, size_t unit)
{
  char text[8192];
  const size_t length = strlen(name);
  const char *line = text;
  if (!read_text(path, text, sizeof text))
    return SIZE_MAX;
  while (strncmp(line, name, length) != 0) {
    line = strchr(line, '\n');
    if (line == NULL)
      return SIZE_MAX;
    line++;
  }
  char *end = NULL;
  const unsigned long long number = strtoull(line + length, &end, 10);
  return end != line + length && number < SIZE_MAX / unit ? (size_t)number * unit : SIZE_MAX;
}

/* Returns a field of a file in a directory. If `name` is "", the file has one number, or "max". */
static size_t read_in(const char *directory, const char *file, const char *name)
{
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/%s", directory, file) >= (int)sizeof path)
    return SIZE_MAX;
  return read_field(path, name, 1);
}

/* --- Cgroups ---------------------------------------------------------------------------------- */

/* Returns what one cgroup of version 1 or 2 grants, or SIZE_MAX if it has no limit. A function may
 * stop reading when it has found that the result is at least `enough`. */
typedef size_t (*cgroup_grant)(const char *directory, bool v1, size_t enough);

/* Both versions have the same three files under different names. */
struct cgroup_names {
  const char *limit, *used, *droppable;
};
static const size_t UNLIMITED = (size_t)1 << 60; /* v1 reports 2^63 minus a page */
static const struct cgroup_names names_v1 = {"memory.limit_in_bytes", "memory.usage_in_bytes",
                                             "total_inactive_file"};
static const struct cgroup_names names_v2 = {"memory.max", "memory.current", "inactive_file"};

/* Returns the memory that is left: the limit minus the memory in use. Droppable file pages do not
 * count as in use. Their number is read only if necessary, because the kernel takes long to count
 * them. */
static size_t memory_left(const char *directory, bool v1, size_t enough)
{
  const struct cgroup_names *names = v1 ? &names_v1 : &names_v2;
  const size_t most = read_in(directory, names->limit, "");
  const size_t used = most < UNLIMITED ? read_in(directory, names->used, "") : SIZE_MAX;
  if (used == SIZE_MAX)
    return SIZE_MAX;
  if (used < most && most - used >= enough)
    return most - used;
  const size_t droppable = read_in(directory, "memory.stat", names->droppable);
  const size_t fixed = droppable != SIZE_MAX && droppable < used ? used - droppable : used;
  return most > fixed ? most - fixed : 0;
}

/* Returns the number of processors: microseconds of run time divided by the period. Version 2 has
 * both in one file. */
static size_t processors_granted(const char *directory, bool v1, size_t enough)
{
  (void)enough;
  char path[PATH_MAX], text[64];
  size_t quota = SIZE_MAX, period = 0;
  if (v1) {
    quota = read_in(directory, "cpu.cfs_quota_us", "");
    period = read_in(directory, "cpu.cfs_period_us", "");
  } else if (snprintf(path, sizeof path, "%s/cpu.max", directory) < (int)sizeof path &&
             read_text(path, text, sizeof text) && sscanf(text, "%zu %zu", &quota, &period) != 2)
    quota = SIZE_MAX;
  if (quota == SIZE_MAX || period == 0)
    return SIZE_MAX;
  return quota < period ? 1 : quota / period;
}

/* Returns true if `word` is in a list separated by commas. */
static bool lists(const char *list, const char *word)
{
  const size_t length = strlen(word);
  for (; *list != '\0'; list += strcspn(list, ","), list += *list == ',')
    if (strncmp(list, word, length) == 0 && (list[length] == ',' || list[length] == '\0'))
      return true;
  return false;
}

/* Finds this process's cgroup of a controller (v1) or of the single hierarchy (v2, controller NULL)
 * in /proc/self/cgroup, which has lines "number:controllers:path". */
static bool find_path(const char *root, const char *controller, char *path, size_t size)
{
  char line[PATH_MAX];
  if (snprintf(line, sizeof line, "%s/proc/self/cgroup", root) >= (int)sizeof line)
    return false;
  FILE *file = fopen(line, "re");
  bool found = false;
  while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':');
    char *where = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
    if (where == NULL)
      continue;
    *where = '\0';
    found = controller != NULL ? lists(controllers + 1, controller) : controllers[1] == '\0';
    if (found)
      found = snprintf(path, size, "%s", where + 1) < (int)size;
  }
  if (file != NULL)
    fclose(file);
  return found;
}

/* Finds the mount point of a hierarchy, and the cgroup that is mounted there. Lines of mountinfo:
 * "id parent device root mountpoint options [more...] - type source options". */
static bool find_mount(const char *root, const char *controller, char *top, char *point)
{
  char line[2 * PATH_MAX];
  if (snprintf(line, sizeof line, "%s/proc/self/mountinfo", root) >= (int)sizeof line)
    return false;
  FILE *file = fopen(line, "re");
  bool found = false;
  while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
    char type[32], options[512];
    const char *rest = strstr(line, " - ");
    found = rest != NULL && sscanf(rest, " - %31s %*s %511s", type, options) == 2 &&
            sscanf(line, "%*s %*s %*s %4095s %4095s", top, point) == 2 &&
            (controller != NULL ? strcmp(type, "cgroup") == 0 && lists(options, controller)
                                : strcmp(type, "cgroup2") == 0);
  }
  if (file != NULL)
    fclose(file);
  return found;
}

/* The cgroup of this process in one hierarchy: the path of its mount point, followed by the cgroup.
 */
struct hierarchy {
  size_t mount; /* length of the mount point; 0 if there is no such hierarchy */
  char directory[3 * PATH_MAX];
};

static void find_hierarchy(const char *root, const char *controller, struct hierarchy *found)
{
  char path[PATH_MAX], top[PATH_MAX], point[PATH_MAX];
  found->mount = 0;
  if (!find_path(root, controller, path, sizeof path) || !find_mount(root, controller, top, point))
    return;
  /* A container has its own cgroup at the mount point, whatever its name is outside. */
  const size_t shown = strcmp(top, "/") == 0 ? 0 : strlen(top);
  const char *below = path;
  if (strncmp(path, top, shown) == 0 && (path[shown] == '/' || path[shown] == '\0'))
    below = path + shown;
  if (strcmp(below, "/") == 0 || strncmp(below, "/..", 3) == 0)
    below = "";
  const size_t size = sizeof found->directory;
  found->mount = (size_t)snprintf(found->directory, size, "%s%s", root, point);
  snprintf(found->directory + found->mount, size - found->mount, "%s", below);
}

/* Returns the least amount that this process's cgroup and those above it grant, in one hierarchy.
 */
static size_t hierarchy_grant(const struct hierarchy *hierarchy, bool v1, cgroup_grant grant,
                              size_t enough)
{
  char directory[sizeof hierarchy->directory];
  size_t least = SIZE_MAX;
  if (hierarchy->mount == 0)
    return SIZE_MAX;
  memcpy(directory, hierarchy->directory, strlen(hierarchy->directory) + 1);
  while (strlen(directory) >= hierarchy->mount) {
    least = machine_least(least, grant(directory, v1, enough));
    char *last = strrchr(directory, '/');
    if (last == NULL)
      break;
    *last = '\0';
  }
  return least;
}

/* The cgroups of this process: for each of two controllers (v1), and in the single hierarchy (v2).
 */
struct cgroups {
  struct hierarchy memory, processors, all;
};

static void find_cgroups(const char *root, struct cgroups *found)
{
  find_hierarchy(root, "memory", &found->memory);
  find_hierarchy(root, "cpu", &found->processors);
  find_hierarchy(root, NULL, &found->all);
}

/* Returns the cgroups of this process. Their directories are found once, because that takes longer
 * than reading the files in them. */
static const struct cgroups *my_cgroups(void)
{
  static struct cgroups mine;
  static bool found;
  static uint32_t lock;
  cwi_lock(&lock);
  if (!found)
    find_cgroups("", &mine);
  found = true;
  cwi_unlock(&lock);
  return &mine;
}

static size_t available(const char *root, const struct cgroups *cgroups)
{
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/proc/meminfo", root) >= (int)sizeof path)
    return SIZE_MAX;
  const size_t machine = read_field(path, "MemAvailable:", 1024);
  const size_t left = hierarchy_grant(&cgroups->memory, true, memory_left, machine);
  return machine_least(machine_least(machine, left),
                       hierarchy_grant(&cgroups->all, false, memory_left, machine));
}

static size_t quota(const struct cgroups *cgroups)
{
  return machine_least(hierarchy_grant(&cgroups->processors, true, processors_granted, SIZE_MAX),
                       hierarchy_grant(&cgroups->all, false, processors_granted, SIZE_MAX));
}

size_t cwi_machine_available_under(const char *root)
{
  struct cgroups cgroups;
  find_cgroups(root, &cgroups);
  return available(root, &cgroups);
}

size_t cwi_machine_quota_under(const char *root)
{
  struct cgroups cgroups;
  find_cgroups(root, &cgroups);
  return quota(&cgroups);
}

size_t cwi_machine_available(void)
{
  return available("", my_cgroups());
}

size_t cwi_machine_quota(void)
{
  return quota(my_cgroups());
}

size_t cwi_machine_memory(void)
{
  return read_field("/proc/meminfo", "MemTotal:", 1024);
}

/* --- Limits ----------------------------------------------------------------------------------- */

size_t cwi_machine_shm_free(void)
{
  struct statvfs shm;
  return statvfs("/dev/shm", &shm) == 0 ? (size_t)shm.f_bavail * shm.f_frsize : SIZE_MAX;
}

static size_t limit_of(__rlimit_resource_t resource)
{
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return SIZE_MAX;
  return limit.rlim_cur;
}

size_t cwi_machine_address_space(void)
{
  const size_t most = limit_of(RLIMIT_AS);
  if (most == SIZE_MAX)
    return SIZE_MAX;
  const size_t mapped = read_field("/proc/self/status", "VmSize:", 1024);
  return mapped < most ? most - mapped : 0;
}

/* --- Namespaces and NUMA ---------------------------------------------------------------------- */

void cwi_machine_pid_namespace(struct cwi_pid_namespace *space)
{
  struct stat status;
  memset(space, 0, sizeof *space);
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
  if (file == NULL)
    return;
  const bool read = fgets(space->boot, sizeof space->boot, file) != NULL;
  fclose(file);
  if (!read || stat("/proc/self/ns/pid", &status) != 0)
    return;
  space->device = status.st_dev;
  space->inode = status.st_ino;
}

bool cwi_same_pid_namespace(const struct cwi_pid_namespace *a, const struct cwi_pid_namespace *b)
{
  return a->inode != 0 && a->inode == b->inode && a->device == b->device &&
         strncmp(a->boot, b->boot, sizeof a->boot) == 0;
}

void cwi_machine_processor(char *name, size_t size)
{
  static const char begin[] = "model name";
  char line[512];
  FILE *file = fopen("/proc/cpuinfo", "re");
  name[0] = '\0';
  if (file == NULL)
    return;
  while (name[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
    const char *colon = strchr(line, ':');
    if (colon == NULL || strncmp(line, begin, sizeof begin - 1) != 0)
      continue;
    colon += 1 + strspn(colon + 1, " ");
    snprintf(name, size, "%.*s", (int)strcspn(colon, "\n"), colon);
  }
  fclose(file);
}

bool cwi_machine_denies_huge_pages(void)
{
  char line[128];
  FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/shmem_enabled", "re");
  if (file == NULL)
    return true;
  const bool read = fgets(line, sizeof line, file) != NULL;
  fclose(file);
  return !read || strstr(line, "[never]") != NULL || strstr(line, "[deny]") != NULL;
}

/* Counts the nodes of a list like "0-3,8". */
int cwi_machine_numa_nodes(void)
{
  FILE *file = fopen("/sys/devices/system/node/online", "re");
  if (file == NULL)
    return 1;
  char separator = ',';
  int count = 0, first = 0, last = 0;
  while (separator == ',' && fscanf(file, "%d", &first) == 1) {
    last = first;
    separator = '\n';
    if (fscanf(file, "%c", &separator) == 1 && separator == '-' && fscanf(file, "%d", &last) == 1)
      (void)!fscanf(file, "%c", &separator);
    count += last - first + 1;
  }
  fclose(file);
  return count > 0 ? count : 1;
}

int cwi_machine_numa_node(void)
{
  unsigned core = 0, node = 0;
  return syscall(SYS_getcpu, &core, &node, NULL) == 0 ? (int)node : -1;
}
