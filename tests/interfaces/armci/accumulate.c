/* All processes accumulate onto overlapping elements of process 0, in every form and type, blocking
 * and non-blocking. The totals must be exact. */
#include "armci_kit.h"

#include <stdlib.h>
#include <string.h>

enum { N = 48, ROUNDS = 60 };

static const struct armci_kit_type *type;
static void **target;

/* Accumulates in one of three forms to `count` elements first, first + step, ... */
static void add(int form, void *scale, char *ones, int first, int step, int count)
{
  char *to = (char *)target[0] + first * type->bytes;
  void *from[N], *at[N];
  int stride = step * type->bytes, unit = type->bytes, shape[2] = {type->bytes, count};
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  for (int i = 0; i < count; i++) {
    from[i] = ones + i * type->bytes;
    at[i] = to + i * stride;
  }
  armci_giov_t iov = {from, at, type->bytes, count};
  switch (form) {
  case 0:
    for (int i = 0; i < count; i++)
      ARMCI_Acc(type->code, scale, from[i], at[i], type->bytes, 0);
    break;
  case 1:
    ARMCI_AccS(type->code, scale, ones, &unit, to, &stride, shape, 1, 0);
    break;
  case 2:
    ARMCI_AccV(type->code, scale, &iov, 1, 0);
    break;
  case 3:
    ARMCI_NbAccS(type->code, scale, ones, &unit, to, &stride, shape, 1, 0, &handle);
    break;
  default:
    ARMCI_NbAccV(type->code, scale, &iov, 1, 0, NULL);
  }
  ARMCI_Wait(form == 3 ? &handle : NULL);
}

/* One segment list that names an element several times: each occurrence counts. */
static void same_element(void *scale, char *ones, char *sums)
{
  void *from[N], *at[N];
  for (int i = 0; i < N; i++) {
    from[i] = ones;
    at[i] = target[0];
    armci_kit_axpy(type, 1, scale, ones, sums);
  }
  armci_giov_t iov = {from, at, type->bytes, N};
  ARMCI_AccV(type->code, scale, &iov, 1, 0);
}

/* Sums the contributions of all processes in doubles or longs. The numbers are small integers. */
static void sum_models(char *sums)
{
  static const int units[] = {ARMCI_INT,    ARMCI_LONG,  ARMCI_FLOAT,
                              ARMCI_DOUBLE, ARMCI_FLOAT, ARMCI_DOUBLE};
  const int numbers = type->code >= ARMCI_ACC_CPL ? 2 * N : N;
  armci_msg_gop_scope(SCOPE_ALL, sums, numbers, armci_kit_sum, units[type->code]);
}

static void one_type(void)
{
  char *ones = kit_alloc(N, (size_t)type->bytes), *sums = kit_alloc(N, (size_t)type->bytes);
  union armci_kit_element scale;
  memset(target[kit_me()], 0, (size_t)(N * type->bytes));
  ARMCI_Barrier();
  for (int round = 0; round < armci_kit_rounds(ROUNDS); round++) {
    const int first = kit_own(N / 2), step = 1 + kit_own(3);
    const int most = (N - first + step - 1) / step, count = kit_own(most + 1);
    for (int i = 0; i < N; i++)
      armci_kit_set(type, ones, i, 1 + kit_own(9));
    armci_kit_set(type, &scale, 0, 1 + kit_own(3));
    add(kit_own(5), &scale, ones, first, step, count);
    for (int i = 0; i < count; i++)
      armci_kit_axpy(type, 1, &scale, ones + i * type->bytes,
                     sums + (first + i * step) * type->bytes);
  }
  same_element(&scale, ones, sums);
  ARMCI_Barrier();
  sum_models(sums);
  if (kit_me() == 0)
    kit_check_bytes(target[0], sums, (size_t)(N * type->bytes), "total");
  ARMCI_Barrier();
  free(ones);
  free(sums);
}

int main(int argc, char **argv)
{
  armci_kit_start(&argc, &argv, "armci.accumulate");
  target = armci_kit_malloc(N * 16, 0);
  for (int t = 0; t < ARMCI_KIT_TYPES; t++) {
    type = &armci_kit_types[t];
    kit_about("%s", type->name);
    one_type();
  }
  armci_kit_free(target);
  return armci_kit_finish();
}
