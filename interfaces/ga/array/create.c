/* The calls that create arrays, at once or step by step, and those that destroy them. */
#include "ga/array/nominal.h"
#include "ga/array/patch.h"
#include "ga/array/settings.h"
#include "ga/base/binding.h"
#include "ga/group/group.h"
#include "ga/memory/memory.h"

#include "array/array_arguments.h"
#include "base/operation_counts.h"
#include "base/unread_errors.h"
#include "collective_call/collective_check.h"
#include "route/region_calls.h"
#include "team/agreement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Allocation --- */

/* Checks a grid of processes that the program has set: it must have one place for each process. */
static cw_error check_grid(const struct cwi_ga_array *entry, cw_team team)
{
  const int holders = entry->members != NULL ? entry->member_count : cw_team_size(team);
  int64_t places = 1;
  for (int d = 0; d < entry->ndim && places <= holders; d++)
    places *= entry->grid[d];
  if (places == holders)
    return CW_OK;
  return cwi_misuse(
      "grid has %lld places or more; the array has %d processes, and each takes one place",
      (long long)places, holders);
}

bool cwi_ga_sets_ghosts(const struct cwi_ga_array *entry)
{
  for (int d = 0; d < entry->ndim; d++)
    if (entry->ghosts[d] > 0)
      return true;
  return false;
}

static cw_error distribution_of(const struct cwi_ga_array *entry, cw_team team,
                                cw_distribution *distribution)
{
  *distribution = (cw_distribution){.ghosts = cwi_ga_sets_ghosts(entry) ? entry->ghosts : NULL,
                                    .members = entry->members != NULL ? entry->member_count : 0,
                                    .ranks = entry->members};
  switch (entry->partition) {
  case CWI_GA_REGULAR:
    distribution->block = entry->chunked ? entry->chunk : NULL;
    return CW_OK;
  case CWI_GA_IRREGULAR:
    distribution->boundaries = entry->map;
    distribution->blocks = entry->nblock;
    return CW_OK;
  case CWI_GA_BLOCK_CYCLIC:
    distribution->layout = CW_ROUND_ROBIN;
    distribution->block = entry->block;
    return CW_OK;
  case CWI_GA_SCALAPACK:
  case CWI_GA_TILED:
    distribution->layout = entry->partition == CWI_GA_TILED ? CW_TILED : CW_CYCLIC;
    distribution->block = entry->block;
    break;
  case CWI_GA_TILED_IRREGULAR:
    distribution->layout = CW_TILED;
    distribution->boundaries = entry->map;
    distribution->blocks = entry->nblock;
    break;
  }
  distribution->grid = entry->grid;
  return check_grid(entry, team);
}

static const char words[] = "extents is dims, boundaries is map, blocks is block, ghosts is width, "
                            "ranks is list, members is size";

/* Counts the array in the statistics. Only rank 0 of the array's team counts it. */
static void count_array(const struct cwi_ga_array *entry)
{
  if (cwi_settings.stats != 0 && entry->array->team->rank == 0)
    cwi_statistics.arrays[entry->nominal != NULL ? CWI_CYCLIC_ARRAYS : CWI_KEPT_ARRAYS]++;
}

/* Completes the entry of an array that has been created. */
static void ga_array_made(struct cwi_ga_array *entry)
{
  entry->array->long_doubles = !entry->adopted && (entry->type == C_LDBL || entry->type == C_LDCPL);
  cwi_ga_take(entry, entry->array->region->slices[entry->array->team->rank].bytes);
  count_array(entry);
  if (cwi_ga_fortran.call != NULL)
    cwi_array_count_from_one(entry->array);
}

/* --- CW_GA_DISTRIBUTION --- */

/* Returns true if CW_GA_DISTRIBUTION makes the array cyclic. A distribution that the program has
 * set itself is not changed. */
static bool to_be_cyclic(const struct cwi_ga_array *entry)
{
  return cwi_settings.ga_distribution > 0 && entry->partition == CWI_GA_REGULAR &&
         !cwi_ga_sets_ghosts(entry) && entry->members == NULL && entry->group != CWI_GA_MIRROR &&
         !entry->adopted;
}

