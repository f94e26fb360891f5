/* The counters of CW_STATS. */
#include "base/operation_counts.h"

struct cwi_statistics cwi_statistics;
