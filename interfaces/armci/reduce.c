/* Reductions of message.h: sums, extremes, selections. */
#include "binding.h"

#include "collective/reduction_names.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

union value {
  int i;
  long l;
  float f;
  double d;
};

struct type {
  const char *name;
  cw_type type;
  size_t bytes;
  union value least, greatest;
};

static const struct type types[] = {
    [ARMCI_INT] = {"int", CW_INT, sizeof(int), {.i = INT_MIN}, {.i = INT_MAX}},
    [ARMCI_LONG] = {"long", CW_LONG, sizeof(long), {.l = LONG_MIN}, {.l = LONG_MAX}},
    /* the same as long: see layout.c */
    [ARMCI_LONG_LONG] = {"long long", CW_LONG_LONG, sizeof(long), {.l = LONG_MIN}, {.l = LONG_MAX}},
    [ARMCI_FLOAT] = {"float", CW_FLOAT, sizeof(float), {.f = -INFINITY}, {.f = INFINITY}},
    [ARMCI_DOUBLE] = {"double", CW_DOUBLE, sizeof(double), {.d = -HUGE_VAL}, {.d = HUGE_VAL}},
};

static cw_error find_type(int number, const struct type **found)
{
  if (number < 0 || number >= (int)(sizeof types / sizeof types[0]))
    return cwi_misuse("type is %d; it may be ARMCI_INT (0) to ARMCI_DOUBLE (4)", number);
  *found = &types[number];
  return CW_OK;
}

static cw_error armci_message_reduce(const ARMCI_Group *group, int scope, void *x, int n,
                                     const char *op, int type_number)
{
  const struct type *type = NULL;
  cw_reduction reduction = CW_SUM;
  cw_team team = NULL;
  CWI_TRY(find_type(type_number, &type));
  CWI_ASSERT(type != NULL);
  CWI_TRY(cwi_operator_find(op, type->type, &reduction));
  CWI_TRY(cwi_check_not_negative("n", n));
  if (n > 0)
    CWI_TRY(cwi_check_not_null("x", x));
  CWI_TRY(cwi_armci_scope(group, scope, &team));
  if (team == NULL)
    return CW_OK;
  return cwi_armci_known_as(cw_allreduce(team, type->type, reduction, (size_t)n, x),
                            "count is n, reduction is op, buffer is x");
}

static cw_error reduce_in(const ARMCI_Group *group, int scope, void *x, int n, const char *op,
                          int type_number)
{
  CWI_TRY(cwi_check_not_null("group", group));
  return armci_message_reduce(group, scope, x, n, op, type_number);
}

void armci_msg_group_gop_scope(int scope, void *x, int n, char *op, int type, ARMCI_Group *group)
{
  (void)CWI_ARMCI_WAITS(reduce_in(group, scope, x, n, op, type));
}

void armci_msg_gop_scope(int scope, void *x, int n, char *op, int type)
{
  (void)CWI_ARMCI_WAITS(armci_message_reduce(NULL, scope, x, n, op, type));
}

void armci_msg_reduce(void *x, int n, char *op, int type)
{
  (void)CWI_ARMCI_WAITS(armci_message_reduce(NULL, SCOPE_ALL, x, n, op, type));
}

void armci_msg_reduce_scope(int scope, void *x, int n, char *op, int type)
{
  (void)CWI_ARMCI_WAITS(armci_message_reduce(NULL, scope, x, n, op, type));
}

/* Defines armci_msg_igop, armci_msg_group_igop and armci_msg_clus_igop, or those of another
 * type. */
