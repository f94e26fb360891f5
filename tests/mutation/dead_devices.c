/* Broken pools with devices, to prove that the tests notice: linked with --wrap for each function
 * below. CW_TEST_MUTANT says which one is broken. */
#include "task/job.h"
#include "task/planning.h"

#include <stdlib.h>
#include <string.h>

static bool broken(const char *mutant)
{
  const char *named = getenv("CW_TEST_MUTANT");
  return named != NULL && strcmp(named, mutant) == 0;
}

/* Nothing that is there is found. */
struct cwi_resident *__real_cwi_resident_find(const struct cwi_residents *residents,
                                              const cw_planned_patch *patch);
struct cwi_resident *__wrap_cwi_resident_find(const struct cwi_residents *residents,
                                              const cw_planned_patch *patch);
struct cwi_resident *__wrap_cwi_resident_find(const struct cwi_residents *residents,
                                              const cw_planned_patch *patch)
{
  return broken("forget") ? NULL : __real_cwi_resident_find(residents, patch);
}

/* Patches stay when the phase is over. */
void __real_cwi_keep_clear(struct cwi_keep *keep);
void __wrap_cwi_keep_clear(struct cwi_keep *keep);
void __wrap_cwi_keep_clear(struct cwi_keep *keep)
{
  if (!broken("stale"))
    __real_cwi_keep_clear(keep);
}

void __real_cwi_bench_clear(struct cwi_bench *bench);
void __wrap_cwi_bench_clear(struct cwi_bench *bench);
void __wrap_cwi_bench_clear(struct cwi_bench *bench)
{
  if (!broken("stale-device"))
    __real_cwi_bench_clear(bench);
}

/* All goes to one kind. */
bool __real_cwi_where_host_takes(const struct cwi_paces *where, const struct cwi_pace *pace,
                                 double work, uint64_t waiting);
bool __wrap_cwi_where_host_takes(const struct cwi_paces *where, const struct cwi_pace *pace,
                                 double work, uint64_t waiting);
bool __wrap_cwi_where_host_takes(const struct cwi_paces *where, const struct cwi_pace *pace,
                                 double work, uint64_t waiting)
{
  if (broken("host") || broken("device"))
    return broken("host");
  return __real_cwi_where_host_takes(where, pace, work, waiting);
}

bool __real_cwi_where_device_takes(const struct cwi_paces *where, const struct cwi_pace *pace,
                                   double work, uint64_t waiting);
bool __wrap_cwi_where_device_takes(const struct cwi_paces *where, const struct cwi_pace *pace,
                                   double work, uint64_t waiting);
bool __wrap_cwi_where_device_takes(const struct cwi_paces *where, const struct cwi_pace *pace,
                                   double work, uint64_t waiting)
{
  if (broken("host") || broken("device"))
    return broken("device");
  return __real_cwi_where_device_takes(where, pace, work, waiting);
}

/* Results stay where they are, and nothing is brought. */
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
