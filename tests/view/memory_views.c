/* Views of memory named by handles: heap, stack, a mapped file and a region's, of every process.
 * All operations of views, by all processes; operations on released handles are rejected. */
#include "kit/native.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { KINDS = 4, WORDS = 6000, PROCESSES = 8 };
static const char *const kinds[KINDS] = {"heap", "stack", "mapped file", "region"};

typedef unsigned char handle_bytes[CW_MEMORY_HANDLE_BYTES];

/* One kind of memory: this process's memory, and the handles and views of all processes. */
struct place {
  int64_t *mine;
  handle_bytes handles[PROCESSES];
  cw_view views[PROCESSES];
};

static struct place places[KINDS];
static cw_notifications notifications;

/* Returns the address of a word of a process's memory. Word p is from process p, words SUM and FLAG
 * are a sum and a flag, and the words from run_of(p) on are a run from process p. */
static int64_t *word_of(struct place *place, int process, size_t index)
{
  void *base = NULL;
  size_t bytes = 0;
  KIT_OK(cw_view_address(place->views[process], process, &base, &bytes));
  kit_check_long((long)bytes, WORDS * 8, "bytes of a view");
  return (int64_t *)base + index;
}

static size_t run_of(int process)
{
  return 100 + (size_t)process * (WORDS - 100) / PROCESSES;
}
enum { RUN = (WORDS - 100) / PROCESSES, SUM = 50, FLAG = 51 };

static int64_t value_of(int from, size_t index)
{
  return 1000000 * (from + 1) + (int64_t)index;
}

static void put_and_get(struct place *place, int process)
{
  int64_t sent[RUN], got[RUN] = {0};
  cw_view view = place->views[process];
  int64_t *there = word_of(place, process, run_of(kit_me()));
  cw_handle handle = {0};
  for (size_t i = 0; i < RUN; i++)
    sent[i] = value_of(kit_me(), i);
  KIT_OK(cw_view_put(view, sent, there, sizeof sent / 2, process));
  KIT_OK(cw_view_rrput(view, sent + RUN / 2, there + RUN / 2, sizeof sent - sizeof sent / 2,
                       process, &handle));
  KIT_OK(cw_wait(&handle));
  KIT_OK(cw_view_flush(view, process));
  KIT_OK(cw_view_get(view, got, there, sizeof got, process));
  KIT_OK(cw_view_flush(view, process));
  kit_check(memcmp(sent, got, sizeof got) == 0, "other data came back");
  memset(got, 0, sizeof got);
  const ptrdiff_t stride = 16;
  const size_t count = RUN / 2;
  const cw_transfer rows = cw_strided(CW_GET, got, &stride, there, &stride, 8, &count, 1, process);
  KIT_OK(cw_view_start(view, &rows, &handle));
  KIT_OK(cw_wait(&handle));
  for (size_t i = 0; i + 1 < RUN; i += 2)
    kit_check_long(got[i], sent[i], "row");
}

/* All processes add to one word of every process. */
static void update(struct place *place, int process)
{
  const int64_t one = 1, two = 2;
  int64_t before = -1, none = 0;
  cw_view view = place->views[process], ordered = NULL;
  int64_t *sum = word_of(place, process, SUM), *flag = word_of(place, process, FLAG);
  const cw_view_settings settings = {.ordered = true};
  bool intrinsic = true;
  KIT_OK(cw_view_dup(view, &settings, &ordered));
  KIT_OK(cw_view_accumulate(ordered, CW_INT64, CW_SUM, &one, sum, 1, process));
  KIT_OK(cw_view_fetch_op(ordered, CW_INT64, CW_SUM, &two, sum, process, &before));
  KIT_OK(cw_view_flush_local(ordered, process));
  kit_check(before >= 1, "the value before is %ld, though this process has added to it",
            (long)before);
  KIT_OK(cw_view_get_accumulate(view, CW_INT64, CW_BIT_OR, &none, &before, sum, 1, process));
  KIT_OK(cw_view_compare_swap(view, CW_INT64, &none, &one, flag, process, &before));
  KIT_OK(cw_view_put_notify(view, &two, word_of(place, process, (size_t)kit_me()), sizeof two,
                            process, notifications, 0));
  KIT_OK(cw_view_flush(view, process));
  KIT_OK(cw_view_op_intrinsic(view, "sum", 1, CW_INT64, &intrinsic));
  kit_check(!intrinsic, "updates of memory that a handle names are called intrinsic");
  KIT_OK(cw_view_free(&ordered));
}

static void check_mine(const struct place *place)
{
  const int processes = kit_processes();
  kit_check_long(place->mine[SUM], 3L * processes, "sum");
  kit_check_long(place->mine[FLAG], 1, "word that was swapped");
  for (int from = 0; from < processes; from++) {
    kit_check_long(place->mine[from], 2, "word with a notification");
    for (size_t i = 0; i < RUN; i++)
      if (!kit_check_long(place->mine[run_of(from) + i], value_of(from, i), "word of a run"))
        return;
  }
}

