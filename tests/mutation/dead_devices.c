/* Broken pools with devices, to prove that the tests notice: linked with --wrap for each function
 * below. CW_TEST_MUTANT names the broken one. */
#include "device_task/device_job.h"
#include "device_task/planning.h"

#include <stdlib.h>
#include <string.h>

static bool broken(const char *mutant)
{
  const char *named = getenv("CW_TEST_MUTANT");
  return named != NULL && strcmp(named, mutant) == 0;
}

/* A cached patch is never found. */
struct cwi_cached_patch *__real_cwi_patch_cache_find(const struct cwi_patch_cache *residents,
                                                     const cw_planned_patch *patch);
struct cwi_cached_patch *__wrap_cwi_patch_cache_find(const struct cwi_patch_cache *residents,
                                                     const cw_planned_patch *patch);
struct cwi_cached_patch *__wrap_cwi_patch_cache_find(const struct cwi_patch_cache *residents,
                                                     const cw_planned_patch *patch)
{
  return broken("forget") ? NULL : __real_cwi_patch_cache_find(residents, patch);
}

/* Patches are kept after the end of the phase. */
void __real_cwi_constant_cache_clear(struct cwi_constant_cache *keep);
void __wrap_cwi_constant_cache_clear(struct cwi_constant_cache *keep);
void __wrap_cwi_constant_cache_clear(struct cwi_constant_cache *keep)
{
  if (!broken("stale"))
    __real_cwi_constant_cache_clear(keep);
}

void __real_cwi_task_device_clear(struct cwi_task_device *bench);
void __wrap_cwi_task_device_clear(struct cwi_task_device *bench);
void __wrap_cwi_task_device_clear(struct cwi_task_device *bench)
{
  if (!broken("stale-device"))
    __real_cwi_task_device_clear(bench);
}

/* All tasks go to one kind. */
bool __real_cwi_placement_host_takes(const struct cwi_placement *where,
                                     const struct cwi_class_cost *pace, double work,
                                     uint64_t waiting);
bool __wrap_cwi_placement_host_takes(const struct cwi_placement *where,
                                     const struct cwi_class_cost *pace, double work,
                                     uint64_t waiting);
bool __wrap_cwi_placement_host_takes(const struct cwi_placement *where,
                                     const struct cwi_class_cost *pace, double work,
                                     uint64_t waiting)
{
  if (broken("host") || broken("device"))
    return broken("host");
  return __real_cwi_placement_host_takes(where, pace, work, waiting);
}

bool __real_cwi_placement_device_takes(const struct cwi_placement *where,
                                       const struct cwi_class_cost *pace, double work,
                                       uint64_t waiting);
bool __wrap_cwi_placement_device_takes(const struct cwi_placement *where,
                                       const struct cwi_class_cost *pace, double work,
                                       uint64_t waiting);
bool __wrap_cwi_placement_device_takes(const struct cwi_placement *where,
                                       const struct cwi_class_cost *pace, double work,
                                       uint64_t waiting)
{
  if (broken("host") || broken("device"))
    return broken("device");
  return __real_cwi_placement_device_takes(where, pace, work, waiting);
}

/* Results are not written back, and patches are not fetched. */
cw_error __real_cwi_patch_store(const cw_planned_patch *patch, void *buffer, cw_handle *handle);
cw_error __wrap_cwi_patch_store(const cw_planned_patch *patch, void *buffer, cw_handle *handle);
cw_error __wrap_cwi_patch_store(const cw_planned_patch *patch, void *buffer, cw_handle *handle)
{
  return broken("store") ? CW_OK : __real_cwi_patch_store(patch, buffer, handle);
}

cw_error __real_cwi_patch_fetch(const cw_planned_patch *patch, void *buffer, cw_handle *handle);
cw_error __wrap_cwi_patch_fetch(const cw_planned_patch *patch, void *buffer, cw_handle *handle);
cw_error __wrap_cwi_patch_fetch(const cw_planned_patch *patch, void *buffer, cw_handle *handle)
{
  return broken("fetch") ? CW_OK : __real_cwi_patch_fetch(patch, buffer, handle);
}
