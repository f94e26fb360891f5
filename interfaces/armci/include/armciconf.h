/* The few macros of ARMCI-MPI's configuration header that programs test. */
#ifndef ARMCICONF_H
#define ARMCICONF_H

#define HAVE_INTTYPES_H 1
#define HAVE_STDINT_H 1

#endif
