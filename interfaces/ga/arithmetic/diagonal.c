/* Diagonals of matrices. */
#include "ga/array/patch.h"
#include "ga/base/binding.h"

static cw_error diagonal(int g_a, cw_diagonal what, int g_v)
{
  cw_array a = NULL, v = NULL;
  CWI_TRY(cwi_ga_array("g_a", g_a, &a));
  CWI_TRY(cwi_ga_array("g_v", g_v, &v));
  return cwi_ga_known_as(cw_array_diagonal(a, what, v, NULL), "array is g_a, vector is g_v");
}

void GA_Get_diag(int g_a, int g_v)
{
  (void)CWI_GA_WAITS(diagonal(g_a, CW_DIAGONAL_GET, g_v));
}

void GA_Set_diagonal(int g_a, int g_v)
{
  (void)CWI_GA_WAITS(diagonal(g_a, CW_DIAGONAL_SET, g_v));
}

void GA_Add_diagonal(int g_a, int g_v)
{
  (void)CWI_GA_WAITS(diagonal(g_a, CW_DIAGONAL_ADD, g_v));
}

static cw_error set_diagonal(int g_a, cw_diagonal what, const void *c)
{
  cw_array a = NULL;
  CWI_TRY(cwi_ga_array("g_a", g_a, &a));
  if (what == CW_DIAGONAL_SHIFT)
    CWI_TRY(cwi_check_not_null("c", c));
  return cwi_ga_known_as(CWI_GA_OWN_VALUES(cw_array_diagonal(a, what, NULL, c)), "value is c");
}

void GA_Shift_diagonal(int g_a, void *c)
{
  (void)CWI_GA_WAITS(set_diagonal(g_a, CW_DIAGONAL_SHIFT, c));
}

void GA_Zero_diagonal(int g_a)
{
  (void)CWI_GA_WAITS(set_diagonal(g_a, CW_DIAGONAL_ZERO, NULL));
}
