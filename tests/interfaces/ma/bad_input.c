/* Every bad argument of MA's calls. An error ends the job with a message that names the call and
 * the argument; here cw_abort returns. The table is bad_input.def. */
#include "kit/bad_input.h"
#include "kit/kit.h"

#include <macdecls.h>

#include <limits.h>
#include <stdint.h>

static struct bad_axis types, negatives, handles, powers;
static Integer handle, heap, low, broken;
static MA_AccessIndex place;
static char *address;

#define N ((Integer)bad)

#define BAD_TABLE "interfaces/ma/bad_input.def"
#define BAD_PREFIX running
#include "kit/bad_table.inc"

static void begin(void)
{
  bad_add(&types, "0", 0);
  bad_add(&types, "before the first", MT_FIRST - 1);
  bad_add(&types, "behind the last", MT_LAST + 1);
  bad_add(&types, "INT_MIN", INT_MIN);
  bad_add_negatives(&negatives);
  handles = negatives;
  bad_add(&handles, "a handle that is not used", 20);
  bad_add(&handles, "INT_MAX", INT_MAX);
  powers = negatives;
  bad_add(&powers, "31", 31);
  bad_add(&powers, "INT_MAX", INT_MAX);
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "ma.bad_input");
  begin();
  kit_check(MA_init(MT_DBL, 1000, 2000), "MA_init");
  kit_check(MA_push_stack(MT_DBL, 10, "low", &low), "a block below");
  kit_check(MA_push_stack(MT_CHAR, 10, "broken", &broken), "a block on top");
  kit_check(MA_allocate_heap(MT_DBL, 10, "heap", &heap), "a block of the heap");
  kit_check(MA_get_pointer(broken, &address), "where it is");
  address[10]++;
  (void)MA_set_error_print(MA_FALSE);
  (void)MA_set_hard_fail(MA_TRUE);
  bad_try(running_rows, BAD_COUNT(running_rows), BAD_ENDS, "with MA_init");
  (void)MA_set_hard_fail(MA_FALSE);
  bad_judge();
  return kit_finish();
}
