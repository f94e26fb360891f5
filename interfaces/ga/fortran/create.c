/* Calls with maps and lists, whose lengths are arguments. */
#include "ga/fortran/convert.h"

#include "ga/array/settings.h"

/* The part of a map for one dimension. `place` is its offset in the program's map. A block may be
 * empty and begin after the last element. */
struct map_part {
  const Integer *map;
  int64_t count, extent;
  int dimension;
  int64_t place;
};

static void reverse_map(int64_t *to, const struct map_part *part)
{
  const Integer *map = part->map;
  for (int64_t i = 0; i < part->count; i++) {
    const int64_t place = part->place + i + 1;
    if (i == 0 ? map[0] != 1 : map[i] < map[i - 1])
      cwi_gaf_reject(cwi_misuse("map(%lld) is %lld; the map of dimension %d must begin with 1, "
                                "and must not decrease",
                                (long long)place, (long long)map[i], part->dimension));
    if (i > 0 && cwi_gaf_from_one(map[i]) > part->extent)
      cwi_gaf_reject(cwi_misuse("map(%lld) (block %lld of dimension %d) is %lld; it may be %lld "
                                "to %lld",
                                (long long)place, (long long)i + 1, part->dimension,
                                (long long)map[i], (long long)map[i - 1],
                                (long long)part->extent + 1));
    to[i] = cwi_gaf_from_one(map[i]);
  }
}

/* Converts a map. Fortran's first dimension is C's last, so its part of the map becomes the last
 * part. */
int64_t *cwi_gaf_map(int ndim, const int64_t *dims, const struct cwi_ga_index *nblock,
                     const Integer *map)
{
  const int64_t count = ndim <= GA_MAX_DIM ? (int64_t)cwi_ga_map_length(ndim, dims, nblock->at) : 0;
  int64_t place = 0;
  int64_t *turned = count > 0 ? malloc((size_t)count * sizeof *turned) : NULL;
  for (int d = ndim - 1; d >= 0 && turned != NULL; d--) {
    reverse_map(&turned[count - place - nblock->at[d]],
                &(struct map_part){&map[place], nblock->at[d], dims[d], ndim - d, place});
    place += nblock->at[d];
  }
  return turned;
}

/* Creates a matrix from two separate maps. */
int cwi_gaf_create_irregular(int type, int64_t *dims, char *name, const struct cwi_gaf_maps *maps)
{
  int64_t nblock[] = {maps->nblock[1], maps->nblock[0]};
  const size_t count = cwi_ga_map_length(2, dims, nblock);
  int64_t *map = count > 0 ? malloc(count * sizeof *map) : NULL;
  cwi_ga_fortran.ndim = 2;
  for (int d = 0; d < 2 && map != NULL; d++)
    reverse_map(&map[d == 0 ? nblock[0] : 0],
                &(struct map_part){maps->map[d], nblock[1 - d], dims[1 - d], d + 1, 0});
  const int g_a = NGA_Create_irreg64(type, 2, dims, name, nblock, map);
  free(map);
  return g_a;
}

/* --- Processes --- */

/* Converts a list to int. Returns memory that the caller frees, or NULL if n is not positive. */
static int *narrow_list(const Integer *list, int n)
{
  int *narrow = n > 0 ? malloc((size_t)n * sizeof *narrow) : NULL;
  for (int i = 0; narrow != NULL && i < n; i++)
    narrow[i] = list[i] == (int)list[i] ? (int)list[i] : -1;
  return narrow;
}

void cwi_gaf_set_restricted(int g_a, const Integer *list, int n)
{
  int *narrow = narrow_list(list, n);
  GA_Set_restricted(g_a, narrow, n);
  free(narrow);
}

int cwi_gaf_pgroup_create(const Integer *list, int count)
{
  int *narrow = narrow_list(list, count);
  const int group = GA_Pgroup_create(narrow, count);
  free(narrow);
  return group;
}

void cwi_gaf_list_nodeid(Integer *list, int n)
{
  int *narrow = n > 0 ? malloc((size_t)n * sizeof *narrow) : NULL;
  GA_List_nodeid(narrow, n);
  for (int i = 0; i < n; i++)
    list[i] = narrow[i];
  free(narrow);
}
