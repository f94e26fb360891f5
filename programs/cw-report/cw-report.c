/* cw-report: shows what a run did, from the file that CW_PROFILE wrote. It is not an MPI program:
 * run it without mpiexec, on any machine that can read the file. */
#include "cw-report.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
    "Usage: cw-report FILE [-o PAGE.html] [--rows N]\n"
    "       cw-report --compare FILE FILE [-o PAGE.html] [--rows N]\n"
    "Show where the time of a run went, from the file of CW_PROFILE=FILE: as text of 80\n"
    "columns, or as one page for a browser, which loads nothing from a network.\n"
    "\n"
    "  -o PAGE.html  write a page for a browser\n"
    "  --compare     show two runs side by side: the differences, with ratios\n"
    "  --rows N      number of rows shown of long lists (pairs, objects, call sites);\n"
    "                default 100 in text and 1000 on a page; 0 shows all\n"
    "  --version     print the version\n"
    "  --help        print this text\n"
    "\n"
    "Exit status: 0 shown; 1 the page cannot be written; 2 wrong options, or no profile.\n";

struct options {
  const char *page, *rows;
  const char *files[2];
  bool compare, help, version;
};

static int read_options(int count, char **arguments, struct options *options)
{
  static const struct option names[] = {
      {"compare", no_argument, NULL, 'c'},    {"output", required_argument, NULL, 'o'},
      {"rows", required_argument, NULL, 'r'}, {"help", no_argument, NULL, 'h'},
      {"version", no_argument, NULL, 'v'},    {NULL, 0, NULL, 0}};
  static char name[] = "cw-report";
  int option = 0;
  arguments[0] = name; /* getopt begins its messages with this name */
  while ((option = getopt_long(count, arguments, "o:", names, NULL)) != -1)
    if (option == 'c')
      options->compare = true;
    else if (option == 'o')
      options->page = optarg;
    else if (option == 'r')
      options->rows = optarg;
    else if (option == 'h')
      options->help = true;
    else if (option == 'v')
      options->version = true;
    else
      return REPORT_MISUSE; /* getopt has printed the error */
  if (options->help || options->version)
    return REPORT_DONE;
  const int wanted = options->compare ? 2 : 1;
  if (count - optind != wanted)
    return report_misuse("%s; try cw-report --help", count == optind ? "no file is named"
                                                     : options->compare
                                                         ? "--compare takes two files"
                                                         : "more than one file is named");
  for (int i = 0; i < wanted; i++)
    options->files[i] = arguments[optind + i];
  return REPORT_DONE;
}

static int read_rows(const char *text, size_t *rows)
{
  char *end = NULL;
  if (text == NULL)
    return REPORT_DONE;
  errno = 0;
  const unsigned long number = strtoul(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0)
    return report_misuse("--rows is '%s'; it may be a whole number, 0 or greater", text);
  *rows = number;
  return REPORT_DONE;
}

/* --- Writing the file ------------------------------------------------------------------------- */

/* Writes a page to the open temporary file `beside` and renames it to `path`. Keeps the permissions
 * of an existing page; a new one obeys the umask. */
static int write_beside(const char *path, const char *beside, int file, const char *text,
                        size_t size)
{
  struct stat status;
  const mode_t mask = umask(0);
  umask(mask);
  mode_t mode = 0666 & ~mask;
  if (stat(path, &status) == 0)
    mode = status.st_mode & 0777;
  FILE *out = fdopen(file, "w");
  if (out == NULL)
    return report_failed("cannot write '%s': %s", path, strerror(errno));
  bool written = fchmod(file, mode) == 0 && fwrite(text, 1, size, out) == size && fflush(out) == 0;
  int code = errno;
  if (fclose(out) != 0 && written) {
    written = false;
    code = errno;
  }
  if (written && rename(beside, path) != 0) {
    written = false;
    code = errno;
  }
  return written ? REPORT_DONE : report_failed("cannot write '%s': %s", path, strerror(code));
}

/* Writes a page to a temporary file beside `path` and renames it, so that a reader never sees half
 * a page. Anything but a regular file, such as /dev/stdout, is written to directly. */
