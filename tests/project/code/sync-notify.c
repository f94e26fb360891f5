/* run: expect: sum: 27.5 */
#include "block"
