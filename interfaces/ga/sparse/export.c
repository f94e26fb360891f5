/* Matrix Market files (R. Boisvert, R. Pozo, K. Remington: The Matrix Market exchange formats,
 * NISTIR 5935, 1996). Process 0 fetches the blocks one after another and writes them. */
#include "ga/sparse/sparse.h"

#include "base/file_write.h"
#include "collective/collective.h"
#include "file/temporary_file.h"
#include "team/agreement.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static int64_t index_at(const struct cwi_sparse *sparse, const void *indices, size_t at)
{
  return sparse->index == sizeof(int64_t) ? ((const int64_t *)indices)[at]
                                          : ((const int *)indices)[at];
}

static void print_block(const struct cwi_sparse *sparse, const struct cwi_sparse_copy *copy,
                        FILE *out)
{
  const struct cwi_sparse_kernels *kernels = cwi_sparse_kernels(sparse->native);
  size_t k = 0;
  for (int64_t row = copy->lo[0]; row <= copy->hi[0]; row++)
    for (; k < (size_t)index_at(sparse, copy->idx, (size_t)(row - copy->lo[0]) + 1); k++) {
      char number[64];
      (void)kernels->print((const char *)copy->values + k * sparse->element, number, sizeof number);
      fprintf(out, "%lld %lld %s\n", (long long)row + 1,
              (long long)index_at(sparse, copy->jdx, k) + 1, number);
    }
}

static cw_error print_blocks(const struct cwi_sparse *sparse, FILE *out)
{
  const int size = sparse->team->size;
  for (int row = 0; row < size; row++)
    for (int column = 0; column < size; column++) {
      struct cwi_sparse_copy copy;
      CWI_TRY(cwi_sparse_copy(sparse, row, column, &copy));
      if (copy.count > 0)
        print_block(sparse, &copy, out);
      free(copy.idx);
      free(copy.jdx);
      free(copy.values);
    }
  return CW_OK;
}

static cw_error not_written(const char *path, int code)
{
  return cwi_outside("cannot write the file '%s': %s", path, cwi_system_error(code));
}

static cw_error print_all(const struct cwi_sparse *sparse, long count, const char *path)
{
  FILE *out = fopen(path, "we");
  if (out == NULL)
    return not_written(path, errno);
  fprintf(out, "%%%%MatrixMarket matrix coordinate %s general\n%lld %lld %ld\n",
          cwi_sparse_kernels(sparse->native)->field, (long long)sparse->rows,
          (long long)sparse->columns, count);
  const cw_error error = print_blocks(sparse, out);
  const int code = cwi_write_close(out);
  return code != 0 && error == CW_OK ? not_written(path, code) : error;
}

static cw_error export_write(const struct cwi_sparse *sparse, long count, const char *path)
{
  struct cwi_write_signals signals;
  cwi_write_signals_block(&signals);
  const cw_error error = print_all(sparse, count, path);
  cwi_write_signals_restore(&signals);
  return error;
}

/* Writes the file. A regular file is first written under a temporary name and replaces the old file
 * when it is complete. Devices and pipes are written directly. */
static cw_error export_beside(const struct cwi_sparse *sparse, long count, const char *file)
{
  struct cwi_temporary_file temporary;
  struct stat status;
  if (stat(file, &status) == 0 && !S_ISREG(status.st_mode))
    return export_write(sparse, count, file);
  CWI_TRY(cwi_temporary_file_create(&temporary, file));
  cw_error error = export_write(sparse, count, temporary.beside);
  if (error == CW_OK)
    error = cwi_temporary_file_commit(&temporary);
  cwi_temporary_file_remove(&temporary);
  return error;
}

cw_error cwi_sparse_export(int s_a, const char *file)
{
  struct cwi_sparse *sparse = NULL;
  CWI_TRY(cwi_sparse_assembled("s_a", s_a, &sparse));
  CWI_TRY(cwi_check_not_null("file", file));
  long count = (long)sparse->mine.count;
  CWI_TRY(cwi_sparse_synchronize(sparse));
  CWI_TRY(cwi_allreduce(sparse->team, CW_LONG, CW_SUM, 1, &count));
  const cw_error error = sparse->team->rank == 0 ? export_beside(sparse, count, file) : CW_OK;
  return cwi_team_agree(sparse->team, error);
}
