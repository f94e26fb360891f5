/* GA++'s functions of the namespace GA, under the name of GA's header. */
#include "GAServices.h"
