/* Reads the command line. */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char options_help[] =
    "usage: matmul [options]\n"
    "\n"
    "C = op(A) op(B) of distributed matrices, by one-sided get, dgemm and accumulate.\n"
    "\n"
    "  --size N|MxNxK         C has N x N elements, or M x N; sums have N terms, or K (1024)\n"
    "  --case NN|NT|TN|TT     only this case: is A transposed, is B? (all four)\n"
    "  --distribution WAY     of the matrices: block, cyclic (element by element) or\n"
    "                         block-cyclic:b (blocks of b x b) (block)\n"
    "  --tasks counter|pool   only this way to deal tasks out (both)\n"
    "  --tile N|RxC           a task makes a tile of N x N elements of C, or R x C\n"
    "  --terms N              and sums up N terms (both: so that each process has 4 tasks)\n"
    "  --panel N              of which N are fetched and multiplied at a time (384)\n"
    "  --runs N               of each, in turns; times are medians (1)\n"
    "  --help                 print this text\n";

enum { MOST_SIDE = 2000000000, MOST_TILE = 32768, MOST_RUNS = 999 };

/* Text of the current error. */
static char wrong[256];

static const char *needs(const char *option, const char *what, const char *word)
{
  snprintf(wrong, sizeof wrong, "%s needs %s, not '%.80s'", option, what, word);
  return wrong;
}

/* Reads up to three whole numbers from 1 to `most`, separated by x. Returns how many there are, or
 * 0 if the word is invalid. */
static int read_numbers(const char *word, int64_t most, int64_t numbers[3])
{
  for (int count = 0; count < 3; count++) {
    char *end = NULL;
    numbers[count] = *word >= '0' && *word <= '9' ? strtoll(word, &end, 10) : 0;
    if (numbers[count] < 1 || numbers[count] > most)
      return 0;
    if (*end == '\0')
      return count + 1;
    if (*end != 'x')
      return 0;
    word = end + 1;
  }
  return 0;
}

static bool read_number(const char *word, int64_t most, int64_t *number)
{
  int64_t numbers[3];
  *number = read_numbers(word, most, numbers) == 1 ? numbers[0] : 0;
  return *number > 0;
}

static const char *read_size(const char *option, const char *word, struct options *options)
{
  int64_t sides[3];
  const int count = read_numbers(word, MOST_SIDE, sides);
  if (count != 1 && count != 3)
    return needs(option, "a whole number from 1 to 2000000000, or three: MxNxK", word);
  options->sides = count == 3 ? (struct sides){sides[0], sides[1], sides[2]}
                              : (struct sides){sides[0], sides[0], sides[0]};
  return NULL;
}

static const char *read_case(const char *option, const char *word, struct options *options)
{
  if (strlen(word) != 2 || strspn(word, "NT") != 2)
    return needs(option, "NN, NT, TN or TT", word);
  options->cases = word;
  return NULL;
}

static const char *read_distribution(const char *option, const char *word, struct options *options)
{
  static const char blocks[] = "block-cyclic:";
  struct distribution *distribution = &options->distribution;
  distribution->layout = CW_CYCLIC;
  distribution->block = 1;
  if (strcmp(word, "cyclic") == 0)
    return NULL;
  if (strncmp(word, blocks, strlen(blocks)) == 0 &&
      read_number(word + strlen(blocks), MOST_SIDE, &distribution->block))
    return NULL;
  *distribution = (struct distribution){.layout = CW_BLOCKS};
  if (strcmp(word, "block") == 0)
    return NULL;
  return needs(option, "block, cyclic or block-cyclic:b, b from 1 on", word);
}

static const char *read_tasks(const char *option, const char *word, struct options *options)
{
  if (strcmp(word, "counter") != 0 && strcmp(word, "pool") != 0)
    return needs(option, "counter or pool", word);
  options->dealing = word;
  return NULL;
}

static const char *read_length(const char *option, const char *word, int64_t *length)
{
  if (!read_number(word, MOST_TILE, length))
    return needs(option, "a whole number from 1 to 32768", word);
  return NULL;
}

static const char *read_tile(const char *option, const char *word, struct options *options)
{
  int64_t sides[3];
  const int count = read_numbers(word, MOST_TILE, sides);
  if (count != 1 && count != 2)
    return needs(option, "a whole number from 1 to 32768, or two: RxC", word);
  options->cut.rows = sides[0];
  options->cut.columns = sides[count - 1];
  return NULL;
}

static const char *read_terms(const char *option, const char *word, struct options *options)
{
  return read_length(option, word, &options->cut.terms);
}

static const char *read_panel(const char *option, const char *word, struct options *options)
{
  return read_length(option, word, &options->cut.panel);
}

static const char *read_runs(const char *option, const char *word, struct options *options)
{
  int64_t runs = 0;
  if (!read_number(word, MOST_RUNS, &runs))
    return needs(option, "a whole number from 1 to 999", word);
  options->runs = (int)runs;
  return NULL;
}

static const struct {
  const char *name;
  const char *(*read)(const char *option, const char *word, struct options *options);
} table[] = {
    {"--size", read_size},   {"--case", read_case}, {"--distribution", read_distribution},
    {"--tasks", read_tasks}, {"--tile", read_tile}, {"--terms", read_terms},
    {"--panel", read_panel}, {"--runs", read_runs},
};

/* Reads an option. `value` is the word after it, or NULL. */
static const char *read_option(const char *name, const char *value, struct options *options)
{
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    if (strcmp(table[i].name, name) != 0)
      continue;
    if (value != NULL)
      return table[i].read(name, value, options);
    snprintf(wrong, sizeof wrong, "%s needs a value (see --help)", name);
    return wrong;
  }
  snprintf(wrong, sizeof wrong, "there is no option '%.80s' (see --help)", name);
  return wrong;
}

const char *options_read(char **words, struct options *options)
{
  *options = (struct options){.sides = {1024, 1024, 1024},
                              .distribution = {.layout = CW_BLOCKS},
                              .cases = "NN NT TN TT",
                              .dealing = "counter pool",
                              .runs = 1};
  while (*words != NULL) {
    if (strcmp(*words, "--help") == 0) {
      options->help = 1;
      return NULL;
    }
    const char *error = read_option(words[0], words[1], options);
    if (error != NULL)
      return error;
    words += 2;
  }
  return NULL;
}
