/* Loads arrays: one process checks that file and array fit, then all read their parts. An existing
 * array is changed only after everything has been read successfully: the data goes to a second
 * array of the same distribution, which is then copied. */
#include "array/array_arguments.h"
#include "base/hash.h"
#include "collective/collective.h"
#include "collective_call/collective_check.h"
#include "file/dataset.h"
#include "file/hyperslabs.h"
#include "mpi/mpi_result.h"
#include "number/number_type.h"
#include "profile/profile.h"
#include "team/agreement.h"

#include <causeway/arithmetic.h>
#include <causeway/file.h>

#include <stdlib.h>

static cw_error read_hyperslabs(const struct cwi_dataset *dataset, cw_array array,
                                struct cwi_hyperslabs *hyperslabs, char *buffer)
{
  struct cwi_hyperslab hyperslab;
  while (cwi_hyperslabs_next(hyperslabs, &hyperslab)) {
    char *place = cwi_hyperslab_address(array, &hyperslab);
    CWI_TRY(cwi_dataset_read(dataset, array, &hyperslab, place != NULL ? place : buffer));
    if (place == NULL)
      CWI_TRY(cw_array_put(array, hyperslab.lo, hyperslab.hi, buffer, NULL));
  }
  return CW_OK;
}

/* Checks that array and dataset fit. */
static cw_error check_content(const char *path, const char *name, cw_array array,
                              const struct cwi_content *content)
{
  const bool same_type =
      content->element == array->element &&
      (content->type == array->type || (content->type == CW_LONG && array->type == CW_LONG_LONG) ||
       (content->type == CW_LONG_LONG && array->type == CW_LONG));
  if (!same_type)
    return cwi_misuse("dataset '%s' in '%s' has type %s of %zu bytes; array '%s' has %s of %zu",
                      name, path, cwi_type_word(content->type), content->element, array->name,
                      cwi_type_word(array->type), array->element);
  if (content->dimensions != array->dimensions)
    return cwi_misuse("dataset '%s' in '%s' has %d dimensions; array '%s' has %d", name, path,
                      content->dimensions, array->name, array->dimensions);
  for (int d = 0; d < array->dimensions; d++)
    if (content->extents[d] != array->axes[d].extent)
      return cwi_misuse("dataset '%s' in '%s' has extent %lld in dimension %d; array '%s' has %lld",
                        name, path, (long long)content->extents[d], d, array->name,
                        (long long)array->axes[d].extent);
  return CW_OK;
}

/* Reads my part. Checks the dataset again, because the file may have been replaced since rank 0
 * checked it. */
static cw_error read_mine(const char *path, const char *name, cw_array array)
{
  struct cwi_hyperslabs hyperslabs;
  struct cwi_dataset dataset;
  struct cwi_content content;
  cwi_hyperslabs_begin(&hyperslabs, array);
  if (hyperslabs.next >= hyperslabs.last)
    return CW_OK;
  char *buffer = malloc(hyperslabs.most);
  if (buffer == NULL)
    return cwi_outside("no memory for %zu bytes to load array '%s'", hyperslabs.most, array->name);
  cw_error error = cwi_dataset_open(&dataset, path, name, &content);
  if (error == CW_OK) {
    error = check_content(path, name, array, &content);
    if (error == CW_OK)
      error = read_hyperslabs(&dataset, array, &hyperslabs, buffer);
    cwi_dataset_close(&dataset);
  }
  free(buffer);
  return error;
}

/* Fills an array that is not in use yet. Collective. */
static cw_error fill(const char *path, const char *name, cw_array array)
{
  CWI_TRY(cwi_team_agree_step(array->team, cw_array_sync(array)));
  CWI_TRY(cwi_team_agree(array->team, read_mine(path, name, array)));
  return cwi_team_agree_step(array->team, cw_array_sync(array));
}

/* Destroys an array, unless MPI has failed: then the other members would not answer. */
static void load_discard(struct cwi_first_error *first, cw_array *array)
{
  if (!cwi_first_is_from_mpi(first))
    cwi_first_note(first, cw_array_destroy(array));
}

/* Checks on rank 0 that array and dataset fit. */
static cw_error check_fit(const char *path, const char *name, cw_array array)
{
  struct cwi_dataset dataset;
  struct cwi_content content;
  if (array->team->rank != 0)
    return CW_OK;
  CWI_TRY(cwi_dataset_open(&dataset, path, name, &content));
  cwi_dataset_close(&dataset);
  return check_content(path, name, array, &content);
}

