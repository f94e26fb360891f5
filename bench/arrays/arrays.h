/* The measurements of arrays.c, and their sides: the limit, libcwga, Debian's Global Arrays. Every
 * operation is a loop inside the side. */
#pragma once

#include <stddef.h>

enum arrays_operation {
  ARRAYS_PUT,
  ARRAYS_GET,
  ARRAYS_ACC,
  ARRAYS_READ_INC, /* local receives the previous value */
  ARRAYS_SCATTER,
  ARRAYS_GATHER,
  ARRAYS_SCATTER_ACC,
  ARRAYS_CYCLIC_PUT, /* libcwga only: cw_array_put */
  ARRAYS_CYCLIC_GET,
  ARRAYS_COLLECTIVE, /* from here on both processes take part */
  ARRAYS_CREATE_DESTROY = ARRAYS_COLLECTIVE,
  ARRAYS_SYNC,
  ARRAYS_FILL,      /* c = 1/2 */
  ARRAYS_COPY,      /* c = a */
  ARRAYS_ADD,       /* c = 2 a + 3 b */
  ARRAYS_DDOT,      /* local receives b . b */
  ARRAYS_TRANSPOSE, /* c = a, transposed */
  ARRAYS_OPERATIONS
};

enum { ARRAYS_EXTENT = 2048, ARRAYS_LINE = 1 << 21 };

/* Arrays of doubles, except the counters. Square ones have ARRAYS_EXTENT rows and columns, the line
 * has ARRAYS_LINE elements. */
enum arrays_array {
  ARRAYS_A,
  ARRAYS_B,
  ARRAYS_C,
  ARRAYS_ONE_LINE,
  ARRAYS_COUNTERS,                     /* ARRAYS_EXTENT elements of type long */
  ARRAYS_BLOCKS,                       /* GA knows only the arrays above */
  ARRAYS_ELEMENT_ROWS = ARRAYS_BLOCKS, /* rows distributed round robin over the two processes */
  ARRAYS_ELEMENT_COLUMNS,              /* columns distributed round robin */
  ARRAYS_BLOCK_COLUMNS,                /* blocks of ARRAYS_CYCLIC_BLOCK columns, round robin */
  ARRAYS_ARRAYS
};

enum { ARRAYS_CYCLIC_BLOCK = 32 };

/* Arrays of one dimension use index 0 only. local is as large as the patch. */
struct arrays_work {
  enum arrays_operation operation;
  enum arrays_array array;
  int lo[2], hi[2];
  double *local;
  int **elements; /* lists only: the indices of each element */
  int count;
};

struct arrays_side {
  void (*start)(void); /* collective, after MPI_Init; makes the arrays and sets b to 1/2 */
  void (*stop)(void);  /* collective */
  /* collective: completes all puts */
  void (*sync)(void);
  /* NULL if this side does not have the operation */
  void (*loops[ARRAYS_OPERATIONS])(const struct arrays_work *work, size_t times);
};

/* The part of an array that a process has, in memory that is mapped here. Element (i, j) of its
 * matrix is at base[i * row + j]. lo and hi are its indices in the array, unless the array is
 * cyclic. An array of one dimension has one row. */
struct arrays_part {
  double *base;
  ptrdiff_t row;
  int lo[2], hi[2];
};

/* Access for the limit, which works on the memory of libcwga's arrays. */
struct arrays_memory {
  void (*part)(enum arrays_array array, int process, struct arrays_part *part);
  void (*barrier)(void);
};

/* arrays_operations.c, compiled against libcwga. Together with arrays_memory these are all symbols
 * that libcauseway-arrays-ours.so exports. */
extern const struct arrays_side arrays_ours;
extern const struct arrays_memory arrays_memory;

/* arrays_native.c: the part of arrays_ours that GA does not have. */
void arrays_native_start(void);
void arrays_native_stop(void);
void arrays_native_parts(const int *handles);
void arrays_cyclic_put(const struct arrays_work *work, size_t times);
void arrays_cyclic_get(const struct arrays_work *work, size_t times);

/* arrays_operations.c, compiled against Debian's GA. */
extern const struct arrays_side arrays_peer;

/* arrays_limit.c: loads, stores and memcpy. */
extern const struct arrays_side arrays_limit;
