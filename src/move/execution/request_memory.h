/* The memory that requests name, and moving it: puts, gets and accumulates. */
#ifndef CWI_EXECUTION_REQUEST_MEMORY_H
#define CWI_EXECUTION_REQUEST_MEMORY_H

#include "base/error.h"
#include "link/wire_format.h"
#include "region/agent.h"
#include "route/memory_handle/memory_handle.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The memory of a request. */
struct cwi_request_place {
  struct cwi_memory_handle memory;
  const struct cwi_memory_handle
      *named; /* `memory`, or NULL if the request names memory of regions */
};

/* Finds the memory of a handle that the request names; sets place->named to NULL if it names none.
 */
CWI_CHECKED cw_error cwi_request_find(const struct cwi_request *request,
                                      struct cwi_request_place *place);

/* Returns the address that an offset of the request stands for. */
char *cwi_request_address(const struct cwi_request_place *place, uint64_t offset);

/* Check that the memory has these rows, or a run at the offset. Device memory is checked later by
 * the agent. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_request_check_rows(const struct cwi_request *request,
                                            struct cwi_request_place *place);
CWI_CHECKED cw_error cwi_request_check_run(const struct cwi_request *request,
                                           const struct cwi_request_place *place, uint64_t offset);

/* Returns true if an agent may be needed. Then data and request must stay where they are until the
 * agent operation has ended. */
bool cwi_request_needs_agent(const struct cwi_request *request);

/* Moves rows between the memory and data. *agent_operation receives the rest of the work, or NULL
 * if all is complete or failed. If agent_operation is NULL, all is done at once, because request
 * and data will not stay. */
CWI_CHECKED cw_error cwi_move_rows(const struct cwi_request *request, char *data,
                                   struct cwi_agent_operation **agent_operation);

/* Moves the entries of a list, which begin at `data`. A get packs the runs at `to`, one after the
 * other; an update reads them from the entries, and `to` is NULL. *addresses receives memory to be
 * freed when the agent operation has ended. */
CWI_CHECKED cw_error cwi_move_list(const struct cwi_request *request, const char *data, char *to,
                                   struct cwi_agent_operation **agent_operation, void **addresses);
#endif
