/* Messages of GA's calls for programs in Fortran. Dimensions count from 1 and are in reverse order,
 * lists count from 1, and names of calls are in lower case. Text in quotes comes from the program
 * and is not changed. */
#include "ga/base/binding.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

__thread __attribute__((tls_model("initial-exec"))) struct cwi_ga_fortran cwi_ga_fortran;

/* Words that are exchanged if the factors of a product are exchanged. */
static const char *const turned[][2] = {
    {"g_a", "g_b"}, {"ta", "tb"}, {"transa", "transb"}, {"m", "n"}, {NULL, NULL}};

static const char *other_word(const char *word, size_t length)
{
  for (int i = 0; turned[i][0] != NULL; i++)
    for (int side = 0; side < 2; side++)
      if (strlen(turned[i][side]) == length && memcmp(turned[i][side], word, length) == 0)
        return turned[i][1 - side];
  return NULL;
}

static bool ends_with(const char *begin, const char *end, const char *word)
{
  const size_t length = strlen(word);
  return (size_t)(end - begin) >= length && memcmp(end - length, word, length) == 0;
}

struct writer {
  char *at, *end;
};

static void write_text(struct writer *to, const char *text, size_t length)
{
  const size_t space = (size_t)(to->end - to->at);
  const size_t kept = length < space ? length : space;
  memcpy(to->at, text, kept);
  to->at += kept;
}

/* Converts the number at `from`, "[2]" or "2", and writes it. It is the number of a dimension, an
 * index in an argument with a number for each dimension, or an index in a list. A list is not
 * reversed. */
static const char *write_place(struct writer *to, const char *message, const char *from)
{
  char number[24];
  char *behind = NULL;
  const bool bracket = *from == '[';
  const long place = strtol(from + bracket, &behind, 10);
  const bool is_ld = ends_with(message, from, "ld");
  const bool is_list = bracket && ends_with(message, from, "list");
  const int count = cwi_ga_fortran.ndim - is_ld;
  if (place < 0 || (place >= count && !is_list) || (bracket && *behind != ']')) {
    write_text(to, from, 1);
    return from + 1;
  }
  const int length = snprintf(number, sizeof number, bracket ? "(%ld)" : "%ld",
                              is_list ? place + 1 : count - place);
  write_text(to, number, (size_t)length);
  return behind + bracket;
}

/* Returns true if a bound of a matrix such as "lo[1]" begins at `from`. Fortran calls it "ilo". */
static bool names_matrix_bound(const char *from)
{
  return cwi_ga_fortran.matrix && (strncmp(from, "lo[", 3) == 0 || strncmp(from, "hi[", 3) == 0) &&
         (from[3] == '0' || from[3] == '1') && from[4] == ']';
}

static const char *write_matrix_bound(struct writer *to, const char *from)
{
  write_text(to, from[3] == '0' ? "j" : "i", 1);
  write_text(to, from, 2);
  return from + 5;
}

/* Returns true if the word is the name of a call, such as "GA_Initialize" or "NGA_Create".
 * "GA_MAX_DIM" is a constant and not a call. */
static bool names_call(const char *from, const char *end)
{
  const char *behind = from + (*from == 'N' ? 1 : 0);
  return end - behind > 4 && strncmp(behind, "GA_", 3) == 0 && islower((unsigned char)behind[4]);
}

/* Writes a word, or the text between words. */
static const char *write_word(struct writer *to, const char *from)
{
  const char *end = from;
  if (names_matrix_bound(from))
    return write_matrix_bound(to, from);
  while (isalnum((unsigned char)*end) || *end == '_')
    end++;
  const char *other = cwi_ga_fortran.turned ? other_word(from, (size_t)(end - from)) : NULL;
  const bool is_call = names_call(from, end);
  end += end == from ? 1 : 0;
  if (other != NULL) {
    write_text(to, other, strlen(other));
    return end;
  }
  for (; from < end; from++) {
    const char small = (char)tolower((unsigned char)*from);
    write_text(to, is_call ? &small : from, 1);
  }
  return end;
}

/* Writes a shape such as "3 x 4" with its last dimension first, and returns its end. Returns `from`
 * if no shape begins there. */
static const char *write_shape(struct writer *to, const char *from)
{
  long extents[GA_MAX_DIM];
  int count = 0;
  const char *at = from, *behind = from;
  while (count < GA_MAX_DIM && isdigit((unsigned char)*at)) {
    char *end = NULL;
    extents[count++] = strtol(at, &end, 10);
    behind = end;
    if (strncmp(behind, " x ", 3) != 0)
      break;
    at = behind + 3;
  }
  if (count < 2)
    return from;
  while (count > 0) {
    char text[24];
    const int length =
        snprintf(text, sizeof text, "%ld%s", extents[count - 1], count > 1 ? " x " : "");
    write_text(to, text, (size_t)length);
    count--;
  }
  return behind;
}

/* Writes a shape, the "op(a)" of a product, or a word. */
static const char *write_turned(struct writer *to, const char *from)
{
  if (cwi_ga_fortran.turned && (strncmp(from, "op(a)", 5) == 0 || strncmp(from, "op(b)", 5) == 0)) {
    write_text(to, from[3] == 'a' ? "op(b)" : "op(a)", 5);
    return from + 5;
  }
  const char *behind = write_shape(to, from);
  return behind > from ? behind : write_word(to, from);
}

void cwi_ga_fortran_message(const char *message, char *text, size_t size)
{
  struct writer to = {text, text + size - 1};
  bool quoted = false;
  for (const char *from = message; *from != '\0';) {
    /* the apostrophe of "it's" does not open a quotation */
    if (*from == '\'' && (quoted || from == message || !isalnum((unsigned char)from[-1])))
      quoted = !quoted;
    if (quoted) {
      write_text(&to, from++, 1);
      continue;
    }
    const bool digit = isdigit((unsigned char)*from) && ends_with(message, from, "dimension ");
    from = *from == '[' || digit ? write_place(&to, message, from) : write_turned(&to, from);
  }
  *to.at = '\0';
}
