/* Exclusive access files. A file belongs to one process, which reads and writes it at offsets.
 * Asynchronous calls are complete when they return. */
#include "ga/files/pario.h"

#include "base/clock.h"
#include "base/file_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

struct eaf {
  char *name; /* NULL if the slot is free */
  int file;   /* -1 if the file is in memory */
  struct cwi_eaf_memory *memory;
  struct {
    unsigned long calls;
    double bytes, seconds;
  } done[CWI_EAF_KINDS];
};

enum { FILES = 1024 };
static struct eaf files[FILES];

/* --- Opening and closing --- */

static int flags_of(long mode)
{
  switch (mode) {
  case CWI_PARIO_RW:
    return O_RDWR | O_CREAT;
  case CWI_PARIO_W:
    return O_WRONLY | O_CREAT | O_TRUNC;
  case CWI_PARIO_R:
    return O_RDONLY;
  default:
    return -1;
  }
}

static int eaf_open_on_disk(const char *call, struct eaf *eaf, long mode)
{
  const int flags = flags_of(mode);
  if (flags < 0) {
    cwi_pario_open_failed("Incorrect File Mode");
    return cwi_pario_fail(CWI_PARIO_OPEN_FAILED, call,
                          "type is %ld; it may be EAF_RW (-1), EAF_W (-2), EAF_R (-3), or a number "
                          "of MiB from 1 on",
                          mode);
  }
  eaf->file = cwi_pario_open(eaf->name, flags);
  if (eaf->file >= 0)
    return CWI_PARIO_GOOD;
  const char *reason = cwi_pario_reason(errno);
  cwi_pario_open_failed(reason);
  return cwi_pario_fail(CWI_PARIO_OPEN_FAILED, call, "file '%s' cannot be opened: %s", eaf->name,
                        reason);
}

static int eaf_open_in_memory(const char *call, struct eaf *eaf, long mib)
{
  eaf->memory = cwi_eaf_memory_open(call, eaf->name, mib);
  return eaf->memory != NULL ? CWI_PARIO_GOOD : CWI_EAF_MEMORY;
}

int cwi_eaf_open(const char *call, const char *name, long type, int *fd)
{
  int slot = 0;
  while (slot < FILES && files[slot].name != NULL)
    slot++;
  if (slot == FILES)
    return cwi_pario_fail(CWI_EAF_MANY, call, "%d files are open, the maximum", FILES);
  struct eaf *eaf = &files[slot];
  *eaf = (struct eaf){.name = strdup(name), .file = -1};
  if (eaf->name == NULL)
    return cwi_pario_fail(CWI_EAF_MEMORY, call, "no memory for the name of file '%s'", name);
  const int code =
      type > 0 ? eaf_open_in_memory(call, eaf, type) : eaf_open_on_disk(call, eaf, type);
  if (code == CWI_PARIO_GOOD) {
    *fd = slot;
    return code;
  }
  free(eaf->name);
  eaf->name = NULL;
  return code;
}

/* Returns the open file with the number `fd`. Prints a message and returns NULL if there is none,
 * or if it was in memory and has been deleted. */
static struct eaf *eaf_find(const char *call, long fd)
{
  struct eaf *eaf = fd >= 0 && fd < FILES ? &files[fd] : NULL;
  if (CWI_LIKELY(eaf != NULL && eaf->name != NULL &&
                 (eaf->memory == NULL || eaf->memory->name != NULL)))
    return eaf;
  (void)cwi_pario_fail(CWI_EAF_FILE, call, "fd is %ld, which is not an open file", fd);
  return NULL;
}

/* Closes a file. If a file in memory was deleted while it was open, this also frees its number. */
int cwi_eaf_close(const char *call, long fd)
{
  struct eaf *eaf = eaf_find(call, fd);
  int code = eaf != NULL ? CWI_PARIO_GOOD : CWI_EAF_FILE;
  if (eaf == NULL && (fd < 0 || fd >= FILES || files[fd].name == NULL))
    return code;
  eaf = &files[fd];
  if (eaf->memory != NULL)
    cwi_eaf_memory_close(eaf->memory);
  else if (close(eaf->file) != 0)
    code = cwi_pario_fail(CWI_EAF_CLOSE, call, "file '%s' cannot be closed: %s", eaf->name,
                          cwi_pario_reason(errno));
  free(eaf->name);
  eaf->name = NULL;
  return code;
}

