/* Collectives of several teams, compared with a serial model.
 *
 *   collectives reduce   every reduction of every type, short and long
 *   collectives rows     reductions of numbers in regions: this process's slice, another's, a
 *                        shared one
 *   collectives move     broadcast, gather, allgather of all lengths
 *   collectives chain    many in a row with changing roots, nothing between them
 *   collectives bits     all members get the same bits, and again the next time
 *   collectives none     NaNs in the minimum and the maximum
 *   collectives ends     resources of a team end with it
 *   collectives threads  two teams in two threads at once
 *   collectives checked  with CW_CHECK=1: calls of members that do not agree are rejected */
#include "collective/in_place_reduction.h"
#include "collective/model.h"
#include "kit/native.h"
#include "team/team.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { EDGE = 16, PIECE = 4 << 20 };

static const char *doing;

/* --- Teams ------------------------------------------------------------------------------------ */

enum {
  WORLD,
  BACKWARDS,
  HALF,
  ALONE,
  TEAMS
}; /* HALF: the processes of this one's parity, in reverse order */
static cw_team teams[TEAMS];

static void make_teams(void)
{
  teams[WORLD] = cw_team_world();
  KIT_MUST(cw_team_split(teams[WORLD], 0, -kit_me(), &teams[BACKWARDS]));
  KIT_MUST(cw_team_split(teams[WORLD], kit_me() % 2, -kit_me(), &teams[HALF]));
  KIT_MUST(cw_team_split(teams[WORLD], kit_me(), 0, &teams[ALONE]));
}

static void free_teams(void)
{
  for (int i = BACKWARDS; i < TEAMS; i++)
    KIT_OK(cw_team_free(&teams[i]));
}

/* --- Buffers with edges, at odd addresses ----------------------------------------------------- */

static char *make(size_t bytes)
{
  char *memory = kit_alloc(bytes + 2 * EDGE + 4, 1);
  memset(memory, 0x5a, bytes + 2 * EDGE + 4);
  return memory + EDGE + 4;
}

static void drop(char *buffer, size_t bytes)
{
  for (int i = 1; i <= EDGE; i++)
    if (buffer[-i] != 0x5a || buffer[bytes + (size_t)i - 1] != 0x5a) {
      kit_check(false, "%s: wrote outside the buffer", doing);
      break;
    }
  free(buffer - EDGE - 4);
}

/* --- Reductions ------------------------------------------------------------------------------- */

/* root: -1 if all members get the result. got: space for the result. */
static void reduce_at(cw_team team, int root, cw_type type, cw_reduction reduction, int round,
                      size_t count, char *got)
{
  const size_t bytes = count * model_element(type);
  char *want = kit_alloc(bytes + 1, 1);
  kit_about("%s of %zu %s, team of %d, root %d", model_reductions[reduction], count,
            model_types[type], cw_team_size(team), root);
  model_fill(type, kit_me(), round, count, got);
  model_reduce(team, type, reduction, round, count, want);
  if (root < 0)
    KIT_OK(cw_allreduce(team, type, reduction, count, got));
  else
    KIT_OK(cw_reduce(team, root, type, reduction, count, got));
  model_clean(type, count, got);
  if (root < 0 || root == cw_team_rank(team))
    kit_check_bytes(got, want, bytes, "result");
  free(want);
}

static void reduce_one(cw_team team, int root, cw_type type, cw_reduction reduction, int round,
                       size_t count)
{
  const size_t bytes = count * model_element(type);
  char *got = make(bytes);
  reduce_at(team, root, type, reduction, round, count, got);
  drop(got, bytes);
}

static void test_reduce(void)
{
  static const size_t counts[] = {0, 1, 37, 1500};
  static const size_t longer[] = {9000, 20011, 70000};
  doing = "reduce";
  for (int t = 0; t < TEAMS; t++) {
    for (int type = 0; type < CW_TYPES; type++)
      for (int reduction = 0; reduction < CW_REDUCTIONS; reduction++)
        for (int c = 0; c < 4 && model_defined((cw_type)type, (cw_reduction)reduction); c++) {
          const int root = (type + reduction + c) % (cw_team_size(teams[t]) + 2) - 2;
          reduce_one(teams[t], root < -1 ? -1 : root, (cw_type)type, (cw_reduction)reduction, c,
                     counts[c]);
        }
    for (int type = 0; type < CW_TYPES; type++)
      for (int c = 0; c < 3; c++) {
        const cw_reduction reduction = (cw_reduction)(type % 2);
        reduce_one(teams[t], c - 1 < cw_team_size(teams[t]) ? c - 1 : 0, (cw_type)type, reduction,
                   c, longer[c]);
      }
  }
  KIT_OK(cw_allreduce(teams[WORLD], CW_DOUBLE, CW_SUM, 0, NULL));
  reduce_one(teams[WORLD], -1, CW_DOUBLE, CW_SUM, 3, PIECE / sizeof(double) + 999);
  reduce_one(teams[WORLD], cw_processes() - 1, CW_INT, CW_BIT_XOR, 3, PIECE / sizeof(int) + 999);
}

