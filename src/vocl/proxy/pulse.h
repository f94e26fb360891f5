/* Whether the proxies with which sessions are shared, or for which the end of the service waits,
 * can still be reached. */
#ifndef CWI_PROXY_PULSE_H
#define CWI_PROXY_PULSE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A service of one proxy needs none. False: no memory, or no thread. */
bool cwi_pulse_start(void);
void cwi_pulse_stop(void);

/* Once in each turn of the proxy's thread. Asks those that have been silent. */
void cwi_pulse_turn(void);
/* A mail has come from that proxy. */
void cwi_pulse_hear(int process);
/* The service is stopped: from now on those are needed that have not said that they stop. */
void cwi_pulse_begin_stop(void);
/* That proxy has said it. */
void cwi_pulse_hear_stop(int process);

#ifdef __cplusplus
}
#endif
#endif
