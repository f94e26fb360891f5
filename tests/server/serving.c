/* The node server: it works while its node's processes compute, combines messages, keeps its memory
 * within the bound under load, rejects invalid requests, and serves mutexes in turn.
 *
 * Runs on several nodes of one process, with servers; each part with every process as a target. */
#include "kit/native.h"

#include "execution/request_buffer.h"
#include "link/link.h"
#include "link/reply_tags.h"
#include "region/chunk.h"
#include "route/server/outbox.h"
#include "route/server/server_query.h"
#include "route/server/server_route.h"
#include "route/server/unfenced_updates.h"
#include "server/server.h"
#include "server/server_loop.h"
#include "team/world.h"

#include <base/settings.h>
#include <stdlib.h>
#include <string.h>

static cw_region region;
static void **at; /* [processes] */

/* --- Progress --------------------------------------------------------------------------------- */

/* The target polls its own memory until everything has arrived, and calls nothing: without a server
 * it would wait for ever (the hang guard would end the test). */
static void target_computes(int target)
{
  enum { GO = 0, COUNT = 1, SUM = 2, LOCKED = 3, DONE = 4, BULK = 1024, WORDS = 100000 };
  int64_t *mine = kit_make_region((BULK + WORDS) * sizeof(int64_t), &region, &at);
  cw_mutexes mutexes = NULL;
  const int me = cw_process(), others = cw_processes() - 1;
  kit_about("process %d computes", target);
  KIT_MUST(cw_mutexes_create(cw_team_world(), 1, &mutexes));
  if (me == target) {
    while (__atomic_load_n(&mine[DONE], __ATOMIC_ACQUIRE) < others)
      continue;
    kit_check_long((long)mine[COUNT], others * 100L, "fetch-and-adds");
    kit_check_long((long)mine[SUM], others * 100L, "accumulates");
    kit_check_long((long)mine[LOCKED], others, "updates under a mutex");
  } else {
    int64_t *there = at[target], before = 0;
    int64_t *words = kit_alloc(WORDS, sizeof *words);
    const long one = 1;
    for (int i = 0; i < 100; i++) {
      KIT_OK(cw_fetch_add_int64(&there[COUNT], 1, target, &before));
      KIT_OK(cw_accumulate(CW_LONG, NULL, &one, &there[SUM], sizeof one, target));
    }
    for (int i = 0; i < WORDS; i++)
      words[i] = i;
    KIT_OK(cw_put(words, &there[BULK], WORDS * sizeof *words, target));
    memset(words, 0, WORDS * sizeof *words);
    KIT_OK(cw_get(words, &there[BULK], WORDS * sizeof *words, target));
    kit_check(words[WORDS - 1] == WORDS - 1, "a long get sees the put before it");
    KIT_OK(cw_mutex_lock(mutexes, 0, target));
    KIT_OK(cw_get(&before, &there[LOCKED], sizeof before, target));
    before++;
    KIT_OK(cw_put(&before, &there[LOCKED], sizeof before, target));
    KIT_OK(cw_mutex_unlock(mutexes, 0, target));
    KIT_OK(cw_fence(target));
    KIT_OK(cw_notify(&there[DONE], 1, target));
    free(words);
  }
  KIT_MUST(cw_mutexes_free(&mutexes));
  kit_free_region(&region, at);
}

/* --- Aggregation ------------------------------------------------------------------------------ */

/* Returns the number of messages that this process's server has received: a process with a node of
 * its own and a server thread. */
static uint64_t messages_received(void)
{
  KIT_MUST(cw_barrier(cw_team_world()));
  const uint64_t messages = cwi_served().messages;
  KIT_MUST(
      cw_barrier(cw_team_world())); /* no process continues before all have read the counters */
  return messages;
}

