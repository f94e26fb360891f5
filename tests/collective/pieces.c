/* Scans, scatters and exchanges of several teams, blocking and non-blocking, compared with results
 * that each member can compute alone.
 *
 *   pieces scan      inclusive and exclusive ones, of several types
 *   pieces move      scatter, alltoall, and those with different lengths
 *   pieces random    those with different lengths, compared with a model of the whole buffer
 *   pieces differ    members send other lengths than the others expect, or to other roots
 *   pieces nothing   one member has no data where the others have some, or is in another call
 *   pieces start     non-blocking calls: several at once, mixed with blocking ones
 *   pieces leave     a team is freed, and the job ends, before they are waited for
 *   pieces checked   with CW_CHECK=1: calls of members that do not agree are rejected */
#include "collective/model.h"
#include "kit/native.h"

#include <stdlib.h>
#include <string.h>

enum { WORLD, BACKWARDS, TEAMS, BUFFER_BYTES = 1 << 20 };
static cw_team teams[TEAMS];

/* Returns byte i of the data that rank `from` sends to rank `to`. */
static char payload(int from, int to, size_t i)
{
  return (char)(from * 61 + to * 17 + (int)(i % 241) + (int)(i >> 12));
}

static void fill(char *at, int from, int to, size_t bytes)
{
  for (size_t i = 0; i < bytes; i++)
    at[i] = payload(from, to, i);
}

static void check(const char *at, int from, int to, size_t bytes, const char *what)
{
  size_t wrong = 0;
  for (size_t i = 0; i < bytes; i++)
    wrong += at[i] != payload(from, to, i);
  kit_check_long((long)wrong, 0, what);
}

/* --- Scans ------------------------------------------------------------------------------------ */

static void scan_one(cw_team team, cw_type type, cw_reduction reduction, size_t count, bool alone)
{
  const int rank = cw_team_rank(team);
  const size_t bytes = count * sizeof(int64_t);
  int64_t *mine = kit_alloc(bytes + 8, 1);
  for (size_t i = 0; i < count; i++)
    mine[i] = (int64_t)(i % 7) + rank;
  kit_about("scan of %zu, reduction %d, team of %d", count, (int)reduction, cw_team_size(team));
  if (alone)
    KIT_OK(cw_exclusive_scan(team, type, reduction, count, mine));
  else
    KIT_OK(cw_scan(team, type, reduction, count, mine));
  long wrong = 0;
  for (size_t i = 0; i < count; i++) {
    const int last = alone && rank > 0 ? rank - 1 : rank, first = alone && rank == 0 ? rank : 0;
    int64_t want = 0;
    for (int r = first; r <= last; r++)
      want = reduction == CW_SUM ? want + (int64_t)(i % 7) + r : (int64_t)(i % 7) + r;
    wrong += mine[i] != want;
  }
  kit_check_long(wrong, 0, "wrong numbers");
  free(mine);
}

static void test_scan(void)
{
  static const size_t counts[] = {0, 1, 700, 9001, 600000};
  for (int t = 0; t < TEAMS; t++)
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
      scan_one(teams[t], CW_INT64, CW_SUM, counts[c], c % 2 == 0);
      scan_one(teams[t], CW_LONG, CW_MAXIMUM, counts[c], c % 2 != 0);
    }
}

/* --- Pieces ----------------------------------------------------------------------------------- */

static void scatter_one(cw_team team, int root, size_t bytes, char *all, char *mine)
{
  const int rank = cw_team_rank(team), size = cw_team_size(team);
  for (int to = 0; rank == root && to < size; to++)
    fill(all + (size_t)to * bytes, root, to, bytes);
  char *to = rank == root && root % 2 == 1 ? all + (size_t)rank * bytes : mine;
  KIT_OK(cw_scatter(team, root, rank == root ? all : NULL, bytes, to));
  check(to, root, rank, bytes, "wrong bytes of a scatter");
}