static void check_rejected(struct place *place, int process)
{
  const int other = (process + 1) % kit_processes();
  cw_view view = place->views[process];
  int64_t *there = word_of(place, process, 0), word = 0;
  const cw_view_settings asserted = {.intrinsic = "sum", .intrinsic_type = CW_INT64};
  cw_view copy = NULL;
  KIT_MISUSE("remote", cw_view_put(view, &word, there + WORDS, sizeof word, process));
  KIT_MISUSE("remote", cw_view_put(view, &word, there - 1, sizeof word, process));
  KIT_MISUSE("bytes", cw_view_get(view, &word, there, SIZE_MAX, process));
  if (other != process)
    KIT_MISUSE("process", cw_view_put(view, &word, there, sizeof word, other));
  KIT_OUTSIDE("intrinsic", cw_view_dup(view, &asserted, &copy));
  kit_check(copy == NULL, "a view with a setting that was refused");
}

/* A release is known at once within a node; for other nodes, the owner's server reports it. */
static void use_released(struct place *place, int process)
{
  cw_view view = place->views[process], again = NULL;
  int64_t *there = word_of(place, process, (size_t)kit_me()), word = 77;
  cw_error error = cw_view_put(view, &word, there, sizeof word, process);
  if (error == CW_OK)
    error = cw_view_flush(view, process);
  kit_check(error == CW_MISUSE && strstr(cw_error_message(), "released") != NULL,
            "a put to released memory: error %d, %s", (int)error, cw_error_message());
  error = cw_view_from_memory(place->handles[process], &again);
  const bool known = cw_process_node(process) == cw_process_node(kit_me());
  kit_check(error == (known ? CW_MISUSE : CW_OK), "a view of released memory: error %d",
            (int)error);
  if (again != NULL)
    KIT_OK(cw_view_free(&again));
}

static void make_views(struct place *place)
{
  handle_bytes mine;
  KIT_MUST(cw_memory_handle_create(place->mine, WORDS * sizeof(int64_t), mine));
  KIT_MUST(cw_allgather(cw_team_world(), mine, sizeof mine, place->handles));
  for (int process = 0; process < kit_processes(); process++)
    KIT_MUST(cw_view_from_memory(place->handles[process], &place->views[process]));
}

static void for_all(void (*act)(struct place *, int))
{
  for (int kind = 0; kind < KINDS; kind++)
    for (int i = 0; i < kit_processes(); i++) {
      const int process = (kit_me() + i) % kit_processes();
      kit_about("%s of process %d", kinds[kind], process);
      act(&places[kind], process);
    }
  KIT_OK(cw_barrier(cw_team_world()));
}

static void end(struct place *place, int process)
{
  KIT_OK(cw_view_free(&place->views[process]));
}

static int64_t *map_file(void)
{
  const int file = memfd_create("memory_views", 0);
  const size_t bytes = WORDS * sizeof(int64_t);
  if (file < 0 || ftruncate(file, (off_t)bytes) != 0)
    return NULL;
  void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return mapped != MAP_FAILED ? mapped : NULL;
}

/* Makes handles on this process's memory, then runs all tests with those of all processes. */
static void run(void)
{
  int64_t value = 0;
  for (int kind = 0; kind < KINDS; kind++)
    make_views(&places[kind]);
  KIT_OK(cw_barrier(cw_team_world()));
  for_all(put_and_get);
  for_all(update);
  for (int kind = 0; kind < KINDS; kind++) {
    kit_about("my %s", kinds[kind]);
    check_mine(&places[kind]);
  }
  kit_about("notifications");
  KIT_OK(cw_notification_read(notifications, 0, &value));
  kit_check_long(value, (long)KINDS * kit_processes(), "number of notified puts");
  for_all(check_rejected);
  for (int kind = 0; kind < KINDS; kind++)
    KIT_OK(cw_memory_handle_release(places[kind].handles[kit_me()]));
  KIT_OK(cw_barrier(cw_team_world()));
  if (!kit_by_rma())
    for_all(use_released);
  for_all(end);
  for (int kind = 0; kind < KINDS; kind++) {
    kit_about("my %s", kinds[kind]);
    check_mine(&places[kind]);
  }
}

int main(int argc, char **argv)
{
  int64_t stack[WORDS] = {0};
  cw_region region = NULL;
  void **at = NULL;
  kit_start_native(&argc, &argv, "memory_views");
  kit_hang_guard();
  places[0].mine = calloc(WORDS, sizeof(int64_t));
  places[1].mine = stack;
  places[2].mine = map_file();
  places[3].mine = kit_make_region(WORDS * sizeof(int64_t), &region, &at);
  KIT_MUST(cw_notifications_create(cw_team_world(), 1, &notifications));
  run();
  KIT_OK(cw_notifications_free(&notifications));
  kit_free_region(&region, at);
  munmap(places[2].mine, WORDS * sizeof(int64_t));
  free(places[0].mine);
  return kit_finish_native();
}
