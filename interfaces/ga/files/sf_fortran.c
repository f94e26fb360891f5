/* The calls of SF in Fortran. Messages use the argument names of sf.h. */
#include "ga/base/binding.h"
#include "ga/files/text.h"

#include "typesf2c.h"

/* In all these calls, a wrong argument ends the job. After any other failure, the call returns a
 * code. */

static Integer sf_create(const char *call, const char *name, size_t length, const long *suffix,
                         Integer *handle)
{
  int code = 0, made = 0;
  const struct cwi_pario_text ended = cwi_pario_text_of(name, length);
  (void)CWI_GA_WAITS_AS(call, cwi_sf_create(call, ended.at, suffix, &made, &code));
  *handle = made;
  return code;
}

CWI_FORTRAN(Integer, sf_create_,
            (const char *fname, const DoublePrecision *hard, const DoublePrecision *soft,
             const DoublePrecision *size, Integer *handle, size_t length))
{
  (void)hard;
  (void)soft;
  (void)size;
  return sf_create("sf_create", fname, length, NULL, handle);
}

CWI_FORTRAN(Integer, sf_create_suffix_,
            (const char *fname, const DoublePrecision *hard, const DoublePrecision *soft,
             const DoublePrecision *size, Integer *handle, const Integer *suffix, size_t length))
{
  const long number = *suffix;
  (void)hard;
  (void)soft;
  (void)size;
  return sf_create("sf_create_suffix", fname, length, &number, handle);
}

CWI_FORTRAN(Integer, sf_destroy_, (Integer * handle))
{
  int code = 0;
  (void)CWI_GA_WAITS_AS("sf_destroy", cwi_sf_destroy("sf_destroy", *handle, &code));
  *handle = 0;
  return code;
}

#define OF_HANDLE(name, function)                                                                  \
  CWI_FORTRAN(Integer, name##_, (const Integer *handle))                                           \
  {                                                                                                \
    int code = 0;                                                                                  \
    (void)CWI_GA_WAITS_AS(#name, function(#name, *handle, &code));                                 \
    return code;                                                                                   \
  }
OF_HANDLE(sf_open, cwi_sf_open)
OF_HANDLE(sf_close, cwi_sf_close)
OF_HANDLE(sf_rwtor, cwi_sf_read_only)
OF_HANDLE(sf_fsync, cwi_sf_sync)

#define MOVE(name, writes)                                                                         \
  CWI_FORTRAN(Integer, name##_,                                                                    \
              (const Integer *handle, const DoublePrecision *offset, const DoublePrecision *bytes, \
               void *buffer, Integer *request))                                                    \
  {                                                                                                \
    int code = 0;                                                                                  \
    const struct cwi_pario_request call_arguments = {writes, *offset, *bytes, buffer};             \
    *request = CWI_PARIO_DONE;                                                                     \
    (void)CWI_GA_WAITS_AS(#name, cwi_sf_move(#name, *handle, &call_arguments, &code));             \
    return code;                                                                                   \
  }
MOVE(sf_write, true)
MOVE(sf_read, false)

CWI_FORTRAN(Integer, sf_wait_, (const Integer *request))
{
  return cwi_sf_wait("sf_wait", *request);
}

CWI_FORTRAN(Integer, sf_waitall_, (const Integer *requests, const Integer *count))
{
  Integer failed = 0;
  for (Integer i = 0; i < *count; i++)
    if (cwi_sf_wait("sf_waitall", requests[i]) != 0)
      failed = 1;
  return failed;
}

CWI_FORTRAN(void, sf_errmsg_, (const Integer *code, char *msg, size_t length))
{
  cwi_fortran_give(cwi_pario_text(*code), msg, length);
}
