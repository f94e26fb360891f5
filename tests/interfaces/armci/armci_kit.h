/* Helpers that the ARMCI tests share: start and stop, and the six accumulate types with a reference
 * implementation. */
#pragma once

#include <armci.h>
#include <armcix.h>

#include "kit/kit.h"

/* armci_kit_start calls kit_start and ARMCI_Init. armci_kit_finish calls ARMCI_Finalize and
 * kit_finish. */
void armci_kit_start(int *argc, char ***argv, const char *program);
int armci_kit_finish(void);

/* Returns the rounds of a loop: the number itself, or a tenth of it where every transfer goes
 * through MPI. */
int armci_kit_rounds(int number);

/* The operation "+". ARMCI takes names as char *, so a string constant is not allowed. */
extern char armci_kit_sum[];

/* Return this process's neighbours in the ring of processes. */
int armci_kit_next(void);
int armci_kit_previous(void);

/* One element of any type. The integers that tests use are exact in all of them. */
union armci_kit_element {
  int i;
  long l;
  float f[2];
  double d[2];
};

struct armci_kit_type {
  const char *name;
  int code; /* enum ARMCI_Acc_e */
  int bytes;
};
enum { ARMCI_KIT_TYPES = 6 };
extern const struct armci_kit_type armci_kit_types[ARMCI_KIT_TYPES];

/* Writes the number as element i. Complex numbers get -number as imaginary part. */
void armci_kit_set(const struct armci_kit_type *type, void *array, int i, int number);

/* Computes y[i] += scale * x[i] for n elements with a simple loop. */
void armci_kit_axpy(const struct armci_kit_type *type, int n, const void *scale, const void *x,
                    void *y);

/* armci_kit_malloc allocates `bytes` on every process and fills this process's slice;
 * armci_kit_free frees it. */
void **armci_kit_malloc(long bytes, int fill);
void armci_kit_free(void **addresses);
