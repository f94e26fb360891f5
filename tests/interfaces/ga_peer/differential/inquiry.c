/* Queries of an array: type, distribution, owners; and the output of printing. */
#include "differ.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void inquire(void)
{
  array *a = array_any(NULL);
  int type = -1, ndim = -1, dims[DIMS] = {0};

  log_text(" %s", a->name);
  NGA_Inquire(a->handle, &type, &ndim, dims);
  log_text(" type %d ndim %d %d %d", type == a->type->code, ndim, GA_Ndim(a->handle),
           GA_Get_dimension(a->handle));
  log_ints("dims", a->ndim, dims);
  log_text(" %s", GA_Inquire_name(a->handle));
  log_text(" ghosts %d grid %d blocks %d valid %d", GA_Has_ghosts(a->handle),
           GA_Uses_proc_grid(a->handle), GA_Total_blocks(a->handle), GA_Valid_handle(a->handle));
  if (is_cyclic(a)) {
    int blocks[DIMS], extents[DIMS];

    GA_Get_block_info(a->handle, blocks, extents);
    log_ints("blocks", a->ndim, blocks);
    log_ints("of", a->ndim, extents);
  }
}

static void distribution(void)
{
  array *a = array_any(NULL);
  int lo[DIMS], hi[DIMS], parts[DIMS];
  int count = is_cyclic(a) ? GA_Total_blocks(a->handle) : run.processes;

  log_text(" %s", a->name);
  for (int p = 0; p < count && p < 8; p++) {
    NGA_Distribution(a->handle, p, lo, hi);
    own(" %d:", p);
    own_ints("lo", a->ndim, lo);
    own_ints("hi", a->ndim, hi);
  }
  if (is_block(a)) {
    GA_Nblock(a->handle, parts);
    own_ints("nblock", a->ndim, parts);
  }
}

/* For cyclic arrays both libraries return the number of the block; outside the array GA 5.8.2
 * returns an undefined number. */
static void locate(void)
{
  array *a = array_any(NULL);
  int sub[DIMS], outside[DIMS];
  int64_t wide[DIMS];

  log_text(" %s", a->name);
  for (int i = 0; i < 8; i++) {
    draw_sub(a, sub);
    for (int d = 0; d < a->ndim; d++) {
      wide[d] = sub[d];
      outside[d] = sub[d];
    }
    own(" %d %d", NGA_Locate(a->handle, sub), NGA_Locate64(a->handle, wide));
  }
  outside[draw(a->ndim)] = -1;
  if (!is_cyclic(a))
    own(" outside %d", NGA_Locate(a->handle, outside));
}

/* The parts of a patch and their owners. Uses the whole of a cyclic array, because GA 5.8.2 finds
 * none where a patch begins in the last block. */
static void locate_region(void)
{
  array *a = array_any(NULL);
  box b;
  int parts, *map, *owners;

  if (is_cyclic(a))
    box_whole(&b, a);
  else
    box_draw(&b, a, 0, 1);
  log_text(" %s", a->name);
  log_box(&b);
  parts = NGA_Locate_nnodes(a->handle, b.lo, b.hi);
  own(" in %d", parts);
  if (is_cyclic(a))
    own(" blocks %d", NGA_Locate_num_blocks(a->handle, b.lo, b.hi));
  map = take(2 * DIMS * (b.count + (size_t)run.processes), sizeof *map);
  owners = take(b.count + (size_t)run.processes, sizeof *owners);
  parts = NGA_Locate_region(a->handle, b.lo, b.hi, map, owners);
  own(" parts %d", parts);
  for (int i = 0; i < parts; i++) {
    if (!is_cyclic(a) || a->ndim == 1) /* numbers of blocks: GA 5.9 gives one number to several */
      own(" %d", owners[i]);
    own_ints("at", 2 * a->ndim, map + (ptrdiff_t)(2 * a->ndim * i));
  }
  free(map);
  free(owners);
  box_free(&b);
}

