/* Reductions: every operator on every type, in any scope and group, also in global memory; the
 * selection of a record. Works with one process. */
#include "armci_kit.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 37, TYPES = 5 };

struct operator_case {
  char name[8];
  char same_as; /* + * M m A a (absolute) & | l (logical and) o (logical or) */
};
static struct operator_case operators[] = {
    {"+", '+'},      {"*", '*'},    {"max", 'M'},  {"min", 'm'}, {"absmax", 'A'},
    {"absmin", 'a'}, {"or", '|'},   {"land", 'l'}, {"&&", 'l'},  {"lor", 'o'},
    {"||", 'o'},     {"band", '&'}, {"&", '&'},    {"bor", '|'}, {"|", '|'}};
enum { OPERATORS = sizeof operators / sizeof operators[0] };

static int me, all;

/* Returns the input of process p: small, so that products and floats are exact. */
static long input(int p, int i)
{
  static const long numbers[] = {-2, 1, 3, 0, -1, 2, 4};
  return numbers[(p * 3 + i) % 7];
}

static long combine(char op, long a, long b)
{
  switch (op) {
  case '+':
    return a + b;
  case '*':
    return a * b;
  case 'M':
  case 'A':
    return a > b ? a : b;
  case 'm':
  case 'a':
    return a < b ? a : b;
  case '&':
    return a & b;
  case '|':
    return a | b;
  case 'l':
    return a != 0 && b != 0;
  default:
    return a != 0 || b != 0;
  }
}

static long expected(char op, int i, int first, int step)
{
  long result = 0;
  for (int p = first; p < all; p += step) {
    const long value = op == 'A' || op == 'a' ? labs(input(p, i)) : input(p, i);
    result = p == first ? value : combine(op, result, value);
  }
  return result;
}

static void write_number(int type, void *x, int i, long number)
{
  switch (type) {
  case ARMCI_INT:
    ((int *)x)[i] = (int)number;
    break;
  case ARMCI_LONG:
    ((long *)x)[i] = number;
    break;
  case ARMCI_LONG_LONG:
    ((long long *)x)[i] = number;
    break;
  case ARMCI_FLOAT:
    ((float *)x)[i] = (float)number;
    break;
  default:
    ((double *)x)[i] = (double)number;
  }
}

static long read_number(int type, const void *x, int i)
{
  switch (type) {
  case ARMCI_INT:
    return ((const int *)x)[i];
  case ARMCI_LONG:
    return ((const long *)x)[i];
  case ARMCI_LONG_LONG:
    return (long)((const long long *)x)[i];
  case ARMCI_FLOAT:
    return (long)((const float *)x)[i];
  default:
    return (long)((const double *)x)[i];
  }
}

/* Calls the function for a type by its own name. */
static void typed_call(int type, void *x, char *op, ARMCI_Group *group)
{
  switch (type) {
  case ARMCI_INT:
    group == NULL ? armci_msg_igop(x, N, op) : armci_msg_group_igop(x, N, op, group);
    break;
  case ARMCI_LONG:
    group == NULL ? armci_msg_lgop(x, N, op) : armci_msg_group_lgop(x, N, op, group);
    break;
  case ARMCI_LONG_LONG:
    group == NULL ? armci_msg_llgop(x, N, op) : armci_msg_group_llgop(x, N, op, group);
    break;
  case ARMCI_FLOAT:
    group == NULL ? armci_msg_fgop(x, N, op) : armci_msg_group_fgop(x, N, op, group);
    break;
  default:
    group == NULL ? armci_msg_dgop(x, N, op) : armci_msg_group_dgop(x, N, op, group);
  }
}

enum way { TYPED, GROUP_TYPED, SCOPE, GROUP_SCOPE, REDUCE, SELF, WAYS };

static void call(enum way way, int type, void *x, char *op, ARMCI_Group *half)
{
  switch (way) {
  case TYPED:
    typed_call(type, x, op, NULL);
    break;
  case GROUP_TYPED:
    typed_call(type, x, op, half);
    break;
  case SCOPE:
    armci_msg_gop_scope(SCOPE_ALL, x, N, op, type);
    break;
  case GROUP_SCOPE:
    armci_msg_group_gop_scope(SCOPE_MASTERS, x, N, op, type, half);
    break;
  case REDUCE:
    armci_msg_reduce(x, N, op, type);
    break;
  default:
    armci_msg_gop_scope(SCOPE_NODE, x, N, op, type);
  }
}

/* Stores the processes that take part in this process's reduction: first, first + step, ... */
static void members(enum way way, int *first, int *step)
{
  const bool half = way == GROUP_TYPED || way == GROUP_SCOPE;
  *first = way == SELF ? me : half ? me % 2 : 0;
  *step = way == SELF ? all : half ? 2 : 1;
}

