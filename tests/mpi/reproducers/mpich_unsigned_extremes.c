/* MPICH 4.0.2: accumulates with MPI_MIN take unsigned numbers for signed ones. */
#include "reproducer.h"

int main(int argc, char **argv)
{
  start(&argc, &argv, "MPICH Version:");
  return finish(unsigned_minimum_is_wrong(), "mpich_unsigned_extremes");
}
