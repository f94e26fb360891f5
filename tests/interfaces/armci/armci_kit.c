#include "armci_kit.h"

#include <stdlib.h>
#include <string.h>

char armci_kit_sum[] = "+";

const struct armci_kit_type armci_kit_types[ARMCI_KIT_TYPES] = {
    {"int", ARMCI_ACC_INT, sizeof(int)},
    {"long", ARMCI_ACC_LNG, sizeof(long)},
    {"float", ARMCI_ACC_FLT, sizeof(float)},
    {"double", ARMCI_ACC_DBL, sizeof(double)},
    {"complex", ARMCI_ACC_CPL, 2 * sizeof(float)},
    {"double complex", ARMCI_ACC_DCP, 2 * sizeof(double)},
};

void armci_kit_start(int *argc, char ***argv, const char *program)
{
  kit_start(argc, argv, program);
  kit_check_long(ARMCI_Init(), 0, "ARMCI_Init");
  ARMCI_Group world;
  ARMCI_Group_get_world(&world);
  kit_use_world(world.comm);
}

int armci_kit_finish(void)
{
  kit_check_long(ARMCI_Finalize(), 0, "ARMCI_Finalize");
  return kit_finish();
}

int armci_kit_rounds(int number)
{
  const bool through_mpi = getenv("CW_ROUTE") != NULL || getenv("CW_NODE_SIZE") != NULL;
  return through_mpi ? (number + 9) / 10 : number;
}

int armci_kit_next(void)
{
  return (kit_me() + 1) % kit_processes();
}

int armci_kit_previous(void)
{
  return (kit_me() + kit_processes() - 1) % kit_processes();
}

void armci_kit_set(const struct armci_kit_type *type, void *array, int i, int number)
{
  const float f[2] = {(float)number, (float)-number};
  const double d[2] = {number, -number};
  const long l = number;
  const void *const values[ARMCI_KIT_TYPES] = {&number, &l, f, d, f, d};
  memcpy((char *)array + (size_t)i * (size_t)type->bytes, values[type->code], (size_t)type->bytes);
}

#define AXPY(type)                                                                                 \
  for (int i = 0; i < n; i++)                                                                      \
  ((type *)y)[i] += *(const type *)scale * ((const type *)x)[i]

#define COMPLEX_AXPY(type)                                                                         \
  for (int i = 0; i < n; i++) {                                                                    \
    const type *s = scale, *a = (const type *)x + 2 * i;                                           \
    type *b = (type *)y + 2 * i;                                                                   \
    b[0] += s[0] * a[0] - s[1] * a[1];                                                             \
    b[1] += s[0] * a[1] + s[1] * a[0];                                                             \
  }

void armci_kit_axpy(const struct armci_kit_type *type, int n, const void *scale, const void *x,
                    void *y)
{
  switch (type->code) {
  case ARMCI_ACC_INT:
    AXPY(int);
    break;
  case ARMCI_ACC_LNG:
    AXPY(long);
    break;
  case ARMCI_ACC_FLT:
    AXPY(float);
    break;
  case ARMCI_ACC_DBL:
    AXPY(double);
    break;
  case ARMCI_ACC_CPL:
    COMPLEX_AXPY(float);
    break;
  default:
    COMPLEX_AXPY(double);
  }
}

void **armci_kit_malloc(long bytes, int fill)
{
  void **addresses = kit_alloc((size_t)kit_processes(), sizeof *addresses);
  kit_check_long(ARMCI_Malloc(addresses, bytes), 0, "ARMCI_Malloc");
  if (bytes > 0)
    memset(addresses[kit_me()], fill, (size_t)bytes);
  ARMCI_Barrier();
  return addresses;
}

void armci_kit_free(void **addresses)
{
  kit_check_long(ARMCI_Free(addresses[kit_me()]), 0, "ARMCI_Free");
  free(addresses);
}
