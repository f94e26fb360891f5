/* The memory of arrays: its limit and its use, and memory that a program allocates for an array. */
#include "ga/memory/memory.h"
#include "ga/base/binding.h"
#include "ga/base/handle.h"
#include "ga/group/group.h"

#include "route/region_calls.h"

static bool limited;
static size_t limit; /* for all arrays: the program's limit plus the bytes that arrays used when the
                        limit was set */

cw_error cwi_ga_fits(size_t bytes)
{
  if (CWI_LIKELY(!limited) || bytes <= GA_Memory_avail())
    return CW_OK;
  return cwi_outside("the array needs %zu bytes here; %zu are left of GA's memory limit", bytes,
                     GA_Memory_avail());
}

/* Makes this number of bytes available for further arrays. 0 is a limit, too. A negative number,
 * which Fortran programs use, means no limit. */
void GA_Set_memory_limit(size_t bytes)
{
  limited = bytes <= PTRDIFF_MAX;
  limit = bytes + cwi_ga_taken();
}

int GA_Memory_limited(void)
{
  return limited;
}

/* Returns SIZE_MAX if there is no limit, as in GA. */
size_t GA_Memory_avail(void)
{
  const size_t taken = cwi_ga_taken();
  return !limited ? SIZE_MAX : taken < limit ? limit - taken : 0;
}

size_t GA_Inquire_memory(void)
{
  return cwi_ga_taken();
}

/* Allocates memory. Collective over the group. Group 0 is the mirror group in other calls. Here it
 * means the default group, because programs pass 0 and then create arrays of all processes in this
 * memory. */
static cw_error ga_memory_get(int type, int elements, int group, void **memory)
{
  cw_team team = NULL;
  cw_type native;
  cw_region region = NULL;
  size_t bytes = 0;
  CWI_TRY(cwi_ga_team("group", group == CWI_GA_MIRROR ? cwi_ga_default() : group, &team));
  CWI_TRY(cwi_ga_type(&type, &native, &bytes));
  CWI_TRY(cwi_check_not_negative("elements", elements));
  /* Processes look the memory up by its address, so it must not be empty. */
  const size_t least = elements > 0 ? (size_t)elements : 1;
  CWI_TRY(cw_region_create(team, least * bytes, &region, NULL));
  *memory = cw_region_address(region, cw_team_rank(team));
  return CW_OK;
}

void *GA_Getmem(int type, int elements, int group)
{
  void *memory = NULL;
  (void)CWI_GA_WAITS(ga_memory_get(type, elements, group, &memory));
  return memory;
}

/* Frees memory of ga_memory_get. The memory's region has the team. */
static cw_error ga_memory_release(void *memory)
{
  CWI_TRY(cwi_ga_running());
  if (memory == NULL)
    return CW_OK;
  return cwi_ga_known_as(cwi_region_free_address(NULL, memory), "address is ptr");
}

void GA_Freemem(void *ptr)
{
  (void)CWI_GA_WAITS(ga_memory_release(ptr));
}

void cwi_ga_memory_stop(void)
{
  limited = false;
}

CWI_GA_NGA(Set_memory_limit);
CWI_GA_NGA(Memory_limited);
CWI_GA_NGA(Memory_avail);
CWI_GA_NGA(Inquire_memory);
