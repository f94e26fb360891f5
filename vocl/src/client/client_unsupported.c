/* Calls that are not virtualised. Programs may make them without checking whether they are
 * supported. */
#include "client/client_entries.h"
#include "client/client_objects.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

cl_int vocl_unsupported_any(const void *first)
{
  (void)first;
  return CL_INVALID_OPERATION;
}

#define UNSUPPORTED_OF(name)                                                                       \
  cl_int vocl_unsupported_##name(const void *first)                                                \
  {                                                                                                \
    return vocl_handle_find(&vocl_kind_##name, first) != NULL ? CL_INVALID_OPERATION               \
                                                              : vocl_kind_##name.invalid;          \
  }
UNSUPPORTED_OF(queue)
UNSUPPORTED_OF(kernel)
UNSUPPORTED_OF(device)
UNSUPPORTED_OF(context)
UNSUPPORTED_OF(program)

cl_int vocl_unsupported_pipe(const void *first)
{
  (void)first;
  return CL_INVALID_MEM_OBJECT;
}

cl_int vocl_unsupported_il(const void *first)
{
  (void)first;
  return CL_INVALID_PROGRAM;
}

void *vocl_unsupported_pointer(void)
{
  return NULL;
}

#define CREATOR(name, parameters, type)                                                            \
  type vocl_##name parameters                                                                      \
  {                                                                                                \
    if (code != NULL)                                                                              \
      *code = vocl_unsupported_context(a);                                                         \
    return NULL;                                                                                   \
  }
VOCL_UNSUPPORTED_CREATORS(CREATOR) /* NOLINT(misc-unused-parameters): the signatures are given */
