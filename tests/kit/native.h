/* Helpers for programs on the native API: start the kit together with Causeway, and check calls. */
#pragma once

#include "kit/kit.h"

#include <causeway.h>

/* Checks that a call succeeds; a failure prints Causeway's message. */
#define KIT_OK(call) kit_call_ok(#call, (call))
bool kit_call_ok(const char *call, cw_error error);

/* Like KIT_OK, but a failure ends the job: for calls without which the rest of the test has no
 * meaning. */
#define KIT_MUST(call) kit_call_must(#call, (call))
void kit_call_must(const char *call, cw_error error);

/* Checks that a call is rejected as misuse, and that the message has every one of the words, which
 * are separated by '|'. */
#define KIT_MISUSE(words, call) kit_call_fails(#call, (call), CW_MISUSE, words)
#define KIT_OUTSIDE(words, call) kit_call_fails(#call, (call), CW_OUTSIDE, words)
bool kit_call_fails(const char *call, cw_error error, cw_error kind, const char *words);

/* Starts MPI, with MPI_THREAD_MULTIPLE if it is available, the kit, and Causeway. */
void kit_start_native(int *argc, char ***argv, const char *program);

/* Makes a region of the world that is all zeros and returns this process's slice. `at` receives the
 * slices' addresses, which the caller frees with the region. Collective. */
void *kit_make_region(size_t bytes, cw_region *region, void ***at);
void kit_free_region(cw_region *region, void **at);

/* Skips the test if MPI has no MPI_THREAD_MULTIPLE. Called after kit_start_native. */
void kit_need_threads(void);

/* Runs a body in `threads` threads at once, each with a copy of the world of its own. `number`
 * counts from 0. Collective. */
typedef void (*kit_body)(cw_team team, int number);
void kit_on_teams(int threads, kit_body body);

/* Runs the parts of a program that its arguments name, in their order. */
struct kit_part {
  const char *name;
  void (*run)(void);
};
#define KIT_RUN_PARTS(argc, argv, parts)                                                           \
  kit_run_parts(argc, argv, parts, sizeof(parts) / sizeof(parts)[0])
void kit_run_parts(int argc, char **argv, const struct kit_part *parts, size_t count);

/* Calls cw_finalize and kit_finish. */
int kit_finish_native(void);

/* Returns true if transfers go through MPI windows, or some of them do. */
bool kit_by_rma(void);

/* Prints a failure and ends the program if it is still running shortly before ctest would kill it
 * (CW_TEST_HANG: after that many seconds). For programs that fail by hanging. */
void kit_hang_guard(void);
