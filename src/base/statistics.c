#include "base/statistics.h"

struct cwi_statistics cwi_statistics;
