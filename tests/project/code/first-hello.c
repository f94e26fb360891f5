/* run: expect: process 0 of 2, on node 0 */
#include "block"
