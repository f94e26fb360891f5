/* run: expect: 2 processes, sum 3 */
#include "block"
