/* The calls for memory handles, and transfers to and from the memory that they name. */
#include "route/memory_handle_calls.h"

#include "mpi/mpi_progress.h"
#include "route/memory_handle/memory_handle.h"
#include "route/memory_handle/private_memory.h"
#include "route/rma/dynamic_window.h"
#include "route/route.h"
#include "team/world.h"

#include <causeway/handle.h>

#include <string.h>

/* Attaches the memory, and the slab of the table with its record, to MPI's dynamic window: other
 * processes read the record through MPI, too. */
static cw_error memory_handle_attach(const struct cwi_memory_handle_name *name, void *address)
{
  void *slab = NULL;
  size_t bytes = 0;
  cwi_memory_handle_slab(name, &slab, &bytes);
  CWI_TRY(cwi_dynamic_attach(slab, bytes));
  return cwi_dynamic_attach(address, name->bytes);
}

/* Makes the memory reachable: by my agent if the kernel does not let peers copy it, and by MPI if
 * there are no servers. */
static cw_error expose(const struct cwi_memory_handle_name *name, void *address)
{
  CWI_TRY(cwi_reach_offer());
  return cwi_memory_handles_by_mpi() ? memory_handle_attach(name, address) : CW_OK;
}

static cw_error memory_handle_create(void *address, size_t bytes, void *handle)
{
  struct cwi_memory_handle_name name;
  CWI_TRY(cwi_check_process(cwi_world.process));
  CWI_TRY(cwi_check_not_null("address", address));
  CWI_TRY(cwi_check_not_null("handle", handle));
  CWI_TRY(cwi_memory_handle_create(address, bytes, &name));
  const cw_error error = expose(&name, address);
  if (error != CW_OK) {
    cwi_memory_handle_withdraw(&name);
    return error;
  }
  memcpy(handle, &name, sizeof name);
  return CW_OK;
}

cw_error cw_memory_handle_create(void *address, size_t bytes, void *handle)
{
  return cwi_in_call("cw_memory_handle_create", memory_handle_create(address, bytes, handle));
}

static cw_error memory_handle_release(const void *handle)
{
  struct cwi_memory_handle memory;
  CWI_TRY(cwi_memory_handle_release(handle, &memory));
  return cwi_memory_handles_by_mpi() ? cwi_dynamic_detach(memory.address, memory.bytes) : CW_OK;
}

cw_error cw_memory_handle_release(const void *handle)
{
  return cwi_in_call("cw_memory_handle_release", memory_handle_release(handle));
}

static cw_error check_owner(const struct cwi_memory_handle *memory, int process)
{
  return CWI_LIKELY(process == memory->owner)
             ? CW_OK
             : cwi_misuse("process is %d; the handle names memory of process %d", process,
                          memory->owner);
}

static cw_error start_named(const struct cwi_memory_handle *memory, const cw_transfer *given,
                            bool blocking, cw_handle *handle)
{
  CWI_TRY(check_owner(memory, given->process));
  if (CWI_UNLIKELY(given->local_device))
    return cwi_misuse("local_device is true; transfers to and from the memory of a handle need a "
                      "local buffer in host memory");
  const struct cwi_location place = {.memory = memory};
  return cwi_start_by(cwi_memory_handle_route(memory->owner, given->operation), &place, given,
                      blocking, handle);
}

cw_error cwi_memory_handle_start(const struct cwi_memory_handle *memory, const cw_transfer *given,
                                 bool blocking, cw_handle *handle)
{
  CWI_TRY(cwi_mpi_enter());
  const cw_error error = start_named(memory, given, blocking, handle);
  cwi_mpi_leave();
  return error;
}

static cw_error update_checked(const struct cwi_memory_handle *memory, struct cwi_update *update,
                               bool blocking, cw_handle *handle)
{
  CWI_TRY(check_owner(memory, update->process));
  if (CWI_UNLIKELY(update->count == 0))
    return cwi_update_check(update->operation, update->type);
  update->place = (struct cwi_location){.memory = memory};
  return cwi_update_by(cwi_memory_handle_route(memory->owner, CW_ACCUMULATE), update, blocking,
                       handle);
}

cw_error cwi_memory_handle_update(const struct cwi_memory_handle *memory, struct cwi_update *update,
                                  bool blocking, cw_handle *handle)
{
  CWI_TRY(cwi_mpi_enter());
  const cw_error error = update_checked(memory, update, blocking, handle);
  cwi_mpi_leave();
  return error;
}
