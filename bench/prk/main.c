/* The Parallel Research Kernels (Van der Wijngaart, Mattson: "The Parallel Research Kernels: A Tool
 * for Architecture and Programming System Investigation", 2014) on Causeway and, in turns with it,
 * on plain MPI. kernel.h has the map of the files. */
#include "contest.h"
#include "prk_ga.h"

#include <stdio.h>

/* Reports a problem that cannot be solved before any work is done. */
static const char *reject(const struct options *options)
{
  static char wrong[256];
  for (const struct kernel **kernel = options->kernels; *kernel != NULL; kernel++) {
    const char *why = contest_reject(*kernel, options);
    if (why == NULL)
      continue;
    snprintf(wrong, sizeof wrong, "%s %s", (*kernel)->name, why);
    return wrong;
  }
  return NULL;
}

static int run(const struct options *options)
{
  int wrong = 0;
  contest_heading();
  for (const struct kernel **kernel = options->kernels; *kernel != NULL; kernel++)
    wrong += contest_run(*kernel, options);
  if (wrong > 0 && cw_process() == 0)
    printf("%d results are wrong\n", wrong);
  return wrong > 0;
}

/* Does what the command line requests and returns the exit status. */
static int perform(char **words)
{
  int status = 0;
  struct options options;
  prk_comm = cw_team_comm(cw_team_world());
  ga_add_kernels();
  const char *wrong = options_read(words, &options);
  if (wrong == NULL && !options.help)
    wrong = reject(&options);
  if (wrong != NULL) {
    if (cw_process() == 0)
      fprintf(stderr, "prk: %s\n", wrong);
    status = 2;
  } else if (options.help) {
    if (cw_process() == 0)
      options_explain();
  } else {
    status = run(&options);
  }
  options_free(&options);
  return status;
}

int main(int argc, char **argv)
{
  int level = 0, status = 0;
  MPI_Init_thread(&argc, &argv, options_threads(argv + 1) ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                  &level);
  CW_MUST(cw_init(MPI_COMM_WORLD));
  if (cw_processes() > 0) /* a server returns here when the processes have ended */
    status = perform(argv);
  CW_MUST(cw_finalize());
  MPI_Finalize();
  return status;
}
