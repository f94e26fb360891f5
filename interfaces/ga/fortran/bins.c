/* Puts values into bins. Bin b has g_cnt(b) elements of g_bin; the first g_off(b) elements of g_bin
 * come before it. */
#include "ga/fortran/convert.h"

#include "ga/array/patch.h"

static cw_error open_bins(const int handles[3], cw_array arrays[3])
{
  static const char *const names[] = {"g_bin", "g_cnt", "g_off"};
  for (int i = 0; i < 3; i++) {
    CWI_TRY(cwi_ga_array(names[i], handles[i], &arrays[i]));
    if (arrays[i]->dimensions != 1)
      return cwi_misuse("%s is array '%s' of %d dimensions; arrays of bins have one dimension",
                        names[i], arrays[i]->name, arrays[i]->dimensions);
    if (i > 0)
      CWI_TRY(cwi_ga_check_type(names[i], handles[i],
                                sizeof(Integer) == sizeof(int) ? C_INT : C_LONG, "MT_INT"));
  }
  return cw_wait_all();
}

/* Stores the index of the first element of each bin from lo to hi, and its number of elements. */
static cw_error find_bins(cw_array const arrays[3], int64_t lo, int64_t hi, Integer *firsts,
                          Integer *counts)
{
  const int64_t places = arrays[0]->axes[0].extent;
  CWI_TRY(cw_array_get(arrays[1], &lo, &hi, counts, NULL));
  CWI_TRY(cw_array_get(arrays[2], &lo, &hi, firsts, NULL));
  for (int64_t i = 0; i <= hi - lo; i++)
    if (counts[i] < 0 || firsts[i] < 0 || firsts[i] > places || counts[i] > places - firsts[i])
      return cwi_misuse("bin %lld has %lld elements, after the first %lld of array '%s'; the array "
                        "has only %lld elements",
                        (long long)(lo + i + 1), (long long)counts[i], (long long)firsts[i],
                        arrays[0]->name, (long long)places);
  return CW_OK;
}

static cw_error find_bin(cw_array const arrays[3], int64_t bin, Integer *first, Integer *count)
{
  return find_bins(arrays, bin, bin, first, count);
}

/* --- Sorting --- */

#define ORDER(name, number)                                                                        \
  static int name(const void *a, const void *b)                                                    \
  {                                                                                                \
    const number x = *(const number *)a, y = *(const number *)b;                                   \
    return (x > y) - (x < y);                                                                      \
  }
ORDER(bins_order_int, int)
ORDER(bins_order_long, long)
ORDER(bins_order_float, float)
ORDER(bins_order_double, double)

static cw_error find_order(cw_array bins, int (**order)(const void *, const void *))
{
  static int (*const orders[CWI_GAF_COMPARED])(const void *, const void *) = {
      bins_order_int, bins_order_long, bins_order_float, bins_order_double};
  const int which = cwi_gaf_compared(bins->type);
  if (which < 0)
    return cwi_misuse("g_bin is array '%s', whose elements have no order that this call knows: it "
                      "takes MT_INT, MT_REAL and MT_DBL",
                      bins->name);
  *order = orders[which];
  return CW_OK;
}

static cw_error sort_bin(cw_array const arrays[3], int64_t bin,
                         int (*order)(const void *, const void *))
{
  Integer first = 0, count = 0;
  CWI_TRY(find_bin(arrays, bin, &first, &count));
  if (count < 2)
    return CW_OK;
  void *values = malloc((size_t)count * arrays[0]->element);
  if (values == NULL)
    return cwi_outside("no memory for %lld values of a bin", (long long)count);
  const int64_t lo = first, hi = lo + count - 1;
  cw_error error = cw_array_get(arrays[0], &lo, &hi, values, NULL);
  if (error == CW_OK) {
    qsort(values, (size_t)count, arrays[0]->element, order);
    error = cw_array_put(arrays[0], &lo, &hi, values, NULL);
  }
  free(values);
  return error;
}

/* Sorts all bins. Process r sorts the bins r, r + n, r + 2n, ... */
static cw_error sort_bins(const int handles[3])
{
  cw_array arrays[3];
  int (*order)(const void *, const void *) = NULL;
  CWI_TRY(open_bins(handles, arrays));
  CWI_TRY(find_order(arrays[0], &order));
  CWI_TRY(cw_array_sync(arrays[0]));
  for (int64_t bin = arrays[0]->team->rank; bin < arrays[1]->axes[0].extent;
       bin += arrays[0]->team->size)
    CWI_TRY(sort_bin(arrays, bin, order));
  return cw_array_sync(arrays[0]);
}

void cwi_gaf_bin_sorter(int g_bin, int g_cnt, int g_off)
{
  (void)CWI_GA_WAITS(sort_bins((int[]){g_bin, g_cnt, g_off}));
}

/* --- Filling --- */

struct values {
  const char *at;
  const Integer *subs;
  int count;
};

/* Puts the next run of values that belong to the same bin. This takes one increment of the bin's
 * number of used elements, and one put. */
