/* ARMCI_Malloc and ARMCI_Free: regions that are looked up by address. */
#include "binding.h"

#include "base/unread_errors.h"
#include "machine/copy.h"
#include "region/region.h"
#include "route/region_calls.h"

/* A requested allocation, and the names of its arguments in the ARMCI call. */
struct armci_wanted {
  const char *array_name, *size_name;
  void **addresses;
  armci_size_t bytes;
};

/* Creates the region of an allocation. Running out of memory is not misuse: the ARMCI call then
 * returns nonzero and NULL addresses on every member. */
static cw_error armci_memory_create(cw_team team, const struct armci_wanted *wanted,
                                    bool *out_of_memory)
{
  *out_of_memory = false;
  CWI_TRY(cwi_check_not_null(wanted->array_name, (const void *)wanted->addresses));
  CWI_TRY(cwi_check_not_negative(wanted->size_name, wanted->bytes));
  cw_region region = NULL;
  const cw_error error = cw_region_create(team, (size_t)wanted->bytes, &region, wanted->addresses);
  *out_of_memory = cwi_failure_is_outside(error);
  return *out_of_memory ? CW_OK : error;
}

static cw_error create_in_group(const ARMCI_Group *group, const struct armci_wanted *wanted,
                                bool *out_of_memory)
{
  cw_team team = NULL;
  CWI_TRY(cwi_armci_member("group", group, &team));
  return armci_memory_create(team, wanted, out_of_memory);
}

/* Frees the region of an address. GA frees an array after its group, so `team` may be NULL; the
 * region itself has its team. Without a team and an address, there is nothing to free. */
static cw_error armci_memory_release(cw_team team, void *address)
{
  if (team == NULL && address == NULL)
    return CW_OK;
  return cwi_armci_known_as(cwi_region_free_address(team, address), "address is ptr");
}

int PARMCI_Malloc(void **base_ptrs, armci_size_t size)
{
  const struct armci_wanted wanted = {"base_ptrs", "size", base_ptrs, size};
  bool out_of_memory = false;
  return CWI_ARMCI_WAITS(armci_memory_create(cw_team_world(), &wanted, &out_of_memory)) != 0 ||
         out_of_memory;
}

int ARMCI_Malloc_group(void **ptr_arr, armci_size_t bytes, ARMCI_Group *group)
{
  const struct armci_wanted wanted = {"ptr_arr", "bytes", ptr_arr, bytes};
  bool out_of_memory = false;
  return CWI_ARMCI_WAITS(create_in_group(group, &wanted, &out_of_memory)) != 0 || out_of_memory;
}

int PARMCI_Free(void *ptr)
{
  return CWI_ARMCI_WAITS(armci_memory_release(cw_team_world(), ptr));
}

int ARMCI_Free_group(void *ptr, ARMCI_Group *group)
{
  return CWI_ARMCI_WAITS(armci_memory_release(cwi_armci_team(group), ptr));
}

/* `device` names a kind of memory. It is ignored, because Causeway has only one kind. */
int PARMCI_Malloc_memdev(void **ptr_arr, armci_size_t bytes, const char *device)
{
  (void)device;
  const struct armci_wanted wanted = {"ptr_arr", "bytes", ptr_arr, bytes};
  bool out_of_memory = false;
  return CWI_ARMCI_WAITS(armci_memory_create(cw_team_world(), &wanted, &out_of_memory)) != 0 ||
         out_of_memory;
}

int PARMCI_Malloc_group_memdev(void **ptr_arr, armci_size_t bytes, ARMCI_Group *group,
                               const char *device)
{
  (void)device;
  const struct armci_wanted wanted = {"ptr_arr", "bytes", ptr_arr, bytes};
  bool out_of_memory = false;
  return CWI_ARMCI_WAITS(create_in_group(group, &wanted, &out_of_memory)) != 0 || out_of_memory;
}

int PARMCI_Free_memdev(void *ptr)
{
  return CWI_ARMCI_WAITS(armci_memory_release(cw_team_world(), ptr));
}

void *PARMCI_Malloc_local(armci_size_t size)
{
  return CWI_ARMCI(cwi_check_not_negative("size", size)) == 0 ? cw_local_alloc((size_t)size) : NULL;
}

int PARMCI_Free_local(void *ptr)
{
  if (CWI_ARMCI(cwi_armci_known_as(cwi_check_local(ptr), "address is ptr")) != 0)
    return 1;
  cw_local_free(ptr);
  return 0;
}

void PARMCI_Access_begin(void *ptr)
{
  (void)CWI_ARMCI(cwi_armci_known_as(cw_access_begin(ptr), "address is ptr"));
}

void PARMCI_Access_end(void *ptr)
{
  (void)CWI_ARMCI(cwi_armci_known_as(cw_access_end(ptr), "address is ptr"));
}

static cw_error check_copy(const void *src, const void *dst, int size)
{
  CWI_TRY(cwi_check_not_negative("size", size));
  if (size == 0)
    return CW_OK;
  CWI_TRY(cwi_check_not_null("src", src));
  return cwi_check_not_null("dst", dst);
}

void ARMCI_Copy(void *src, void *dst, int size)
{
  if (CWI_ARMCI(check_copy(src, dst, size)) == 0 && size > 0)
    cwi_copy(dst, src, (size_t)size);
}

/* GA enforces this limit itself. Causeway's own limit is CW_MEMORY_LIMIT, for a whole node. */
void ARMCI_Set_shm_limit(unsigned long shmemlimit)
{
  (void)shmemlimit;
}

/* Returns 0, as ARMCI-MPI does. GA uses the domain calls instead. */
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
