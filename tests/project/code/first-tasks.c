/* run: expect: sum of all elements: 2080000 */
#include "block"
