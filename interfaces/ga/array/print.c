/* Prints arrays. As in GA's own output, indices count from 1 and dimensions are in Fortran's order,
 * which is the reverse of C's order. So a row in the C program is a column of the output. */
#include "ga/array/patch.h"
#include "ga/base/binding.h"
#include "team/agreement.h"

#include "array/array_arguments.h"
#include "array/array_walk.h"
#include "number/scalar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How elements of a type are printed: the name of the type, and the table columns. */
struct element_format {
  const char *name, *long_name; /* names in GA_Print_distribution and in GA_Summarize */
  int before, field, dashes;    /* heading: blanks before the first column, width of a number,
                                   length of the line below */
  int columns;                  /* number of columns side by side */
};

static const struct element_format element_formats[CW_TYPES] = {
    [CW_INT] = {"integer", "integer", 5, 7, 8, 6},
    [CW_LONG] = {"long", "long", 5, 7, 8, 6},
    [CW_LONG_LONG] = {"long long", "long long", 5, 7, 8, 6},
    [CW_FLOAT] = {"float", "float", 5, 7, 8, 6},
    [CW_DOUBLE] = {"double", "double precision", 3, 10, 11, 6},
    [CW_FLOAT_COMPLEX] = {"float (single) complex", "float (single) complex", 0, 22, 23, 3},
    [CW_DOUBLE_COMPLEX] = {"double complex", "double complex", 0, 22, 23, 6},
};

static const char *type_name(cw_array array, bool summary)
{
  if (array->type == CW_OPAQUE)
    return "bytes";
  return summary ? element_formats[array->type].long_name : element_formats[array->type].name;
}

static void print_real(FILE *out, bool table, double value)
{
  fprintf(out, table ? " %11.5f" : "%f", value);
}

static void print_complex(FILE *out, bool table, double real, double imaginary)
{
  fprintf(out, table ? " %11.5f,%11.5f" : "(%f,%f)", real, imaginary);
}

static void print_integer(FILE *out, bool table, long long value)
{
  fprintf(out, table ? " %8lld" : "%lld", value);
}

/* Prints the element at `at`. */
static void print_element(FILE *out, cw_type type, bool table, const void *at)
{
  const struct cwi_value value = cwi_value_read(type, at);
  if (cwi_type_is_whole(type))
    print_integer(out, table, value.whole);
  else if (cwi_type_is_real(type))
    print_real(out, table, value.real[0]);
  else if (cwi_type_is_complex(type))
    print_complex(out, table, value.real[0], value.real[1]);
}

/* The state of printing a patch. */
struct page {
  FILE *out;
  cw_array array;
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS]; /* the part that is in the buffer */
  char *buffer;                                         /* dense */
};

/* Allocates a buffer for `columns` columns. A column has the indices of the last dimension. */
static cw_error page_begin(struct page *page, int64_t columns)
{
  const int last = page->array->dimensions - 1;
  const size_t rows = (size_t)(page->hi[last] - page->lo[last] + 1);
  page->buffer = malloc(rows * (size_t)columns * page->array->element);
  return page->buffer != NULL ? CW_OK : cwi_outside("no memory for %zu rows of a table", rows);
}

static cw_error page_fetch(struct page *page)
{
  return cw_array_get(page->array, page->lo, page->hi, page->buffer, NULL);
}

/* Prints the bounds of a patch in reverse order: "1:7,1:3". */
static void print_bounds(FILE *out, int ndim, const int64_t *lo, const int64_t *hi)
{
  for (int d = ndim - 1; d >= 0; d--)
    fprintf(out, "%lld:%lld%s", (long long)lo[d] + 1, (long long)hi[d] + 1, d > 0 ? "," : "");
}

