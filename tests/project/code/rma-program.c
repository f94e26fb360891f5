/* run: expect: 3 6 9 12 */
#include "block"
