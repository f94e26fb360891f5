/* The list of the MPI bugs that Causeway works around. The words of CW_WORKAROUNDS and enum
 * cwi_workaround_id (mpi/workaround.h) are made from it. It is in this module because the settings
 * use it and may not depend on MPI. */
#pragma once

/* The bugs that CW_WORKAROUNDS can name, in the order of that setting: ID(identifier, name). Each
 * has a program with its name in tests/mpi/reproducers. */
#define CWI_WORKAROUND_NAMES(ID)                                                                   \
  ID(MPICH_FLUSH_LOCAL, mpich_flush_local)                                                         \
  ID(MPICH_FLUSH_ALL, mpich_flush_all)                                                             \
  ID(MPICH_FINALIZE, mpich_finalize)                                                               \
  ID(UNSIGNED_EXTREMES, unsigned_extremes)                                                         \
  ID(OPENMPI_WIN_DISJOINT, openmpi_win_disjoint)                                                   \
  ID(OPENMPI_STRIDE, openmpi_stride)                                                               \
  ID(OPENMPI_SWAP_SELF, openmpi_swap_self)                                                         \
  ID(OPENMPI_UPDATES, openmpi_updates)                                                             \
  ID(OPENMPI_BITS, openmpi_bits)                                                                   \
  ID(OPENMPI_SATURATED_SUM, openmpi_saturated_sum)                                                 \
  ID(OPENMPI_FETCH_TAIL, openmpi_fetch_tail)                                                       \
  ID(OPENMPI_SWAP_APART, openmpi_swap_apart)

/* Bugs that Causeway avoids with every MPI; CW_WORKAROUNDS does not name them. */
#define CWI_AVOIDED_BUG_NAMES(ID)                                                                  \
  ID(MPICH_WIN_ALLOCATE, mpich_win_allocate)                                                       \
  ID(MPICH_RGET_DATATYPE, mpich_rget_datatype)                                                     \
  ID(MPICH_WIN_UNALIGNED, mpich_win_unaligned)                                                     \
  ID(OPENMPI_WIN_ALONE, openmpi_win_alone)
