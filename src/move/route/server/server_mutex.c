/* Mutexes of other nodes: requests to their servers. */
#include "route/server/server_mutex.h"

#include "route/server/server_query.h"
#include "route/server/server_request.h"
#include "team/world.h"

cw_error cwi_server_lock(int process, const struct cwi_ticket_lock *lock)
{
  int64_t value = 0;
  struct cwi_request request = cwi_request_at(CWI_WIRE_LOCK, process, lock, sizeof *lock);
  return cwi_server_query_and_wait(cwi_world.node_of[process], &request, &value);
}

cw_error cwi_server_trylock(int process, const struct cwi_ticket_lock *lock, bool *acquired)
{
  int64_t value = 0;
  struct cwi_request request = cwi_request_at(CWI_WIRE_TRYLOCK, process, lock, sizeof *lock);
  CWI_TRY(cwi_server_query_and_wait(cwi_world.node_of[process], &request, &value));
  *acquired = value != 0;
  return CW_OK;
}

cw_error cwi_server_unlock(int process, const struct cwi_ticket_lock *lock)
{
  const struct cwi_request request = cwi_request_at(CWI_WIRE_UNLOCK, process, lock, sizeof *lock);
  return cwi_server_send(process, &request);
}
