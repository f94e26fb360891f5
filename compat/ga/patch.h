/* What calls on patches share: the patch as an operand, and its checks. */
#ifndef CWI_GA_PATCH_H
#define CWI_GA_PATCH_H

#include "binding.h"

#include "array/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* To GA a patch has at least one element. Errors: CW_MISUSE (hi less than lo, NULL). */
CWI_CHECKED cw_error cwi_ga_check_order(cw_array array, const int64_t *lo, const int64_t *hi);

/* An array that GA_Set_block_cyclic or one of its kind has cut: local.c. Errors: CW_MISUSE. */
CWI_CHECKED cw_error cwi_ga_cyclic(int g_a, cw_array *array);

/* The operation that a handle of the program names; empty if it names none. */
cw_handle cwi_ga_ticket(const ga_nbhdl_t *handle);

#ifdef __cplusplus
}
#endif
#endif
