/* Calls TCGMSG's error function on one process while the others wait for it in a barrier: the job
 * ends with its status. "tcgmsg": before Global Arrays has started; "ga": afterwards. */
#include <ga.h>
#include <macdecls.h>
#include <mpi.h>
#include <tcgmsg.h>

#include <stdio.h>
#include <string.h>

enum { STACK = 10000, CODE = 5 };

int main(int argc, char **argv)
{
  static char message[] = "TCGMSG gives up";
  tcg_pbegin(argc, argv);
  if (argc > 1 && strcmp(argv[1], "ga") == 0) {
    GA_Initialize();
    MA_init(MT_DBL, STACK, STACK);
  }
  if (tcg_nodeid() == 1)
    tcg_error(message, CODE);
  tcg_synch(1);
  printf("nothing happened\n");
  return 0;
}