static void alltoall_one(cw_team team, size_t bytes, char *mine, char *all)
{
  const int rank = cw_team_rank(team), size = cw_team_size(team);
  for (int to = 0; to < size; to++)
    fill(mine + (size_t)to * bytes, rank, to, bytes);
  KIT_OK(cw_alltoall(team, mine, bytes, all));
  for (int from = 0; from < size; from++)
    check(all + (size_t)from * bytes, from, rank, bytes, "wrong bytes of an exchange");
}

/* Returns the number of bytes that `from` sends to `to`; for some pairs it is 0. */
static size_t length(int from, int to, size_t unit)
{
  return (size_t)((from * 5 + to * 3) % 4) * unit;
}

static void varied_one(cw_team team, size_t unit, char *mine, char *all, bool placed)
{
  const int rank = cw_team_rank(team), size = cw_team_size(team);
  size_t out[16], in[16], out_at[16], in_at[16], next = 0, other = 0;
  for (int i = 0; i < size; i++) {
    out[i] = length(rank, i, unit);
    in[i] = length(i, rank, unit);
    out_at[i] = placed ? (size_t)(size - 1 - i) * 4 * unit : next;
    in_at[i] = placed ? (size_t)(size - 1 - i) * 4 * unit : other;
    next += out[i];
    other += in[i];
    fill(mine + out_at[i], rank, i, out[i]);
  }
  KIT_OK(cw_alltoallv(team, mine, out, placed ? out_at : NULL, all, in, placed ? in_at : NULL));
  for (int i = 0; i < size; i++)
    check(all + in_at[i], i, rank, in[i], "wrong bytes of an exchange of several lengths");
}

static void gather_varied(cw_team team, int root, size_t unit, char *mine, char *all)
{
  const int rank = cw_team_rank(team), size = cw_team_size(team);
  const bool gets = root < 0 || rank == root;
  size_t sizes[16], places[16];
  for (int i = 0; i < size; i++) {
    sizes[i] = (size_t)(i % 3) * unit;
    places[i] = (size_t)i * 2 * unit;
  }
  fill(mine, rank, 0, sizes[rank]);
  memset(all, 0, BUFFER_BYTES); /* clear it, because the same pieces may have come before */
  if (root < 0)
    KIT_OK(cw_allgatherv(team, mine, sizes[rank], all, sizes, places));
  else
    KIT_OK(cw_gatherv(team, root, mine, sizes[rank], gets ? all : NULL, gets ? sizes : NULL,
                      gets ? places : NULL));
  for (int i = 0; gets && i < size; i++)
    check(all + places[i], i, 0, sizes[i], "wrong bytes gathered");
  if (root < 0)
    return;
  memset(mine, 0, sizes[rank]);
  KIT_OK(cw_scatterv(team, root, gets ? all : NULL, gets ? sizes : NULL, gets ? places : NULL, mine,
                     sizes[rank]));
  check(mine, rank, 0, sizes[rank], "wrong bytes scattered");
}

static void test_move(void)
{
  static const size_t sizes[] = {0, 1, 37, 1365, 4097, 150001};
  char *mine = kit_alloc(BUFFER_BYTES, 4), *all = kit_alloc(BUFFER_BYTES, 4);
  for (int t = 0; t < TEAMS; t++)
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
      kit_about("pieces of %zu bytes, team %d", sizes[s], t);
      for (int root = 0; root < cw_team_size(teams[t]); root++)
        scatter_one(teams[t], root, sizes[s], all, mine);
      alltoall_one(teams[t], sizes[s], mine, all);
      varied_one(teams[t], sizes[s], mine, all, s % 2 == 0);
      gather_varied(teams[t], -1, sizes[s], mine, all);
      gather_varied(teams[t], cw_team_size(teams[t]) - 1, sizes[s], mine, all);
    }
  free(mine);
  free(all);
}

