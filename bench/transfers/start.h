/* The sides of bench/transfers/start.c: what starts between MPI_Init and MPI_Finalize. */
#ifndef BENCH_START_H
#define BENCH_START_H

struct start_side {
  const char *name;
  void (*begin)(void);
  void (*meet)(void);      /* a barrier */
  void (*array)(int each); /* make one with so many doubles for each process, put, free it */
  int (*nodes)(void);      /* before `end` */
  void (*end)(void);
};
extern const struct start_side start_mpi, start_causeway, start_ga;

#endif
