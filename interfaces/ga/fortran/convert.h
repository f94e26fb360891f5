/* Functions that Fortran's calls of Global Arrays share. Each call is a thin function that converts
 * Fortran's arguments to those of a C call. Indices count from 1 in Fortran and from 0 in C.
 * Dimensions are in reverse order: Fortran's first dimension is C's last.
 *
 * names.txt           the names of the calls, their arguments, and the C functions that they call
 * generate.awk        makes a C function for each line of names.txt
 * bins.c              puts values into bins
 * convert.c           converts arguments, and reports wrong arguments with the program's names
 * create.c            calls with maps and lists, whose lengths are arguments
 * elements.c          lists of elements, fields of elements, and a put with a fence
 * fortran_handles.c   handles of operations in progress
 * inquiry.c           inquiries: types, indices and processes as Fortran counts them
 * local_indices.c     indices of local elements, relative to the common blocks of mafdecls.fh
 * matrix.c            triangles, factors and eigenvectors of matrices
 * scratch.c           memory for elements that the program allocates and frees
 * sparse.c            the calls on sparse arrays in Fortran
 * step_quotients.c    quotients of two patches as steps of a line search */
#pragma once

#include "ga/arguments/fortran_names.h"
#include "ga/base/binding.h"
#include "ga/group/group.h"

#include "ga-mpi.h"
#include "ga.h"
#include "macdecls.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

/* --- The call --- */

static inline void cwi_gaf_enter(const char *call)
{
  cwi_ga_fortran = (struct cwi_ga_fortran){.call = call};
}

static inline void cwi_gaf_leave(void)
{
  cwi_ga_fortran.call = NULL;
}

/* Records that the two factors of a product are exchanged for the C call. Messages exchange them
 * back. */
static inline void cwi_gaf_turned(void)
{
  cwi_ga_fortran.turned = true;
}

/* Records the number of dimensions for messages. It is called if no argument has a number for each
 * dimension; g_a is the first array of the call. */
static inline void cwi_gaf_whole(int g_a)
{
  cwi_ga_fortran.ndim = cwi_ga_ndim(g_a);
}

/* Ends the job with a message whose numbers already count as in the program. */
void cwi_gaf_reject(cw_error error);

/* --- Numbers --- */

/* cwi_gaf_int converts a number to int. It ends the job if the number does not fit. */
int cwi_gaf_too_large(const char *what, Integer number);

static inline int cwi_gaf_int(const char *what, Integer number)
{
  return cwi_integer_fits(number) ? (int)number : cwi_gaf_too_large(what, number);
}

/* cwi_gaf_handle converts the handle of an array to int. If the number does not fit, the result is
 * 0, which is not a handle. But if the lower half of such a number is a handle, INTEGER has the
 * wrong size, and the job ends. */
int cwi_gaf_no_handle(const char *what, Integer number);

static inline int cwi_gaf_handle(const char *what, Integer number)
{
  return cwi_integer_fits(number) ? (int)number : cwi_gaf_no_handle(what, number);
}

/* Converts a number of bytes. A negative number, which means no limit, becomes a very large one. */
static inline size_t cwi_gaf_size(Integer bytes)
{
  return (size_t)bytes;
}

/* Converts a result. Ends the job if it does not fit into an INTEGER of 4 bytes. */
static inline Integer cwi_gaf_result(const char *what, int64_t number)
{
  Integer converted = 0;
  (void)CWI_GA(cwi_fortran_error(what, number, &converted));
  return converted;
}

/* Converts a number of bytes to an INTEGER. A number that is too large becomes the greatest
 * INTEGER. */
Integer cwi_gaf_bytes(size_t bytes);

/* --- Indices --- */

/* Converts an index that counts from 1 to one that counts from 0. */
static inline int64_t cwi_gaf_from_one(Integer index)
{
  return (int64_t)((uint64_t)index - 1);
}

struct cwi_gaf_patch {
  int64_t lo[GA_MAX_DIM], hi[GA_MAX_DIM];
};

