/* Sides of bench/transfers/start.c: what runs between MPI_Init and MPI_Finalize. */
#ifndef BENCH_START_H
#define BENCH_START_H

struct start_side {
  const char *name;
  void (*begin)(void);
  void (*meet)(void); /* a barrier */
  void (*array)(
      int each); /* makes an array of `each` doubles per process, puts a block, frees the array */
  int (*nodes)(void); /* called before `end` */
  void (*end)(void);
};
extern const struct start_side start_mpi, start_causeway, start_ga;

#endif
