/* The differential test of GA libraries: one random program, built once for each library. Its
 * operations depend on its seed alone. The library's results go into one log for each process.
 *
 * All operations follow GA's rules: concurrent operations of several processes are disjoint or
 * commute, and phases are separated by GA_Sync. Values are integers, so small that sums and
 * products are exact in every type. Results of divisions and solvers are compared within a
 * tolerance.
 *
 * The work of an operation is shared among ACTORS, not among processes: process p acts for actor a
 * if a mod P = p. An array's contents therefore do not depend on the number of processes, and a
 * library can also be compared with itself on other numbers of processes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include <ga.h>
#include <macdecls.h>

enum { ACTORS = 4, DIMS = GA_MAX_DIM };

/* State of the program in this process. In rounds with groups, `me` and `processes` are those of
 * the default group, and all processes of a group do the same. */
typedef struct session {
  int me, processes, rank; /* rank: in the world */
  MPI_Comm comm;
  bool grouped, verbose, all;
} session;
extern session run;

bool acts(int actor);

/* Random numbers. The first two sequences are the same in all processes and for any number of them.
 * The third is for choices that depend on the number of processes (the layout of an array). */
int draw(int count); /* 0 .. count-1 */
bool chance(int percent);
int draw_layout(int count);
/* Starts the sequences of step `step` of round `round`. */
void draw_from(uint64_t seed, int round, int step);
uint64_t mix(uint64_t x);

/* The log. A line begins with the name of the call, before the call is made. log_text() adds
 * results that do not depend on the number of processes, own() those that do, on a line of its own
 * that is marked with @. */
void log_open(const char *prefix, long spoil);
void log_close(void);
void log_begin(int round, int step, const char *name);
void log_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
void own(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_ints(const char *what, int count, const int *values);
void own_ints(const char *what, int count, const int *values);
/* Adds a number that is compared within `error`. */
void log_near(double value, double error);
/* Adds to a sum over all processes that log_end() writes: for results of single actors. */
void share(uint64_t value);
/* Collective on the group of this round. */
void log_end(void);
/* With --spoil, changes one value as a broken library would: the driver must detect it. */
void spoil(double *value);

/* Element types. Values stay below `limit`, so that all arithmetic is exact. */
typedef struct kind {
  const char *name;
  int code;
  size_t size;
  double limit;
  bool adds, whole,
      is_complex; /* GA can accumulate it; it is an integer type; it is a complex type */
} kind;
enum { INT, LONG, FLOAT, DOUBLE, SCPL, DCPL, LONGLONG, KINDS };
extern const kind kinds[KINDS];

typedef union number {
  int i;
  long l;
  long long ll;
  float f;
  double d;
  SingleComplex c;
  DoubleComplex z;
} number;

void store(const kind *type, void *values, size_t index, double re, double im);
void load(const kind *type, const void *values, size_t index, double *re, double *im);
uint64_t digest(uint64_t start, const kind *type, const void *values, size_t index);
/* Draws a constant for the library, from -range to range; complex if the type is. */
number draw_number(const kind *type, int range);
void log_number(const kind *type, number n);

typedef enum layout { PLAIN, CHUNKED, IRREGULAR, RESTRICTED, GHOSTS, CYCLIC, GRID, LAYOUTS } layout;

typedef struct array {
  int handle, ndim, dims[DIMS], width[DIMS];
  const kind *type;
  size_t count;
  layout layout;
  int blocks[DIMS]; /* cyclic layouts: extents of a block */
  int grid[DIMS];   /* layouts on a grid: processes in each dimension */
  double bound;     /* upper bound on the elements' absolute values */
  bool twin;        /* made by GA_Duplicate */
  bool pinned;      /* an operand of the current operation, which must not be destroyed */
  char name[16];
} array;

/* The existing arrays. All functions are collective on the group of this round. */
array *array_create(const kind *type, int ndim, const int *dims, layout kind_of);
array *array_twin(const array *a); /* by GA_Duplicate */
void array_destroy(array *a);
/* Returns a random array that `fits`, or a new one, and pins it until the operation ends. */
typedef bool fits_fn(const array *a);
array *array_any(fits_fn *fits);
array *array_like(const array *a); /* another one of the same type and extents, to compute with */
array *array_of_shape(const array *a); /* as before, with ghosts or without */
array *array_new(const kind *type, int ndim, const int *dims);
void arrays_end_operation(void);
void arrays_log_all(void); /* includes those that the operation should not have changed */
void arrays_end_round(void);
void draw_shape(int *ndim, int *dims);
bool is_block(const array *a); /* each process's part is one block */
bool is_matrix(const array *a);
bool is_cyclic(const array *a);
bool has_ghosts(const array *a);
bool has_twins(const array *a); /* array_twin() can be called */
extern const char *const layout_names[LAYOUTS];
extern unsigned layouts_allowed; /* one bit for each layout; PLAIN is drawn instead of the others */

/* Contents. The functions set the array's contents as their names say. */
typedef double value_fn(uint64_t stamp, size_t index, bool imaginary);
/* Values to calculate with. multiples divided by powers are integers. evens and odds are never
 * equal, and their absolute values are known exactly. */
value_fn powers, multiples, evens, odds;
void array_fill(array *a, value_fn *value, double bound);
void array_refresh(array *a, int range);        /* integers from -range to range */
void array_allow_growth(array *a, double more); /* refreshes it unless it can grow by `more` */
void array_log(const array *a);                 /* collective: the whole array, and the own block */
void array_log_near(const array *a, double error); /* for rounded results */
double *array_read(const array *a);                /* all values, real parts; the caller frees */

/* A patch of an array with a buffer, whose rows have padding that no transfer may change. Along
 * dimension d it has the elements lo, lo + skip .. hi. */
typedef struct box {
  const array *of;
  int lo[DIMS], hi[DIMS], skip[DIMS], extent[DIMS], ld[DIMS];
  size_t count, bytes;
  unsigned char *buffer;
} box;

void box_set(box *b, const array *a, const int *lo, const int *hi, const int *skip, int pad);
void box_whole(box *b, const array *a);
void box_draw(box *b, const array *a, int slab, int slabs); /* in slab `slab` of `slabs` */
bool box_empty(const box *b);
/* Draws a patch of the same extents of another array with as many dimensions. */
void box_draw_like(box *b, const array *a, const box *like);
void box_free(box *b);
size_t box_spot(const box *b, size_t n); /* index of element n in the buffer */
void box_random(box *b, int range, uint64_t stamp);
uint64_t box_digest(const box *b); /* values and padding */
void log_box(const box *b);        /* its corners */
void draw_sub(const array *a, int *sub);

void *take(size_t count, size_t size);

/* One operation of the library, or a few that belong together. */
typedef struct operation {
  const char *name, *family;
  int weight;
  bool alone; /* acts on the world: never in rounds with groups */
  void (*perform)(void);
} operation;

extern const operation transfer_operations[], element_operations[], local_operations[],
    whole_operations[], patch_operations[], diagonal_operations[], matrix_operations[],
    scan_operations[], inquiry_operations[], group_operations[], step_operations[];
