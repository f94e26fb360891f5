/* What all other modules build on: errors, settings, the log, small containers.
 *
 * This header has the three kinds of failure, misuse, outside and bug, with a message each.
 *
 * clock.c             the clock that never goes back
 * error.c             the error messages of failed calls, and the end of the job
 * file_write.c        writing to files without signals
 * hash_map.c          a hash table
 * interval.c          whether byte ranges overlap
 * log.c               messages for the user
 * operation_counts.c  the counters of CW_STATS
 * reword.c            messages of native calls in a binding's words
 * settings.c          the table of settings: names, defaults, ranges, descriptions
 * single_runtime.c    whether another Causeway library runs in this process
 * spelling.c          how far two names are from each other
 * stop_hooks.c        actions of rooms at the stop
 * temporary_name.c    names for files that are written beside their place
 * unread_errors.c     errors of calls that the program has not looked at */
#ifndef CWI_BASE_ERROR_H
#define CWI_BASE_ERROR_H

#include <causeway/error.h>

#include <stdbool.h>
#include <stddef.h>

#define CWI_CHECKED __attribute__((warn_unused_result))
#define CWI_PRINTF(position, first) __attribute__((format(printf, position, first)))
#define CWI_NORETURN __attribute__((noreturn))
#define CWI_LIKELY(x) __builtin_expect(!!(x), 1)
#define CWI_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Behind a variable that is set before it is read, where an analyzer cannot know that: to it alone
 * it is all zeros. */
#ifdef __clang_analyzer__
#define CWI_SET_LATER = {0}
#else
#define CWI_SET_LATER
#endif

/* Record a message and return its kind. */
CWI_CHECKED cw_error cwi_misuse(const char *format, ...) CWI_PRINTF(1, 2);
CWI_CHECKED cw_error cwi_outside(const char *format, ...) CWI_PRINTF(1, 2);
CWI_CHECKED cw_error cwi_failure(cw_error error, const char *format, ...) CWI_PRINTF(2, 3);

/* Sentences that this thread has recorded, but for those aside. What the program returns need not
 * come from a call of ours: whether the last message is of such an error; "CW_MISUSE". */
extern __thread __attribute__((tls_model("initial-exec"))) unsigned cwi_error_messages;
bool cwi_error_message_is_of(cw_error error);
const char *cwi_error_name(cw_error error);

/* Until it is false again, sentences of this thread do not replace those that its program may read:
 * it works for somebody else. One thread of the process at a time. */
void cwi_error_set_aside(bool aside);

/* Is the pointer not NULL, the number not negative? name: of the argument. */
CWI_CHECKED cw_error cwi_null_argument(const char *name);
CWI_CHECKED cw_error cwi_check_not_negative(const char *name, long long value);

static inline CWI_CHECKED cw_error cwi_check_not_null(const char *name, const void *pointer)
{
  if (CWI_LIKELY(pointer != NULL))
    return CW_OK;
  const cw_error error = cwi_null_argument(name);
  if (error == CW_OK) /* never; an analyzer that does not know takes NULL for checked */
    __builtin_unreachable();
  return error;
}

/* The system's words for a value of errno. strerror need not be safe from threads. */
const char *cwi_system_error(int error);

/* What cw_error_message() returns. Asking so does not count as the program's look at it. */
const char *cwi_error_message(void);

/* The same failure in other words. */
void cwi_error_message_replace(const char *message);

/* Has the recorded message been recorded as the failure of a call? A public call that calls others
 * passes their failure on, and so it is recorded once; who records another message for the same
 * failure puts back what was so before. */
bool cwi_error_is_recorded(void);
void cwi_error_set_recorded(bool recorded);

/* Add who called in front of the recorded message: "cw_put: ...". False: it is said aside, and is
 * no failure of a call of the program's. */
bool cwi_error_message_prefix(const char *call, cw_error error);

/* The same, and note the failure (unread_errors.c): each public call that fails passes here. */
void cwi_failed_in_call(const char *call, cw_error error);

static inline cw_error cwi_in_call(const char *call, cw_error error)
{
  if (CWI_UNLIKELY(error != CW_OK))
    cwi_failed_in_call(call, error);
  return error;
}

/* Add to the end of the recorded message, in brackets. Returns error. */
cw_error cwi_error_append(cw_error error, const char *format, ...) CWI_PRINTF(2, 3);

/* The first error of several, with its message: a later one replaces what is recorded. */
struct cwi_first_error {
  cw_error error;
  bool recorded;
  bool marked; /* it, or one that followed */
  char message[1024];
};
/* The first one; of a later one only the mark. */
void cwi_first_keep(struct cwi_first_error *first, cw_error error);
CWI_CHECKED cw_error cwi_first_again(const struct cwi_first_error *first);

static inline void cwi_first_note(struct cwi_first_error *first, cw_error error)
{
  if (CWI_UNLIKELY(error != CW_OK))
    cwi_first_keep(first, error);
}

/* error: the first, or CW_OK. */
static inline void cwi_first_begin(struct cwi_first_error *first, cw_error error)
{
  first->error = CW_OK;
  cwi_first_note(first, error);
}

static inline cw_error cwi_first_return(const struct cwi_first_error *first)
{
  return CWI_LIKELY(first->error == CW_OK) ? CW_OK : cwi_first_again(first);
}

/* Our own mistake: print where and end the job. */
CWI_NORETURN void cwi_bug_at(const char *file, int line, const char *condition);
#define CWI_ASSERT(condition)                                                                      \
  (CWI_LIKELY(condition) ? (void)0 : cwi_bug_at(__FILE__, __LINE__, #condition))

/* Pass an error on to the caller. */
#define CWI_TRY(call)                                                                              \
  do {                                                                                             \
    const cw_error cwi_try_error = (call);                                                         \
    if (CWI_UNLIKELY(cwi_try_error != CW_OK))                                                      \
      return cwi_try_error;                                                                        \
  } while (0)

/* Mark the message that this thread has just recorded, or not any more; is the last one marked?
 * What the mark says is its user's: see cwi_error_is_from_mpi. */
void cwi_error_mark(bool marked);
bool cwi_error_marked(void);

/* What ends the job when a bug or a dead peer is found: src/core/mpi installs MPI_Abort here. */
typedef void (*cwi_abort_function)(const char *message, int status);
void cwi_set_abort(cwi_abort_function function);
CWI_NORETURN void cwi_abort(const char *message, int status);
CWI_NORETURN void cwi_abort_with(int status, const char *format, ...) CWI_PRINTF(2, 3);
#endif
