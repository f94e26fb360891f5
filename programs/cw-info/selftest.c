/* cw-info --selftest: runs the reproducers of MPI's bugs (tests/mpi/reproducers). Each runs in a
 * job of its own with a time limit, because a bug may crash or hang. The results are compared with
 * the table of src/core/mpi/workaround.c and with the work-arounds in use. */
#include "selftest.h"

#include "job.h"

#include "base/settings.h"
#include "mpi/launcher.h"
#include "mpi/mpi_library.h"
#include "mpi/workaround.h"

#include <causeway/error.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ALL_WELL, NOT_AVOIDED, WRONG_USE, NO_RESULT };

static const char *launcher = CW_LAUNCHER;
static double limit = 120;
static const char *only; /* the one bug to look for, or NULL */

/* --- Reproducers -------------------------------------------------------------------------------
 */

/* Finds the program of a reproducer. CW_REPRODUCERS is its path relative to this program, the same
 * for an installed cw-info and for one in the build tree. */
static bool find_program(const char *bug, char *path, size_t size)
{
  char own[4096] = "";
  if (readlink("/proc/self/exe", own, sizeof own - 1) <= 0)
    return false;
  *strrchr(own, '/') = '\0';
  return snprintf(path, size, "%s/%s/%s", own, CW_REPRODUCERS, bug) < (int)size &&
         access(path, X_OK) == 0;
}

/* Starts the launcher. The shell splits its command into words. */
static bool start_launcher(struct job *job, const char *program, int processes)
{
  char line[1024], number[16];
  snprintf(line, sizeof line, "exec %s -n \"$1\" \"$0\"", launcher);
  snprintf(number, sizeof number, "%d", processes);
  return job_start(job, line, (const char *[]){program, number, NULL});
}

/* --- The result ------------------------------------------------------------------------------- */

enum answer { HAS_IT, HAS_IT_NOT, NOT_SEEN, UNDECIDED, FAILED, LATE };

/* Returns the last line with letters or digits, usually the launcher's reason for the failure. */
static const char *last_words(char *text)
{
  char *last = text;
  for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
    if (strspn(line, " \t-=") < strlen(line))
      last = line;
  return last;
}

static void explain_failure(struct job *job, char *why, size_t size)
{
  char end[128];
  job_explain(job, limit, end, sizeof end);
  if (job->late)
    snprintf(why, size, "%s (--limit)", end);
  else if (WIFSIGNALED(job->status))
    snprintf(why, size, "%s", end);
  else
    snprintf(why, size, "%s: %.120s", end, last_words(job->text));
}

/* Finds the line of the result, in the format of tests/mpi/reproducers/reproducer.h. */
static enum answer read_answer(struct job *job, const char *bug, char *why, size_t size)
{
  static const char *const words[] = {"has it\n", "has it not\n", "not seen\n", "cannot tell: "};
  for (int answer = HAS_IT; answer <= UNDECIDED; answer++) {
    char line[128];
    snprintf(line, sizeof line, "%s: %s", bug, words[answer]);
    const char *found = strstr(job->text, line);
    if (found != NULL) {
      found += strlen(line);
      if (answer == UNDECIDED)
        snprintf(why, size, "%.*s", (int)strcspn(found, "\n"), found);
      return (enum answer)answer;
    }
  }
  explain_failure(job, why, size);
  return job->late ? LATE : FAILED;
}

static enum answer run_reproducer(enum cwi_workaround_id id, char *why, size_t size)
{
  const int processes = cwi_workaround(id)->processes;
  static struct job job;
  char program[8192];
  if (!find_program(cwi_workaround_name(id), program, sizeof program)) {
    snprintf(why, size, "its program is not installed (%s)", CW_REPRODUCERS);
    return FAILED;
  }
  if (!start_launcher(&job, program, processes > 0 ? processes : 2)) {
    snprintf(why, size, "no process could be started");
    return FAILED;
  }
  job_await(&job, limit);
  return read_answer(&job, cwi_workaround_name(id), why, size);
}

/* --- The verdict ------------------------------------------------------------------------------ */

/* Describes what Causeway does about a bug here. Not seeing a race is no proof that the bug is
 * absent, so NOT_SEEN never counts as "without need". */
static const char *describe_outcome(enum cwi_workaround_id id, enum answer answer)
{
  const bool applies = cwi_workaround_applies(id), expected = cwi_workaround_expected(id);
  if (answer == HAS_IT_NOT)
    return applies ? "avoids it without need" : "need not avoid it";
  if (id >= CWI_FIRST_AVOIDED)
    return "never makes such calls";
  if (applies)
    return expected ? "avoids it" : "avoids it, by CW_WORKAROUNDS";
  if (answer == LATE)
    return "does not avoid it: it hangs, or the machine is busy";
  if (answer == FAILED)
    return "does NOT AVOID it, if this MPI has it";
  if (answer == HAS_IT)
    return expected ? "does NOT AVOID it, because of CW_WORKAROUNDS" : "does NOT AVOID it";
  return expected ? "does not avoid it, because of CW_WORKAROUNDS" : "does not avoid it";
}