/* Prints some columns of a table, from the buffer. */
static void print_columns(const struct page *page)
{
  const int last = page->array->dimensions - 1;
  const struct element_format *element_format = &element_formats[page->array->type];
  const int64_t rows = page->hi[last] - page->lo[last] + 1;
  const int64_t columns = page->hi[last - 1] - page->lo[last - 1] + 1;
  fprintf(page->out, "\n%*s", element_format->before, "");
  for (int64_t j = 0; j < columns; j++)
    fprintf(page->out, "%*lld  ", element_format->field, (long long)(page->lo[last - 1] + j + 1));
  fputs("\n      ", page->out);
  for (int64_t j = 0; j < columns; j++)
    fprintf(page->out, " %.*s", element_format->dashes, "-----------------------");
  fputs("\n", page->out);
  for (int64_t i = 0; i < rows; i++) {
    fprintf(page->out, "%4lld  ", (long long)(page->lo[last] + i + 1));
    for (int64_t j = 0; j < columns; j++)
      print_element(page->out, page->array->type, true,
                    page->buffer + (size_t)(j * rows + i) * page->array->element);
    fputs("\n", page->out);
  }
}

/* Prints the last two dimensions as a matrix. The indices of the other dimensions are in
 * page->lo. */
static cw_error print_table(struct page *page, const int64_t *lo, const int64_t *hi)
{
  const int across = page->array->dimensions - 2;
  const int64_t columns = element_formats[page->array->type].columns;
  for (int64_t first = lo[across]; first <= hi[across]; first += columns) {
    page->lo[across] = first;
    page->hi[across] = hi[across] - first < columns ? hi[across] : first + columns - 1;
    CWI_TRY(page_fetch(page));
    print_columns(page);
  }
  return CW_OK;
}

static cw_error print_column(struct page *page)
{
  CWI_TRY(page_fetch(page));
  for (int64_t i = 0; i <= page->hi[0] - page->lo[0]; i++) {
    fprintf(page->out, "%4lld  ", (long long)(page->lo[0] + i + 1));
    print_element(page->out, page->array->type, true,
                  page->buffer + (size_t)i * page->array->element);
    fputs("\n", page->out);
  }
  return CW_OK;
}

/* Prints one element per line. */
static cw_error print_lines(struct page *page)
{
  const int last = page->array->dimensions - 1;
  CWI_TRY(page_fetch(page));
  for (int64_t i = page->lo[last]; i <= page->hi[last]; i++) {
    fprintf(page->out, "%s(%lld", page->array->name, (long long)i + 1);
    for (int d = last - 1; d >= 0; d--)
      fprintf(page->out, ",%lld", (long long)page->lo[d] + 1);
    fputs(") = ", page->out);
    print_element(page->out, page->array->type, false,
                  page->buffer + (size_t)(i - page->lo[last]) * page->array->element);
    fputs("\n", page->out);
  }
  return CW_OK;
}

static cw_error print_slices(struct page *page, const int64_t *lo, const int64_t *hi, bool pretty)
{
  const int ndim = page->array->dimensions;
  const int outer = pretty ? ndim - 2 : ndim - 1;
  do {
    for (int d = 0; d < outer; d++)
      page->hi[d] = page->lo[d];
    if (!pretty) {
      CWI_TRY(print_lines(page));
      continue;
    }
    if (ndim > 2) {
      fprintf(page->out, "\n -- patch: %s[", page->array->name);
      for (int d = ndim - 1; d >= ndim - 2; d--)
        fprintf(page->out, "%lld:%lld,", (long long)lo[d] + 1, (long long)hi[d] + 1);
      for (int d = outer - 1; d >= 0; d--)
        fprintf(page->out, "%lld%s", (long long)page->lo[d] + 1, d > 0 ? "," : "]\n");
    }
    CWI_TRY(print_table(page, lo, hi));
  } while (cwi_index_next(outer, lo, hi, page->lo));
  return CW_OK;
}

static cw_error print_all(FILE *out, int g_a, cw_array array, const int64_t *lo, const int64_t *hi,
                          bool pretty)
{
  struct page page = {.out = out, .array = array};
  const size_t bytes = (size_t)array->dimensions * sizeof *lo;
  fprintf(out, "\n global array: %s[", array->name);
  print_bounds(out, array->dimensions, lo, hi);
  fprintf(out, "],  handle: %d \n", g_a);
  if (cwi_patch_empty(array->dimensions, lo, hi))
    return CW_OK;
  memcpy(page.lo, lo, bytes);
  memcpy(page.hi, hi, bytes);
  CWI_TRY(page_begin(&page, pretty ? element_formats[array->type].columns : 1));
  const cw_error error =
      array->dimensions == 1 && pretty ? print_column(&page) : print_slices(&page, lo, hi, pretty);
  free(page.buffer);
  fflush(out);
  return error;
}