/* A restriction to all processes is equivalent to none; GA 5.8.2 reports a difference. */
static bool unrestricted(const array *a)
{
  return a->layout != RESTRICTED;
}

static void compare(void)
{
  array *a = array_any(unrestricted), *b = array_like(a);

  log_text(" %s %s", a->name, b->name);
  if (unrestricted(b))
    own(" %d", GA_Compare_distr(a->handle, b->handle));
}

static void process_topology(void)
{
  array *a = array_any(NULL);
  int coord[DIMS] = {0};

  log_text(" %s", a->name);
  if (a->layout == GRID) {
    GA_Get_proc_index(a->handle, run.me, coord);
    own_ints("index", a->ndim, coord);
  }
}

/* Nodes are not compared: for GA 5.8.2 over ARMCI each process is a node. */
static void machine(void)
{
  int nodes = GA_Cluster_nnodes(), world = GA_Pgroup_nnodes(GA_Pgroup_get_world()), found = 0;

  for (int n = 0; n < nodes; n++)
    for (int p = 0; p < GA_Cluster_nprocs(n); p++)
      found += GA_Cluster_proc_nodeid(GA_Cluster_procid(n, p)) == n;
  own(" %d of %d processes found in their nodes, mine in %d", found, world,
      GA_Cluster_nodeid() < nodes);
  log_text(" initialized %d ma %d fapi %d limited %d", GA_Initialized(), GA_Uses_ma(),
           GA_Uses_fapi(), GA_Memory_limited());
}

/* Redirects standard output to a file until end_capture(). */
static int begin_capture(FILE *file)
{
  int saved;

  fflush(stdout);
  saved = dup(STDOUT_FILENO);
  dup2(fileno(file), STDOUT_FILENO);
  return saved;
}

static void end_capture(FILE *file, int saved)
{
  int before = 0;

  fflush(stdout);
  dup2(saved, STDOUT_FILENO);
  close(saved);
  rewind(file);
  own(" \"");
  for (int c; (c = getc(file)) != EOF; before = c)
    if (c == '\n')
      own("/");
    else if ((c != ' ' && c != '-') ||
             (before != c && before != '\n')) /* the width of columns is unspecified */
      own("%c", c);
  own("\"");
}

/* GA 5.8.2 crashes where it prints the distribution of a cyclic array, and prints large numbers in
   two ways, of which one is for positive ones only. */
static bool is_printable(const array *a)
{
  return a->count < 200 && a->ndim <= 3 && is_block(a) && a->bound < 1e5;
}

static void print(void)
{
  enum { ALL, PATCH, PRETTY, DISTRIBUTION, TO_FILE, WAYS };
  static const char *const names[WAYS] = {"all", "patch", "pretty patch", "distribution", "file"};
  int way = draw(WAYS), saved;
  array *a = array_any(is_printable);
  FILE *file = tmpfile();
  box b;

  box_draw(&b, a, 0, 1);
  log_text(" %s %s", names[way], a->name);
  log_box(&b);
  GA_Sync();
  saved = begin_capture(file);
  if (way == ALL)
    GA_Print(a->handle);
  if (way == PATCH || way == PRETTY)
    NGA_Print_patch(a->handle, b.lo, b.hi, way == PRETTY);
  if (way == DISTRIBUTION)
    GA_Print_distribution(a->handle);
  if (way == TO_FILE)
    GA_Print_file(stdout, a->handle);
  GA_Sync();
  end_capture(file, saved);
  fclose(file);
  box_free(&b);
}

const operation inquiry_operations[] = {
    {"inquire", "inquiry", 3, false, inquire},
    {"distribution", "inquiry", 3, false, distribution},
    {"locate", "inquiry", 3, false, locate},
    {"locate_region", "inquiry", 3, false, locate_region},
    {"compare", "inquiry", 2, false, compare},
    {"topology", "inquiry", 1, false, process_topology},
    {"machine", "inquiry", 1, false, machine},
    {"print", "print", 2, false, print},
    {NULL, NULL, 0, false, NULL},
};
