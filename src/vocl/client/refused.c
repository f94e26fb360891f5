/* Calls that are not virtualised, for programs that make them without asking whether they may. */
#include "client/entries.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

cl_int cwi_refused_call(void)
{
  return CL_INVALID_OPERATION;
}

void *cwi_refused_pointer(void)
{
  return NULL;
}

#define REFUSE(name, parameters, type)                                                             \
  type cwi_##name parameters                                                                       \
  {                                                                                                \
    if (code != NULL)                                                                              \
      *code = CL_INVALID_OPERATION;                                                                \
    return NULL;                                                                                   \
  }
CWI_REFUSED_CREATORS(REFUSE) /* NOLINT(misc-unused-parameters): the signatures are given */
