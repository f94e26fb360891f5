/* Attaching to a handle fails because memory is exhausted: the operation is waited for at once, and
 * the call succeeds. A caller that gets an error from a start may start the operation again, and an
 * update must not be made twice. */
#include "kit/native.h"
#include "transfer/handle.h"

#include <string.h>

enum { WORDS = 40000, ROWS = 8, ROW = 64 };

static int64_t out[WORDS], back[WORDS];
static int64_t *there;
static int next;
static bool full;
static long failed_attachments; /* number of failed attachments */

cw_error __real_cwi_handle_attach(cw_handle *handle, struct cwi_pending *pending);
cw_error __wrap_cwi_handle_attach(cw_handle *handle, struct cwi_pending *pending);

cw_error __wrap_cwi_handle_attach(cw_handle *handle, struct cwi_pending *pending)
{
  failed_attachments += full;
  return full ? cwi_outside("no memory for 64 handles") : __real_cwi_handle_attach(handle, pending);
}

/* Ends the simulated shortage and checks that the handle is unchanged. */
static void check_handle(const cw_handle *handle)
{
  full = false;
  kit_check_long(handle->index, 0, "number of the handle");
}

static void get(cw_view view, size_t count)
{
  cw_handle handle = {0, 0};
  memset(back, 0, sizeof back);
  full = true;
  KIT_OK(cw_view_rget(view, back, there, count * 8, next, &handle));
  check_handle(&handle);
  kit_check_bytes(back, out, count * 8, "what was got");
}

static void get_rows(void)
{
  const size_t counts[] = {ROWS};
  const ptrdiff_t strides[] = {2 * ROW * 8};
  const cw_transfer transfer = {.operation = CW_GET,
                                .process = next,
                                .local = back,
                                .remote = there,
                                .bytes = ROW * 8,
                                .levels = 1,
                                .counts = counts,
                                .local_strides = strides,
                                .remote_strides = strides};
  cw_handle handle = {0, 0};
  memset(back, 0, sizeof back);
  full = true;
  KIT_OK(cw_transfer_start(&transfer, &handle));
  check_handle(&handle);
  for (size_t row = 0; row < ROWS; row++)
    kit_check_bytes(back + row * 2 * ROW, out + row * 2 * ROW, (size_t)ROW * 8, "a row");
}

/* Checks local completion: the memory may be used again. */
static void put(cw_view view, size_t count)
{
  cw_handle handle = {0, 0};
  memcpy(back, out, count * 8);
  full = true;
  KIT_OK(cw_view_rput(view, back, there, count * 8, next, &handle));
  check_handle(&handle);
  memset(back, 0, count * 8);
  KIT_OK(cw_view_flush(view, next));
  get(view, count);
}

/* Checks remote completion. */
static void put_remotely(cw_view view, size_t count)
{
  cw_handle handle = {0, 0};
  full = true;
  KIT_OK(cw_view_rrput(view, out, there, count * 8, next, &handle));
  check_handle(&handle);
  get(view, count);
}

static void add(cw_view view, size_t count)
{
  static int64_t ones[WORDS];
  cw_handle handle = {0, 0};
  for (size_t i = 0; i < count; i++)
    ones[i] = 1;
  memset(back, 0, sizeof back);
  full = true;
  KIT_OK(cw_view_rget_accumulate(view, CW_INT64, CW_SUM, ones, back, there, count, next, &handle));
  check_handle(&handle);
  kit_check_bytes(back, out, count * 8, "what was there before an addition");
  for (size_t i = 0; i < count; i++)
    out[i]++;
  KIT_OK(cw_view_flush(view, next));
  get(view, count); /* it was added once */
}

int main(int argc, char **argv)
{
  static const size_t sizes[] = {1, 100, 5000, WORDS};
  void *addresses[64];
  cw_region region = NULL;
  cw_view view = NULL;
  kit_start_native(&argc, &argv, "handle_no_memory");
  next = (kit_me() + 1) % kit_processes();
  KIT_MUST(cw_region_create(cw_team_world(), sizeof out, &region, addresses));
  there = addresses[next];
  KIT_MUST(cw_view_of(region, &view));
  for (size_t i = 0; i < WORDS; i++)
    out[i] = (int64_t)kit_me() << 40 | (int64_t)i;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    kit_about("%zu words", sizes[i]);
    put(view, sizes[i]);
    put_remotely(view, sizes[i]);
    add(view, sizes[i]);
  }
  kit_about("rows");
  get_rows();
  kit_check_long(failed_attachments > 0, 1, "whether anything was to be attached");
  KIT_OK(cw_view_free(&view));
  KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_region_free(cw_team_world(), &region));
  return kit_finish_native();
}
