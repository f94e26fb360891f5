/* cw-info: shows what Causeway finds on this machine and which routes and settings it chooses. Run
 * it like any program: `mpiexec -n 4 cw-info`. The first process prints. */
#include "base/settings.h"
#include "link/topology.h"
#include "mpi/launcher.h"
#include "mpi/workaround.h"
#include "problem_report.h"
#include "selftest.h"

#include <causeway.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "Usage: [mpiexec -n N] cw-info [OPTION]\n"
    "Show Causeway's version, the MPI library, the nodes of this job and the routes chosen.\n"
    "\n"
    "  --bugs               also print the bugs of this MPI, and how Causeway avoids them\n"
    "  --all                also print the bugs of other MPIs that Causeway works around\n"
    "  --settings           also print every setting: its value, its source and its effect\n"
    "  --settings-markdown  print only the settings, as the tables of docs/reference/settings.md\n"
    "  --nodes N            print only the neighbours, the buffers and the memory of a server in a "
    "job\n"
    "                       of N nodes, for each topology and with the current settings\n"
    "  --selftest [BUG]     run a program for each bug of MPIs that Causeway knows, and report "
    "which "
    "of\n"
    "                       them this MPI has and whether Causeway avoids them. Start it without\n"
    "                       mpiexec. More options: --launcher COMMAND, which is started as\n"
    "                       COMMAND -n N PROGRAM, and --limit SECONDS for each program\n"
    "  --report [FILE]      write all of this, versions, hardware and the self-test to a file, for "
    "a\n"
    "                       report of a problem: cw-info-report.txt, or '-' for the terminal. It "
    "has\n"
    "                       no personal data. With mpiexec the report is about that job, and has "
    "no\n"
    "                       self-test.\n"
    "                       Options of --selftest may follow FILE\n"
    "  --version            print the version\n"
    "  --help               print this text\n";

enum show {
  SHOW_REPORT,
  SHOW_BUGS,
  SHOW_ALL,
  SHOW_SETTINGS,
  SHOW_MARKDOWN,
  SHOW_VERSION,
  SHOW_HELP,
  SHOW_NODES,
  SHOW_WRONG
};

static enum show find_option(const char *argument)
{
  static const char *const options[] = {
      [SHOW_BUGS] = "--bugs",         [SHOW_ALL] = "--all",
      [SHOW_SETTINGS] = "--settings", [SHOW_MARKDOWN] = "--settings-markdown",
      [SHOW_VERSION] = "--version",   [SHOW_HELP] = "--help",
      [SHOW_NODES] = "--nodes"};
  int option = SHOW_BUGS;
  while (option < SHOW_WRONG && strcmp(argument, options[option]) != 0)
    option++;
  return (enum show)option;
}

static enum show read_options(int count, char **arguments)
{
  if (count < 2)
    return SHOW_REPORT;
  const enum show show = find_option(arguments[1]);
  return count == (show == SHOW_NODES ? 3 : 2) ? show : SHOW_WRONG;
}

static void print_wrong(int count, char **arguments)
{
  const enum show show = find_option(arguments[1]);
  if (show == SHOW_WRONG)
    fprintf(stderr, "cw-info: there is no option '%s'\n", arguments[1]);
  else if (show == SHOW_NODES && count == 2)
    fprintf(stderr, "cw-info: --nodes needs a number of nodes\n");
  else
    fprintf(stderr, "cw-info: '%s' cannot follow %s\n", arguments[show == SHOW_NODES ? 3 : 2],
            arguments[1]);
  fputs(usage, stderr);
}

static const char *const kinds_of_devices[CW_DEVICE_KINDS] = {
    [CW_DEVICE_HOST] = "host", [CW_DEVICE_OPENCL] = "opencl", [CW_DEVICE_CUDA] = "cuda"};

static int failed(void)
{
  fprintf(stderr, "cw-info: %s\n", cw_error_message());
  return 1;
}

static bool print_device(FILE *out, cw_device_kind kind, int number)
{
  const cw_device_options options = {.kind = kind, .number = number};
  cw_device device = NULL;
  cw_device_facts facts;
  if (cw_device_open(&options, &device) != CW_OK) {
    fprintf(out, "  %s %d: %s\n", kinds_of_devices[kind], number, cw_error_message());
    return true;
  }
  if (cw_device_describe(device, &facts) == CW_OK)
    fprintf(out, "  %s %d: %s, %zu MiB, slices of at most %zu MiB%s\n", kinds_of_devices[kind],
            number, facts.name, facts.memory >> 20, facts.most >> 20,
            facts.shared ? ", in host memory that all processes reach (CW_DEVICE_SHARED)" : "");
  return cw_device_close(&device) == CW_OK;
}

