/* Text files: read once by process 0, broadcast, then cut into lines and words. */
#ifndef SCF_TEXT_H
#define SCF_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text {
  char path[512];
  char *data; /* ends with a zero byte */
  size_t length;
};

struct line_reader {
  const struct text *text;
  size_t offset;
  int number; /* of the line in `line`, from 1 */
  char line[1024];
};

enum { WORDS_MAX = 64 };

/** Reads the file on process 0 and gives it to all. Collective; false on all when it fails. */
bool text_read(struct text *text, const char *path);

void text_free(struct text *text);

struct line_reader line_reader_create(const struct text *text);

/** Fetches the next line, without its end; false at the end of the text. */
bool line_next(struct line_reader *reader);

/** Fetches the next line that has words once a `#` comment is cut off. */
bool line_next_filled(struct line_reader *reader);

/** Cuts `line` in place at blanks; returns the number of words, at most WORDS_MAX. */
int words_split(char *line, char *words[WORDS_MAX]);

/** A finite number that fills the whole word; Fortran's D exponents are accepted. */
bool number_parse(const char *word, double *value);

/** A whole number that fits an int and fills the whole word. */
bool integer_parse(const char *word, int *value);

/** Compares without regard to the case of ASCII letters. */
bool word_equal(const char *left, const char *right);

#endif
