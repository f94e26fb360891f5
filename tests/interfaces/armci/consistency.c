/* Location consistency: a process's put, accumulates and get on the same bytes take effect in
 * program order, without a fence between them, in any form. */
#include "armci_kit.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 6, COLUMNS = 10, N = ROWS * COLUMNS, ROUNDS = 40 };
enum operation { PUT, GET, ACCUMULATE };

static const struct armci_kit_type *type;
static void **slices;
static int target;

static void contiguous(enum operation operation, void *scale, char *local, char *remote)
{
  const int bytes = N * type->bytes;
  if (operation == PUT)
    ARMCI_Put(local, remote, bytes, target);
  else if (operation == GET)
    ARMCI_Get(remote, local, bytes, target);
  else
    ARMCI_Acc(type->code, scale, local, remote, bytes, target);
}

static void strided(enum operation operation, void *scale, char *local, char *remote)
{
  int stride = COLUMNS * type->bytes, count[2] = {COLUMNS * type->bytes, ROWS};
  if (operation == PUT)
    ARMCI_PutS(local, &stride, remote, &stride, count, 1, target);
  else if (operation == GET)
    ARMCI_GetS(remote, &stride, local, &stride, count, 1, target);
  else
    ARMCI_AccS(type->code, scale, local, &stride, remote, &stride, count, 1, target);
}

static void vector(enum operation operation, void *scale, char *local, char *remote)
{
  void *mine[N], *theirs[N];
  for (int i = 0; i < N; i++) {
    mine[i] = local + i * type->bytes;
    theirs[i] = remote + i * type->bytes;
  }
  armci_giov_t out = {mine, theirs, type->bytes, N}, in = {theirs, mine, type->bytes, N};
  if (operation == PUT)
    ARMCI_PutV(&out, 1, target);
  else if (operation == GET)
    ARMCI_GetV(&in, 1, target);
  else
    ARMCI_AccV(type->code, scale, &out, 1, target);
}

static void (*const forms[])(enum operation, void *, char *, char *) = {contiguous, strided,
                                                                        vector};

static void one_round(char *local, char *sums, char *got)
{
  char *remote = (char *)slices[target] + kit_me() * N * 16;
  union armci_kit_element scale;
  armci_kit_set(type, &scale, 0, 1 + kit_own(3));
  for (int i = 0; i < N; i++)
    armci_kit_set(type, local, i, kit_own(50));
  memcpy(sums, local, (size_t)(N * type->bytes));
  forms[kit_own(3)](PUT, NULL, local, remote);
  for (int i = 0; i < 3; i++) {
    armci_kit_axpy(type, N, &scale, local, sums);
    forms[kit_own(3)](ACCUMULATE, &scale, local, remote);
  }
  forms[kit_own(3)](GET, NULL, got, remote);
  kit_check_bytes(got, sums, (size_t)(N * type->bytes), "what I got");
}

int main(int argc, char **argv)
{
  char local[N * 16], sums[N * 16], got[N * 16];
  armci_kit_start(&argc, &argv, "armci.consistency");
  slices = armci_kit_malloc(N * 16 * (long)kit_processes(), 0xff);
  for (int round = 0; round < armci_kit_rounds(ROUNDS); round++)
    for (int t = 0; t < ARMCI_KIT_TYPES; t++) {
      type = &armci_kit_types[t];
      target = kit_own(kit_processes());
      kit_about("round %d, %s, target %d", round, type->name, target);
      one_round(local, sums, got);
    }
  ARMCI_Barrier();
  armci_kit_free(slices);
  return armci_kit_finish();
}
