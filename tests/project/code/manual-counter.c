/* run: expect: 2 processes have counted */
#include "block"