/* Creates a cyclic array, and the layout array of the distribution that the program sees.
 * Collective. */
static cw_error create_cyclic(struct cwi_ga_array *entry, cw_team team,
                              const cw_array_options *wanted)
{
  int64_t block[GA_MAX_DIM];
  cw_array_options options = *wanted;
  for (int d = 0; d < entry->ndim; d++)
    block[d] = cwi_settings.ga_distribution;
  options.distribution = (cw_distribution){.layout = CW_CYCLIC, .block = block};
  CWI_TRY(cwi_array_layout(team, wanted, &entry->nominal));
  const cw_error error = cwi_array_create(team, &options, cwi_ga_fits, &entry->array);
  if (error != CW_OK)
    cwi_ga_nominal_end(entry);
  return error;
}

/* Duplicates a cyclic array and its layout array. Collective. */
static cw_error duplicate_cyclic(const struct cwi_ga_array *from, struct cwi_ga_array *entry)
{
  CWI_TRY(cwi_array_layout_like(from->nominal, &entry->nominal));
  const cw_error error = cwi_array_duplicate(from->array, entry->name, cwi_ga_fits, &entry->array);
  if (error != CW_OK)
    cwi_ga_nominal_end(entry);
  return error;
}

/* --- Allocation, complete --- */

/* Allocates an array. Collective over the group. Errors: CW_OUTSIDE on every member if the memory
 * does not suffice. */
static cw_error allocate(struct cwi_ga_array *entry)
{
  cw_team team = NULL;
  cw_array_options options = {
      .name = entry->name, .dimensions = entry->ndim, .extents = entry->dims};
  int type = entry->type;
  if (entry->ndim == 0)
    return cwi_misuse("the array has no dimensions yet: call GA_Set_data first");
  CWI_TRY(cwi_ga_team("group", entry->group, &team));
  CWI_TRY(cwi_ga_type(&type, &options.type, &options.element_bytes));
  CWI_TRY(distribution_of(entry, team, &options.distribution));
  cw_error error = to_be_cyclic(entry)
                       ? create_cyclic(entry, team, &options)
                       : cwi_array_create(team, &options, cwi_ga_fits, &entry->array);
  if (entry->partition == CWI_GA_REGULAR)
    error = cwi_ga_known_as(error, "block is chunk");
  if (cwi_ga_fortran.call != NULL)
    error = cwi_ga_known_as(error, "blocks is nblock");
  CWI_TRY(cwi_ga_known_as(error, words));
  ga_array_made(entry);
  return CW_OK;
}

static cw_error create_handle(int *g_a)
{
  struct cwi_ga_array *entry = NULL;
  CWI_TRY(cwi_ga_running());
  return cwi_ga_handle_new(cwi_ga_default(), g_a, &entry);
}

int GA_Create_handle(void)
{
  int g_a = 0;
  (void)CWI_GA(create_handle(&g_a));
  return g_a;
}

CWI_GA_NGA(Create_handle);

/* If the error is CW_OUTSIDE, sets *out_of_memory and returns CW_OK: every member ran out of
 * memory, and the program receives this as a result. Other errors are returned unchanged, and end
 * the job later. */
static cw_error answer(cw_error error, bool *out_of_memory)
{
  *out_of_memory = cwi_failure_is_outside(error);
  return *out_of_memory ? CW_OK : error;
}

static cw_error allocate_open(int g_a, bool *out_of_memory)
{
  struct cwi_ga_array *entry = NULL;
  CWI_TRY(cwi_ga_open(g_a, &entry));
  CWI_TRY(cw_wait_all());
  return answer(allocate(entry), out_of_memory);
}

int GA_Allocate(int g_a)
{
  bool out_of_memory = false;
  (void)CWI_GA_WAITS(allocate_open(g_a, &out_of_memory));
  return !out_of_memory;
}

CWI_GA_NGA(Allocate);

/* --- Creation in one call --- */

