/* Memory for the counters that outlives the process: who was forked after it was taken (a witness:
 * src/report/witness.c) finds it at the same addresses, also when the process has been killed. Rows
 * grow from its beginning and are forgotten at each stop; what stays for ever grows from its end.
 */
#include "profile/counters.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 16 };

/* At the beginning of the memory. */
struct lasting_head {
  size_t bytes;        /* of all of it */
  uint64_t rows, kept; /* taken from the beginning, and from the end; both may tell of more than
                          there is */
  bool is_short;
};
static struct lasting_head *head;

static size_t rounded(size_t bytes)
{
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static struct lasting_head *map_memory(size_t bytes)
{
  void *at =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at != MAP_FAILED ? at : NULL;
}

/* Only pages that are touched take memory. Where addresses are limited it is less. */
bool cwi_lasting_start(void)
{
  enum { LEAST = 1 << 20 };
  size_t bytes = (size_t)256 << 20;
  if (head != NULL)
    return true;
  while ((head = map_memory(bytes)) == NULL && bytes > LEAST)
    bytes /= 2;
  if (head == NULL)
    return false;
  head->bytes = bytes;
  head->rows = rounded(sizeof *head);
  return true;
}

/* What is kept never comes near: half of the memory is for rows. */
void *cwi_lasting_take(size_t bytes)
{
  const size_t size = rounded(bytes);
  const uint64_t at = __atomic_fetch_add(&head->rows, size, __ATOMIC_RELAXED);
  if (at + size <= head->bytes / 2)
    return (char *)head + at;
  head->is_short = true;
  return NULL;
}

void *cwi_lasting_keep(size_t bytes)
{
  const size_t size = rounded(bytes);
  const uint64_t kept = __atomic_add_fetch(&head->kept, size, __ATOMIC_RELAXED);
  if (kept <= head->bytes / 2)
    return (char *)head + head->bytes - kept;
  head->is_short = true;
  return NULL;
}

bool cwi_lasting_is_short(void)
{
  return head != NULL && head->is_short;
}

void cwi_lasting_forget(void)
{
  const size_t first = rounded(sizeof *head), half = head->bytes / 2;
  const size_t end = head->rows < half ? head->rows : half;
  memset((char *)head + first, 0, end - first);
  head->rows = first;
  head->is_short = false;
}
