/* The arguments of a collective call that must be the same on all members. A call lists them by
 * name. With CW_CHECK=1, or if their hashes differ, they are written as words. The members compare
 * the words, and messages quote them. */
#pragma once

#include "base/error.h"

#include <causeway/transfer.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Words in a buffer of fixed size, written piece by piece. Text that no longer fits is only added
 * to the hash. */
struct cwi_words {
  char *text; /* always ends with 0 */
  size_t used, size;
  uint64_t hash;
};
void cwi_words_add(struct cwi_words *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* One argument. It costs a few stores. `write` is called only with CW_CHECK or if arguments differ,
 * and only if the argument was valid. */
struct cwi_argument {
  /* the parameter's name in the header; NULL ends the list; or CWI_ARGUMENTS_SEVERAL */
  const char *name;
  void (*write)(const struct cwi_argument *argument, struct cwi_words *words);
  const void *what;
  size_t count;
  const char *of; /* "a" in "lo of a"; NULL for an argument of the call itself */
  const void *by; /* further data that `write` needs, such as the array of an element */
};

/* Name of an entry that stands for several arguments: its `write` writes a list of its own. */
#define CWI_ARGUMENTS_SEVERAL ""

/* Writes all arguments of a list: each name and its words, both followed by a 0. */
void cwi_arguments_write(const struct cwi_argument *list, struct cwi_words *words);

/* Compares two lists of words. Errors: CW_MISUSE with the first argument that differs and both
 * values. Returns CW_OK if none differs or a list is empty. */
CWI_CHECKED cw_error cwi_arguments_compare(int process, const struct cwi_words *words, int other,
                                           const struct cwi_words *its);

/* Writers; `what` points to the value, or `count` is the value. */
void cwi_write_int(const struct cwi_argument *argument, struct cwi_words *words);
void cwi_write_ints(const struct cwi_argument *argument, struct cwi_words *words);
void cwi_write_indices(const struct cwi_argument *argument, struct cwi_words *words);
void cwi_write_size(const struct cwi_argument *argument, struct cwi_words *words);
void cwi_write_text(const struct cwi_argument *argument, struct cwi_words *words);
void cwi_write_truth(const struct cwi_argument *argument, struct cwi_words *words);
void cwi_write_type(const struct cwi_argument *argument, struct cwi_words *words);
void cwi_write_reduction(const struct cwi_argument *argument, struct cwi_words *words);
void cwi_write_choice(const struct cwi_argument *argument, struct cwi_words *words);

/* Adds an element of the type, or "NULL" if `element` is NULL. `bytes` is the size of an element of
 * CW_OPAQUE. */
void cwi_words_element(struct cwi_words *words, cw_type type, size_t bytes, const void *element);

/* Constructors. The objects that an entry points to must live as long as the list. */
#define CWI_ARGUMENTS_END                                                                          \
  {                                                                                                \
    NULL, NULL, NULL, 0, NULL, NULL                                                                \
  }
static inline struct cwi_argument cwi_argument_int(const char *name, const int *value)
{
  return (struct cwi_argument){name, cwi_write_int, value, 1, NULL, NULL};
}
/* Arrays; `values` may be NULL, which is written as "NULL". */
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
