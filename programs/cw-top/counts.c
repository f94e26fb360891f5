/* Reads the counters of CW_PROFILE (src/core/profile/profile_counters.h) of another process, from a
 * copy of their memory. Pointers in the copy are addresses in that process. The process continues
 * to count while we read: figures of one row may be of different moments, and a pointer may lead to
 * memory that is not written yet. Every pointer is therefore checked. */
#include "cw-top.h"

#include "profile/profile_counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Copies of the two used ends of the counter memory: rows grow from the front, threads and texts
 * from the back. Both ends are freed by copy_free. */
struct copy {
  uintptr_t own; /* address in the other process */
  size_t bytes;  /* size of the whole memory */
  char *front, *back;
  size_t front_bytes, back_bytes;
  size_t rows_bytes; /* bytes of rows that may still be read, see next_row */
};

static bool read_part(int file, char **part, size_t bytes, size_t from)
{
  *part = malloc(bytes + 1); /* the last byte ends an unfinished text */
  if (*part == NULL)
    return false;
  (*part)[bytes] = '\0';
  return pread(file, *part, bytes, (off_t)from) == (ssize_t)bytes;
}

static bool copy_read(int file, struct cwi_counter_memory_head *head, struct copy *copy)
{
  struct stat status;
  if (fstat(file, &status) != 0 || pread(file, head, sizeof *head, 0) != (ssize_t)sizeof *head ||
      status.st_size < 0 || head->bytes > (size_t)status.st_size || head->bytes < sizeof *head)
    return false;
  const size_t half = head->bytes / 2;
  copy->own = (uintptr_t)head->own;
  copy->bytes = head->bytes;
  copy->front_bytes = copy->rows_bytes = head->rows < half ? head->rows : half;
  copy->back_bytes = head->kept < half ? head->kept : half;
  return read_part(file, &copy->front, copy->front_bytes, 0) &&
         read_part(file, &copy->back, copy->back_bytes, copy->bytes - copy->back_bytes);
}

static void copy_free(struct copy *copy)
{
  free(copy->front);
  free(copy->back);
}

/* Returns the address in the copy of `bytes` bytes at `theirs`, or NULL if they are not all in the
 * copy or not aligned. */
static const void *copy_at(const struct copy *copy, const void *theirs, size_t bytes, size_t align)
{
  const size_t at = (uintptr_t)theirs - copy->own;
  const size_t back = copy->bytes - copy->back_bytes;
  if (theirs == NULL || (uintptr_t)theirs < copy->own || at % align != 0)
    return NULL;
  if (at < copy->front_bytes && bytes <= copy->front_bytes - at)
    return copy->front + at;
  if (at >= back && at < copy->bytes && bytes <= copy->bytes - at)
    return copy->back + (at - back);
  return NULL;
}

#define COPY_AT(copy, theirs, type) ((const type *)copy_at(copy, theirs, sizeof(type), 8))

static void copy_text(const struct copy *copy, const char *theirs, char *text, size_t size)
{
  const char *found = copy_at(copy, theirs, 1, 1);
  snprintf(text, size, "%s", found != NULL ? found : "other memory");
  top_clean(text, size);
}

/* --- Rows ------------------------------------------------------------------------------------- */

/* Returns the next row of a list, or NULL at its end. All lists together may have no more rows than
 * fit into the memory, so a list that has become circular while it was copied ends here. */
static const void *next_row(struct copy *copy, const void *theirs, size_t bytes)
{
  if (copy->rows_bytes < bytes)
    return NULL;
  copy->rows_bytes -= bytes;
  return copy_at(copy, theirs, bytes, 8);
}

#define NEXT_ROW(copy, theirs, type) ((const type *)next_row(copy, theirs, sizeof(type)))

static void read_sites(struct copy *copy, const struct cwi_profiled_thread *thread,
                       struct top_counts *counts)
{
  const void *at = thread->sites.first;
  for (;;) {
    const struct cwi_call_site *site = NEXT_ROW(copy, at, struct cwi_call_site);
    if (site == NULL)
      return;
    const unsigned call_class = site->call_class;
    if (call_class < CWI_CALL_CLASSES) {
      counts->calls[call_class] += site->calls;
      counts->class_bytes[call_class] += site->bytes;
      counts->nanoseconds[call_class] += cwi_call_site_done(site);
    }
    at = site->row.next;
  }
}

