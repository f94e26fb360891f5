/* What programs on the native API share: the kit, started together with Causeway. */
#ifndef KIT_NATIVE_H
#define KIT_NATIVE_H

#include "kit/kit.h"

#include <causeway.h>

/* A check that a call succeeds; a failure prints Causeway's sentence. */
#define KIT_OK(call) kit_call_ok(#call, (call))
bool kit_call_ok(const char *call, cw_error error);

/* The same for calls without which the rest makes no sense: ends the job. */
#define KIT_MUST(call) kit_call_must(#call, (call))
void kit_call_must(const char *call, cw_error error);

/* A check that a call is refused as misuse, and that the sentence holds every one of the words
 * (separated by '|'). */
#define KIT_MISUSE(words, call) kit_call_refused(#call, (call), CW_MISUSE, words)
#define KIT_OUTSIDE(words, call) kit_call_refused(#call, (call), CW_OUTSIDE, words)
bool kit_call_refused(const char *call, cw_error error, cw_error kind, const char *words);

/* MPI with MPI_THREAD_MULTIPLE where it has it, the kit, and cw_init. */
void kit_start_native(int *argc, char ***argv, const char *program);

/* A region of the world, all zeros; returns my slice. at: receives the slices' addresses, to be
 * freed with it. Collective. */
void *kit_make_region(size_t bytes, cw_region *region, void ***at);
void kit_free_region(cw_region *region, void **at);

/* Skip the test, after kit_start_native, where MPI has no MPI_THREAD_MULTIPLE. */
void kit_need_threads(void);

/* Run a body in so many threads at once, each on a copy of the world of its own. number: from 0.
 * Collective. */
typedef void (*kit_body)(cw_team team, int number);
void kit_on_teams(int threads, kit_body body);

/* The parts of a program that its arguments name, in their order. */
struct kit_part {
  const char *name;
  void (*run)(void);
};
#define KIT_RUN_PARTS(argc, argv, parts)                                                           \
  kit_run_parts(argc, argv, parts, sizeof(parts) / sizeof(parts)[0])
void kit_run_parts(int argc, char **argv, const struct kit_part *parts, size_t count);

/* cw_finalize and kit_finish. */
int kit_finish_native(void);

/* Everything goes through MPI windows, or some of it does. */
bool kit_by_rma(void);

/* Print a failure and end the program when it has not ended shortly before ctest would kill it
 * (CW_TEST_HANG: after so many seconds): for programs whose way to fail is to hang. */
void kit_hang_guard(void);
#endif
