/* Start and stop of GA++. The header has this name because GA's header has it. */
#include "ga++.h"