/* Deletes a file. A nonexistent file is no error. */
int cwi_eaf_delete(const char *call, const char *name)
{
  struct cwi_eaf_memory *memory = cwi_eaf_memory_find(name);
  if (memory != NULL)
    return cwi_eaf_memory_delete(call, memory);
  if (unlink(name) == 0 || errno == ENOENT)
    return CWI_PARIO_GOOD;
  return cwi_pario_fail(CWI_EAF_UNLINK, call, "file '%s' cannot be deleted: %s", name,
                        cwi_pario_reason(errno));
}

/* --- Reading and writing --- */

static int eaf_write(const char *call, const struct eaf *eaf, const struct cwi_pario_run *run)
{
  const int error = cwi_pario_write(eaf->file, run);
  if (CWI_LIKELY(error == 0))
    return CWI_PARIO_GOOD;
  return cwi_pario_fail(CWI_PARIO_WRITE, call,
                        "%zu bytes at offset %lld cannot be written to file '%s': %s", run->bytes,
                        (long long)run->offset, eaf->name, cwi_pario_reason(error));
}

/* Reads from a file. Programs read until the end to find it, so a read that begins exactly at the
 * end prints no message. A read that is truncated, or begins after the end, prints one. */
static int eaf_read(const char *call, const struct eaf *eaf, const struct cwi_pario_run *run)
{
  struct stat status;
  size_t got = 0;
  const int error = cwi_pario_read(eaf->file, run, &got);
  if (CWI_UNLIKELY(error != 0))
    return cwi_pario_fail(CWI_PARIO_READ, call,
                          "%zu bytes at offset %lld of file '%s' cannot be read: %s", run->bytes,
                          (long long)run->offset, eaf->name, cwi_pario_reason(error));
  if (CWI_LIKELY(got == run->bytes))
    return CWI_PARIO_GOOD;
  if (fstat(eaf->file, &status) != 0 || status.st_size == run->offset)
    return CWI_PARIO_END;
  return cwi_pario_fail(CWI_PARIO_END, call,
                        "%zu bytes at offset %lld are to be read; file '%s' has %lld bytes",
                        run->bytes, (long long)run->offset, eaf->name, (long long)status.st_size);
}

static int eaf_transfer(const char *call, struct eaf *eaf,
                        const struct cwi_eaf_request *call_arguments)
{
  static const struct cwi_pario_rejections codes = {CWI_EAF_OFFSET, CWI_EAF_WRITE, CWI_EAF_READ};
  const bool writes =
      call_arguments->kind == CWI_EAF_WRITES || call_arguments->kind == CWI_EAF_AWRITES;
  const struct cwi_pario_request transfer = {writes, call_arguments->offset, call_arguments->bytes,
                                             call_arguments->buffer};
  struct cwi_pario_run run = {0};
  const int code = cwi_pario_result(call, eaf->name, &transfer, &codes, &run);
  if (CWI_UNLIKELY(code != CWI_PARIO_GOOD))
    return code;
  if (eaf->memory != NULL)
    return cwi_eaf_memory_move(call, eaf->memory, writes, &run);
  return writes ? eaf_write(call, eaf, &run) : eaf_read(call, eaf, &run);
}

/* Returns the number of transfers that the time of this transfer represents, or 0 if the transfer
 * is not timed. Reading the clock takes a tenth of the time of a short transfer, so only one short
 * transfer in 64 is timed. */
static unsigned eaf_timed(const struct eaf *eaf, const struct cwi_eaf_request *call_arguments)
{
  enum { LONG = 1 << 15, ONE_OF = 64 };
  if (call_arguments->bytes >= LONG)
    return 1;
  return eaf->done[call_arguments->kind].calls % ONE_OF == 0 ? ONE_OF : 0;
}

int cwi_eaf_move(const char *call, const struct cwi_eaf_request *call_arguments)
{
  struct eaf *eaf = eaf_find(call, call_arguments->fd);
  if (CWI_UNLIKELY(eaf == NULL))
    return CWI_EAF_FILE;
  const unsigned timed = eaf_timed(eaf, call_arguments);
  const double begin = timed > 0 ? cwi_now() : 0;
  const int code = eaf_transfer(call, eaf, call_arguments);
  if (CWI_UNLIKELY(code != CWI_PARIO_GOOD))
    return code;
  eaf->done[call_arguments->kind].calls++;
  eaf->done[call_arguments->kind].bytes += call_arguments->bytes;
  if (timed > 0)
    eaf->done[call_arguments->kind].seconds += timed * (cwi_now() - begin);
  return code;
}

