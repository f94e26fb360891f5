/* A program that uses most functions of the library, for runs in which one call of the library
 * fails. It ends by cw_abort with the message of the first failed call, as user programs do. With
 * CW_TEST_FAULT_GO_ON=1 it continues: a failed collective call must fail on all members, and failed
 * calls are repeated and must then succeed. With CW_TEST_FAULT_FORGETS=1 it leaves cw_finalize to
 * MPI_Finalize. */
#include "verdict.h"

#include <causeway.h>

#include <stdbool.h>
#include <string.h>

enum { WORDS = 4096, MOST_RUNS = 64, LARGE = 1 << 20 };

/* --- Shapes ----------------------------------------------------------------------------------- */

/* A piece of a shape: `count` words. */
struct run {
  size_t local, remote, count;
};

struct shape {
  const char *name;
  int levels; /* -1 for a vector */
  size_t run; /* words */
  size_t counts[2];
  ptrdiff_t local[2], remote[2]; /* words */
};

static const struct shape shapes[] = {
    {"contiguous", 0, 8, {0}, {0}, {0}},       {"long", 0, WORDS, {0}, {0}, {0}},
    {"rows", 1, 8, {16}, {8}, {64}},           {"blocks", 2, 4, {8, 3}, {5, 50}, {32, 512}},
    {"wide rows", 1, 512, {4}, {512}, {1024}}, {"segments", -1, 2, {50}, {4}, {6}},
};

static double words[WORDS], model[WORDS], seen[WORDS];
static double *mine, *theirs;
static struct run runs[MOST_RUNS];

static size_t list_runs(const struct shape *shape)
{
  const size_t rows = shape->levels != 0 ? shape->counts[0] : 1;
  const size_t planes = shape->levels == 2 ? shape->counts[1] : 1;
  size_t count = 0;
  for (size_t plane = 0; plane < planes; plane++)
    for (size_t row = 0; row < rows; row++)
      runs[count++] = (struct run){
          row * (size_t)shape->local[0] + plane * (size_t)shape->local[1],
          row * (size_t)shape->remote[0] + plane * (size_t)shape->remote[1], shape->run};
  return count;
}

/* Applies the operation to the model of the peer's memory, or to the expected result of a get. */
static void apply(cw_operation operation, double scale, size_t count)
{
  for (size_t i = 0; i < count; i++)
    for (size_t word = 0; word < runs[i].count; word++) {
      const double local = words[runs[i].local + word];
      double *remote = &model[runs[i].remote + word];
      if (operation == CW_PUT)
        *remote = local;
      else if (operation == CW_ACCUMULATE)
        *remote += scale * local;
      else
        expect(local == *remote, "a get brought wrong data");
    }
}

/* --- Transfers -------------------------------------------------------------------------------- */

enum completion { BLOCKING, HANDLE, AGGREGATE, IMPLICIT, COMPLETIONS };

