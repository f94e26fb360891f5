/* run: expect: 2 processes: 400 */
#include "block"
