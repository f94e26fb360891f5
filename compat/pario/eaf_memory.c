/* Exclusive access files in MA's heap. They stay when they are closed, and are found again by their
 * names, until the program deletes them. */
#include "pario/pario.h"

#include "ma/ma.h"

#include <stdlib.h>
#include <string.h>

static struct cwi_eaf_memory *first;

struct cwi_eaf_memory *cwi_eaf_memory_find(const char *name)
{
  struct cwi_eaf_memory *memory = first;
  while (memory != NULL && (memory->name == NULL || strcmp(memory->name, name) != 0))
    memory = memory->next;
  return memory;
}

/* One that was deleted, for files that are still open lead to it: they find that it has gone. */
static struct cwi_eaf_memory *file_in_memory(void)
{
  struct cwi_eaf_memory *memory = calloc(1, sizeof *memory);
  if (memory != NULL) {
    memory->next = first;
    first = memory;
  }
  return memory;
}

static bool memory_fill(const char *call, struct cwi_eaf_memory *memory, long mib)
{
  enum { MIB = 1 << 20 };
  char *bytes = NULL;
  Integer handle = 0;
  const struct cwi_ma_wish wish = {MT_C_DBL,
                                   (Integer)(mib * (MIB / (long)sizeof(double))),
                                   {memory->name, strlen(memory->name)},
                                   false};
  if (!cwi_ma_make(call, &wish, &handle, NULL))
    return false;
  (void)cwi_ma_address(call, handle, &bytes);
  memory->handle = handle;
  memory->bytes = (int64_t)mib * MIB;
  memset(bytes, 0, (size_t)memory->bytes);
  return true;
}

struct cwi_eaf_memory *cwi_eaf_memory_make(const char *call, const char *name, long mib)
{
  const long most = sizeof(Integer) == sizeof(int) ? INT32_MAX >> 17 : INT64_MAX >> 21;
  struct cwi_eaf_memory *memory = mib <= most ? file_in_memory() : NULL;
  if (memory != NULL)
    memory->name = strdup(name);
  if (memory != NULL && memory->name != NULL && memory_fill(call, memory, mib))
    return memory;
  if (memory != NULL) {
    free(memory->name);
    memory->name = NULL;
  }
  (void)cwi_pario_fail(0, call, "file '%s' of %ld MiB has no room in MA's heap", name, mib);
  return NULL;
}

int cwi_eaf_memory_move(const char *call, struct cwi_eaf_memory *memory,
                        const struct cwi_eaf_wish *wish, int64_t offset)
{
  const bool writes = wish->kind == CWI_EAF_WRITES || wish->kind == CWI_EAF_AWRITES;
  char *bytes = NULL;
  if (!cwi_ma_address(call, (Integer)memory->handle, &bytes))
    return writes ? CWI_EAF_WRITE : CWI_EAF_READ;
  if (offset > memory->bytes || wish->bytes > memory->bytes - offset)
    return cwi_pario_fail(writes ? CWI_EAF_WRITE : CWI_PARIO_END, call,
                          "%ld bytes at %.0f are beyond the end of file '%s', which has %.0f bytes "
                          "of MA's heap",
                          wish->bytes, wish->offset, memory->name, (double)memory->bytes);
  if (writes)
    memcpy(bytes + offset, wish->buffer, (size_t)wish->bytes);
  else
    memcpy(wish->buffer, bytes + offset, (size_t)wish->bytes);
  return CWI_PARIO_GOOD;
}

int cwi_eaf_memory_delete(const char *call, struct cwi_eaf_memory *memory)
{
  free(memory->name);
  memory->name = NULL;
  return cwi_ma_free(call, (Integer)memory->handle) ? CWI_PARIO_GOOD : CWI_EAF_UNLINK;
}