static void check_aggregation(bool handles)
{
  enum { COUNT = 1000 };
  int64_t *mine = kit_make_region(2 * COUNT * sizeof(int64_t), &region, &at);
  int64_t values[COUNT], back[COUNT];
  const int me = cw_process(), all = cw_processes(), next = (me + 1) % all;
  int64_t *there = at[next];
  cw_handle handle = {0, 0};
  cw_handle *use = handles ? &handle : NULL;
  kit_about(handles ? "an aggregate handle" : "implicit operations");
  if (handles)
    KIT_OK(cw_handle_set_aggregate(&handle, 1));
  const uint64_t before = messages_received();
  for (int i = 0; i < COUNT; i++) {
    values[i] = me * 10000 + i;
    const cw_transfer put = cw_contiguous(CW_PUT, &values[i], &there[2 * i], 8, next);
    KIT_OK(cw_transfer_start(&put, use));
  }
  for (int i = 0; i < COUNT; i++) {
    const cw_transfer get = cw_contiguous(CW_GET, &back[i], &there[2 * i], 8, next);
    KIT_OK(cw_transfer_start(&get, use));
  }
  KIT_OK(handles ? cw_wait(&handle) : cw_wait_all());
  kit_check_bytes(back, values, sizeof values, "gets behind the puts of one handle");
  const uint64_t after = messages_received();
  /* number of packets that COUNT puts and gets fill; a node that forwards counts each twice. With a
   * message for each operation it would be 2 * COUNT */
  const uint64_t most = 12 + 8 * COUNT * 24 / (uint64_t)cwi_settings.server_buffer;
  kit_check(after - before <= most, "%d puts and gets came in %lu messages, not %lu", 2 * COUNT,
            (unsigned long)(after - before), (unsigned long)most);
  kit_check_long((long)mine[2], (me + all - 1) % all * 10000L + 1, "a put");
  kit_free_region(&region, at);
}

/* --- Waiting ---------------------------------------------------------------------------------- */

/* Waiting for an implicit put sends it: the target, which only polls, sees it without a fence. */
static void check_push(void)
{
  int64_t *mine = kit_make_region(64, &region, &at);
  const int me = cw_process(), next = (me + 1) % cw_processes();
  int64_t *there = at[next], one = 1;
  const cw_transfer put = cw_contiguous(CW_PUT, &one, there, sizeof one, next);
  kit_about("a wait for implicit operations");
  KIT_OK(cw_transfer_start(&put, NULL));
  KIT_OK(cw_wait_all());
  while (__atomic_load_n(mine, __ATOMIC_ACQUIRE) == 0)
    continue;
  kit_check_long((long)*mine, 1, "the put");
  kit_free_region(&region, at);
}

/* --- Flood ------------------------------------------------------------------------------------ */

/* All processes send many requests to process 0's node: none is lost, and its buffers stay within
 * the bound. */
static void check_flood(void)
{
  enum { WORDS = 20000, TIMES = 60 };
  double *mine = kit_make_region((WORDS + 8) * sizeof(double), &region, &at);
  double *ones = kit_alloc(WORDS, sizeof *ones);
  const int me = cw_process(), all = cw_processes();
  double *there = at[0];
  kit_about("a flood");
  for (int i = 0; i < WORDS; i++)
    ones[i] = 1;
  for (int i = 0; i < TIMES && me != 0; i++) {
    const cw_transfer add =
        cw_contiguous(CW_ACCUMULATE, ones, there + 8, WORDS * sizeof(double), 0);
    KIT_OK(cw_transfer_start(&add, NULL));
    KIT_OK(cw_fetch_add_int64((int64_t *)(void *)there, 1, 0, NULL));
  }
  KIT_MUST(cw_barrier(cw_team_world()));
  if (me == 0) {
    const size_t bound =
        cwi_topology_buffers(cwi_links.topology, cw_nodes(), (size_t)cwi_settings.server_credits);
    int64_t count = 0;
    memcpy(&count, mine, sizeof count);
    kit_check_long((long)count, TIMES * (all - 1L), "fetch-and-adds");
    int wrong = 0;
    for (int i = 0; i < WORDS; i++)
      wrong += mine[8 + i] != TIMES * (all - 1.0);
    kit_check(wrong == 0, "%d of %d sums are wrong", wrong, WORDS);
    kit_check(cwi_served().buffers <= bound + CWI_POSTED, "%lu request buffers; the bound is %zu",
              (unsigned long)cwi_served().buffers, bound);
  }
  free(ones);
  kit_free_region(&region, at);
}

/* --- Full packets ----------------------------------------------------------------------------- */

/* A request after an update that leaves no space for it in the packet. */
static void check_full_packets(void)
{
  const size_t buffer = (size_t)cwi_settings.server_buffer;
  char *mine = kit_make_region(2 * buffer, &region, &at);
  double *ones = kit_alloc(buffer / 8 + 1, sizeof *ones);
  const int me = cw_process(), all = cw_processes(), next = (me + 1) % all;
  char *there = at[next];
  int64_t count = 0;
  kit_about("full packets");
  for (size_t bytes = buffer - 400; bytes <= buffer; bytes += 8) {
    const cw_transfer add = cw_contiguous(CW_ACCUMULATE, ones, there, bytes, next);
    KIT_OK(cw_transfer_start(&add, NULL));
    KIT_OK(cw_fetch_add_int64((int64_t *)(void *)(there + buffer), 1, next, &count));
  }
  KIT_MUST(cw_barrier(cw_team_world()));
  memcpy(&count, mine + buffer, sizeof count);
  kit_check_long((long)count, 51, "fetch-and-adds");
  free(ones);
  kit_free_region(&region, at);
}