/* --- Rows in regions -------------------------------------------------------------------------- */

/* Location of a member's numbers: its own slice, that of the next member, or, for the last member
 * alone, private memory. */
enum row_place { OWN, NEXT, ELSEWHERE, ROW_PLACES };

/* The longest row, with space for odd addresses in a slice. */
enum { LONGEST_ROW = 4801, SLICE = LONGEST_ROW * 16 + 2 * EDGE + 4 };

static bool shares_memory(void)
{
  return cw_nodes() == 1 && !kit_by_rma();
}

/* Returns the row's address, which follows a guard area as in make. */
static char *row_of(cw_team team, enum row_place place, void *const *slices, char *private)
{
  const int rank = cw_team_rank(team), next = (rank + 1) % cw_team_size(team);
  const int owner = place == NEXT && shares_memory() ? cw_team_process(team, next) : kit_me();
  void *row = NULL;
  KIT_MUST(cw_address_shared(owner, slices[owner], SLICE, &row));
  return (place == ELSEWHERE && next == 0 ? private : (char *)row) + EDGE + 4;
}

static bool is_in_place(cw_team team, char *row, size_t bytes)
{
  struct cwi_reduction reduction;
  KIT_MUST(cwi_reduction_find(CW_LONG, CW_SUM, &reduction));
  bool done = false;
  KIT_OK(cwi_in_place_reduce(team, -1, &reduction, 0, row, bytes, &done));
  return done;
}

/* Reduces numbers of all types: fewer than the in-place reduction takes, and more than a multiple
 * of its parts. The other members' contributions must stay unchanged. */
static void reduce_rows(cw_team team, enum row_place place, char *row)
{
  static const size_t counts[] = {37, 4096, LONGEST_ROW};
  const int size = cw_team_size(team);
  for (int type = 0; type < CW_TYPES; type++)
    for (int reduction = 0; reduction < CW_REDUCTIONS; reduction++) {
      const int round = type + reduction + (int)place, root = round % (size + 1) - 1;
      if (model_defined((cw_type)type, (cw_reduction)reduction) && (place == OWN || round % 3 == 0))
        reduce_at(team, root, (cw_type)type, (cw_reduction)reduction, round, counts[round % 3],
                  row);
    }
  reduce_at(team, size - 1, CW_LONG, CW_SUM, 5, LONGEST_ROW, row);
  char *brought = kit_alloc(LONGEST_ROW, sizeof(long));
  model_fill(CW_LONG, kit_me(), 5, LONGEST_ROW, brought);
  if (shares_memory() && cw_team_rank(team) < size - 1)
    kit_check_bytes(row, brought, LONGEST_ROW * sizeof(long), "what another member has brought");
  free(brought);
}

/* All rows are adjacent in one slice. */
static void reduce_adjacent(cw_team team, char *slice)
{
  const size_t count = SLICE / sizeof(long) / (size_t)cw_team_size(team);
  char *row = slice + (size_t)cw_team_rank(team) * count * sizeof(long);
  reduce_at(team, -1, CW_LONG, CW_SUM, 3, count, row);
  KIT_OK(cw_barrier(team));
  for (int rank = 0; rank < cw_team_size(team); rank++)
    kit_check_bytes(slice + (size_t)rank * count * sizeof(long), row, count * sizeof(long),
                    "row of another member");
  KIT_OK(cw_barrier(team));
}

