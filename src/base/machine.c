#include "base/machine.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

static size_t least(size_t a, size_t b)
{
  return a < b ? a : b;
}

/* --- Files of the kernel ---------------------------------------------------------------------- */

/* A line "Name:   123 kB" of a file, in bytes; SIZE_MAX when there is none. */
static size_t read_field(const char *path, const char *name, size_t unit)
{
  FILE *file = fopen(path, "re");
  if (file == NULL)
    return SIZE_MAX;
  char line[256];
  size_t value = SIZE_MAX;
  const size_t length = strlen(name);
  while (value == SIZE_MAX && fgets(line, sizeof line, file) != NULL) {
    size_t number = 0;
    if (strncmp(line, name, length) == 0 && sscanf(line + length, " %zu", &number) == 1)
      value = number < SIZE_MAX / unit ? number * unit : SIZE_MAX;
  }
  fclose(file);
  return value;
}

/* A field of a file in a directory; the name "" reads a file that holds one number, or "max". */
static size_t read_in(const char *directory, const char *file, const char *name)
{
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/%s", directory, file) >= (int)sizeof path)
    return SIZE_MAX;
  return read_field(path, name, 1);
}

/* --- Memory of cgroups ------------------------------------------------------------------------ */

/* The two versions have the same three files under different names. */
struct cgroup_names {
  const char *limit, *used, *droppable;
};
static const size_t UNLIMITED = (size_t)1 << 60; /* v1 says 2^63 less a page */
static const struct cgroup_names names_v1 = {"memory.limit_in_bytes", "memory.usage_in_bytes",
                                             "total_inactive_file"};
static const struct cgroup_names names_v2 = {"memory.max", "memory.current", "inactive_file"};

/* What one cgroup has left: its limit minus use, where file pages that can be dropped do not count
 * as use. The kernel takes its time to say how many those are: it is not asked when there is
 * `enough` anyway. */
static size_t cgroup_left(const char *directory, const struct cgroup_names *names, size_t enough)
{
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

/* Is the word in a list with commas? */
static bool lists(const char *list, const char *word)
{
  const size_t length = strlen(word);
  for (; *list != '\0'; list += strcspn(list, ","), list += *list == ',')
    if (strncmp(list, word, length) == 0 && (list[length] == ',' || list[length] == '\0'))
      return true;
  return false;
}

/* This process's cgroup of the memory controller (v1), or of the one hierarchy (v2), as
 * /proc/self/cgroup names it: lines "number:controllers:path". */
static bool find_path(const char *root, bool v1, char *path, size_t size)
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
    found = v1 ? lists(controllers + 1, "memory") : controllers[1] == '\0';
    if (found)
      found = snprintf(path, size, "%s", where + 1) < (int)size;
  }
  if (file != NULL)
    fclose(file);
  return found;
}

/* Where a hierarchy is mounted, and which of its cgroups is shown there. Lines of mountinfo: "id
 * parent device root mountpoint options [more...] - type source options". */
static bool find_mount(const char *root, bool v1, char *top, char *point)
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
            (v1 ? strcmp(type, "cgroup") == 0 && lists(options, "memory")
                : strcmp(type, "cgroup2") == 0);
  }
  if (file != NULL)
    fclose(file);
  return found;
}

/* The tightest of my cgroup and all above it, in one hierarchy. */
static size_t hierarchy_left(const char *root, bool v1, size_t enough)
{
  char path[PATH_MAX], top[PATH_MAX], point[PATH_MAX], directory[3 * PATH_MAX];
  if (!find_path(root, v1, path, sizeof path) || !find_mount(root, v1, top, point))
    return SIZE_MAX;
  /* A container sees its own cgroup at the mount point, under whatever name it has outside. */
  const size_t shown = strcmp(top, "/") == 0 ? 0 : strlen(top);
  const char *below = path;
  if (strncmp(path, top, shown) == 0 && (path[shown] == '/' || path[shown] == '\0'))
    below = path + shown;
  if (strcmp(below, "/") == 0 || strncmp(below, "/..", 3) == 0)
    below = "";
  const int mount = snprintf(directory, sizeof directory, "%s%s", root, point);
  snprintf(directory + mount, sizeof directory - (size_t)mount, "%s", below);
  size_t left = SIZE_MAX;
  while (strlen(directory) >= (size_t)mount) {
    left = least(left, cgroup_left(directory, v1 ? &names_v1 : &names_v2, enough));
    char *last = strrchr(directory, '/');
    if (last == NULL)
      break;
    *last = '\0';
  }
  return left;
}

size_t cwi_machine_available_under(const char *root)
{
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/proc/meminfo", root) >= (int)sizeof path)
    return SIZE_MAX;
  const size_t machine = read_field(path, "MemAvailable:", 1024);
  const size_t v1 = hierarchy_left(root, true, machine);
  return least(machine, least(v1, hierarchy_left(root, false, machine)));
}

size_t cwi_machine_available(void)
{
  return cwi_machine_available_under("");
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

size_t cwi_machine_file_limit(void)
{
  return limit_of(RLIMIT_FSIZE);
}

size_t cwi_machine_address_room(void)
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

/* A list like "0-3,8". */
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
