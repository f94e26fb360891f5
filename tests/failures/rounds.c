/* Processes make random calls while some of them die. The survivors must all learn of it in the
 * same collective call, agree on who has died, make a team of the survivors, find the right
 * contents in the memory of the dead, and continue with right results.
 *
 *   rounds ROUNDS VICTIMS timer|call|exit MOST [NODE_SIZE [OPERATION]]     (see survivor_choose)
 *   rounds ROUNDS 0 cut 0 NODE_SIZE [OPERATION]
 *
 * The second form makes rounds until the test has cut off a host. Process 0 prints "rounds: cut"
 * when the test may do so.
 *
 * With OPERATION all calls are of this kind. With NODE_SIZE the processes are on several virtual
 * nodes, and process 0 lives. Such processes send messages through queues of MPI in shared memory,
 * and one that is killed within a call of MPI may leave a queue that blocks its reader for ever. So
 * choose deaths between calls; on_hosts.sh has no such queues. */
#include "failures/survivor.h"
#include "kit/kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MEMBERS = 8, MUTEXES = 2, ELEMENTS = 40, MOST_BYTES = 100000 };

/* The slice of a member in the region of its team. Rank 0 has the numbers that the mutexes guard,
 * because its memory is not lost with a node. */
struct slice {
  int64_t guarded[MOST_MEMBERS][MUTEXES]; /* incremented under the mutexes of each member */
  int64_t recorded[MOST_MEMBERS][MOST_MEMBERS]
                  [MUTEXES];   /* increments by each member of `guarded` */
  double sums[ELEMENTS];       /* target of accumulates */
  int64_t begun[MOST_MEMBERS]; /* my accumulates to each member */
  int64_t done[MOST_MEMBERS];  /* those that are complete */
  int64_t mail;                /* last round of notifications of my left neighbour */
  int64_t counter;             /* incremented by all members */
};

static bool on_nodes; /* the processes are on several nodes */

/* The present team, with its objects. */
struct group {
  cw_team team;
  int size, rank;
  cw_region region;
  struct slice *slices[MOST_MEMBERS];
  cw_mutexes mutexes;
  cw_notifications notifications;
  int64_t mails;
  int64_t met; /* number of successful collective calls on the team */
};

/* Make a call at which this process may die, and return its error from this function. MEET counts a
 * successful collective call on the team. */
#define STEP(call)                                                                                 \
  do {                                                                                             \
    survivor_call();                                                                               \
    const cw_error step_error = CW_MAY_FAIL(call);                                                 \
    if (step_error != CW_OK)                                                                       \
      return step_error;                                                                           \
  } while (0)
#define MEET(group, call)                                                                          \
  do {                                                                                             \
    STEP(call);                                                                                    \
    (group)->met++;                                                                                \
  } while (0)

/* --- Operations ------------------------------------------------------------------------------- */

static int random_bytes(uint64_t *state)
{
  static const int lengths[] = {8, 3000, 20000, MOST_BYTES};
  return lengths[kit_random(state, 4)];
}

static cw_error make_barrier(struct group *group, uint64_t *state)
{
  (void)state;
  MEET(group, cw_barrier(group->team));
  return CW_OK;
}

static cw_error make_broadcast(struct group *group, uint64_t *state)
{
  static unsigned char buffer[MOST_BYTES];
  const int root = kit_random(state, group->size), fill = kit_random(state, 256);
  const size_t bytes = (size_t)random_bytes(state);
  memset(buffer, group->rank == root ? fill : ~fill, bytes);
  MEET(group, cw_broadcast(group->team, root, buffer, bytes));
  size_t wrong = 0;
  for (size_t i = 0; i < bytes; i++)
    wrong += buffer[i] != fill;
  kit_check(wrong == 0, "%zu of %zu bytes of a broadcast are wrong", wrong, bytes);
  return CW_OK;
}

static cw_error make_allreduce(struct group *group, uint64_t *state)
{
  static long numbers[4000];
  const int count = 1 + kit_random(state, 4000), first = kit_random(state, 1000);
  for (int i = 0; i < count; i++)
    numbers[i] = (long)(first + i) * (group->rank + 1);
  MEET(group, cw_allreduce(group->team, CW_LONG, CW_SUM, (size_t)count, numbers));
  int wrong = 0;
  for (int i = 0; i < count; i++)
    wrong += numbers[i] != (long)(first + i) * group->size * (group->size + 1) / 2;
  kit_check(wrong == 0, "%d of %d sums are wrong", wrong, count);
  return CW_OK;
}

