/* Members make a team with different lists: all that communicate get the error, and their next
 * calls are not affected. */
#include "kit/native.h"

#include <string.h>
#include <unistd.h>

static int me, last;

static cw_error create(size_t members, const int *ranks, int tag)
{
  cw_team team = NULL;
  const cw_error error = cw_team_create(cw_team_world(), members, ranks, tag, &team);
  kit_check((team != NULL) == (error == CW_OK), "an error, and a team");
  if (error == CW_OK)
    KIT_OK(cw_team_free(&team));
  return error;
}

/* Checks that calls of the world, and of a team with the same members and tag, still work. */
static void go_on(int tag)
{
  int all[16];
  for (int i = 0; i <= last; i++)
    all[i] = i;
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(create((size_t)last + 1, all, tag));
  KIT_OK(cw_barrier(cw_team_world()));
}

static void test_lists(void)
{
  char message[160];
  int ranks[16];
  for (int odd = 0; odd <= last; odd++) {
    for (int i = 0; i <= last; i++)
      ranks[i] = me == odd ? last - i : i;
    kit_about("process %d has another order", odd);
    snprintf(message, sizeof message, "cw_team_create: |ranks|process %d passes %d, ", odd, last);
    KIT_MISUSE(message, create((size_t)last + 1, ranks, odd));
    go_on(odd);
  }
}

/* The middle one of three processes omits the last, which must get the error, too. */
static void test_short(void)
{
  const int ranks[3] = {0, 1, 2};
  kit_about("process 1 leaves out process 2");
  KIT_MISUSE("cw_team_create: |passes 0, 1, 2|process 1 passes 0, 1",
             create(me == 1 ? 2 : 3, ranks, 0));
  go_on(0);
}

/* Process 2 communicates with no other member, because the lowest one does not list it. It gets an
 * error about the barrier, which is process 0's next call. */
static void test_left_over(void)
{
  const int ranks[3] = {0, 1, 2};
  kit_about("process 0 leaves out process 2");
  if (me == 2)
    KIT_MISUSE("cw_team_create|cw_barrier|process 0|process 2", create(3, ranks, 0));
  else
    KIT_MISUSE("cw_team_create: |process 0 passes 0, 1|process 1 passes 0, 1, 2",
               create(me == 0 ? 2 : 3, ranks, 0));
  go_on(0);
  kit_about("process 2 does not make the team");
  if (me != 2)
    KIT_MISUSE("cw_team_create: |process 0 passes 0, 1, 2|process 1 passes 0, 1",
               create(me == 0 ? 3 : 2, ranks, 0));
  go_on(0);
}

/* The report of long waits names the awaited process and the tag. */
static void wait_for_tag(void)
{
  int all[16];
  for (int i = 0; i <= last; i++)
    all[i] = i;
  kit_barrier();
  if (me == last)
    usleep(3000000);
  KIT_OK(create((size_t)last + 1, all, 7));
}

int main(int argc, char **argv)
{
  const char *what = argc > 1 ? argv[1] : "";
  kit_start_native(&argc, &argv, "unlike");
  kit_hang_guard();
  me = kit_me();
  last = kit_processes() - 1;
  if (strcmp(what, "tag") == 0)
    wait_for_tag();
  else if (strcmp(what, "checked") == 0)
    test_left_over();
  else
    test_lists();
  if (strcmp(what, "tag") != 0 && last == 2)
    test_short();
  return kit_finish_native();
}
