/* Start of message passing under neutral names, for the test programs of ARMCI and GA. */
#ifndef MP3_H
#define MP3_H

#include <mpi.h>

#define MP_INIT(argc, argv) MPI_Init(&(argc), &(argv))
#define MP_FINALIZE() MPI_Finalize()
#define MP_BARRIER() MPI_Barrier(MPI_COMM_WORLD)
#define MP_PROCS(pointer) MPI_Comm_size(MPI_COMM_WORLD, pointer)
#define MP_MYID(pointer) MPI_Comm_rank(MPI_COMM_WORLD, pointer)
#define MP_TIMER() MPI_Wtime()
#define GA_INIT(argc, argv) GA_Initialize()
#define ARMCI_INIT(argc, argv) ARMCI_Init()

#endif
