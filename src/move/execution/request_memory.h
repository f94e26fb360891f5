/* Lookup of the memory that requests name, and data movement for puts, gets and accumulates. */
#pragma once

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
      *named; /* points to `memory`; NULL if the request names memory of a region */
};

/* Finds the memory of the handle that the request names. Sets place->named to NULL if the request
 * names no handle. */
CWI_CHECKED cw_error cwi_request_find(const struct cwi_request *request,
                                      struct cwi_request_place *place);

/* Returns the address that an offset of the request stands for. */
char *cwi_request_address(const struct cwi_request_place *place, uint64_t offset);

/* Check that the memory contains the request's rows, or a run at the offset. The agent checks
 * device memory later. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_request_check_rows(const struct cwi_request *request,
                                            struct cwi_request_place *place);
CWI_CHECKED cw_error cwi_request_check_run(const struct cwi_request *request,
                                           const struct cwi_request_place *place, uint64_t offset);

/* Returns true if the request may need an agent. Then its data and the request itself must stay in
 * place until the agent operation has ended. */
bool cwi_request_needs_agent(const struct cwi_request *request);

/* Moves rows between the memory and `data`. *agent_operation receives the agent operation that
 * continues the work, or NULL if the move is complete or has failed. A caller whose request and
 * data do not stay in place passes NULL for agent_operation; then no agent is used. */
CWI_CHECKED cw_error cwi_move_rows(const struct cwi_request *request, char *data,
                                   struct cwi_agent_operation **agent_operation);

/* Moves the entries of a list, which begin at `data`. A get packs the runs contiguously at `to`. An
 * update reads the runs from the entries, and `to` is NULL. If there is an agent operation,
 * *addresses receives memory that the caller frees when that operation has ended. */
CWI_CHECKED cw_error cwi_move_list(const struct cwi_request *request, const char *data, char *to,
                                   struct cwi_agent_operation **agent_operation, void **addresses);
