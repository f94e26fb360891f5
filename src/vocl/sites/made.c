/* Makes objects, by sort. */
#include "sites/move.h"
#include "sites/site.h"

cl_int cwi_sites_make(const struct cwi_making *making, void **object)
{
  *object = NULL;
  switch (making->sort) {
  case CWI_CONTEXT:
    cwi_remote_set_mover(cwi_sites_move);
    return cwi_places_make(making, object);
  case CWI_QUEUE:
  case CWI_SAMPLER:
    return cwi_places_make(making, object);
  case CWI_BUFFER:
  case CWI_SUB_BUFFER:
  case CWI_IMAGE:
    return cwi_stored_make(making, object);
  case CWI_KERNEL:
    return cwi_kernels_make(making, object);
  case CWI_USER_EVENT:
    return cwi_user_event_make(making, object);
  default:
    return cwi_built_make(making, object);
  }
}
