/* Checks of the binary interface on which programs compiled against ARMCI-MPI rely (LP64). */
#include "binding.h"

#include <stddef.h>

#define SAME(a, b) _Static_assert((a) == (b), #a " is " #b)

SAME(sizeof(armci_size_t), 8);
SAME(sizeof(armci_domain_t), 4);
SAME(sizeof(long long), sizeof(long));

SAME(sizeof(armci_hdl_t), 8);
SAME(_Alignof(armci_hdl_t), 4);
SAME(sizeof(armci_hdl_t), sizeof(cw_handle)); /* the two have the same bits */

SAME(sizeof(armci_giov_t), 24);
SAME(offsetof(armci_giov_t, src_ptr_array), 0);
SAME(offsetof(armci_giov_t, dst_ptr_array), 8);
SAME(offsetof(armci_giov_t, bytes), 16);
SAME(offsetof(armci_giov_t, ptr_array_len), 20);

/* MPI_Comm is a number (MPICH) or a pointer (Open MPI). */
SAME(sizeof(ARMCI_Group), 24 + 2 * sizeof(MPI_Comm));
SAME(offsetof(ARMCI_Group, comm), 0);
SAME(offsetof(ARMCI_Group, noncoll_pgroup_comm), sizeof(MPI_Comm));
SAME(offsetof(ARMCI_Group, grp_to_abs), 2 * sizeof(MPI_Comm));
SAME(offsetof(ARMCI_Group, abs_to_grp), 8 + 2 * sizeof(MPI_Comm));
SAME(offsetof(ARMCI_Group, rank), 16 + 2 * sizeof(MPI_Comm));
SAME(offsetof(ARMCI_Group, size), 20 + 2 * sizeof(MPI_Comm));

/* Values that the binding uses without a table of conversions. */
SAME((int)ARMCI_ACC_INT, (int)CW_INT);
SAME((int)ARMCI_ACC_LNG, (int)CW_LONG);
SAME((int)ARMCI_ACC_FLT, (int)CW_FLOAT);
SAME((int)ARMCI_ACC_DBL, (int)CW_DOUBLE);
SAME((int)ARMCI_ACC_CPL, (int)CW_FLOAT_COMPLEX);
SAME((int)ARMCI_ACC_DCP, (int)CW_DOUBLE_COMPLEX);
SAME((int)ARMCI_FETCH_AND_ADD, 0);
SAME((int)ARMCI_FETCH_AND_ADD_LONG, 1);
SAME((int)ARMCI_SWAP, 2);
SAME((int)ARMCI_SWAP_LONG, 3);
SAME((int)SCOPE_ALL, 0);
SAME((int)SCOPE_NODE, 1);
SAME((int)SCOPE_MASTERS, 2);
SAME((int)ARMCI_INT, 0);
SAME((int)ARMCI_LONG, 1);
SAME((int)ARMCI_LONG_LONG, 2);
SAME((int)ARMCI_FLOAT, 3);
SAME((int)ARMCI_DOUBLE, 4);