/* --- Rejected requests ------------------------------------------------------------------------ */

/* Sends requests that the public calls would never send. */
static cw_error send_raw(int process, struct cwi_request *request)
{
  struct cwi_packet *packet = NULL;
  const int node = cwi_world.node_of[process];
  CWI_TRY(cwi_outbox_open(node, 4096, &packet));
  cwi_packet_append(packet, node, request);
  packet->request = NULL;
  cwi_updates_add(node);
  return cwi_outbox_push(node);
}

static void check_rejections(void)
{
  int64_t *mine = kit_make_region(64, &region, &at);
  const int me = cw_process(), next = (me + 1) % cw_processes();
  int64_t *there = at[next], value = 0;
  kit_about("refusals");
  struct cwi_request put = {.operation = CWI_WIRE_PUT,
                            .process = next,
                            .offset = cwi_offset_of(there) + 60,
                            .run = 8,
                            .rows = 1};
  struct cwi_request nowhere = put, operation = put, type = put, huge = put, no_process = put,
                     elsewhere = put, tag = put, sum = put, update = put, swap = put;
  nowhere.offset = ~(uint64_t)0 - 100;
  operation.operation = 200;
  type.operation = CWI_WIRE_ACCUMULATE;
  type.type = 77;
  huge.operation = CWI_WIRE_GET;
  huge.run = huge.rows = (uint64_t)1 << 62;
  no_process.process = 1000000;
  elsewhere.process = me;
  tag.tag = CWI_TAG_REQUEST;
  sum.operation = swap.operation = CWI_WIRE_ACCUMULATE;
  sum.flags = CWI_WIRE_BULK;
  swap.type = CW_LONG;
  swap.reduction = CWI_COMPARE_SWAP;
  update.operation = CWI_WIRE_UPDATE; /* a request whose answer has no destination */
  struct {
    struct cwi_request *request;
    const char *words;
  } const cases[] = {{&put, "rejected 1|slice"},
                     {&nowhere, "rejected 1|lies in no slice"},
                     {&operation, "rejected 1|does not make sense"},
                     {&type, "rejected 1|type is 77"},
                     {&huge, "rejected 1|does not make sense"},
                     {&no_process, "rejected 1|does not make sense"},
                     {&elsewhere, "rejected 1|does not make sense"},
                     {&tag, "rejected 1|does not make sense"},
                     {&sum, "rejected 1|does not make sense"},
                     {&update, "rejected 1|does not make sense"},
                     {&swap, "rejected 1|accumulate of type 1"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    KIT_OK(send_raw(next, cases[i].request));
    KIT_MISUSE(cases[i].words, cw_fence(next));
  }
  KIT_OK(send_raw(next, &put));
  KIT_OK(send_raw(next, &put));
  KIT_MISUSE("rejected 2|slice", cw_fence(next));
  KIT_OK(cw_fence(next)); /* reported once */
  /* a slice that only its owner knows is found by a query */
  KIT_OK(cw_put(&value, there, 8, next));
  KIT_MISUSE("cw_put|slice", cw_put(&value, (char *)there + 60, 8, next));
  KIT_MISUSE("cw_put|memory cannot hold", cw_put(&value, there, SIZE_MAX / 2, next));
  kit_check(mine[0] == 0, "nothing has been moved");
  kit_free_region(&region, at);
}

/* Unchecked updates: their origin gets the error of a rejected one at once. */
static void check_rejected_updates(void)
{
  int64_t *mine = kit_make_region(64, &region, &at), before = -1;
  const int next = (cw_process() + 1) % cw_processes();
  const struct cwi_update fine = {.operation = CW_SUM,
                                  .type = CW_LONG,
                                  .process = next,
                                  .remote = at[next],
                                  .count = 1,
                                  .operand = {.i64 = 5},
                                  .before = &before};
  struct cwi_update behind = fine, odd = fine, undefined = fine, unknown = fine;
  kit_about("refused updates");
  behind.remote = (char *)behind.remote + 64;
  odd.remote = (char *)odd.remote + 4;
  undefined.type = CW_DOUBLE;
  undefined.operation = CW_BIT_AND;
  unknown.operation = 77;
  KIT_MISUSE("rejected 1|slice", cwi_route_server.update(&behind, true, NULL));
  KIT_MISUSE("rejected 1|multiple of 8", cwi_route_server.update(&odd, true, NULL));
  KIT_MISUSE("rejected 1|CW_BIT_AND|CW_DOUBLE", cwi_route_server.update(&undefined, true, NULL));
  KIT_MISUSE("rejected 1|reduction is 77", cwi_route_server.update(&unknown, true, NULL));
  kit_check_long(before, -1, "what was there, of a refused update");
  KIT_OK(cwi_route_server.update(&fine, true, NULL));
  kit_check_long(before, 0, "what was there");
  KIT_OK(cw_barrier(cw_team_world()));
  kit_check_long(mine[0], 5, "what is there");
  kit_free_region(&region, at);
}

/* Makes a transfer without the checks of public calls. */
static struct cwi_transfer unchecked(cw_operation operation, void *local, void *remote,
                                     size_t bytes, int process)
{
  struct cwi_transfer transfer = {.operation = operation, .process = process};
  transfer.shape.local = local;
  transfer.shape.remote = remote;
  transfer.shape.run = transfer.shape.bytes = bytes;
  return transfer;
}

/* Errors are returned by the fence after a put, short or long, independent of requests in between,
 * and by the wait for a get. Successful operations are not affected. */
static void check_reported_errors(void)
{
  const size_t bulk = (size_t)cwi_settings.server_bulk;
  char *mine = kit_make_region(bulk + 64, &region, &at);
  const int me = cw_process(), all = cw_processes(), next = (me + 1) % all;
  char *there = at[next], *data = kit_alloc(bulk + 8, 1);
  int64_t before = -1, word = 0;
  cw_mutexes mutexes = NULL;
  const struct cwi_transfer fine = unchecked(CW_PUT, data, there, bulk, next),
                            wrong = unchecked(CW_PUT, data, there + 64, bulk + 8, next),
                            small = unchecked(CW_PUT, data, there + bulk + 60, 8, next),
                            read = unchecked(CW_GET, &word, there + bulk, sizeof word, next);
  memset(data, 1, bulk);
  kit_about("who is told of a refusal");
  KIT_MUST(cw_mutexes_create(cw_team_world(), 1, &mutexes));
  KIT_OK(cwi_route_server.start(&small, true, NULL));
  KIT_OK(cw_mutex_lock(mutexes, 0, next));
  KIT_OK(cwi_route_server.start(&fine, true, NULL));
  KIT_MISUSE("rejected 1|slice", cw_mutex_unlock(mutexes, 0, next));
  KIT_OK(cw_mutex_lock(mutexes, 0, next));
  KIT_OK(cw_fetch_add_int64((int64_t *)(void *)(there + bulk), 1, next, &before));
  KIT_OK(cw_mutex_unlock(mutexes, 0, next));

  KIT_OK(cwi_route_server.start(&wrong, true, NULL));
  KIT_MISUSE("rejected 1|slice", cw_fence(next));
  KIT_OK(cw_fence(next));

  cw_handle handle = {0, 0};
  for (int kind = 0; kind < 2; kind++) {
    const struct cwi_transfer get =
        unchecked(CW_GET, data, there + 64 + bulk, kind == 0 ? 8 : bulk, next);
    KIT_OK(cwi_route_server.start(&get, false, &handle));
    for (int i = 0; i < 40; i++)
      KIT_OK(cwi_route_server.start(&read, true, NULL));
    KIT_MISUSE("slice", cw_wait(&handle));
    KIT_OK(cw_wait(&handle));
  }
  /* In several pieces: the first error is reported. */
  struct cwi_transfer pieces = unchecked(CW_GET, data, there + 64 + bulk, bulk, next);
  pieces.shape.levels = 1;
  pieces.shape.counts[0] = ((size_t)1 << 20) / bulk + 1;
  pieces.shape.bytes = bulk * pieces.shape.counts[0];
  KIT_MISUSE("slice", cwi_route_server.start(&pieces, true, NULL));
  KIT_OK(cw_fence(next));
  KIT_MUST(cw_barrier(cw_team_world()));
  kit_check(mine[0] == 1 && mine[bulk - 1] == 1, "the put that was fine");
  kit_check_long((long)word, 1, "the word");
  KIT_MUST(cw_mutexes_free(&mutexes));
  free(data);
  kit_free_region(&region, at);
}

/* --- Piggybacked fences ----------------------------------------------------------------------- */

/* A fence after every single put: one message carries both. After a message by MPI, the neighbour
 * sees everything before the fence, whether that was one put or more. */
static void check_piggybacked_fences(void)
{
  enum { ROUNDS = 100, LONG = 100000 };
  int64_t *mine = kit_make_region((1 + LONG) * sizeof(int64_t), &region, &at);
  const int me = cw_process(), all = cw_processes(), next = (me + 1) % all;
  const int before = (me + all - 1) % all;
  int64_t *there = at[next], *words = kit_alloc(LONG, sizeof *words), value = 0;
  kit_about("a fence behind every put");
  const uint64_t messages = messages_received();
  for (int i = 0; i < ROUNDS; i++) {
    value = i;
    KIT_OK(cw_put(&value, there, sizeof value, next));
    KIT_OK(cw_fence(next));
  }
  const uint64_t received = messages_received() - messages;
  /* including those that a server forwards; if fences were sent separately it would be twice as
   * many */
  const uint64_t most = cwi_settings.topology == CWI_TOPOLOGY_AUTO ? ROUNDS + 10 : 3 * ROUNDS + 20;
  kit_check(received <= most, "%d puts and fences came in %lu messages, not %lu", ROUNDS,
            (unsigned long)received, (unsigned long)most);
  int wrong = 0;
  for (int i = 1; i <= ROUNDS; i++) {
    value = i;
    KIT_OK(cw_put(&value, there, sizeof value, next));
    words[LONG - 1] = i;
    if (i % 3 == 0)
      KIT_OK(cw_put(words, there + 1, LONG * sizeof *words, next));
    KIT_OK(i % 2 == 0 ? cw_fence(next) : cw_fence_all());
    MPI_Sendrecv(NULL, 0, MPI_BYTE, next, 1, NULL, 0, MPI_BYTE, before, 1,
                 cw_team_comm(cw_team_world()), MPI_STATUS_IGNORE);
    wrong += __atomic_load_n(&mine[0], __ATOMIC_ACQUIRE) < i;
    wrong += __atomic_load_n(&mine[LONG], __ATOMIC_ACQUIRE) < i / 3 * 3;
  }
  kit_check_long(wrong, 0, "rounds in which a fence came too early");
  KIT_MUST(cw_barrier(cw_team_world()));
  free(words);
  kit_free_region(&region, at);
}

/* --- Regions of other teams ------------------------------------------------------------------- */

/* A process that is not a member may use a region whose address it has received. */
static void check_foreign_region(void)
{
  cw_team alone = NULL;
  cw_region mine = NULL;
  const int me = cw_process(), all = cw_processes(), next = (me + 1) % all;
  void *address = NULL;
  uint64_t addresses[16] = {0};
  kit_about("a region of another team");
  KIT_MUST(cw_team_split(cw_team_world(), me, 0, &alone));
  KIT_MUST(cw_region_create(alone, 4096, &mine, &address));
  memset(address, 0, 4096);
  uint64_t offset = cwi_offset_of(address);
  MPI_Allgather(&offset, 1, MPI_UINT64_T, addresses, 1, MPI_UINT64_T,
                cw_team_comm(cw_team_world()));
  int64_t value = 100 + me, before = 0;
  char *there = cwi_address_in(next, addresses[next]);
  KIT_OK(cw_put(&value, there + 8, 8, next));
  KIT_OK(cw_fetch_add_int64((int64_t *)(void *)there, 5, next, &before));
  KIT_MISUSE("slice", cw_put(&value, there + 4092, 8, next));
  KIT_MUST(cw_barrier(cw_team_world()));
  kit_check_long((long)((int64_t *)address)[0], 5, "the counter");
  kit_check_long((long)((int64_t *)address)[1], 100 + (me + all - 1) % all, "the put");
  KIT_MUST(cw_region_free(NULL, &mine));
  KIT_MUST(cw_team_free(&alone));
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "serving");
  kit_hang_guard();
  if (!cwi_servers_run())
    kit_skip("no servers here");
  for (int target = 0; target < cw_processes(); target++)
    target_computes(target);
  check_aggregation(false);
  check_aggregation(true);
  check_push();
  check_flood();
  check_full_packets();
  check_rejections();
  check_rejected_updates();
  check_reported_errors();
  check_piggybacked_fences();
  check_foreign_region();
  return kit_finish_native();
}
