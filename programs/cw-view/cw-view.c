/* cw-view: draws an array of an HDF5 file, in characters or by gnuplot. It is not an MPI program:
 * run it without mpiexec. */
#include "view.h"

#include <errno.h>
#include <getopt.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "Usage: cw-view FILE.h5 [OPTION]...\n"
    "Show an array that is saved in an HDF5 file: a matrix as a heat map, one dimension as a "
    "curve.\n"
    "\n"
    "  --array NAME     name of the array; default: the only one (if there are several, cw-view "
    "lists\n"
    "                   them)\n"
    "  -o PICTURE       draw with gnuplot: PICTURE ends with .png or .svg. Without -o the picture "
    "is\n"
    "                   in characters, as wide as the terminal, or 80 columns\n"
    "  --log            logarithmic scale, of absolute values\n"
    "  --slice I,J,...  for more than two dimensions: the indices of all but the last two;\n"
    "                   default 0\n"
    "  --characters SET\n"
    "                   ascii, or blocks: coloured half blocks of UTF-8; the default depends on\n"
    "                   the terminal\n"
    "  --version        print the version\n"
    "  --help           print this text\n"
    "\n"
    "Large arrays are reduced: a cell shows its element of greatest absolute value, with its sign; "
    "a\n"
    "curve shows the range from least to greatest. Complex numbers are shown by their modulus. "
    "Lines\n"
    "are where blocks of the distribution meet, in files that Causeway saved.\n"
    "\n"
    "Examples:\n"
    "  cw-view water.h5                               lists density and energies\n"
    "  cw-view water.h5 --array density               in characters\n"
    "  cw-view water.h5 --array density -o water.png  as a picture\n"
    "  cw-view tensor.h5 --slice 3,0 -o plane.svg     the plane [3][0][...][...]\n"
    "\n"
    "Exit status: 0 shown; 1 the array cannot be shown; 2 wrong options, or several arrays to "
    "choose "
    "from.\n";

struct options {
  const char *path, *name, *picture, *slice, *characters;
  bool log, help, version;
};

static int read_option(int option, struct options *options)
{
  switch (option) {
  case 'a':
    options->name = optarg;
    return VIEW_DONE;
  case 'o':
    options->picture = optarg;
    return VIEW_DONE;
  case 's':
    options->slice = optarg;
    return VIEW_DONE;
  case 'c':
    options->characters = optarg;
    if (strcmp(optarg, "ascii") == 0 || strcmp(optarg, "blocks") == 0)
      return VIEW_DONE;
    return view_misuse("--characters is '%s'; it may be ascii or blocks", optarg);
  case 'l':
    options->log = true;
    return VIEW_DONE;
  case 'h':
    options->help = true;
    return VIEW_DONE;
  case 'v':
    options->version = true;
    return VIEW_DONE;
  default: /* getopt has printed the error */
    fputs("Try cw-view --help\n", stderr);
    return VIEW_MISUSE;
  }
}

static int read_options(int count, char **arguments, struct options *options)
{
  static const struct option names[] = {
      {"array", required_argument, NULL, 'a'},      {"output", required_argument, NULL, 'o'},
      {"slice", required_argument, NULL, 's'},      {"log", no_argument, NULL, 'l'},
      {"characters", required_argument, NULL, 'c'}, {"help", no_argument, NULL, 'h'},
      {"version", no_argument, NULL, 'v'},          {NULL, 0, NULL, 0}};
  static char name[] = "cw-view";
  int option = 0, status = VIEW_DONE;
  arguments[0] = name; /* getopt begins its messages with this name */
  while (status == VIEW_DONE && (option = getopt_long(count, arguments, "o:", names, NULL)) != -1)
    status = read_option(option, options);
  if (status != VIEW_DONE || options->help || options->version)
    return status;
  if (optind != count - 1)
    return view_misuse(optind == count ? "no file is named; try cw-view --help"
                                       : "more than one file is named; try cw-view --help");
  options->path = arguments[optind];
  return options->picture != NULL ? view_check_picture(options->picture) : VIEW_DONE;
}

/* Reads the indices of --slice, one for each dimension but the last two. */
static int read_slice(const char *text, struct view_array *array)
{
  const int wanted = array->dimensions > 2 ? array->dimensions - 2 : 0;
  int count = 0;
  for (const char *at = text; at != NULL; count++) {
    char *end = NULL;
    errno = 0;
    const unsigned long long index = strtoull(at, &end, 10);
    if (at[0] < '0' || at[0] > '9' || (*end != ',' && *end != '\0') || errno != 0)
      return view_misuse("--slice is '%s'; it may be indices with commas between: 3,0", text);
    if (count < wanted && index >= array->extents[count])
      return view_misuse("--slice is '%s'; index %d of '%s' may be 0 to %llu", text, count,
                         array->name, (unsigned long long)array->extents[count] - 1);
    if (count < wanted)
      array->slice[count] = index;
    at = *end == ',' ? end + 1 : NULL;
  }
  if (count != wanted && text != NULL)
    return view_misuse("--slice is '%s'; '%s' has %d dimensions, so it takes %d indices", text,
                       array->name, array->dimensions, wanted);
  if (wanted > 0 && text == NULL)
    view_note("'%s' has %d dimensions; this is the plane whose other indices are 0 (--slice "
              "chooses another)",
              array->name, array->dimensions);
  return VIEW_DONE;
}

static int show_characters(const struct options *options, struct view_array *array)
{
  struct view_cells cells;
  const struct view_paper paper = view_find_paper(options->characters);
  struct view_limits limits = view_text_limits(array, &paper);
  limits.log = options->log;
  int status = view_read(array, &limits, &cells);
  if (status == VIEW_DONE)
    status = view_print(array, &cells, &paper);
  view_free(&cells);
  return status;
}

/* Draws the picture by gnuplot. Starts gnuplot and creates the file before it reads the array, so
 * that an error is reported before the long part. */
static int show_picture(const struct options *options, struct view_array *array)
{
  struct view_cells cells = {.rows = 0};
  struct view_plot plot;
  struct view_limits limits = view_plot_limits();
  limits.log = options->log;
  int status = view_plot_begin(options->picture, &plot);
  if (status == VIEW_DONE)
    status = view_read(array, &limits, &cells);
  if (status == VIEW_DONE)
    status = view_plot_draw(&plot, array, &cells);
  view_plot_end(&plot);
  view_free(&cells);
  return status;
}

static int show(const struct options *options)
{
  struct view_array array;
  int status = view_open(options->path, options->name, &array);
  if (status == VIEW_DONE)
    status = read_slice(options->slice, &array);
  if (status == VIEW_DONE)
    status =
        options->picture != NULL ? show_picture(options, &array) : show_characters(options, &array);
  view_close(&array);
  return status;
}

int main(int argc, char **argv)
{
  struct options options = {.path = NULL};
  setlocale(LC_CTYPE, "");
  int status = read_options(argc, argv, &options);
  if (status != VIEW_DONE)
    return status;
  if (options.help)
    fputs(usage, stdout);
  else if (options.version)
    printf("Causeway %s\n", CW_VERSION);
  else
    status = show(&options);
  if (fflush(stdout) != 0 || ferror(stdout))
    return view_failed("cannot write to standard output: %s", strerror(errno));
  return status;
}
