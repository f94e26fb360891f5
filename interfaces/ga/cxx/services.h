/* GA++'s functions of the namespace GA. The header has this name because GA's header has it. */
#include "GAServices.h"
