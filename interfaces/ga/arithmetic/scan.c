/* Scans, packing and enumeration of arrays of one dimension. */
#include "ga/array/patch.h"
#include "ga/base/binding.h"

#include "arithmetic/operate.h"

static const char words[] = "from is g_a, to is g_b, mask is g_sbit, exclusive is excl";
static const char pack_words[] = "from is g_src, to is g_dest, mask is g_mask";

struct scan {
  cw_array from, to, mask;
};

/* Finds the arrays of a scan. Like GA, reduces lo and hi to elements of the mask. If there are
 * none, hi becomes lo - 1. */
static cw_error open_scan(const char *const names[3], const int handles[3], struct scan *scan,
                          int64_t *lo, int64_t *hi)
{
  CWI_TRY(cwi_ga_array(names[0], handles[0], &scan->from));
  CWI_TRY(cwi_ga_array(names[1], handles[1], &scan->to));
  CWI_TRY(cwi_ga_array(names[2], handles[2], &scan->mask));
  const int64_t last = scan->mask->axes[0].extent - 1;
  *lo = *lo > 0 ? *lo : 0;
  *hi = *hi < last ? *hi : last;
  if (*hi < *lo)
    *lo = 0, *hi = -1;
  return CW_OK;
}

static const char *const scan_names[3] = {"g_a", "g_b", "g_sbit"};
static const char *const pack_names[3] = {"g_src", "g_dest", "g_mask"};

static cw_error scan_copy(const int handles[3], int64_t lo, int64_t hi)
{
  struct scan scan;
  CWI_TRY(open_scan(scan_names, handles, &scan, &lo, &hi));
  return cwi_ga_known_as(cwi_scan_copy_zeros(scan.from, scan.to, scan.mask, lo, hi), words);
}

void GA_Scan_copy64(int g_a, int g_b, int g_sbit, int64_t lo, int64_t hi)
{
  (void)CWI_GA_WAITS(scan_copy((int[]){g_a, g_b, g_sbit}, lo, hi));
}

void GA_Scan_copy(int g_a, int g_b, int g_sbit, int lo, int hi)
{
  GA_Scan_copy64(g_a, g_b, g_sbit, lo, hi);
}

static cw_error scan_add(const int handles[3], int64_t lo, int64_t hi, bool exclusive)
{
  struct scan scan;
  CWI_TRY(open_scan(scan_names, handles, &scan, &lo, &hi));
  return cwi_ga_known_as(cw_array_scan_add(scan.from, scan.to, scan.mask, lo, hi, exclusive),
                         words);
}

void GA_Scan_add64(int g_a, int g_b, int g_sbit, int64_t lo, int64_t hi, int excl)
{
  (void)CWI_GA_WAITS(scan_add((int[]){g_a, g_b, g_sbit}, lo, hi, excl != 0));
}

void GA_Scan_add(int g_a, int g_b, int g_sbit, int lo, int hi, int excl)
{
  GA_Scan_add64(g_a, g_b, g_sbit, lo, hi, excl);
}

static cw_error ga_scan_pack(bool back, const int handles[3], int64_t lo, int64_t hi,
                             int64_t *count)
{
  struct scan scan;
  CWI_TRY(open_scan(pack_names, handles, &scan, &lo, &hi));
  CWI_TRY(cwi_check_not_null("count", count));
  return cwi_ga_known_as(back ? cw_array_unpack(scan.from, scan.to, scan.mask, lo, hi, count)
                              : cw_array_pack(scan.from, scan.to, scan.mask, lo, hi, count),
                         pack_words);
}

void GA_Pack64(int g_src, int g_dest, int g_mask, int64_t lo, int64_t hi, int64_t *count)
{
  (void)CWI_GA_WAITS(ga_scan_pack(false, (int[]){g_src, g_dest, g_mask}, lo, hi, count));
}

void GA_Unpack64(int g_src, int g_dest, int g_mask, int64_t lo, int64_t hi, int64_t *count)
{
  (void)CWI_GA_WAITS(ga_scan_pack(true, (int[]){g_src, g_dest, g_mask}, lo, hi, count));
}

void GA_Pack(int g_src, int g_dest, int g_mask, int lo, int hi, int *count)
{
  int64_t wide = 0;
  GA_Pack64(g_src, g_dest, g_mask, lo, hi, count != NULL ? &wide : NULL);
  (void)CWI_GA(cwi_ga_narrow("count", 1, &wide, count));
}

void GA_Unpack(int g_src, int g_dest, int g_mask, int lo, int hi, int *count)
{
  int64_t wide = 0;
  GA_Unpack64(g_src, g_dest, g_mask, lo, hi, count != NULL ? &wide : NULL);
  (void)CWI_GA(cwi_ga_narrow("count", 1, &wide, count));
}
