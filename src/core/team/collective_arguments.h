/* What has to be the same on all members of a collective call: its arguments, by name. A call lists
 * them; with CW_CHECK=1 they are written as words, which members compare and sentences quote. */
#ifndef CWI_TEAM_COLLECTIVE_ARGUMENTS_H
#define CWI_TEAM_COLLECTIVE_ARGUMENTS_H

#include "base/error.h"

#include <causeway/transfer.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Words that somebody writes piece by piece. What has no room any more counts in the hash alone. */
struct cwi_words {
  char *text; /* ends with 0 always */
  size_t used, size;
  uint64_t hash;
};
void cwi_words_add(struct cwi_words *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* One argument. It costs a few stores: its writer runs with CW_CHECK only, and only where the
 * argument was accepted. */
struct cwi_argument {
  const char *name; /* as the header says; NULL: the end of the list; or CWI_ARGUMENTS_SEVERAL */
  void (*write)(const struct cwi_argument *argument, struct cwi_words *words);
  const void *what;
  size_t count;
  const char *of; /* "lo" of "a"; NULL: of the call */
  const void *by; /* what tells how to read it: an element's array */
};

/* The name of what is several arguments: its writer writes a list of its own. */
#define CWI_ARGUMENTS_SEVERAL ""

/* All of a list, each a name and its words, with a 0 behind each. */
void cwi_arguments_write(const struct cwi_argument *list, struct cwi_words *words);

/* The first argument of two lists of words that differs. Errors: CW_MISUSE that names it, and what
 * both processes give. CW_OK: none does, or a list is empty. */
CWI_CHECKED cw_error cwi_arguments_compare(int process, const struct cwi_words *words, int other,
                                           const struct cwi_words *its);

/* Writers; `what` is a pointer to it. */
void cwi_write_int(const struct cwi_argument *argument, struct cwi_words *words);
void cwi_write_ints(const struct cwi_argument *argument, struct cwi_words *words);
void cwi_write_indices(const struct cwi_argument *argument, struct cwi_words *words);
void cwi_write_size(const struct cwi_argument *argument, struct cwi_words *words);
void cwi_write_text(const struct cwi_argument *argument, struct cwi_words *words);
void cwi_write_truth(const struct cwi_argument *argument, struct cwi_words *words);
void cwi_write_type(const struct cwi_argument *argument, struct cwi_words *words);
void cwi_write_reduction(const struct cwi_argument *argument, struct cwi_words *words);
void cwi_write_choice(const struct cwi_argument *argument, struct cwi_words *words);

/* An element of a type; NULL is "NULL". bytes: of CW_OPAQUE. */
void cwi_words_element(struct cwi_words *words, cw_type type, size_t bytes, const void *element);

/* Constructors. What is pointed at lives as long as the list. */
#define CWI_ARGUMENTS_END                                                                          \
  {                                                                                                \
    NULL, NULL, NULL, 0, NULL, NULL                                                                \
  }
static inline struct cwi_argument cwi_argument_int(const char *name, const int *value)
{
  return (struct cwi_argument){name, cwi_write_int, value, 1, NULL, NULL};
}
/* NULL: "NULL". */
static inline struct cwi_argument cwi_argument_ints(const char *name, const int *values,
                                                    size_t count)
{
  return (struct cwi_argument){name, cwi_write_ints, values, count, NULL, NULL};
}
static inline struct cwi_argument cwi_argument_indices(const char *name, const int64_t *values,
                                                       size_t count)
{
  return (struct cwi_argument){name, cwi_write_indices, values, count, NULL, NULL};
}
static inline struct cwi_argument cwi_argument_size(const char *name, size_t value)
{
  return (struct cwi_argument){name, cwi_write_size, NULL, value, NULL, NULL};
}
static inline struct cwi_argument cwi_argument_text(const char *name, const char *text)
{
  return (struct cwi_argument){name, cwi_write_text, text, 0, NULL, NULL};
}
static inline struct cwi_argument cwi_argument_truth(const char *name, bool value)
{
  return (struct cwi_argument){name, cwi_write_truth, NULL, value, NULL, NULL};
}
static inline struct cwi_argument cwi_argument_type(const char *name, cw_type type)
{
  return (struct cwi_argument){name, cwi_write_type, NULL, (size_t)type, NULL, NULL};
}
static inline struct cwi_argument cwi_argument_reduction(const char *name, cw_reduction reduction)
{
  return (struct cwi_argument){name, cwi_write_reduction, NULL, (size_t)reduction, NULL, NULL};
}
/* One of the names of an enumeration. */
static inline struct cwi_argument cwi_argument_choice(const char *name, const char *const *names,
                                                      size_t choice)
{
  return (struct cwi_argument){name, cwi_write_choice, names, choice, NULL, NULL};
}
#endif
