/* TCGMSG's errors: a message in its terms, and the end of the job. */
#include "ga/tcgmsg/run.h"

#include "base/reword.h"
#include "base/single_runtime.h"

#include "tcgmsg.h"

#include <stdio.h>
#include <stdlib.h>

static bool tcg_runs, traced;

/* Pairs of a term in native error messages and the term of TCGMSG that replaces it. */
static const char *const phrases[][2] = {
    {"Causeway is not running: call cw_init (or ARMCI_Init) first",
     "TCGMSG is not running: call pbeginf first"},
    {"CW_LONG", "integers"},
    {"CW_INT", "integers"},
    {"CW_DOUBLE", "double precision"},
    {"CW_LOGICAL_AND", "\"&&\""},
    {"CW_LOGICAL_OR", "\"||\""},
    {"CW_BIT_AND", "\"&\""},
    {"CW_BIT_OR", "\"|\""},
    {NULL, NULL}};

static const struct cwi_binding_terms terms = {phrases,
                                               "buffer is buf, count is n, bytes is lenbuf"};

void cwi_tcg_enter(const char *call)
{
  cwi_waiting = (struct cwi_waiting){.call = call};
  if (CWI_UNLIKELY(traced))
    printf("%d: %s\n", cw_process(), call);
}

int cwi_tcg_leave(const char *call, cw_error error)
{
  cwi_waiting_leave();
  if (CWI_LIKELY(error == CW_OK))
    return 0;
  cw_abort((cwi_failed_in_binding(call, &terms, error), cw_error_message()), 1);
  return 1;
}

bool cwi_tcg_runs(void)
{
  return tcg_runs;
}

void cwi_tcg_set_runs(bool on)
{
  tcg_runs = on;
}

cw_error cwi_tcg_running(void)
{
  return CWI_LIKELY(tcg_runs)
             ? CW_OK
             : cwi_single_runtime_required("TCGMSG is not running: call pbeginf first");
}

void cwi_tcg_trace(bool on)
{
  traced = on;
}

/* Ends the job with a message. The system keeps only the low 8 bits of a code. If these are 0, the
 * exit status is 255. */
void cwi_tcg_give_up(const char *message, long code)
{
  char text[512];
  snprintf(text, sizeof text, "%s (code %ld)", message, code);
  cw_abort(text, (code & 0xff) != 0 ? (int)(code & 0xff) : -1);
  abort();
}

/* --- The calls in C --- */

void tcg_error(char *msg, long code)
{
  cwi_tcg_give_up(msg != NULL ? msg : "", code);
}

void tcg_parerr(long code)
{
  cwi_tcg_give_up("the program has called parerr", code);
}

void tcg_setdbg(long value)
{
  cwi_tcg_trace(value != 0);
}

void tcg_stats(void)
{
  (void)CWI_TCG(__func__, cwi_tcg_running());
}