/* Prints a patch to `out` on process 0 of the array's group. The other processes do not use
 * `out`. */
static cw_error print_patch(FILE *out, int g_a, const int64_t *lo, const int64_t *hi, bool pretty)
{
  cw_operand a;
  CWI_TRY(cwi_check_not_null("lo", lo));
  CWI_TRY(cwi_check_not_null("hi", hi));
  CWI_TRY(cwi_ga_array("g_a", g_a, &a.array));
  if (!cwi_patch_empty(a.array->dimensions, lo, hi))
    CWI_TRY(cwi_ga_operand(CWI_GA_ONE_PATCH, &a));
  if (a.array->type == CW_OPAQUE)
    return cwi_misuse("g_a is %d, array '%s', whose elements are not numbers", g_a, a.array->name);
  const struct cwi_argument agreed[] = {
      cwi_agreed_array("g_a", a.array), cwi_agreed_corner("lo", NULL, a.array, lo),
      cwi_agreed_corner("hi", NULL, a.array, hi), CWI_ARGUMENTS_END};
  CWI_TRY(cwi_ga_agreed(a.array->team, agreed));
  CWI_TRY(cw_wait_all());
  CWI_TRY(cw_array_sync(a.array));
  cw_error error = CW_OK;
  if (a.array->team->rank == 0) {
    error = cwi_check_not_null("file", out);
    if (lo == NULL || hi == NULL) /* never true, but an analyzer does not see that cwi_ga_operand
                                     checks this */
      __builtin_unreachable();
    if (error == CW_OK)
      error = print_all(out, g_a, a.array, lo, hi, pretty);
  }
  return cwi_team_agree(a.array->team, error);
}

void NGA_Print_patch64(int g_a, int64_t lo[], int64_t hi[], int pretty)
{
  (void)CWI_GA_WAITS(print_patch(stdout, g_a, lo, hi, pretty != 0));
}

CWI_GA_INT(void, NGA_Print_patch, cwi_ga_ndim(g_a), (int g_a, int lo[], int hi[], int pretty),
           (g_a, CWI_WIDE(lo), CWI_WIDE(hi), pretty))

static cw_error print_matrix_patch(int g_a, const int64_t lo[2], const int64_t hi[2], bool pretty)
{
  cw_array array = NULL;
  CWI_TRY(cwi_ga_array("g_a", g_a, &array));
  if (array->dimensions != 2)
    return cwi_misuse("g_a is array '%s' of %d dimensions; this call takes a matrix", array->name,
                      array->dimensions);
  return print_patch(stdout, g_a, lo, hi, pretty);
}

void GA_Print_patch(int g_a, int ilo, int ihi, int jlo, int jhi, int pretty)
{
  (void)CWI_GA_WAITS(
      print_matrix_patch(g_a, (int64_t[]){ilo, jlo}, (int64_t[]){ihi, jhi}, pretty != 0));
}

static cw_error print_array(FILE *out, int g_a)
{
  cw_array array = NULL;
  int64_t lo[CW_MAX_DIMENSIONS] = {0}, hi[CW_MAX_DIMENSIONS];
  CWI_TRY(cwi_ga_array("g_a", g_a, &array));
  for (int d = 0; d < array->dimensions; d++)
    hi[d] = array->axes[d].extent - 1;
  return print_patch(out, g_a, lo, hi, true);
}

void GA_Print(int g_a)
{
  (void)CWI_GA_WAITS(print_array(stdout, g_a));
}

void GA_Print_file(FILE *file, int g_a)
{
  (void)CWI_GA_WAITS(print_array(file, g_a));
}

/* --- Distribution: in the program's order of dimensions, which Fortran reverses --- */

static bool in_fortran(void)
{
  return cwi_ga_fortran.call != NULL;
}

/* Returns the number in C of the program's dimension d. */
static int dimension_of(cw_array array, int d)
{
  return in_fortran() ? array->dimensions - 1 - d : d;
}