/* --- Pieces of any length at any offset ------------------------------------------------------- */

enum { MOST = 4, ROUNDS = 80, ALLTOALL = 0, ALLGATHER, GATHER, SCATTER, KINDS };

/* One call, known to all processes: the pieces that `from` sends to `to`, and their offsets at
 * both. */
struct draw {
  int kind, root;
  bool alike; /* all members receive the same piece */
  size_t bytes[MOST][MOST], from_at[MOST][MOST], to_at[MOST][MOST];
};

/* Returns a length near the space that a page has after its list of pieces: that of a block, of a
 * wide page, or of both. */
static size_t some_length(int size)
{
  const size_t list = 16 + 16 * (size_t)size, page = 4096 - list, wide = 65536 - list;
  const size_t lengths[] = {0, 0, 1, 8, 37, 1365, page, page, 4096, wide, page + wide, 100003};
  const size_t length = lengths[kit_common(sizeof lengths / sizeof lengths[0])];
  return length == 0 ? 0 : length + (size_t)kit_common(3) - (length > 1);
}

/* Arranges pieces with gaps and not in the order of ranks. */
static void lay(int size, size_t bytes[][MOST], size_t at[][MOST], int rank, bool by_sender)
{
  const int first = kit_common(size);
  size_t next = (size_t)kit_common(9);
  for (int i = 0; i < size; i++) {
    const int other = (first + i) % size;
    const int from = by_sender ? other : rank, to = by_sender ? rank : other;
    at[from][to] = next;
    next += bytes[from][to] + (size_t)kit_common(9);
  }
}

static void draw_one(int size, struct draw *draw)
{
  size_t lengths[MOST];
  memset(draw, 0, sizeof *draw);
  draw->kind = kit_common(KINDS);
  draw->root = kit_common(size);
  draw->alike = draw->kind == ALLGATHER || draw->kind == GATHER || kit_common(3) == 0;
  for (int rank = 0; rank < size; rank++)
    lengths[rank] = some_length(size);
  for (int from = 0; from < size; from++)
    for (int to = 0; to < size; to++) {
      const size_t own = draw->kind == ALLTOALL && !draw->alike ? some_length(size) : 0;
      const bool sent = (draw->kind != GATHER || to == draw->root) &&
                        (draw->kind != SCATTER || from == draw->root);
      const int whose = draw->kind == SCATTER ? to : from;
      draw->bytes[from][to] = !sent ? 0 : own > 0 ? own : lengths[whose];
    }
  if (draw->kind == SCATTER)
    draw->alike = false;
  for (int rank = 0; rank < size; rank++) {
    lay(size, draw->bytes, draw->from_at, rank, false);
    lay(size, draw->bytes, draw->to_at, rank, true);
  }
}

static cw_error make_call(cw_team team, const struct draw *draw, char *mine, char *all)
{
  const int rank = cw_team_rank(team), size = cw_team_size(team), root = draw->root;
  size_t out[MOST], out_at[MOST], in[MOST], in_at[MOST];
  const bool is_root = rank == root;
  for (int i = 0; i < size; i++) {
    out[i] = draw->bytes[rank][i];
    out_at[i] = draw->alike ? 0 : draw->from_at[rank][i];
    in[i] = draw->bytes[i][rank];
    in_at[i] = draw->to_at[i][rank];
  }
  switch (draw->kind) {
  case ALLTOALL:
    return cw_alltoallv(team, mine, out, out_at, all, in, in_at);
  case ALLGATHER:
    return cw_allgatherv(team, mine, out[0], all, in, in_at);
  case GATHER:
    return cw_gatherv(team, root, mine, out[root], is_root ? all : NULL, is_root ? in : NULL,
                      is_root ? in_at : NULL);
  default:
    return cw_scatterv(team, root, is_root ? mine : NULL, is_root ? out : NULL,
                       is_root ? out_at : NULL, all + in_at[root], in[root]);
  }
}