/* Condition for a patch. */
enum cwi_gaf_bounds {
  CWI_GAF_INSIDE,  /* the patch is inside the array */
  CWI_GAF_CLIPPED, /* inside; any patch is allowed if GA transfers only the part inside the array */
  CWI_GAF_ELEMENT, /* one element inside the array */
  CWI_GAF_OR_EMPTY, /* inside the array, or empty */
  CWI_GAF_ORDERED,  /* hi is not less than lo */
  CWI_GAF_ANY       /* no condition */
};

static inline bool cwi_gaf_bounded(const struct cwi_ga_array *entry, int d, int64_t lo, int64_t hi,
                                   enum cwi_gaf_bounds bounds)
{
  return bounds == CWI_GAF_ANY ||
         (hi >= lo && (bounds == CWI_GAF_ORDERED || (lo >= 0 && hi < entry->dims[d])));
}

/* Ends the job with a message about a patch that does not satisfy `bounds`. There are two
 * exceptions. An empty patch is accepted if `bounds` allows it. If the arguments are ilo, ihi, jlo
 * and jhi (`matrix`), a patch of a vector with jlo = jhi = 1 is accepted and becomes a patch of one
 * dimension. */
void cwi_gaf_reject_patch(const char *what, int g_a, struct cwi_gaf_patch *patch, bool matrix,
                          enum cwi_gaf_bounds bounds);

/* Converts a patch of the array argument `what`. `given` has ilo, ihi, jlo and jhi. The function
 * writes to *patch, because returning a structure would copy it. The copy would wait for the stores
 * just made, which costs 4 ns in a ga_get. */
static inline void cwi_gaf_matrix_patch(const char *what, int g_a, const Integer *const given[4],
                                        enum cwi_gaf_bounds bounds, struct cwi_gaf_patch *patch)
{
  const struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  patch->lo[0] = cwi_gaf_from_one(*given[2]);
  patch->hi[0] = cwi_gaf_from_one(*given[3]);
  patch->lo[1] = cwi_gaf_from_one(*given[0]);
  patch->hi[1] = cwi_gaf_from_one(*given[1]);
  if (CWI_UNLIKELY(entry == NULL || entry->array == NULL || entry->ndim != 2 ||
                   !cwi_gaf_bounded(entry, 0, patch->lo[0], patch->hi[0], bounds) ||
                   !cwi_gaf_bounded(entry, 1, patch->lo[1], patch->hi[1], bounds)))
    cwi_gaf_reject_patch(what, g_a, patch, true, bounds);
  cwi_ga_fortran.ndim = 2;
}

static inline void cwi_gaf_patch(const char *what, int g_a, const Integer *lo, const Integer *hi,
                                 enum cwi_gaf_bounds bounds, struct cwi_gaf_patch *patch)
{
  const struct cwi_ga_array *entry = cwi_ga_entry(g_a);
  const int ndim = CWI_LIKELY(entry != NULL) ? entry->ndim : 0;
  bool right = entry != NULL && entry->array != NULL;
  patch->lo[0] = patch->hi[0] = 0; /* without an array, no other element is read */
#pragma GCC unroll 7
  for (int d = 0; d < GA_MAX_DIM && d < ndim; d++) {
    const int64_t from = cwi_gaf_from_one(lo[d]), to = cwi_gaf_from_one(hi[d]);
    patch->lo[ndim - 1 - d] = from;
    patch->hi[ndim - 1 - d] = to;
    right &= cwi_gaf_bounded(entry, ndim - 1 - d, from, to, bounds);
  }
  if (CWI_UNLIKELY(!right))
    cwi_gaf_reject_patch(what, g_a, patch, false, bounds);
  cwi_ga_fortran.ndim = ndim;
}

/* Ends the job if hi is less than lo. */
void cwi_gaf_ends(int64_t lo, int64_t hi);

/* Converts the leading dimensions of a buffer: the extents of all dimensions except the last. */
static inline struct cwi_ga_index cwi_gaf_ld(int g_a, const Integer *ld)
{
  const int last = cwi_ga_ndim(g_a) - 1;
  struct cwi_ga_index wide;
  wide.at[0] = 0; /* with one dimension, no other element is read */
#pragma GCC unroll 6
  for (int d = 0; d < GA_MAX_DIM - 1 && d < last; d++)
    wide.at[last - 1 - d] = ld[d];
  return wide;
}

