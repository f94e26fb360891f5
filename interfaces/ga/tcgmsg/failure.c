/* TCGMSG's call Error, with which a program ends the job. No header declares it. It is alone in its
 * file, because other programs have a function of this name, too. */
#include "ga/tcgmsg/run.h"

void Error(const char *message, long code);

void Error(const char *message, long code)
{
  cwi_tcg_give_up(message != NULL ? message : "", code);
}
