/* Memory for the counters that outlives the process. A process that is forked later (the crash
 * reporter, src/observe/report/crash_reporter.c) sees it at the same addresses, even after this
 * process was killed. It is a file, so that cw-top can read it during the run. Rows grow from its
 * beginning and are dropped at each stop. Memory that is kept for ever grows from its end. */
#include "base/file_write.h"
#include "profile/profile_counters.h"
#include "wait/status_page.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGNMENT = 16 };

static struct cwi_counter_memory_head *head;
static int lasting_file = -1; /* -1 if the memory has no file */

static size_t rounded(size_t bytes)
{
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void *map_shared(size_t bytes, int more, int file)
{
  void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | more, file, 0);
  return at != MAP_FAILED ? at : NULL;
}

/* Maps a memory file, which cw-top can read. Returns NULL if no file can be made; the counters then
 * work without one. */
static void *map_file(size_t bytes)
{
  lasting_file = memfd_create("cw-profile", MFD_CLOEXEC);
  void *at = lasting_file >= 0 && cwi_file_resize(lasting_file, (int64_t)bytes) == 0
                 ? map_shared(bytes, 0, lasting_file)
                 : NULL;
  if (at == NULL && lasting_file >= 0) {
    close(lasting_file);
    lasting_file = -1;
  }
  return at;
}

static struct cwi_counter_memory_head *map_memory(size_t bytes)
{
  void *at = map_file(bytes);
  return at != NULL ? at : map_shared(bytes, MAP_ANONYMOUS, -1);
}

/* Only touched pages use memory. If address space is limited, the mapping is smaller. */
static void lasting_make(void)
{
  enum { LEAST = 1 << 20 };
  size_t bytes = (size_t)256 << 20;
  while ((head = map_memory(bytes)) == NULL && bytes > LEAST)
    bytes /= 2;
  if (head == NULL)
    return;
  head->bytes = bytes;
  head->own = head;
  head->rows = rounded(sizeof *head);
}

bool cwi_counter_memory_start(void)
{
  if (head == NULL)
    lasting_make();
  if (head != NULL)
    cwi_status_profile(lasting_file, cwi_profile_layout());
  return head != NULL;
}

void cwi_counter_memory_show(struct cwi_profiled_thread *first)
{
  __atomic_store_n(&head->threads, first, __ATOMIC_RELEASE);
}

/* Rows may fill the first half of the memory, so that they never meet what is kept from the end. */
void *cwi_counter_memory_take(size_t bytes)
{
  const size_t size = rounded(bytes);
  const uint64_t at = __atomic_fetch_add(&head->rows, size, __ATOMIC_RELAXED);
  if (at + size <= head->bytes / 2)
    return (char *)head + at;
  head->is_short = true;
  return NULL;
}

void *cwi_counter_memory_spare(size_t bytes)
{
  const uint64_t spared = __atomic_add_fetch(&head->spared, rounded(bytes), __ATOMIC_RELAXED);
  return spared <= head->bytes / 8 ? cwi_counter_memory_take(bytes) : NULL;
}

void *cwi_counter_memory_keep(size_t bytes)
{
  const size_t size = rounded(bytes);
  const uint64_t kept = __atomic_add_fetch(&head->kept, size, __ATOMIC_RELAXED);
  if (kept <= head->bytes / 2)
    return (char *)head + head->bytes - kept;
  head->is_short = true;
  return NULL;
}

bool cwi_counter_memory_is_short(void)
{
  return head != NULL && head->is_short;
}

void cwi_counter_memory_forget(void)
{
  const size_t first = rounded(sizeof *head), half = head->bytes / 2;
  const size_t end = head->rows < half ? head->rows : half;
  memset((char *)head + first, 0, end - first);
  head->rows = first;
  head->spared = 0;
  head->is_short = false;
}