static int write_page(const char *path, const char *text, size_t size)
{
  static const char suffix[] = ".XXXXXX";
  struct stat status;
  if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
    FILE *out = S_ISDIR(status.st_mode) ? NULL : fopen(path, "we");
    if (S_ISDIR(status.st_mode))
      errno = EISDIR;
    const bool written = out != NULL && fwrite(text, 1, size, out) == size;
    return out != NULL && fclose(out) == 0 && written
               ? REPORT_DONE
               : report_failed("cannot write '%s': %s", path, strerror(errno));
  }
  const size_t length = strlen(path) + sizeof suffix;
  char *beside = report_allocate(length, 1);
  snprintf(beside, length, "%s%s", path, suffix);
  const int file = mkostemp(beside, O_CLOEXEC);
  const int done = file < 0 ? report_failed("cannot write '%s': %s", path, strerror(errno))
                            : write_beside(path, beside, file, text, size);
  if (done != REPORT_DONE && file >= 0)
    unlink(beside);
  free(beside);
  return done;
}

static int write_text(const char *text, size_t size)
{
  if (fwrite(text, 1, size, stdout) != size || fflush(stdout) != 0)
    return report_failed("cannot write to standard output: %s", strerror(errno));
  return REPORT_DONE;
}

/* --- Main program ----------------------------------------------------------------------------- */

/* Writes everything between the head and the end. The head comes later, because it lists the
 * sections that this has written. */
static void compose(const struct report_paper *paper, const struct options *options,
                    struct report_profile *profiles)
{
  if (options->compare)
    report_write_comparison(paper, &profiles[0], &profiles[1]);
  else
    report_write(paper, &profiles[0]);
}

/* Composes the whole report in memory, then writes it. */
static int show(const struct options *options, size_t rows, struct report_profile *profiles)
{
  char *text = NULL, *body = NULL, title[300];
  size_t size = 0, body_size = 0;
  struct report_list contents = {.count = 0};
  FILE *const body_out = open_memstream(&body, &body_size);
  FILE *const whole_out = open_memstream(&text, &size);
  struct report_paper paper = {
      .out = body_out, .page = options->page != NULL, .most = rows, .contents = &contents};
  if (body_out == NULL || whole_out == NULL)
    return report_failed("there is no memory for the report");
  compose(&paper, options, profiles);
  bool whole = ferror(body_out) == 0;
  whole = fclose(body_out) == 0 && whole;
  paper.out = whole_out;
  if (options->compare)
    snprintf(title, sizeof title, "Causeway: %.100s and %.100s compared", profiles[0].program,
             profiles[1].program);
  else
    snprintf(title, sizeof title, "Causeway: where the time of %.100s went", profiles[0].program);
  report_page_begin(&paper, title);
  if (whole)
    fwrite(body, 1, body_size, whole_out);
  report_page_end(&paper);
  whole = ferror(whole_out) == 0 && whole;
  int status = REPORT_DONE;
  if (fclose(whole_out) != 0 || !whole)
    status = report_failed("there is no memory for the report");
  else
    status = options->page != NULL ? write_page(options->page, text, size) : write_text(text, size);
  free(contents.rows);
  free(body);
  free(text);
  return status;
}

static int read_and_show(const struct options *options)
{
  struct report_profile profiles[2] = {{.path = NULL}, {.path = NULL}};
  size_t rows = options->page != NULL ? 1000 : 100;
  int status = read_rows(options->rows, &rows);
  for (int i = 0; i < (options->compare ? 2 : 1) && status == REPORT_DONE; i++)
    status = report_read(options->files[i], &profiles[i]);
  if (status == REPORT_DONE)
    status = show(options, rows, profiles);
  report_free(&profiles[0]);
  report_free(&profiles[1]);
  return status;
}

int main(int argc, char **argv)
{
  struct options options = {.page = NULL};
  const int status = read_options(argc, argv, &options);
  if (status != REPORT_DONE)
    return status;
  signal(SIGXFSZ, SIG_IGN); /* a page larger than ulimit -f is an error, not a signal, and an
                               existing page is kept */
  if (options.help || options.version) {
    printf("%s%s", options.help ? usage : "Causeway ", options.help ? "" : CW_VERSION "\n");
    return fflush(stdout) == 0 ? REPORT_DONE : REPORT_FAILED;
  }
  return read_and_show(&options);
}
