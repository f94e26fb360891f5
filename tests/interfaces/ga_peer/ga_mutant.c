/* Broken communication, to prove that the tests notice.
 *
 * Linked with --wrap for each function below. Once the kit has called ga_mutant_enable(), the
 * families named in CW_TEST_MUTANT (comma-separated, or "all") return success and do nothing.
 */
#include <stdlib.h>
#include <string.h>

#include <armci.h>

void ga_mutant_enable(void);

static int dead_put, dead_get, dead_acc, dead_rmw, dead_lock;

static int named(const char *families, const char *family)
{
  return !families || !strcmp(families, "all") || strstr(families, family) != NULL;
}

void ga_mutant_enable(void)
{
  const char *families = getenv("CW_TEST_MUTANT");

  dead_put = named(families, "put");
  dead_get = named(families, "get");
  dead_acc = named(families, "acc");
  dead_rmw = named(families, "rmw");
  dead_lock = named(families, "lock");
}

/* Defines the wrapper of `name`, which does nothing while `dead` is set. */
#define WRAP(dead, name, parameters, arguments)                                                    \
  int __real_##name parameters;                                                                    \
  int __wrap_##name parameters;                                                                    \
  int __wrap_##name parameters                                                                     \
  {                                                                                                \
    return (dead) ? 0 : __real_##name arguments;                                                   \
  }

#define STRIDED                                                                                    \
  void *src, int *src_stride, void *dst, int *dst_stride, int *count, int levels, int proc
#define STRIDED_NAMES src, src_stride, dst, dst_stride, count, levels, proc
#define SCALED int type, void *scale, STRIDED
#define SCALED_NAMES type, scale, STRIDED_NAMES

WRAP(dead_put, ARMCI_PutS, (STRIDED), (STRIDED_NAMES))
WRAP(dead_get, ARMCI_GetS, (STRIDED), (STRIDED_NAMES))
WRAP(dead_acc, ARMCI_AccS, (SCALED), (SCALED_NAMES))
WRAP(dead_put, ARMCI_NbPutS, (STRIDED, armci_hdl_t *h), (STRIDED_NAMES, h))
WRAP(dead_get, ARMCI_NbGetS, (STRIDED, armci_hdl_t *h), (STRIDED_NAMES, h))
WRAP(dead_acc, ARMCI_NbAccS, (SCALED, armci_hdl_t *h), (SCALED_NAMES, h))
WRAP(dead_put, ARMCI_PutV, (armci_giov_t * iov, int n, int proc), (iov, n, proc))
WRAP(dead_get, ARMCI_GetV, (armci_giov_t * iov, int n, int proc), (iov, n, proc))
WRAP(dead_acc, ARMCI_AccV, (int type, void *scale, armci_giov_t *iov, int n, int proc),
     (type, scale, iov, n, proc))
WRAP(dead_put, ARMCI_PutS_flag, (STRIDED, int *flag, int value), (STRIDED_NAMES, flag, value))
WRAP(dead_rmw, ARMCI_Rmw, (int op, void *local, void *remote, int value, int proc),
     (op, local, remote, value, proc))

/* void functions cannot return a choice */
#define WRAP_LOCK(name)                                                                            \
  void __real_##name(int mutex, int proc);                                                         \
  void __wrap_##name(int mutex, int proc);                                                         \
  void __wrap_##name(int mutex, int proc)                                                          \
  {                                                                                                \
    if (!dead_lock)                                                                                \
      __real_##name(mutex, proc);                                                                  \
  }

WRAP_LOCK(ARMCI_Lock)
WRAP_LOCK(ARMCI_Unlock)
