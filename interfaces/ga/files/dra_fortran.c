/* The calls of DRA in Fortran. Messages use the argument names of dra.h. Dimensions and indices are
 * in reverse order, and indices count from 1. */
#include "ga/base/binding.h"
#include "ga/files/disk_array.h"
#include "ga/files/text.h"

#include "chemio.h"

#include <stdio.h>

CWI_FORTRAN(Integer, dra_init_,
            (const Integer *arrays, const DoublePrecision *size, const DoublePrecision *space,
             const DoublePrecision *memory))
{
  (void)size;
  (void)space;
  (void)memory;
  return CWI_GA_WAITS_AS("dra_init", cwi_dra_start(*arrays));
}

CWI_FORTRAN(Integer, dra_terminate_, (void))
{
  return CWI_GA_WAITS_AS("dra_terminate", cwi_dra_stop());
}

/* Names of the extents in the calls for two dimensions, and in the calls for any number of
 * dimensions. */
static const char *const flat_dims[] = {"dim1", "dim2"};
static const char *const dims_of[GA_MAX_DIM] = {"dims(1)", "dims(2)", "dims(3)", "dims(4)",
                                                "dims(5)", "dims(6)", "dims(7)"};

/* --- Creating --- */

/* Arguments of the calls that create an array. Dimensions are in Fortran's order. */
struct creation {
  const Integer *type, *ndim, *dims;
  const char *name, *path;
  size_t name_length, path_length;
  const Integer *mode, *request, *files, *procs; /* NULL for the default */
  const char *const *names;                      /* names of the extents */
};

static struct cwi_ga_index turned(const Integer *from, Integer count, uint64_t minus)
{
  struct cwi_ga_index indices = {{0}};
  for (Integer d = 0; d < count && count <= GA_MAX_DIM; d++)
    indices.at[d] = (int64_t)((uint64_t)from[count - 1 - d] - minus);
  return indices;
}

static Integer dra_create(const char *call, const struct creation *given, Integer *d_a)
{
  const struct cwi_pario_text name = cwi_pario_text_of(given->name, given->name_length),
                              path = cwi_pario_text_of(given->path, given->path_length);
  const struct cwi_ga_index dims = turned(given->dims, *given->ndim, 0),
                            request = turned(given->request, *given->ndim, 0);
  int handle = 0;
  const struct cwi_dra_options call_arguments = {
      .type = cwi_integer_code(call, "type", *given->type),
      .ndim = cwi_fortran_int(*given->ndim),
      .dims = dims.at,
      .request = request.at,
      .name = name.at,
      .path = path.at,
      .mode = *given->mode,
      .files = given->files != NULL ? *given->files : 0,
      .procs = given->procs != NULL ? *given->procs : 0,
      .fortran = given->names,
  };
  const int code = CWI_GA_WAITS_AS(call, cwi_dra_create(&call_arguments, &handle));
  *d_a = handle;
  return code;
}

CWI_FORTRAN(Integer, dra_create_, /* NOLINT(readability-function-size) */
            (const Integer *type, const Integer *dim1, const Integer *dim2, const char *name,
             const char *filename, const Integer *mode, const Integer *reqdim1,
             const Integer *reqdim2, Integer *d_a, size_t name_length, size_t filename_length))
{
  const Integer two = 2, dims[] = {*dim1, *dim2}, request[] = {*reqdim1, *reqdim2};
  const struct creation given = {type, &two,    dims, name, filename, name_length, filename_length,
                                 mode, request, NULL, NULL, flat_dims};
  return dra_create("dra_create", &given, d_a);
}

CWI_FORTRAN(Integer, ndra_create_,
            (const Integer *type, const Integer *ndim, const Integer *dims, const char *name,
             const char *filename, const Integer *mode, const Integer *reqdims, Integer *d_a,
             size_t name_length, size_t filename_length))
{
  const struct creation given = {type, ndim,    dims, name, filename, name_length, filename_length,
                                 mode, reqdims, NULL, NULL, dims_of};
  return dra_create("ndra_create", &given, d_a);
}

CWI_FORTRAN(Integer, ndra_create_config_, /* NOLINT(readability-function-size) */
            (const Integer *type, const Integer *ndim, const Integer *dims, const char *name,
             const char *filename, const Integer *mode, const Integer *reqdims,
             const Integer *numfiles, const Integer *numioprocs, Integer *d_a, size_t name_length,
             size_t filename_length))
{
  const struct creation given = {
      type, ndim,    dims,     name,       filename, name_length, filename_length,
      mode, reqdims, numfiles, numioprocs, dims_of};
  return dra_create("ndra_create_config", &given, d_a);
}

/* --- Opening, closing, inquiries --- */

CWI_FORTRAN(Integer, dra_open_,
            (const char *filename, const Integer *mode, Integer *d_a, size_t length))
{
  int handle = 0;
  bool found = false;
  (void)CWI_GA_WAITS_AS("dra_open",
                        cwi_dra_open_or_report("dra_open", cwi_pario_text_of(filename, length).at,
                                               *mode, &handle, &found));
  *d_a = handle;
  return found ? 0 : -1;
}

