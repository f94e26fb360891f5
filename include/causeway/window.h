/* Causeway: the name that causeway/view.h had in release 0.1; release 0.3 may remove it. */
#ifndef CAUSEWAY_WINDOW_H
#define CAUSEWAY_WINDOW_H

#include <causeway/view.h>

#endif