struct array_layout_only {
  int type, ndim;
  const int64_t *dims;
  const char *name;
  bool irregular;
  const int64_t *chunk;        /* regular arrays; NULL if not set */
  const int64_t *nblock, *map; /* irregular arrays */
  const int64_t *width;        /* arrays with ghosts */
  bool ghosts;
  int group;
};

static cw_error ga_array_describe(const struct array_layout_only *layout_array,
                                  struct cwi_ga_array *entry)
{
  CWI_TRY(cwi_ga_set_data(entry, layout_array->type, layout_array->ndim, layout_array->dims));
  cwi_ga_set_name(entry, layout_array->name);
  if (layout_array->irregular)
    CWI_TRY(cwi_ga_set_irregular(entry, layout_array->map, layout_array->nblock));
  else
    CWI_TRY(cwi_ga_set_chunk(entry, layout_array->chunk));
  return layout_array->ghosts ? cwi_ga_set_ghosts(entry, layout_array->width) : CW_OK;
}

/* Creates an array. Sets *g_a to 0 if the memory does not suffice, or if the array has more
 * dimensions than GA supports. */
static cw_error ga_array_create(const struct array_layout_only *layout_array, int *g_a)
{
  struct cwi_ga_array *entry = NULL;
  bool out_of_memory = false;
  CWI_TRY(cwi_ga_running());
  *g_a = 0;
  CWI_TRY(cwi_ga_group_there("group", layout_array->group));
  if (layout_array->ndim > GA_MAX_DIM)
    return CW_OK;
  CWI_TRY(cwi_ga_handle_new(layout_array->group, g_a, &entry));
  cw_error error = ga_array_describe(layout_array, entry);
  if (error == CW_OK)
    error = cw_wait_all();
  if (error == CW_OK)
    error = answer(allocate(entry), &out_of_memory);
  if (error == CW_OK && !out_of_memory)
    return CW_OK;
  cwi_ga_handle_free(*g_a);
  *g_a = 0;
  return error;
}

/* Creates an array for the GA call `call`. Returns the handle, or 0 if *g_a was set to 0. */
static int create_in(const char *call, const struct array_layout_only *layout_array)
{
  int g_a = 0;
  cwi_ga_enter(call);
  (void)cwi_ga_leave(cwi_ga_result(call, ga_array_create(layout_array, &g_a)));
  return g_a;
}

/* Creates an array from the arguments type, ndim, dims and name of the enclosing function. The
 * arguments of the macro set further members. */
#define CREATE(...)                                                                                \
  create_in(__func__, &(struct array_layout_only){                                                 \
                          .type = type, .ndim = ndim, .dims = dims, .name = name, __VA_ARGS__})

int NGA_Create64(int type, int ndim, int64_t dims[], char *name, int64_t chunk[])
{
  return CREATE(.chunk = chunk, .group = cwi_ga_default());
}

int NGA_Create_config64(int type, int ndim, int64_t dims[], char *name, int64_t chunk[], int group)
{
  return CREATE(.chunk = chunk, .group = group);
}

int NGA_Create_ghosts64(int type, int ndim, int64_t dims[], int64_t width[], char *name,
                        int64_t chunk[])
{
  return CREATE(.chunk = chunk, .ghosts = true, .width = width, .group = cwi_ga_default());
}

int NGA_Create_ghosts_config64(int type, int ndim, int64_t dims[], int64_t width[], char *name,
                               int64_t chunk[], int group)
{
  return CREATE(.chunk = chunk, .ghosts = true, .width = width, .group = group);
}

#define IRREGULAR(nblock_, ...)                                                                    \
  CREATE(.irregular = true, .nblock = (nblock_), .map = map, __VA_ARGS__)

int NGA_Create_irreg64(int type, int ndim, int64_t dims[], char *name, int64_t block[],
                       int64_t map[])
{
  return IRREGULAR(block, .group = cwi_ga_default());
}

int NGA_Create_irreg_config64(int type, int ndim, int64_t dims[], char *name, int64_t block[],
                              int64_t map[], int group)
{
  return IRREGULAR(block, .group = group);
}

