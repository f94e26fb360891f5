/* GA's collectives compared with a serial loop over all processes' numbers, which every process can
 * calculate: each type and operation, in the world and in groups. */
#include "kit/kit.h"

#include <ga.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 700, WORLD = -1 };

static int me, all;

/* Returns element i of process p: small, so that all sums and products are exact. */
static int number(int process, int i)
{
  const int small = (process * 7 + i * 3) % 5 - 2;
  return small == 0 ? 1 : small;
}

static double fold(const char *op, double a, double b)
{
  switch (op[0]) {
  case '+':
    return a + b;
  case '*':
    return a * b;
  case '&':
    return op[1] == '&' ? a != 0 && b != 0 : (double)((int)a & (int)b);
  case '|':
    return op[1] == '|' ? a != 0 || b != 0 : (double)((int)a | (int)b);
  case 'a':
    return strcmp(op, "absmax") == 0 ? fmax(fabs(a), fabs(b)) : fmin(fabs(a), fabs(b));
  default:
    return strcmp(op, "max") == 0 ? fmax(a, b) : fmin(a, b);
  }
}

/* The operation is applied even if there is one process: absolute values and truth values. */
static double first(const char *op, double a)
{
  return op[0] == 'a' ? fabs(a) : strcmp(op, "&&") == 0 || strcmp(op, "||") == 0 ? a != 0 : a;
}

/* Returns the result over the group's members: every `step`-th process. */
static double expected(const char *op, int step, int i)
{
  const int start = me % step;
  double value = first(op, number(start, i));
  for (int process = start + step; process < all; process += step)
    value = fold(op, value, number(process, i));
  return value;
}

/* Calls both functions of a type with random lengths. */
#define CHECK_TYPE(name, gop, pgroup_gop, type, c_type)                                            \
  static void name(char *op, int group, int step)                                                  \
  {                                                                                                \
    static type x[MOST], y[MOST], z[MOST];                                                         \
    const int n = 1 + kit_common(MOST);                                                            \
    for (int i = 0; i < n; i++)                                                                    \
      x[i] = y[i] = z[i] = (type)number(me, i);                                                    \
    kit_about(#type " %s in group %d, %d numbers", op, group, n);                                  \
    pgroup_gop(group, x, n, op);                                                                   \
    GA_Pgroup_set_default(group);                                                                  \
    gop(y, n, op);                                                                                 \
    GA_Gop(c_type, z, n, op);                                                                      \
    GA_Pgroup_set_default(WORLD);                                                                  \
    for (int i = 0; i < n; i++) {                                                                  \
      const type want = (type)expected(op, step, i);                                               \
      if (!kit_check(x[i] == want && y[i] == want && z[i] == want, "%g %g %g; it should be %g",    \
                     (double)x[i], (double)y[i], (double)z[i], (double)want))                      \
        break;                                                                                     \
    }                                                                                              \
  }

CHECK_TYPE(ints, GA_Igop, GA_Pgroup_igop, int, C_INT)
CHECK_TYPE(longs, GA_Lgop, NGA_Pgroup_lgop, long, F_INT)
CHECK_TYPE(long_longs, GA_Llgop, GA_Pgroup_llgop, long long, C_LONGLONG)
CHECK_TYPE(floats, GA_Fgop, GA_Pgroup_fgop, float, C_FLOAT)
CHECK_TYPE(doubles, NGA_Dgop, GA_Pgroup_dgop, double, C_DBL)

/* The sum is by components; the product is the complex product. */
static void complexes(int group, int step)
{
  DoubleComplex sum = {number(me, 0), number(me, 1)}, product = sum, want = {0, 0}, power = {1, 0};
  SingleComplex single = {(float)sum.real, (float)sum.imag};
  for (int process = me % step; process < all; process += step) {
    const double real = number(process, 0), imag = number(process, 1), old = power.real;
    want.real += real;
    want.imag += imag;
    power.real = power.real * real - power.imag * imag;
    power.imag = old * imag + power.imag * real;
  }
  kit_about("complex numbers in group %d", group);
  GA_Pgroup_zgop(group, &sum, 1, (char[]){"+"});
  GA_Pgroup_zgop(group, &product, 1, (char[]){"*"});
  GA_Pgroup_cgop(group, &single, 1, (char[]){"+"});
  kit_check(sum.real == want.real && sum.imag == want.imag, "sum");
  kit_check(product.real == power.real && product.imag == power.imag, "product");
  kit_check((double)single.real == want.real && (double)single.imag == want.imag, "single sum");
}

static void broadcasts(int group, int step)
{
  for (int root = 0; root < GA_Pgroup_nnodes(group); root++) {
    int text[MOST];
    const int n = 1 + kit_common(MOST), from = me % step + root * step;
    for (int i = 0; i < n; i++)
      text[i] = me * 1000 + i;
    kit_about("broadcast of %d in group %d from %d", n, group, root);
    GA_Pgroup_brdcst(group, text, n * (int)sizeof text[0], root);
    for (int i = 0; i < n; i++)
      if (!kit_check_long(text[i], from * 1000L + i, "broadcast"))
        break;
    GA_Pgroup_set_default(group);
    text[0] = me;
    GA_Brdcst(text, sizeof text[0], root);
    kit_check_long(text[0], from, "broadcast in the default group");
    GA_Pgroup_set_default(WORLD);
  }
}

static void try_group(int group, int step)
{
  static char operators[][8] = {"+", "*", "max", "min", "absmax", "absmin", "&&", "||", "&", "|"};
  for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
    ints(operators[i], group, step);
    longs(operators[i], group, step);
    long_longs(operators[i], group, step);
    if (i >= 6)
      continue;
    floats(operators[i], group, step);
    doubles(operators[i], group, step);
  }
  complexes(group, step);
  broadcasts(group, step);
}

