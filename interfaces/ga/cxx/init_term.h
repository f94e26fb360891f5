/* GA++'s start and stop, under the name of GA's header. */
#include "ga++.h"
