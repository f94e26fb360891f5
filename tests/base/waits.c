/* The time that a wait spins before its caller should sleep: short where the core is needed, but
 * longer while the awaited operation makes progress, and soon after requests. */
#include "kit/kit.h"

#include "wait/waiter.h"

#include <stddef.h>

enum { MANY = 5000, SPIN = 50, FEW = 200 };

static void (*says)(void);
static long helps;

static void help(enum cwi_help what)
{
  (void)what;
  helps++;
  if (says != NULL)
    says();
}

/* Returns the number of spins until it is time to sleep, at most MANY. */
static long turns_of(struct cwi_wait *wait)
{
  long turns = 0;
  while (turns < MANY && cwi_wait_pass(wait))
    turns++;
  return turns;
}

static void check_wait(const char *what, void (*saying)(void), bool goes_on)
{
  struct cwi_wait wait = {.sleeps = true};
  kit_about("%s", what);
  says = saying;
  const long turns = turns_of(&wait);
  kit_check(goes_on ? turns == MANY : turns < FEW, "it was time to sleep after %ld turns", turns);
  kit_check(helps >= turns, "of %ld turns %ld served", turns, helps);
  says = NULL;
  kit_check(turns_of(&wait) < FEW, "it goes on without a reason");
  helps = 0;
}

static void say_both(void)
{
  cwi_wait_was_useful();
  cwi_wait_yields();
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "waits");
  cwi_set_server(help, NULL);
  cwi_set_spin(SPIN, true);
  check_wait("the core is wanted", NULL, false);
  check_wait("the core is wanted, and data comes", cwi_wait_yields, true);
  cwi_set_spin(SPIN, false);
  check_wait("requests come", cwi_wait_was_useful, true);
  check_wait("requests come, and data", say_both, true);
  cwi_set_server(NULL, NULL);
  return kit_finish();
}
