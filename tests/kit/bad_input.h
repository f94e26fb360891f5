/* Tables of bad inputs: a row for each (call, argument), tried with every value of an axis.
 *
 * A row is refused by a sentence that names the call and the argument, or it is documented as
 * harmless. A crash, a hang and a call that accepts what it should refuse are failures. All of that
 * happens in one process: signals, alarms and the end of the job (cw_abort, MPI_Abort) come back
 * here. So a program is linked with -Wl,--wrap=cw_abort.
 *
 * The rows are a file of lines of these two kinds; `bad` is the value:
 *
 *   REFUSED(call, "word|word", axis, expression)   the sentence holds the call and the words,
 *                                                  and no !word
 *   HARMLESS(call, axis, expression)               the expression is true
 *
 * Behind a line PENDING stand rows that fail today; CW_TEST_PENDING=1 tries them, too, another
 * value those of the moments that it is a part of ("first life"). */
#ifndef KIT_BAD_INPUT_H
#define KIT_BAD_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bad_value {
  const char *what;
  intptr_t value;
};

enum { BAD_VALUES = 24 };

struct bad_axis {
  size_t count;
  struct bad_value values[BAD_VALUES];
};

/* A value as an address. */
static inline void *at(intptr_t bad)
{
  void *address = NULL;
  memcpy(&address, &bad, sizeof address);
  return address;
}

void bad_add(struct bad_axis *axis, const char *what, intptr_t value);
void bad_add_address(struct bad_axis *axis, const char *what, const void *address);

/* Addresses that are no object of any kind. */
void bad_add_strangers(struct bad_axis *axis);

/* No value: the row is tried once. */
extern struct bad_axis once;
/* Numbers outside 0 .. count-1; sizes that wrap when something is added. */
void bad_add_numbers(struct bad_axis *axis, int count);
void bad_add_sizes(struct bad_axis *axis);

enum bad_kind { BAD_REFUSED, BAD_HARMLESS, BAD_PENDING };

struct bad_row {
  enum bad_kind kind;
  const char *call;
  const char *words; /* separated by '|' */
  const struct bad_axis *axis;
  long (*run)(intptr_t bad);
};

/* kit/bad_table.inc makes the table out of these. A program says which file, and its prefix:
 *
 *   #define BAD_TABLE "runtime/bad_input.def"
 *   #define BAD_PREFIX running
 *   #include "kit/bad_table.inc"
 *   bad_try(running_rows, BAD_COUNT(running_rows), ...) */
#define BAD_PASTE(a, b) a##b
#define BAD_NAMED(prefix, line) BAD_PASTE(prefix, line)
#define BAD_FUNCTION(expression)                                                                   \
  static long BAD_NAMED(BAD_PREFIX, __LINE__)(intptr_t bad)                                        \
  {                                                                                                \
    (void)bad;                                                                                     \
    return (long)(expression);                                                                     \
  }
#define BAD_ROW(kind, call, words, axis)                                                           \
  {kind, #call, words, &(axis), BAD_NAMED(BAD_PREFIX, __LINE__)},
#define BAD_COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

/* cw_abort as it is, for who wants to see it. */
void __real_cw_abort(const char *sentence, int status); /* NOLINT(bugprone-reserved-identifier) */

/* How a refused call tells. Native calls return a cw_error that is not CW_OK, and
 * cw_error_message() has the sentence; ARMCI's end the job with it, and words may be "status 1". */
enum bad_manner { BAD_RETURNS, BAD_ENDS };

/* Try the rows, in the same order on all processes. `when` names the moment. */
void bad_try(const struct bad_row *rows, size_t count, enum bad_manner manner, const char *when);

/* A program's whole course: the rows of a library that does not run, before and between two lives
 * of it, and `live` for each; then bad_judge. `begin` fills the axes that change. */
void bad_try_lives(const struct bad_row *idle, size_t count, void (*begin)(void),
                   void (*live)(const char *when));

/* Before kit_finish: checks that all was as it should be. After a crash or a hang nothing can be
 * relied on: then it ends the job. */
void bad_judge(void);

/* Failures so far, for what is tried when the kit has finished. */
long bad_failures(void);
#endif
