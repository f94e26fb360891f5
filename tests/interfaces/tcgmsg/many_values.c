/* nxtval where INTEGER has 4 bytes, when the counter reaches the last number that it can hold: that
 * number is returned, and the next call ends the job. Linked with --wrap: the first increment is a
 * large one. */
#include <tcgmsg.h>

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

#include "typesf2c.h"

#include <causeway.h>

cw_error __real_cw_fetch_add_int64(int64_t *remote, int64_t value, int process, int64_t *old);
cw_error __wrap_cw_fetch_add_int64(int64_t *remote, int64_t value, int process, int64_t *old);
void pbeginf_(void);
Integer nxtval_(const Integer *processes);

cw_error __wrap_cw_fetch_add_int64(int64_t *remote, int64_t value, int process, int64_t *old)
{
  static int64_t step = INT_MAX;
  const int64_t added = value * step;
  step = 1;
  return __real_cw_fetch_add_int64(remote, added, process, old);
}

int main(void)
{
  const Integer one = 1;
  pbeginf_();
  if (nxtval_(&one) != 0 || nxtval_(&one) != INT_MAX) {
    printf("not the values that were to come\n");
    return 0; /* a job that must fail */
  }
  printf("and then %lld\n", (long long)nxtval_(&one));
  return 0;
}