int cwi_eaf_wait(const char *call, long request)
{
  if (CWI_LIKELY(request == CWI_PARIO_DONE))
    return CWI_PARIO_GOOD;
  return cwi_pario_fail(
      CWI_PARIO_REQUEST, call,
      "the request is %ld, which no call has returned; calls that succeed return %d", request,
      CWI_PARIO_DONE);
}

/* --- Lengths and properties --- */

int cwi_eaf_length(const char *call, long fd, double *length)
{
  struct stat status;
  const struct eaf *eaf = eaf_find(call, fd);
  if (eaf == NULL)
    return CWI_EAF_FILE;
  if (eaf->memory != NULL) {
    *length = (double)eaf->memory->bytes;
    return CWI_PARIO_GOOD;
  }
  if (fstat(eaf->file, &status) != 0)
    return cwi_pario_fail(CWI_PARIO_STAT, call, "the length of file '%s' cannot be found: %s",
                          eaf->name, cwi_pario_reason(errno));
  *length = (double)status.st_size;
  return CWI_PARIO_GOOD;
}

/* Changes the length of a file. Files in memory keep their size. */
int cwi_eaf_truncate(const char *call, long fd, double length)
{
  int64_t bytes = 0;
  const struct eaf *eaf = eaf_find(call, fd);
  if (eaf == NULL)
    return CWI_EAF_FILE;
  if (!cwi_pario_whole(length, &bytes))
    return cwi_pario_fail(CWI_EAF_OFFSET, call,
                          "length is %.17g, which is not a whole number from 0 to 2^62", length);
  if (eaf->memory != NULL && bytes == eaf->memory->bytes)
    return CWI_PARIO_GOOD;
  const int error = eaf->memory == NULL ? cwi_file_resize(eaf->file, bytes) : 0;
  if (eaf->memory == NULL && error == 0)
    return CWI_PARIO_GOOD;
  return cwi_pario_fail(CWI_EAF_TRUNCATE, call, "file '%s' cannot be made %lld bytes long: %s",
                        eaf->name, (long long)bytes,
                        eaf->memory != NULL ? "it lies in MA's heap, and keeps its size"
                                            : cwi_pario_reason(error));
}

/* Queries the file system of a path, or of its folder if the file does not exist. */
static int stat_of(const char *path, struct statvfs *status)
{
  char folder[CWI_PARIO_PATH];
  if (statvfs(path, status) == 0)
    return 0;
  const char *slash = strrchr(path, '/');
  if (errno != ENOENT || (slash != NULL && slash[1] == '\0'))
    return errno;
  if (slash == NULL)
    return statvfs(".", status) == 0 ? 0 : errno;
  snprintf(folder, sizeof folder, "%.*s", (int)(slash - path + 1), path);
  return statvfs(folder, status) == 0 ? 0 : errno;
}

int cwi_eaf_stat(const char *call, const char *path, long *free_mib, char *system, size_t size)
{
  static const char name[] = "UFS"; /* EAF returns this for every file system */
  struct statvfs status;
  const int error = stat_of(path, &status);
  if (error != 0)
    return cwi_pario_fail(CWI_PARIO_STAT, call, "the file system of '%s' cannot be queried: %s",
                          path, cwi_pario_reason(error));
  if (size < sizeof name)
    return cwi_pario_fail(CWI_EAF_SHORT, call, "fstype has space for %zu characters; it needs %zu",
                          size, sizeof name);
  *free_mib = (long)((double)status.f_bavail * (double)status.f_frsize / 0x1p20);
  memcpy(system, name, sizeof name);
  return CWI_PARIO_GOOD;
}

int cwi_eaf_print(const char *call, long fd)
{
  static const char *const kinds[CWI_EAF_KINDS] = {"write", "read", "awrite", "aread"};
  double length = 0;
  const struct eaf *eaf = eaf_find(call, fd);
  if (eaf == NULL || cwi_eaf_length(call, fd, &length) != CWI_PARIO_GOOD)
    return CWI_EAF_FILE;
  printf("EAF file %ld: '%s', %.0f bytes\n%8s %10s %14s %10s %10s\n", fd, eaf->name, length, "",
         "calls", "bytes", "~seconds", "MB/s");
  for (int kind = 0; kind < CWI_EAF_KINDS; kind++) {
    const double seconds = eaf->done[kind].seconds, bytes = eaf->done[kind].bytes;
    printf("%8s %10lu %14.0f %10.3g %10.3g\n", kinds[kind], eaf->done[kind].calls, bytes, seconds,
           seconds > 0 ? bytes / seconds / 1e6 : 0);
  }
  fflush(stdout);
  return CWI_PARIO_GOOD;
}
