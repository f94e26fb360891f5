/* The time that a wait spins before its caller should sleep: short where the core is needed, but
 * longer while the awaited operation makes progress, and soon after requests. */
#include "kit/kit.h"

#include "wait/waiter.h"

#include <stddef.h>

enum { MANY = 5000, SPIN = 50, FEW = 200 };

static void (*notifies)(void);
static long helps;

static void help(enum cwi_help what)
{
  (void)what;
  helps++;
  if (notifies != NULL)
    notifies();
}

/* Returns the number of spins until it is time to sleep, at most MANY. */
static long spins_of(struct cwi_wait *wait)
{
  long spins = 0;
  while (spins < MANY && cwi_wait_pass(wait))
    spins++;
  return spins;
}

static void check_wait(const char *what, void (*notify)(void), bool continues)
{
  struct cwi_wait wait = {.sleeps = true};
  kit_about("%s", what);
  notifies = notify;
  const long spins = spins_of(&wait);
  kit_check(continues ? spins == MANY : spins < FEW, "it was time to sleep after %ld turns", spins);
  kit_check(helps >= spins, "of %ld turns %ld served", spins, helps);
  notifies = NULL;
  kit_check(spins_of(&wait) < FEW, "it goes on without a reason");
  helps = 0;
}

static void notify_both(void)
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
  check_wait("requests come, and data", notify_both, true);
  cwi_set_server(NULL, NULL);
  return kit_finish();
}
