/* GA's handles of arrays: the table of handles in use. */
#include "ga/base/handle.h"

#include "ga/base/binding.h"
#include "wait/object_table.h"

#include <stdlib.h>
#include <string.h>

/* Number of bytes of all entries. With a memory limit, it is needed for each new array. */
static size_t taken;

void cwi_ga_take(struct cwi_ga_array *entry, size_t bytes)
{
  __atomic_fetch_add(&taken, bytes - entry->bytes, __ATOMIC_RELAXED);
  entry->bytes = bytes;
}

size_t cwi_ga_taken(void)
{
  return __atomic_load_n(&taken, __ATOMIC_RELAXED);
}

cw_error cwi_ga_no_array(const char *what, int g_a)
{
  CWI_TRY(cwi_ga_running());
  if (cwi_ga_entry(g_a) != NULL)
    return cwi_misuse("%s is %d, an array that has no memory: call GA_Allocate first", what, g_a);
  return cwi_misuse("%s is %d, which is not the handle of an array (was it destroyed?)", what, g_a);
}

cw_error cwi_ga_open(int g_a, struct cwi_ga_array **entry)
{
  *entry = cwi_ga_entry(g_a);
  if (*entry == NULL)
    return cwi_ga_no_array("g_a", g_a);
  if ((*entry)->array != NULL)
    return cwi_misuse(
        "g_a is %d, an array that is already allocated: make this call before GA_Allocate", g_a);
  return CW_OK;
}

/* There is one entry fewer than there are slots, because the slot of handle 0, which means failure,
 * is not used. */
static struct cwi_objects entries = {CWI_OBJECTS_OF(struct cwi_ga_array),
                                     .most = (uint32_t)CWI_GA_HANDLES - 1};

static int slot_of(const struct cwi_ga_array *entry)
{
  const int number = (int)cwi_object_number(entry);
  return number + (number >= -CWI_GA_FIRST);
}

static cw_error make_entry(struct cwi_ga_array **entry)
{
  *entry = cwi_object_make(&entries);
  if (*entry != NULL)
    return CW_OK;
  return cwi_outside("no memory for a handle of an array, or all of the %d are in use",
                     CWI_GA_HANDLES - 1);
}

/* Makes a complete entry visible, so that its handle may be used. */
static int ga_handle_publish(struct cwi_ga_array *entry)
{
  const int slot = slot_of(entry);
  __atomic_store_n(&cwi_ga.arrays[slot], entry, __ATOMIC_RELEASE);
  return slot + CWI_GA_FIRST;
}

static void ga_handle_discard(struct cwi_ga_array *entry)
{
  free(entry->map);
  free(entry->members);
  cwi_object_end(&entries, entry);
}

cw_error cwi_ga_handle_new(int group, int *g_a, struct cwi_ga_array **entry)
{
  CWI_TRY(make_entry(entry));
  CWI_ASSERT(*entry != NULL);
  (*entry)->group = group;
  *g_a = ga_handle_publish(*entry);
  return CW_OK;
}

/* Returns a copy, or NULL if there is nothing to copy or no memory. */
static void *copy_of(const void *from, size_t bytes)
{
  void *copy = from != NULL && bytes > 0 ? malloc(bytes) : NULL;
  if (copy != NULL)
    memcpy(copy, from, bytes);
  return copy;
}

static size_t map_length(const struct cwi_ga_array *entry)
{
  size_t length = 0;
  for (int d = 0; d < entry->ndim; d++)
    length += (size_t)entry->nblock[d];
  return length;
}

cw_error cwi_ga_handle_like(const struct cwi_ga_array *from, int *g_a, struct cwi_ga_array **entry)
{
  CWI_TRY(make_entry(entry));
  struct cwi_ga_array *made = *entry;
  CWI_ASSERT(made != NULL);
  *made = *from;
  made->array = made->nominal = NULL;
  made->copies = NULL;
  made->bytes = 0;
  made->map = copy_of(from->map, map_length(from) * sizeof *from->map);
  made->members = copy_of(from->members, (size_t)from->member_count * sizeof *from->members);
  if ((made->map == NULL) == (from->map == NULL) &&
      (made->members == NULL) == (from->members == NULL)) {
    *g_a = ga_handle_publish(made);
    return CW_OK;
  }
  ga_handle_discard(made);
  return cwi_outside("no memory for a handle of an array");
}

void cwi_ga_handle_free(int g_a)
{
  struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  if (entry == NULL)
    return;
  __atomic_store_n(&cwi_ga.arrays[g_a - CWI_GA_FIRST], NULL, __ATOMIC_RELEASE);
  cwi_ga_take(entry, 0);
  ga_handle_discard(entry);
}

/* Frees all handles. Causeway frees the arrays themselves when it stops. */
void cwi_ga_handles_stop(void)
{
  for (int slot = 0; slot < CWI_GA_HANDLES; slot++)
    cwi_ga_handle_free(slot + CWI_GA_FIRST);
}

/* --- Calls --- */

int GA_Valid_handle(int g_a)
{
  const struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  return entry != NULL && entry->array != NULL;
}

CWI_GA_NGA(Valid_handle);

int GA_Verify_handle(int g_a)
{
  return GA_Valid_handle(g_a);
}

CWI_GA_NGA(Verify_handle);

static cw_error check_handle(int g_a, const char *message)
{
  if (GA_Valid_handle(g_a))
    return CW_OK;
  return cwi_error_append(cwi_ga_no_array("g_a", g_a), "%s", message != NULL ? message : "");
}

void GA_Check_handle(int g_a, char *message)
{
  (void)CWI_GA(check_handle(g_a, message));
}

static cw_error group_of(int g_a, int *group)
{
  const struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  if (entry == NULL)
    return cwi_ga_no_array("g_a", g_a);
  *group = entry->group;
  return CW_OK;
}

int GA_Get_pgroup(int g_a)
{
  int group = CWI_GA_WORLD;
  (void)CWI_GA(group_of(g_a, &group));
  return group;
}

CWI_GA_NGA(Get_pgroup);
