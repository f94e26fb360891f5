/* The macros of ARMCI-MPI's configuration header that programs may test; as few as possible. */
#ifndef CWI_ARMCI_INCLUDE_ARMCICONF_H
#define CWI_ARMCI_INCLUDE_ARMCICONF_H

#define HAVE_INTTYPES_H 1
#define HAVE_STDINT_H 1

#endif
