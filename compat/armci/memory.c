#include "binding.h"

#include "memory/region.h"

#include <string.h>

/* Memory that is not to be had is an answer, not misuse: nonzero and NULLs, on every member. */
static cw_error create(cw_team team, const char *what, void **addresses, armci_size_t bytes,
                       bool *refused)
{
  *refused = false;
  CWI_TRY(cwi_armci_given(what, (const void *)addresses));
  CWI_TRY(cwi_armci_not_negative("size", bytes));
  cw_region region = NULL;
  const cw_error error = cw_region_create(team, (size_t)bytes, &region, addresses);
  *refused = error == CW_OUTSIDE;
  return *refused ? CW_OK : error;
}

/* GA frees an array after its group: the memory itself knows its team. Without either there is
 * nothing to free. */
static cw_error release(cw_team team, void *address)
{
  return team == NULL && address == NULL ? CW_OK : cwi_region_free_address(team, address);
}

int PARMCI_Malloc(void **base_ptrs, armci_size_t size)
{
  bool refused = false;
  return CWI_ARMCI_WAITS(create(cw_team_world(), "base_ptrs", base_ptrs, size, &refused)) != 0 ||
         refused;
}

static cw_error create_in_group(const ARMCI_Group *group, void **addresses, armci_size_t bytes,
                                bool *refused)
{
  cw_team team = NULL;
  CWI_TRY(cwi_armci_member("group", group, &team));
  return create(team, "ptr_arr", addresses, bytes, refused);
}

int ARMCI_Malloc_group(void **ptr_arr, armci_size_t bytes, ARMCI_Group *group)
{
  bool refused = false;
  return CWI_ARMCI_WAITS(create_in_group(group, ptr_arr, bytes, &refused)) != 0 || refused;
}

int PARMCI_Free(void *ptr)
{
  return CWI_ARMCI_WAITS(release(cw_team_world(), ptr));
}

int ARMCI_Free_group(void *ptr, ARMCI_Group *group)
{
  return CWI_ARMCI_WAITS(release(cwi_armci_team(group), ptr));
}

/* "device" names a kind of memory that no machine of ours has. */
int PARMCI_Malloc_memdev(void **ptr_arr, armci_size_t bytes, const char *device)
{
  (void)device;
  return PARMCI_Malloc(ptr_arr, bytes);
}

int PARMCI_Malloc_group_memdev(void **ptr_arr, armci_size_t bytes, ARMCI_Group *group,
                               const char *device)
{
  (void)device;
  return ARMCI_Malloc_group(ptr_arr, bytes, group);
}

int PARMCI_Free_memdev(void *ptr)
{
  return PARMCI_Free(ptr);
}

void *PARMCI_Malloc_local(armci_size_t size)
{
  return CWI_ARMCI(cwi_armci_not_negative("size", size)) == 0 ? cw_local_alloc((size_t)size) : NULL;
}

int PARMCI_Free_local(void *ptr)
{
  cw_local_free(ptr);
  return 0;
}

void PARMCI_Access_begin(void *ptr)
{
  (void)CWI_ARMCI(cw_access_begin(ptr));
}

void PARMCI_Access_end(void *ptr)
{
  (void)CWI_ARMCI(cw_access_end(ptr));
}

static cw_error check_copy(const void *src, const void *dst, int size)
{
  CWI_TRY(cwi_armci_not_negative("size", size));
  if (size == 0)
    return CW_OK;
  CWI_TRY(cwi_armci_given("src", src));
  return cwi_armci_given("dst", dst);
}

void ARMCI_Copy(void *src, void *dst, int size)
{
  if (CWI_ARMCI(check_copy(src, dst, size)) == 0 && size > 0)
    memmove(dst, src, (size_t)size);
}

/* GA enforces this limit itself; Causeway's own is CW_MEMORY_LIMIT, for a whole node. */
void ARMCI_Set_shm_limit(unsigned long shmemlimit)
{
  (void)shmemlimit;
}

/* As ARMCI-MPI answers; GA decides by the domain calls. */
int ARMCI_Uses_shm(void)
{
  return 0;
}

int ARMCI_Uses_shm_grp(ARMCI_Group *group)
{
  (void)group;
  return 0;
}

CWI_TWIN(ARMCI_Malloc);
CWI_TWIN(ARMCI_Free);
CWI_TWIN(ARMCI_Malloc_memdev);
CWI_TWIN(ARMCI_Malloc_group_memdev);
CWI_TWIN(ARMCI_Free_memdev);
CWI_TWIN(ARMCI_Malloc_local);
CWI_TWIN(ARMCI_Free_local);
CWI_TWIN(ARMCI_Access_begin);
CWI_TWIN(ARMCI_Access_end);