/* Returns what the result means for Causeway. Only a bug that is present and not avoided is
 * NOT_AVOIDED; a missing result is NO_RESULT. */
static int judge(enum cwi_workaround_id id, enum answer answer)
{
  if (answer == HAS_IT_NOT || id >= CWI_FIRST_AVOIDED || cwi_workaround_applies(id))
    return ALL_WELL;
  return answer == HAS_IT ? NOT_AVOIDED : answer >= FAILED ? NO_RESULT : ALL_WELL;
}

static int try_bug(enum cwi_workaround_id id)
{
  static const char *const words[] = {"has it",     "has it not", "not seen",
                                      "not tested", "not tested", "no answer"};
  char why[256] = "";
  printf("%-25s ", cwi_workaround_name(id));
  const enum answer answer = run_reproducer(id, why, sizeof why);
  printf("%-10s  %-5s  %s\n", words[answer], cwi_workaround_expected(id) ? "yes" : "no",
         describe_outcome(id, answer));
  if (answer >= UNDECIDED)
    printf("%25s %s\n", "", why);
  if (judge(id, answer) == NOT_AVOIDED)
    printf("%25s %s\n", "", cwi_workaround(id)->bug);
  return judge(id, answer);
}

static int conclude(const enum cwi_workaround_id *missing, int count, bool no_result)
{
  if (count > 0) {
    printf("\n%s makes results of Causeway wrong unless you set\n  export CW_WORKAROUNDS=",
           cwi_mpi_library()->text);
    for (int i = 0; i < count; i++)
      printf("%s+%s", i > 0 ? "," : "", cwi_workaround_name(missing[i]));
    printf("\nPlease report this output, so that the table knows of it.\n");
    return NOT_AVOIDED;
  }
  printf(no_result ? "\nThe selftest could not test for all bugs. If there was no answer, try "
                     "again while the\nmachine is idle, or with a longer --limit. "
                     "CW_WORKAROUNDS=+NAME avoids a bug in any case.\n"
                   : "\nAll bugs that were found are avoided.\n");
  return no_result ? NO_RESULT : ALL_WELL;
}

static int run_all(void)
{
  enum cwi_workaround_id missing[CWI_WORKAROUNDS];
  int count = 0;
  bool no_result = false;
  printf("%s, processes started by: %s\n"
         "  test   what the bug's program found here\n"
         "  table  whether Causeway's table of known bugs has it for this MPI (cw-info --bugs)\n\n"
         "%-25s %-10s  %-5s  %s\n",
         cwi_mpi_library()->text, launcher, "bug", "test", "table", "Causeway");
  for (int id = 0; id < CWI_WORKAROUNDS; id++) {
    if (only != NULL && strcmp(only, cwi_workaround_name((enum cwi_workaround_id)id)) != 0)
      continue;
    const int verdict = try_bug((enum cwi_workaround_id)id);
    if (verdict == NOT_AVOIDED)
      missing[count++] = (enum cwi_workaround_id)id;
    no_result = no_result || verdict == NO_RESULT;
  }
  return conclude(missing, count, no_result);
}

/* --- Arguments -------------------------------------------------------------------------------- */

static bool is_bug(const char *name)
{
  for (int id = 0; id < CWI_WORKAROUNDS; id++)
    if (strcmp(name, cwi_workaround_name((enum cwi_workaround_id)id)) == 0)
      return true;
  return false;
}

static int wrong_option(const char *argument)
{
  fprintf(stderr,
          "cw-info: '%s' is not an option of the self-test; its options are --launcher COMMAND, "
          "--limit SECONDS, and one of these bugs:",
          argument);
  for (int id = 0; id < CWI_WORKAROUNDS; id++)
    fprintf(stderr, " %s", cwi_workaround_name((enum cwi_workaround_id)id));
  fprintf(stderr, "\n");
  return WRONG_USE;
}

const char *selftest_launcher(void)
{
  return launcher;
}

int selftest_read(char **arguments)
{
  for (int i = 0; arguments[i] != NULL; i++) {
    const char *value = arguments[i + 1];
    char *end = NULL;
    if (strcmp(arguments[i], "--launcher") == 0 && value != NULL)
      launcher = arguments[++i];
    else if (strcmp(arguments[i], "--limit") == 0 && value != NULL &&
             (limit = strtod(value, &end)) > 0 && *end == '\0')
      i++;
    else if (only == NULL && is_bug(arguments[i]))
      only = arguments[i];
    else
      return wrong_option(arguments[i]);
  }
  return ALL_WELL;
}

int selftest(char **arguments)
{
  if (selftest_read(arguments) != ALL_WELL)
    return WRONG_USE;
  if (cwi_settings_read() != CW_OK) {
    fprintf(stderr, "cw-info: %s\n", cw_error_message());
    return WRONG_USE;
  }
  if (cwi_launcher_started() > 1) {
    fprintf(stderr, "cw-info: --selftest starts MPI's launcher itself; run it without one\n");
    return WRONG_USE;
  }
  return run_all();
}
