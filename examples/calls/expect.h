/* A check for the programs of this folder: prints what is wrong and makes main return 1. */
#ifndef EXPECT_H
#define EXPECT_H

#include <causeway.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int wrong;

#define EXPECT(condition)                                                                          \
  ((condition) ? (void)0                                                                           \
               : (void)(wrong = 1, fprintf(stderr, "%s:%d: process %d: not %s\n", __FILE__,        \
                                           __LINE__, cw_process(), #condition)))

static inline void start(int *argc, char ***argv)
{
  int threads; /* MULTIPLE, because between nodes a server thread also calls MPI */
  MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &threads);
  CW_MUST(cw_init(MPI_COMM_WORLD));
}

static inline int stop(void)
{
  CW_MUST(cw_finalize());
  MPI_Finalize();
  return wrong;
}
#endif