static cw_error put_run(cw_array const arrays[3], cw_array taken, struct values *values)
{
  const int64_t bin = cwi_gaf_from_one(values->subs[0]);
  Integer first = 0, count = 0;
  int64_t before = 0;
  int run = 1;
  if (bin < 0 || bin >= arrays[1]->axes[0].extent)
    return cwi_misuse("an element of subs is %lld; there are bins 1 to %lld", (long long)bin + 1,
                      (long long)arrays[1]->axes[0].extent);
  while (run < values->count && values->subs[run] == values->subs[0])
    run++;
  CWI_TRY(find_bin(arrays, bin, &first, &count));
  CWI_TRY(cw_array_read_increment(taken, &bin, run, &before));
  if (before + run > count)
    return cwi_misuse(
        "bin %lld has space for %lld values; the calls put at least %lld values into it",
        (long long)bin + 1, (long long)count, (long long)before + run);
  const int64_t lo = first + before, hi = lo + run - 1;
  CWI_TRY(cw_array_put(arrays[0], &lo, &hi, values->at, NULL));
  values->at += (size_t)run * arrays[0]->element;
  values->subs += run;
  values->count -= run;
  return CW_OK;
}

static cw_error fill_bins(const int handles[3], struct values values)
{
  static const Integer zero;
  cw_array arrays[3], taken = NULL;
  struct cwi_first_error first;
  CWI_TRY(open_bins(handles, arrays));
  CWI_TRY(cw_array_duplicate(arrays[1], NULL, &taken));
  cwi_first_begin(&first, cw_array_fill(taken, NULL, NULL, &zero));
  while (values.count > 0 && first.error == CW_OK)
    cwi_first_note(&first, put_run(arrays, taken, &values));
  if (first.error == CW_OK)
    cwi_first_note(&first, cw_array_sync(arrays[0]));
  if (first.error == CW_OK)
    cwi_first_note(&first, cw_array_destroy(&taken));
  return cwi_first_return(&first);
}

void cwi_gaf_bin_index(int g_bin, int g_cnt, int g_off, void *values, const Integer *subs, int n,
                       int sort)
{
  const int handles[] = {g_bin, g_cnt, g_off};
  (void)CWI_GA_WAITS(fill_bins(handles, (struct values){values, subs, n}));
  if (sort)
    (void)CWI_GA_WAITS(sort_bins(handles));
}

/* --- The bins of each process --- */

/* Sets *has to true if this process has an element from lo to hi. round_robin is set if the array
 * is not in CW_BLOCKS, so that a process may have several blocks. */
static cw_error has_place(cw_array bins, bool round_robin, int64_t lo, int64_t hi, bool *has)
{
  const int rank = bins->team->rank;
  cw_piece *pieces = NULL;
  size_t count = 0;
  *has = false;
  if (!round_robin) {
    int64_t first = 0, last = 0;
    CWI_TRY(cw_array_part(bins, rank, &first, &last));
    *has = lo <= last && hi >= first;
    return CW_OK;
  }
  CWI_TRY(cwi_list_pieces(bins, &lo, &hi, &pieces, &count));
  for (size_t i = 0; i < count && !*has; i++)
    *has = pieces[i].rank == rank;
  free(pieces);
  return CW_OK;
}

/* Finds the first and the last bin with an element on this process. Bins count from 1; both results
 * are 0 if there is no such bin. */
static cw_error find_range(cw_array const arrays[3], bool round_robin, Integer range[2])
{
  enum { AT_ONCE = 256 };
  Integer firsts[AT_ONCE], counts[AT_ONCE];
  const int64_t bins = arrays[1]->axes[0].extent;
  for (int64_t from = 0; from < bins; from += AT_ONCE) {
    const int64_t to = from + AT_ONCE < bins ? from + AT_ONCE : bins;
    CWI_TRY(find_bins(arrays, from, to - 1, firsts, counts));
    for (int64_t bin = from; bin < to; bin++) {
      const int64_t first = firsts[bin - from], count = counts[bin - from];
      bool has = false;
      if (count > 0)
        CWI_TRY(has_place(arrays[0], round_robin, first, first + count - 1, &has));
      if (!has)
        continue;
      CWI_TRY(cwi_fortran_error("the number of a bin", bin + 1, &range[1]));
      if (range[0] == 0)
        range[0] = range[1];
    }
  }
  return CW_OK;
}

/* Writes this process's row of g_range, which is a column in Fortran. */
static cw_error write_range(cw_array const arrays[3], int g_bin, int g_range)
{
  cw_array ranges = NULL, seen = NULL;
  Integer range[2] = {0, 0};
  const int64_t rank = arrays[0]->team->rank, lo[] = {rank, 0}, hi[] = {rank, 1}, width = 2;
  CWI_TRY(cwi_ga_array("g_range", g_range, &ranges));
  CWI_TRY(cwi_ga_array_seen("g_bin", g_bin, &seen));
  CWI_TRY(cw_array_sync(arrays[0]));
  CWI_TRY(find_range(arrays, seen->layout != CW_BLOCKS, range));
  CWI_TRY(cw_array_put(ranges, lo, hi, range, &width));
  return cw_array_sync(ranges);
}

/* Creates g_range. Returns 0 if there is no memory for the array. */
int cwi_gaf_create_bin_range(int g_bin, int g_cnt, int g_off)
{
  cw_array arrays[3] = {NULL};
  char name[] = "bin range";
  if (CWI_GA(open_bins((int[]){g_bin, g_cnt, g_off}, arrays)) != 0)
    return 0;
  const int g_range = NGA_Create_config64(MT_F_INT, 2, (int64_t[]){arrays[0]->team->size, 2}, name,
                                          (int64_t[]){1, 2}, GA_Get_pgroup(g_bin));
  if (g_range != 0)
    (void)CWI_GA_WAITS(write_range(arrays, g_bin, g_range));
  return g_range;
}
