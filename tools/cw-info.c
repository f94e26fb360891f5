/* cw-info: what Causeway finds on this machine and what it makes of it. Run it like any program:
 * `mpiexec -n 4 cw-info`. The first process prints. */
#include "base/settings.h"

#include <causeway.h>
#include <stdio.h>
#include <string.h>

static const char usage[] =
    "Usage: [mpiexec -n N] cw-info [OPTION]\n"
    "Show Causeway's version, the MPI library, the nodes of this job and the routes chosen.\n"
    "\n"
    "  --settings           also every setting: its value, where it came from, what it does\n"
    "  --settings-markdown  only the settings, as the table of docs/settings.md\n"
    "  --version            only the version\n"
    "  --help               this text\n";

enum show { SHOW_REPORT, SHOW_SETTINGS, SHOW_MARKDOWN, SHOW_VERSION, SHOW_HELP, SHOW_WRONG };

static enum show read_options(int count, char **arguments)
{
  static const char *const options[] = {[SHOW_SETTINGS] = "--settings",
                                        [SHOW_MARKDOWN] = "--settings-markdown",
                                        [SHOW_VERSION] = "--version",
                                        [SHOW_HELP] = "--help"};
  if (count < 2)
    return SHOW_REPORT;
  if (count == 2)
    for (int option = SHOW_SETTINGS; option < SHOW_WRONG; option++)
      if (strcmp(arguments[1], options[option]) == 0)
        return option;
  return SHOW_WRONG;
}

static int report(bool settings)
{
  if (cw_init(MPI_COMM_WORLD) != CW_OK) {
    fprintf(stderr, "cw-info: %s\n", cw_error_message());
    return 1;
  }
  if (cw_process() == 0)
    cw_report(stdout, settings);
  return cw_finalize() == CW_OK ? 0 : 1;
}

static int print(enum show show)
{
  switch (show) {
  case SHOW_MARKDOWN:
    cwi_settings_print_markdown(stdout);
    return 0;
  case SHOW_VERSION:
    printf("Causeway %s\n", cw_version());
    return 0;
  case SHOW_HELP:
    fputs(usage, stdout);
    return 0;
  default:
    fprintf(stderr, "cw-info: unknown options\n%s", usage);
    return 2;
  }
}

int main(int argc, char **argv)
{
  const enum show show = read_options(argc, argv);
  int rank = 0;
  int provided = 0;
  int status = 0;

  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS ||
      MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS) {
    fprintf(stderr, "cw-info: MPI does not start\n");
    return 1;
  }
  if (show == SHOW_REPORT || show == SHOW_SETTINGS)
    status = report(show == SHOW_SETTINGS);
  else if (rank == 0)
    status = print(show);
  return MPI_Finalize() == MPI_SUCCESS ? status : 1;
}
