/* One setting as text: parsing, printing, and describing the range. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define CWI_UNBOUNDED_BYTES (LONG_MAX >> 40 << 40) /* a multiple of 1 T; stands for no bound */

enum cwi_setting_kind {
  CWI_COUNT,
  CWI_BYTES,
  CWI_ADDRESS,
  CWI_FLAG,
  CWI_CHOICE,
  CWI_SIGNED,
  CWI_NUMBERED,
  CWI_TEXT
};

struct cwi_setting {
  const char *name;
  const char *alias; /* ARMCI-MPI's name of the same setting, or NULL */
  enum cwi_setting_kind kind;
  bool of_job;   /* all processes must have the same value, because they act on it together */
  size_t offset; /* in struct cwi_settings */
  long standard, least, most;
  /* CWI_COUNT: the unit, or NULL. CWI_CHOICE: words separated by '|'; the value is the position of
   * one of them. CWI_SIGNED: "all", and the words that the list may have. CWI_NUMBERED: like
   * CWI_CHOICE, but the last word ends in ":b", and its value is the number b, at least 1.
   * CWI_TEXT: a description of the value; if `most` is 1, words for on mean "1", and words for off
   * mean no text. */
  const char *choices;
  const char *help;
  const char *example; /* "NAME=value" and when to use it */
};

/* Returns false if the text is not a value of the setting. */
bool cwi_setting_parse(const struct cwi_setting *setting, const char *text, long *value);

void cwi_setting_print(const struct cwi_setting *setting, long value, char *text, size_t size);

/* Writes which values the setting may have. The largest value that its type can hold is written
 * only if `with_largest` is true. */
void cwi_setting_range(const struct cwi_setting *setting, bool with_largest, char *text,
                       size_t size);
