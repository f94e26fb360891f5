/* cw-vocl: parses the command line and runs the command. */
#include "proxy/proxy.h"

#include "base/error.h"
#include "base/settings.h"

#include <causeway.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "Usage: cw-vocl COMMAND [OPTION]...\n"
    "Lets programs use the OpenCL devices of several machines: see vocl/docs/vocl.md.\n"
    "\n"
    "Commands:\n"
    "  serve                     start a service: one proxy on each machine, until it is stopped.\n"
    "                            If mpiexec or srun starts it, it is one of the proxies itself\n"
    "  run PROGRAM [ARGUMENT]...\n"
    "                            run a program with proxies of its own; PROGRAM may be mpiexec\n"
    "  list                      list the proxies, their devices, and the programs that use them\n"
    "  move SESSION DEVICE TARGET\n"
    "                            continue a running program on another device. `list` prints the\n"
    "                            names of all three, such as 7 0.0 2.1\n"
    "  stop                      end the service\n"
    "\n"
    "Options:\n"
    "  --name SERVICE      name of the service (serve, list, move, stop); default: "
    "CW_VOCL_SERVICE\n"
    "  -n NUMBER           number of proxies (serve, run); default: one on each host\n"
    "  --hosts A,B,...     machines of the proxies; this one must be among them if programs are "
    "to\n"
    "                      run here\n"
    "  --launcher COMMAND  used in place of this MPI's mpiexec, as COMMAND -n NUMBER PROGRAM\n"
    "  --                  end of the options; the program follows\n"
    "  --version           print the version\n"
    "  --help              print this text\n"
    "\n"
    "Programs of a service find its devices by OCL_ICD_VENDORS=.../libcw-vocl.so\n"
    "(ocl-icd) and OCL_ICD_FILENAMES=... (Khronos's loader), which `run` sets itself.\n"
    "Settings of proxies: CW_VOCL_VENDORS, CW_VOCL_SESSIONS, CW_VOCL_AHEAD, CW_VOCL_BALANCE,\n"
    "CW_VOCL_SILENCE; of programs: CW_VOCL_SERVICE, CW_VOCL_LOCAL, CW_VOCL_DRAIN.\n"
    "`cw-info --settings` explains them.\n"
    "\n"
    "Exit status: that of the program (run; 128 + signal if a signal ended it); others: 0 done;\n"
    "1 failed; 2 wrong options.\n";

struct command_line {
  const char *command;
  struct vocl_job_options job;
  char **program; /* words after the options */
};

static const struct option {
  const char *name;
  size_t offset; /* offset of its value in struct vocl_job_options */
} options[] = {{"--name", offsetof(struct vocl_job_options, service)},
               {"-n", offsetof(struct vocl_job_options, processes)},
               {"--hosts", offsetof(struct vocl_job_options, hosts)},
               {"--launcher", offsetof(struct vocl_job_options, launcher)}};

static const char **value_of(struct command_line *line, const char *name)
{
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    if (strcmp(name, options[i].name) == 0)
      return (const char **)(void *)((char *)&line->job + options[i].offset);
  return NULL;
}

/* Reads the options, up to the first other word. */
static bool read_options(struct command_line *line, char **words)
{
  while (*words != NULL && (*words)[0] == '-') {
    if (strcmp(*words, "--") == 0) {
      words++;
      break;
    }
    const char **value = value_of(line, words[0]);
    if (value == NULL || words[1] == NULL) {
      fprintf(stderr, "cw-vocl: %s '%s'\n",
              value == NULL ? "there is no option" : "a value is missing after", words[0]);
      return false;
    }
    *value = words[1];
    words += 2;
  }
  line->program = words;
  return true;
}

static int wrong_use(const char *message)
{
  fprintf(stderr, "cw-vocl: %s\n%s", message, usage);
  return 2;
}

static int perform_run(struct command_line *line)
{
  if (line->program[0] == NULL)
    return wrong_use("run needs a program");
  if (line->job.service != NULL)
    return wrong_use("run starts a service of its own, without a name: it does not take --name");
  return vocl_cli_run(&line->job, line->program);
}

/* Returns true if mpiexec or srun has started this process as part of a job. Each launcher sets one
 * of these variables to the number of processes. */
static bool is_started_by_launcher(void)
{
  static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE",
                                          "SLURM_STEP_NUM_TASKS"};
  for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
    const char *text = getenv(variables[i]);
    if (text != NULL && strtol(text, NULL, 10) > 0)
      return true;
  }
  return false;
}

static int perform(struct command_line *line)
{
  const char *command = line->command;
  const char *service = line->job.service;
  if (strcmp(command, "run") == 0)
    return perform_run(line);
  const size_t words = strcmp(command, "move") == 0 ? 3 : 0;
  for (size_t i = 0; i < words; i++)
    if (line->program[i] == NULL)
      return wrong_use("move needs a session, a device and a target");
  if (line->program[words] != NULL)
    return wrong_use("there are too many arguments");
  if (service == NULL)
    service = cwi_settings_text(cwi_settings.vocl_service);
  line->job.service = service[0] != '\0' ? service : "default";
  if (strcmp(command, "proxy") == 0) /* started by the mpiexec that `serve` or `run` has started */
    return vocl_proxy_run(line->job.service, true);
  if (strcmp(command, "serve") == 0 && is_started_by_launcher())
    return vocl_proxy_run(line->job.service, false);
  if (strcmp(command, "serve") == 0)
    return vocl_cli_serve(&line->job);
  if (strcmp(command, "list") == 0)
    return vocl_cli_list(line->job.service);
  if (strcmp(command, "move") == 0)
    return vocl_cli_move(line->job.service, line->program);
  if (strcmp(command, "stop") == 0)
    return vocl_cli_stop(line->job.service);
  return wrong_use("there is no such command");
}

int main(int argc, char **argv)
{
  struct command_line line = {.command = argc > 1 ? argv[1] : "--help"};
  if (strcmp(line.command, "--help") == 0) {
    fputs(usage, argc > 1 ? stdout : stderr);
    return argc > 1 ? 0 : 2;
  }
  if (strcmp(line.command, "--version") == 0) {
    printf("Causeway %s\n", cw_version());
    return 0;
  }
  if (cwi_settings_read() != CW_OK) {
    fprintf(stderr, "cw-vocl: %s\n", cwi_error_message());
    return 2;
  }
  return read_options(&line, argv + 2) ? perform(&line) : 2;
}
