/* A handle without a wait remains valid, however often its slot has been reused since. A handle
 * that was never returned is rejected. The handle tables belong to this program, so that it can
 * set the number of uses of a slot. */
#include "kit/native.h"

#include "transfer/handle.c" /* NOLINT(bugprone-suspicious-include) */

static void let_go(struct cwi_pending *pending)
{
  (void)pending;
}

/* Uses the slot once more. */
static cw_handle use(void)
{
  struct cwi_pending pending = {.release = let_go};
  cw_handle handle = {0};
  KIT_MUST(cwi_handle_attach(&handle, &pending));
  cw_handle given = handle;
  cwi_handle_detach(&handle, (cw_handle){0}, &pending);
  return given;
}

static void check(cw_handle handle, bool given)
{
  kit_check((cwi_handle_check(&handle) == CW_OK) == given, "generation %u with the slot at %u",
            handle.generation, mine()->slots[number_of(&handle) - 1].generation);
}

int main(int argc, char **argv)
{
  static const uint32_t times[] = {1, 100, 1u << 30, 3u << 29, 0x7ffffffe, 0x7fffffff};
  kit_start_native(&argc, &argv, "generations");
  const cw_handle first = use();
  struct handle_slot *slot = &mine()->slots[number_of(&first) - 1];
  for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
    slot->generation = times[i];
    check(first, true);
    check((cw_handle){first.index, times[i]}, false);
    check((cw_handle){first.index, times[i] + 1 < 0x80000000u ? times[i] + 1 : times[i]}, false);
  }
  cw_handle last = use();
  kit_check_long(slot->generation, 0, "generation behind the last one");
  check(last, true);
  check(first, true);
  check(use(), true);
  return kit_finish_native();
}
