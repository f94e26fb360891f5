/* Reads the command line. */
#include "options.h"

#include "../command_line.h"

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

/* Reads up to three whole numbers from 1 to `most`, separated by x. Returns how many there are, or
 * 0 if the word is invalid. */
static int read_numbers(const char *word, int64_t most, int64_t numbers[3])
{
  for (int count = 0; count < 3; count++) {
    numbers[count] = command_whole(&word, most);
    if (numbers[count] == 0)
      return 0;
    if (*word == '\0')
      return count + 1;
    if (*word++ != 'x')
      return 0;
  }
  return 0;
}

static bool read_size(const char *word, void *target)
{
  int64_t sides[3];
  const int count = read_numbers(word, MOST_SIDE, sides);
  *(struct sides *)target = count == 3 ? (struct sides){sides[0], sides[1], sides[2]}
                                       : (struct sides){sides[0], sides[0], sides[0]};
  return count == 1 || count == 3;
}

static bool read_distribution(const char *word, void *target)
{
  static const char blocks[] = "block-cyclic:";
  struct distribution *distribution = target;
  const bool block = strcmp(word, "block") == 0;
  *distribution = (struct distribution){.layout = block ? CW_BLOCKS : CW_CYCLIC, .block = !block};
  if (block || strcmp(word, "cyclic") == 0)
    return true;
  if (strncmp(word, blocks, strlen(blocks)) != 0)
    return false;
  word += strlen(blocks);
  distribution->block = command_whole(&word, MOST_SIDE);
  return distribution->block > 0 && *word == '\0';
}

static bool read_tile(const char *word, void *target)
{
  struct tiling *tiling = target;
  int64_t sides[3];
  const int count = read_numbers(word, MOST_TILE, sides);
  tiling->rows = sides[0];
  tiling->columns = sides[count == 2];
  return count == 1 || count == 2;
}

const char *options_read(char **words, struct options *options)
{
  const struct command_option table[] = {
      {"--size", COMMAND_READ, .target = &options->sides, .read = read_size,
       .needs = "a whole number from 1 to 2000000000, or three: MxNxK"},
      {"--case", COMMAND_CHOICE, .target = &options->cases, .needs = "NN, NT, TN or TT"},
      {"--distribution", COMMAND_READ, .target = &options->distribution, .read = read_distribution,
       .needs = "block, cyclic or block-cyclic:b, b from 1 on"},
      {"--tasks", COMMAND_CHOICE, .target = &options->dealing, .needs = "counter or pool"},
      {"--tile", COMMAND_READ, .target = &options->tiling, .read = read_tile,
       .needs = "a whole number from 1 to 32768, or two: RxC"},
      {"--terms", COMMAND_LONG, .target = &options->tiling.terms, 1, MOST_TILE},
      {"--panel", COMMAND_LONG, .target = &options->tiling.panel, 1, MOST_TILE},
      {"--runs", COMMAND_INT, .target = &options->runs, 1, MOST_RUNS},
      {"--help", COMMAND_HELP, .target = &options->help},
      {.name = NULL}};
  *options = (struct options){.sides = {1024, 1024, 1024},
                              .distribution = {.layout = CW_BLOCKS},
                              .cases = "NN NT TN TT",
                              .dealing = "counter pool",
                              .runs = 1};
  return command_read(words, table, NULL, NULL);
}