/* Members that name one row: each contributes the row's numbers. */
static void reduce_common(cw_team team, char *row)
{
  enum { COUNT = 2500 };
  const int size = cw_team_size(team);
  long *numbers = (long *)(void *)row;
  kit_about("one row of all members, team of %d", size);
  for (long i = 0; i < COUNT && cw_team_rank(team) == 0; i++)
    numbers[i] = 3 * i - 1;
  KIT_OK(cw_barrier(team));
  KIT_OK(cw_allreduce(team, CW_LONG, CW_SUM, COUNT, row));
  for (long i = 0; i < COUNT; i++)
    if (!kit_check(numbers[i] == size * (3 * i - 1), "element %ld is %ld", i, numbers[i]))
      break;
  KIT_OK(cw_barrier(team));
}

static void test_rows(void)
{
  cw_region region = NULL;
  void **slices = kit_alloc((size_t)kit_processes(), sizeof(void *));
  char *private = kit_alloc(SLICE, 1);
  doing = "rows";
  KIT_MUST(cw_region_create(cw_team_world(), SLICE, &region, slices));
  if (shares_memory()) {
    void *row = NULL;
    KIT_MUST(cw_address_shared(0, slices[0], SLICE, &row));
    reduce_adjacent(cw_team_world(), row);
    if (kit_processes() > 2) /* two members take turns with the numbers themselves */
      reduce_common(cw_team_world(), (char *)row + 64);
  }
  for (int t = 0; t < TEAMS; t++) {
    for (int place = 0; place < ROW_PLACES; place++) {
      char *row = row_of(teams[t], place, slices, private);
      memset(row - EDGE - 4, 0x5a, SLICE);
      KIT_OK(cw_barrier(cw_team_world()));
      reduce_rows(teams[t], place, row);
      for (int i = 1; i <= EDGE; i++)
        kit_check(row[-i] == 0x5a && row[LONGEST_ROW * 16 + i - 1] == 0x5a, "edge %d of a row", i);
      if (shares_memory() && cw_team_size(teams[t]) > 1) {
        kit_check(!is_in_place(teams[t], row, 1000), "a short row was reduced in place");
        kit_check(is_in_place(teams[t], row, (size_t)LONGEST_ROW * 8) == (place != ELSEWHERE),
                  "place %d: in place, or not", place);
      }
      KIT_OK(cw_barrier(cw_team_world()));
    }
  }
  KIT_OK(cw_region_free(cw_team_world(), &region));
  free(private);
  free(slices);
}

/* --- Bytes ------------------------------------------------------------------------------------ */

/* Returns byte i of the data that a process sends in a round. */
static char payload(int process, int round, size_t i)
{
  return (char)(process * 61 + round * 17 + (int)(i % 241) + (int)(i >> 12));
}

static void fill(char *to, int process, int round, size_t bytes)
{
  for (size_t i = 0; i < bytes; i++)
    to[i] = payload(process, round, i);
}

static void broadcast_one(cw_team team, int root, int round, size_t bytes)
{
  char *got = make(bytes), *want = kit_alloc(bytes + 1, 1);
  const int process = cw_team_process(team, root);
  fill(want, process, round, bytes);
  if (cw_team_rank(team) == root)
    fill(got, process, round, bytes);
  KIT_OK(cw_broadcast(team, root, got, bytes));
  kit_about("broadcast %d of %zu bytes, team of %d, root %d", round, bytes, cw_team_size(team),
            root);
  kit_check_bytes(got, want, bytes, "broadcast");
  drop(got, bytes);
  free(want);
}

/* root: -1 if all members gather. own: this process's piece is already in its place. */
static void gather_one(cw_team team, int root, int round, size_t bytes, bool own)
{
  const int members = cw_team_size(team), rank = cw_team_rank(team);
  const bool gets = root < 0 || root == rank;
  const size_t whole = (size_t)members * bytes;
  char *all = make(gets ? whole : 0), *want = kit_alloc(whole + 1, 1), *mine = make(bytes);
  char *from = own && gets ? all + (size_t)rank * bytes : mine;
  fill(from, kit_me(), round, bytes);
  for (int i = 0; i < members; i++)
    fill(want + (size_t)i * bytes, cw_team_process(team, i), round, bytes);
  if (root < 0)
    KIT_OK(cw_allgather(team, from, bytes, all));
  else
    KIT_OK(cw_gather(team, root, from, bytes, gets ? all : NULL));
  kit_about("gather %d of %zu bytes, team of %d, root %d", round, bytes, members, root);
  if (gets)
    kit_check_bytes(all, want, whole, "gathered");
  drop(all, gets ? whole : 0);
  drop(mine, bytes);
  free(want);
}

