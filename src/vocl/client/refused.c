/* Calls that are not virtualised, for programs that make them without asking whether they may. */
#include "client/entries.h"
#include "client/kinds.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

cl_int cwi_refused_any(const void *first)
{
  (void)first;
  return CL_INVALID_OPERATION;
}

#define REFUSE_OF(name)                                                                            \
  cl_int cwi_refused_##name(const void *first)                                                     \
  {                                                                                                \
    return cwi_handle_find(&cwi_kind_##name, first) != NULL ? CL_INVALID_OPERATION                 \
                                                            : cwi_kind_##name.invalid;             \
  }
REFUSE_OF(queue)
REFUSE_OF(kernel)
REFUSE_OF(device)
REFUSE_OF(context)
REFUSE_OF(program)

cl_int cwi_refused_pipe(const void *first)
{
  (void)first;
  return CL_INVALID_MEM_OBJECT;
}

cl_int cwi_refused_il(const void *first)
{
  (void)first;
  return CL_INVALID_PROGRAM;
}

void *cwi_refused_pointer(void)
{
  return NULL;
}

#define REFUSE(name, parameters, type)                                                             \
  type cwi_##name parameters                                                                       \
  {                                                                                                \
    if (code != NULL)                                                                              \
      *code = cwi_refused_context(a);                                                              \
    return NULL;                                                                                   \
  }
CWI_REFUSED_CREATORS(REFUSE) /* NOLINT(misc-unused-parameters): the signatures are given */
