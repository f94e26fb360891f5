/* What libraries that start Causeway ask of its start: runtime.c. */
#ifndef CWI_RUNTIME_RUNTIME_H
#define CWI_RUNTIME_RUNTIME_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Will the next cw_finalize stop Causeway? Not where others have called cw_init, too. */
bool cwi_stops_next(void);

#ifdef __cplusplus
}
#endif
#endif