static cw_error make_gathers(struct group *group, uint64_t *state)
{
  int all[MOST_MEMBERS], swapped[MOST_MEMBERS], wrong = 0;
  int mine = kit_random(state, 1000) + group->rank;
  long below = group->rank + 1;
  MEET(group, cw_allgather(group->team, &mine, sizeof mine, all));
  MEET(group, cw_alltoall(group->team, all, sizeof mine, swapped));
  MEET(group, cw_exclusive_scan(group->team, CW_LONG, CW_SUM, 1, &below));
  for (int rank = 0; rank < group->size; rank++)
    wrong += all[rank] != mine - group->rank + rank || swapped[rank] != mine;
  kit_check(wrong == 0, "%d of %d gathered numbers are wrong", wrong, group->size);
  if (group->rank > 0)
    kit_check_long(below, (long)group->rank * (group->rank + 1) / 2, "sum of the lower ranks");
  return CW_OK;
}

/* Bytes that `from` sends to `to`, and their value. */
static size_t vector_bytes(size_t most, int from, int to)
{
  return most * (size_t)((from + 2 * to) % 4) / 4;
}
static unsigned char vector_fill(int fill, int from, int to)
{
  return (unsigned char)(fill + 16 * from + to);
}

/* Checks the pieces of all members, of which member `to` (or all members, if it is -1) has received
 * one after the other. */
static void check_vectors(const struct group *group, const unsigned char *all, size_t most,
                          int fill, int to)
{
  size_t wrong = 0;
  for (int from = 0; from < group->size; from++) {
    const size_t bytes = vector_bytes(most, from, to < 0 ? 0 : to);
    for (size_t i = 0; i < bytes; i++)
      wrong += *all++ != vector_fill(fill, from, to < 0 ? 0 : to);
  }
  kit_check(wrong == 0, "%zu bytes of vectors are wrong", wrong);
}

static cw_error make_vectors(struct group *group, uint64_t *state)
{
  static unsigned char mine[MOST_MEMBERS * MOST_BYTES], all[MOST_MEMBERS * MOST_BYTES];
  const size_t most = (size_t)random_bytes(state);
  const int fill = kit_random(state, 256);
  size_t bytes[MOST_MEMBERS], all_bytes[MOST_MEMBERS], first[MOST_MEMBERS];
  unsigned char *end = mine;
  for (int rank = 0; rank < group->size; rank++) {
    bytes[rank] = vector_bytes(most, group->rank, rank);
    all_bytes[rank] = vector_bytes(most, rank, group->rank);
    first[rank] = vector_bytes(most, rank, 0);
    memset(end, vector_fill(fill, group->rank, rank), bytes[rank]);
    end += bytes[rank];
  }
  MEET(group, cw_alltoallv(group->team, mine, bytes, NULL, all, all_bytes, NULL));
  check_vectors(group, all, most, fill, group->rank);
  memset(all, 0, sizeof all);
  MEET(group, cw_allgatherv(group->team, mine, bytes[0], all, first, NULL));
  check_vectors(group, all, most, fill, -1);
  return CW_OK;
}

/* Each member fills its slice by a put of its left neighbour and reads that of its right one. */
static cw_error use_region(struct group *group, void **addresses, size_t bytes, int fill)
{
  static unsigned char moved[MOST_BYTES];
  const int right = (group->rank + 1) % group->size;
  const int process = cw_team_process(group->team, right);
  size_t wrong = 0;
  memset(moved, (fill + right) % 256, bytes);
  STEP(cw_put(moved, addresses[right], bytes, process));
  MEET(group, cw_barrier(group->team));
  memset(moved, 0, bytes);
  STEP(cw_get(moved, addresses[right], bytes, process));
  for (size_t i = 0; i < bytes; i++)
    wrong += moved[i] != (fill + right) % 256;
  kit_check(wrong == 0, "%zu of %zu bytes of a region are wrong", wrong, bytes);
  return CW_OK;
}

