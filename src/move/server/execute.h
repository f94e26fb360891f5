/* Executing requests on the memory of my node. */
#ifndef CWI_SERVER_EXECUTE_H
#define CWI_SERVER_EXECUTE_H

#include "link/wire.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void cwi_execute_parcel(const struct cwi_parcel *parcel, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
