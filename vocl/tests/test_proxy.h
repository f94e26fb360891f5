/* A stand-in for the proxy of a machine, for tests of one program: a process that opens the socket
 * of a service, lists this machine's devices, and serves each session in a thread. */
#pragma once

#include <sys/types.h>

/* Starts the stand-in with the vendors of CW_VOCL_VENDORS, and makes this process use only its
 * devices. The stand-in ends with this process. Ends the program if it cannot be started. */
void vocl_double_start(void);

/* Process id of the stand-in. */
extern pid_t vocl_double;
