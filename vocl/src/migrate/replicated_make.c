/* Makes objects, by sort. */
#include "memory/memory_contents.h"
#include "migrate/device_move.h"
#include "program/replicated_program.h"

cl_int vocl_replicated_make(const struct vocl_making *making, void **object)
{
  *object = NULL;
  switch (making->sort) {
  case VOCL_CONTEXT:
    vocl_remote_set_mover(vocl_device_move_run);
    return vocl_replicated_context_make(making, object);
  case VOCL_QUEUE:
  case VOCL_SAMPLER:
    return vocl_replicated_context_make(making, object);
  case VOCL_BUFFER:
  case VOCL_SUB_BUFFER:
  case VOCL_IMAGE:
    return vocl_replicated_memory_make(making, object);
  case VOCL_KERNEL:
    return vocl_replicated_kernel_make(making, object);
  case VOCL_USER_EVENT:
    return vocl_replicated_user_event_make(making, object);
  default:
    return vocl_replicated_program_make(making, object);
  }
}
