/* Handles in every state, value calls, implicit operations. */
#include "armci_kit.h"

#include <string.h>

enum { N = 64, MANY = 200 };

static void **slices;
static int me, next;

static void garbage(armci_hdl_t *handle)
{
  memset(handle, 0xee, sizeof *handle);
  ARMCI_INIT_HANDLE(handle);
}

static void empty_handles(void)
{
  armci_hdl_t handle;
  kit_about("empty handles");
  garbage(&handle);
  kit_check_long(ARMCI_Test(&handle), 0, "ARMCI_Test");
  kit_check_long(ARMCI_Wait(&handle), 0, "ARMCI_Wait");
  kit_check_long(ARMCI_Wait(&handle), 0, "ARMCI_Wait again");
  ARMCI_INIT_HANDLE(&handle);
  ARMCI_SET_AGGREGATE_HANDLE(&handle);
  kit_check_long(ARMCI_Test(&handle), 0, "ARMCI_Test");
  kit_check_long(ARMCI_Wait(&handle), 0, "ARMCI_Wait of an unused aggregate");
  ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
  kit_check_long(ARMCI_Test(&handle), 0, "ARMCI_Test");
  kit_check_long(ARMCI_Wait(NULL), 0, "ARMCI_Wait of NULL");
  kit_check_long(ARMCI_WaitAll(), 0, "ARMCI_WaitAll");
  kit_check_long(ARMCI_WaitProc(next), 0, "ARMCI_WaitProc");
}

/* Many operations of all kinds on one handle, which is then used again without INIT. */
static void aggregate(bool mode)
{
  long *theirs = slices[next], source[N], got[N];
  void *from[2] = {&source[4], &source[6]}, *to[2] = {theirs + 4, theirs + 6};
  armci_giov_t iov = {from, to, sizeof(long), 2};
  int bytes = sizeof(long);
  armci_hdl_t handle;
  kit_about("aggregate %d", mode);
  garbage(&handle);
  if (mode)
    ARMCI_SET_AGGREGATE_HANDLE(&handle);
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < N; i++)
      source[i] = 100 * me + i + round;
    ARMCI_NbPutValueLong(source[0], theirs, next, &handle);
    for (int i = 1; i < 4; i++)
      ARMCI_NbPutS(source + i, NULL, theirs + i, NULL, &bytes, 0, next, &handle);
    ARMCI_NbPutV(&iov, 1, next, &handle);
    ARMCI_NbPut(source + 5, theirs + 5, sizeof(long), next, &handle);
    for (int i = 7; i < N; i++)
      ARMCI_NbPut(source + i, theirs + i, sizeof(long), next, &handle);
    kit_check_long(ARMCI_Wait(&handle), 0, "ARMCI_Wait");
    memset(got, 0, sizeof got);
    for (int i = 0; i < N; i++)
      ARMCI_NbGet(theirs + i, got + i, sizeof(long), next, &handle);
    kit_check_long(ARMCI_Wait(&handle), 0, "ARMCI_Wait");
    kit_check_bytes(got, source, sizeof got, "what I got");
  }
}

/* Many handles at once, waited for in another order, some by Test, and then reused. */
static void many_handles(void)
{
  static armci_hdl_t handles[MANY];
  static long got[MANY];
  kit_about("many handles");
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < MANY; i++) {
      garbage(&handles[i]);
      got[i] = -1;
      ARMCI_NbGet((long *)slices[next] + i % N, &got[i], sizeof(long), next, &handles[i]);
    }
    for (int i = MANY - 1; i >= 0; i--) {
      if (i % 3 == 0)
        while (ARMCI_Test(&handles[i]) != 0)
          ARMCIX_Progress();
      else
        ARMCI_Wait(&handles[i]);
      kit_check_long(got[i], 100 * me + i % N + 2, "what I got");
    }
  }
}

/* WaitAll and WaitProc also complete explicit operations. A later Wait on those does nothing. */
static void implicit(void)
{
  long got[4] = {0, 0, 0, 0};
  armci_hdl_t handle;
  kit_about("implicit handles");
  garbage(&handle);
  ARMCI_NbGet(slices[next], &got[0], sizeof(long), next, NULL);
  ARMCI_NbGet(slices[next], &got[1], sizeof(long), next, &handle);
  ARMCI_WaitAll();
  kit_check(got[0] == 100 * me + 2 && got[1] == 100 * me + 2, "got %ld %ld", got[0], got[1]);
  kit_check_long(ARMCI_Test(&handle), 0, "ARMCI_Test");
  kit_check_long(ARMCI_Wait(&handle), 0, "ARMCI_Wait");
  ARMCI_NbGet(slices[next], &got[2], sizeof(long), next, NULL);
  ARMCI_NbGet(slices[next], &got[3], sizeof(long), next, &handle);
  ARMCI_WaitProc(next);
  kit_check(got[2] == 100 * me + 2 && got[3] == 100 * me + 2, "got %ld %ld", got[2], got[3]);
  kit_check_long(ARMCI_Wait(&handle), 0, "ARMCI_Wait");
}

#define VALUES(Name, type)                                                                         \
  do {                                                                                             \
    type *theirs = slices[next], value = (type)(me + 3);                                           \
    armci_hdl_t handle;                                                                            \
    kit_about("value calls of " #type);                                                            \
    garbage(&handle);                                                                              \
    ARMCI_PutValue##Name(value, theirs, next);                                                     \
    kit_check(ARMCI_GetValue##Name(theirs, next) == value, "PutValue");                            \
    value = (type)(me + 4);                                                                        \
    ARMCI_NbPutValue##Name(value, theirs + 1, next, &handle);                                      \
    value = -1; /* the value was read at the call */                                               \
    ARMCI_NbPutValue##Name((type)(me + 5), theirs + 2, next, NULL);                                \
    kit_check_long(ARMCI_Wait(&handle), 0, "ARMCI_Wait");                                          \
    ARMCI_WaitAll();                                                                               \
    kit_check(ARMCI_GetValue##Name(theirs + 1, next) == (type)(me + 4), "NbPutValue");             \
    kit_check(ARMCI_GetValue##Name(theirs + 2, next) == (type)(me + 5), "implicit NbPutValue");    \
    (void)value;                                                                                   \
  } while (0)

int main(int argc, char **argv)
{
  armci_kit_start(&argc, &argv, "armci.handles");
  me = kit_me();
  next = armci_kit_next();
  slices = armci_kit_malloc(N * sizeof(long), 0);
  empty_handles();
  aggregate(false);
  aggregate(true);
  many_handles();
  implicit();
  VALUES(Int, int);
  VALUES(Long, long);
  VALUES(Float, float);
  VALUES(Double, double);
  ARMCI_Barrier();
  armci_kit_free(slices);
  return armci_kit_finish();
}
