/* Open MPI 4.1: accumulates with MPI_MIN take unsigned numbers of 32 bits for signed ones. */
#include "reproducer.h"

int main(int argc, char **argv)
{
  start(&argc, &argv, "Open MPI");
  return finish(unsigned_minimum_is_wrong(), "openmpi_unsigned_extremes");
}
