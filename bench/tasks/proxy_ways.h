/* The communication of a Hartree-Fock iteration, in four ways: figure 7 of Ghosh et al. (2016). Of
 * bench/tasks/proxy.c, and of bench/scale/proxy.c in simulated time.
 *
 * Tasks come from a shared counter. In the first phase each adds a tile to a matrix, in the second
 * each gets one. */
#ifndef BENCH_PROXY_WAYS_H
#define BENCH_PROXY_WAYS_H

#include <stdint.h>

enum proxy_way {
  ORIG,     /* AXPY epochs that end by messages */
  ORIG_NBX, /* AXPY epochs that end by consensus */
  RMA,      /* started operations, a flush at the end */
  RMAB      /* operations that complete locally */
};
enum { PROXY_WAYS = 4 };
extern const char *const proxy_names[PROXY_WAYS];

struct proxy {
  int tile;              /* rows and columns of one */
  int64_t block;         /* rows and columns of a block of the matrix; 1: element-cyclic */
  void (*compute)(void); /* the work of a task; NULL: none */
};

/* Make matrix and counter; end the job if that fails, or if what the ways add is not what is there.
 * Collective, and so are all. */
void proxy_begin(const struct proxy *proxy);
void proxy_end(void);

/* Seconds of both phases: all begin together, and the last ends it. */
double proxy_run(enum proxy_way way, int64_t tasks);

#endif