/* Converts the number of a dimension to one that counts from 0. Ends the job if the array does not
 * have this dimension. */
int cwi_gaf_dimension(int g_a, int dimension);

/* Convert one number for each dimension. cwi_gaf_place converts indices, which then count from
 * 0. */
struct cwi_ga_index cwi_gaf_extents(int ndim, const Integer *extents);
struct cwi_ga_index cwi_gaf_place(int ndim, const Integer *index);

/* Convert results of C to Fortran. `what` is the name of the program's argument. A number that does
 * not fit into an INTEGER of 4 bytes ends the job. */
void cwi_gaf_found(int g_a, const int *numbers, Integer *found);
void cwi_gaf_place_found(const char *what, int g_a, const int64_t *index, Integer *found);
void cwi_gaf_extents_found(const char *what, int ndim, const int64_t *extents, Integer *found);

/* Converts two numbers, which are in Fortran's order of dimensions. */
static inline struct cwi_ga_index cwi_gaf_pair(int64_t first, int64_t second)
{
  cwi_ga_fortran.ndim = 2;
  return (struct cwi_ga_index){{second, first}};
}
#define CWI_GAF_PAIR(first, second) cwi_gaf_pair((first), (second)).at

/* Converts the chunks of ga_create. In ga_create, a 0 means that the chunk of this dimension is
 * unspecified. In nga_create, a 0 for the first dimension means that all are unspecified. */
#define CWI_GAF_CHUNK(chunk) ((chunk) != 0 ? (chunk) : -1)
#define CWI_GAF_CHUNKS(first, second) CWI_GAF_PAIR(CWI_GAF_CHUNK(first), CWI_GAF_CHUNK(second))
#define CWI_GAF_ONES ((int64_t[]){1, 1, 1, 1, 1, 1, 1})

/* Returns g_a if it is a matrix. Otherwise ends the job. */
int cwi_gaf_matrix(const char *what, int g_a);

/* Returns the number of the C dimension that counts Fortran's rows: 1 for a matrix, and 0 for a
 * vector, which GA treats as one column. Ends the job if g_a is neither. */
int cwi_gaf_rows(int g_a);

/* Ends the job if the array does not have the type of this code. */
void cwi_gaf_check_type(const char *what, int g_a, int code);

/* --- CHARACTER --- */

struct cwi_gaf_text {
  char at[256];
};

/* Copies a CHARACTER argument without the blanks at its end. The copy has at most 255
 * characters. */
struct cwi_gaf_text cwi_gaf_text(const char *text, size_t length);

static inline char cwi_gaf_letter(const char *text, size_t length)
{
  return length > 0 ? text[0] : ' ';
}

/* --- Results --- */

static inline float _Complex cwi_gaf_single(SingleComplex number)
{
  float _Complex result;
  memcpy(&result, &number, sizeof result);
  return result;
}

static inline double _Complex cwi_gaf_double(DoubleComplex number)
{
  double _Complex result;
  memcpy(&result, &number, sizeof result);
  return result;
}

/* Dot products of arrays of type MT_INT, which is int or long in C. */
static inline long CWI_GAF_Idot(int g_a, int g_b)
{
  return sizeof(Integer) == sizeof(int) ? GA_Idot(g_a, g_b) : GA_Ldot(g_a, g_b);
}

static inline long CWI_GAF_Idot_patch64(int g_a, char ta, int64_t *alo, int64_t *ahi, int g_b,
                                        char tb, int64_t *blo, int64_t *bhi)
{
  return sizeof(Integer) == sizeof(int) ? NGA_Idot_patch64(g_a, ta, alo, ahi, g_b, tb, blo, bhi)
                                        : NGA_Ldot_patch64(g_a, ta, alo, ahi, g_b, tb, blo, bhi);
}

/* --- Handles of operations: fortran_handles.c --- */

/* An INTEGER of 8 bytes holds the handle of C itself; one of 4 bytes holds the number of an entry
 * in a table. The stored number is never 0, not even if the operation is complete. Programs
 * (NWChem's Fock builder) treat 0 as a variable that no call has set. */