static void test_move(void)
{
  static const size_t sizes[] = {0, 1, 37, 1023, 1024, 4095, 4096, 4097, 33000, 150001};
  doing = "move";
  for (int t = 0; t < TEAMS; t++) {
    int round = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
      for (int root = 0; root < cw_team_size(teams[t]); root++) {
        broadcast_one(teams[t], root, round, sizes[s]);
        gather_one(teams[t], root, round++, sizes[s], false);
      }
      gather_one(teams[t], cw_team_size(teams[t]) - 1, round++, sizes[s], true);
      gather_one(teams[t], -1, round++, sizes[s], false);
      gather_one(teams[t], -1, round++, sizes[s], true);
    }
  }
  broadcast_one(teams[BACKWARDS], 0, 1, PIECE + 4099);
  gather_one(teams[WORLD], -1, 2, PIECE + 4099, false);
  gather_one(teams[BACKWARDS], 0, 3, PIECE + 4099, true);
}

/* --- In a row --------------------------------------------------------------------------------- */

/* Mixes short and long calls, whose pages must not be confused. */
static void chain(cw_team team, int rounds, int seed)
{
  static const size_t sizes[] = {8, 3, 4000, 9000, 1, 70000};
  const int members = cw_team_size(team);
  for (int round = 0; round < rounds; round++) {
    const size_t bytes = sizes[(round + seed) % 11 == 0 ? 5 : (round + seed) % 5];
    const int root = round % members;
    switch ((round / members + seed) % 4) {
    case 0:
      broadcast_one(team, root, round, bytes);
      break;
    case 1:
      gather_one(team, root, round, bytes, false);
      break;
    case 2:
      gather_one(team, -1, round, bytes, round % 2 == 0);
      break;
    default:
      reduce_one(team, root - 1, CW_LONG, CW_SUM, round, bytes / sizeof(long));
    }
  }
}

/* Nothing but the calls, so that a member that runs ahead meets a late one. */
static void fast_chain(cw_team team, int rounds)
{
  const int members = cw_team_size(team), rank = cw_team_rank(team);
  long sum = 0, wrong = 0;
  for (int round = 0; round < rounds; round++) {
    long word[3] = {round, rank == round % members ? 7 * round : -1, rank};
    if (cw_broadcast(team, round % members, &word[1], sizeof(long)) != CW_OK ||
        cw_allreduce(team, CW_LONG, CW_SUM, 1, &word[2]) != CW_OK)
      wrong++;
    wrong += word[1] != 7 * round || word[2] != (long)members * (members - 1) / 2;
    sum += word[1];
  }
  kit_about("a chain of %d, team of %d", rounds, members);
  kit_check_long(wrong, 0, "wrong rounds");
  kit_check(rounds == 0 || sum == 7L * rounds * (rounds - 1) / 2, "sum %ld", sum);
}

static void test_chain(void)
{
  doing = "chain";
  for (int t = 0; t < TEAMS; t++) {
    chain(teams[t], 60, t);
    fast_chain(teams[t], 120);
  }
}

/* --- Bits ------------------------------------------------------------------------------------- */

/* Fills with numbers whose sums depend on the order of the terms. */
static void fill_rough(double *numbers, size_t count)
{
  for (size_t i = 0; i < count; i++)
    numbers[i] = (1 + (double)((i * 7919 + (size_t)kit_me() * 104729) % 1000)) / 3e-7 /
                 (1 + (double)((i + (size_t)kit_me()) % 17 * 1000));
}

static void same_bits(cw_team team, size_t count)
{
  const size_t bytes = count * sizeof(double);
  const int members = cw_team_size(team);
  double *first = kit_alloc(count, sizeof(double)), *second = kit_alloc(count, sizeof(double));
  char *all = kit_alloc((size_t)members, bytes);
  fill_rough(first, count);
  fill_rough(second, count);
  KIT_OK(cw_allgather(team, first, bytes, all));
  double *serial = (double *)(void *)all;
  for (size_t i = 0; i < count; i++)
    for (int rank = 1; rank < members; rank++)
      serial[i] += serial[(size_t)rank * count + i];
  KIT_OK(cw_allreduce(team, CW_DOUBLE, CW_SUM, count, first));
  KIT_OK(cw_allreduce(team, CW_DOUBLE, CW_SUM, count, second));
  kit_about("%zu numbers, team of %d", count, members);
  if (cw_nodes() == 1 && !kit_by_rma())
    kit_check_bytes(first, serial, bytes, "sum by rank");
  kit_check_bytes(second, first, bytes, "the second time");
  KIT_OK(cw_reduce(team, members - 1, CW_DOUBLE, CW_SUM, 0, NULL));
  KIT_OK(cw_allgather(team, first, bytes, all));
  for (int rank = 0; rank < members; rank++)
    kit_check_bytes(all + (size_t)rank * bytes, first, bytes, "bits of another member");
  free(first);
  free(second);
  free(all);
}

