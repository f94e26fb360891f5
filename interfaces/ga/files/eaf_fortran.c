/* The calls of EAF in Fortran. */
#include "ga/files/text.h"

#include "typesf2c.h"

#include <limits.h>
#include <stdlib.h>

/* --- Opening and closing --- */

/* Checks a path. Returns CWI_PARIO_GOOD, or prints a message and returns the code of the error. */
static int eaf_fits(const char *call, const char *name, size_t length)
{
  if (cwi_fortran_length(name, length) < CWI_PARIO_PATH)
    return CWI_PARIO_GOOD;
  return cwi_pario_fail(CWI_EAF_LONG, call, "fname has %zu characters; it may have at most %zu",
                        cwi_fortran_length(name, length), CWI_PARIO_PATH - 1);
}

CWI_FORTRAN(Integer, eaf_open_,
            (const char *fname, const Integer *type, Integer *fd, size_t length))
{
  int number = -1;
  int code = eaf_fits("eaf_open", fname, length);
  if (code == CWI_PARIO_GOOD)
    code = cwi_eaf_open("eaf_open", cwi_pario_text_of(fname, length).at, *type, &number);
  if (code == CWI_PARIO_GOOD)
    *fd = number;
  return code;
}

CWI_FORTRAN(Integer, eaf_close_, (const Integer *fd))
{
  return cwi_eaf_close("eaf_close", *fd);
}

CWI_FORTRAN(Integer, eaf_delete_, (const char *fname, size_t length))
{
  const int code = eaf_fits("eaf_delete", fname, length);
  return code == CWI_PARIO_GOOD ? cwi_eaf_delete("eaf_delete", cwi_pario_text_of(fname, length).at)
                                : code;
}

/* --- Reading and writing --- */

#define MOVE(name, kind)                                                                           \
  CWI_FORTRAN(Integer, name##_,                                                                    \
              (const Integer *fd, const DoublePrecision *offset, void *buf, const Integer *bytes)) \
  {                                                                                                \
    return cwi_eaf_move(#name,                                                                     \
                        &(struct cwi_eaf_request){kind, *fd, *offset, buf, (double)*bytes});       \
  }
MOVE(eaf_write, CWI_EAF_WRITES)
MOVE(eaf_read, CWI_EAF_READS)

#define START(name, kind)                                                                          \
  CWI_FORTRAN(Integer, name##_,                                                                    \
              (const Integer *fd, const DoublePrecision *offset, void *buf, const Integer *bytes,  \
               Integer *request))                                                                  \
  {                                                                                                \
    *request = CWI_PARIO_DONE;                                                                     \
    return cwi_eaf_move(#name,                                                                     \
                        &(struct cwi_eaf_request){kind, *fd, *offset, buf, (double)*bytes});       \
  }
START(eaf_awrite, CWI_EAF_AWRITES)
START(eaf_aread, CWI_EAF_AREADS)

CWI_FORTRAN(Integer, eaf_wait_, (const Integer *fd, const Integer *request))
{
  (void)fd;
  return cwi_eaf_wait("eaf_wait", *request);
}

CWI_FORTRAN(Integer, eaf_probe_, (const Integer *request, Integer *status))
{
  *status = 0;
  return cwi_eaf_wait("eaf_probe", *request);
}

/* --- Lengths and properties --- */

CWI_FORTRAN(Integer, eaf_length_, (const Integer *fd, DoublePrecision *length))
{
  return cwi_eaf_length("eaf_length", *fd, length);
}

CWI_FORTRAN(Integer, eaf_truncate_, (const Integer *fd, const DoublePrecision *length))
{
  return cwi_eaf_truncate("eaf_truncate", *fd, *length);
}

CWI_FORTRAN(Integer, eaf_stat_,
            (const char *path, Integer *avail_mb, char *fstype, size_t path_length,
             size_t type_length))
{
  char type[8] = "";
  long free_mib = 0;
  int code = eaf_fits("eaf_stat", path, path_length);
  if (code == CWI_PARIO_GOOD)
    code = cwi_eaf_stat("eaf_stat", cwi_pario_text_of(path, path_length).at, &free_mib, type,
                        sizeof type);
  if (code != CWI_PARIO_GOOD)
    return code;
  const bool narrow = sizeof(Integer) == sizeof(int) && free_mib > INT_MAX;
  *avail_mb = narrow ? INT_MAX : (Integer)free_mib;
  cwi_fortran_give(type, fstype, type_length);
  return code;
}

CWI_FORTRAN(Logical, eaf_eof_, (const Integer *code))
{
  return *code == CWI_PARIO_END;
}

CWI_FORTRAN(void, eaf_errmsg_, (const Integer *code, char *msg, size_t length))
{
  cwi_fortran_give(cwi_pario_text(*code), msg, length);
}

CWI_FORTRAN(void, eaf_print_stats_, (const Integer *fd))
{
  (void)cwi_eaf_print("eaf_print_stats", *fd);
}

/* Returns a random number. A seed other than 0 starts another sequence. */
CWI_FORTRAN(DoublePrecision, eaf_util_random_, (const Integer *seed))
{
  if (*seed != 0)
    srandom((unsigned)*seed);
  return (double)random() / 0x1p31;
}

CWI_FORTRAN(Integer, eaf_util_szint_, (void))
{
  return sizeof(Integer);
}
