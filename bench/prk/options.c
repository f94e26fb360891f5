#include "options.h"

#include "../../apps/command_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char head[] =
    "usage: prk [KERNEL...] [options]\n"
    "\n"
    "The Parallel Research Kernels on Causeway, beside MPI's two-sided calls, its shared memory "
    "and its\n"
    "one-sided calls. All sides of a kernel run in turns. Rates are medians, and each run is "
    "verified.\n"
    "\n"
    "  --size N|NxM      of the problem; for one kernel\n"
    "  --iterations N    of a run that are timed; one more goes before them\n"
    "  --rounds N        runs of each side (9; with --small 1)\n"
    "  --without SIDE    leave a side out: causeway, two-sided, shared or one-sided; may be "
    "repeated\n"
    "  --small           small problems and few iterations, for tests\n"
    "  --spoil           change each result a little before it is verified: all must be found "
    "wrong\n"
    "  --threads         ask MPI for threads, which Causeway's servers need between nodes\n"
    "  --help            print this text\n"
    "\n"
    "kernels (all of them run if none is named), and their sizes:\n";

enum { MOST_ITERATIONS = 1000000, MOST_ROUNDS = 999, USUAL_ROUNDS = 9 };

static bool read_size(const char *word, void *target)
{
  int64_t *sizes = target;
  sizes[0] = command_whole(&word, INT64_MAX);
  const bool two = *word == 'x';
  word += two;
  sizes[1] = two ? command_whole(&word, INT64_MAX) : 0;
  return sizes[0] > 0 && (!two || sizes[1] > 0) && *word == '\0';
}

static bool read_side(const char *word, void *target)
{
  bool *without = target;
  for (int side = 0; side < SIDES; side++)
    if (strcasecmp(word, side_names[side]) == 0)
      return without[side] = true;
  return false;
}

bool options_threads(char **words)
{
  while (*words != NULL && strcmp(*words, "--threads") != 0)
    words++;
  return *words != NULL;
}

/* The kernels that the command line has named so far. */
struct named {
  const struct kernel **kernels;
  int count;
};

static const char *add_kernel(const char *word, void *given)
{
  struct named *named = given;
  for (const struct kernel *const *kernel = kernels; *kernel != NULL; kernel++)
    if (strcmp((*kernel)->name, word) == 0) {
      named->kernels[named->count++] = *kernel;
      return NULL;
    }
  return command_wrong("there is no kernel '%.80s' (see --help)", word);
}

/* Checks that the kernel has the given sizes and allows their values. */
static const char *check_sizes(const struct kernel *kernel, const struct options *options)
{
  for (int i = 0; i < SIZES; i++) {
    const struct size *size = &kernel->sizes[i];
    if ((size->name != NULL) != (options->sizes[i] > 0)) {
      return command_wrong("--size of %s needs %s%s%s", kernel->name, kernel->sizes[0].name,
                           kernel->sizes[1].name != NULL ? "x" : ", one number",
                           kernel->sizes[1].name != NULL ? kernel->sizes[1].name : "");
    }
    if (size->name != NULL && (options->sizes[i] < size->least || options->sizes[i] > size->most)) {
      return command_wrong("%s of %s must be from %lld to %lld, not %lld", size->name, kernel->name,
                           (long long)size->least, (long long)size->most,
                           (long long)options->sizes[i]);
    }
  }
  return NULL;
}

static const char *complete(struct options *options, int count)
{
  if (options->sizes[0] > 0) {
    if (count != 1)
      return "--size is for one kernel: name it";
    const char *error = check_sizes(options->kernels[0], options);
    if (error != NULL)
      return error;
  }
  if (options->rounds == 0)
    options->rounds = options->small ? 1 : USUAL_ROUNDS;
  for (int i = 0; count == 0 && kernels[i] != NULL; i++)
    options->kernels[i] = kernels[i];
  return NULL;
}

const char *options_read(char **words, struct options *options)
{
  const struct command_option table[] = {
      {"--size", COMMAND_READ, .target = options->sizes, .read = read_size,
       .needs = "a whole number from 1 on, or two: NxM"},
      {"--iterations", COMMAND_INT, .target = &options->iterations, 1, MOST_ITERATIONS},
      {"--rounds", COMMAND_INT, .target = &options->rounds, 1, MOST_ROUNDS},
      {"--without", COMMAND_READ, .target = options->without, .read = read_side,
       .needs = "causeway, two-sided, shared or one-sided"},
      {"--small", COMMAND_SWITCH, .target = &options->small},
      {"--spoil", COMMAND_SWITCH, .target = &options->spoil},
      {"--threads", COMMAND_SWITCH, .target = &options->threads},
      {"--help", COMMAND_HELP, .target = &options->help},
      {.name = NULL}};
  size_t most = 1;
  for (const struct kernel *const *kernel = kernels; *kernel != NULL; kernel++)
    most++;
  for (char **word = words; *word != NULL; word++)
    most++;
  *options = (struct options){.kernels = allocate(most * sizeof(struct kernel *))};
  struct named named = {.kernels = options->kernels};
  const char *error = command_read(words, table, add_kernel, &named);
  return error != NULL ? error : complete(options, named.count);
}

void options_free(struct options *options)
{
  free(options->kernels);
}

void options_explain(void)
{
  fputs(head, stdout);
  for (const struct kernel *const *kernel = kernels; *kernel != NULL; kernel++) {
    printf("  %-14s  %s\n", (*kernel)->name, (*kernel)->what);
    printf("  %-14s ", "");
    for (int i = 0; i < SIZES && (*kernel)->sizes[i].name != NULL; i++)
      printf("%s %s (%lld)", i > 0 ? " x" : "", (*kernel)->sizes[i].name,
             (long long)(*kernel)->sizes[i].usual);
    printf(", %d iterations\n", (*kernel)->usual_iterations);
  }
}