enum { CWI_GAF_TICKET_DONE = -1 };
ga_nbhdl_t cwi_gaf_handle_of_number(Integer name);
Integer cwi_gaf_handle_number(Integer name, ga_nbhdl_t ticket);

static inline ga_nbhdl_t cwi_gaf_handle_slot(Integer name)
{
  if (name == CWI_GAF_TICKET_DONE)
    return 0;
  return sizeof(Integer) == sizeof(ga_nbhdl_t) ? name : cwi_gaf_handle_of_number(name);
}

static inline void cwi_gaf_store_handle(Integer *name, ga_nbhdl_t ticket)
{
  const Integer kept = sizeof(Integer) == sizeof(ga_nbhdl_t) ? (Integer)ticket
                                                             : cwi_gaf_handle_number(*name, ticket);
  *name = kept != 0 ? kept : (Integer)CWI_GAF_TICKET_DONE;
}

/* Returns the handle if its operation is still in progress, otherwise 0. It is used by calls that
 * complete before they return. */
ga_nbhdl_t cwi_gaf_running(ga_nbhdl_t ticket);

/* Stores the handle after a wait. `before` is the handle before the wait. If it stood for no
 * operation in progress, nothing is stored, because the argument may be a constant. */
void cwi_gaf_store_waited(Integer *name, ga_nbhdl_t before, ga_nbhdl_t ticket);

/* --- Calls that are more than a conversion --- */

/* Converts a map, which has the first index of each block, dimension after dimension. `dims` has
 * the extents of the array in C's order. Returns memory that the caller frees. If dims or nblock
 * are invalid, returns NULL without reading the map; the C call then rejects these arguments. */
int64_t *cwi_gaf_map(int ndim, const int64_t *dims, const struct cwi_ga_index *nblock,
                     const Integer *map);
struct cwi_gaf_maps {
  const Integer *map[2];
  Integer nblock[2];
};
int cwi_gaf_create_irregular(int type, int64_t *dims, char *name, const struct cwi_gaf_maps *maps);
void cwi_gaf_set_restricted(int g_a, const Integer *list, int n);
int cwi_gaf_pgroup_create(const Integer *list, int count);
void cwi_gaf_list_nodeid(Integer *list, int n);

void cwi_gaf_inquire_matrix(int g_a, Integer *type, Integer *dim1, Integer *dim2);
void cwi_gaf_inquire(int g_a, Integer *type, Integer *ndim, Integer *dims);
void cwi_gaf_distribution_matrix(int g_a, int process, Integer *ilo, Integer *ihi, Integer *jlo,
                                 Integer *jhi);
void cwi_gaf_distribution(int g_a, int process, Integer *lo, Integer *hi);
void cwi_gaf_topology(int g_a, int process, Integer *coord);
void cwi_gaf_proc_grid(int g_a, Integer *grid);
void cwi_gaf_topology_matrix(int g_a, int process, Integer *prow, Integer *pcol);

/* Return true if the element, or the patch, is inside the array. */
bool cwi_gaf_locate(int g_a, int64_t *index, Integer *owner);
bool cwi_gaf_locate_in_matrix(int g_a, int64_t i, int64_t j, Integer *owner);
bool cwi_gaf_locate_nnodes(int g_a, struct cwi_gaf_patch *patch, Integer *np);
int cwi_gaf_locate_num_blocks(int g_a, const struct cwi_gaf_patch *patch);
bool cwi_gaf_locate_matrix(int g_a, struct cwi_gaf_patch *patch, Integer *map5, Integer *np);
bool cwi_gaf_locate_region(int g_a, struct cwi_gaf_patch *patch, Integer *map, Integer *procs,
                           Integer *np);

/* cwi_gaf_pairs and cwi_gaf_subscripts convert the indices of n elements to a list. The three
 * functions after them free the list. */
int64_t *cwi_gaf_pairs(int g_a, const Integer *is, const Integer *js, int64_t n);
int64_t *cwi_gaf_subscripts(int g_a, const Integer *subs, int64_t n);
void cwi_gaf_gather(int g_a, void *v, int64_t *subs, int64_t n);
void cwi_gaf_scatter(int g_a, void *v, int64_t *subs, int64_t n);
void cwi_gaf_scatter_acc(int g_a, void *v, int64_t *subs, int64_t n, void *alpha);

