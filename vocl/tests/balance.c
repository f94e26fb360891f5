/* The decision of balancing: given cases, and random services in which programs are moved by its
 * decisions until no program moves any more. */
#include "kit/kit.h"

#include "proxy/balance.h"

#include <stdio.h>

enum { MOST = 24 };

static struct vocl_balance_device devices[MOST];
static struct vocl_balance_use uses[MOST];
static struct vocl_balance balance = {devices, 0, uses, 0};

/* Begins a service with `count` devices of kind 0, one for each proxy. */
static void service(size_t count)
{
  balance.device_count = count;
  balance.use_count = 0;
  for (size_t i = 0; i < count; i++)
    devices[i] = (struct vocl_balance_device){0, (uint32_t)i};
}

/* Adds a program that has been busy, or idle, for a second at time 100. */
static struct vocl_balance_use *program(size_t device, bool is_busy, uint64_t bytes)
{
  struct vocl_balance_use *use = &uses[balance.use_count++];
  *use =
      (struct vocl_balance_use){.device = device, .is_busy = is_busy, .since = 99, .bytes = bytes};
  return use;
}

static void stays(const char *why)
{
  size_t use = 0, target = 0;
  kit_check(!vocl_balance_choose(&balance, 100, &use, &target),
            "%s: program %zu should not go to device %zu", why, use, target);
}

static void expect_move(size_t want_use, size_t want_target, const char *why)
{
  size_t use = MOST, target = MOST;
  kit_check(vocl_balance_choose(&balance, 100, &use, &target), "%s: nothing is moved", why);
  kit_check(use == want_use && target == want_target,
            "%s: program %zu goes to %zu, not program %zu to %zu", why, use, target, want_use,
            want_target);
}

static void cases_of_the_guide(void)
{
  service(2);
  stays("no programs");
  program(0, true, 10);
  stays("one program");
  program(0, false, 5);
  stays("one of two is idle");
  program(0, true, 7);
  expect_move(2, 1, "the one with less memory");
  uses[2].since = 99.9;
  stays("one has just begun");
  uses[2].since = 99;
  uses[2].rests_to = 101;
  expect_move(0, 1, "the other one was moved a short time ago");
  uses[0].rests_to = 101;
  stays("both were moved");
  uses[0].rests_to = 0;
  devices[1].kind = 1;
  stays("the other device is not equal");
  devices[1].kind = 0;
  program(1, true, 0)->since = 99.9;
  stays("the other device has just got work");
  uses[3].is_busy = false;
  stays("the other device had work until now");
  uses[3].since = 90;
  expect_move(0, 1, "it has none for long");
  service(1);
  program(0, true, 1);
  program(0, true, 1);
  stays("there is one device");
}

static void places_of_the_guide(void)
{
  service(4);
  program(1, true, 10)->client_proxy = 3;
  program(1, true, 20)->client_proxy = 3;
  expect_move(0, 3, "the device of its own machine");
  program(3, true, 0);
  expect_move(0, 0, "that one is at work");
  program(2, true, 10);
  program(2, true, 10);
  program(2, true, 5);
  expect_move(5, 0, "the device with most programs");
  for (size_t i = 0; i < 3; i++)
    uses[3 + i].rests_to = 200;
  expect_move(0, 0, "these rest");
}

static unsigned state = 1;
static unsigned draw(unsigned count)
{
  state = state * 1664525 + 1013904223;
  return (state >> 16) % count;
}

static size_t crowd_of(size_t device)
{
  size_t crowd = 0;
  for (size_t i = 0; i < balance.use_count; i++)
    crowd += uses[i].device == device && uses[i].is_busy;
  return crowd;
}

/* A moved program may be moved again at once. Even then the moves end, and the numbers of programs
 * of equal devices differ by at most one. */
static void random_service(void)
{
  size_t use = 0, target = 0, moves = 0;
  service(1 + draw(8));
  for (size_t i = 0; i < balance.device_count; i++)
    devices[i].kind = draw(2);
  for (size_t i = 0, count = draw(MOST); i < count; i++)
    program(draw((unsigned)balance.device_count), draw(4) > 0, draw(5));
  while (vocl_balance_choose(&balance, 100, &use, &target) && moves <= 2 * MOST) {
    kit_check(devices[uses[use].device].kind == devices[target].kind && uses[use].is_busy,
              "what is moved goes to an equal device");
    kit_check(crowd_of(uses[use].device) >= crowd_of(target) + 2, "it is better there");
    uses[use].device = target;
    moves++;
  }
  kit_check(moves <= MOST, "programs go back and forth");
  for (size_t i = 0; i < balance.device_count; i++)
    for (size_t j = 0; j < balance.device_count; j++)
      if (devices[i].kind == devices[j].kind)
        kit_check(crowd_of(i) <= crowd_of(j) + 1, "device %zu has %zu programs, %zu has %zu", i,
                  crowd_of(i), j, crowd_of(j));
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "vocl_balance");
  cases_of_the_guide();
  places_of_the_guide();
  for (int i = 0; i < 2000; i++)
    random_service();
  return kit_finish();
}