/* Bytes outside the received pieces must stay unchanged. */
static void test_random(void)
{
  char *mine = kit_alloc(BUFFER_BYTES, 1), *all = kit_alloc(BUFFER_BYTES, 1),
       *want = kit_alloc(BUFFER_BYTES, 1);
  for (int round = 0; round < ROUNDS; round++) {
    static struct draw draw;
    const cw_team team = teams[round % TEAMS];
    const int rank = cw_team_rank(team), size = cw_team_size(team);
    draw_one(size, &draw);
    size_t end = 64;
    for (int i = 0; i < size; i++) {
      const size_t until = draw.to_at[i][rank] + draw.bytes[i][rank];
      end = until + 64 > end ? until + 64 : end;
    }
    memset(all, 0x55, end);
    memset(want, 0x55, end);
    for (int i = 0; i < size; i++) {
      fill(mine + (draw.alike ? 0 : draw.from_at[rank][i]), rank, draw.alike ? 0 : i,
           draw.bytes[rank][i]);
      fill(want + draw.to_at[i][rank], i, draw.alike ? 0 : rank, draw.bytes[i][rank]);
    }
    kit_about("round %d: call %d, root %d, alike %d", round, draw.kind, draw.root, draw.alike);
    KIT_OK(make_call(team, &draw, mine, all));
    kit_check_bytes(all, want, end, "bytes of the whole buffer");
  }
  free(mine);
  free(all);
  free(want);
}

/* All members get the error without another call, and the team remains usable. odd: the last rank's
 * length, which the others do not expect. */
static void differ(const char *words, size_t bytes, size_t odd)
{
  char *mine = kit_alloc(BUFFER_BYTES, 1), *all = kit_alloc(BUFFER_BYTES, 1);
  const cw_team world = cw_team_world();
  const int size = kit_processes(), last = size - 1;
  const bool is_odd = kit_me() == last;
  size_t same[MOST], other[MOST];
  for (int i = 0; i < size; i++)
    same[i] = other[i] = bytes;
  other[0] = is_odd ? odd : bytes;
  KIT_MISUSE(words, cw_alltoallv(world, mine, other, NULL, all, same, NULL));
  KIT_MISUSE(words, cw_gatherv(world, 0, mine, other[0], all, same, NULL));
  other[0] = bytes;
  other[last] = is_odd ? odd : bytes;
  KIT_MISUSE(words, cw_allgatherv(world, mine, other[last], all, other, NULL));
  other[last] = bytes;
  other[0] = odd;
  KIT_MISUSE(words, is_odd ? cw_scatterv(world, last, all, other, NULL, mine, bytes)
                           : cw_scatterv(world, last, NULL, NULL, NULL, mine, bytes));
  gather_varied(world, last, bytes / 3, mine, all);
  free(mine);
  free(all);
}

static void test_differ(void)
{
  const cw_team world = cw_team_world();
  const int last = kit_processes() - 1;
  char mine[8] = {0}, sent[MOST * 16] = {0}, all[MOST * 16];
  const size_t eights[MOST] = {8, 8, 8, 8};
  kit_about("lengths that differ");
  differ(" sends 16 bytes to rank |, which expects 8", 8, 16);
  differ(" sends 0 bytes to rank |, which expects 8", 8, 0);
  differ(" sends 100002 bytes to rank |, which expects 100001", 100001, 100002);
  /* Too much in one direction and as much too little in the other. */
  size_t lengths[MOST] = {8, 8, 8, 8};
  lengths[last] = kit_me() == 0 ? 16 : 8;
  KIT_MISUSE("cw_alltoallv: | bytes to rank |, which expects ",
             cw_alltoallv(world, sent, lengths, NULL, all, lengths, NULL));
  KIT_MISUSE("cw_gatherv: ",
             cw_gatherv(world, kit_me() == last ? last : 0, mine, 8, all, eights, NULL));
  KIT_MISUSE("cw_scatterv: ",
             cw_scatterv(world, kit_me() == last ? last : 0, all, eights, NULL, mine, 8));
}

