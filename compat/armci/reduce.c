/* Reductions of message.h: sums, extremes, selections. */
#include "binding.h"

#include "base/copy.h"
#include "mpi/call.h"
#include "team/team.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* Operators are known by how they begin; of two that begin alike the longer comes first. */
struct reduction {
  const char *name;
  bool absolute; /* of every input, even of a single process */
  bool integers; /* only */
  MPI_Op op;
};

static bool find_reduction(const char *name, struct reduction *found)
{
  /* MPI_SUM and its like are no constant expressions in Open MPI. */
  const struct reduction table[] = {
      {"+", false, false, MPI_SUM},     {"*", false, false, MPI_PROD},
      {"max", false, false, MPI_MAX},   {"min", false, false, MPI_MIN},
      {"absmax", true, false, MPI_MAX}, {"absmin", true, false, MPI_MIN},
      {"or", false, true, MPI_BOR},     {"land", false, true, MPI_LAND},
      {"lor", false, true, MPI_LOR},    {"band", false, true, MPI_BAND},
      {"bor", false, true, MPI_BOR},    {"&&", false, true, MPI_LAND},
      {"||", false, true, MPI_LOR},     {"&", false, true, MPI_BAND},
      {"|", false, true, MPI_BOR},
  };
  for (size_t i = 0; name != NULL && i < sizeof table / sizeof table[0]; i++)
    if (strncmp(name, table[i].name, strlen(table[i].name)) == 0) {
      *found = table[i];
      return true;
    }
  return false;
}

/* For each type: absolute values, and which process has the greatest or least first value.
 * Contributors have their rank, the others a greater number and the worst value, so that no tie
 * goes to them. */
struct type {
  const char *name;
  bool integer;
  size_t bytes;
  MPI_Datatype mpi;
  void (*absolute)(void *x, int n);
  cw_error (*select)(const void *x, bool contribute, bool greatest, cw_team team, int *winner);
};

#define TYPE_FUNCTIONS(name, type, pair, least, most)                                              \
  static void absolute_##name(void *x, int n)                                                      \
  {                                                                                                \
    type *value = x;                                                                               \
    for (int i = 0; i < n; i++)                                                                    \
      value[i] = value[i] < 0 ? -value[i] : value[i];                                              \
  }                                                                                                \
  static cw_error select_##name(const void *x, bool contribute, bool greatest, cw_team team,       \
                                int *winner)                                                       \
  {                                                                                                \
    struct {                                                                                       \
      type value;                                                                                  \
      int rank;                                                                                    \
    } mine = {greatest ? (least) : (most), cw_team_rank(team)};                                    \
    if (contribute)                                                                                \
      memcpy(&mine.value, x, sizeof mine.value);                                                   \
    else                                                                                           \
      mine.rank += cw_team_size(team);                                                             \
    CWI_TRY(cwi_mpi_allreduce(&mine, 1, pair, greatest ? MPI_MAXLOC : MPI_MINLOC,                  \
                              cw_team_comm(team)));                                                \
    *winner = mine.rank < cw_team_size(team) ? mine.rank : -1;                                     \
    return CW_OK;                                                                                  \
  }

TYPE_FUNCTIONS(int, int, MPI_2INT, INT_MIN, INT_MAX)
TYPE_FUNCTIONS(long, long, MPI_LONG_INT, LONG_MIN, LONG_MAX)
TYPE_FUNCTIONS(float, float, MPI_FLOAT_INT, -INFINITY, INFINITY)
TYPE_FUNCTIONS(double, double, MPI_DOUBLE_INT, -HUGE_VAL, HUGE_VAL)

static cw_error find_type(int number, struct type *found)
{
  const struct type table[] = {
      [ARMCI_INT] = {"int", true, sizeof(int), MPI_INT, absolute_int, select_int},
      [ARMCI_LONG] = {"long", true, sizeof(long), MPI_LONG, absolute_long, select_long},
      /* a long in all but name: layout.c */
      [ARMCI_LONG_LONG] = {"long long", true, sizeof(long), MPI_LONG_LONG, absolute_long,
                           select_long},
      [ARMCI_FLOAT] = {"float", false, sizeof(float), MPI_FLOAT, absolute_float, select_float},
      [ARMCI_DOUBLE] = {"double", false, sizeof(double), MPI_DOUBLE, absolute_double,
                        select_double},
  };
  if (number < 0 || number >= (int)(sizeof table / sizeof table[0]))
    return cwi_misuse("type is %d; it may be ARMCI_INT (0) to ARMCI_DOUBLE (4)", number);
  *found = table[number];
  return CW_OK;
}

static cw_error check(const char *op, const struct reduction *rule, bool known,
                      const struct type *type)
{
  if (!known)
    return cwi_misuse("op is '%s'; it may be + * max min absmax absmin or land && lor || band & "
                      "bor |",
                      op != NULL ? op : "(NULL)");
  if (rule->integers && !type->integer)
    return cwi_misuse("op is '%s', which is not defined for %s", op, type->name);
  return CW_OK;
}

/* Page by page through the team's shared memory, by rank: all members get the same bits. */
static cw_error reduce_pages(cw_team team, char *x, size_t bytes, const struct type *type,
                             MPI_Op op)
{
  for (size_t done = 0; done < bytes; done += CWI_PAGE) {
    const size_t part = bytes - done < CWI_PAGE ? bytes - done : CWI_PAGE;
    cwi_copy(cwi_team_my_page(team), x + done, part);
    cwi_team_share(team);
    cwi_copy(x + done, cwi_team_page(team, 0), part);
    for (int rank = 1; rank < team->size; rank++)
      CWI_TRY(CWI_MPI(MPI_Reduce_local(cwi_team_page(team, rank), x + done,
                                       (int)(part / type->bytes), type->mpi, op)));
  }
  return CW_OK;
}

