/* The files of arrays on the disk. A file has a header, which identifies the array and the file.
 * After it come the elements, in order, of a range of indices of the first dimension. Only the
 * processes of one node work on a file. So the files may be on local disks, and no two nodes write
 * the same file. */
#include "ga/files/disk_array.h"

#include "base/file_write.h"
#include "file/temporary_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD = 4096 };
static const char magic[16] = "Causeway DRA 1\n";

/* Header of a file. */
struct head {
  char magic[sizeof magic];
  uint64_t identity;
  uint32_t file, files;
};

/* --- Positions of elements --- */

static size_t row_bytes(const struct cwi_dra_shape *shape)
{
  size_t bytes = shape->element;
  for (int d = 1; d < shape->ndim; d++)
    bytes *= (size_t)shape->dims[d];
  return bytes;
}

void cwi_dra_rows(const struct cwi_dra_shape *shape, int file, int64_t *begin, int64_t *end)
{
  const int64_t all = shape->dims[0], each = (all + shape->files - 1) / shape->files;
  *begin = each * file < all ? each * file : all;
  *end = all - *begin < each ? all : *begin + each;
}

static int64_t file_bytes(const struct cwi_dra_shape *shape, int file)
{
  int64_t begin = 0, end = 0;
  cwi_dra_rows(shape, file, &begin, &end);
  return HEAD + (end - begin) * (int64_t)row_bytes(shape);
}

struct cwi_dra_file_path cwi_dra_path(const struct cwi_dra *dra, int file)
{
  struct cwi_dra_file_path path;
  if (dra->shape.files == 1)
    snprintf(path.at, sizeof path.at, "%s", dra->path);
  else
    snprintf(path.at, sizeof path.at, "%s.%d", dra->path, file);
  return path;
}

/* --- Assignment of files to processes --- */

/* Finds the place of this process in a team. The files are assigned to the team's nodes round
 * robin; the nodes are in the order of their first members. */
cw_error cwi_dra_workers_of(cw_team team, struct cwi_dra_workers *workers)
{
  const int me = cw_process_node(cw_process());
  bool *seen = calloc((size_t)cw_nodes(), sizeof *seen);
  if (seen == NULL)
    return cwi_outside("no memory for a list of %d nodes", cw_nodes());
  *workers = (struct cwi_dra_workers){0};
  for (int rank = 0; rank < cw_team_size(team); rank++) {
    const int node = cw_process_node(cw_team_process(team, rank));
    if (!seen[node] && node == me) {
      workers->node = workers->nodes;
      workers->first = rank;
    }
    workers->nodes += !seen[node];
    seen[node] = true;
    if (rank == cw_team_rank(team))
      workers->place = workers->places;
    workers->places += node == me;
  }
  free(seen);
  return CW_OK;
}

struct cwi_dra_share cwi_dra_share_of(const struct cwi_dra_workers *workers,
                                      const struct cwi_dra_shape *shape, int file)
{
  const int most =
      shape->procs > 0 && shape->procs < workers->places ? shape->procs : workers->places;
  if (file % workers->nodes != workers->node || workers->place >= most)
    return (struct cwi_dra_share){0, 0};
  return (struct cwi_dra_share){workers->place, most};
}

bool cwi_dra_leads(const struct cwi_dra_workers *workers, const struct cwi_dra *dra, int file)
{
  const struct cwi_dra_share share = cwi_dra_share_of(workers, &dra->shape, file);
  return share.places > 0 && share.place == 0;
}

/* --- Headers --- */

static struct head head_of(const struct cwi_dra *dra, int file)
{
  struct head head = {
      .identity = dra->shape.identity, .file = (uint32_t)file, .files = (uint32_t)dra->shape.files};
  memcpy(head.magic, magic, sizeof magic);
  return head;
}

cw_error cwi_dra_fill(const struct cwi_dra *dra, int number, const char *path)
{
  const struct head head = head_of(dra, number);
  int file = -1;
  CWI_TRY(cwi_file_open(path, &file));
  cw_error error = cwi_file_write(file, path, (const char *)&head, sizeof head, 0);
  const int64_t bytes = file_bytes(&dra->shape, number);
  const int code = error == CW_OK ? cwi_file_resize(file, bytes) : 0;
  if (code != 0)
    error = cwi_outside("file '%s' cannot be made %lld bytes long: %s", path, (long long)bytes,
                        cwi_pario_reason(code));
  if (close(file) != 0 && error == CW_OK)
    error = cwi_outside("file '%s' cannot be closed: %s", path, cwi_pario_reason(errno));
  return error;
}

/* Reads the header. Returns 0 or the system's error. */
static int read_head(int file, struct head *head, size_t *got)
{
  return cwi_pario_read(file, &(struct cwi_pario_run){head, sizeof *head, 0}, got);
}

enum cwi_dra_answer cwi_dra_has(const struct cwi_dra *dra, int number, const char *path)
{
  const struct head want = head_of(dra, number);
  struct head head = {0};
  size_t got = 0;
  const int file = cwi_pario_open(path, O_RDONLY);
  if (file < 0)
    return errno == ENOENT ? CWI_DRA_NO : CWI_DRA_UNKNOWN;
  const int error = read_head(file, &head, &got);
  (void)close(file);
  if (error != 0)
    return CWI_DRA_UNKNOWN;
  return got == sizeof head && memcmp(&head, &want, sizeof head) == 0 ? CWI_DRA_YES : CWI_DRA_NO;
}

