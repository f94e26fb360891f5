/* Allocation: different sizes including zero, groups, failure, alignment, local memory. */
#include "armci_kit.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 100, SMALL = 300 };

static int me, all;

/* Checks that the slice of each process holds that process's number. */
static void check_slices(void **slices, long bytes)
{
  memset(slices[me], me + 1, (size_t)bytes);
  ARMCI_Barrier();
  for (int p = 0; p < all; p++) {
    char got = 0;
    kit_check_long(ARMCI_Get((char *)slices[p] + bytes - 1, &got, 1, p), 0, "ARMCI_Get");
    kit_check_long(got, p + 1, "last byte of a slice");
  }
  ARMCI_Barrier();
}

static void regular(void)
{
  void **slices[ROUNDS];
  for (int i = 0; i < armci_kit_rounds(ROUNDS); i++) {
    const long bytes = i % 4 == 3 ? 0 : 1 + kit_common(5000) * (i % 3 == 0 ? 40 : 1);
    kit_about("allocation %d of %ld bytes", i, bytes);
    slices[i] = armci_kit_malloc(bytes, 0);
    for (int p = 0; p < all; p++) {
      kit_check((slices[i][p] == NULL) == (bytes == 0), "slice of process %d is %p", p,
                slices[i][p]);
      kit_check((uintptr_t)slices[i][p] % 16 == 0, "slice of process %d is %p", p, slices[i][p]);
    }
    kit_check((uintptr_t)slices[i][me] % 64 == 0, "my slice %p is not aligned", slices[i][me]);
    if (bytes > 0)
      check_slices(slices[i], bytes);
  }
  for (int i = 0; i < armci_kit_rounds(ROUNDS); i++)
    armci_kit_free(slices[i]);
}

/* One process allocates everything. The others receive the addresses that they free together. */
static void irregular(void)
{
  void **slices = kit_alloc((size_t)all, sizeof *slices);
  for (int owner = 0; owner < all; owner++) {
    kit_about("memory of process %d alone", owner);
    memset(slices, 0xee, (size_t)all * sizeof *slices);
    kit_check_long(ARMCI_Malloc(slices, me == owner ? sizeof(long) : 0), 0, "ARMCI_Malloc");
    for (int p = 0; p < all; p++)
      kit_check((slices[p] != NULL) == (p == owner), "slice of process %d is %p", p, slices[p]);
    if (me == owner)
      *(long *)slices[me] = 100 + owner;
    ARMCI_Barrier();
    kit_check_long(ARMCI_GetValueLong(slices[owner], owner), 100 + owner, "the owner's number");
    ARMCI_Barrier();
    kit_check_long(ARMCI_Free(slices[me]), 0, "ARMCI_Free");
  }
  free(slices);
}

/* Live slices never overlap. */
static void small(void)
{
  static void **slices[SMALL];
  kit_about("many small slices");
  for (int i = 0; i < armci_kit_rounds(SMALL); i++) {
    slices[i] = armci_kit_malloc(24, 0);
    *(long *)slices[i][me] = i;
  }
  ARMCI_Barrier();
  for (int i = 0; i < armci_kit_rounds(SMALL); i++)
    kit_check_long(ARMCI_GetValueLong(slices[i][armci_kit_next()], armci_kit_next()), i, "number");
  ARMCI_Barrier();
  for (int i = 0; i < armci_kit_rounds(SMALL); i++) {
    kit_check_long(ARMCI_Free(slices[i][me]), 0, "ARMCI_Free");
    free(slices[i]);
  }
}

/* More than the available memory: all processes get an error and no addresses, and the job
 * continues. */
static void test_out_of_memory(void)
{
  void **slices = kit_alloc((size_t)all, sizeof *slices);
  kit_about("more memory than there is");
  memset(slices, 0xee, (size_t)all * sizeof *slices);
  kit_check(ARMCI_Malloc(slices, me == 0 ? 1L << 55 : 8) != 0, "ARMCI_Malloc gave it");
  for (int p = 0; p < all; p++)
    kit_check(slices[p] == NULL, "slice of process %d is %p", p, slices[p]);
  free(slices);
  void **good = armci_kit_malloc(100, 0);
  check_slices(good, 100);
  armci_kit_free(good);
}

/* Odd and even processes; the groups are freed before their memory. */
static void groups(void)
{
  void **slices = kit_alloc((size_t)all, sizeof *slices);
  ARMCI_Group world, half;
  kit_about("group memory");
  ARMCI_Group_get_world(&world);
  ARMCIX_Group_split(&world, me % 2, me, &half);
  kit_check_long(ARMCI_Malloc_group(slices, 64 + me, &half), 0, "ARMCI_Malloc_group");
  memset(slices[me / 2], me, 64 + (size_t)me);
  armci_msg_group_barrier(&half);
  for (int p = me % 2; p < all; p += 2) {
    char got = -1;
    ARMCI_Get((char *)slices[p / 2] + 63 + p, &got, 1, p);
    kit_check_long(got, p, "byte of a member");
  }
  armci_msg_group_barrier(&half);
  ARMCI_Group copy = half;
  ARMCI_Group_free(&half);
  kit_check_long(ARMCI_Free_group(slices[me / 2], me % 4 < 2 ? &half : &copy), 0,
                 "ARMCI_Free_group");
  kit_check_long(ARMCI_Malloc_group_memdev(slices, 8, &world, "gpu"), 0, "Malloc_group_memdev");
  kit_check_long(ARMCI_Free_group(slices[me], &world), 0, "ARMCI_Free_group");
  kit_check_long(ARMCI_Malloc_memdev(slices, 8, "/dev/null"), 0, "ARMCI_Malloc_memdev");
  kit_check_long(ARMCI_Free_memdev(slices[me]), 0, "ARMCI_Free_memdev");
  free(slices);
}

/* A sanitizer would otherwise end the program when there is no memory. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
  return "allocator_may_return_null=1";
}

static void local(void)
{
  kit_about("local memory");
  for (long bytes = 1; bytes < 1 << 20; bytes *= 3) {
    char *memory = ARMCI_Malloc_local(bytes);
    kit_check(memory != NULL && (uintptr_t)memory % 64 == 0, "%ld bytes: %p", bytes,
              (void *)memory);
    if (memory != NULL)
      memset(memory, 1, (size_t)bytes);
    kit_check_long(ARMCI_Free_local(memory), 0, "ARMCI_Free_local");
  }
  kit_check_long(ARMCI_Free_local(NULL), 0, "ARMCI_Free_local of NULL");
  kit_check(ARMCI_Malloc_local(1L << 60) == NULL, "a huge piece was given");
  char text[] = "abcdef";
  ARMCI_Copy(text, text + 1, 5);
  kit_check(strcmp(text, "aabcde") == 0, "ARMCI_Copy gave %s", text);
}

int main(int argc, char **argv)
{
  ARMCI_Set_shm_limit(1UL << 40);
  armci_kit_start(&argc, &argv, "armci.malloc");
  me = kit_me();
  all = kit_processes();
  regular();
  irregular();
  small();
  test_out_of_memory();
  groups();
  local();
  /* Not freed on purpose: Finalize frees it without a message. */
  free(armci_kit_malloc(1000, 0));
  return armci_kit_finish();
}
