/* The summaries of many processes are merged along a tree. Everything is in the result once for any
 * number of processes, and each process takes part in at most log2 of them messages. Usage: merge
 * PROCESSES. Prints how long it took here, one after the other, and how large the result was. */
#include "kit/kit.h"

#include "base/clock.h"
#include "summary/packed_summary.h"

#include <stdio.h>
#include <stdlib.h>

enum { SITES = 60, OBJECTS = 20, NEIGHBOURS = 16, PHASES = 5, WAITS = 16 };

/* Adds the waits of a process, each longer than those of processes before it, and its memory, in
 * two steps of a length of its own. */
static void add_course(struct cwi_summary *summary, int process)
{
  struct cwi_memory_row memory = {.of = CWI_MEMORY_OF_PROCESS,
                                  .number = process,
                                  .members = 1,
                                  .used = 2,
                                  .step = UINT64_C(1000000) << process % 3,
                                  .least = {1, (uint64_t)process},
                                  .all = {1, (uint64_t)process},
                                  .most = {1, (uint64_t)process}};
  struct cwi_wait_row wait = {
      .phase = UINT32_MAX, .call_class = CW_CALL_BARRIER, .process = process};
  for (uint64_t i = 0; i < WAITS; i++) {
    wait.nanoseconds = (uint64_t)process * WAITS + i;
    cwi_waits_merge(summary, &wait, "/home/somebody/program", "function", "", "cw_barrier");
  }
  cwi_memory_merge(summary, &memory);
}

/* Lets each process touch three cells of it. */
static void draw_object(struct cwi_summary *summary, const char *name, int process)
{
  static const int64_t extents[] = {100, 100};
  struct cwi_heat_map heat_map;
  cwi_heat_map_make(&heat_map, 2, extents);
  const struct cwi_heat_map_row *row = cwi_summary_heat_map(summary, name, &heat_map);
  for (int i = 0; row != NULL && i < 3; i++) {
    const int64_t at = (process + 13 * i) % 100;
    const struct cwi_profile_place place = {.along = {{.first = at, .last = at}, {.last = 0}}};
    cwi_heat_map_add(&heat_map, row->cells, &place, 1, 8, process);
  }
}

static const char *counter_name(const void *name, const struct cwi_top_k_entry *row)
{
  (void)row;
  return name;
}

/* Lets all processes update one element, and each its own one. */
static void count_updates(struct cwi_summary *summary, int process)
{
  const struct cwi_top_k top_k = {
      .used = 2,
      .rows = {{.key = 1, .count = 10, .process = 0, .place = 3},
               {.key = 2, .count = 2, .process = process, .place = 100 + process}}};
  cwi_summary_add_top_k(summary, &top_k, counter_name, "array 'T0', CW_DOUBLE, 100 x 100");
}

/* Makes the summary of one process: the same call sites and objects as the others, its neighbours,
 * itself. */
static void summary_of(struct cwi_summary *summary, int process, int processes)
{
  char text[64];
  *summary = (struct cwi_summary){.incomplete = false};
  for (unsigned i = 0; i < SITES; i++) {
    struct cwi_place_row *row =
        cwi_summary_place(summary, "/home/somebody/program", "function", 16 * i, "cw_put", i % 8);
    row->calls = 1 + i;
    row->longest = (uint64_t)process;
  }
  for (int i = 0; i < OBJECTS; i++) {
    snprintf(text, sizeof text, "array 'T%d', CW_DOUBLE, 100 x 100", i);
    cwi_summary_object(summary, text)->bytes = 1000;
    draw_object(summary, text, process);
  }
  count_updates(summary, process);
  for (int i = 0; i < NEIGHBOURS; i++)
    *(struct cwi_pair_row *)cwi_list_add(summary, &summary->pairs,
                                         sizeof(struct cwi_pair_row)) = (struct cwi_pair_row){
        .origin = process, .target = (process + i * i) % processes, .operations = 1, .bytes = 8};
  for (int i = 0; i < PHASES; i++) {
    snprintf(text, sizeof text, "step/%d", i);
    struct cwi_phase_row *row = cwi_summary_phase(summary, text);
    row->number = row->processes = 1;
    row->least = row->most = (uint64_t)process;
    row->least_process = row->most_process = process;
  }
  *(struct cwi_process_row *)cwi_list_add(summary, &summary->processes,
                                          sizeof(struct cwi_process_row)) =
      (struct cwi_process_row){.process = process, .node = process / 4};
  add_course(summary, process);
}

