/* A stand-in for the proxy of a machine, for tests of one program: a process that opens the socket
 * of a service, lists this machine's devices, and serves each session in a thread. */
#ifndef TESTS_VOCL_DOUBLE_H
#define TESTS_VOCL_DOUBLE_H

#include <sys/types.h>

/* Start it, over the vendors of CW_VOCL_VENDORS, and set this process to use it alone. It dies with
 * this process. Ends the program if it cannot. */
void vocl_double_start(void);

/* Id of the object. */
extern pid_t vocl_double;

#endif
