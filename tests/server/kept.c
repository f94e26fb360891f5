/* A notification that the server defers behind a long put and then rejects: the next fence of its
 * process returns the error, whichever thread receives the put's answer before. The put's data is
 * there, and later operations work. Process 1's server rejects requests of process 0. */
#include "kit/native.h"

#include "execution/inbound_bulk.h"
#include "link/wire_format.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 1 << 18, TRIES = 40, WAYS = 3 };

struct slice {
  int64_t counter, kept, spoils, words[WORDS];
};

static struct slice *mine;

bool __real_cwi_inbound_bulk_defer(int origin, const struct cwi_request *request);
bool __wrap_cwi_inbound_bulk_defer(int origin, const struct cwi_request *request);

/* A deferred notification gets an address outside all slices. */
bool __wrap_cwi_inbound_bulk_defer(int origin, const struct cwi_request *request)
{
  struct cwi_request changed = *request;
  if (mine != NULL && __atomic_load_n(&mine->spoils, __ATOMIC_ACQUIRE) != 0)
    changed.offset = UINT64_MAX / 2 + 1;
  const bool keeps = __real_cwi_inbound_bulk_defer(origin, &changed);
  if (keeps && mine != NULL)
    __atomic_fetch_add(&mine->kept, 1, __ATOMIC_ACQ_REL);
  return keeps;
}

static int64_t number_at(int64_t *there)
{
  int64_t number = -1;
  KIT_OK(cw_get(&number, there, sizeof number, 1));
  return number;
}

/* Between the notification and the fence: nothing, the wait for the put, or a get that is answered
 * while the put is in flight. */
static cw_error send_one(struct slice *there, const int64_t *words, int way)
{
  cw_handle handle = {0};
  int64_t word = 0;
  const cw_transfer put =
      cw_contiguous(CW_PUT, (void *)(uintptr_t)words, there->words, WORDS * sizeof *words, 1);
  KIT_OK(cw_transfer_start(&put, &handle));
  KIT_OK(cw_notify(&there->counter, 1, 1));
  if (way == 1)
    KIT_OK(cw_wait(&handle));
  if (way == 2)
    KIT_OK(cw_get(&word, &there->spoils, sizeof word, 1));
  const cw_error error = cw_fence(1);
  if (way != 1)
    KIT_OK(cw_wait(&handle));
  return error;
}

static void send_all(struct slice *there, bool spoils)
{
  int64_t *words = kit_alloc(WORDS, sizeof *words), counted = number_at(&there->counter);
  int rejected[WAYS] = {0};
  for (int try = 0; try < TRIES; try++) {
    const int64_t before = number_at(&there->kept);
    const int way = try % WAYS;
    words[0] = words[WORDS - 1] = try + 1;
    const cw_error error = send_one(there, words, way);
    const bool lost = spoils && number_at(&there->kept) > before;
    kit_about("try %d, way %d, the notification was %skept and refused", try, way,
              lost ? "" : "not ");
    kit_check_long(error, lost ? CW_MISUSE : CW_OK, "the fence's error");
    if (lost)
      kit_check(strstr(cw_error_message(), "cw_fence: ") != NULL, "%s", cw_error_message());
    counted += !lost;
    rejected[way] += lost;
    kit_check_long((long)number_at(&there->counter), (long)counted, "the counter");
    kit_check_long((long)number_at(&there->words[0]), try + 1, "the put's first word");
    kit_check_long((long)number_at(&there->words[WORDS - 1]), try + 1, "the put's last word");
    KIT_OK(cw_fence(1));
  }
  for (int way = 0; way < WAYS && spoils; way++)
    kit_check(rejected[way] > 0, "no notification was kept in way %d", way);
  free(words);
}

int main(int argc, char **argv)
{
  cw_region region = NULL;
  void **at = NULL;
  setenv("CW_ROUTE", "server", 1);
  kit_start_native(&argc, &argv, "kept");
  kit_hang_guard();
  mine = kit_make_region(sizeof *mine, &region, &at);
  for (int spoils = 1; spoils >= 0; spoils--) {
    __atomic_store_n(&mine->spoils, spoils, __ATOMIC_RELEASE);
    KIT_MUST(cw_barrier(cw_team_world()));
    if (kit_me() == 0)
      send_all(at[1], spoils != 0);
    KIT_MUST(cw_barrier(cw_team_world()));
  }
  mine = NULL;
  kit_free_region(&region, at);
  return kit_finish_native();
}