static cw_error make_region(struct group *group, uint64_t *state)
{
  const size_t bytes = (size_t)random_bytes(state);
  const int fill = kit_random(state, 256);
  cw_region region = NULL;
  void *addresses[MOST_MEMBERS];
  MEET(group, cw_region_create(group->team, bytes, &region, addresses));
  const cw_error error = use_region(group, addresses, bytes, fill);
  MUST(cw_region_free(group->team, &region));
  return error;
}

static cw_error use_team(cw_team team)
{
  long ranks = cw_team_rank(team);
  cw_region region = NULL;
  STEP(cw_barrier(team));
  STEP(cw_allreduce(team, CW_LONG, CW_SUM, 1, &ranks));
  kit_check_long(ranks, (long)cw_team_size(team) * (cw_team_size(team) - 1) / 2, "ranks of a team");
  STEP(cw_region_create(team, 100, &region, NULL));
  MUST(cw_region_free(team, &region));
  return CW_OK;
}

static cw_error make_split(struct group *group, uint64_t *state)
{
  cw_team part = NULL, inner = NULL;
  const int colors = 1 + kit_random(state, 3), way = kit_random(state, 3);
  if (way == 0)
    MEET(group, cw_team_dup(group->team, &part));
  else if (way == 1)
    MEET(group, cw_team_split_node(group->team, &part));
  else
    MEET(group, cw_team_split(group->team, group->rank % colors, -group->rank, &part));
  cw_error error = use_team(part);
  if (error == CW_OK && (error = CW_MAY_FAIL(cw_team_split(part, 0, 0, &inner))) == CW_OK)
    error = use_team(inner);
  MUST(cw_team_free(&inner));
  MUST(cw_team_free(&part));
  return error;
}

/* Two teams of some members, which they make without the others. Without the barrier, they might
 * wait for a member that a failed notification has sent to the recovery, although the failed
 * process is none of them. */
static cw_error make_team(struct group *group, uint64_t *state)
{
  int ranks[MOST_MEMBERS], count = 0;
  cw_team some = NULL, again = NULL;
  MEET(group, cw_barrier(group->team));
  for (int rank = group->size - 1; rank >= 0; rank--)
    if (kit_random(state, 3) > 0)
      ranks[count++] = rank;
  const int tag = kit_random(state, 10);
  STEP(cw_team_create(group->team, (size_t)count, ranks, tag, &some));
  cw_error error = CW_MAY_FAIL(cw_team_create(group->team, (size_t)count, ranks, tag, &again));
  if (error == CW_OK && some != NULL && (error = use_team(some)) == CW_OK)
    error = use_team(again);
  MUST(cw_team_free(&again));
  MUST(cw_team_free(&some));
  return error;
}

/* Returns a number in the memory of rank 0. */
static int64_t number_read(const struct group *group, const int64_t *number)
{
  int64_t value = -1;
  MUST(cw_get(&value, number, sizeof value, cw_team_process(group->team, 0)));
  return value;
}

static cw_error number_write(const struct group *group, int64_t *number, int64_t value)
{
  STEP(cw_put(&value, number, sizeof value, cw_team_process(group->team, 0)));
  return CW_OK;
}

/* Returns the increments of a guarded number that members have recorded. */
static int64_t recorded(const struct group *group, int host, int number)
{
  int64_t sum = 0;
  for (int rank = 0; rank < group->size; rank++)
    sum += number_read(group, &group->slices[0]->recorded[rank][host][number]);
  return sum;
}

/* Locks a mutex, with cw_mutex_trylock if `tries`. Sets *failed if its holder has failed. */
static cw_error lock(struct group *group, int number, int process, bool tries, bool *failed)
{
  bool acquired = false;
  cw_error error = CW_OK;
  survivor_call();
  if (tries)
    error = CW_MAY_FAIL(cw_mutex_trylock(group->mutexes, (size_t)number, process, &acquired));
  if (!acquired && error == CW_OK)
    error = CW_MAY_FAIL(cw_mutex_lock(group->mutexes, (size_t)number, process));
  *failed = error == CW_FAILED;
  return *failed ? CW_OK : error;
}

