/* Sides of bench/transfers/start.c: what runs between MPI_Init and MPI_Finalize. */
#pragma once

struct start_side {
  const char *name;
  void (*begin)(void);
  void (*barrier)(void); /* a barrier */
  /* Makes an array of `each` doubles per process, puts a block, frees the array. */
  void (*array)(int each);
  int (*nodes)(void); /* called before `end` */
  void (*end)(void);
};
extern const struct start_side start_mpi, start_causeway, start_ga;
