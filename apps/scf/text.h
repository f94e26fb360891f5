/* Text files: process 0 reads and broadcasts them; then they are split into lines and words. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct text {
  char path[512];
  char *data; /* ends with a null byte */
  size_t length;
};

struct line_reader {
  const struct text *text;
  size_t offset;
  int number; /* number of the line in `line`, counted from 1 */
  char line[1024];
};

enum { WORDS_MAX = 64 };

/** Reads a file on process 0 and broadcasts it. Collective. Returns false and sets error_text on
 * all processes if it fails. */
bool text_read(struct text *text, const char *path);

void text_free(struct text *text);

struct line_reader line_reader_create(const struct text *text);

/** Stores the next line without its end in reader->line. Returns false at the end of the text.
 * Longer lines than the buffer are cut off. */
bool line_next(struct line_reader *reader);

/** Stores the next line that is not blank once a `#` comment is removed. Returns false at the
 * end. */
bool line_next_filled(struct line_reader *reader);

/** Splits `line` in place at blanks. Returns the number of words, at most WORDS_MAX. */
int words_split(char *line, char *words[WORDS_MAX]);

/** Parses a finite number that takes the whole word. Fortran's D exponents are accepted. */
bool number_parse(const char *word, double *value);

/** Parses a whole number that takes the whole word and fits into an int. */
bool integer_parse(const char *word, int *value);

/** Returns true if two words differ at most in the case of ASCII letters. */
bool word_equal(const char *left, const char *right);
