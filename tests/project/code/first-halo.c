/* run: expect: heat: 100.000000 */
#include "block"
