/* Arguments of collective calls as words. This code runs only with CW_CHECK or when arguments
 * differ, so it is written for clarity, not for speed. */
#include "team/collective_arguments.h"

#include "base/hash.h"
#include "number/operation.h"
#include "number/scalar.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Number of characters of one argument that messages quote. The rest of a longer argument is
 * replaced by a hash. */
enum { QUOTED = 200 };

void cwi_words_add(struct cwi_words *words, const char *format, ...)
{
  char piece[64];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(piece, sizeof piece, format, arguments);
  va_end(arguments);
  words->hash = cwi_hash_text(words->hash, piece);
  const size_t length = strlen(piece), space = words->size - words->used - 1;
  memcpy(words->text + words->used, piece, length < space ? length : space);
  words->used += length < space ? length : space;
  words->text[words->used] = '\0';
}

/* Adds a text of any length. */
static void add_text(struct cwi_words *words, const char *text)
{
  while (*text != '\0') {
    cwi_words_add(words, "%.60s", text);
    text += strnlen(text, 60);
  }
}

/* Adds one argument: its name, a 0, its words, a 0. */
static void add_argument(const struct cwi_argument *argument, struct cwi_words *words)
{
  char text[QUOTED + 1] = "", name[48];
  struct cwi_words own = {text, 0, sizeof text, CWI_HASH_EMPTY};
  argument->write(argument, &own);
  if (own.used == QUOTED)
    snprintf(text + QUOTED - 24, 25, "... (%016" PRIx64 ")", own.hash);
  snprintf(name, sizeof name, argument->of != NULL ? "%s of %s" : "%s", argument->name,
           argument->of);
  const size_t name_size = strlen(name) + 1, text_size = strlen(text) + 1;
  words->hash = cwi_hash_add(words->hash, own.hash);
  if (name_size + text_size > words->size - words->used)
    return;
  memcpy(words->text + words->used, name, name_size);
  memcpy(words->text + words->used + name_size, text, text_size);
  words->used += name_size + text_size;
}

void cwi_arguments_write(const struct cwi_argument *list, struct cwi_words *words)
{
  for (; list != NULL && list->name != NULL; list++)
    if (list->name[0] != '\0')
      add_argument(list, words);
    else
      list->write(list, words);
}

cw_error cwi_arguments_compare(int process, const struct cwi_words *words, int other,
                               const struct cwi_words *its)
{
  const char *here = words->text, *there = its->text;
  while (here < words->text + words->used && there < its->text + its->used &&
         strcmp(here, there) == 0) {
    const char *name = here;
    here += strlen(here) + 1;
    there += strlen(there) + 1;
    if (strcmp(here, there) != 0)
      return cwi_misuse(
          "%s has to be the same on all members: process %d passes %s, process %d passes %s", name,
          process, here, other, there);
    here += strlen(here) + 1;
    there += strlen(there) + 1;
  }
  if (words->used == 0 || its->used == 0 || words->hash == its->hash)
    return CW_OK;
  return cwi_misuse(
      "the arguments of process %d and of process %d differ; they have to be the same "
      "on all members",
      process, other);
}

void cwi_write_int(const struct cwi_argument *argument, struct cwi_words *words)
{
  cwi_words_add(words, "%d", *(const int *)argument->what);
}

void cwi_write_ints(const struct cwi_argument *argument, struct cwi_words *words)
{
  const int *values = argument->what;
  if (values == NULL)
    cwi_words_add(words, "NULL");
  for (size_t i = 0; values != NULL && i < argument->count; i++)
    cwi_words_add(words, i > 0 ? ", %d" : "%d", values[i]);
}

void cwi_write_indices(const struct cwi_argument *argument, struct cwi_words *words)
{
  const int64_t *values = argument->what;
  if (values == NULL)
    cwi_words_add(words, "NULL");
  for (size_t i = 0; values != NULL && i < argument->count; i++)
    cwi_words_add(words, i > 0 ? ", %" PRId64 : "%" PRId64, values[i]);
}

void cwi_write_size(const struct cwi_argument *argument, struct cwi_words *words)
{
  cwi_words_add(words, "%zu", argument->count);
}

void cwi_write_text(const struct cwi_argument *argument, struct cwi_words *words)
{
  const char *text = argument->what;
  if (text == NULL) {
    cwi_words_add(words, "NULL");
    return;
  }
  cwi_words_add(words, "'");
  add_text(words, text);
  cwi_words_add(words, "'");
}

void cwi_write_truth(const struct cwi_argument *argument, struct cwi_words *words)
{
  cwi_words_add(words, argument->count != 0 ? "true" : "false");
}

void cwi_write_type(const struct cwi_argument *argument, struct cwi_words *words)
{
  cwi_words_add(words, "%s", cwi_type_word(cwi_arithmetic_type((cw_type)argument->count)));
}

void cwi_write_reduction(const struct cwi_argument *argument, struct cwi_words *words)
{
  const char *word = cwi_operation_word((int)argument->count);
  cwi_words_add(words, "%s", word != NULL ? word : "another operation");
}

void cwi_write_choice(const struct cwi_argument *argument, struct cwi_words *words)
{
  const char *const *names = argument->what;
  cwi_words_add(words, "%s", names[argument->count]);
}

static void add_reals(struct cwi_words *words, const double *parts, int count, int digits)
{
  cwi_words_add(words, count == 1 ? "%.*g" : "(%.*g", digits, parts[0]);
  if (count > 1)
    cwi_words_add(words, ", %.*g)", digits, parts[1]);
}

void cwi_words_element(struct cwi_words *words, cw_type type, size_t bytes, const void *element)
{
  if (element == NULL)
    cwi_words_add(words, "NULL");
  else if (cwi_type_is_whole(type))
    cwi_words_add(words, "%lld", (long long)cwi_value_read(type, element).whole);
  else if (type != CW_OPAQUE)
    add_reals(words, cwi_value_read(type, element).real, cwi_type_is_complex(type) ? 2 : 1,
              cwi_type_is_single(type) ? 9 : 17);
  else
    for (size_t i = 0; i < bytes; i++)
      cwi_words_add(words, "%02x", ((const unsigned char *)element)[i]);
}
