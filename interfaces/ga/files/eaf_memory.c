/* Exclusive access files in MA's heap. A file exists until the program deletes it. After it is
 * closed, it can be opened again by its name. */
#include "ga/files/pario.h"

#include "ga/ma/ma.h"

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

/* Frees the entry of a deleted file when its last user has closed it. Until then its name is NULL,
 * which means deleted. */
static void memory_forget(struct cwi_eaf_memory *memory)
{
  struct cwi_eaf_memory **link = &first;
  if (memory->name != NULL || memory->users > 0)
    return;
  while (*link != memory)
    link = &(*link)->next;
  *link = memory->next;
  free(memory);
}

static bool memory_fill(const char *call, struct cwi_eaf_memory *memory, long mib)
{
  enum { MIB = 1 << 20 };
  char *bytes = NULL;
  Integer handle = 0;
  const struct cwi_ma_request call_arguments = {MT_C_DBL,
                                                (Integer)(mib * (MIB / (long)sizeof(double))),
                                                {memory->name, strlen(memory->name)},
                                                false};
  if (!cwi_ma_make(call, &call_arguments, &handle, NULL))
    return false;
  (void)cwi_ma_address(call, handle, &bytes);
  memory->handle = handle;
  memory->bytes = (int64_t)mib * MIB;
  memset(bytes, 0, (size_t)memory->bytes);
  return true;
}

static struct cwi_eaf_memory *memory_make(const char *call, const char *name, long mib)
{
  const long most = sizeof(Integer) == sizeof(int) ? INT32_MAX >> 17 : INT64_MAX >> 21;
  struct cwi_eaf_memory *memory = mib <= most ? calloc(1, sizeof *memory) : NULL;
  if (memory != NULL)
    memory->name = strdup(name);
  if (memory != NULL && memory->name != NULL && memory_fill(call, memory, mib)) {
    memory->next = first;
    first = memory;
    return memory;
  }
  if (memory != NULL)
    free(memory->name);
  free(memory);
  (void)cwi_pario_fail(0, call, "file '%s' of %ld MiB does not fit into MA's heap", name, mib);
  return NULL;
}

struct cwi_eaf_memory *cwi_eaf_memory_open(const char *call, const char *name, long mib)
{
  struct cwi_eaf_memory *memory = cwi_eaf_memory_find(name);
  if (memory == NULL)
    memory = memory_make(call, name, mib);
  if (memory != NULL)
    memory->users++;
  return memory;
}

void cwi_eaf_memory_close(struct cwi_eaf_memory *memory)
{
  memory->users--;
  memory_forget(memory);
}

static int memory_reject(const char *call, const struct cwi_eaf_memory *memory, int code,
                         const struct cwi_pario_run *run)
{
  return cwi_pario_fail(
      code, call,
      "%zu bytes at offset %lld are beyond the end of file '%s', which has %lld bytes of MA's heap",
      run->bytes, (long long)run->offset, memory->name, (long long)memory->bytes);
}

static int memory_write(const char *call, const struct cwi_eaf_memory *memory, char *bytes,
                        const struct cwi_pario_run *run)
{
  if (run->offset > memory->bytes || (int64_t)run->bytes > memory->bytes - run->offset)
    return memory_reject(call, memory, CWI_EAF_WRITE, run);
  memcpy(bytes + run->offset, run->buffer, run->bytes);
  return CWI_PARIO_GOOD;
}

/* Reads like eaf_read from a disk: stores the data up to the end, and prints no message if the read
 * begins exactly at the end. */
static int memory_read(const char *call, const struct cwi_eaf_memory *memory, const char *bytes,
                       const struct cwi_pario_run *run)
{
  const int64_t left = memory->bytes - run->offset;
  const size_t there = left > 0 ? (size_t)left : 0;
  if (there > 0)
    memcpy(run->buffer, bytes + run->offset, run->bytes < there ? run->bytes : there);
  if (run->bytes <= there)
    return CWI_PARIO_GOOD;
  return left == 0 ? CWI_PARIO_END : memory_reject(call, memory, CWI_PARIO_END, run);
}

int cwi_eaf_memory_move(const char *call, struct cwi_eaf_memory *memory, bool writes,
                        const struct cwi_pario_run *run)
{
  char *bytes = NULL;
  if (!cwi_ma_address(call, (Integer)memory->handle, &bytes))
    return writes ? CWI_EAF_WRITE : CWI_EAF_READ;
  if (run->bytes == 0)
    return CWI_PARIO_GOOD;
  return writes ? memory_write(call, memory, bytes, run) : memory_read(call, memory, bytes, run);
}

int cwi_eaf_memory_delete(const char *call, struct cwi_eaf_memory *memory)
{
  const Integer handle = (Integer)memory->handle;
  free(memory->name);
  memory->name = NULL;
  memory_forget(memory);
  return cwi_ma_free(call, handle) ? CWI_PARIO_GOOD : CWI_EAF_UNLINK;
}
