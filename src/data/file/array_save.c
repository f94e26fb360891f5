/* Saves arrays: one process makes the structure of the file with HDF5, all write their parts at the
 * offsets that HDF5 has chosen, and one renames the file. */
#include "array/array_arguments.h"
#include "base/hash.h"
#include "collective/collective.h"
#include "collective_call/collective_check.h"
#include "file/dataset.h"
#include "file/hyperslabs.h"
#include "file/temporary_file.h"
#include "mpi/mpi_result.h"
#include "profile/profile.h"
#include "team/agreement.h"

#include <causeway/file.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ARRAYS = 1 << 20 };

struct saving {
  const struct cwi_argument *agreed; /* arguments that have to be equal on all members */
  const char *path;
  size_t count;
  const cw_array *arrays;
  const char *const *names;
  cw_team team;
  struct cwi_temporary_file temporary; /* made by rank 0 and broadcast */
  uint64_t *offsets;                   /* [count] */
};

static const char *name_of(const struct saving *saving, size_t i)
{
  return saving->names != NULL ? saving->names[i] : saving->arrays[i]->name;
}

static int by_text(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static cw_error check_names(const struct saving *saving)
{
  const char **sorted = calloc(saving->count, sizeof *sorted);
  if (sorted == NULL)
    return cwi_outside("no memory for %zu names", saving->count);
  cw_error error = CW_OK;
  for (size_t i = 0; i < saving->count && error == CW_OK; i++) {
    sorted[i] = name_of(saving, i);
    if (sorted[i] == NULL)
      error = cwi_misuse("names[%zu] is NULL", i);
    else if (sorted[i][0] == '\0')
      error = saving->names != NULL ? cwi_misuse("names[%zu] is empty", i)
                                    : cwi_misuse("names is NULL, and arrays[%zu] has no name", i);
  }
  if (error == CW_OK)
    qsort(sorted, saving->count, sizeof *sorted, by_text);
  for (size_t i = 1; i < saving->count && error == CW_OK; i++)
    if (strcmp(sorted[i - 1], sorted[i]) == 0)
      error = cwi_misuse("names has '%s' twice", sorted[i]);
  free(sorted);
  return error;
}

/* Does the checks that a member can do alone. */
static cw_error check(const struct saving *saving)
{
  if (saving->count > MOST_ARRAYS)
    return cwi_misuse("count is %zu; it may be 1 to %d", saving->count, MOST_ARRAYS);
  for (size_t i = 0; i < saving->count; i++) {
    CWI_TRY(cwi_check_array("one of arrays", saving->arrays[i]));
    if (saving->arrays[i]->team != saving->team)
      return cwi_misuse("arrays[%zu] ('%s') has another team than arrays[0]", i,
                        saving->arrays[i]->name);
  }
  CWI_TRY(check_names(saving));
  if (saving->path == NULL)
    return cwi_misuse("path is NULL");
  return CW_OK;
}

/* Returns a hash of the arguments that have to be equal. */
static uint64_t print(const struct saving *saving)
{
  uint64_t print = cwi_hash_word(saving->count, saving->path);
  for (size_t i = 0; i < saving->count; i++)
    print = cwi_hash_word(print + saving->arrays[i]->region->key, name_of(saving, i));
  return print;
}

static cw_error copy_structure(const char *path, int structure)
{
  int file = -1;
  CWI_TRY(cwi_file_open(path, &file));
  return cwi_file_finish(file, path, cwi_file_copy(structure, file, path));
}

/* Does rank 0's part before the others write. */
static cw_error save_begin(struct saving *saving)
{
  struct cwi_temporary_file *temporary = &saving->temporary;
  int structure = -1;
  if (saving->team->rank != 0)
    return CW_OK;
  cw_error error = cwi_temporary_file_create(temporary, saving->path);
  if (error == CW_OK)
    error = cwi_datasets_make(saving->path, saving->count, saving->arrays, saving->names,
                              saving->offsets, &structure);
  if (error == CW_OK)
    error = copy_structure(temporary->beside, structure);
  if (structure >= 0 && close(structure) != 0 && error == CW_OK)
    error = cwi_outside("cannot complete the structure of '%s'", saving->path);
  return error;
}

static cw_error write_array(const struct saving *saving, size_t i, int file)
{
  cw_array array = saving->arrays[i];
  struct cwi_hyperslabs hyperslabs;
  struct cwi_hyperslab hyperslab;
  char *buffer = NULL;
  cw_error error = CW_OK;
  cwi_hyperslabs_begin(&hyperslabs, array);
  while (error == CW_OK && cwi_hyperslabs_next(&hyperslabs, &hyperslab)) {
    const char *data = cwi_hyperslab_address(array, &hyperslab);
    if (data == NULL && buffer == NULL && (buffer = malloc(hyperslabs.most)) == NULL)
      error =
          cwi_outside("no memory for %zu bytes to save array '%s'", hyperslabs.most, array->name);
    else if (data == NULL)
      error = cw_array_get(array, hyperslab.lo, hyperslab.hi, buffer, NULL);
    if (error == CW_OK)
      error = cwi_file_write(file, saving->temporary.beside, data != NULL ? data : buffer,
                             hyperslab.bytes, saving->offsets[i] + hyperslab.offset);
  }
  free(buffer);
  return error;
}

static bool has_hyperslabs(const struct saving *saving)
{
  struct cwi_hyperslabs hyperslabs;
  bool some = false;
  for (size_t i = 0; i < saving->count && !some; i++) {
    cwi_hyperslabs_begin(&hyperslabs, saving->arrays[i]);
    some = hyperslabs.next < hyperslabs.last;
  }
  return some;
}

static cw_error write_mine(const struct saving *saving)
{
  int file = -1;
  cw_error error = CW_OK;
  if (!has_hyperslabs(saving))
    return CW_OK;
  CWI_TRY(cwi_file_open(saving->temporary.beside, &file));
  for (size_t i = 0; i < saving->count && error == CW_OK; i++)
    error = write_array(saving, i, file);
  return cwi_file_finish(file, saving->temporary.beside, error);
}

/* Saves the arrays. After every step all members know whether it has succeeded. */
static cw_error save_steps(struct saving *saving)
{
  CWI_TRY(cwi_team_agree(saving->team, save_begin(saving)));
  CWI_TRY(
      cwi_broadcast(saving->team, 0, saving->temporary.beside, sizeof saving->temporary.beside));
  CWI_TRY(cwi_broadcast(saving->team, 0, saving->offsets, saving->count * sizeof *saving->offsets));
  CWI_TRY(cwi_team_agree(saving->team, write_mine(saving)));
  return cwi_team_agree(saving->team, saving->team->rank == 0
                                          ? cwi_temporary_file_commit(&saving->temporary)
                                          : CW_OK);
}

/* Removes the temporary file after an error. If all members know of the error, none returns before
 * the file has been removed. */
static cw_error clean_up(struct saving *saving, cw_error error)
{
  struct cwi_first_error first;
  const bool alike = !cwi_error_is_from_mpi();
  if (saving->team->rank == 0)
    cwi_temporary_file_remove(&saving->temporary);
  cwi_first_begin(&first, error);
  if (alike)
    cwi_first_note(&first, cwi_team_barrier(saving->team));
  return cwi_first_return(&first);
}

static cw_error save(struct saving *saving)
{
  CWI_ASSERT(saving->count > 0);
  cw_error mine = check(saving);
  if (mine == CW_OK)
    saving->offsets = calloc(saving->count, sizeof *saving->offsets);
  if (mine == CW_OK && saving->offsets == NULL)
    mine = cwi_outside("no memory to save %zu arrays", saving->count);
  const struct cwi_entry entry = {.key = mine == CW_OK ? print(saving) : 0};
  cw_error error = cwi_team_agree_on(saving->team, mine, &entry, saving->agreed, NULL);
  if (error == CW_OK)
    error = cwi_team_agree_step(
        saving->arrays[0]->team,
        cw_array_sync(
            saving->arrays[0])); /* one array suffices, because this synchronises the team */
  if (error == CW_OK)
    error = save_steps(saving);
  if (error != CW_OK)
    error = clean_up(saving, error);
  free(saving->offsets);
  return error;
}

static cw_error check_first(size_t count, const cw_array *arrays)
{
  if (arrays == NULL)
    return cwi_world.processes == 0 ? cwi_not_running() : cwi_misuse("arrays is NULL");
  if (count < 1)
    return cwi_misuse("count is 0; it may be 1 to %d", MOST_ARRAYS);
  return cwi_check_array("arrays[0]", arrays[0]);
}

/* Returns the number of arrays to list: 0 if there are too many, which are rejected. */
static size_t listed_count(const struct saving *saving)
{
  return saving->count <= MOST_ARRAYS ? saving->count : 0;
}

static void write_names(const struct cwi_argument *argument, struct cwi_words *words)
{
  const struct saving *saving = argument->what;
  for (size_t i = 0; saving->names != NULL && i < listed_count(saving); i++) {
    const struct cwi_argument name = cwi_argument_text("name", saving->names[i]);
    cwi_words_add(words, i > 0 ? ", " : "");
    cwi_write_text(&name, words);
  }
}

cw_error cw_arrays_save(const char *path, size_t count, const cw_array *arrays,
                        const char *const *names)
{
  CWI_PROFILED(CW_CALL_FILE);
  CWI_TRY(cwi_in_call("cw_arrays_save", check_first(count, arrays)));
  struct saving saving = {
      .path = path, .count = count, .arrays = arrays, .names = names, .team = arrays[0]->team};
  const struct cwi_argument agreed[] = {
      cwi_argument_text("path", path),
      cwi_argument_size("count", count),
      cwi_agreed_arrays("arrays", arrays, listed_count(&saving)),
      {"names", write_names, &saving, 0, NULL, NULL},
      CWI_ARGUMENTS_END,
  };
  saving.agreed = agreed;
  return CWI_COLLECTIVELY("cw_arrays_save", saving.team, agreed, save(&saving));
}