/* --- Opening and closing files --- */

static cw_error check_file(const struct cwi_dra *dra, int number, const char *path)
{
  struct head head;
  struct stat status;
  size_t got = 0;
  const int64_t bytes = file_bytes(&dra->shape, number);
  const int error = read_head(dra->file[number], &head, &got);
  if (error != 0 || fstat(dra->file[number], &status) != 0)
    return cwi_outside("file '%s' cannot be read: %s", path,
                       cwi_pario_reason(error != 0 ? error : errno));
  if (got < sizeof head || memcmp(head.magic, magic, sizeof magic) != 0)
    return cwi_outside("file '%s' is not a disk resident array of Causeway's", path);
  if (head.identity != dra->shape.identity || head.file != (uint32_t)number ||
      head.files != (uint32_t)dra->shape.files)
    return cwi_outside("file '%s' belongs to another array than '%s.info'", path, dra->path);
  if (status.st_size < bytes)
    return cwi_outside("file '%s' has only %lld of the %lld bytes that the array needs in it", path,
                       (long long)status.st_size, (long long)bytes);
  return CW_OK;
}

/* Opens a file, unless it is open. If the default group has changed since the array was opened, a
 * process may work on files that it has not opened yet. */
static cw_error open_file(const struct cwi_dra *dra, int number)
{
  if (CWI_LIKELY(dra->file[number] >= 0))
    return CW_OK;
  const struct cwi_dra_file_path path = cwi_dra_path(dra, number);
  dra->file[number] = cwi_pario_open(path.at, dra->mode == CWI_PARIO_R ? O_RDONLY : O_RDWR);
  if (dra->file[number] < 0)
    return cwi_outside("file '%s' cannot be opened: %s", path.at, cwi_pario_reason(errno));
  return check_file(dra, number, path.at);
}

cw_error cwi_dra_open_files(const struct cwi_dra_workers *workers, struct cwi_dra *dra)
{
  dra->file = malloc((size_t)dra->shape.files * sizeof *dra->file);
  if (dra->file == NULL)
    return cwi_outside("no memory for %d files of '%s'", dra->shape.files, dra->path);
  for (int file = 0; file < dra->shape.files; file++)
    dra->file[file] = -1;
  for (int file = 0; file < dra->shape.files; file++)
    if (cwi_dra_share_of(workers, &dra->shape, file).places > 0)
      CWI_TRY(open_file(dra, file));
  return CW_OK;
}

/* Closes the files. Some systems report lost data only when a file is closed. */
cw_error cwi_dra_close_files(struct cwi_dra *dra)
{
  cw_error error = CW_OK;
  for (int file = 0; dra->file != NULL && file < dra->shape.files; file++)
    if (dra->file[file] >= 0 && close(dra->file[file]) != 0 && error == CW_OK)
      error = cwi_outside("file '%s' cannot be closed: %s", cwi_dra_path(dra, file).at,
                          cwi_pario_reason(errno));
  free(dra->file);
  dra->file = NULL;
  return error;
}

cw_error cwi_dra_delete_files(const struct cwi_dra_workers *workers, const struct cwi_dra *dra)
{
  cw_error error = CW_OK;
  for (int file = 0; file < dra->shape.files; file++) {
    const struct cwi_dra_file_path path = cwi_dra_path(dra, file);
    if (cwi_dra_leads(workers, dra, file) && cwi_dra_has(dra, file, path.at) != CWI_DRA_NO &&
        unlink(path.at) != 0 && errno != ENOENT && error == CW_OK)
      error = cwi_outside("file '%s' cannot be deleted: %s", path.at, cwi_pario_reason(errno));
  }
  return error;
}

/* --- Elements --- */

static struct cwi_pario_run run_of(const struct cwi_dra *dra, const struct cwi_dra_run *run)
{
  int64_t begin = 0, end = 0;
  cwi_dra_rows(&dra->shape, run->file, &begin, &end);
  const int64_t element = (int64_t)dra->shape.element;
  return (struct cwi_pario_run){run->buffer, run->elements * dra->shape.element,
                                HEAD + run->first * element -
                                    begin * (int64_t)row_bytes(&dra->shape)};
}

cw_error cwi_dra_read(const struct cwi_dra *dra, const struct cwi_dra_run *run)
{
  const struct cwi_pario_run place = run_of(dra, run);
  size_t got = 0;
  CWI_TRY(open_file(dra, run->file));
  const int error = cwi_pario_read(dra->file[run->file], &place, &got);
  if (CWI_LIKELY(error == 0 && got == place.bytes))
    return CW_OK;
  return cwi_outside("%zu bytes at offset %lld of file '%s' cannot be read: %s", place.bytes,
                     (long long)place.offset, cwi_dra_path(dra, run->file).at,
                     error != 0 ? cwi_pario_reason(error) : "it is truncated");
}

cw_error cwi_dra_write(const struct cwi_dra *dra, const struct cwi_dra_run *run)
{
  const struct cwi_pario_run place = run_of(dra, run);
  CWI_TRY(open_file(dra, run->file));
  const int error = cwi_pario_write(dra->file[run->file], &place);
  if (CWI_LIKELY(error == 0))
    return CW_OK;
  return cwi_outside("%zu bytes at offset %lld cannot be written to file '%s': %s", place.bytes,
                     (long long)place.offset, cwi_dra_path(dra, run->file).at,
                     cwi_pario_reason(error));
}
