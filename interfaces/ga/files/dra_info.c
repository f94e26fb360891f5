/* The description of an array on the disk. It is in a file whose name ends with .info. Each line
 * has a keyword and its values. Dimensions are in Fortran's order. */
#include "ga/files/disk_array.h"

#include "base/unread_errors.h"
#include "file/temporary_file.h"
#include "ga/base/binding.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST = 4096 };
static const char title[] = "Causeway disk resident array 1";

struct cwi_dra_file_path cwi_dra_info_path(const char *path)
{
  struct cwi_dra_file_path whole;
  snprintf(whole.at, sizeof whole.at, "%s.info", path);
  return whole;
}

/* --- Writing --- */

static int add_numbers(char *text, size_t size, const char *word, int count, const int64_t *numbers)
{
  int length = snprintf(text, size, "%s", word);
  for (int d = count - 1; d >= 0; d--)
    length += snprintf(text + length, size - (size_t)length, " %lld", (long long)numbers[d]);
  return length + snprintf(text + length, size - (size_t)length, "\n");
}

static void info_text(const struct cwi_dra_shape *shape, char *text)
{
  int length =
      snprintf(text, LONGEST, "%s\nidentity %016llx\ntype %d\nelement %zu\nndim %d\n", title,
               (unsigned long long)shape->identity, shape->type, shape->element, shape->ndim);
  length +=
      add_numbers(text + length, (size_t)(LONGEST - length), "dims", shape->ndim, shape->dims);
  length += add_numbers(text + length, (size_t)(LONGEST - length), "request", shape->ndim,
                        shape->request);
  snprintf(text + length, (size_t)(LONGEST - length), "files %d\nprocs %d\nname %s\n", shape->files,
           shape->procs, shape->name);
}

cw_error cwi_dra_info_write(const struct cwi_dra *dra, const char *path)
{
  char text[LONGEST];
  int file = -1;
  info_text(&dra->shape, text);
  CWI_TRY(cwi_file_open(path, &file));
  return cwi_file_finish(file, path, cwi_file_write(file, path, text, strlen(text), 0));
}

/* --- Reading --- */

/* Returns the text after a keyword at the start of a line, or NULL if there is no such line. */
static const char *info_find(const char *text, const char *word)
{
  const size_t length = strlen(word);
  while (text != NULL && (strncmp(text, word, length) != 0 || text[length] != ' ')) {
    text = strchr(text, '\n');
    text = text != NULL ? text + 1 : NULL;
  }
  return text != NULL ? text + length + 1 : NULL;
}

/* Reads `count` numbers. Numbers of dimensions are returned in C's order. */
static bool info_numbers(const char *text, const char *word, int count, int64_t *numbers)
{
  const char *at = info_find(text, word);
  for (int d = count - 1; d >= 0; d--) {
    char *end = NULL;
    if (at == NULL)
      return false;
    numbers[d] = strtoll(at, &end, 10);
    if (end == at)
      return false;
    at = end;
  }
  return true;
}

static bool info_number(const char *text, const char *word, int64_t least, int64_t most,
                        int64_t *number)
{
  return info_numbers(text, word, 1, number) && *number >= least && *number <= most;
}

static bool info_name(const char *text, char *name)
{
  const char *at = info_find(text, "name");
  const size_t length = at != NULL ? strcspn(at, "\n") : CWI_DRA_NAME + 1;
  if (length > CWI_DRA_NAME)
    return false;
  memcpy(name, at, length);
  name[length] = '\0';
  return true;
}

/* Reads the dimensions. Returns false if they are invalid, or if the array would have more than
 * 2^62 bytes. */
static bool info_dims(const char *text, struct cwi_dra_shape *shape)
{
  int64_t left = INT64_MAX / 2 / (int64_t)shape->element;
  if (!info_numbers(text, "dims", shape->ndim, shape->dims) ||
      !info_numbers(text, "request", shape->ndim, shape->request))
    return false;
  for (int d = 0; d < shape->ndim; d++) {
    if (shape->dims[d] < 1 || shape->dims[d] > left)
      return false;
    left /= shape->dims[d];
  }
  return true;
}

/* Reads the type. Returns false if it is invalid, or if its elements have another size in this
 * library. */
static bool info_type(const char *text, int64_t *type, int64_t *element)
{
  cw_type native = CW_OPAQUE;
  size_t bytes = 0;
  if (!info_number(text, "type", MT_FIRST, MT_LAST, type) ||
      !info_number(text, "element", 1, INT32_MAX, element))
    return false;
  int code = (int)*type;
  return cwi_ga_type(&code, &native, &bytes) == CW_OK && bytes == (size_t)*element;
}

static bool info_parse(const char *text, struct cwi_dra_shape *shape)
{
  int64_t type = 0, element = 0, ndim = 0, files = 0, procs = 0;
  const char *identity = info_find(text, "identity");
  if (strncmp(text, title, sizeof title - 1) != 0 || identity == NULL ||
      !info_type(text, &type, &element) || !info_number(text, "ndim", 1, GA_MAX_DIM, &ndim) ||
      !info_number(text, "files", 1, CWI_DRA_FILES, &files) ||
      !info_number(text, "procs", 0, INT32_MAX, &procs))
    return false;
  *shape = (struct cwi_dra_shape){.identity = strtoull(identity, NULL, 16),
                                  .type = (int)type,
                                  .element = (size_t)element,
                                  .ndim = (int)ndim,
                                  .files = (int)files,
                                  .procs = (int)procs};
  return info_dims(text, shape) && info_name(text, shape->name);
}

cw_error cwi_dra_info_read(const char *path, struct cwi_dra_shape *shape)
{
  char text[LONGEST];
  const struct cwi_dra_file_path info = cwi_dra_info_path(path);
  FILE *file = fopen(info.at, "re");
  if (file == NULL)
    return cwi_outside("file '%s' cannot be opened: %s", info.at, cwi_pario_reason(errno));
  const size_t bytes = fread(text, 1, sizeof text - 1, file);
  const bool failed = ferror(file) != 0;
  (void)fclose(file);
  text[bytes] = '\0';
  if (failed)
    return cwi_outside("file '%s' cannot be read", info.at);
  if (!info_parse(text, shape))
    return cwi_outside("file '%s' does not describe a disk resident array of Causeway's", info.at);
  return CW_OK;
}

cw_error cwi_dra_info_delete(const struct cwi_dra *dra)
{
  const struct cwi_dra_file_path info = cwi_dra_info_path(dra->path);
  struct cwi_dra_shape there;
  const cw_error read = cwi_dra_info_read(dra->path, &there);
  (void)cwi_failure_is_outside(read); /* a file that does not describe an array is deleted, too */
  if (read == CW_OK && there.identity != dra->shape.identity)
    return CW_OK;
  if (unlink(info.at) == 0 || errno == ENOENT)
    return CW_OK;
  return cwi_outside("file '%s' cannot be deleted: %s", info.at, cwi_pario_reason(errno));
}
