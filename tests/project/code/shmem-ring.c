/* run: expect: process 0 got 2
   expect: process 1 got 1 */
#include "block"
