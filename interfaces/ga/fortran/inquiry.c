/* Inquiries about arrays: types, indices and processes as Fortran counts them. */
#include "ga/fortran/convert.h"

#include "ga/array/patch.h"

void cwi_gaf_inquire_matrix(int g_a, Integer *type, Integer *dim1, Integer *dim2)
{
  const struct cwi_ga_array *entry = cwi_ga_entry(cwi_gaf_matrix("g_a", g_a));
  *type = cwi_ga_fortran_code(entry->type);
  *dim1 = cwi_gaf_result("dim1", entry->dims[1]);
  *dim2 = cwi_gaf_result("dim2", entry->dims[0]);
}

void cwi_gaf_inquire(int g_a, Integer *type, Integer *ndim, Integer *dims)
{
  int code = 0, count = 0;
  int64_t extents[GA_MAX_DIM];
  NGA_Inquire64(g_a, &code, &count, extents);
  *type = cwi_ga_fortran_code(code);
  *ndim = count;
  cwi_gaf_extents_found("dims", count, extents, dims);
}

/* --- Locations --- */

/* Stores the bounds of a process's patch. If the process has no elements, lo is 0 and hi is -1. */
void cwi_gaf_distribution(int g_a, int process, Integer *lo, Integer *hi)
{
  struct cwi_gaf_patch patch;
  NGA_Distribution64(g_a, process, patch.lo, patch.hi);
  cwi_gaf_place_found("lo", g_a, patch.lo, lo);
  cwi_gaf_place_found("hi", g_a, patch.hi, hi);
}

void cwi_gaf_distribution_matrix(int g_a, int process, Integer *ilo, Integer *ihi, Integer *jlo,
                                 Integer *jhi)
{
  struct cwi_gaf_patch patch;
  const int rows = cwi_gaf_rows(g_a);
  NGA_Distribution64(g_a, process, patch.lo, patch.hi);
  if (rows == 0) { /* a vector is one column */
    patch.lo[1] = patch.lo[0];
    patch.hi[1] = patch.hi[0];
    patch.lo[0] = patch.lo[0] < 0 ? patch.lo[0] : 0;
    patch.hi[0] = patch.hi[0] < 0 ? patch.hi[0] : 0;
  }
  *ilo = cwi_gaf_result("ilo", patch.lo[1] + 1);
  *ihi = cwi_gaf_result("ihi", patch.hi[1] + 1);
  *jlo = cwi_gaf_result("jlo", patch.lo[0] + 1);
  *jhi = cwi_gaf_result("jhi", patch.hi[0] + 1);
}

void cwi_gaf_topology_matrix(int g_a, int process, Integer *prow, Integer *pcol)
{
  int coord[2] = {0, 0};
  (void)cwi_gaf_rows(g_a);
  NGA_Proc_topology(g_a, process, coord);
  *prow = coord[0];
  *pcol = coord[1]; /* 0 for a vector */
}

/* The results of the C calls in this function and the next are already in Fortran's order. */
void cwi_gaf_topology(int g_a, int process, Integer *coord)
{
  int numbers[GA_MAX_DIM];
  NGA_Proc_topology(g_a, process, numbers);
  for (int d = 0; d < cwi_ga_ndim(g_a); d++)
    coord[d] = numbers[d];
}

void cwi_gaf_proc_grid(int g_a, Integer *grid)
{
  int numbers[GA_MAX_DIM];
  GA_Get_proc_grid(g_a, numbers);
  for (int d = 0; d < cwi_ga_ndim(g_a); d++)
    grid[d] = numbers[d];
}

bool cwi_gaf_locate(int g_a, int64_t *index, Integer *owner)
{
  *owner = NGA_Locate64(g_a, index);
  return *owner >= 0;
}

/* Finds the owner of an element. j is ignored if the array is a vector. */
bool cwi_gaf_locate_in_matrix(int g_a, int64_t i, int64_t j, Integer *owner)
{
  int64_t index[2] = {j - 1, i - 1};
  return cwi_gaf_locate(g_a, &index[1 - cwi_gaf_rows(g_a)], owner);
}

bool cwi_gaf_locate_nnodes(int g_a, struct cwi_gaf_patch *patch, Integer *np)
{
  *np = NGA_Locate_nnodes64(g_a, patch->lo, patch->hi);
  return *np > 0;
}

int cwi_gaf_locate_num_blocks(int g_a, const struct cwi_gaf_patch *patch)
{
  int count = 0;
  (void)CWI_GA(cwi_ga_count_pieces(g_a, patch->lo, patch->hi, true, &count));
  return count;
}

/* The pieces of a patch, as NGA_Locate_region64 stores them. count is 0 if the patch is not inside
 * the array, or after an error. */
struct pieces {
  int count;
  int64_t *map;
  int *procs;
};

static struct pieces find_pieces(int g_a, struct cwi_gaf_patch *patch)
{
  const size_t ndim = (size_t)cwi_ga_ndim(g_a);
  struct pieces found = {.count = NGA_Locate_nnodes64(g_a, patch->lo, patch->hi)};
  if (found.count <= 0 || ndim == 0)
    return (struct pieces){0};
  found.map = calloc((size_t)found.count, 2 * ndim * sizeof *found.map);
  found.procs = calloc((size_t)found.count, sizeof *found.procs);
  if (found.map != NULL && found.procs != NULL) {
    found.count = NGA_Locate_region64(g_a, patch->lo, patch->hi, found.map, found.procs);
    return found;
  }
  (void)CWI_GA(cwi_outside("no memory for a list of %d pieces of a patch", found.count));
  found.count = 0;
  return found;
}

static bool free_pieces(struct pieces *found, Integer *np)
{
  *np = found->count;
  free(found->map);
  free(found->procs);
  return *np > 0;
}

/* Stores five numbers for each piece: ilo, ihi, jlo, jhi, and the process. */
bool cwi_gaf_locate_matrix(int g_a, struct cwi_gaf_patch *patch, Integer *map5, Integer *np)
{
  const size_t rows = (size_t)cwi_gaf_rows(g_a), ndim = rows + 1;
  struct pieces found = find_pieces(g_a, patch);
  for (int i = 0; i < found.count; i++) {
    const int64_t *lo = found.map + 2 * ndim * (size_t)i, *hi = lo + ndim;
    const int64_t piece[] = {lo[rows] + 1, hi[rows] + 1, rows > 0 ? lo[0] + 1 : 1,
                             rows > 0 ? hi[0] + 1 : 1, found.procs[i]};
    for (size_t k = 0; k < 5; k++)
      map5[5 * (size_t)i + k] = cwi_gaf_result("a number in map", piece[k]);
  }
  return free_pieces(&found, np);
}

bool cwi_gaf_locate_region(int g_a, struct cwi_gaf_patch *patch, Integer *map, Integer *procs,
                           Integer *np)
{
  const size_t ndim = (size_t)cwi_ga_ndim(g_a);
  struct pieces found = find_pieces(g_a, patch);
  for (size_t i = 0; i < (size_t)found.count; i++) {
    procs[i] = found.procs[i];
    cwi_gaf_place_found("map", g_a, &found.map[2 * ndim * i], &map[2 * ndim * i]);
    cwi_gaf_place_found("map", g_a, &found.map[2 * ndim * i + ndim], &map[2 * ndim * i + ndim]);
  }
  return free_pieces(&found, np);
}