#define TYPED_CALLS(letter, type, number)                                                          \
  void armci_msg_##letter##gop(type *x, int n, char *op)                                           \
  {                                                                                                \
    (void)CWI_ARMCI_WAITS(armci_message_reduce(NULL, SCOPE_ALL, x, n, op, number));                \
  }                                                                                                \
  void armci_msg_group_##letter##gop(type *x, int n, char *op, ARMCI_Group *group)                 \
  {                                                                                                \
    (void)CWI_ARMCI_WAITS(reduce_in(group, SCOPE_ALL, x, n, op, number));                          \
  }                                                                                                \
  void armci_msg_clus_##letter##gop(type *x, int n, char *op)                                      \
  {                                                                                                \
    (void)CWI_ARMCI_WAITS(armci_message_reduce(NULL, SCOPE_NODE, x, n, op, number));               \
  }

TYPED_CALLS(i, int, ARMCI_INT)
TYPED_CALLS(l, long, ARMCI_LONG)
TYPED_CALLS(ll, long long, ARMCI_LONG_LONG)
TYPED_CALLS(f, float, ARMCI_FLOAT)
TYPED_CALLS(d, double, ARMCI_DOUBLE)

static bool is_none(const struct type *type, const void *x)
{
  union value value;
  memcpy(&value, x, type->bytes);
  return (type->type == CW_FLOAT && isnan(value.f)) || (type->type == CW_DOUBLE && isnan(value.d));
}

/* Stores in *winner the lowest rank with the best value among the contributing ranks. If all of
 * these have NaN, *winner is the lowest contributing rank. If no rank contributes, *winner is -1. A
 * rank that does not contribute, or has NaN, enters the reduction with the worst value. */
static cw_error select_rank(cw_team team, const struct type *type, const void *x, bool contribute,
                            bool greatest, int *winner)
{
  const int size = cw_team_size(team);
  union value best = greatest ? type->least : type->greatest;
  const bool competes = contribute && !is_none(type, x);
  if (competes)
    memcpy(&best, x, type->bytes);
  const union value mine = best;
  CWI_TRY(cw_allreduce(team, type->type, greatest ? CW_MAXIMUM : CW_MINIMUM, 1, &best));
  const bool wins = competes && memcmp(&best, &mine, type->bytes) == 0;
  int rank = cw_team_rank(team) + (wins ? 0 : size);
  if (!contribute)
    rank = 2 * size;
  CWI_TRY(cw_allreduce(team, CW_INT, CW_MINIMUM, 1, &rank));
  *winner = rank < 2 * size ? rank % size : -1;
  return CW_OK;
}

static cw_error select_record(int scope, void *x, int n, const char *op, int type_number,
                              int contribute)
{
  const struct type *type = NULL;
  cw_team team = NULL;
  int winner = -1;
  CWI_TRY(find_type(type_number, &type));
  CWI_ASSERT(type != NULL);
  if (op == NULL || (strncmp(op, "min", 3) != 0 && strncmp(op, "max", 3) != 0))
    return cwi_misuse("op is '%s'; it may be min or max", op != NULL ? op : "(NULL)");
  CWI_TRY(cwi_check_not_null("x", x));
  if (n < 0 || (size_t)n < type->bytes)
    return cwi_misuse("n is %d bytes; a record begins with a %s, so it has at least %zu bytes", n,
                      type->name, type->bytes);
  const ARMCI_Group whole = cwi_armci_default_group();
  CWI_TRY(cwi_armci_scope(&whole, scope, &team));
  if (cw_team_size(team) <= 1)
    return CW_OK;
  CWI_TRY(cwi_armci_known_as(select_rank(team, type, x, contribute != 0, op[1] == 'a', &winner),
                             "reduction is op"));
  if (winner < 0)
    return CW_OK;
  return cwi_armci_known_as(cw_broadcast(team, winner, x, (size_t)n), "bytes is n");
}

void armci_msg_sel_scope(int scope, void *x, int n, char *op, int type, int contribute)
{
  (void)CWI_ARMCI_WAITS(select_record(scope, x, n, op, type, contribute));
}

void armci_msg_sel(void *x, int n, char *op, int type, int contribute)
{
  (void)CWI_ARMCI_WAITS(select_record(SCOPE_ALL, x, n, op, type, contribute));
}
