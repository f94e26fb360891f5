/* Retain and release of objects, for programs. (Not all devices are counted: device.c.) */
#include "client/entries.h"
#include "client/kinds.h"

#define COUNTED(Name, type, name)                                                                  \
  cl_int cwi_clRetain##Name(type handle)                                                           \
  {                                                                                                \
    return cwi_handle_retain(&cwi_kind_##name, handle);                                            \
  }                                                                                                \
  cl_int cwi_clRelease##Name(type handle)                                                          \
  {                                                                                                \
    return cwi_handle_release(&cwi_kind_##name, handle);                                           \
  }
COUNTED(Context, cl_context, context)
COUNTED(CommandQueue, cl_command_queue, queue)
COUNTED(MemObject, cl_mem, memory)
COUNTED(Sampler, cl_sampler, sampler)
COUNTED(Program, cl_program, program)
COUNTED(Kernel, cl_kernel, kernel)
COUNTED(Event, cl_event, event)