static cw_error check_names(const char *path, const char *name)
{
  if (path == NULL)
    return cwi_misuse("path is NULL");
  if (name == NULL || name[0] == '\0')
    return cwi_misuse("name is %s", name == NULL ? "NULL" : "empty");
  return CW_OK;
}

/* Checks that all members have the same arguments. `key` identifies the array that they load into;
 * it is 0 for a new array. */
static cw_error load_agree(cw_team team, cw_error mine, const char *path, const char *name,
                           uint64_t key, const struct cwi_argument *list)
{
  const uint64_t print = mine == CW_OK ? cwi_hash_word(cwi_hash_word(key, path), name) : 0;
  const struct cwi_entry entry = {.key = print};
  return cwi_team_agree_on(team, mine, &entry, list, NULL);
}

static cw_error file_load(const char *path, const char *name, cw_array array,
                          const struct cwi_argument *list)
{
  cw_array fresh = NULL;
  struct cwi_first_error first;
  CWI_TRY(load_agree(array->team, check_names(path, name), path, name, array->region->key, list));
  CWI_TRY(cwi_team_agree(array->team, check_fit(path, name, array)));
  CWI_TRY(cw_array_duplicate(array, NULL, &fresh));
  cwi_first_begin(&first, fill(path, name, fresh));
  if (first.error == CW_OK)
    cwi_first_note(&first,
                   cw_array_copy(&(cw_operand){.array = fresh}, &(cw_operand){.array = array}));
  load_discard(&first, &fresh);
  return cwi_first_return(&first);
}

cw_error cw_array_load(const char *path, const char *name, cw_array array)
{
  CWI_PROFILED(CW_CALL_FILE);
  CWI_TRY(cwi_in_call("cw_array_load", cwi_check_array("array", array)));
  const struct cwi_argument agreed[] = {cwi_argument_text("path", path),
                                        cwi_argument_text("name", name),
                                        cwi_agreed_array("array", array), CWI_ARGUMENTS_END};
  return CWI_COLLECTIVELY("cw_array_load", array->team, agreed,
                          file_load(path, name != NULL ? name : array->name, array, agreed));
}

static cw_error load_inspect(cw_team team, const char *path, const char *name,
                             struct cwi_content *content)
{
  struct cwi_dataset dataset;
  if (team->rank != 0)
    return CW_OK;
  CWI_TRY(cwi_dataset_open(&dataset, path, name, content));
  cwi_dataset_close(&dataset);
  return CW_OK;
}

/* Creates an array from a file. `made` is NULL if the program passed NULL on this process. */
static cw_error create(cw_team team, const char *path, const char *name,
                       const cw_distribution *distribution, cw_array *made,
                       const struct cwi_argument *list)
{
  const cw_error mine =
      made == NULL ? cwi_misuse("array is NULL; it receives the array") : check_names(path, name);
  struct cwi_content content = {.dimensions = 0};
  cw_array array = NULL;
  CWI_TRY(load_agree(team, mine, path, name, 0, list));
  CWI_TRY(cwi_team_agree(team, load_inspect(team, path, name, &content)));
  CWI_TRY(cwi_broadcast(team, 0, &content, sizeof content));
  cw_array_options options = {.name = name,
                              .type = content.type,
                              .element_bytes = content.type == CW_OPAQUE ? content.element : 0,
                              .dimensions = content.dimensions,
                              .extents = content.extents};
  if (distribution != NULL)
    options.distribution = *distribution;
  CWI_TRY(cw_array_create(team, &options, &array));
  struct cwi_first_error first;
  cwi_first_begin(&first, fill(path, name, array));
  CWI_ASSERT(made != NULL);
  if (first.error == CW_OK)
    *made = array;
  else
    load_discard(&first, &array);
  return cwi_first_return(&first);
}

cw_error cw_array_create_from_file(cw_team team, const char *path, const char *name,
                                   const cw_distribution *distribution, cw_array *array)
{
  CWI_PROFILED(CW_CALL_FILE);
  cw_array made = NULL;
  CWI_TRY(cwi_in_call("cw_array_create_from_file", cwi_check_team("team", team)));
  const struct cwi_argument agreed[] = {cwi_argument_text("path", path),
                                        cwi_argument_text("name", name), CWI_ARGUMENTS_END};
  const cw_error error = CWI_COLLECTIVELY(
      "cw_array_create_from_file", team, agreed,
      create(team, path, name, distribution, array != NULL ? &made : NULL, agreed));
  if (array != NULL)
    *array = made;
  return error;
}
