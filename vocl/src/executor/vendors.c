/* Opens the vendors' OpenCL libraries without a loader, and lists their devices, for clients and
 * proxies. */
#include "base/log.h"
#include "base/settings.h"
#include "executor/executor.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The folder that OpenCL loaders use on Linux. */
static const char usual_folder[] = "/etc/OpenCL/vendors";

/* A symbol that only our own library has. Neither our library nor a copy of it may be used as a
 * vendor's. */
static const char own_symbol[] = "vocl_library_version";

enum { MOST_DEVICES = 64, MOST_PLATFORMS = 16 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct vocl_found_device found[MOST_DEVICES];
static size_t found_count;
static unsigned vendor_count;

static void vendors_add_platform(cl_platform_id platform)
{
  cl_device_id devices[MOST_DEVICES];
  cl_uint count = 0;
  const cl_int code = vocl_vendor_calls(platform)->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL,
                                                                  MOST_DEVICES, devices, &count);
  if (code != CL_SUCCESS)
    return;
  for (cl_uint i = 0; i < count && i < MOST_DEVICES && found_count < MOST_DEVICES; i++)
    found[found_count++] = (struct vocl_found_device){devices[i], vendor_count};
  vendor_count++;
}

static void vendors_open(const char *name)
{
  /* Lazy binding, as loaders use it: binding all functions of a compiler at once takes 30 ms. */
  void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (library == NULL) {
    cwi_log(CWI_LOG_WARNING, "OpenCL: %s cannot be opened: %s", name, dlerror());
    return;
  }
  if (dlsym(library, own_symbol) != NULL)
    return;
  /* POSIX allows this conversion from an object pointer to a function pointer. */
  VOCL_CALL(clGetExtensionFunctionAddress) address_of = NULL;
  *(void **)&address_of = dlsym(library, "clGetExtensionFunctionAddress");
  cl_int(CL_API_CALL * platforms_of)(cl_uint, cl_platform_id *, cl_uint *) = NULL;
  if (address_of != NULL)
    *(void **)&platforms_of = address_of("clIcdGetPlatformIDsKHR");
  cl_platform_id platforms[MOST_PLATFORMS];
  cl_uint count = 0;
  if (platforms_of == NULL || platforms_of(MOST_PLATFORMS, platforms, &count) != CL_SUCCESS) {
    cwi_log(CWI_LOG_INFO, "OpenCL: %s has no platform that supports cl_khr_icd", name);
    return;
  }
  for (cl_uint i = 0; i < count && i < MOST_PLATFORMS; i++)
    vendors_add_platform(platforms[i]);
}

/* Opens the library that the first line of an *.icd file names. */
static void vendors_read_icd(const char *path)
{
  char name[1024];
  FILE *file = fopen(path, "re");
  if (file == NULL) {
    cwi_log(CWI_LOG_WARNING, "OpenCL: %s cannot be read", path);
    return;
  }
  if (fgets(name, sizeof name, file) != NULL) {
    name[strcspn(name, "\r\n")] = '\0';
    vendors_open(name);
  }
  fclose(file);
}

static int is_icd(const struct dirent *entry)
{
  const size_t length = strlen(entry->d_name);
  return length > 4 && strcmp(entry->d_name + length - 4, ".icd") == 0;
}

static void vendors_search(const char *place)
{
  struct dirent **entries = NULL;
  const int count = scandir(place, &entries, is_icd, alphasort);
  const size_t length = strlen(place);
  if (count < 0 && length > 4 && strcmp(place + length - 4, ".icd") == 0)
    vendors_read_icd(place);
  else if (count < 0 && place != usual_folder)
    vendors_open(place);
  for (int i = 0; i < count; i++) {
    char path[4096];
    const int written = snprintf(path, sizeof path, "%s/%s", place, entries[i]->d_name);
    if (written > 0 && (size_t)written < sizeof path)
      vendors_read_icd(path);
    free(entries[i]);
  }
  free(entries);
}

static void vendors_find(void)
{
  found_count = 0; /* in a child of a fork during the first call, the search starts again */
  vendor_count = 0;
  if (cwi_settings_read() != CW_OK)
    cwi_log(CWI_LOG_WARNING, "%s", cwi_error_message());
  else
    cwi_log_up_to(cwi_settings.log);
  const char *places = cwi_settings_text(cwi_settings.vocl_vendors);
  if (*places == '\0')
    vendors_search(usual_folder);
  while (*places != '\0') {
    char place[4096];
    const size_t length = strcspn(places, ":");
    if (length > 0 && length < sizeof place) {
      memcpy(place, places, length);
      place[length] = '\0';
      vendors_search(place);
    }
    places += length + (places[length] == ':');
  }
}

size_t vocl_vendor_devices(const struct vocl_found_device **devices)
{
  pthread_once(&once, vendors_find);
  *devices = found;
  return found_count;
}
