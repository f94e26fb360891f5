// GA's C++ classes, and ARMCI beside them.
#include <armci.h>
#include <cstdio>
#include <ga++.h>
#include <mpi.h>

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD,
               &copy); // the C++ bindings of MPI, if mpi.h has them, would have to be linked
  GA::Initialize(argc, argv);
  double sum = 0;
  {
    int dims[2] = {10, 10}, chunk[2] = {-1, -1};
    char name[] = "a";
    double two = 2;
    GA::GlobalArray a(C_DBL, 2, dims, name, chunk);
    a.fill(&two);
    sum = a.ddot(&a);
    ARMCI_Barrier();
  }
  if (GA::nodeid() == 0)
    std::puts(sum == 400 ? "right" : "wrong");
  GA::Terminate();
  MPI_Comm_free(&copy);
  MPI_Finalize();
  return sum != 400;
}
