/* A program that opens no device has no cost for devices: no thread begins, no library is opened,
 * no address range is reserved. Linked with --wrap for the counted calls. */
#include "kit/native.h"

#include "memory/device_address.h"

#include <causeway/device.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming) */
static long threads, libraries, devices;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument)
{
  threads++;
  return __real_pthread_create(thread, attributes, run, argument);
}

void *__real_dlopen(const char *file, int mode);
void *__wrap_dlopen(const char *file, int mode);
void *__wrap_dlopen(const char *file, int mode)
{
  libraries += (mode & RTLD_NOLOAD) == 0;
  return __real_dlopen(file, mode);
}

cw_device __real_cwi_device_make(void);
cw_device __wrap_cwi_device_make(void);
cw_device __wrap_cwi_device_make(void)
{
  devices++;
  return __real_cwi_device_make();
}
/* NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming) */

/* Returns the number of mappings in the address ranges of device memory, and of drivers. */
static long count_maps(void)
{
  char line[4096];
  long count = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  if (maps == NULL)
    return -1;
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long begin = 0;
    const bool is_address = sscanf(line, "%lx", &begin) == 1;
    count += (is_address && begin == CWI_DEVICE_ADDRESS_FIRST) ||
             strstr(line, "libOpenCL") != NULL || strstr(line, "libcuda") != NULL ||
             strstr(line, "libpocl") != NULL;
  }
  fclose(maps);
  return count;
}

static void use_host_memory(void)
{
  cw_region region = NULL;
  void **at = NULL;
  int64_t word = 1, got = 0;
  kit_make_region(4096, &region, &at);
  for (int p = 0; p < kit_processes(); p++) {
    KIT_OK(cw_put(&word, at[p], sizeof word, p));
    KIT_OK(cw_accumulate(CW_LONG, NULL, &word, at[p], sizeof word, p));
    KIT_OK(cw_get(&got, at[p], sizeof got, p));
  }
  KIT_OK(cw_barrier(cw_team_world()));
  kit_free_region(&region, at);
}

/* Checks that the counters work. */
static void use_device(void)
{
  cw_device device = NULL;
  cw_region region = NULL;
  void *slices[16];
  int64_t word = 1;
  KIT_MUST(cw_device_open(&(cw_device_options){.kind = CW_DEVICE_HOST}, &device));
  kit_check_long(threads, 0, "threads that an open device begins before it has anything to do");
  KIT_MUST(cw_region_create_on(cw_team_world(), device, 8, &region, slices));
  kit_check_long(count_maps() > 0, 1, "addresses of the slice are kept");
  kit_check_long(threads, kit_processes() > 1, "threads that serve others");
  KIT_OK(cw_put(&word, slices[kit_me()], sizeof word, kit_me()));
  kit_check(threads > (kit_processes() > 1), "the device has a thread");
  kit_check_long(devices, 1, "devices");
  KIT_OK(cw_region_free(cw_team_world(), &region));
  KIT_OK(cw_device_close(&device));
}

int main(int argc, char **argv)
{
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  kit_start(&argc, &argv, "device_nothing");
  const long tasks = kit_threads(), maps = count_maps();
  KIT_MUST(cw_init(MPI_COMM_WORLD));
  use_host_memory();
  kit_check_long(threads, 0, "threads that Causeway began");
  kit_check_long(libraries, 0, "libraries that Causeway opened");
  kit_check_long(devices, 0, "devices");
  kit_check_long(kit_threads(), tasks, "threads after cw_init");
  kit_check_long(count_maps(), maps, "mappings for devices after cw_init");
  use_device();
  KIT_OK(cw_finalize());
  kit_check_threads(tasks, "threads after cw_finalize");
  return kit_finish();
}