static void read_targets(struct copy *copy, const struct cwi_profiled_thread *thread,
                         struct top_counts *counts)
{
  const void *at = thread->targets.first;
  for (;;) {
    const struct cwi_call_target *target = NEXT_ROW(copy, at, struct cwi_call_target);
    if (target == NULL)
      return;
    struct top_tally *tally = top_add(&counts->targets, sizeof *tally);
    tally->process = target->process < 0 ? 0 : target->process;
    tally->operations = target->operations;
    tally->bytes = target->bytes;
    at = target->row.next;
  }
}

static void read_objects(struct copy *copy, const struct cwi_profiled_thread *thread,
                         struct top_counts *counts)
{
  const void *at = thread->objects.first;
  for (;;) {
    const struct cwi_call_object *object = NEXT_ROW(copy, at, struct cwi_call_object);
    if (object == NULL)
      return;
    struct top_tally *tally = top_add(&counts->objects, sizeof *tally);
    tally->process = -1;
    copy_text(copy, object->name, tally->name, sizeof tally->name);
    tally->operations = object->operations;
    tally->bytes = object->bytes;
    at = object->row.next;
  }
}

/* --- Threads ---------------------------------------------------------------------------------- */

/* Adds the time of the call in progress, which the counters of its site do not include yet. Also
 * records the longest such call of the process, except tasks. */
static void read_under_way(const struct copy *copy, const struct cwi_profiled_thread *thread,
                           uint64_t now, struct top_counts *counts)
{
  const struct cwi_call_site *site = COPY_AT(copy, thread->clocked_site, struct cwi_call_site);
  const uint64_t since = thread->clocked_since;
  if (since == 0 || since >= now || site == NULL || (unsigned)site->call_class >= CWI_CALL_CLASSES)
    return;
  const double seconds = 1e-9 * (double)(now - since);
  counts->nanoseconds[site->call_class] += now - since;
  if (seconds <= counts->under_way_seconds || site->call_class == CW_CALL_TASK)
    return;
  counts->under_way_seconds = seconds;
  counts->under_way = site->call_class;
}

static void read_thread(struct copy *copy, const struct cwi_profiled_thread *thread, uint64_t now,
                        struct top_counts *counts)
{
  for (int what = CWI_COUNT_PUT; what <= CWI_COUNT_RMW; what++)
    for (int where = 0; where < CWI_WHERES; where++) {
      counts->operations += thread->operations[what][where].count;
      counts->bytes += thread->operations[what][where].bytes;
    }
  read_sites(copy, thread, counts);
  read_under_way(copy, thread, now, counts);
  read_targets(copy, thread, counts);
  read_objects(copy, thread, counts);
}

static void read_all(struct copy *copy, const struct cwi_counter_memory_head *head,
                     struct top_counts *counts)
{
  const uint64_t now = (uint64_t)(1e9 * top_now());
  const void *at = head->threads;
  for (size_t i = copy->back_bytes / sizeof(struct cwi_profiled_thread); i > 0; i--) {
    const struct cwi_profiled_thread *thread = COPY_AT(copy, at, struct cwi_profiled_thread);
    if (thread == NULL)
      break;
    read_thread(copy, thread, now, counts);
    at = thread->next;
  }
  top_tally_merge(&counts->targets);
  top_tally_merge(&counts->objects);
}

void top_counts_read(int pid, const struct cwi_status *status_page, struct top_counts *counts)
{
  struct copy copy = {0};
  struct cwi_counter_memory_head head;
  memset(counts, 0, sizeof *counts);
  if (status_page->profile_file < 0 || status_page->profile_layout != cwi_profile_layout())
    return;
  const int file = top_open(pid, status_page->profile_file);
  if (file < 0)
    return;
  counts->known = copy_read(file, &head, &copy);
  close(file);
  if (counts->known)
    read_all(&copy, &head, counts);
  copy_free(&copy);
}

void top_counts_free(struct top_counts *counts)
{
  free(counts->targets.rows);
  free(counts->objects.rows);
}