CWI_FORTRAN(Integer, dra_close_, (Integer * d_a))
{
  const int code = CWI_GA_WAITS_AS("dra_close", cwi_dra_close(*d_a, false));
  *d_a = 0;
  return code;
}

CWI_FORTRAN(Integer, dra_delete_, (Integer * d_a))
{
  const int code = CWI_GA_WAITS_AS("dra_delete", cwi_dra_close(*d_a, true));
  *d_a = 0;
  return code;
}

/* Results of an inquiry. `dims` has one entry for each dimension. */
struct dra_results {
  Integer *type, *dims;
  char *name, *filename;
  size_t name_length, filename_length;
};

/* Stores the properties of an array, and its number of dimensions in *found. If ndim is not 0, the
 * array must have ndim dimensions. `names` has the names of the arguments for the extents. */
static cw_error dra_inquire(long d_a, int ndim, const char *const *names,
                            const struct dra_results *results, int *found)
{
  struct cwi_dra *dra = NULL;
  CWI_TRY(cwi_dra_find(d_a, &dra));
  const struct cwi_dra_shape *shape = &dra->shape;
  if (ndim != 0 && shape->ndim != ndim)
    return cwi_misuse("d_a has %d dimensions: call ndra_inquire", shape->ndim);
  for (int d = 0; d < shape->ndim; d++)
    CWI_TRY(cwi_fortran_error(names[d], shape->dims[shape->ndim - 1 - d], &results->dims[d]));
  *results->type = cwi_ga_fortran_code(shape->type);
  *found = shape->ndim;
  cwi_fortran_give(shape->name, results->name, results->name_length);
  cwi_fortran_give(dra->given, results->filename, results->filename_length);
  return CW_OK;
}

CWI_FORTRAN(Integer, dra_inquire_,
            (const Integer *d_a, Integer *type, Integer *dim1, Integer *dim2, char *name,
             char *filename, size_t name_length, size_t filename_length))
{
  Integer dims[2] = {0};
  int ndim = 0;
  const struct dra_results results = {type, dims, name, filename, name_length, filename_length};
  const int code = CWI_GA_WAITS_AS("dra_inquire", dra_inquire(*d_a, 2, flat_dims, &results, &ndim));
  *dim1 = dims[0];
  *dim2 = dims[1];
  return code;
}

CWI_FORTRAN(Integer, ndra_inquire_,
            (const Integer *d_a, Integer *type, Integer *ndim, Integer *dims, char *name,
             char *filename, size_t name_length, size_t filename_length))
{
  int found = 0;
  const struct dra_results results = {type, dims, name, filename, name_length, filename_length};
  const int code = CWI_GA_WAITS_AS("ndra_inquire", dra_inquire(*d_a, 0, dims_of, &results, &found));
  *ndim = found;
  return code;
}

/* --- Moving --- */

