/* Creates the files of an array on the disk. All files are first written under temporary names, and
 * then renamed. So an older array stays intact if a file cannot be written. */
#include "ga/files/disk_array.h"

#include "file/temporary_file.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* --- Temporary files --- */

static cw_error make_beside(struct cwi_dra_new *made, const char *path,
                            struct cwi_temporary_file **beside)
{
  *beside = &made->files[made->count];
  CWI_TRY(cwi_temporary_file_create(*beside, path));
  made->count++;
  return CW_OK;
}

cw_error cwi_dra_make_beside(const struct cwi_dra_workers *workers, const struct cwi_dra *dra,
                             bool with_text, struct cwi_dra_new *made)
{
  struct cwi_temporary_file *beside = NULL;
  int mine = with_text;
  for (int file = 0; file < dra->shape.files; file++)
    mine += cwi_dra_leads(workers, dra, file);
  *made = (struct cwi_dra_new){.files = calloc((size_t)mine + 1, sizeof *made->files)};
  if (made->files == NULL)
    return cwi_outside("no memory for the names of %d files of '%s'", mine, dra->path);
  for (int file = 0; file < dra->shape.files; file++)
    if (cwi_dra_leads(workers, dra, file)) {
      CWI_TRY(make_beside(made, cwi_dra_path(dra, file).at, &beside));
      CWI_TRY(cwi_dra_fill(dra, file, beside->beside));
    }
  made->elements = made->count;
  if (!with_text)
    return CW_OK;
  CWI_TRY(make_beside(made, cwi_dra_info_path(dra->path).at, &beside));
  return cwi_dra_info_write(dra, beside->beside);
}

/* --- Renaming --- */

cw_error cwi_dra_store(struct cwi_dra_new *made, bool text)
{
  const int end = text ? made->count : made->elements;
  while (made->kept < end)
    CWI_TRY(cwi_temporary_file_commit(&made->files[made->kept++]));
  return CW_OK;
}

static void report_undeleted(const char *path)
{
  (void)cwi_pario_fail(0, "dra_create",
                       "file '%s' remains, because it cannot be read or deleted: %s", path,
                       cwi_pario_reason(errno));
}

/* Deletes temporary files. A file that has been renamed no longer has a temporary name. */
void cwi_dra_drop(struct cwi_dra_new *made, bool all)
{
  for (int i = 0; i < made->count; i++) {
    struct cwi_temporary_file *file = &made->files[i];
    const bool placed = file->beside[0] == '\0';
    cwi_temporary_file_remove(file);
    if (all && placed && unlink(file->path) != 0 && errno != ENOENT)
      report_undeleted(file->path);
  }
  free(made->files);
  *made = (struct cwi_dra_new){0};
}

/* --- Files of an older array --- */

static bool has_place(const struct cwi_dra *dra, const struct cwi_dra *old, int file)
{
  return dra != NULL && (dra->shape.files == 1) == (old->shape.files == 1) &&
         file < dra->shape.files;
}

void cwi_dra_delete_old(const struct cwi_dra_workers *workers, const struct cwi_dra *dra,
                        const struct cwi_dra *old)
{
  for (int file = 0; file < old->shape.files; file++) {
    const struct cwi_dra_file_path path = cwi_dra_path(old, file);
    if (has_place(dra, old, file) || !cwi_dra_leads(workers, old, file))
      continue;
    const enum cwi_dra_answer has = cwi_dra_has(old, file, path.at);
    if (has == CWI_DRA_UNKNOWN || (has == CWI_DRA_YES && unlink(path.at) != 0))
      report_undeleted(path.at);
  }
}

bool cwi_dra_is_broken(const struct cwi_dra_workers *workers, const struct cwi_dra *old,
                       bool with_text)
{
  bool broken = with_text && access(cwi_dra_info_path(old->path).at, F_OK) != 0 && errno == ENOENT;
  for (int file = 0; file < old->shape.files && !broken; file++)
    broken = cwi_dra_leads(workers, old, file) &&
             cwi_dra_has(old, file, cwi_dra_path(old, file).at) == CWI_DRA_NO;
  return broken;
}
