/* What arrays.c measures, and by which side: the limit, libcwga, Debian's Global Arrays. Every
 * operation is a loop inside the side. */
#ifndef BENCH_ARRAYS_H
#define BENCH_ARRAYS_H

#include <stddef.h>

enum arrays_operation {
  ARRAYS_PUT,
  ARRAYS_GET,
  ARRAYS_ACC,
  ARRAYS_READ_INC, /* local receives the value before */
  ARRAYS_SCATTER,
  ARRAYS_GATHER,
  ARRAYS_SCATTER_ACC,
  ARRAYS_CYCLIC_PUT, /* of libcwga only: cw_array_put */
  ARRAYS_CYCLIC_GET,
  ARRAYS_COLLECTIVE, /* from here on both processes take part */
  ARRAYS_CREATE_DESTROY = ARRAYS_COLLECTIVE,
  ARRAYS_SYNC,
  ARRAYS_FILL,      /* c = a half */
  ARRAYS_COPY,      /* c = a */
  ARRAYS_ADD,       /* c = 2 a + 3 b */
  ARRAYS_DDOT,      /* local receives b . b */
  ARRAYS_TRANSPOSE, /* c = a, transposed */
  ARRAYS_OPERATIONS
};

enum { ARRAYS_EXTENT = 2048, ARRAYS_LINE = 1 << 21 };

/* Doubles, but for the counters; square ones have ARRAYS_EXTENT, the line ARRAYS_LINE elements. */
enum arrays_array {
  ARRAYS_A,
  ARRAYS_B,
  ARRAYS_C,
  ARRAYS_ONE_LINE,
  ARRAYS_COUNTERS,                     /* long, ARRAYS_EXTENT of them */
  ARRAYS_BLOCKS,                       /* what GA knows ends here */
  ARRAYS_ELEMENT_ROWS = ARRAYS_BLOCKS, /* rows dealt to the two processes */
  ARRAYS_ELEMENT_COLUMNS,              /* columns */
  ARRAYS_BLOCK_COLUMNS,                /* blocks of ARRAYS_CYCLIC_BLOCK columns */
  ARRAYS_ARRAYS
};

enum { ARRAYS_CYCLIC_BLOCK = 32 };

/* Arrays of one dimension use index 0 only. local is as large as the patch. */
struct arrays_work {
  enum arrays_operation operation;
  enum arrays_array array;
  int lo[2], hi[2];
  double *local;
  int **elements; /* lists: the indices of each element */
  int count;
};

struct arrays_side {
  void (*start)(void); /* collective, after MPI_Init; makes the arrays; b is a half everywhere */
  void (*stop)(void);  /* collective */
  /* collective: what was put is there */
  void (*sync)(void);
  /* NULL: this side does not have the operation */
  void (*loops[ARRAYS_OPERATIONS])(const struct arrays_work *work, size_t times);
};

/* What a process has of an array, in memory that is mapped here: the element (i, j) of its matrix
 * is at base[i * row + j]. lo, hi: its indices in the array, unless that is cyclic. An array of one
 * dimension has one row. */
struct arrays_part {
  double *base;
  ptrdiff_t row;
  int lo[2], hi[2];
};

/* For the limit, which acts on the memory of libcwga's arrays. */
struct arrays_memory {
  void (*part)(enum arrays_array array, int process, struct arrays_part *part);
  void (*barrier)(void);
};

/* arrays_operations.c, compiled against libcwga: with arrays_memory all that
 * libcauseway-arrays-ours.so shows. */
extern const struct arrays_side arrays_ours;
extern const struct arrays_memory arrays_memory;

/* arrays_native.c: what of arrays_ours is not GA. */
void arrays_native_start(void);
void arrays_native_stop(void);
void arrays_native_parts(const int *handles);
void arrays_cyclic_put(const struct arrays_work *work, size_t times);
void arrays_cyclic_get(const struct arrays_work *work, size_t times);

/* arrays_operations.c, compiled against Debian's GA. */
extern const struct arrays_side arrays_peer;

/* arrays_limit.c: loads, stores and memcpy. */
extern const struct arrays_side arrays_limit;

#endif
