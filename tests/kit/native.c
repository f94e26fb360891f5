#include "kit/native.h"

#include "base/settings.h"

#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool kit_call_ok(const char *call, cw_error error)
{
  return kit_check(error == CW_OK, "%s gave error %d: %s", call, (int)error, cw_error_message());
}

void kit_call_must(const char *call, cw_error error)
{
  if (!kit_call_ok(call, error))
    MPI_Abort(MPI_COMM_WORLD, KIT_FAIL);
}

bool kit_call_fails(const char *call, cw_error error, cw_error kind, const char *words)
{
  if (!kit_check(error == kind, "%s gave %d; it should give %d", call, (int)error, (int)kind))
    return false;
  const char *message = cw_error_message();
  for (const char *word = words; *word != '\0';) {
    char text[128];
    const int length = (int)strcspn(word, "|");
    snprintf(text, sizeof text, "%.*s", length, word);
    if (!kit_check(strstr(message, text) != NULL, "%s: the sentence lacks '%s': %s", call, text,
                   message))
      return false;
    word += word[length] == '|' ? length + 1 : length;
  }
  return true;
}

void kit_start_native(int *argc, char ***argv, const char *program)
{
  int level = 0;
  if (MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS)
    abort();
  kit_start(argc, argv, program);
  KIT_MUST(cw_init(MPI_COMM_WORLD));
  kit_use_world(cw_team_comm(cw_team_world()));
}

void *kit_make_region(size_t bytes, cw_region *region, void ***at)
{
  void **slices = kit_alloc((size_t)cw_processes(), sizeof(void *));
  KIT_MUST(cw_region_create(cw_team_world(), bytes, region, slices));
  memset(slices[cw_process()], 0, bytes);
  KIT_MUST(cw_barrier(cw_team_world()));
  *at = slices;
  return slices[cw_process()];
}

void kit_free_region(cw_region *region, void **at)
{
  KIT_MUST(cw_barrier(cw_team_world()));
  KIT_MUST(cw_region_free(NULL, region));
  free(at);
}

void kit_need_threads(void)
{
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level == MPI_THREAD_MULTIPLE)
    return;
  KIT_MUST(cw_finalize());
  kit_skip("MPI has no MPI_THREAD_MULTIPLE");
}

struct on_team {
  pthread_t thread;
  cw_team team;
  kit_body body;
  int number;
};

static void *run_on_team(void *given)
{
  const struct on_team *work = given;
  work->body(work->team, work->number);
  return NULL;
}

void kit_on_teams(int threads, kit_body body)
{
  struct on_team *work = kit_alloc((size_t)threads, sizeof *work);
  for (int t = 0; t < threads; t++) {
    work[t].body = body;
    work[t].number = t;
    KIT_MUST(cw_team_dup(cw_team_world(), &work[t].team));
  }
  for (int t = 0; t < threads; t++)
    kit_check(pthread_create(&work[t].thread, NULL, run_on_team, &work[t]) == 0, "no thread");
  for (int t = 0; t < threads; t++)
    pthread_join(work[t].thread, NULL);
  for (int t = 0; t < threads; t++)
    KIT_OK(cw_team_free(&work[t].team));
  free(work);
}

int kit_finish_native(void)
{
  KIT_MUST(cw_finalize());
  return kit_finish();
}

bool kit_by_rma(void)
{
  return cwi_settings.route == CWI_ROUTE_RMA || cw_nodes() > 1;
}

static void on_alarm(int number)
{
  static const char message[] = "FAILED: the program hangs\n";
  (void)number;
  if (write(STDOUT_FILENO, message, sizeof message - 1) < 0)
    _exit(KIT_FAIL + 1);
  _exit(KIT_FAIL);
}

void kit_run_parts(int argc, char **argv, const struct kit_part *parts, size_t count)
{
  for (int i = 1; i < argc; i++)
    for (size_t part = 0; part < count; part++)
      if (strcmp(argv[i], parts[part].name) == 0)
        parts[part].run();
}

void kit_hang_guard(void)
{
  enum { LONG = 280 }; /* seconds; a busy machine takes a hundred times as long as a quiet one */
  const char *given = getenv("CW_TEST_HANG");
  signal(SIGALRM, on_alarm);
  alarm(given != NULL ? (unsigned)atoi(given) : LONG);
}