/* Moves a field of each element of a patch. If `handle` is NULL, waits. GA's C calls are not used,
 * because they have int instead of int64_t indices. */
void cwi_gaf_move_field(int g_a, const cw_patch *patch, int foff, int fsize, ga_nbhdl_t *handle);
#define CWI_GAF_MOVED(what)                                                                        \
  &(cw_patch)                                                                                      \
  {                                                                                                \
    .operation = (what), .lo = a.lo, .hi = a.hi, .buffer = buf, .ld = ld.at                        \
  }

/* Puts a patch and completes it at the target. */
void cwi_gaf_put_notify(int g_a, struct cwi_gaf_patch *patch, void *buf, int64_t *ld);

/* Store the index of the first element relative to the common block of the array's type, and the
 * leading dimensions. */
void cwi_gaf_access(int g_a, struct cwi_gaf_patch *patch, MA_AccessIndex *x, Integer *ld);
void cwi_gaf_access_block(int g_a, int idx, MA_AccessIndex *x, Integer *ld);
void cwi_gaf_access_block_grid(int g_a, int64_t *block_at, MA_AccessIndex *x, Integer *ld);
void cwi_gaf_release_block_grid(int g_a, const int64_t *block_at);
void cwi_gaf_access_block_segment(int g_a, int process, MA_AccessIndex *x, Integer *count);
void cwi_gaf_access_ghosts(int g_a, Integer *dims, MA_AccessIndex *x, Integer *ld);
void cwi_gaf_access_ghost_element(int g_a, MA_AccessIndex *x, int64_t *sub, Integer *ld);

/* Compute eigenvectors, which are stored as columns. cwi_gaf_eigen returns their number.
 * cwi_gaf_eigen_general solves the generalized problem with g_s, and reads only the lower triangles
 * of both matrices. */
Integer cwi_gaf_eigen(int g_a, int g_v, void *eval);
void cwi_gaf_eigen_general(int g_a, int g_s, int g_v, void *eval);

/* Operations on triangles and factors. `uplo` is the triangle in Fortran's order. Results of type
 * Integer are those of LAPACK's info. */
Integer cwi_gaf_cholesky(char uplo, int g_a);
Integer cwi_gaf_factor(char uplo, int g_a, Integer *tag);
Integer cwi_gaf_invert_factor(char uplo, int g_a, const Integer *tag);
void cwi_gaf_solve_factor(char uplo, int g_a, int g_b, const Integer *tag);
void cwi_gaf_mirror_triangle(char uplo, int g_a);
void cwi_gaf_zero_triangle(char uplo, int g_a);

/* Returns the index of a type whose elements can be compared, in the order CW_INT, CW_LONG,
 * CW_FLOAT, CW_DOUBLE, or -1 for other types. */
enum { CWI_GAF_COMPARED = 4 };
static inline int cwi_gaf_compared(cw_type type)
{
  static const cw_type types[CWI_GAF_COMPARED] = {CW_INT, CW_LONG, CW_FLOAT, CW_DOUBLE};
  int which = CWI_GAF_COMPARED - 1;
  while (which >= 0 && types[which] != type)
    which--;
  return which;
}

/* Computes c = a / b, element by element. If b is 0, c is the greatest step. If a is 0, c is 0 or
 * the greatest step: with `rising` it is 0 if b is positive, otherwise it is 0 if b is negative. */
struct cwi_gaf_steps {
  int handles[3];
  const struct cwi_gaf_patch *patches[3];
  bool rising;
};
void cwi_gaf_step_divide(const struct cwi_gaf_steps *given);

/* cwi_gaf_create_bin_range creates an array with the ranges of bins. g_range(1,p) and g_range(2,p)
 * are the first and the last bin with an element on process p - 1. */
int cwi_gaf_create_bin_range(int g_bin, int g_cnt, int g_off);
void cwi_gaf_bin_sorter(int g_bin, int g_cnt, int g_off);
void cwi_gaf_bin_index(int g_bin, int g_cnt, int g_off, void *values, const Integer *subs, int n,
                       int sort);
