/* The counters of CW_STATS. */
#include "base/statistics.h"

struct cwi_statistics cwi_statistics;