int NGA_Create_ghosts_irreg64(int type, int ndim, int64_t dims[], int64_t width[], char *name,
                              int64_t nblock[], int64_t map[])
{
  return IRREGULAR(nblock, .ghosts = true, .width = width, .group = cwi_ga_default());
}

int NGA_Create_ghosts_irreg_config64(int type, int ndim, int64_t dims[], int64_t width[],
                                     char *name, int64_t nblock[], int64_t map[], int group)
{
  return IRREGULAR(nblock, .ghosts = true, .width = width, .group = group);
}

CWI_GA_INT(int, NGA_Create, ndim, (int type, int ndim, int dims[], char *name, int chunk[]),
           (type, ndim, CWI_WIDE(dims), name, CWI_WIDE(chunk)))
CWI_GA_INT(int, NGA_Create_config, ndim,
           (int type, int ndim, int dims[], char *name, int chunk[], int group),
           (type, ndim, CWI_WIDE(dims), name, CWI_WIDE(chunk), group))
CWI_GA_INT(int, NGA_Create_ghosts, ndim,
           (int type, int ndim, int dims[], int width[], char *name, int chunk[]),
           (type, ndim, CWI_WIDE(dims), CWI_WIDE(width), name, CWI_WIDE(chunk)))
CWI_GA_INT(int, NGA_Create_ghosts_config, ndim,
           (int type, int ndim, int dims[], int width[], char *name, int chunk[], int group),
           (type, ndim, CWI_WIDE(dims), CWI_WIDE(width), name, CWI_WIDE(chunk), group))

/* Like CWI_GA_INT, for calls with a map. The length of a map is the sum of the numbers of
 * blocks. */
#define IRREGULAR_INT(name, nblock, parameters, arguments)                                         \
  int name parameters                                                                              \
  {                                                                                                \
    const int cwi_dimensions = ndim <= GA_MAX_DIM ? ndim : 0; /* otherwise no array is read */     \
    int64_t *wide_map = cwi_ga_wide_map(cwi_dimensions, CWI_WIDE(dims), map, nblock);              \
    const int g_a = name##64 arguments;                                                            \
    free(wide_map);                                                                                \
    return g_a;                                                                                    \
  }

IRREGULAR_INT(NGA_Create_irreg, block,
              (int type, int ndim, int dims[], char *name, int block[], int map[]),
              (type, ndim, CWI_WIDE(dims), name, CWI_WIDE(block), wide_map))
IRREGULAR_INT(NGA_Create_irreg_config, block,
              (int type, int ndim, int dims[], char *name, int block[], int map[], int group),
              (type, ndim, CWI_WIDE(dims), name, CWI_WIDE(block), wide_map, group))
IRREGULAR_INT(NGA_Create_ghosts_irreg, nblock,
              (int type, int ndim, int dims[], int width[], char *name, int nblock[], int map[]),
              (type, ndim, CWI_WIDE(dims), CWI_WIDE(width), name, CWI_WIDE(nblock), wide_map))
IRREGULAR_INT(NGA_Create_ghosts_irreg_config, nblock,
              (int type, int ndim, int dims[], int width[], char *name, int nblock[], int map[],
               int group),
              (type, ndim, CWI_WIDE(dims), CWI_WIDE(width), name, CWI_WIDE(nblock), wide_map,
               group))

/* --- Copies --- */

/* Duplicates an array. If as_seen is set, the duplicate has the distribution that the program
 * sees. */
static cw_error ga_array_duplicate(int g_a, const char *name, bool as_seen, int *g_b)
{
  cw_array array = NULL;
  struct cwi_ga_array *entry = NULL;
  bool out_of_memory = false;
  CWI_TRY(cwi_ga_array_seen("g_a", g_a, &array));
  CWI_TRY(cw_wait_all());
  const struct cwi_ga_array *from = cwi_ga_entry(g_a);
  CWI_TRY(cwi_ga_handle_like(from, g_b, &entry));
  cwi_ga_set_name(entry, name);
  cw_error error = from->nominal != NULL && !as_seen
                       ? duplicate_cyclic(from, entry)
                       : cwi_array_duplicate(array, entry->name, cwi_ga_fits, &entry->array);
  if (error == CW_OK)
    ga_array_made(entry);
  error = answer(error, &out_of_memory);
  if (error == CW_OK && !out_of_memory)
    return CW_OK;
  cwi_ga_handle_free(*g_b);
  *g_b = 0;
  return error;
}

