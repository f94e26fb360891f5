/* CHARACTER arguments of the Fortran names of EAF, SF and DRA: to text of C, and back. */
#ifndef CWI_PARIO_TEXT_H
#define CWI_PARIO_TEXT_H

#include "fortran/fortran.h"
#include "pario/pario.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Text of C. What is longer than a path is cut: no file has such a name. */
struct cwi_pario_text {
  char at[CWI_PARIO_PATH + 1];
};

static inline struct cwi_pario_text cwi_pario_text_of(const char *text, size_t length)
{
  struct cwi_pario_text ended;
  const size_t whole = cwi_fortran_length(text, length);
  const size_t used = whole < CWI_PARIO_PATH ? whole : CWI_PARIO_PATH;
  memcpy(ended.at, text, used);
  ended.at[used] = '\0';
  return ended;
}

/* Fill a CHARACTER argument: with blanks behind the text, or with as much as it holds. */
static inline void cwi_pario_tell(const char *from, char *text, size_t length)
{
  const size_t whole = strlen(from), used = whole < length ? whole : length;
  memcpy(text, from, used);
  memset(text + used, ' ', length - used);
}

#ifdef __cplusplus
}
#endif
#endif