static void one_operator(int type, struct operator_case *operation, enum way way, void *x,
                         ARMCI_Group *half)
{
  const char op = operation->same_as;
  int first = 0, step = 1;
  kit_about("operator %s, type %d, way %d", operation->name, type, way);
  members(way, &first, &step);
  for (int i = 0; i < N; i++)
    write_number(type, x, i, input(me, i));
  call(way, type, x, operation->name, half);
  /* A logical result of a single process may be any nonzero number. */
  const bool truth = first + step >= all && (op == 'l' || op == 'o');
  for (int i = 0; i < N; i++) {
    const long got = read_number(type, x, i), want = expected(op, i, first, step);
    kit_check_long(truth ? got != 0 : got, truth ? want != 0 : want, "result");
  }
}

/* Runs each operator on each type, in one way that all processes draw alike. */
static void all_operators(void *x, ARMCI_Group *half)
{
  for (int type = 0; type < TYPES; type++)
    for (int o = 0; o < OPERATORS; o++)
      if (type < ARMCI_FLOAT || strchr("&|lo", operators[o].same_as) == NULL)
        one_operator(type, &operators[o], (enum way)kit_common(WAYS), x, half);
  armci_msg_igop(NULL, 0, operators[0].name);
}

struct record {
  double key;
  int from, contributed;
};

/* All processes receive the winning record. The lowest process wins a tie. x of others is not read.
 * */
static void select_record(char *op, int contributors, int tie)
{
  struct record x = {-1e300, -100 - me, 0}; /* not read, unless this process contributes */
  const bool contribute = me % contributors == contributors - 1;
  int winner = -1;
  double best = 0;
  kit_about("select %s, every %d. contributes, tie %d", op, contributors, tie);
  for (int p = 0; p < all; p++) {
    const double key = tie ? 7 : (p * 5) % 11;
    const bool better = winner < 0 || (op[1] == 'a' ? key > best : key < best);
    if (p % contributors == contributors - 1 && better) {
      winner = p;
      best = key;
    }
  }
  if (contribute)
    x = (struct record){tie ? 7 : (me * 5) % 11, me, 1};
  armci_msg_sel_scope(SCOPE_ALL, &x, sizeof x, op, ARMCI_DOUBLE, contribute);
  kit_check_long(x.from, winner >= 0 ? winner : -100 - me, "the winner");
  if (winner >= 0)
    kit_check(x.contributed == 1 && x.key == best, "the record has key %g", x.key);
}

/* The lowest possible value wins against processes that do not contribute. */
static void select_worst(void)
{
  char least[] = "min";
  int x[2] = {me == all - 1 ? INT_MAX : 1, me};
  kit_about("the worst value");
  armci_msg_sel(x, sizeof x, least, ARMCI_INT, me == all - 1);
  kit_check_long(x[1], all - 1, "who alone has an int");
}

/* The first contributor brings NaN, which wins against no value. */
static void select_among_nan(char *op)
{
  double x[2] = {me == 0 ? NAN : op[1] == 'a' ? me : -me, me};
  kit_about("NaN among numbers, %s", op);
  armci_msg_sel(x, sizeof x, op, ARMCI_DOUBLE, 1);
  kit_check(x[1] == all - 1, "the record of %g", x[1]);
  float y = me == 1 ? NAN : (float)me;
  armci_msg_fgop(&y, 1, op);
  kit_check((bool)isnan(y) == (all > 1), "one of the numbers is NaN, and their %s %g", op,
            (double)y);
}

/* A process whose value is NaN counts as a contributor. */
static void select_nan(void)
{
  char most[] = "max";
  double x[2] = {NAN, me};
  kit_about("NaN");
  armci_msg_sel(x, sizeof x, most, ARMCI_DOUBLE, me > 0 || all == 1);
  kit_check(x[1] == (all > 1), "the record of %g", x[1]);
}

static void select_integers(void)
{
  char least[] = "min", most[] = "max";
  const int extreme[2] = {me == all - 1 ? -5 : 3, me};
  int x[2];
  memcpy(x, extreme, sizeof x);
  armci_msg_sel(x, sizeof x, least, ARMCI_INT, 1);
  kit_check_long(x[1], all - 1, "who has the least int");
  long y[2] = {me == 0 ? 1L << 40 : me, me};
  armci_msg_sel_scope(SCOPE_ALL, y, sizeof y, most, ARMCI_LONG_LONG, 1);
  kit_check_long(y[1], 0, "who has the greatest long");
}

int main(int argc, char **argv)
{
  static char op_min[] = "min", op_max[] = "max";
  char stack[N * sizeof(double)];
  ARMCI_Group world, half;
  armci_kit_start(&argc, &argv, "armci.reductions");
  me = kit_me();
  all = kit_processes();
  ARMCI_Group_get_world(&world);
  ARMCIX_Group_split(&world, me % 2, me, &half);
  void **slices = armci_kit_malloc(sizeof stack, 0);
  all_operators(stack, &half);
  all_operators(slices[me], &half);
  for (int contributors = 1; contributors < 4; contributors++)
    for (int tie = 0; tie < 2; tie++) {
      select_record(op_min, contributors, tie);
      select_record(op_max, contributors, tie);
    }
  select_integers();
  select_nan();
  select_among_nan(op_min);
  select_among_nan(op_max);
  select_worst();
  armci_kit_free(slices);
  ARMCI_Group_free(&half);
  return armci_kit_finish();
}
