#include "options.h"

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

/* Error message of the last rejected option. */
static char wrong[256];

static const char *needs(const char *option, const char *what, const char *word)
{
  snprintf(wrong, sizeof wrong, "%s needs %s, not '%.80s'", option, what, word);
  return wrong;
}

/* Returns a whole number from 1 to `most` that ends at the character `end` or at the end of the
 * word; 0 for anything else. */
static int64_t read_number(const char *word, char end, int64_t most, const char **behind)
{
  char *stop = NULL;
  const long long number = *word >= '0' && *word <= '9' ? strtoll(word, &stop, 10) : 0;
  if (number < 1 || number > most || *stop != end)
    return 0;
  *behind = stop + (end != '\0');
  return number;
}

static const char *read_size(const char *word, struct options *options)
{
  const char *rest = word;
  const bool two = strchr(word, 'x') != NULL;
  options->sizes[0] = read_number(rest, two ? 'x' : '\0', INT64_MAX, &rest);
  options->sizes[1] = two && options->sizes[0] > 0 ? read_number(rest, '\0', INT64_MAX, &rest) : 0;
  if (options->sizes[0] == 0 || (two && options->sizes[1] == 0))
    return needs("--size", "a whole number from 1 on, or two: NxM", word);
  return NULL;
}

static const char *read_count(const char *option, const char *word, int most, int *count)
{
  char what[64];
  const char *rest = word;
  snprintf(what, sizeof what, "a whole number from 1 to %d", most);
  *count = (int)read_number(word, '\0', most, &rest);
  return *count > 0 ? NULL : needs(option, what, word);
}

static const char *read_side(const char *word, struct options *options)
{
  for (int side = 0; side < SIDES; side++)
    if (strcasecmp(word, side_names[side]) == 0) {
      options->without[side] = true;
      return NULL;
    }
  return needs("--without", "causeway, two-sided, shared or one-sided", word);
}

/* `value` is the next word, or NULL. */
static const char *read_option(const char *name, const char *value, struct options *options)
{
  const bool size = strcmp(name, "--size") == 0, rounds = strcmp(name, "--rounds") == 0;
  const bool without = strcmp(name, "--without") == 0;
  if (!size && !rounds && !without && strcmp(name, "--iterations") != 0)
    snprintf(wrong, sizeof wrong, "there is no option '%.80s' (see --help)", name);
  else if (value == NULL)
    snprintf(wrong, sizeof wrong, "%s needs a value (see --help)", name);
  else if (size)
    return read_size(value, options);
  else if (without)
    return read_side(value, options);
  else
    return rounds ? read_count(name, value, MOST_ROUNDS, &options->rounds)
                  : read_count(name, value, MOST_ITERATIONS, &options->iterations);
  return wrong;
}

bool options_threads(char **words)
{
  while (*words != NULL && strcmp(*words, "--threads") != 0)
    words++;
  return *words != NULL;
}

static bool read_switch(const char *word, struct options *options)
{
  if (strcmp(word, "--small") == 0)
    options->small = true;
  else if (strcmp(word, "--spoil") == 0)
    options->spoil = true;
  else if (strcmp(word, "--threads") == 0)
    options->threads = true;
  else if (strcmp(word, "--help") == 0)
    options->help = true;
  else
    return false;
  return true;
}

static const char *add_kernel(const char *word, const struct kernel **place)
{
  for (const struct kernel *const *kernel = kernels; *kernel != NULL; kernel++)
    if (strcmp((*kernel)->name, word) == 0) {
      *place = *kernel;
      return NULL;
    }
  snprintf(wrong, sizeof wrong, "there is no kernel '%.80s' (see --help)", word);
  return wrong;
}

/* Checks that the kernel has the given sizes and allows their values. */
static const char *check_sizes(const struct kernel *kernel, const struct options *options)
{
  for (int i = 0; i < SIZES; i++) {
    const struct size *size = &kernel->sizes[i];
    if ((size->name != NULL) != (options->sizes[i] > 0)) {
      snprintf(wrong, sizeof wrong, "--size of %s needs %s%s%s", kernel->name,
               kernel->sizes[0].name, kernel->sizes[1].name != NULL ? "x" : ", one number",
               kernel->sizes[1].name != NULL ? kernel->sizes[1].name : "");
      return wrong;
    }
    if (size->name != NULL && (options->sizes[i] < size->least || options->sizes[i] > size->most)) {
      snprintf(wrong, sizeof wrong, "%s of %s must be from %lld to %lld, not %lld", size->name,
               kernel->name, (long long)size->least, (long long)size->most,
               (long long)options->sizes[i]);
      return wrong;
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
  int count = 0;
  size_t most = 1;
  for (const struct kernel *const *kernel = kernels; *kernel != NULL; kernel++)
    most++;
  for (char **word = words; *word != NULL; word++)
    most++;
  *options = (struct options){.kernels = room(most * sizeof(struct kernel *))};
  for (; *words != NULL && !options->help; words++) {
    const char *error = NULL;
    if (read_switch(*words, options))
      continue;
    if (strncmp(*words, "--", 2) == 0)
      error = read_option(words[0], words[1], options);
    else
      error = add_kernel(*words, &options->kernels[count++]);
    if (error != NULL)
      return error;
    words += strncmp(*words, "--", 2) == 0;
  }
  return complete(options, count);
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
