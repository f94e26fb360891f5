/* Starting and stopping the origin's side. */
#ifndef CWI_ROUTE_REMOTE_ROUTES_H
#define CWI_ROUTE_REMOTE_ROUTES_H

#include "route/route.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct cwi_route cwi_route_server;

CWI_CHECKED cw_error cwi_origin_start(void);
CWI_CHECKED cw_error cwi_origin_stop(void);

#ifdef __cplusplus
}
#endif
#endif