/* A NaN of any process propagates to the minimum and the maximum of all, in any order, and of two
 * arrays. */
static void no_numbers(char *op)
{
  for (int whose = 0; whose < all; whose++) {
    double x[3] = {me, me == whose ? NAN : me, me};
    float y = me == whose ? NAN : (float)me;
    kit_about("NaN of process %d, %s", whose, op);
    GA_Dgop(x, 3, op);
    GA_Fgop(&y, 1, op);
    kit_check(isnan(x[1]) && isnan(y), "%g and %g", x[1], (double)y);
    kit_check(x[0] == (strstr(op, "max") != NULL ? all - 1 : 0) && x[2] == x[0],
              "numbers beside it: %g and %g", x[0], x[2]);
  }
}

static void no_elements(void)
{
  int count = 2 * all, lo = 0, hi = count - 1, index = -1;
  double numbers[2][8], made[8], value = 0;
  const int a = NGA_Create(C_DBL, 1, &count, (char[]){"a"}, NULL),
            b = GA_Duplicate(a, (char[]){"b"}), c = GA_Duplicate(a, (char[]){"c"});
  for (int i = 0; i < count; i++) {
    numbers[0][i] = i % 2 == 0 ? NAN : i;
    numbers[1][i] = i == 1 ? NAN : -i;
  }
  if (me == 0) {
    NGA_Put(a, &lo, &hi, numbers[0], NULL);
    NGA_Put(b, &lo, &hi, numbers[1], NULL);
  }
  GA_Sync();
  for (int call = 0; call < 4; call++) {
    const int x = call < 2 ? a : b, y = call < 2 ? b : a;
    kit_about("NaN in one of two arrays, %d", call);
    (call % 2 == 0 ? GA_Elem_maximum : GA_Elem_minimum)(x, y, c);
    NGA_Get(c, &lo, &hi, made, NULL);
    for (int i = 0; i < count; i++) {
      const double want = call % 2 == 0 ? i : -i;
      kit_check(i % 2 == 0 || i == 1 ? isnan(made[i]) : made[i] == want, "element %d is %g", i,
                made[i]);
    }
    GA_Sync();
  }
  NGA_Select_elem(a, (char[]){"max"}, &value, &index);
  kit_check(value == count - 1 && index == count - 1, "the greatest is %g at %d", value, index);
  GA_Destroy(a);
  GA_Destroy(b);
  GA_Destroy(c);
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "collective");
  GA_Initialize();
  me = GA_Nodeid();
  all = GA_Nnodes();
  try_group(WORLD, 1);
  const int odd_or_even = GA_Pgroup_split_irreg(WORLD, me % 2);
  try_group(odd_or_even, 2);
  no_numbers((char[]){"max"});
  no_numbers((char[]){"min"});
  no_numbers((char[]){"absmax"});
  no_numbers((char[]){"absmin"});
  no_elements();
  GA_Terminate();
  return kit_finish();
}
