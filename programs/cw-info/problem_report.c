/* cw-info --report: the sections and the file. Each section is a text of its own, from which
 * personal data is taken out before it is written, so that one that fails does not lose the others.
 */
#include "problem_report.h"

#include "base/file_write.h"

#include "job.h"
#include "scrub.h"
#include "selftest.h"
#include "system_facts.h"

#include <errno.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 12, SECONDS_OF_A_JOB = 120, SECONDS_OF_THE_SELFTEST = 3600 };

static const char opening[] =
    "Report of cw-info --report. Names of users and hosts, home folders and network addresses are\n"
    "replaced by <user>, <host>, <home> and <address>.\n";

/* --- The file --------------------------------------------------------------------------------- */

struct report_file {
  const char *name;
  FILE *out; /* NULL after an error */
};

static void report_failed(const struct report_file *file, int number, const char *what)
{
  fprintf(stderr, "cw-info: the report cannot be %s '%s': %s\n", what, file->name,
          strerror(number));
}

static bool file_open(struct report_file *file, char **arguments)
{
  file->name = arguments[0] != NULL ? arguments[0] : "cw-info-report.txt";
  file->out = strcmp(file->name, "-") == 0 ? stdout : fopen(file->name, "w");
  if (file->out == NULL)
    report_failed(file, errno, "written to");
  return file->out != NULL;
}

/* Writes a text now, because a later section may end the program. */
static void file_write(struct report_file *file, const char *text)
{
  struct cwi_write_signals signals;
  if (file->out == NULL)
    return;
  cwi_write_signals_block(&signals);
  scrub(text, file->out);
  if (fflush(file->out) != 0 || ferror(file->out)) {
    report_failed(file, errno, "written completely to");
    if (file->out != stdout)
      (void)cwi_write_close(file->out);
    file->out = NULL;
  }
  cwi_write_signals_restore(&signals);
}

static int file_close(struct report_file *file)
{
  struct cwi_write_signals signals;
  if (file->out == NULL)
    return 1;
  if (file->out == stdout)
    return 0;
  cwi_write_signals_block(&signals);
  const int failure = cwi_write_close(file->out);
  cwi_write_signals_restore(&signals);
  if (failure != 0)
    report_failed(file, failure, "written completely to");
  else
    printf("cw-info: the report is in '%s'; look through it before you send it\n", file->name);
  return failure != 0;
}

/* --- Sections --------------------------------------------------------------------------------- */

/* Returns the text that a function prints, or NULL if there is no memory. The caller frees it. */
static char *text_of(void (*print)(FILE *out))
{
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  if (out == NULL)
    return NULL;
  print(out);
  return fclose(out) == 0 ? text : NULL;
}

static void write_section(struct report_file *file, const char *title, const char *text)
{
  file_write(file, "\n== ");
  file_write(file, title);
  file_write(file, "\n");
  file_write(file, text != NULL ? text : "error: no memory for this section\n");
}

static void print_section(struct report_file *file, const char *title, void (*print)(FILE *out))
{
  char *text = text_of(print);
  write_section(file, title, text);
  free(text);
}

/* Writes the output of a command, and how it ended if it did not succeed. */
static void run_section(struct report_file *file, const char *title, const char *line,
                        const char *const *arguments, double limit)
{
  static struct job job;
  char why[128];
  if (file->out == NULL)
    return;
  if (!job_start(&job, line, arguments)) {
    write_section(file, title, "error: no process could be started\n");
    return;
  }
  job_await(&job, limit);
  write_section(file, title, job.text);
  if (job.late || job.status != 0) {
    job_explain(&job, limit, why, sizeof why);
    file_write(file, "(");
    file_write(file, why);
    file_write(file, ")\n");
  }
}

/* Keeps the processes of the report from writing to the files of the user's last run. */
static void forget_files(void)
{
  unsetenv("CW_PROFILE");
  unsetenv("CW_TIMELINE");
}

/* --- Without a launcher ----------------------------------------------------------------------- */

