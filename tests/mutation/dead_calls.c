/* Broken communication, to prove that the tests notice: linked with --wrap for each function below.
 * The family named in CW_TEST_MUTANT returns success and does nothing. */
#include <causeway.h>

#include <stdlib.h>
#include <string.h>

static bool dead(const char *family)
{
  const char *named = getenv("CW_TEST_MUTANT");
  return named != NULL && strcmp(named, family) == 0;
}

static const char *const families[] = {"put", "get", "accumulate"};

/* Defines the wrapper of `name`. */
#define WRAP(family, name, parameters, arguments)                                                  \
  cw_error __real_##name parameters;                                                               \
  cw_error __wrap_##name parameters;                                                               \
  cw_error __wrap_##name parameters                                                                \
  {                                                                                                \
    return dead(family) ? CW_OK : __real_##name arguments;                                         \
  }

WRAP("put", cw_put, (const void *local, void *remote, size_t bytes, int process),
     (local, remote, bytes, process))
WRAP("get", cw_get, (void *local, const void *remote, size_t bytes, int process),
     (local, remote, bytes, process))
WRAP("accumulate", cw_accumulate,
     (cw_type type, const void *scale, const void *local, void *remote, size_t bytes, int process),
     (type, scale, local, remote, bytes, process))
WRAP(families[transfer->operation], cw_transfer_run, (const cw_transfer *transfer), (transfer))
WRAP(families[transfer->operation], cw_transfer_start,
     (const cw_transfer *transfer, cw_handle *handle), (transfer, handle))

#define WRAP_RMW(bits)                                                                             \
  WRAP("add", cw_fetch_add_int##bits,                                                              \
       (int##bits##_t *remote, int##bits##_t value, int process, int##bits##_t *before),           \
       (remote, value, process, before))                                                           \
  WRAP("swap", cw_swap_int##bits,                                                                  \
       (int##bits##_t *remote, int##bits##_t value, int process, int##bits##_t *before),           \
       (remote, value, process, before))                                                           \
  WRAP("compare", cw_compare_swap_int##bits,                                                       \
       (int##bits##_t *remote, int##bits##_t expected, int##bits##_t value, int process,           \
        int##bits##_t *before),                                                                    \
       (remote, expected, value, process, before))

WRAP_RMW(32)
WRAP_RMW(64)

WRAP("lock", cw_mutex_lock, (cw_mutexes mutexes, size_t number, int process),
     (mutexes, number, process))
WRAP("lock", cw_mutex_unlock, (cw_mutexes mutexes, size_t number, int process),
     (mutexes, number, process))

cw_error __real_cw_mutex_trylock(cw_mutexes mutexes, size_t number, int process, bool *acquired);
cw_error __wrap_cw_mutex_trylock(cw_mutexes mutexes, size_t number, int process, bool *acquired);
cw_error __wrap_cw_mutex_trylock(cw_mutexes mutexes, size_t number, int process, bool *acquired)
{
  *acquired = true;
  return dead("lock") ? CW_OK : __real_cw_mutex_trylock(mutexes, number, process, acquired);
}

WRAP("broadcast", cw_broadcast, (cw_team team, int root, void *buffer, size_t bytes),
     (team, root, buffer, bytes))
WRAP("allreduce", cw_allreduce,
     (cw_team team, cw_type type, cw_reduction reduction, size_t count, void *buffer),
     (team, type, reduction, count, buffer))
WRAP("reduce", cw_reduce,
     (cw_team team, int root, cw_type type, cw_reduction reduction, size_t count, void *buffer),
     (team, root, type, reduction, count, buffer))
WRAP("allgather", cw_allgather, (cw_team team, const void *mine, size_t bytes, void *all),
     (team, mine, bytes, all))
WRAP("gather", cw_gather, (cw_team team, int root, const void *mine, size_t bytes, void *all),
     (team, root, mine, bytes, all))

WRAP("alltoall", cw_alltoall, (cw_team team, const void *mine, size_t bytes, void *all),
     (team, mine, bytes, all))
WRAP("alltoallv", cw_alltoallv,
     (cw_team team, const void *mine, const size_t *bytes, const size_t *places, void *all,
      const size_t *all_bytes, const size_t *all_places),
     (team, mine, bytes, places, all, all_bytes, all_places))
WRAP("allgatherv", cw_allgatherv,
     (cw_team team, const void *mine, size_t bytes, void *all, const size_t *all_bytes,
      const size_t *places),
     (team, mine, bytes, all, all_bytes, places))
WRAP("gatherv", cw_gatherv,
     (cw_team team, int root, const void *mine, size_t bytes, void *all, const size_t *all_bytes,
      const size_t *places),
     (team, root, mine, bytes, all, all_bytes, places))
WRAP("scatter", cw_scatter, (cw_team team, int root, const void *all, size_t bytes, void *mine),
     (team, root, all, bytes, mine))
WRAP("scatterv", cw_scatterv,
     (cw_team team, int root, const void *all, const size_t *all_bytes, const size_t *places,
      void *mine, size_t bytes),
     (team, root, all, all_bytes, places, mine, bytes))
WRAP("scan", cw_scan,
     (cw_team team, cw_type type, cw_reduction reduction, size_t count, void *buffer),
     (team, type, reduction, count, buffer))
WRAP("exclusive_scan", cw_exclusive_scan,
     (cw_team team, cw_type type, cw_reduction reduction, size_t count, void *buffer),
     (team, type, reduction, count, buffer))
WRAP("ibroadcast", cw_ibroadcast,
     (cw_team team, int root, void *buffer, size_t bytes, cw_handle *handle),
     (team, root, buffer, bytes, handle))
WRAP("iallreduce", cw_iallreduce,
     (cw_team team, cw_type type, cw_reduction reduction, size_t count, void *buffer,
      cw_handle *handle),
     (team, type, reduction, count, buffer, handle))
WRAP("iallgather", cw_iallgather,
     (cw_team team, const void *mine, size_t bytes, void *all, cw_handle *handle),
     (team, mine, bytes, all, handle))
WRAP("ialltoall", cw_ialltoall,
     (cw_team team, const void *mine, size_t bytes, void *all, cw_handle *handle),
     (team, mine, bytes, all, handle))

/* Internal functions: transfers by which arrays move patches, and the parts of a fence. */
WRAP(families[transfer->operation], cwi_start_transfer,
     (const cw_transfer *transfer, bool blocking, cw_handle *handle), (transfer, blocking, handle))

/* Functions of views other than transfers. */
WRAP("put", cw_view_put, (cw_view view, const void *local, void *remote, size_t bytes, int process),
     (view, local, remote, bytes, process))
WRAP("order", cwi_routes_order, (int process, cw_operation next), (process, next))
WRAP("promise", cwi_routes_flush_request, (int process, cw_handle *handle), (process, handle))
WRAP("notify", cwi_notify, (int64_t * remote, int64_t value, int process), (remote, value, process))

cw_error __real_cwi_routes_fence(int process);
cw_error __wrap_cwi_routes_fence(int process);
cw_error __wrap_cwi_routes_fence(int process)
{
  return dead("fence") ? CW_OK : __real_cwi_routes_fence(process);
}

cw_error __real_cwi_routes_fence_all(void);
cw_error __wrap_cwi_routes_fence_all(void);
cw_error __wrap_cwi_routes_fence_all(void)
{
  return dead("fence") ? CW_OK : __real_cwi_routes_fence_all();
}
