/* Retain and release of objects. (Devices that are not sub-devices are not counted, see
 * client_device.c.) */
#include "client/client_entries.h"
#include "client/client_objects.h"

#define COUNTED(Name, type, name)                                                                  \
  cl_int vocl_clRetain##Name(type handle)                                                          \
  {                                                                                                \
    return vocl_handle_retain(&vocl_kind_##name, handle);                                          \
  }                                                                                                \
  cl_int vocl_clRelease##Name(type handle)                                                         \
  {                                                                                                \
    return vocl_handle_release(&vocl_kind_##name, handle);                                         \
  }
COUNTED(Context, cl_context, context)
COUNTED(CommandQueue, cl_command_queue, queue)
COUNTED(MemObject, cl_mem, memory)
COUNTED(Sampler, cl_sampler, sampler)
COUNTED(Program, cl_program, program)
COUNTED(Kernel, cl_kernel, kernel)
COUNTED(Event, cl_event, event)