/* No member waits for one without data, and the team remains usable. */
static void test_nothing(void)
{
  const char *const at_other_step = " is at another step of ";
  const cw_team world = cw_team_world();
  const int last = kit_processes() - 1;
  const bool odd = kit_me() == last;
  const size_t one = odd ? 0 : 1;
  long word[MOST] = {1}, all[MOST];
  kit_about("one that has nothing");
  KIT_MISUSE(at_other_step, cw_broadcast(world, 0, word, 8 * one));
  KIT_MISUSE(at_other_step, cw_allreduce(world, CW_LONG, CW_SUM, one, word));
  KIT_MISUSE(at_other_step, cw_reduce(world, last, CW_LONG, CW_MAXIMUM, one, word));
  KIT_MISUSE(at_other_step, cw_allgather(world, word, 8 * one, all));
  KIT_MISUSE(at_other_step, cw_gather(world, 0, word, 8 * one, all));
  KIT_MISUSE(at_other_step, cw_scatter(world, 0, all, 8 * one, word));
  KIT_MISUSE(at_other_step, cw_alltoall(world, word, 8 * one, all));
  KIT_MISUSE(at_other_step, cw_scan(world, CW_LONG, CW_SUM, one, word));
  KIT_MISUSE(at_other_step, cw_exclusive_scan(world, CW_LONG, CW_SUM, one, word));
  KIT_MISUSE("different collective calls",
             odd ? cw_broadcast(world, 0, NULL, 0) : cw_allgather(world, NULL, 0, NULL));
  KIT_MISUSE("different collective calls",
             odd ? cw_allreduce(world, CW_LONG, CW_SUM, 0, NULL) : cw_barrier(world));
  KIT_OK(cw_broadcast(world, last, NULL, 0));
  KIT_OK(cw_allreduce(world, CW_DOUBLE, CW_MINIMUM, 0, NULL));
  KIT_OK(cw_scan(world, CW_INT, CW_SUM, 0, NULL));
  KIT_OK(cw_scatter(world, 0, NULL, 0, NULL));
  KIT_OK(cw_alltoall(world, NULL, 0, NULL));
  word[0] = 1;
  KIT_OK(cw_allreduce(world, CW_LONG, CW_SUM, 1, word));
  kit_check_long(word[0], kit_processes(), "members");
}

/* --- Non-blocking calls ----------------------------------------------------------------------- */

enum { AT_ONCE = 5, WORDS = 3000 };

static void start_round(cw_team team, int round)
{
  static long sums[AT_ONCE][WORDS], sent[16 * WORDS], arrived[16 * WORDS], all[16 * WORDS];
  const int rank = cw_team_rank(team), size = cw_team_size(team);
  cw_handle handles[AT_ONCE + 2] = {{0, 0}}, barrier = {0, 0};
  long word = rank == round % size ? 77 + round : 0, one = 1;
  for (int i = 0; i < AT_ONCE; i++) {
    for (int j = 0; j < WORDS; j++)
      sums[i][j] = rank + i + j;
    KIT_OK(cw_iallreduce(team, CW_INT64, CW_SUM, i == 0 ? 1 : WORDS, sums[i], &handles[i]));
  }
  KIT_OK(cw_ibroadcast(team, round % size, &word, sizeof word, &handles[AT_ONCE]));
  for (int i = 0; i < size * WORDS; i++)
    sent[i] = rank * 1000 + i / WORDS;
  KIT_OK(cw_ialltoall(team, sent, WORDS * sizeof(long), arrived, &handles[AT_ONCE + 1]));
  KIT_OK(cw_allreduce(team, CW_LONG, CW_SUM, 1, &one)); /* a blocking call between them */
  KIT_OK(cw_iallgather(team, sent, WORDS * sizeof(long), all, &handles[AT_ONCE + 1]));
  KIT_OK(cw_ibarrier(team, &barrier));
  kit_check_long(one, size, "members");
  KIT_OK(cw_handle_wait_all(handles, AT_ONCE + 2));
  for (bool done = false; !done;)
    KIT_OK(cw_test(&barrier, &done));
  long wrong = word != 77 + round;
  for (int i = 0; i < AT_ONCE; i++)
    for (int j = 0; j < (i == 0 ? 1 : WORDS); j++)
      wrong += sums[i][j] != (long)size * (size - 1) / 2 + (long)size * (i + j);
  for (int i = 0; i < size * WORDS; i++)
    wrong += (arrived[i] != i / WORDS * 1000 + rank) + (all[i] != i / WORDS * 1000);
  kit_check_long(wrong, 0, "wrong numbers");
}

