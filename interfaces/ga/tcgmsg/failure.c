/* TCGMSG's call for programs that end the job, which no header declares. Its name is one that other
 * programs have, too, so that it is alone in its file. */
#include "ga/tcgmsg/run.h"

void Error(const char *message, long code);

void Error(const char *message, long code)
{
  cwi_tcg_give_up(message != NULL ? message : "", code);
}