/* Locks a mutex, checks the number that it guards, increments the number, and unlocks. If the
 * holder died, its increment may lack the record. */
static cw_error use_mutex(struct group *group, int host, int number, bool tries)
{
  int64_t *guarded = &group->slices[0]->guarded[host][number];
  int64_t *record = &group->slices[0]->recorded[group->rank][host][number];
  const int process = cw_team_process(group->team, host);
  bool failed = false;
  const cw_error error = lock(group, number, process, tries, &failed);
  if (error != CW_OK)
    return error;
  const int64_t increments = recorded(group, host, number);
  if (failed)
    MUST(number_write(group, guarded, increments));
  kit_check_long((long)number_read(group, guarded), (long)increments, "guarded number");
  MUST(number_write(group, guarded, increments + 1));
  MUST(number_write(group, record, number_read(group, record) + 1));
  STEP(cw_mutex_unlock(group->mutexes, (size_t)number, process));
  return CW_OK;
}

/* Locks mutexes of one member, and then those of two sets at the same time. */
static cw_error make_locks(struct group *group, uint64_t *state)
{
  const int host = kit_random(state, group->size), number = kit_random(state, MUTEXES);
  cw_mutexes more = NULL;
  for (int i = 0; i < 10; i++) {
    const cw_error error = use_mutex(group, host, number, i % 3 == 2);
    if (error != CW_OK)
      return error;
  }
  MEET(group, cw_mutexes_create(group->team, 1 + (size_t)group->rank, &more));
  MUST(cw_mutex_lock(more, (size_t)group->rank, kit_me()));
  const cw_error error = use_mutex(group, group->rank, number, false);
  MUST(cw_mutex_unlock(more, (size_t)group->rank, kit_me()));
  MUST(cw_mutexes_free(&more));
  return error;
}

static cw_error make_accumulate(struct group *group, uint64_t *state)
{
  double ones[ELEMENTS];
  const int target = kit_random(state, group->size);
  const int process = cw_team_process(group->team, target);
  struct slice *mine = group->slices[group->rank];
  for (int i = 0; i < ELEMENTS; i++)
    ones[i] = 1;
  for (int i = 0; i < 5; i++) {
    mine->begun[target]++;
    STEP(cw_accumulate(CW_DOUBLE, NULL, ones, group->slices[target]->sums, sizeof ones, process));
    STEP(cw_fence(process));
    mine->done[target]++;
  }
  return CW_OK;
}

/* Increments the counter of a member; all increments are different. */
static cw_error make_counter(struct group *group, uint64_t *state)
{
  const int target = kit_random(state, group->size);
  int64_t before = -1, seen[MOST_MEMBERS];
  STEP(cw_fetch_add_int64(&group->slices[target]->counter, 1, cw_team_process(group->team, target),
                          &before));
  MEET(group, cw_allgather(group->team, &before, sizeof before, seen));
  for (int rank = 0; rank < group->size; rank++)
    kit_check(rank == group->rank || seen[rank] != before, "two members got %lld",
              (long long)before);
  return CW_OK;
}

static cw_error make_notification(struct group *group, uint64_t *state)
{
  (void)state;
  const int right = (group->rank + 1) % group->size;
  const int64_t round = ++group->mails;
  int64_t count = 0;
  STEP(cw_put_notify(&round, &group->slices[right]->mail, sizeof round,
                     cw_team_process(group->team, right), group->notifications, 0));
  STEP(cw_notification_wait(group->notifications, 0, CW_AT_LEAST, round, &count));
  const int64_t mail = __atomic_load_n(&group->slices[group->rank]->mail, __ATOMIC_ACQUIRE);
  kit_check(count >= round && mail >= round, "notification %lld of %lld brings %lld",
            (long long)count, (long long)round, (long long)mail);
  return CW_OK;
}

/* An agreement while nothing has failed, or after a failure of which the members do not know. A
 * member that knows of one is not here: the barrier fails then. */
static cw_error make_agreement(struct group *group, uint64_t *state)
{
  (void)state;
  size_t failed = 0;
  MEET(group, cw_barrier(group->team));
  MEET(group, cw_team_agree_failed(group->team, 0, NULL, &failed));
  return failed == 0 ? CW_OK : CW_FAILED;
}