/* When a barrier is complete, the puts that members made before it are visible. The process that
 * waits last does so long after the others have continued. */
static void put_before_barrier(void)
{
  void *at[16];
  cw_region region = NULL;
  cw_handle handle = {0, 0};
  const int next = (kit_me() + 1) % kit_processes();
  KIT_MUST(cw_region_create(cw_team_world(), sizeof(long), &region, at));
  for (long round = 1; round < 20; round++) {
    const long want = round;
    KIT_OK(cw_put(&round, at[next], sizeof round, next));
    KIT_OK(cw_ibarrier(cw_team_world(), &handle));
    KIT_OK(cw_wait(&handle));
    kit_check_long(*(volatile long *)at[kit_me()], want, "what was put before the barrier");
    KIT_OK(cw_barrier(cw_team_world()));
  }
  KIT_OK(cw_region_free(cw_team_world(), &region));
}

/* A start waits for no member: the others make the call only after a message from this process. */
static void start_is_alone(void)
{
  cw_notifications started = NULL;
  cw_handle handle = {0, 0};
  int64_t value = 0;
  KIT_MUST(cw_notifications_create(cw_team_world(), 1, &started));
  if (kit_me() == 0) {
    KIT_OK(cw_ibarrier(cw_team_world(), &handle));
    for (int to = 1; to < kit_processes(); to++)
      KIT_OK(cw_put_notify(NULL, NULL, 0, to, started, 0));
  } else {
    KIT_OK(cw_notification_wait(started, 0, CW_AT_LEAST, 1, &value));
    kit_check_long((long)value, 1, "notifications");
    KIT_OK(cw_ibarrier(cw_team_world(), &handle));
  }
  KIT_OK(cw_wait(&handle));
  KIT_OK(cw_notifications_free(&started));
}

/* The calls of two teams are started in different orders, which must not deadlock. */
static void start_is_crossed(void)
{
  cw_handle handle = {0, 0};
  long sum = 1;
  if (kit_me() != 0)
    KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_iallreduce(teams[BACKWARDS], CW_LONG, CW_SUM, 1, &sum, &handle));
  if (kit_me() == 0)
    KIT_OK(cw_barrier(cw_team_world()));
  KIT_OK(cw_wait(&handle));
  kit_check_long(sum, cw_team_size(teams[BACKWARDS]), "members of a team whose calls are crossed");
}

static void test_start(void)
{
  for (int t = 0; t < TEAMS; t++)
    for (int round = 0; round < 4; round++) {
      kit_about("calls that do not wait, round %d of team %d", round, t);
      start_round(teams[t], round);
    }
  kit_about("a barrier that does not wait");
  put_before_barrier();
  start_is_alone();
  start_is_crossed();
}

/* Operations are waited for after their team was freed, or never, so that cw_finalize completes
 * them. */
