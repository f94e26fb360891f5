/* Command lines of the programs in apps/ and bench/prk/: a table of options, over getopt_long. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum command_kind {
  COMMAND_HELP,   /* bool: becomes true, and the words after it are not read */
  COMMAND_SWITCH, /* bool: becomes true */
  COMMAND_SET,    /* int or enum: becomes `least` */
  COMMAND_TEXT,   /* const char *, which is not empty */
  COMMAND_CHOICE, /* const char *: a word of `needs`, such as "host, device or both" */
  COMMAND_INT,    /* int from `least` to `most`, or from `least` on if `most` is 0 */
  COMMAND_LONG,   /* int64_t, likewise */
  COMMAND_READ    /* whatever `read` accepts */
};

struct command_option {
  const char *name; /* with its two hyphens; NULL ends a table */
  enum command_kind kind;
  void *target;
  int64_t least, most;
  /* Describes the valid values, for the message about an invalid one. If it is NULL, `read` keeps a
   * message of its own, and command_read returns an empty one. */
  const char *needs;
  bool (*read)(const char *word, void *target);
};

/* Reads the words after the first. `other` is called for each word that is no option and returns
 * NULL or an error message; if it is NULL, such a word is an error. Returns NULL, or a message that
 * stays valid until the next call. */
const char *command_read(char **words, const struct command_option *options,
                         const char *(*other)(const char *word, void *given), void *given);

/* Returns an error message, which stays valid until the next one. */
const char *command_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reads a whole number from 1 to `most` that begins at *word and moves *word past it. Returns 0
 * if there is none. */
int64_t command_whole(const char **word, int64_t most);
