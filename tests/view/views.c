/* Views: settings that are accepted and rejected, transfers through views of every setting, and
 * completion by a call on another view or on none: all views of a region are the same for the
 * process. */
#include "kit/native.h"

#include "base/settings.h"
#include "route/route.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 20000, SHORT = 3 };

/* Settings that this job supports for the whole world. */
static bool grants_thread(void)
{
  return cwi_routes_served() || (cwi_settings.route != CWI_ROUTE_RMA && cw_nodes() == 1);
}

static bool grants_intrinsic(void)
{
  return cwi_settings.route != CWI_ROUTE_RMA && cw_nodes() == 1;
}

static int64_t word(int from, int round, size_t i)
{
  return (int64_t)from << 40 | (int64_t)round << 20 | (int64_t)i;
}

static void fill(int64_t *words, int from, int round, size_t count)
{
  for (size_t i = 0; i < count; i++)
    words[i] = word(from, round, i);
}

/* --- Settings --------------------------------------------------------------------------------- */

static void check_dup(cw_view view, const cw_view_settings *wanted, bool granted, const char *words)
{
  cw_view copy = NULL;
  cw_view_settings would, has;
  KIT_OK(cw_view_would_grant(view, wanted, &would));
  if (!granted) {
    KIT_OUTSIDE(words, cw_view_dup(view, wanted, &copy));
    kit_check(copy == NULL, "a view was made nevertheless");
    return;
  }
  KIT_MUST(cw_view_dup(view, wanted, &copy));
  KIT_OK(cw_view_granted(copy, &has));
  kit_check(has.scope == wanted->scope && has.ordered == wanted->ordered &&
                (has.intrinsic != NULL) == (wanted->intrinsic != NULL),
            "the view has other settings than were wanted");
  kit_check(would.scope == has.scope && would.ordered == has.ordered &&
                (would.intrinsic != NULL) == (has.intrinsic != NULL),
            "would_grant told something else");
  if (has.intrinsic != NULL)
    kit_check(strcmp(has.intrinsic, wanted->intrinsic) == 0 && has.intrinsic != wanted->intrinsic &&
                  has.intrinsic_type == wanted->intrinsic_type &&
                  has.intrinsic_count == wanted->intrinsic_count && has.checked == wanted->checked,
              "the assertion is not what was wanted");
  KIT_OK(cw_view_free(&copy));
  kit_check(copy == NULL, "the handle is not cleared");
}

static void check_rejected(cw_view view, const cw_view_settings *wanted)
{
  cw_view_settings would;
  KIT_OK(cw_view_would_grant(view, wanted, &would));
  kit_check(would.scope == (grants_thread() ? wanted->scope : CW_SCOPE_PROCESS) &&
                would.ordered == wanted->ordered && would.intrinsic == NULL && !would.checked,
            "would_grant takes away the wrong settings");
}

static void run_settings(cw_view view)
{
  static char list[CW_MAX_INTRINSIC + 2];
  cw_view copy = NULL;
  cw_view_settings settings = {0};
  kit_about("settings");
  KIT_OK(cw_view_granted(view, &settings));
  kit_check(settings.scope == CW_SCOPE_PROCESS && !settings.ordered && settings.intrinsic == NULL,
            "the default view is not as documented");
  check_dup(view, &(cw_view_settings){.ordered = true}, true, "");
  check_dup(view, &(cw_view_settings){.scope = CW_SCOPE_THREAD}, grants_thread(),
            "scope|thread|MPI");
  const cw_view_settings sums = {
      .intrinsic = "sum,cas", .intrinsic_type = CW_LONG, .intrinsic_count = 4, .checked = true};
  check_dup(view, &sums, grants_intrinsic(), "intrinsic|sum,cas|loads and stores");
  const cw_view_settings bits = {.scope = CW_SCOPE_THREAD,
                                 .ordered = true,
                                 .intrinsic = "bxor",
                                 .intrinsic_type = CW_DOUBLE,
                                 .checked = true};
  check_rejected(view, &bits);
  if (grants_intrinsic())
    check_dup(view, &bits, false, "intrinsic|bxor|type 3");
  KIT_MISUSE("scope is 7", cw_view_dup(view, &(cw_view_settings){.scope = (cw_scope)7}, &copy));
  KIT_MISUSE("'sum,average'|'average' in it",
             cw_view_dup(view, &(cw_view_settings){.intrinsic = "sum,average"}, &copy));
  KIT_MISUSE("'' in it", cw_view_dup(view, &(cw_view_settings){.intrinsic = "sum,"}, &copy));
  memset(list, ',', sizeof list - 1);
  KIT_MISUSE("more than 127", cw_view_dup(view, &(cw_view_settings){.intrinsic = list}, &copy));
  KIT_MISUSE("intrinsic_type|99",
             cw_view_dup(view,
                         &(cw_view_settings){.intrinsic = "sum", .intrinsic_type = (cw_type)99},
                         &copy));
}