static bool print_devices(FILE *out)
{
  bool printed = true;
  fprintf(out, "devices:\n");
  for (int kind = CW_DEVICE_KINDS - 1; kind > CW_DEVICE_ANY; kind--) {
    char why[400] = "";
    int count = 0;
    printed = cw_device_count((cw_device_kind)kind, &count, why, sizeof why) == CW_OK && printed;
    if (count == 0)
      fprintf(out, "  %s: none (%s)\n", kinds_of_devices[kind], why);
    for (int number = 1; number <= count; number++)
      printed = print_device(out, (cw_device_kind)kind, number) && printed;
  }
  return printed;
}

static int report(enum show show)
{
  if (cw_init(MPI_COMM_WORLD) != CW_OK)
    return failed();
  if (cw_process() == 0 && cw_report(stdout, show == SHOW_SETTINGS) != CW_OK)
    return failed();
  if (cw_process() == 0 && !print_devices(stdout))
    return failed();
  if (cw_process() == 0 && (show == SHOW_BUGS || show == SHOW_ALL))
    cwi_workarounds_print(stdout, true);
  if (cw_process() == 0 && show == SHOW_ALL)
    cwi_workarounds_print(stdout, false);
  return cw_finalize() == CW_OK ? 0 : failed();
}

/* Prints what Causeway finds in this job, for --report; errors are part of it. */
static void print_job(FILE *out)
{
  if (cw_init(MPI_COMM_WORLD) != CW_OK) {
    fprintf(out, "error: %s\n", cw_error_message());
    return;
  }
  if (cw_process() == 0 && (cw_report(out, false) != CW_OK || !print_devices(out)))
    fprintf(out, "error: %s\n", cw_error_message());
  if (cw_finalize() != CW_OK)
    fprintf(out, "error: %s\n", cw_error_message());
}

/* Prints, for each topology, the buffers that a job of `number` nodes needs. Buffers are allocated
 * on demand, so these are upper bounds. */
static int print_nodes(const char *number)
{
  char *end = NULL;
  const long nodes = strtol(number, &end, 10);
  if (end == number || *end != '\0' || nodes < 1 || nodes > INT_MAX) {
    fprintf(stderr, "cw-info: --nodes is '%s'; it may be 1 to %d\n", number, INT_MAX);
    return 2;
  }
  if (cwi_settings_read() != CW_OK)
    return failed();
  const struct cwi_topology *chosen = cwi_topology_choose(cwi_settings.topology, (int)nodes);
  printf("%ld nodes, %ld buffers of %ld bytes for each neighbour\n", nodes,
         cwi_settings.server_credits, cwi_settings.server_buffer);
  printf("topology   neighbours  forwards  buffers a server  memory a server\n");
  for (int i = 0; i < CWI_TOPOLOGIES; i++) {
    const struct cwi_topology *topology = &cwi_topologies[i];
    const size_t buffers =
        cwi_topology_buffers(topology, (int)nodes, (size_t)cwi_settings.server_credits);
    printf("%-10s %10zu %9d %17zu %11.1f MiB%s\n", topology->name,
           cwi_topology_buffers(topology, (int)nodes, 1), topology->most_forwards((int)nodes),
           buffers, (double)buffers * (double)cwi_settings.server_buffer / (1 << 20),
           topology == chosen ? "  <- this setting" : "");
  }
  return 0;
}

static int print(enum show show, int count, char **arguments)
{
  switch (show) {
  case SHOW_MARKDOWN:
    cwi_settings_print_markdown(stdout);
    return 0;
  case SHOW_VERSION:
    printf("Causeway %s\n", cw_version());
    return 0;
  case SHOW_NODES:
    return print_nodes(arguments[count - 1]);
  case SHOW_HELP:
    fputs(usage, stdout);
    return 0;
  default:
    print_wrong(count, arguments);
    return 2;
  }
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--selftest") == 0)
    return selftest(argv + 2);
  const bool is_report = argc > 1 && strcmp(argv[1], "--report") == 0;
  if (is_report && cwi_launcher_started() == 0)
    return report_alone(argv + 2);
  const enum show show = read_options(argc, argv);
  int rank = 0;
  int provided = 0;
  int status = 0;

  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS ||
      MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS) {
    fprintf(stderr, "cw-info: MPI does not start\n");
    return 1;
  }
  if (is_report)
    status = report_in_job(argv + 2, print_job);
  else if (show <= SHOW_SETTINGS)
    status = report(show);
  else if (rank == 0)
    status = print(show, argc, argv);
  return MPI_Finalize() == MPI_SUCCESS ? status : 1;
}