static void print_owner(cw_array array, int rank, const int64_t *lo, const int64_t *hi)
{
  printf("Process=%d\t owns array section: ", rank);
  for (int d = 0; d < array->dimensions; d++) {
    const int at = dimension_of(array, d);
    printf("%s%lld:%lld", d == 0 ? "[" : ",", (long long)lo[at] + in_fortran(),
           (long long)hi[at] + in_fortran());
  }
  printf("] \n");
}

/* Prints a line for each process or, for block-cyclic arrays, for each block. */
static cw_error print_owners(int g_a)
{
  cw_array array = NULL;
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  CWI_TRY(cwi_ga_array_seen("g_a", g_a, &array));
  const bool cyclic = array->layout != CW_BLOCKS;
  const int64_t count = cyclic ? array->total_blocks : array->team->size;
  for (int64_t i = 0; i < count; i++) {
    int rank = (int)i;
    if (cyclic)
      CWI_TRY(cw_array_block(array, i, lo, hi, &rank));
    else
      NGA_Distribution64(g_a, rank, lo, hi);
    print_owner(array, rank, lo, hi);
  }
  return CW_OK;
}

static cw_error print_distribution(int g_a)
{
  cw_array array = NULL;
  CWI_TRY(cwi_ga_array("g_a", g_a, &array));
  CWI_TRY(cw_array_sync(array));
  if (array->team->rank == 0) {
    printf("Array Handle=%d Name:'%s' Data Type:%s\nArray Dimensions:", g_a, array->name,
           type_name(array, false));
    for (int d = 0; d < array->dimensions; d++)
      printf("%lld%s", (long long)array->axes[dimension_of(array, d)].extent,
             d + 1 < array->dimensions ? "x" : "\n");
    CWI_TRY(print_owners(g_a));
    fflush(stdout);
  }
  return cw_array_sync(array);
}

void GA_Print_distribution(int g_a)
{
  (void)CWI_GA_WAITS(print_distribution(g_a));
}

/* --- Summaries --- */

/* Prints the blocks of an array and their owners. `array` has the distribution that the program
 * sees. As in GA, the dimensions are reversed. */
static cw_error summarize_blocks(cw_array array)
{
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  for (int64_t block = 0; block < array->total_blocks; block++) {
    int rank = 0;
    CWI_TRY(cw_array_block(array, block, lo, hi, &rank));
    printf("    (");
    print_bounds(stdout, array->dimensions, lo, hi);
    printf(") -> %d \n", rank);
  }
  return CW_OK;
}

static cw_error summarize(bool verbose)
{
  CWI_TRY(cwi_ga_running());
  printf(" Summary of allocated global arrays\n-----------------------------------\n");
  for (int slot = 0; slot < CWI_GA_HANDLES; slot++) {
    const struct cwi_ga_array *entry = cwi_ga.arrays[slot];
    if (entry == NULL || entry->array == NULL)
      continue;
    printf("  array %d => %s %s(", slot, type_name(entry->array, true), entry->name);
    for (int d = entry->ndim - 1; d >= 0; d--)
      printf("%lld%s", (long long)entry->dims[d], d > 0 ? "," : "");
    printf("),  handle: %d \n", slot + CWI_GA_FIRST);
    if (verbose)
      CWI_TRY(summarize_blocks(entry->nominal != NULL ? entry->nominal : entry->array));
  }
  printf("\n\n");
  fflush(stdout);
  return CW_OK;
}

void GA_Summarize(int verbose)
{
  (void)CWI_GA(summarize(verbose != 0));
}

/* Prints the number of arrays and the memory in use. Unlike GA, this prints no numbers of calls:
 * CW_STATS=1 counts transfers. */
static cw_error print_statistics(void)
{
  int arrays = 0;
  CWI_TRY(cwi_ga_running());
  for (int slot = 0; slot < CWI_GA_HANDLES; slot++)
    arrays += cwi_ga.arrays[slot] != NULL;
  printf("GA on process %d: %d arrays, %zu bytes on this process (transfers are counted with "
         "CW_STATS=1)\n",
         cw_process(), arrays, GA_Inquire_memory());
  fflush(stdout);
  return CW_OK;
}

void GA_Print_stats(void)
{
  (void)CWI_GA(print_statistics());
}