/* Nonblocking collectives, in the order of their starts. */
enum { CALLS = 4, NUMBERS = 6000 };
struct started_call {
  int kind, root, count;
  long mine[MOST_MEMBERS * NUMBERS], all[MOST_MEMBERS * NUMBERS];
  cw_handle handle;
};
enum { I_BARRIER, I_BROADCAST, I_ALLREDUCE, I_ALLGATHER, I_ALLTOALL, I_KINDS };

/* The number at `place` that `from` has for `to`. */
static long number_of(int from, int to, int place)
{
  return 1000L * from + 100000L * to + place;
}

static cw_error call_start(const struct group *group, struct started_call *call)
{
  const cw_team team = group->team;
  const size_t bytes = (size_t)call->count * sizeof(long);
  for (int i = 0; i < call->count; i++)
    call->all[i] =
        group->rank == call->root || call->kind == I_ALLREDUCE ? number_of(group->rank, 0, i) : -1;
  for (int to = 0; to < group->size; to++)
    for (int i = 0; i < call->count; i++)
      call->mine[to * call->count + i] = number_of(group->rank, to, i);
  switch (call->kind) {
  case I_BARRIER:
    return CW_MAY_FAIL(cw_ibarrier(team, &call->handle));
  case I_BROADCAST:
    return CW_MAY_FAIL(cw_ibroadcast(team, call->root, call->all, bytes, &call->handle));
  case I_ALLREDUCE:
    return CW_MAY_FAIL(
        cw_iallreduce(team, CW_LONG, CW_SUM, (size_t)call->count, call->all, &call->handle));
  case I_ALLGATHER:
    return CW_MAY_FAIL(cw_iallgather(team, call->mine, bytes, call->all, &call->handle));
  default:
    return CW_MAY_FAIL(cw_ialltoall(team, call->mine, bytes, call->all, &call->handle));
  }
}

static void call_check(const struct group *group, const struct started_call *call)
{
  const int size = group->size, pieces = call->kind < I_ALLGATHER ? 1 : size;
  int wrong = 0;
  for (int from = 0; from < pieces && call->kind != I_BARRIER; from++)
    for (int i = 0; i < call->count; i++) {
      const long got = call->all[from * call->count + i];
      if (call->kind == I_BROADCAST)
        wrong += got != number_of(call->root, 0, i);
      else if (call->kind == I_ALLREDUCE)
        wrong += got != 1000L * size * (size - 1) / 2 + (long)size * i;
      else
        wrong += got != number_of(from, call->kind == I_ALLTOALL ? group->rank : 0, i);
    }
  kit_check(wrong == 0, "%d of %d numbers of a nonblocking call (%d) are wrong", wrong, call->count,
            call->kind);
}

/* Several nonblocking calls, with a blocking one between them. All that have started are waited
 * for, also after a failure, because they use the buffers. */
static cw_error make_nonblocking(struct group *group, uint64_t *state)
{
  static struct started_call calls[CALLS];
  const bool meets = kit_random(state, 2) == 0, backwards = kit_random(state, 2) == 0;
  cw_error error = CW_OK;
  int started = 0;
  for (int i = 0; i < CALLS; i++) {
    calls[i].kind = kit_random(state, I_KINDS);
    calls[i].root = kit_random(state, group->size);
    calls[i].count = 1 + kit_random(state, kit_random(state, 2) == 0 ? 10 : NUMBERS);
    calls[i].handle = (cw_handle){0};
  }
  for (int i = 0; i < CALLS && error == CW_OK; i++, started++) {
    survivor_call();
    error = call_start(group, &calls[i]);
  }
  if (meets && error == CW_OK)
    error = CW_MAY_FAIL(cw_barrier(group->team));
  group->met += meets && error == CW_OK;
  for (int i = 0; i < started; i++) {
    struct started_call *call = &calls[backwards ? started - 1 - i : i];
    survivor_call();
    const cw_error waited = CW_MAY_FAIL(cw_wait(&call->handle));
    if (waited == CW_OK) {
      call_check(group, call);
      group->met++;
    } else {
      error = waited;
    }
  }
  return error;
}

