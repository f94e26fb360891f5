/* run: expect: 64 rows, corner 1953 */
#include "block"
