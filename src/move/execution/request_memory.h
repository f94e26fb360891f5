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

/* Where the memory of a request is. */
struct cwi_request_place {
  struct cwi_memory_handle memory;
  const struct cwi_memory_handle *named; /* that; or NULL: regions */
};

CWI_CHECKED cw_error cwi_request_find(const struct cwi_request *request,
                                      struct cwi_request_place *place);

/* What an offset of the request names. */
char *cwi_request_address(const struct cwi_request_place *place, uint64_t offset);

/* Does the memory have these rows, or a run at the offset? Of devices the agent looks. Errors:
 * CW_MISUSE. */
CWI_CHECKED cw_error cwi_request_check_rows(const struct cwi_request *request,
                                            struct cwi_request_place *place);
CWI_CHECKED cw_error cwi_request_check_run(const struct cwi_request *request,
                                           const struct cwi_request_place *place, uint64_t offset);

/* May an agent have to act? Then data and request stay where they are until the agent_operation has
 * ended.
 */
bool cwi_request_needs_agent(const struct cwi_request *request);

/* Move rows between the memory and data. *agent_operation: receives what is left to do; NULL: all
 * is complete, as it is after an error. agent_operation NULL: request and data do not stay, so that
 * all is done at once. */
CWI_CHECKED cw_error cwi_move_rows(const struct cwi_request *request, char *data,
                                   struct cwi_agent_operation **agent_operation);

/* The same of a list. data: its entries; to: where a get packs the runs, one after the other; an
 * update reads them from the entries, and to is NULL. *addresses: to be freed when the
 * agent_operation has ended. */
CWI_CHECKED cw_error cwi_move_list(const struct cwi_request *request, const char *data, char *to,
                                   struct cwi_agent_operation **agent_operation, void **addresses);
#endif