static const struct operation {
  const char *name;
  cw_error (*make)(struct group *group, uint64_t *state);
} operations[] = {{"agreement", make_agreement}, {"barrier", make_barrier},
                  {"broadcast", make_broadcast}, {"allreduce", make_allreduce},
                  {"gathers", make_gathers},     {"region", make_region},
                  {"split", make_split},         {"accumulate", make_accumulate},
                  {"counter", make_counter},     {"notification", make_notification},
                  {"locks", make_locks},         {"team", make_team},
                  {"vectors", make_vectors},     {"nonblocking", make_nonblocking}};
enum { OPERATIONS = (int)(sizeof operations / sizeof *operations) };

/* --- The objects of a team -------------------------------------------------------------------- */

static cw_error group_begin(struct group *group, cw_team team)
{
  void *addresses[MOST_MEMBERS];
  *group = (struct group){.team = team, .size = cw_team_size(team), .rank = cw_team_rank(team)};
  MEET(group, cw_region_create(team, sizeof(struct slice), &group->region, addresses));
  for (int rank = 0; rank < group->size; rank++)
    group->slices[rank] = addresses[rank];
  memset(group->slices[group->rank], 0, sizeof(struct slice));
  MEET(group, cw_mutexes_create(team, MUTEXES, &group->mutexes));
  MEET(group, cw_notifications_create(team, 1, &group->notifications));
  MEET(group, cw_barrier(team));
  return CW_OK;
}

/* Checks the sums in the memory of all members that can be reached, of dead ones, too. The memory
 * of a member is lost if its node is. Then its accumulates to others are unknown. */
static void group_check(struct group *group)
{
  struct slice copies[MOST_MEMBERS];
  bool here[MOST_MEMBERS], all = true;
  for (int rank = 0; rank < group->size; rank++) {
    const cw_error error = CW_MAY_FAIL(cw_get(&copies[rank], group->slices[rank], sizeof copies[0],
                                              cw_team_process(group->team, rank)));
    kit_check(error == CW_OK || (on_nodes && error == CW_FAILED), "get: %d %s", (int)error,
              cw_error_message());
    here[rank] = error == CW_OK;
    all = all && here[rank];
  }
  for (int host = 0; host < group->size; host++) {
    int64_t begun = 0, done = 0;
    int wrong = 0;
    for (int rank = 0; rank < group->size; rank++) {
      begun += here[rank] ? copies[rank].begun[host] : 0;
      done += here[rank] ? copies[rank].done[host] : 0;
    }
    for (int i = 0; i < ELEMENTS && here[host]; i++) {
      const double sum = copies[host].sums[i];
      wrong += !(sum >= (double)done && (!all || sum <= (double)begun));
    }
    kit_check(wrong == 0, "%d of %d sums at rank %d are not between %lld and %lld", wrong, ELEMENTS,
              host, (long long)done, (long long)begun);
  }
}

/* Checks the guarded numbers, by locking each mutex. */
static void group_check_mutexes(struct group *group)
{
  for (int host = 0; host < group->size && group->mutexes != NULL; host++)
    for (int number = 0; number < MUTEXES; number++)
      MUST(use_mutex(group, host, number, false));
}

static void group_end(struct group *group)
{
  if (group->notifications != NULL)
    MUST(cw_notifications_free(&group->notifications));
  if (group->mutexes != NULL)
    MUST(cw_mutexes_free(&group->mutexes));
  MUST(cw_region_free(group->team, &group->region));
  if (group->team != cw_team_world())
    MUST(cw_team_free(&group->team));
}

/* --- After a failure -------------------------------------------------------------------------- */

/* Values that are the same on all survivors. */
struct history {
  long met, failed, hash;
};

static struct history agree(struct group *group)
{
  int ranks[MOST_MEMBERS];
  size_t failed = 0;
  struct history history = {.met = (long)group->met};
  MUST(cw_team_agree_failed(group->team, MOST_MEMBERS, ranks, &failed));
  kit_check(failed > 0, "a call returned CW_FAILED, and no member has failed");
  history.failed = (long)failed;
  for (size_t i = 0; i < failed; i++)
    history.hash = history.hash * 31 + ranks[i] + 1;
  return history;
}

