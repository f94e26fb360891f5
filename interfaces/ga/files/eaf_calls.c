/* The calls of EAF in C. */
#include "ga/files/pario.h"

#include "eaf.h"

#include <stdlib.h>
#include <string.h>

/* Returns true if an argument is not NULL. Otherwise prints a message and returns false. */
static bool eaf_given(const char *call, const char *name, const void *pointer)
{
  if (CWI_LIKELY(pointer != NULL))
    return true;
  (void)cwi_pario_fail(0, call, "%s is NULL", name);
  return false;
}

/* Checks a path. Returns CWI_PARIO_GOOD, or prints a message and returns the code of the error. */
static int eaf_named(const char *call, const char *name)
{
  if (name == NULL)
    return cwi_pario_fail(CWI_EAF_SHORT, call, "fname is NULL");
  if (strlen(name) < CWI_PARIO_PATH)
    return CWI_PARIO_GOOD;
  return cwi_pario_fail(CWI_EAF_LONG, call, "fname has %zu characters; it may have at most %zu",
                        strlen(name), CWI_PARIO_PATH - 1);
}

int EAF_Open(const char *fname, int type, int *fd)
{
  const int code = eaf_named(__func__, fname);
  if (code != CWI_PARIO_GOOD || !eaf_given(__func__, "fd", fd))
    return code != CWI_PARIO_GOOD ? code : CWI_EAF_FILE;
  return cwi_eaf_open(__func__, fname, type, fd);
}

int EAF_Close(int fd)
{
  return cwi_eaf_close(__func__, fd);
}

int EAF_Delete(const char *fname)
{
  const int code = eaf_named(__func__, fname);
  return code == CWI_PARIO_GOOD ? cwi_eaf_delete(__func__, fname) : code;
}

/* --- Reading and writing --- */

/* Removes const. A write only reads the buffer, but reads and writes have the same type of
 * request. */
static void *unwritten(const void *buf)
{
  void *buffer = NULL;
  memcpy(&buffer, &buf, sizeof buffer);
  return buffer;
}

int EAF_Write(int fd, eaf_off_t offset, const void *buf, size_t bytes)
{
  return cwi_eaf_move(__func__, &(struct cwi_eaf_request){CWI_EAF_WRITES, fd, offset,
                                                          unwritten(buf), (double)bytes});
}

int EAF_Read(int fd, eaf_off_t offset, void *buf, size_t bytes)
{
  return cwi_eaf_move(__func__,
                      &(struct cwi_eaf_request){CWI_EAF_READS, fd, offset, buf, (double)bytes});
}

static int eaf_start(const char *call, const struct cwi_eaf_request *call_arguments, int *req_id)
{
  if (!eaf_given(call, "req_id", req_id))
    return CWI_PARIO_REQUEST;
  *req_id = CWI_PARIO_DONE;
  return cwi_eaf_move(call, call_arguments);
}

int EAF_Awrite(int fd, eaf_off_t offset, const void *buf, size_t bytes, int *req_id)
{
  return eaf_start(
      __func__,
      &(struct cwi_eaf_request){CWI_EAF_AWRITES, fd, offset, unwritten(buf), (double)bytes},
      req_id);
}

int EAF_Aread(int fd, eaf_off_t offset, void *buf, size_t bytes, int *req_id)
{
  return eaf_start(
      __func__, &(struct cwi_eaf_request){CWI_EAF_AREADS, fd, offset, buf, (double)bytes}, req_id);
}

int EAF_Wait(int fd, int req_id)
{
  (void)fd;
  return cwi_eaf_wait(__func__, req_id);
}

int EAF_Probe(int req_id, int *status)
{
  if (!eaf_given(__func__, "status", status))
    return CWI_PARIO_REQUEST;
  *status = 0;
  return cwi_eaf_wait(__func__, req_id);
}

/* --- Lengths and properties --- */

int EAF_Length(int fd, eaf_off_t *length)
{
  return eaf_given(__func__, "length", length) ? cwi_eaf_length(__func__, fd, length)
                                               : CWI_PARIO_STAT;
}

int EAF_Truncate(int fd, eaf_off_t length)
{
  return cwi_eaf_truncate(__func__, fd, length);
}

int EAF_Stat(const char *path, long *avail_mb, char *fstype, int fslen)
{
  const int code = eaf_named(__func__, path);
  if (code != CWI_PARIO_GOOD)
    return code;
  if (!eaf_given(__func__, "avail_mb", avail_mb) || !eaf_given(__func__, "fstype", fstype))
    return CWI_EAF_SHORT;
  return cwi_eaf_stat(__func__, path, avail_mb, fstype, fslen > 0 ? (size_t)fslen : 0);
}

int EAF_Eof(int code)
{
  return code == CWI_PARIO_END;
}

void EAF_Errmsg(int code, char *msg)
{
  if (eaf_given(__func__, "msg", msg))
    strcpy(msg, cwi_pario_text(code));
}

void EAF_Print_stats(int fd)
{
  (void)cwi_eaf_print(__func__, fd);
}