static void check_course(struct cwi_summary *all, int processes)
{
  cwi_waits_sort(&all->waits);
  kit_check_long((long)all->waits.count, CWI_MOST_WAITS, "waits");
  for (size_t i = 0; i < all->waits.count; i++)
    kit_check_long((long)CWI_ROWS(all, waits, struct cwi_wait_row)[i].nanoseconds,
                   (long)processes * WAITS - 1 - (long)i, "a long wait");
  kit_check_long((long)all->memories.count, processes > CWI_MEMORIES_APART ? 1 : processes,
                 "rows of memory");
  const struct cwi_memory_row *row = CWI_ROWS(all, memories, struct cwi_memory_row);
  kit_check_long((long)row->members, processes, "members");
  kit_check_long((long)row->step, 4000000, "the longest step");
  kit_check_long((long)row->used, 2, "steps");
  kit_check_long((long)row->most[1], processes - 1, "most in the second step");
  kit_check_long((long)row->least[0], 1, "least in the first step");
  kit_check_long((long)row->all[1], (long)processes * (processes - 1) / 2 + 1,
                 "all together at the end");
}

static void check_heat_maps(const struct cwi_summary *all, int processes)
{
  kit_check_long((long)all->heat_maps.count, OBJECTS, "heat_maps");
  for (size_t i = 0; i < all->heat_maps.count; i++) {
    const struct cwi_heat_map_row *row = CWI_ROWS(all, heat_maps, struct cwi_heat_map_row) + i;
    uint64_t operations = 0, bytes = 0;
    for (size_t cell = 0; cell < cwi_heat_map_count(&row->heat_map); cell++) {
      operations += row->cells[cell].operations;
      bytes += row->cells[cell].bytes;
    }
    kit_check_long((long)operations, 3L * processes, "operations of cells");
    kit_check_long((long)bytes, 24L * processes, "bytes of cells");
    kit_check(row->cells[0].least == 1, "process %d was the first in a cell",
              row->cells[0].least - 1);
  }
  const struct cwi_top_k_entry *hottest = &all->updated.rows[0];
  for (uint64_t i = 1; i < all->updated.used; i++)
    hottest = all->updated.rows[i].count > hottest->count ? &all->updated.rows[i] : hottest;
  kit_check(hottest->place == 3 && hottest->count == 10 * (uint64_t)processes && hottest->over == 0,
            "element %lld has %llu updates, or %llu less", (long long)hottest->place,
            (unsigned long long)hottest->count, (unsigned long long)hottest->over);
  kit_check(all->updated.beyond >= (processes > CWI_TOP_K_ENTRIES ? 2 : 0), "others had none");
}

static void check_whole(const struct cwi_summary *all, int processes)
{
  uint64_t calls = 0, longest = 0, bytes = 0;
  for (size_t i = 0; i < all->places.count; i++) {
    calls += CWI_ROWS(all, places, struct cwi_place_row)[i].calls;
    longest = CWI_ROWS(all, places, struct cwi_place_row)[i].longest;
  }
  for (size_t i = 0; i < all->objects.count; i++)
    bytes += CWI_ROWS(all, objects, struct cwi_object_row)[i].bytes;
  kit_check(!all->incomplete, "something is missing");
  kit_check_long((long)all->places.count, SITES, "call sites");
  kit_check_long((long)calls, processes * (long)SITES * (SITES + 1) / 2, "calls");
  kit_check_long((long)longest, processes - 1, "the longest call");
  kit_check_long((long)all->objects.count, OBJECTS, "objects");
  kit_check_long((long)bytes, processes * 1000L * OBJECTS, "bytes of objects");
  kit_check_long((long)all->pairs.count, (long)processes * NEIGHBOURS, "pairs");
  kit_check_long((long)all->processes.count, processes, "processes");
  check_heat_maps(all, processes);
  for (size_t i = 0; i < all->phases.count; i++) {
    const struct cwi_phase_row *row = CWI_ROWS(all, phases, struct cwi_phase_row) + i;
    kit_check_long((long)row->processes, processes, "processes of a phase");
    kit_check(row->least_process == 0 && row->most_process == processes - 1,
              "process %d had the least, %d the most", row->least_process, row->most_process);
  }
}

/* Does what cwi_summary_merge does, with each message a packed summary, and returns the bytes of
 * the longest one. */
static size_t merge(struct cwi_summary *all, int processes)
{
  size_t longest = 0;
  for (int step = 1; step < processes; step *= 2)
    for (int to = 0; to + step < processes; to += 2 * step) {
      size_t bytes = 0;
      char *packed = cwi_summary_pack(&all[to + step], &bytes);
      longest = bytes > longest ? bytes : longest;
      cwi_summary_free(&all[to + step]);
      cwi_summary_unpack(&all[to], packed, bytes);
      free(packed);
    }
  return longest;
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "merge");
  const int processes = argc > 1 ? atoi(argv[1]) : 1024;
  struct cwi_summary *all = kit_alloc((size_t)processes, sizeof *all);
  for (int process = 0; process < processes; process++)
    summary_of(&all[process], process, processes);
  const double begun = cwi_now();
  const size_t longest = merge(all, processes);
  printf("%d processes: %.3f s in all, the longest message %.1f MB\n", processes, cwi_now() - begun,
         1e-6 * (double)longest);
  check_whole(&all[0], processes);
  check_course(&all[0], processes);
  cwi_summary_free(&all[0]);
  free(all);
  return kit_finish();
}