/* All members must get the same result where zeros of both signs or NaNs are compared. */
static void odd_numbers(cw_team team)
{
  double mine[3] = {kit_me() % 2 == 0 ? 0.0 : -0.0, kit_me() == 1 ? strtod("nan", NULL) : kit_me(),
                    0};
  char all[64 * sizeof mine];
  KIT_OK(cw_allreduce(team, CW_DOUBLE, CW_MINIMUM, 3, mine));
  KIT_OK(cw_allreduce(team, CW_DOUBLE, CW_ABSOLUTE_MAXIMUM, 1, &mine[2]));
  KIT_OK(cw_allgather(team, mine, sizeof mine, all));
  kit_about("zeros and no numbers, team of %d", cw_team_size(team));
  for (int rank = 0; rank < cw_team_size(team); rank++)
    kit_check_bytes(all + (size_t)rank * sizeof mine, mine, sizeof mine, "of another member");
}

/* One member has a NaN somewhere in a row: all members get NaN there, whichever member it is, and
 * numbers elsewhere. */
static void one_is_none(cw_team team, size_t count, int whose, cw_reduction reduction, int call)
{
  const size_t where = count / 3;
  const int members = cw_team_size(team), rank = cw_team_rank(team);
  const bool scans = call == 2;
  double *row = kit_alloc(count, sizeof *row);
  float *short_row = kit_alloc(count, sizeof *short_row);
  cw_handle handle = {0, 0};
  kit_about("NaN of rank %d of %d, %zu numbers, reduction %d, call %d", whose, members, count,
            (int)reduction, call);
  for (size_t i = 0; i < count; i++)
    row[i] = i == where && rank == whose ? strtod("nan", NULL) : rank;
  for (size_t i = 0; i < count; i++)
    short_row[i] = (float)row[i];
  if (call == 0) {
    KIT_OK(cw_allreduce(team, CW_DOUBLE, reduction, count, row));
    KIT_OK(cw_allreduce(team, CW_FLOAT, reduction, count, short_row));
  } else if (call == 1) {
    KIT_OK(cw_iallreduce(team, CW_DOUBLE, reduction, count, row, &handle));
    KIT_OK(cw_iallreduce(team, CW_FLOAT, reduction, count, short_row, &handle));
    KIT_OK(cw_wait(&handle));
  } else {
    KIT_OK(cw_scan(team, CW_DOUBLE, reduction, count, row));
    KIT_OK(cw_scan(team, CW_FLOAT, reduction, count, short_row));
  }
  const bool greatest = reduction == CW_MAXIMUM || reduction == CW_ABSOLUTE_MAXIMUM;
  const double best = !greatest ? 0 : scans ? rank : members - 1;
  for (size_t i = 0; i < count; i++) {
    const bool none = i == where && (!scans || whose <= rank);
    const bool right = none ? row[i] != row[i] && short_row[i] != short_row[i]
                            : row[i] == best && short_row[i] == (float)best;
    if (!kit_check(right, "number %zu is %g, and %g as a float", i, row[i], (double)short_row[i]))
      break;
  }
  free(row);
  free(short_row);
}

static void test_none(void)
{
  static const cw_reduction reductions[] = {CW_MINIMUM, CW_MAXIMUM, CW_ABSOLUTE_MINIMUM,
                                            CW_ABSOLUTE_MAXIMUM};
  doing = "none";
  for (int t = 0; t < TEAMS; t++)
    for (int whose = 0; whose < cw_team_size(teams[t]); whose++)
      for (int i = 0; i < 4; i++)
        for (int call = 0; call < 3; call++) {
          one_is_none(teams[t], 1, whose, reductions[i], call);
          one_is_none(teams[t], 3001, whose, reductions[i], call);
        }
}