#define TRY(call)                                                                                  \
  do {                                                                                             \
    if (again(#call, (call)))                                                                      \
      return false;                                                                                \
  } while (0)

/* Returns false if it failed; the transferred part is then unknown. */
static bool run_transfer(const cw_transfer *transfer, enum completion completion)
{
  cw_handle handle = {0};
  bool complete = false;
  if (completion == BLOCKING) {
    TRY(cw_transfer_run(transfer));
  } else if (completion == IMPLICIT) {
    TRY(cw_transfer_start(transfer, NULL));
    TRY(cw_wait_process(peer));
  } else {
    TRY(cw_handle_set_aggregate(&handle, completion == AGGREGATE));
    TRY(cw_transfer_start(transfer, &handle));
    TRY(cw_test(&handle, &complete));
    TRY(cw_wait(&handle));
  }
  return true;
}

/* Restores the target after a failed transfer. */
static void restore(void)
{
  MUST(cw_wait_all());
  MUST(cw_put(model, theirs, sizeof model, peer));
  MUST(cw_fence(peer));
}

static void move(const struct shape *shape, cw_operation operation, enum completion completion)
{
  static double fill;
  const double two = 2;
  const size_t count = list_runs(shape);
  void *locals[MOST_RUNS], *remotes[MOST_RUNS];
  ptrdiff_t local[2], remote[2];
  for (int level = 0; level < 2; level++) {
    local[level] = shape->local[level] * (ptrdiff_t)sizeof(double);
    remote[level] = shape->remote[level] * (ptrdiff_t)sizeof(double);
  }
  for (size_t i = 0; i < count; i++) {
    locals[i] = words + runs[i].local;
    remotes[i] = theirs + runs[i].remote;
  }
  const cw_vector vector = {locals, remotes, count, shape->run * sizeof(double)};
  cw_transfer transfer = {.operation = operation,
                          .type = CW_DOUBLE,
                          .scale = completion == HANDLE ? &two : NULL,
                          .process = peer,
                          .local = words,
                          .remote = theirs,
                          .bytes = shape->run * sizeof(double),
                          .levels = shape->levels,
                          .counts = shape->counts,
                          .local_strides = local,
                          .remote_strides = remote};
  if (shape->levels < 0)
    transfer = (cw_transfer){.operation = operation,
                             .type = CW_DOUBLE,
                             .scale = completion == HANDLE ? &two : NULL,
                             .process = peer,
                             .vectors = &vector,
                             .vector_count = 1};
  for (size_t word = 0; word < WORDS; word++)
    words[word] = ++fill;
  while (!run_transfer(&transfer, completion))
    restore();
  apply(operation, completion == HANDLE ? 2 : 1, count);
  MUST(cw_fence(peer));
  MUST(cw_get(seen, theirs, sizeof seen, peer));
  expect(memcmp((const char *)seen, (const char *)model, sizeof seen) == 0,
         "wrong data at the target");
}

static void transfers(void)
{
  void *addresses[2];
  cw_region region = NULL;
  doing = "transfers";
  TOGETHER(2, cw_region_create(cw_team_world(), sizeof model, &region, addresses));
  mine = addresses[me];
  theirs = addresses[peer];
  memset(mine, 0, sizeof model);
  TOGETHER(2, cw_barrier(cw_team_world()));
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
    for (int operation = CW_PUT; operation <= CW_ACCUMULATE; operation++)
      for (int completion = 0; completion < COMPLETIONS; completion++)
        move(&shapes[i], (cw_operation)operation, (enum completion)completion);
  double value = 1;
  for (int i = 0; i < 40; i++)
    MUST(cw_put(&value, &theirs[i], sizeof value, peer));
  MUST(cw_fence_all());
  TOGETHER(2, cw_barrier(cw_team_world()));
  TOGETHER(2, cw_region_free(cw_team_world(), &region));
}

/* --- Teams and regions ------------------------------------------------------------------------ */

static void use_team(cw_team team)
{
  static const size_t sizes[] = {24, 0, 5000, LARGE};
  enum { REGIONS = sizeof sizes / sizeof sizes[0] };
  const int members = cw_team_size(team);
  cw_region made[REGIONS] = {NULL};
  for (int i = 0; i < REGIONS; i++) {
    void *addresses[2] = {NULL, NULL};
    const size_t bytes = me == 1 && i == 0 ? 0 : sizes[i];
    TOGETHER(members, cw_region_create(team, bytes, &made[i], addresses));
    for (int rank = 0; rank < members; rank++)
      if (addresses[rank] != NULL)
        MUST(cw_put(seen, addresses[rank], 8, cw_team_process(team, rank)));
  }
  TOGETHER(members, cw_barrier(team));
  for (int i = 0; i < REGIONS; i++)
    TOGETHER(members, cw_region_free(team, &made[i]));
}

static void teams(void)
{
  const int both[2] = {0, 1};
  cw_team created = NULL, alone = NULL, copy = NULL, own = NULL;
  doing = "teams";
  TOGETHER(2, cw_team_create(cw_team_world(), 2, both, 7, &created));
  MUST(cw_team_create(cw_team_world(), 1, &me, 8, &own));
  const cw_error split = cw_team_split(cw_team_world(), me, 0, &alone);
  expect(again("cw_team_split()", split) == (alone == NULL), "a team, though there was an error");
  TOGETHER(2, cw_team_dup(created, &copy));
  use_team(cw_team_world());
  use_team(created);
  if (alone != NULL)
    use_team(alone);
  use_team(copy);
  TOGETHER(2, cw_barrier(cw_team_world()));
  MUST(cw_team_free(&copy));
  MUST(cw_team_free(&alone));
  MUST(cw_team_free(&own));
  MUST(cw_team_free(&created));
}

/* --- Synchronisation -------------------------------------------------------------------------- */

static void atomics(int64_t *counters[2])
{
  enum { TIMES = 10 };
  int64_t before = 0, read = 0;
  int32_t small = 0;
  doing = "atomics";
  for (int i = 0; i < TIMES; i++)
    MUST(cw_fetch_add_int64(&counters[0][0], 1, 0, &before));
  MUST(cw_swap_int64(&counters[peer][2], 5, peer, &before));
  expect(before == 0, "a swap brought wrong data");
  MUST(cw_compare_swap_int64(&counters[peer][2], 5, 6, peer, &before));
  expect(before == 5, "a compare-and-swap brought wrong data");
  MUST(cw_fetch_add_int32((int32_t *)(void *)&counters[peer][3], 1, peer, &small));
  const int64_t operands[2] = {3, 4};
  int64_t both[2] = {0, 0};
  MUST(cw_get_accumulate(CW_INT64, CW_REPLACE, operands, both, &counters[peer][2], 2, peer));
  expect(both[0] == 6 && both[1] == 1, "a get-accumulate brought wrong data");
  MUST(cw_fetch_op(CW_INT64, CW_BIT_XOR, &operands[1], &counters[peer][3], peer, &before));
  expect(before == 4, "a fetch-and-xor brought wrong data");
  MUST(cw_get_accumulate(CW_INT64, CW_SUM, operands, NULL, &counters[peer][2], 2, peer));
  MUST(cw_atomic_read(CW_INT64, &counters[peer][3], peer, &read));
  expect(read == 4, "an atomic read brought wrong data");
  TOGETHER(2, cw_barrier(cw_team_world()));
  MUST(cw_get(&read, &counters[0][0], sizeof read, 0));
  expect(read == 2 * (int64_t)TIMES, "fetch-and-adds were lost");
}

static void collectives(void)
{
  enum { COUNT = 3000 };
  static long numbers[COUNT], all[2 * COUNT];
  doing = "collectives";
  for (int i = 0; i < COUNT; i++)
    numbers[i] = i + me;
  TOGETHER(2, cw_allreduce(cw_team_world(), CW_LONG, CW_MAXIMUM, COUNT, numbers));
  expect(numbers[0] == 1 && numbers[COUNT - 1] == COUNT, "a reduction brought wrong data");
  numbers[0] = me == 1 ? 7 : 0;
  TOGETHER(2, cw_broadcast(cw_team_world(), 1, numbers, sizeof numbers));
  expect(numbers[0] == 7, "a broadcast brought wrong data");
  TOGETHER(2, cw_reduce(cw_team_world(), 0, CW_LONG, CW_BIT_OR, 1, numbers));
  numbers[0] = me;
  TOGETHER(2, cw_allgather(cw_team_world(), numbers, sizeof(long), all));
  expect(all[0] == 0 && all[1] == 1, "a gather brought wrong data");
  TOGETHER(2, cw_gather(cw_team_world(), 1, numbers, sizeof numbers, all));
  expect(me == 0 || all[COUNT] == 1, "a long gather brought wrong data");
}

static void mutexes(int64_t *counters[2])
{
  enum { TIMES = 5 };
  cw_mutexes set = NULL;
  bool acquired = false;
  int64_t value = 0;
  doing = "mutexes";
  TOGETHER(2, cw_mutexes_create(cw_team_world(), (size_t)me + 1, &set));
  for (int i = 0; i < TIMES; i++) {
    MUST(cw_mutex_lock(set, 1, 1));
    MUST(cw_get(&value, &counters[0][4], sizeof value, 0));
    value++;
    MUST(cw_put(&value, &counters[0][4], sizeof value, 0));
    MUST(cw_mutex_unlock(set, 1, 1));
  }
  TOGETHER(2, cw_barrier(cw_team_world()));
  MUST(cw_get(&value, &counters[0][4], sizeof value, 0));
  expect(value == 2 * (int64_t)TIMES, "updates under a mutex were lost");
  MUST(cw_mutex_trylock(set, 0, me, &acquired));
  expect(acquired, "a free mutex was not to be had");
  MUST(cw_mutex_unlock(set, 0, me));
  TOGETHER(2, cw_mutexes_free(&set));
}

static void notifications(int64_t *counters[2])
{
  int64_t value = 100 + me, got = 0;
  doing = "notifications";
  MUST(cw_put(&value, &counters[peer][6], sizeof value, peer));
  MUST(cw_notify(&counters[peer][5], 1, peer));
  MUST(cw_notify_wait(&counters[me][5], 1, NULL));
  MUST(cw_get(&got, &counters[me][6], sizeof got, me));
  expect(got == 100 + peer, "the data behind a notification is wrong");
}

static void synchronisation(void)
{
  void *addresses[2];
  cw_region region = NULL;
  doing = "synchronisation";
  TOGETHER(2, cw_region_create(cw_team_world(), 64, &region, addresses));
  memset(addresses[me], 0, 64);
  TOGETHER(2, cw_barrier(cw_team_world()));
  int64_t *counters[2] = {addresses[0], addresses[1]};
  atomics(counters);
  collectives();
  mutexes(counters);
  notifications(counters);
  /* This region, a team and a set of mutexes are left for cw_finalize to free. */
  cw_team left = NULL;
  cw_mutexes set = NULL;
  TOGETHER(2, cw_team_dup(cw_team_world(), &left));
  TOGETHER(2, cw_mutexes_create(left, 1, &set));
}

int main(int argc, char **argv)
{
  faults_start(&argc, &argv);
  void *memory = cw_local_alloc(100);
  if (memory == NULL)
    cw_abort("ended by the program: no memory from cw_local_alloc", 2);
  cw_local_free(memory);
  teams();
  transfers();
  synchronisation();
  return faults_finish();
}
