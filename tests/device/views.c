/* Views of device memory, and of a memory handle's memory. Short calls take the general path where
 * a processor cannot access the memory, and a peer's host memory is left to MPI where MPI moves
 * that of its device. */
#include "kit/native.h"

#include "route/route.h"

#include <causeway/device.h>
#include <causeway/handle.h>
#include <causeway/view.h>

enum { WORDS = 8 };

static cw_device device;
static int next;

static void check_words(cw_region region, void *there)
{
  long sent = 7 + kit_me(), got = 0;
  cw_view view = NULL;
  cw_view_settings settings = {.intrinsic = "sum", .intrinsic_type = CW_LONG};
  cw_view strict = NULL;
  KIT_MUST(cw_view_of(region, &view));
  kit_about("a word");
  KIT_OK(cw_view_put(view, &sent, there, sizeof sent, next));
  KIT_OK(cw_view_flush(view, next));
  KIT_OK(cw_view_get(view, &got, there, sizeof got, next));
  KIT_OK(cw_view_flush(view, next));
  kit_check_long(got, sent, "what comes back");
  kit_about("updates");
  KIT_MISUSE("device", cw_view_fetch_op(view, CW_LONG, CW_SUM, &sent, there, next, &got));
  kit_check(cw_view_dup(view, &settings, &strict) == CW_OUTSIDE, "the update is called intrinsic");
  kit_check_long(got, sent, "result of an update that was refused");
  KIT_OK(cw_view_free(&view));
}

/* Transfers between a device and memory that a handle names. */
static void check_handle(void *mine)
{
  long words[WORDS] = {0};
  char handle[CW_MEMORY_HANDLE_BYTES];
  cw_view view = NULL;
  kit_about("a handle's memory");
  KIT_MUST(cw_memory_handle_create(words, sizeof words, handle));
  KIT_MUST(cw_view_from_memory(handle, &view));
  cw_transfer put = cw_contiguous(CW_PUT, mine, words, sizeof words, kit_me());
  put.local_device = true;
  KIT_MISUSE("local_device", cw_view_start(view, &put, NULL));
  KIT_OK(cw_view_free(&view));
  KIT_OK(cw_memory_handle_release(handle));
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  void *slices[8] = {NULL};
  kit_start_native(&argc, &argv, "device_views");
  KIT_MUST(cw_device_open(&(cw_device_options){.kind = CW_DEVICE_HOST}, &device));
  KIT_MUST(cw_region_create_on(cw_team_world(), device, WORDS * sizeof(long), &region, slices));
  next = (kit_me() + 1) % kit_processes();
  const bool was_ready = cwi_is_ready(next);
  check_words(region, slices[next]);
  kit_check(cwi_is_ready(next) == was_ready, "after a device's memory the host's goes past MPI");
  check_handle(slices[kit_me()]);
  KIT_MUST(cw_barrier(cw_team_world()));
  KIT_OK(cw_region_free(cw_team_world(), &region));
  KIT_OK(cw_device_close(&device));
  return kit_finish_native();
}