static cw_error reduce(const ARMCI_Group *group, int scope, void *x, int n, const char *op,
                       int type_number)
{
  struct reduction rule = {0};
  struct type type = {0};
  cw_team team = NULL;
  CWI_TRY(find_type(type_number, &type));
  CWI_ASSERT(type.absolute != NULL && type.select != NULL);
  CWI_TRY(check(op, &rule, find_reduction(op, &rule), &type));
  CWI_TRY(cwi_armci_not_negative("n", n));
  if (n > 0)
    CWI_TRY(cwi_armci_given("x", x));
  CWI_TRY(cwi_armci_scope(group, scope, &team));
  if (team == NULL)
    return CW_OK;
  CWI_TRY(cwi_armci_agree(team, "type", type_number));
  CWI_TRY(cwi_armci_agree(team, "n", n));
  if (rule.absolute)
    type.absolute(x, n);
  if (cw_team_size(team) == 1 || n == 0)
    return CW_OK;
  if (cwi_armci_shares(team, (size_t)n * type.bytes))
    return reduce_pages(team, x, (size_t)n * type.bytes, &type, rule.op);
  return cwi_mpi_allreduce(x, n, type.mpi, rule.op, cw_team_comm(team));
}

static cw_error reduce_in(const ARMCI_Group *group, int scope, void *x, int n, const char *op,
                          int type_number)
{
  CWI_TRY(cwi_armci_given("group", group));
  return reduce(group, scope, x, n, op, type_number);
}

void armci_msg_group_gop_scope(int scope, void *x, int n, char *op, int type, ARMCI_Group *group)
{
  (void)CWI_ARMCI_WAITS(reduce_in(group, scope, x, n, op, type));
}

void armci_msg_gop_scope(int scope, void *x, int n, char *op, int type)
{
  (void)CWI_ARMCI_WAITS(reduce(NULL, scope, x, n, op, type));
}

void armci_msg_reduce(void *x, int n, char *op, int type)
{
  (void)CWI_ARMCI_WAITS(reduce(NULL, SCOPE_ALL, x, n, op, type));
}

void armci_msg_reduce_scope(int scope, void *x, int n, char *op, int type)
{
  (void)CWI_ARMCI_WAITS(reduce(NULL, scope, x, n, op, type));
}

/* igop, group_igop, clus_igop; lgop, ... */
#define TYPED_CALLS(letter, type, number)                                                          \
  void armci_msg_##letter##gop(type *x, int n, char *op)                                           \
  {                                                                                                \
    (void)CWI_ARMCI_WAITS(reduce(NULL, SCOPE_ALL, x, n, op, number));                              \
  }                                                                                                \
  void armci_msg_group_##letter##gop(type *x, int n, char *op, ARMCI_Group *group)                 \
  {                                                                                                \
    (void)CWI_ARMCI_WAITS(reduce_in(group, SCOPE_ALL, x, n, op, number));                          \
  }                                                                                                \
  void armci_msg_clus_##letter##gop(type *x, int n, char *op)                                      \
  {                                                                                                \
    (void)CWI_ARMCI_WAITS(reduce(NULL, SCOPE_NODE, x, n, op, number));                             \
  }

TYPED_CALLS(i, int, ARMCI_INT)
TYPED_CALLS(l, long, ARMCI_LONG)
TYPED_CALLS(ll, long long, ARMCI_LONG_LONG)
TYPED_CALLS(f, float, ARMCI_FLOAT)
TYPED_CALLS(d, double, ARMCI_DOUBLE)

static cw_error select_record(int scope, void *x, int n, const char *op, int type_number,
                              int contribute)
{
  struct type type = {0};
  cw_team team = NULL;
  int winner = -1;
  CWI_TRY(find_type(type_number, &type));
  CWI_ASSERT(type.absolute != NULL && type.select != NULL);
  if (op == NULL || (strncmp(op, "min", 3) != 0 && strncmp(op, "max", 3) != 0))
    return cwi_misuse("op is '%s'; it may be min or max", op != NULL ? op : "(NULL)");
  CWI_TRY(cwi_armci_given("x", x));
  if (n < 0 || (size_t)n < type.bytes)
    return cwi_misuse("n is %d bytes; a record begins with a %s of %zu", n, type.name, type.bytes);
  const ARMCI_Group whole = cwi_armci_default_group();
  CWI_TRY(cwi_armci_scope(&whole, scope, &team));
  if (cw_team_size(team) <= 1)
    return CW_OK;
  CWI_TRY(cwi_armci_agree(team, "n", n));
  CWI_TRY(type.select(x, contribute != 0, op[1] == 'a', team, &winner));
  if (winner < 0)
    return CW_OK;
  return cwi_mpi_bcast(x, n, MPI_BYTE, winner, cw_team_comm(team));
}

void armci_msg_sel_scope(int scope, void *x, int n, char *op, int type, int contribute)
{
  (void)CWI_ARMCI_WAITS(select_record(scope, x, n, op, type, contribute));
}

void armci_msg_sel(void *x, int n, char *op, int type, int contribute)
{
  (void)CWI_ARMCI_WAITS(select_record(SCOPE_ALL, x, n, op, type, contribute));
}
