/* Contended read-modify-writes: every value that an operation returns is accounted for.
 *
 *   rmw [operations of each kind and process]   */
#include "kit/native.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1000 };

static int repeats = 400;

typedef cw_error (*update)(void *remote, int64_t value, int process, int64_t *before);
typedef cw_error (*exchange)(void *remote, int64_t expected, int64_t value, int process,
                             int64_t *before);

#define WIDTH(bits)                                                                                \
  static cw_error add##bits(void *remote, int64_t value, int process, int64_t *before)             \
  {                                                                                                \
    int##bits##_t old = 0;                                                                         \
    const cw_error error = cw_fetch_add_int##bits(remote, (int##bits##_t)value, process, &old);    \
    *before = old;                                                                                 \
    return error;                                                                                  \
  }                                                                                                \
  static cw_error swap##bits(void *remote, int64_t value, int process, int64_t *before)            \
  {                                                                                                \
    int##bits##_t old = 0;                                                                         \
    const cw_error error = cw_swap_int##bits(remote, (int##bits##_t)value, process, &old);         \
    *before = old;                                                                                 \
    return error;                                                                                  \
  }                                                                                                \
  static cw_error compare##bits(void *remote, int64_t expected, int64_t value, int process,        \
                                int64_t *before)                                                   \
  {                                                                                                \
    int##bits##_t old = 0;                                                                         \
    const cw_error error = cw_compare_swap_int##bits(remote, (int##bits##_t)expected,              \
                                                     (int##bits##_t)value, process, &old);         \
    *before = old;                                                                                 \
    return error;                                                                                  \
  }

WIDTH(32)
WIDTH(64)

struct width {
  int bits;
  update add, swap;
  exchange compare;
};

static const struct width widths[] = {{32, add32, swap32, compare32},
                                      {64, add64, swap64, compare64}};

/* The test's target: the same word of one process for all. Negative numbers use all bits. */
static char *word;
static int host;
static const struct width *width;

static int64_t start_value(void)
{
  return width->bits == 32 ? -5 : -5 - ((int64_t)1 << 40);
}

static int64_t load(void)
{
  int32_t narrow = 0;
  int64_t wide = 0;
  KIT_OK(width->bits == 32 ? cw_get(&narrow, word, 4, host) : cw_get(&wide, word, 8, host));
  return width->bits == 32 ? narrow : wide;
}

static void reset(void)
{
  const int64_t wide = start_value();
  const int32_t narrow = (int32_t)wide;
  KIT_OK(cw_barrier(cw_team_world()));
  if (kit_me() == 0)
    KIT_OK(width->bits == 32 ? cw_put(&narrow, word, 4, host) : cw_put(&wide, word, 8, host));
  KIT_OK(cw_barrier(cw_team_world()));
}

static int by_value(const void *left, const void *right)
{
  const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

/* The values of all processes together must be first, first + 1, ... */
static void check_all_once(int64_t *mine, int count, int64_t first, const char *what)
{
  const int all = count * kit_processes();
  int64_t *values = kit_alloc((size_t)all, sizeof *values);
  MPI_Gather(mine, count, MPI_INT64_T, values, count, MPI_INT64_T, 0, kit_comm());
  qsort(values, (size_t)all, sizeof *values, by_value);
  for (int i = 0; i < all && kit_me() == 0; i++)
    if (!kit_check(values[i] == first + i, "%s: value %d of %d is %lld; it should be %lld", what, i,
                   all, (long long)values[i], (long long)(first + i)))
      break;
  free(values);
}

static void test_fetch_add(void)
{
  int64_t before[MOST];
  for (int i = 0; i < repeats; i++)
    KIT_OK(width->add(word, 1, host, &before[i]));
  KIT_OK(cw_barrier(cw_team_world()));
  check_all_once(before, repeats, start_value(), "fetch-and-add");
  kit_check_long(load(), start_value() + repeats * kit_processes(), "the sum");
}

/* Every process passes tokens through the word: each is returned exactly once, or is the last
 * value of the word.
 */
static void test_swap(void)
{
  int64_t out[MOST];
  for (int i = 0; i < repeats; i++)
    KIT_OK(width->swap(word, start_value() + 1 + kit_me() * repeats + i, host, &out[i]));
  KIT_OK(cw_barrier(cw_team_world()));
  const int64_t last = load();
  const int64_t most = start_value() + (int64_t)repeats * kit_processes();
  int64_t mine = 0, sum = 0;
  for (int i = 0; i < repeats; i++) {
    mine += out[i] - start_value();
    /* renumbers the tokens after the one that stayed in the word, so that none is missing */
    out[i] = out[i] > last ? out[i] - 1 : out[i];
  }
  MPI_Allreduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, kit_comm());
  const int64_t tokens = most - start_value();
  kit_check_long(sum + last - start_value(), tokens * (tokens + 1) / 2, "the sum of all tokens");
  check_all_once(out, repeats, start_value(), "swap");
}

/* Increments a counter by compare-and-swap alone. */
static void test_compare_swap(void)
{
  int64_t before[MOST];
  for (int i = 0; i < repeats; i++) {
    int64_t seen = load(), found = 0;
    while (KIT_OK(width->compare(word, seen, seen + 1, host, &found)) && found != seen)
      seen = found;
    before[i] = seen;
  }
  KIT_OK(cw_barrier(cw_team_world()));
  check_all_once(before, repeats, start_value(), "compare-and-swap");
  kit_check_long(load(), start_value() + repeats * kit_processes(), "the counter");
}

static void test_word(char *address, const char *where)
{
  static void (*const tests[])(void) = {test_fetch_add, test_swap, test_compare_swap};
  static const char *const names[] = {"fetch-and-add", "swap", "compare-and-swap"};
  word = address;
  for (size_t w = 0; w < 2; w++)
    for (size_t t = 0; t < 3; t++) {
      width = &widths[w];
      kit_about("%s, %d bits, word in a %s slice of process %d", names[t], width->bits, where,
                host);
      reset();
      tests[t]();
    }
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "rmw");
  if (argc > 1 && atoi(argv[1]) < MOST)
    repeats = atoi(argv[1]);
  void **small = kit_alloc((size_t)kit_processes(), sizeof *small);
  void **large = kit_alloc((size_t)kit_processes(), sizeof *large);
  cw_region regions[2];
  KIT_MUST(cw_region_create(cw_team_world(), 8, &regions[0], small));
  KIT_MUST(cw_region_create(cw_team_world(), 100000, &regions[1], large));
  for (int step = 0; step < 2; step++) {
    host = step == 0 ? 0 : kit_processes() - 1;
    test_word(small[host], "small");
    test_word((char *)large[host] + 99984, "large");
  }
  for (int i = 0; i < 2; i++)
    KIT_OK(cw_region_free(cw_team_world(), &regions[i]));
  free(small);
  free(large);
  return kit_finish_native();
}
