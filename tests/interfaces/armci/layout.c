/* Layouts and constants on which compiled programs rely, written out. message.h must be usable
 * alone, so it comes first. */
#include "message.h"

#include "kit/kit.h"

#include <armci.h>
#include <armciconf.h>
#include <armcix.h>
#include <mp3.h>
#include <stddef.h>

#if !defined(ARMCI_MPI) || ARMCI_MPI != 3
#error ARMCI_MPI must be 3
#endif

int main(int argc, char **argv)
{
  const long comm = sizeof(MPI_Comm);
  kit_start(&argc, &argv, "armci.layout");
  kit_check_long(sizeof(armci_size_t), 8, "armci_size_t");
  kit_check_long(sizeof(armci_hdl_t), 8, "armci_hdl_t");
  kit_check_long(_Alignof(armci_hdl_t), 4, "alignment of armci_hdl_t");
  kit_check_long(offsetof(armci_hdl_t, aggregate), 4, "aggregate");
  kit_check_long(sizeof(armci_giov_t), 24, "armci_giov_t");
  kit_check_long(offsetof(armci_giov_t, dst_ptr_array), 8, "dst_ptr_array");
  kit_check_long(offsetof(armci_giov_t, bytes), 16, "bytes");
  kit_check_long(offsetof(armci_giov_t, ptr_array_len), 20, "ptr_array_len");
  kit_check_long(sizeof(ARMCI_Group), comm == 4 ? 32 : 40, "ARMCI_Group");
  kit_check_long(offsetof(ARMCI_Group, comm), 0, "comm");
  kit_check_long(offsetof(ARMCI_Group, noncoll_pgroup_comm), comm, "noncoll_pgroup_comm");
  kit_check_long(offsetof(ARMCI_Group, grp_to_abs), comm == 4 ? 8 : 16, "grp_to_abs");
  kit_check_long(offsetof(ARMCI_Group, abs_to_grp), comm == 4 ? 16 : 24, "abs_to_grp");
  kit_check_long(offsetof(ARMCI_Group, rank), comm == 4 ? 24 : 32, "rank");
  kit_check_long(offsetof(ARMCI_Group, size), comm == 4 ? 28 : 36, "size");
  kit_check_long(sizeof(armci_domain_t), 4, "armci_domain_t");
  const MPI_Datatype size_type = ARMCII_MPI_SIZE_T;
  kit_check(size_type == MPI_LONG, "ARMCII_MPI_SIZE_T");
  kit_check_long(ARMCI_ACC_DCP, 5, "ARMCI_ACC_DCP");
  kit_check_long(ARMCI_ACC_INT, 0, "ARMCI_ACC_INT");
  kit_check_long(ARMCI_SWAP_LONG, 3, "ARMCI_SWAP_LONG");
  kit_check_long(SCOPE_MASTERS, 2, "SCOPE_MASTERS");
  kit_check_long(ARMCI_DOUBLE, 4, "ARMCI_DOUBLE");
  kit_check_long(ARMCI_DOMAIN_SMP, 0, "ARMCI_DOMAIN_SMP");
  /* GA takes their addresses, so they must not be macros. */
  void (*error)(const char *, int) = ARMCI_Error;
  void (*init)(armci_hdl_t *) = ARMCI_INIT_HANDLE;
  kit_check(error != NULL && init != NULL, "functions");
  int processes = 0, me = -1;
  MP_PROCS(&processes);
  MP_MYID(&me);
  MP_BARRIER();
  kit_check(me >= 0 && me < processes && MP_TIMER() >= 0, "mp3.h");
  return kit_finish();
}
