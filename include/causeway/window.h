/* Causeway: the name that causeway/view.h had in release 0.1; it may go in release 0.3. */
#ifndef CAUSEWAY_WINDOW_H
#define CAUSEWAY_WINDOW_H

#include <causeway/view.h>

#endif
