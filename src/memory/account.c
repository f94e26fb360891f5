#include "memory/account.h"

#include "base/settings.h"
#include "memory/zone.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

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
      value = number * unit;
  }
  fclose(file);
  return value;
}

/* A file that holds one number, or "max". */
static size_t read_number(const char *directory, const char *name)
{
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path)
    return SIZE_MAX;
  return read_field(path, "", 1);
}

/* What one cgroup has left: its limit minus use, where file pages that can be dropped do not count
 * as use. */
static size_t cgroup_left(const char *directory)
{
  const size_t most = read_number(directory, "memory.max");
  const size_t used = read_number(directory, "memory.current");
  if (most == SIZE_MAX || used == SIZE_MAX)
    return SIZE_MAX;
  char path[PATH_MAX];
  size_t droppable = SIZE_MAX;
  if (snprintf(path, sizeof path, "%s/memory.stat", directory) < (int)sizeof path)
    droppable = read_field(path, "inactive_file", 1);
  const size_t fixed = droppable != SIZE_MAX && droppable < used ? used - droppable : used;
  return most > fixed ? most - fixed : 0;
}

/* The tightest of my cgroup and all above it. Reads cgroup v2; under v1 it sees no limit. */
static size_t cgroups_left(void)
{
  FILE *file = fopen("/proc/self/cgroup", "re");
  if (file == NULL)
    return SIZE_MAX;
  char line[PATH_MAX] = "", directory[PATH_MAX];
  size_t left = SIZE_MAX;
  while (fgets(line, sizeof line, file) != NULL && strncmp(line, "0::", 3) != 0)
    line[0] = '\0';
  fclose(file);
  line[strcspn(line, "\n")] = '\0';
  if (line[0] == '\0' ||
      snprintf(directory, sizeof directory, "/sys/fs/cgroup%s", line + 3) >= (int)sizeof directory)
    return SIZE_MAX;
  while (strlen(directory) >= strlen("/sys/fs/cgroup")) {
    const size_t here = cgroup_left(directory);
    left = here < left ? here : left;
    *strrchr(directory, '/') = '\0';
  }
  return left;
}

size_t cwi_memory_of_machine(void)
{
  return read_field("/proc/meminfo", "MemTotal:", 1024);
}

size_t cwi_memory_available(void)
{
  const size_t machine = read_field("/proc/meminfo", "MemAvailable:", 1024);
  const size_t cgroups = cgroups_left();
  return machine < cgroups ? machine : cgroups;
}

/* What the zone may reach in all: what it has already, plus what is free. */
static size_t limit_now(void)
{
  if (cwi_settings.memory_limit > 0)
    return (size_t)cwi_settings.memory_limit;
  const size_t available = cwi_memory_available();
  const size_t resident = cwi_zone_resident();
  return available > SIZE_MAX - resident ? SIZE_MAX : available + resident;
}

/* A request that is refused is never counted: it must not make another process's fail. */
cw_error cwi_account_take(size_t bytes)
{
  struct cwi_zone_header *header = cwi_zone.header;
  uint64_t committed = __atomic_load_n(&header->committed, __ATOMIC_RELAXED);
  do {
    if (committed + bytes <= __atomic_load_n(&header->checked_until, __ATOMIC_RELAXED))
      continue;
    const size_t limit = limit_now();
    if (committed + bytes > limit)
      return cwi_outside(
          "%zu bytes are not to be had: the node has handed out %zu and may reach %zu", bytes,
          (size_t)committed, limit);
    /* Look again after an eighth of what is left now. */
    __atomic_store_n(&header->checked_until, committed + bytes + (limit - committed - bytes) / 8,
                     __ATOMIC_RELAXED);
  } while (!__atomic_compare_exchange_n(&header->committed, &committed, committed + bytes, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return CW_OK;
}

void cwi_account_give(size_t bytes)
{
  __atomic_sub_fetch(&cwi_zone.header->committed, bytes, __ATOMIC_RELAXED);
}