static void test_bits(void)
{
  doing = "bits";
  for (int t = 0; t < TEAMS; t++) {
    same_bits(teams[t], 1);
    same_bits(teams[t], 300);
    same_bits(teams[t], 20000);
    if (cw_nodes() == 1 && !kit_by_rma())
      odd_numbers(teams[t]);
  }
}

/* --- Ends ------------------------------------------------------------------------------------- */

static int living_teams(void)
{
  int living = 0;
  for (cw_team team = cwi_team_next(NULL); team != NULL; team = cwi_team_next(team))
    living++;
  return living;
}

/* The collectives' resources of a team are freed with it. */
static void test_ends(void)
{
  const int before = living_teams();
  doing = "ends";
  for (int i = 0; i < 3; i++) {
    cw_team team = NULL;
    int number = kit_me() == 0 ? i : -1;
    KIT_MUST(cw_team_dup(cw_team_world(), &team));
    KIT_MUST(cw_broadcast(team, 0, &number, sizeof number));
    kit_check_long(number, i, "number of the team");
    kit_check(living_teams() > before, "a team that is not among the living");
    KIT_OK(cw_team_free(&team));
  }
  kit_about("teams that have ended");
  kit_check_long(living_teams(), before, "living teams");
}

/* Leaves a team that cw_finalize must free. */
static void leave_one(void)
{
  cw_team left = NULL;
  long one = 1;
  KIT_MUST(cw_team_dup(teams[BACKWARDS], &left));
  KIT_OK(cw_allreduce(left, CW_LONG, CW_SUM, 1, &one));
  kit_check_long(one, kit_processes(), "members of a team that is never freed");
}

/* --- Threads ---------------------------------------------------------------------------------- */

struct worker {
  pthread_t thread;
  cw_team team;
};

static void *work(void *argument)
{
  const struct worker *worker = argument;
  fast_chain(worker->team, 100);
  return NULL;
}

static void test_threads(void)
{
  struct worker workers[2];
  kit_need_threads();
  doing = "threads";
  for (int i = 0; i < 2; i++) {
    KIT_MUST(cw_team_dup(teams[i], &workers[i].team));
    kit_check(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0, "no thread");
  }
  for (int i = 0; i < 2; i++)
    pthread_join(workers[i].thread, NULL);
  for (int i = 0; i < 2; i++)
    KIT_OK(cw_team_free(&workers[i].team));
}

/* --- Agreement -------------------------------------------------------------------------------- */

static void test_checked(void)
{
  const cw_team world = teams[WORLD];
  const int odd = kit_me() == kit_processes() - 1;
  long word[16] = {0}, all[64] = {0};
  doing = "checked";
  kit_about("members that do not agree");
  KIT_MISUSE("cw_broadcast: |bytes has to be the same", cw_broadcast(world, 0, word, odd ? 8 : 16));
  KIT_MISUSE("cw_broadcast: |root has to be the same", cw_broadcast(world, odd, word, 8));
  KIT_MISUSE("cw_allreduce: |type has to be the same",
             cw_allreduce(world, odd ? CW_LONG : CW_INT, CW_SUM, 1, word));
  KIT_MISUSE("cw_allreduce: |reduction has to be the same",
             cw_allreduce(world, CW_LONG, odd ? CW_SUM : CW_MINIMUM, 1, word));
  KIT_MISUSE("cw_reduce: |count has to be the same",
             cw_reduce(world, 0, CW_LONG, CW_SUM, odd ? 1 : 2, word));
  KIT_MISUSE("cw_gather: |root has to be the same", cw_gather(world, odd, word, 8, all));
  KIT_MISUSE("cw_allgather: |bytes has to be the same",
             cw_allgather(world, word, odd ? 8 : 4, all));
  KIT_MISUSE("different collective calls",
             odd ? cw_barrier(world) : cw_allreduce(world, CW_LONG, CW_SUM, 1, word));
  KIT_OK(cw_broadcast(world, 0, word, 8));
}

int main(int argc, char **argv)
{
  static const struct kit_part tests[] = {
      {"reduce", test_reduce},   {"rows", test_rows}, {"move", test_move},
      {"chain", test_chain},     {"bits", test_bits}, {"threads", test_threads},
      {"checked", test_checked}, {"ends", test_ends}, {"none", test_none}};
  kit_start_native(&argc, &argv, "collectives");
  kit_hang_guard();
  make_teams();
  KIT_RUN_PARTS(argc, argv, tests);
  leave_one();
  free_teams();
  return kit_finish_native();
}