int report_alone(char **arguments)
{
  struct report_file file;
  char own[4096] = "", line[1024];
  char **rest = arguments[0] != NULL ? arguments + 1 : arguments;
  const char *selftest_arguments[MOST_ARGUMENTS + 2] = {own};
  const int wrong = selftest_read(rest);
  if (wrong != 0)
    return wrong;
  for (int i = 0; i < MOST_ARGUMENTS && rest[i] != NULL; i++)
    selftest_arguments[1 + i] = rest[i];
  if (readlink("/proc/self/exe", own, sizeof own - 1) <= 0 || !file_open(&file, arguments))
    return 1;
  file_write(&file, opening);
  print_section(&file, "versions", print_versions);
  print_section(&file, "settings that differ from their defaults", print_changed_settings);
  print_section(&file, "hardware", print_hardware);
  forget_files();
  run_section(&file, "one process", "exec \"$0\"", selftest_arguments, SECONDS_OF_A_JOB);
  snprintf(line, sizeof line, "exec %s -n 2 \"$0\"", selftest_launcher());
  run_section(&file, "two processes", line, selftest_arguments, SECONDS_OF_A_JOB);
  if (file.out != NULL && file.out != stdout)
    fprintf(stderr, "cw-info: testing MPI for known bugs; this takes a minute or two\n");
  run_section(&file, "self-test of MPI", "exec \"$0\" --selftest \"$@\"", selftest_arguments,
              SECONDS_OF_THE_SELFTEST);
  return file_close(&file);
}

/* --- In a job --------------------------------------------------------------------------------- */

/* Returns the text about this host in its first process, and an empty one in the others. Personal
 * data is taken out here, where its words are known. */
static char *text_of_host(void)
{
  MPI_Comm host = MPI_COMM_NULL;
  int rank = 0, size = 0;
  char *text = NULL, *scrubbed = NULL;
  size_t length = 0;
  if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host) !=
          MPI_SUCCESS ||
      MPI_Comm_rank(host, &rank) != MPI_SUCCESS || MPI_Comm_size(host, &size) != MPI_SUCCESS ||
      MPI_Comm_free(&host) != MPI_SUCCESS || rank != 0)
    return NULL;
  FILE *out = open_memstream(&scrubbed, &length);
  if (out == NULL)
    return NULL;
  text = text_of(print_hardware);
  fprintf(out, "\n== hardware of a host with %d processes\n", size);
  scrub(text != NULL ? text : "error: no memory for this section\n", out);
  free(text);
  return fclose(out) == 0 ? scrubbed : NULL;
}

/* Writes the texts about all hosts, in the order of their first processes. */
static void gather_hosts(struct report_file *file, int rank, int processes)
{
  enum { TAG = 1 };
  char *own = text_of_host();
  if (rank == 0 && own != NULL)
    file_write(file, own);
  for (int other = 1; other < processes; other++) {
    int length = rank == other && own != NULL ? (int)strlen(own) + 1 : 0;
    if (rank == other && (MPI_Send(&length, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD) != MPI_SUCCESS ||
                          MPI_Send(own, length, MPI_CHAR, 0, TAG, MPI_COMM_WORLD) != MPI_SUCCESS))
      break;
    if (rank != 0)
      continue;
    if (MPI_Recv(&length, 1, MPI_INT, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS)
      break;
    char *text = calloc((size_t)length + 1, 1);
    if (text == NULL || MPI_Recv(text, length, MPI_CHAR, other, TAG, MPI_COMM_WORLD,
                                 MPI_STATUS_IGNORE) != MPI_SUCCESS) {
      free(text);
      break;
    }
    file_write(file, text);
    free(text);
  }
  free(own);
}

int report_in_job(char **arguments, void (*print)(FILE *out))
{
  struct report_file file = {.name = NULL};
  int rank = 0, processes = 1;
  char title[64];
  if (MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS ||
      MPI_Comm_size(MPI_COMM_WORLD, &processes) != MPI_SUCCESS)
    return 1;
  if (rank == 0 && file_open(&file, arguments)) {
    file_write(&file, opening);
    print_section(&file, "versions", print_versions);
    print_section(&file, "settings that differ from their defaults", print_changed_settings);
  }
  forget_files();
  gather_hosts(&file, rank, processes);
  char *text = text_of(print);
  snprintf(title, sizeof title, "this job of %d processes", processes);
  write_section(&file, title, text);
  free(text);
  write_section(&file, "self-test of MPI",
                "not run: cw-info --report without mpiexec runs it, too\n");
  return rank == 0 ? file_close(&file) : 0;
}