int GA_Duplicate(int g_a, char *name)
{
  int g_b = 0;
  (void)CWI_GA_WAITS(ga_array_duplicate(g_a, name, false, &g_b));
  return g_b;
}

CWI_GA_NGA(Duplicate);

/* Checks that ptr is memory from GA_Getmem that the array can use. Errors: CW_MISUSE. */
static cw_error check_memory(cw_array array, const void *ptr, cw_region region, size_t offset)
{
  const size_t bytes = cwi_rank_bytes(array, array->team->rank);
  if (region == NULL)
    return cwi_misuse("ptr is NULL; it must be an address that GA_Getmem returned");
  if (!region->listed)
    return cwi_misuse("ptr is %p, which is already the memory of an array", ptr);
  if (offset > 0)
    return cwi_misuse("ptr is %p, which is %zu bytes after the address that GA_Getmem returned",
                      ptr, offset);
  if (!cwi_team_same_members(cw_region_team(region), array->team))
    return cwi_misuse("ptr is %p, which GA_Getmem allocated for a group of %d processes; array "
                      "'%s' is on %d processes, which are not the same, or in another order",
                      ptr, cw_team_size(cw_region_team(region)), array->name, array->team->size);
  const size_t there = cw_region_bytes(region, array->team->rank);
  if (there >= bytes)
    return CW_OK;
  return cwi_misuse(
      "ptr is %p, where GA_Getmem allocated %zu bytes; the array '%s' needs %zu bytes here", ptr,
      there, array->name, bytes);
}

/* Replaces the array's memory by the memory at ptr. GA_Destroy then frees the memory at ptr. */
static cw_error move_into(cw_array array, void *ptr)
{
  cw_region region = NULL;
  size_t offset = 0;
  struct cwi_first_error first;
  cw_error error = CW_OK;
  if (ptr != NULL)
    error = cwi_ga_known_as(cw_region_find(cw_process(), ptr, &region, &offset), "address is ptr");
  if (error == CW_OK)
    error = check_memory(array, ptr, region, offset);
  CWI_TRY(cwi_team_agree(array->team, error));
  CWI_ASSERT(region != NULL); /* checked by check_memory */
  cwi_first_begin(&first, cwi_region_free(array->team, &array->region));
  array->region = region;
  region->listed = false; /* GA_Freemem and other arrays cannot use it any more */
  return cwi_first_return(&first);
}

/* Duplicates an array in memory that the program allocated at ptr. The duplicate has the
 * distribution that the program sees, because the program itself loads and stores at ptr. */
static cw_error assemble(int g_a, const char *name, void *ptr, int *g_b)
{
  CWI_TRY(ga_array_duplicate(g_a, name, true, g_b));
  return *g_b != 0 ? move_into(cwi_ga_entry(*g_b)->array, ptr) : CW_OK;
}

int GA_Assemble_duplicate(int g_a, char *name, void *ptr)
{
  int g_b = 0;
  (void)CWI_GA_WAITS(assemble(g_a, name, ptr, &g_b));
  return g_b;
}

/* Checks that the array has the same processes as the parent, and fits into the parent's memory on
 * this process. */
static cw_error check_overlay(cw_array array, cw_array parent)
{
  const int rank = array->team->rank;
  if (!cwi_team_same_members(array->team, parent->team))
    return cwi_misuse("g_p is array '%s', which is not on the same processes in the same order as "
                      "g_a, array '%s'",
                      parent->name, array->name);
  const size_t there = parent->region->slices[rank].bytes, bytes = cwi_rank_bytes(array, rank);
  if (there >= bytes)
    return CW_OK;
  return cwi_misuse(
      "g_p is array '%s', which has %zu bytes on this process; g_a, array '%s', needs "
      "%zu bytes here",
      parent->name, there, array->name, bytes);
}

/* Allocates the array of g_a in the memory of the array of g_p. Either array may be destroyed
 * first. */
