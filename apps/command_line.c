/* Reads command lines by a table of options. */
#include "command_line.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPTIONS = 20, FIRST_CODE = 256 };

const char *command_wrong(const char *format, ...)
{
  static char message[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return message;
}

static const char *no_option(const char *word)
{
  return command_wrong("there is no option '%.80s' (see --help)", word);
}

int64_t command_whole(const char **word, int64_t most)
{
  char *end = NULL;
  const long long number = **word >= '0' && **word <= '9' ? strtoll(*word, &end, 10) : 0;
  if (number < 1 || number > most)
    return 0;
  *word = end;
  return number;
}

static const char *store_number(const struct command_option *option, const char *word)
{
  char *end = NULL, range[64];
  errno = 0;
  const long long number = strtoll(word, &end, 10);
  const int64_t most = option->most != 0             ? option->most
                       : option->kind == COMMAND_INT ? INT32_MAX
                                                     : INT64_MAX;
  const bool digits = (*word >= '0' && *word <= '9') || (*word == '-' && option->least < 0);
  if (digits && *end == '\0' && errno == 0 && number >= option->least && number <= most) {
    if (option->kind == COMMAND_INT)
      *(int *)option->target = (int)number;
    else
      *(int64_t *)option->target = number;
    return NULL;
  }
  snprintf(range, sizeof range, option->most != 0 ? "%lld to %lld" : "%lld on",
           (long long)option->least, (long long)option->most);
  return command_wrong("%s needs a whole number from %s, not '%.80s'", option->name, range, word);
}

/* Returns true if the word is one of a list such as "host, device or both". */
static bool is_listed(const char *list, const char *word)
{
  const size_t length = strlen(word);
  for (const char *at = list; *at != '\0'; at += strspn(at, ", ")) {
    const size_t next = strcspn(at, ", ");
    if (next == length && memcmp(at, word, next) == 0 && strcmp(word, "or") != 0)
      return true;
    at += next;
  }
  return false;
}

static const char *store(const struct command_option *option, const char *word)
{
  bool right = true;
  switch (option->kind) {
  case COMMAND_HELP:
  case COMMAND_SWITCH:
    *(bool *)option->target = true;
    return NULL;
  case COMMAND_SET:
    *(int *)option->target = (int)option->least;
    return NULL;
  case COMMAND_INT:
  case COMMAND_LONG:
    return store_number(option, word);
  case COMMAND_READ:
    right = option->read(word, option->target);
    break;
  case COMMAND_CHOICE:
    right = is_listed(option->needs, word);
    *(const char **)option->target = word;
    break;
  case COMMAND_TEXT:
    if (*word == '\0')
      return command_wrong("%s needs a value that is not empty", option->name);
    *(const char **)option->target = word;
  }
  if (right || option->needs == NULL)
    return right ? NULL : "";
  return command_wrong("%s needs %s, not '%.80s'", option->name, option->needs, word);
}

const char *command_read(char **words, const struct command_option *options,
                         const char *(*other)(const char *word, void *given), void *given)
{
  struct option known[MOST_OPTIONS + 1] = {{0}};
  const char *error = NULL;
  int count = 0, code = 0;
  for (int i = 0; i < MOST_OPTIONS && options[i].name != NULL; i++)
    known[i] =
        (struct option){options[i].name + 2, options[i].kind > COMMAND_SET, NULL, FIRST_CODE + i};
  while (words[count] != NULL)
    count++;
  opterr = optind = 0;
  while (error == NULL && (code = getopt_long(count, words, "-:", known, NULL)) != -1) {
    if (code == ':')
      error = command_wrong("%.80s needs a value (see --help)", words[optind - 1]);
    else if (code >= FIRST_CODE && options[code - FIRST_CODE].kind == COMMAND_HELP)
      return store(&options[code - FIRST_CODE], NULL);
    else if (code >= FIRST_CODE)
      error = store(&options[code - FIRST_CODE], optarg);
    else if (code == 1 && other != NULL)
      error = other(optarg, given);
    else
      error = no_option(words[optind - 1]);
  }
  return error;
}
