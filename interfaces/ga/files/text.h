/* Conversion of CHARACTER arguments of EAF, SF and DRA to C strings. */
#pragma once

#include "ga/arguments/fortran_names.h"
#include "ga/files/pario.h"

/* A C string. Text longer than a path is truncated, because no file has such a name. */
struct cwi_pario_text {
  char at[CWI_PARIO_PATH + 1];
};

static inline struct cwi_pario_text cwi_pario_text_of(const char *text, size_t length)
{
  struct cwi_pario_text ended;
  cwi_fortran_take(text, length, ended.at, sizeof ended.at);
  return ended;
}
