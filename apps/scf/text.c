/* Reads text files on process 0, broadcasts them, and splits them into lines and words. */
#include "text.h"

#include "error.h"

#include <errno.h>
#include <ga.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Inputs are small. The bound keeps a wrong path from being broadcast for minutes. */
static const long file_size_max = 64L << 20;

/* Returns 0, or the errno if the file cannot be read. */
static int file_load(struct text *text)
{
  FILE *file = fopen(text->path, "rb");
  if (!file)
    return errno ? errno : EIO;
  int reason = 0;
  long size = -1;
  if (fseek(file, 0, SEEK_END) == 0)
    size = ftell(file);
  if (size < 0) {
    reason = errno ? errno : EIO;
  } else if (size > file_size_max) {
    /* On Linux a directory can be opened and reports a huge size. */
    reason = size == LONG_MAX ? EISDIR : EFBIG;
  } else {
    rewind(file);
    text->data = memory_allocate((size_t)size + 1, 1);
    text->length = fread(text->data, 1, (size_t)size, file);
    if (ferror(file))
      reason = errno ? errno : EIO;
  }
  fclose(file);
  return reason;
}

bool text_read(struct text *text, const char *path)
{
  *text = (struct text){.data = NULL};
  if (strlen(path) >= sizeof text->path)
    return error_set("the path %.64s... is too long", path);
  memcpy(text->path, path, strlen(path) + 1);

  int header[2] = {0, 0}; /* errno, length */
  if (GA_Nodeid() == 0) {
    header[0] = file_load(text);
    header[1] = (int)text->length;
  }
  GA_Brdcst(header, (int)sizeof header, 0);
  if (header[0]) {
    text_free(text);
    return error_set("cannot read %s: %s", path, strerror(header[0]));
  }
  if (GA_Nodeid() != 0) {
    text->length = (size_t)header[1];
    text->data = memory_allocate(text->length + 1, 1);
  }
  if (text->length)
    GA_Brdcst(text->data, header[1], 0);
  return true;
}

void text_free(struct text *text)
{
  free(text->data);
  text->data = NULL;
  text->length = 0;
}

struct line_reader line_reader_create(const struct text *text)
{
  return (struct line_reader){.text = text};
}

bool line_next(struct line_reader *reader)
{
  const struct text *text = reader->text;
  if (reader->offset >= text->length)
    return false;
  const char *start = text->data + reader->offset;
  const char *end = memchr(start, '\n', text->length - reader->offset);
  size_t length = end ? (size_t)(end - start) : text->length - reader->offset;
  reader->offset += length + 1;
  reader->number++;
  if (length > 0 && start[length - 1] == '\r')
    length--;
  if (length >= sizeof reader->line)
    length = sizeof reader->line - 1;
  memcpy(reader->line, start, length);
  reader->line[length] = '\0';
  return true;
}

bool line_next_filled(struct line_reader *reader)
{
  while (line_next(reader)) {
    reader->line[strcspn(reader->line, "#")] = '\0';
    if (reader->line[strspn(reader->line, " \t\v\f")])
      return true;
  }
  return false;
}

int words_split(char *line, char *words[WORDS_MAX])
{
  static const char blanks[] = " \t\v\f";
  int count = 0;
  char *next = line + strspn(line, blanks);
  while (*next && count < WORDS_MAX) {
    words[count++] = next;
    next += strcspn(next, blanks);
    if (*next)
      *next++ = '\0';
    next += strspn(next, blanks);
  }
  return count;
}

bool number_parse(const char *word, double *value)
{
  char copy[64];
  size_t length = strlen(word);
  if (length == 0 || length >= sizeof copy)
    return false;
  /* strtod does not know D exponents, and would accept names such as "inf". */
  for (size_t i = 0; i <= length; i++) {
    copy[i] = (char)(word[i] == 'D' || word[i] == 'd' ? 'e' : word[i]);
  }
  if (strspn(copy, "0123456789+-.eE") != length)
    return false;
  char *end;
  *value = strtod(copy, &end);
  return *end == '\0' && isfinite(*value);
}

bool integer_parse(const char *word, int *value)
{
  char *end;
  errno = 0;
  long parsed = strtol(word, &end, 10);
  if (end == word || *end || errno || parsed < INT_MIN || parsed > INT_MAX)
    return false;
  *value = (int)parsed;
  return true;
}

bool word_equal(const char *left, const char *right)
{
  return strcasecmp(left, right) == 0;
}
