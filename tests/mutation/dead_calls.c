/* Broken communication, to prove that the tests notice: linked with --wrap for each function below.
 * The families named in CW_TEST_MUTANT return success and do nothing. */
#include <causeway.h>

#include <stdlib.h>
#include <string.h>

static bool dead(const char *family)
{
  const char *families = getenv("CW_TEST_MUTANT");
  return families != NULL && strstr(families, family) != NULL;
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

/* Between the rooms of the library: how arrays move patches; what a fence is made of. */
WRAP(families[transfer->operation], cwi_start_transfer,
     (const cw_transfer *transfer, bool blocking, cw_handle *handle), (transfer, blocking, handle))

/* What views are made of, beside transfers. */
WRAP("put", cw_view_put, (cw_view view, const void *local, void *remote, size_t bytes, int process),
     (view, local, remote, bytes, process))
WRAP("order", cwi_routes_order, (int process, cw_operation next), (process, next))
WRAP("promise", cwi_routes_promise, (int process, cw_handle *handle), (process, handle))
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