static void test_leave(void)
{
  static long sum[2] = {1, 1};
  static cw_handle left;
  cw_team team = NULL;
  cw_handle handle = {0, 0};
  KIT_MUST(cw_team_dup(cw_team_world(), &team));
  KIT_OK(cw_iallreduce(team, CW_LONG, CW_SUM, 1, &sum[0], &handle));
  KIT_OK(cw_iallreduce(team, CW_LONG, CW_SUM, 1, &sum[1], &left));
  KIT_OK(cw_team_free(&team));
  KIT_OK(cw_wait(&handle));
  kit_check_long(sum[0], kit_processes(), "members of a team that is freed");
}

static void test_checked(void)
{
  const cw_team world = cw_team_world();
  const int odd = kit_me() == kit_processes() - 1, size = kit_processes();
  long word[64] = {0}, all[64] = {0};
  size_t in[16], out[16];
  cw_handle handle = {0, 0};
  for (int i = 0; i < size; i++)
    in[i] = out[i] = 8;
  KIT_MISUSE("cw_scatter: |root", cw_scatter(world, odd, word, 8, all));
  KIT_MISUSE("cw_alltoall: |bytes", cw_alltoall(world, word, odd ? 4 : 8, all));
  KIT_MISUSE("cw_scan: |count", cw_scan(world, CW_LONG, CW_SUM, odd ? 1 : 2, word));
  /* Non-blocking calls return errors when they are waited for. Calls before and after them, on
   * which members agree, succeed. */
  long one = 1, two = 2;
  cw_handle good[2] = {{0, 0}, {0, 0}};
  KIT_OK(cw_iallreduce(world, CW_LONG, CW_SUM, 1, &one, &good[0]));
  KIT_OK(cw_iallreduce(world, odd ? CW_LONG : CW_INT, CW_SUM, 1, word, &handle));
  KIT_OK(cw_iallreduce(world, CW_LONG, CW_SUM, 1, &two, &good[1]));
  KIT_MISUSE("cw_iallreduce: |type", cw_wait(&handle));
  KIT_OK(cw_ibroadcast(world, 0, word, odd ? 0 : 8, &handle));
  KIT_MISUSE("cw_ibroadcast: |bytes", cw_wait(&handle));
  KIT_OK(odd ? cw_ialltoall(world, word, 8, all, &handle) : cw_ibarrier(world, &handle));
  KIT_MISUSE("cw_ialltoall|cw_ibarrier", cw_wait(&handle));
  KIT_OK(cw_handle_wait_all(good, 2));
  kit_check_long(one + two, 3 * size, "sums of calls that are alike");
  if (odd)
    KIT_OK(cw_ibarrier(world, &handle));
  KIT_MISUSE("cw_barrier|cw_ibarrier", odd ? cw_wait(&handle) : cw_barrier(world));
  out[0] = odd && size > 1 ? 16 : 8;
  const cw_error error = cw_alltoallv(world, word, out, NULL, all, in, NULL);
  kit_check(error != CW_OK, "lengths that differ were not refused");
  if (kit_me() == 0)
    kit_check(strstr(cw_error_message(), "sends 16 bytes to rank 0, which expects 8") != NULL,
              "the sentence is: %s", cw_error_message());
  kit_check(handle.index == 0, "a refused call has a handle");
  KIT_OK(cw_barrier(world));
}

int main(int argc, char **argv)
{
  static const struct kit_part tests[] = {{"scan", test_scan},       {"move", test_move},
                                          {"random", test_random},   {"differ", test_differ},
                                          {"start", test_start},     {"leave", test_leave},
                                          {"checked", test_checked}, {"nothing", test_nothing}};
  kit_start_native(&argc, &argv, "pieces");
  kit_hang_guard();
  teams[WORLD] = cw_team_world();
  KIT_MUST(cw_team_split(teams[WORLD], 0, -kit_me(), &teams[BACKWARDS]));
  KIT_RUN_PARTS(argc, argv, tests);
  KIT_OK(cw_team_free(&teams[BACKWARDS]));
  return kit_finish_native();
}
