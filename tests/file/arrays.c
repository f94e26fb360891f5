#include "file/arrays.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void make_path(char path[PATH_BYTES], const char *folder, const char *name)
{
  long number = (long)getpid();
  MPI_Bcast(&number, 1, MPI_LONG, 0, kit_comm());
  snprintf(path, PATH_BYTES, "%s/%s-%ld.h5", folder != NULL ? folder : ".", name, number);
}

int count_beside(const char *path)
{
  char folder[PATH_BYTES];
  int found = 0;
  snprintf(folder, sizeof folder, "%s", path);
  char *name = strrchr(folder, '/');
  *name++ = '\0';
  strcat(name, ".");
  DIR *open = opendir(folder);
  for (struct dirent *entry; open != NULL && (entry = readdir(open)) != NULL;)
    found += strncmp(entry->d_name, name, strlen(name)) == 0;
  if (open != NULL)
    closedir(open);
  return found;
}

/* Draws the boundaries of one to three blocks along each dimension. Teams of any size draw equally
 * many numbers. */
static void choose_boundaries(cw_distribution *distribution, int dimensions, const int64_t *extents,
                              int processes)
{
  static int64_t boundaries[3 * CW_MAX_DIMENSIONS];
  static int blocks[CW_MAX_DIMENSIONS];
  int at = 0, product = 1;
  for (int d = 0; d < dimensions; d++) {
    const int most = processes / product < 3 ? processes / product : 3;
    const int draws[3] = {kit_common(1 << 20), kit_common(1 << 20), kit_common(1 << 20)};
    blocks[d] = 1 + draws[0] % (most > extents[d] ? (int)extents[d] : most);
    product *= blocks[d];
    boundaries[at++] = 0;
    for (int b = 1; b < blocks[d]; b++, at++)
      boundaries[at] = boundaries[at - 1] + draws[b] % (extents[d] - boundaries[at - 1]);
  }
  distribution->boundaries = boundaries;
  distribution->blocks = blocks;
}

cw_array make_array(cw_team team, const char *name, cw_type type, size_t bytes, int dimensions,
                    const int64_t *extents)
{
  int64_t block[CW_MAX_DIMENSIONS], ghosts[CW_MAX_DIMENSIONS];
  cw_array_options options = {.name = name,
                              .type = type,
                              .element_bytes = type == CW_OPAQUE ? bytes : 0,
                              .dimensions = dimensions,
                              .extents = extents};
  cw_distribution *distribution = &options.distribution;
  cw_array array = NULL;
  for (int d = 0; d < dimensions; d++) {
    block[d] = 1 + kit_common((int)(extents[d] < 9 ? extents[d] : 9));
    ghosts[d] = kit_common(2);
  }
  switch (kit_common(6)) {
  case 0:
    break;
  case 1:
    distribution->ghosts = ghosts;
    break;
  case 2:
    choose_boundaries(distribution, dimensions, extents, cw_team_size(team));
    break;
  default:
    distribution->layout = (cw_layout)(CW_CYCLIC + kit_common(3));
    distribution->block = block;
  }
  KIT_MUST(kit_array_create(team, &options, &array));
  return array;
}

void set_element(const cw_array_description *is, void *element, int64_t i, int seed)
{
  const int64_t value = (i * 7 + seed) % 1000 - 500;
  switch (is->type) {
  case CW_INT:
    *(int *)element = (int)value;
    break;
  case CW_LONG:
    *(long *)element = (long)value;
    break;
  case CW_LONG_LONG:
    *(long long *)element = value;
    break;
  case CW_FLOAT:
    *(float *)element = (float)value;
    break;
  case CW_DOUBLE:
    *(double *)element = (double)value;
    break;
  case CW_FLOAT_COMPLEX:
    ((float *)element)[0] = (float)value;
    ((float *)element)[1] = (float)seed;
    break;
  case CW_DOUBLE_COMPLEX:
    ((double *)element)[0] = (double)value;
    ((double *)element)[1] = (double)seed;
    break;
  default:
    memset(element, (int)(value & 255), is->element_bytes);
  }
}

static size_t elements_of(const cw_array_description *is)
{
  size_t elements = 1;
  for (int d = 0; d < is->dimensions; d++)
    elements *= (size_t)is->extents[d];
  return elements;
}

/* Returns the expected contents of the whole array and stores its last index. */
static char *whole(cw_array array, int seed, cw_array_description *is, int64_t *hi, size_t *bytes)
{
  KIT_MUST(cw_array_describe(array, is));
  const size_t elements = elements_of(is);
  char *all = kit_alloc(elements, is->element_bytes);
  for (size_t i = 0; i < elements; i++)
    set_element(is, all + i * is->element_bytes, (int64_t)i, seed);
  for (int d = 0; d < is->dimensions; d++)
    hi[d] = is->extents[d] - 1;
  *bytes = elements * is->element_bytes;
  return all;
}

void fill_array(cw_array array, int seed)
{
  static const int64_t lo[CW_MAX_DIMENSIONS];
  int64_t hi[CW_MAX_DIMENSIONS];
  cw_array_description is;
  size_t bytes = 0;
  char *all = whole(array, seed, &is, hi, &bytes);
  KIT_MUST(cw_array_sync(array));
  if (cw_team_rank(is.team) == seed % cw_team_size(is.team))
    KIT_OK(cw_array_put(array, lo, hi, all, NULL));
  KIT_MUST(cw_array_sync(array));
  free(all);
}

void check_array(cw_array array, int seed)
{
  static const int64_t lo[CW_MAX_DIMENSIONS];
  int64_t hi[CW_MAX_DIMENSIONS];
  cw_array_description is;
  size_t bytes = 0;
  char *want = whole(array, seed, &is, hi, &bytes), *got = kit_alloc(bytes, 1);
  KIT_OK(cw_array_get(array, lo, hi, got, NULL));
  kit_check_bytes(got, want, bytes, is.name);
  free(want);
  free(got);
}
