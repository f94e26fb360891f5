/* ARMCI's collective calls whose members pass different arguments or are in different calls, with
 * CW_CHECK=1: compared.def. Each ends the job with a message in ARMCI's words. Here cw_abort
 * returns, and afterwards everything still works. */
#include "armci_kit.h"
#include "kit/bad_input.h"

#include <mpi.h>

static bool odd;
static void *first[64], *second[64], *made[64];
static ARMCI_Group group, other, group_out;
static armcix_mutex_hdl_t sets[2];
static int pair[2] = {0, 1}, turned[2] = {1, 0};
static double x[2];
static char plus[2] = "+", most[4] = "max", least[4] = "min";

#define EITHER(usual, different) (odd ? (different) : (usual))

#define BAD_TABLE "interfaces/armci/compared.def"
#define BAD_PREFIX compared
#include "kit/bad_table.inc"

int main(int argc, char **argv)
{
  ARMCI_Group world;
  armci_kit_start(&argc, &argv, "armci.compared");
  odd = kit_me() == kit_processes() - 1;
  ARMCI_Group_get_world(&world);
  kit_check_long(ARMCI_Malloc(first, 64), 0, "ARMCI_Malloc");
  kit_check_long(ARMCI_Malloc(second, 64), 0, "ARMCI_Malloc");
  kit_check_long(ARMCIX_Group_dup(&world, &group), 0, "ARMCIX_Group_dup");
  kit_check_long(ARMCIX_Group_dup(&world, &other), 0, "ARMCIX_Group_dup");
  for (int i = 0; i < 2; i++)
    sets[i] = ARMCIX_Create_mutexes_hdl(1, &group);
  bad_try(compared_rows, BAD_COUNT(compared_rows), BAD_ENDS, "with CW_CHECK");
  bad_judge();
  for (int i = 0; i < 2; i++)
    kit_check_long(ARMCIX_Destroy_mutexes_hdl(sets[i]), 0, "ARMCIX_Destroy_mutexes_hdl");
  kit_check_long(ARMCI_Free(first[kit_me()]), 0, "ARMCI_Free");
  kit_check_long(ARMCI_Free(second[kit_me()]), 0, "ARMCI_Free");
  ARMCI_Group_free(&other);
  ARMCI_Group_free(&group);
  return armci_kit_finish();
}