#define MOVE(name, writes_)                                                                        \
  CWI_FORTRAN(Integer, name##_, (const Integer *g_a, const Integer *d_a, Integer *request))        \
  {                                                                                                \
    int made = CWI_DRA_NO_REQUEST;                                                                 \
    const struct cwi_dra_move move = {                                                             \
        .writes = writes_, .g_a = cwi_fortran_int(*g_a), .handle = *d_a};                          \
    const int code = CWI_GA_WAITS_AS(#name, cwi_dra_move(&move, &made));                           \
    *request = made;                                                                               \
    return code;                                                                                   \
  }
MOVE(dra_write, true)
MOVE(ndra_write, true)
MOVE(dra_read, false)
MOVE(ndra_read, false)

/* Sections in Fortran's form. */
struct sections {
  bool writes, flat; /* flat: two dimensions, whose bounds are separate arguments */
  const Integer *transp, *g_a, *glo, *ghi, *d_a, *dlo, *dhi;
};

/* Writes the name of a bound, such as "dihi" or "dhi(1)". `array` is the letter g or d, and the
 * dimension d counts from 0. */
static void name_bound(char *name, size_t size, bool flat, char array, int d, const char *end)
{
  if (flat)
    snprintf(name, size, "%c%c%s", array, d == 0 ? 'i' : 'j', end);
  else
    snprintf(name, size, "%c%s(%d)", array, end, d + 1);
}

/* Checks the bounds of a section. Messages use the program's names and indices; the functions that
 * are called later count as in C. `dims` is in C's order. */
static cw_error check_bounds(const struct sections *given, char array, int ndim,
                             const int64_t *dims, const Integer *lo, const Integer *hi)
{
  for (int d = 0; d < ndim; d++) {
    char low[16], high[16];
    const int64_t extent = dims[ndim - 1 - d];
    name_bound(low, sizeof low, given->flat, array, d, "lo");
    name_bound(high, sizeof high, given->flat, array, d, "hi");
    if (hi[d] < lo[d])
      return cwi_misuse("%s is %lld, less than %s, which is %lld: a section has at least one "
                        "element",
                        high, (long long)hi[d], low, (long long)lo[d]);
    if (lo[d] < 1 || hi[d] > extent)
      return cwi_misuse("%s is %lld; dimension %d of %c_a has the elements 1 to %lld",
                        lo[d] < 1 ? low : high, (long long)(lo[d] < 1 ? lo[d] : hi[d]), d + 1,
                        array, (long long)extent);
  }
  return CW_OK;
}

static cw_error check_sections(const struct sections *given, struct cwi_dra **dra)
{
  CWI_TRY(cwi_dra_find(*given->d_a, dra));
  const int g_a = cwi_fortran_int(*given->g_a), disk = (*dra)->shape.ndim;
  cw_array array = NULL;
  CWI_TRY(cwi_ga_array("g_a", g_a, &array));
  if (given->flat && (cwi_ga_ndim(g_a) != 2 || disk != 2))
    return cwi_misuse("g_a has %d dimensions and d_a has %d; this call takes arrays of two: call "
                      "its ndra_ form instead",
                      cwi_ga_ndim(g_a), disk);
  CWI_TRY(
      check_bounds(given, 'g', cwi_ga_ndim(g_a), cwi_ga_entry(g_a)->dims, given->glo, given->ghi));
  return check_bounds(given, 'd', disk, (*dra)->shape.dims, given->dlo, given->dhi);
}

static Integer dra_move(const char *call, const struct sections *given, Integer *request)
{
  struct cwi_dra *dra = NULL;
  int made = CWI_DRA_NO_REQUEST, code = CWI_GA_WAITS_AS(call, check_sections(given, &dra));
  if (code != 0)
    return code;
  const int g_a = cwi_fortran_int(*given->g_a), ndim = cwi_ga_ndim(g_a), disk = dra->shape.ndim;
  const struct cwi_ga_index glo = turned(given->glo, ndim, 1), ghi = turned(given->ghi, ndim, 1),
                            dlo = turned(given->dlo, disk, 1), dhi = turned(given->dhi, disk, 1);
  const struct cwi_dra_move move = {given->writes, *given->transp != 0, g_a,    glo.at,
                                    ghi.at,        *given->d_a,         dlo.at, dhi.at};
  code = CWI_GA_WAITS_AS(call, cwi_dra_move(&move, &made));
  *request = made;
  return code;
}

#define SECTION(name, writes)                                                                      \
  CWI_FORTRAN(Integer, name##_,                                                                    \
              (const Integer *transp, const Integer *g_a, const Integer *gilo,                     \
               const Integer *gihi, const Integer *gjlo, const Integer *gjhi, const Integer *d_a,  \
               const Integer *dilo, const Integer *dihi, const Integer *djlo, const Integer *djhi, \
               Integer *request))                                                                  \
  {                                                                                                \
    const Integer glo[] = {*gilo, *gjlo}, ghi[] = {*gihi, *gjhi}, dlo[] = {*dilo, *djlo},          \
                  dhi[] = {*dihi, *djhi};                                                          \
    const struct sections given = {writes, true, transp, g_a, glo, ghi, d_a, dlo, dhi};            \
    return dra_move(#name, &given, request);                                                       \
  }
SECTION(dra_write_section, true) /* NOLINT(readability-function-size) */
SECTION(dra_read_section, false) /* NOLINT(readability-function-size) */

#define PATCH(name, writes)                                                                        \
  CWI_FORTRAN(Integer, name##_,                                                                    \
              (const Integer *transp, const Integer *g_a, const Integer *glo, const Integer *ghi,  \
               const Integer *d_a, const Integer *dlo, const Integer *dhi, Integer *request))      \
  {                                                                                                \
    return dra_move(                                                                               \
        #name, &(struct sections){writes, false, transp, g_a, glo, ghi, d_a, dlo, dhi}, request);  \
  }
PATCH(ndra_write_section, true)
PATCH(ndra_read_section, false)

CWI_FORTRAN(Integer, dra_wait_, (const Integer *request))
{
  return CWI_GA_WAITS_AS("dra_wait", cwi_dra_wait(*request));
}

CWI_FORTRAN(Integer, dra_probe_, (const Integer *request, Integer *status))
{
  *status = ELIO_DONE;
  return CWI_GA_WAITS_AS("dra_probe", cwi_dra_wait(*request));
}

/* --- Configuration and printing --- */

CWI_FORTRAN(void, dra_set_default_config_, (const Integer *files, const Integer *procs))
{
  cwi_dra_configure(*files, *procs);
}

CWI_FORTRAN(void, dra_print_internals_, (const Integer *d_a))
{
  (void)CWI_GA_WAITS_AS("dra_print_internals", cwi_dra_print(*d_a));
}

/* Calls that do nothing, because there is only one mode, and every operation is complete when its
 * call returns. They ignore their arguments. */
#define NOTHING(name)                                                                              \
  CWI_FORTRAN(void, name, (void)) {}
NOTHING(dra_flick_)
NOTHING(dra_set_debug_)
NOTHING(dra_set_mode_)
