/* Causeway: the result of a call, the message that explains it, and short ways to check both.
 *
 *   CW_MUST(call);                        succeeds, or ends the job with the message
 *   CW_TRY(call);                         succeeds, or this function returns the error
 *   if (CW_MAY_FAIL(call) != CW_OK) ...   the program expects that it may fail
 *
 * A failure counts as read when its thread calls cw_error_message() before its next failure, or
 * when it comes from within CW_MAY_FAIL. cw_finalize prints the number of failures that were not
 * read, and the first of them. If the program does not call cw_finalize, they are printed at the
 * end of the process (exit, return from main). With CW_CHECK=1 Causeway prints each failure as soon
 * as it can no longer be read. With CW_ERRORS=fatal the first failure ends the job, even before
 * cw_init.
 *
 * Thread level of all calls: any, unless one says otherwise. */
#ifndef CAUSEWAY_ERROR_H
#define CAUSEWAY_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* Attribute of calls that return a cw_error. Compilers (gcc, clang, and those that know their
 * attributes) warn where a program ignores the error. */
#define CW_CHECKED __attribute__((warn_unused_result))

/* Marks a name that the next minor version removes: compilers warn where a program uses it, with
 * `text`, which names the replacement. */
#define CW_DEPRECATED(text) __attribute__((deprecated(text)))

/* Result of a call. There are four kinds of failure. */
typedef enum cw_error {
  CW_OK = 0,      /* done */
  CW_MISUSE = 1,  /* the caller passed something that is always wrong; nothing was changed */
  CW_OUTSIDE = 2, /* MPI, the allocation of memory or the operating system failed */
  CW_BUG = 3,     /* an error in Causeway: please report it */
  CW_FAILED = 4   /* a process that the call needs has failed (causeway/failure.h) */
} cw_error;

/* Returns the error message of the last failed call of this thread: call, argument, value, legal
 * range.
 *
 * Local. The string stays valid until the next failing call of this thread; it is "" if no call has
 * failed. Errors: none. */
const char *cw_error_message(void);

/* Makes `call`, which returns a cw_error. If it fails, prints the place in the program, the call
 * and its error message, and ends the whole job. */
#define CW_MUST(call)                                                                              \
  do {                                                                                             \
    const cw_error cw_must_error = (call);                                                         \
    if (cw_must_error != CW_OK)                                                                    \
      cw_error_end(cw_must_error, #call, __FILE__, __LINE__);                                      \
  } while (0)

/* Makes `call`. If it fails, returns its error from this function, which returns a cw_error, too.
 */
#define CW_TRY(call)                                                                               \
  do {                                                                                             \
    const cw_error cw_try_error = (call);                                                          \
    if (cw_try_error != CW_OK)                                                                     \
      return cw_try_error;                                                                         \
  } while (0)

/* Makes `call` and returns its result. The program handles a failure of the call: the failure
 * counts as read, and with CW_ERRORS=fatal it does not end the job. */
#ifdef __cplusplus
#define CW_MAY_FAIL(call) (cw_error_awaited{{}, (call)}.end())
#else
#define CW_MAY_FAIL(call) (cw_error_expect(), cw_error_expected(call))
#endif

/* The parts of CW_MAY_FAIL, which programs should use. After cw_error_expect this thread expects
 * failures. cw_error_expected ends this and returns `error`. Local. Errors: none. */
void cw_error_expect(void);
cw_error cw_error_expected(cw_error error);

/* Prints "file:line: call failed: message" with the process number to standard error and ends the
 * whole job with status 1. `call` may be a function of the program, which may return any error. For
 * such a function cw_error_end prints the name of the error. It adds the message of the thread's
 * last failed call only if that call returned the same error. Programs use CW_MUST. error: what the
 * call returned. Does not return. Local. Errors: none. */
void cw_error_end(cw_error error, const char *call, const char *file, int line);

#ifdef __cplusplus
}

/* The thread expects failures for as long as this is open; it ends even if `call` throws. */
struct cw_error_expecting {
  bool open = true;
  cw_error_expecting()
  {
    cw_error_expect();
  }
  ~cw_error_expecting()
  {
    end(CW_OK);
  }
  cw_error end(cw_error error)
  {
    return open ? (open = false, cw_error_expected(error)) : error;
  }
};

/* Braces initialise `expecting` before they evaluate the call. */
struct cw_error_awaited {
  cw_error_expecting expecting;
  cw_error error;
  cw_error end()
  {
    return expecting.end(error);
  }
};
#endif
#endif
