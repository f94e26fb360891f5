/* The communication of a Hartree-Fock iteration in four ways: figure 7 of Ghosh et al. (2016). Used
 * by bench/tasks/proxy.c, and by bench/scale/proxy.c in simulated time.
 *
 * Tasks come from a shared counter. In the first phase each adds a tile to a matrix, in the second
 * each gets one. */
#pragma once

#include <stdint.h>

enum proxy_way {
  ORIG,     /* AXPY epochs that end by messages */
  ORIG_NBX, /* AXPY epochs that end by consensus */
  RMA,      /* non-blocking operations, with a flush at the end */
  RMAB      /* operations that complete locally */
};
enum { PROXY_WAYS = 4 };
extern const char *const proxy_names[PROXY_WAYS];

struct proxy {
  int tile;      /* rows and columns of a tile */
  int64_t block; /* rows and columns of a block of the matrix; 1 for an element-cyclic matrix */
  void (*compute)(void); /* the work of a task; NULL if there is none */
};

/* Creates matrix and counter. Like proxy_end, collective. Both end the job on failure or if the
 * result is not what the ways added. */
void proxy_begin(const struct proxy *proxy);
void proxy_end(void);

/* Returns the seconds of both phases. All processes begin together, and the last one ends the time.
 * */
double proxy_run(enum proxy_way way, int64_t tasks);