static cw_error overlay(int g_a, int g_p, bool *out_of_memory)
{
  struct cwi_ga_array *entry = NULL;
  cw_array parent = NULL;
  CWI_TRY(cwi_ga_array("g_p", g_p, &parent));
  CWI_TRY(cwi_ga_open(g_a, &entry));
  CWI_TRY(cw_wait_all());
  CWI_TRY(answer(allocate(entry), out_of_memory));
  if (*out_of_memory)
    return CW_OK;
  cw_array array = entry->array;
  CWI_TRY(cwi_team_agree(array->team, check_overlay(array, parent)));
  CWI_TRY(cwi_region_free(array->team, &array->region));
  array->region = parent->region;
  parent->region->sharers++;
  cwi_ga_take(entry, 0);
  return CW_OK;
}

int GA_Overlay(int g_a, int g_p)
{
  bool out_of_memory = false;
  (void)CWI_GA_WAITS(overlay(g_a, g_p, &out_of_memory));
  return !out_of_memory;
}

CWI_GA_NGA(Overlay);

/* --- Destruction --- */

/* Destroys an array. If the handle has no memory yet, the processes do not synchronise. */
cw_error cwi_ga_destroy(int g_a)
{
  struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  CWI_TRY(cwi_ga_running());
  if (entry == NULL)
    return cwi_ga_no_array("g_a", g_a);
  CWI_TRY(cw_wait_all());
  cwi_ga_nominal_end(entry);
  if (entry->array != NULL)
    CWI_TRY(cw_array_destroy(&entry->array));
  cwi_ga_handle_free(g_a);
  return CW_OK;
}

void GA_Destroy(int g_a)
{
  (void)CWI_GA_WAITS(cwi_ga_destroy(g_a));
}

CWI_GA_NGA(Destroy);

/* Frees the memory of an array. Sets *there to true if the handle had an array with memory. */
static cw_error deallocate(int g_a, bool *there)
{
  struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  CWI_TRY(cwi_ga_running());
  *there = entry != NULL && entry->array != NULL;
  if (!*there)
    return CW_OK;
  CWI_TRY(cw_wait_all());
  cwi_ga_nominal_end(entry);
  cwi_ga_take(entry, 0);
  return cw_array_destroy(&entry->array);
}

/* Returns 1, or 0 if there is no such array. */
int GA_Deallocate(int g_a)
{
  bool there = false;
  return CWI_GA_WAITS(deallocate(g_a, &there)) == 0 && there;
}

CWI_GA_NGA(Deallocate);

/* --- Properties: recorded without effect --- */

static cw_error set_property(int g_a, const char *property)
{
  cw_array array = NULL;
  CWI_TRY(cwi_ga_array("g_a", g_a, &array));
  CWI_TRY(cwi_check_not_null("property", property));
  if (strcmp(property, "read_only") != 0 && strcmp(property, "read_cache") != 0)
    return cwi_misuse("property is '%s'; it may be 'read_only' or 'read_cache'", property);
  const struct cwi_argument agreed[] = {cwi_agreed_array("g_a", array),
                                        cwi_argument_text("property", property), CWI_ARGUMENTS_END};
  CWI_TRY(cwi_ga_agreed(array->team, agreed));
  struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  if (entry != NULL)
    snprintf(entry->property, sizeof entry->property, "%s", property);
  CWI_TRY(cw_wait_all());
  return cw_array_sync(array);
}

void GA_Set_property(int g_a, char *property)
{
  (void)CWI_GA_WAITS(set_property(g_a, property));
}

static cw_error unset_property(int g_a)
{
  cw_array array = NULL;
  CWI_TRY(cwi_ga_array("g_a", g_a, &array));
  cwi_ga_entry(g_a)->property[0] = '\0';
  CWI_TRY(cw_wait_all());
  return cw_array_sync(array);
}

void GA_Unset_property(int g_a)
{
  (void)CWI_GA_WAITS(unset_property(g_a));
}

CWI_GA_NGA(Set_property);
CWI_GA_NGA(Unset_property);
