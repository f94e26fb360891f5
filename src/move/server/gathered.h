/* What processes of my node have left in packets until their pipe is empty (link/gather.h). */
#ifndef CWI_SERVER_GATHERED_H
#define CWI_SERVER_GATHERED_H

#include "link/wire.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

void cwi_gathered_start(void);
void cwi_gathered_stop(void);

/* A neighbour has given messages back: send what waited for them. False: nothing did. */
bool cwi_gathered_returned(int link, const struct cwi_credit *credit);

#ifdef __cplusplus
}
#endif
#endif
