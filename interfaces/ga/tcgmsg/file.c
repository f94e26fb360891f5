/* Files: copying a file of one process to all others, and a log file for each process. */
#include "ga/tcgmsg/run.h"

#include "base/file_write.h"
#include "base/temporary_name.h"

#include "tcgmsg.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 20, LONGEST = 1023 };

/* The message that process `root` sends before each piece. */
struct announced {
  int32_t error; /* system error of process `root`, or 0 if there is none */
  int32_t bytes; /* 0 at the end of the file */
};

static struct announced read_piece(FILE *file, char *piece)
{
  if (file == NULL)
    return (struct announced){errno, 0};
  const size_t bytes = fread(piece, 1, PIECE, file);
  return (struct announced){ferror(file) ? EIO : 0, (int32_t)bytes};
}

/* Writes a piece. Returns the system's error, or 0. A process with an error continues to receive
 * pieces, because the broadcasts are collective. */
static int write_piece(FILE *file, const char *piece, size_t bytes)
{
  return file != NULL && fwrite(piece, 1, bytes, file) == bytes ? 0 : errno;
}

/* Copies the open file of process `root` to the open files of the others. *failed receives the
 * system error of this process, or 0. */
static cw_error copy_pieces(int root, FILE *file, char *piece, struct announced *last, int *failed)
{
  const cw_team world = cw_team_world();
  *failed = file == NULL ? errno : 0;
  do {
    if (cw_process() == root)
      *last = read_piece(file, piece);
    CWI_TRY(cw_broadcast(world, root, last, sizeof *last));
    if (last->error != 0 || last->bytes == 0)
      return CW_OK;
    CWI_TRY(cw_broadcast(world, root, piece, (size_t)last->bytes));
    if (cw_process() != root && *failed == 0)
      *failed = write_piece(file, piece, (size_t)last->bytes);
  } while (last->bytes > 0);
  return CW_OK;
}

static cw_error tcg_check_result(const char *name, long root, const struct announced *last,
                                 int failed)
{
  if (last->error != 0)
    return cwi_outside("fname is '%s', which process %ld cannot read: %s", name, root,
                       cwi_system_error(last->error));
  if (failed != 0 && cw_process() != root)
    return cwi_outside("fname is '%s', which process %d cannot write: %s", name, cw_process(),
                       cwi_system_error(failed));
  return CW_OK;
}

/* Opens a new file in the same folder, and stores its name in `own`. Returns NULL with errno set if
 * this fails. */
static FILE *open_own(const char *name, char own[LONGEST + CWI_TEMPORARY_NAME])
{
  char unique[CWI_UNIQUE_NAME];
  cwi_unique_name(unique);
  errno = cwi_temporary_name(own, LONGEST + CWI_TEMPORARY_NAME, name, unique, "partial");
  const int file = errno == 0 ? cwi_temporary_create(own) : -1;
  return file >= 0 ? fdopen(file, "w") : NULL;
}

/* Copies a file. Several processes, and other jobs, may use the same folder. So each process writes
 * a file with a unique name, and renames it when it is complete. */
static cw_error tcg_copy(int root, const char *name, char *piece)
{
  char own[LONGEST + CWI_TEMPORARY_NAME];
  struct cwi_write_signals signals;
  struct announced last = {0, 0};
  int failed = 0;
  const bool reads = cw_process() == root;
  FILE *file = reads ? fopen(name, "re") : open_own(name, own);
  cwi_write_signals_block(&signals);
  const cw_error error = copy_pieces(root, file, piece, &last, &failed);
  const int code = file != NULL ? cwi_write_close(file) : 0;
  cwi_write_signals_restore(&signals);
  CWI_TRY(error);
  if (!reads && failed == 0)
    failed = code == 0 && last.error == 0 && rename(own, name) != 0 ? errno : code;
  if (!reads && (failed != 0 || last.error != 0))
    (void)remove(own);
  CWI_TRY(tcg_check_result(name, root, &last, failed));
  return cw_barrier(cw_team_world());
}

cw_error cwi_tcg_copy_file(long root, const char *name)
{
  CWI_TRY(cwi_tcg_running());
  CWI_TRY(cwi_check_not_null("fname", name));
  if (root < 0 || root >= cw_processes())
    return cwi_misuse("node0 is process %ld; there are processes 0 to %d", root,
                      cw_processes() - 1);
  if (name[0] == '\0' || strlen(name) > LONGEST)
    return cwi_misuse("fname has %zu characters; it may have 1 to %d", strlen(name), LONGEST);
  char *piece = malloc(PIECE);
  if (piece == NULL)
    return cwi_outside("no memory for %d bytes of fname '%s'", PIECE, name);
  const cw_error error = tcg_copy((int)root, name, piece);
  free(piece);
  return error;
}

cw_error cwi_tcg_log(void)
{
  char name[32];
  CWI_TRY(cwi_tcg_running());
  snprintf(name, sizeof name, "log.%03d", cw_process());
  fflush(stdout);
  if (freopen(name, "w", stdout) == NULL)
    return cwi_outside("cannot write %s: %s", name, cwi_system_error(errno));
  return CW_OK;
}

/* --- The calls in C --- */

void tcg_pfcopy(long type, long node0, char *fname)
{
  (void)type;
  (void)CWI_TCG(__func__, cwi_tcg_copy_file(node0, fname));
}

void tcg_llog(void)
{
  (void)CWI_TCG(__func__, cwi_tcg_log());
}
