/* run: expect: last number: 2046 */
#include "block"
