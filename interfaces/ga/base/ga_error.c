/* Errors of GA calls: a message, and the end of the job. */
#include "ga/base/binding.h"

#include "base/single_runtime.h"
#include "collective_call/collective_check.h"
#include "ga/arguments/integer_size.h"
#include "ga/base/handle.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

struct cwi_ga cwi_ga;

/* Pairs of a term in native error messages and the term of GA that replaces it. */
static const char *const phrases[][2] = {
    {"Causeway is not running: call cw_init (or ARMCI_Init) first",
     "GA is not running: call GA_Initialize first"},
    {"the members of the team free different regions at the same time",
     "the members pass addresses of different GA_Getmem calls as ptr"},
    {"the team has", "the group has"},
    {"members of the team pass different objects", "members of the group pass different objects"},
    {"an array of layout CW_ROUND_ROBIN", "an array of GA_Set_block_cyclic"},
    {"an array of layout CW_CYCLIC", "an array of GA_Set_block_cyclic_proc_grid"},
    {"an array of layout CW_TILED", "an array of GA_Set_tiled_proc_grid"},
    {"CW_INT", "C_INT"},
    {"CW_LONG", "C_LONG"},
    {"CW_INT32", "C_INT"},
    {"CW_INT64", "C_LONG"},
    {"CW_LONG_LONG", "C_LONGLONG"},
    {"CW_FLOAT", "C_FLOAT"},
    {"CW_DOUBLE", "C_DBL"},
    {"CW_FLOAT_COMPLEX", "C_SCPL"},
    {"CW_DOUBLE_COMPLEX", "C_DCPL"},
    {"are CW_OPAQUE", "are of a registered type"},
    {"CW_OPAQUE", "a registered type"},
    {"CW_LOGICAL_AND", "\"&&\""},
    {"CW_LOGICAL_OR", "\"||\""},
    {"CW_BIT_AND", "\"&\""},
    {"CW_BIT_OR", "\"|\""},
    {"lo of g_a", "alo"},
    {"hi of g_a", "ahi"},
    {"lo of g_b", "blo"},
    {"hi of g_b", "bhi"},
    {"lo of g_c", "clo"},
    {"hi of g_c", "chi"},
    {"lo of g_m", "mlo"},
    {"hi of g_m", "mhi"},
    {"transposed of g_a", "trans"},
    {"CW_NOT_TRANSPOSED", "'n'"},
    {"CW_TRANSPOSED", "'t'"},
    {"CW_CONJUGATE_TRANSPOSED", "'c'"},
    {NULL, NULL}};

static const struct cwi_binding_terms terms = {
    phrases, "array is g_a, vector is g_v, a is g_a, b is g_b, c is g_c, from is g_a, to is g_b, "
             "mask is g_sbit, buffer is buf, scale is alpha"};

int cwi_ga_fail(const char *call, cw_error error)
{
  char name[64], text[1024];
  const bool fortran = cwi_ga_fortran.call != NULL;
  if (fortran && cwi_ga_fortran.doubted)
    error = cwi_integer_remark(error);
  snprintf(name, sizeof name, "%.*s", (int)cwi_waiting_known(call), call);
  (void)cwi_failed_in_binding(fortran ? cwi_ga_fortran.call : name, &terms, error);
  if (fortran)
    cwi_ga_fortran_message(cw_error_message(), text, sizeof text);
  cw_abort(fortran ? text : cw_error_message(), 1);
  return 1;
}

cw_error cwi_ga_running(void)
{
  return CWI_LIKELY(cwi_ga.runs)
             ? CW_OK
             : cwi_single_runtime_required("GA is not running: call GA_Initialize first");
}

cw_error cwi_ga_agreed(cw_team team, const struct cwi_argument *list)
{
  struct cwi_waiting outer;
  const cw_error error = cwi_collective_begin(cwi_waiting.call, team, list, &outer);
  cwi_collective_end(&outer);
  return error;
}

cw_error cwi_ga_narrow(const char *what, size_t count, const int64_t *from, int *to)
{
  for (size_t i = 0; i < count; i++) {
    if (from[i] < INT_MIN || from[i] > INT_MAX)
      return cwi_misuse(
          "%s[%zu] is %lld, more than an int holds: use the call whose name ends with 64", what, i,
          (long long)from[i]);
    to[i] = (int)from[i];
  }
  return CW_OK;
}

/* Ends the job. As in GA, the code 0 becomes -1, because a job that ends in this way has failed.
 * The same applies to codes whose low 8 bits are 0, because the system keeps only these bits. */
void GA_Error(char *message, int code)
{
  char line[512];
  snprintf(line, sizeof line, "%s (GA_Error, code %d)", message != NULL ? message : "", code);
  cw_abort(line, (code & 0xff) != 0 ? code : -1);
}

CWI_GA_NGA(Error);