static cw_error compare(cw_team team, const struct history *mine)
{
  struct history least = *mine, most = *mine;
  STEP(cw_allreduce(team, CW_LONG, CW_MINIMUM, 3, &least));
  STEP(cw_allreduce(team, CW_LONG, CW_MAXIMUM, 3, &most));
  kit_check(least.met == most.met,
            "survivors completed %ld to %ld collective calls before the failure", least.met,
            most.met);
  kit_check(least.hash == most.hash && least.failed == most.failed,
            "survivors agreed on different sets of %ld to %ld failed members", least.failed,
            most.failed);
  return CW_OK;
}

/* Continues with a team of the survivors. Returns CW_FAILED if one of them has failed meanwhile. */
static cw_error recover(struct group *group)
{
  const struct history mine = agree(group);
  cw_team survivors = NULL;
  MUST(cw_team_shrink(group->team, &survivors));
  kit_check(cw_team_size(survivors) <= group->size - (int)mine.failed,
            "%d of %d survive, and %ld have failed", cw_team_size(survivors), group->size,
            mine.failed);
  if (group->notifications != NULL) { /* all objects had been made */
    group_check(group);
    group_check_mutexes(group);
  }
  group_end(group);
  const cw_error begun = group_begin(group, survivors);
  return begun == CW_OK ? compare(group->team, &mine) : begun;
}

static const struct operation *only; /* of the command line, or NULL */

static const struct operation *operation_named(const char *name)
{
  for (int i = 0; i < OPERATIONS; i++)
    if (strcmp(operations[i].name, name) == 0)
      return &operations[i];
  fprintf(stderr, "rounds: there is no operation %s\n", name);
  exit(2);
}

/* Makes `rounds` random operations, and an agreement, after which all members end or none. */
static cw_error rounds_make(struct group *group, int part, long rounds)
{
  cw_error error = CW_OK;
  for (long round = 0; round <= rounds && error == CW_OK; round++) {
    uint64_t state = survivor_sequence((uint64_t)part, (uint64_t)round);
    const struct operation *operation = &operations[kit_random(&state, OPERATIONS)];
    if (round == rounds)
      operation = operation_named("agreement");
    else if (only != NULL)
      operation = only;
    kit_about("part %d, round %ld (%s, team of %d)", part, round, operation->name, group->size);
    error = operation->make(group, &state);
  }
  kit_check(error == CW_OK || error == CW_FAILED, "error %d: %s", (int)error, cw_error_message());
  return error;
}

/* If `until_failure`, a part without failures is followed by another one until processes have
 * failed. */
static void rounds_run(struct group *group, long rounds, bool until_failure)
{
  cw_error error = group_begin(group, cw_team_world());
  for (int part = 0;
       part == 0 || error != CW_OK || (until_failure && group->size == kit_processes()); part++) {
    kit_about("recovery %d", part);
    while (error != CW_OK)
      error = recover(group);
    error = rounds_make(group, part, rounds);
  }
}

int main(int argc, char **argv)
{
  struct group group;
  int level = 0;
  on_nodes = argc > 5;
  only = argc > 6 ? operation_named(argv[6]) : NULL;
  if (on_nodes) {
    kit_check(setenv("CW_NODE_SIZE", argv[5], 1) == 0, "setenv");
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    survivor_spare_first();
  }
  survivor_start(&argc, &argv, "rounds");
  CW_MUST(cw_init(MPI_COMM_WORLD));
  const bool is_cut = strcmp(argv[3], "cut") == 0;
  survivor_choose(atoi(argv[2]), survivor_death_of(argv[3]), atoi(argv[4]));
  CW_MUST(cw_barrier(cw_team_world())); /* the others, too, have returned from cw_init */
  survivor_begin_deaths();
  if (is_cut && kit_me() == 0) {
    printf("rounds: cut\n");
    fflush(stdout);
  }
  rounds_run(&group, kit_rounds(argv[1], 300), is_cut);
  kit_about("end");
  if (on_nodes)
    survivor_end_deaths(); /* a death in cw_finalize may end a job on several nodes */
  group_check(&group);
  group_check_mutexes(&group);
  group_end(&group);
  survivor_end();
}