static void check_intrinsic(cw_view view, const char *operations, cw_type type, bool want)
{
  bool flag = !want;
  KIT_OK(cw_view_op_intrinsic(view, operations, 100, type, &flag));
  kit_check(flag == want, "op_intrinsic(%s, type %d) says %d", operations, (int)type, flag);
}

static void run_intrinsic(cw_view view)
{
  const bool near = grants_intrinsic();
  kit_about("op_intrinsic");
  check_intrinsic(view, "sum,prod,min,max,replace,no_op", CW_DOUBLE, near);
  check_intrinsic(view, "sum,land,lor,lxor,band,bor,bxor,cas", CW_INT, near);
  check_intrinsic(view, "sum,replace", CW_FLOAT_COMPLEX, near);
  check_intrinsic(view, "min", CW_FLOAT_COMPLEX, false);
  check_intrinsic(view, "sum", CW_DOUBLE_COMPLEX, false);
  check_intrinsic(view, "band", CW_FLOAT, false);
}

/* --- Transfers -------------------------------------------------------------------------------- */

struct kind {
  const char *name;
  cw_view_settings settings;
};

static const struct kind kinds[] = {
    {"default", {0}},
    {"ordered", {.ordered = true}},
    {"thread", {.scope = CW_SCOPE_THREAD}},
    {"ordered thread", {.scope = CW_SCOPE_THREAD, .ordered = true}},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Starts operations to the next process; `complete` is the way in which they are completed there.
 */
static void put_and_check(cw_view view, int round, cw_error (*complete)(cw_view view, int process))
{
  static int64_t out[WORDS], back[WORDS];
  static const size_t sizes[] = {1, SHORT, 500, WORDS};
  const int me = cw_process(), next = (me + 1) % cw_processes();
  const size_t count = sizes[round % 4];
  void *base = NULL;
  KIT_OK(cw_view_address(view, next, &base, NULL));
  int64_t *there = base;
  fill(out, me, round, count);
  KIT_OK(cw_view_put(view, out, there, count * 8, next));
  KIT_OK(complete(view, next));
  kit_barrier();
  KIT_OK(cw_view_address(view, me, &base, NULL));
  if (!kit_by_rma()) /* else a load needs an access epoch */
    kit_check(*(volatile int64_t *)base ==
                  word((me + cw_processes() - 1) % cw_processes(), round, 0),
              "the put has not arrived after a flush");
  KIT_OK(cw_view_get(view, back, there, count * 8, next));
  KIT_OK(cw_view_flush_local(view, next));
  kit_check_bytes(back, out, count * 8, "what was put");
  kit_barrier();
}

static cw_error flush_all(cw_view view, int process)
{
  (void)process;
  return cw_view_flush_all(view);
}

/* All views of the memory are the same for the process, so another call completes the operations of
 * a view. */
static cw_error fence(cw_view view, int process)
{
  (void)view;
  return cw_fence(process);
}

static cw_view other;

static cw_error flush_other(cw_view view, int process)
{
  (void)view;
  return cw_view_flush(other, process);
}

static void rows(cw_view view)
{
  enum { ROWS = 7, ROW = 5, PITCH = 11 };
  static int64_t out[ROWS * ROW], back[ROWS * PITCH];
  const int next = (cw_process() + 1) % cw_processes();
  const size_t counts[1] = {ROWS};
  const ptrdiff_t near[1] = {ROW * 8}, far[1] = {PITCH * 8};
  void *base = NULL;
  cw_handle handle = {0, 0};
  KIT_OK(cw_view_address(view, next, &base, NULL));
  fill(out, cw_process(), 77, (size_t)ROWS * ROW);
  const cw_transfer put = cw_strided(CW_PUT, out, near, base, far, ROW * 8, counts, 1, next);
  KIT_OK(cw_view_start(view, &put, &handle));
  KIT_OK(cw_wait(&handle));
  const cw_transfer get = cw_strided(CW_GET, back, far, base, far, ROW * 8, counts, 1, next);
  KIT_OK(cw_view_start(view, &get, NULL));
  KIT_OK(cw_view_flush_local_all(view));
  for (size_t r = 0; r < ROWS; r++)
    kit_check_bytes(back + r * PITCH, out + r * ROW, ROW * 8, "a row");
  kit_barrier();
}

static void run_kind(cw_view plain, const struct kind *kind)
{
  static cw_error (*const ways[])(cw_view, int) = {cw_view_flush, flush_all, fence, flush_other};
  cw_view view = NULL;
  kit_about("a view that is %s", kind->name);
  if (kind->settings.scope == CW_SCOPE_THREAD && !grants_thread())
    return;
  KIT_MUST(cw_view_dup(plain, &kind->settings, &view));
  other = plain;
  for (int round = 0; round < 8; round++)
    put_and_check(view, round, ways[(round + round / 4) % 4]);
  rows(view);
  KIT_OK(cw_view_free(&view));
}

/* --- Misuse ----------------------------------------------------------------------------------- */

static void run_outside(cw_view view)
{
  const int next = (cw_process() + 1) % cw_processes();
  size_t bytes = 0;
  void *base = NULL;
  int64_t word = 0;
  kit_about("bytes outside the view");
  KIT_OK(cw_view_address(view, next, &base, &bytes));
  kit_check(bytes == sizeof(int64_t) * WORDS, "the size is %zu", bytes);
  char *there = base;
  KIT_MISUSE("cw_view_put|remote is|bytes 8", cw_view_put(view, &word, there + bytes - 4, 8, next));
  KIT_MISUSE("cw_view_get|remote is|bytes 8", cw_view_get(view, &word, there - 4, 8, next));
  const cw_vector list = {(void *[]){&word, &word}, (void *[]){there, there + bytes}, 2, 8};
  const cw_transfer transfer = cw_vectors(CW_PUT, &list, 1, next);
  KIT_MISUSE("cw_view_start|remote is", cw_view_start(view, &transfer, NULL));
  KIT_OK(cw_view_put(view, NULL, NULL, 0, next));
}

/* A view of a freed region whose place another region has taken. */
static void run_stale(void)
{
  cw_region first = NULL, second = NULL;
  cw_view view = NULL, freed = NULL;
  void **at = NULL;
  int64_t word = 0;
  kit_about("a stale view");
  int64_t *mine = kit_make_region(64, &first, &at);
  KIT_MUST(cw_view_of(first, &view));
  KIT_OK(cw_view_put(view, &word, mine, 8, cw_process()));
  freed = view;
  kit_free_region(&first, at);
  for (int i = 0; i < 3; i++) {
    mine = kit_make_region(64, &second, &at);
    KIT_MISUSE("region has been freed", cw_view_put(view, &word, mine, 8, cw_process()));
    KIT_MISUSE("region has been freed", cw_view_flush(view, cw_process()));
    kit_free_region(&second, at);
  }
  KIT_OK(cw_view_free(&view));
  KIT_MISUSE("not an existing view", cw_view_flush(freed, cw_process()));
  KIT_MISUSE("not an existing view", cw_view_free(&freed));
}

/* A view of a team's region, of which other processes are not members. */
static void run_team(void)
{
  cw_team team = NULL;
  cw_region region = NULL;
  cw_view view = NULL;
  void *at[2] = {NULL, NULL};
  int64_t word = 5, back = 0;
  kit_about("a region of a team");
  KIT_MUST(cw_team_split(cw_team_world(), cw_process() / 2, -cw_process(), &team));
  KIT_MUST(cw_region_create(team, 64, &region, at));
  KIT_MUST(cw_view_of(region, &view));
  const int partner = cw_team_process(team, 0), last = cw_processes() - 1;
  KIT_OK(cw_view_put(view, &word, at[0], 8, partner));
  KIT_OK(cw_view_flush(view, partner));
  KIT_OK(cw_view_get(view, &back, at[0], 8, partner));
  KIT_OK(cw_view_flush(view, partner));
  kit_check_long((long)back, 5, "the word of the partner");
  if (cw_process() / 2 != last / 2)
    KIT_MISUSE("not a member", cw_view_flush(view, last));
  KIT_OK(cw_view_free(&view));
  KIT_MUST(cw_region_free(team, &region));
  KIT_MUST(cw_team_free(&team));
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  cw_view view = NULL, left = NULL;
  void **at = NULL;
  kit_start_native(&argc, &argv, "views");
  kit_make_region(sizeof(int64_t) * WORDS, &region, &at);
  KIT_MUST(cw_view_of(region, &view));
  run_settings(view);
  run_intrinsic(view);
  for (int i = 0; i < KINDS; i++)
    run_kind(view, &kinds[i]);
  run_outside(view);
  run_stale();
  run_team();
  KIT_OK(cw_view_dup(view, NULL, &left)); /* ends when Causeway stops */
  KIT_OK(cw_view_free(&view));
  kit_free_region(&region, at);
  return kit_finish_native();
}
