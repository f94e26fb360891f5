/* Draws by gnuplot. It receives commands and numbers through a pipe and writes to a file that we
 * opened, so no file name is part of its commands. The array's name is in a single-quoted string,
 * in which gnuplot replaces nothing. The picture gets its final name when it is complete. */
#include "view.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- The file and the process ----------------------------------------------------------------- */

static const char suffix[] = ".XXXXXX.partial";

static bool ends_with(const char *path, const char *end)
{
  return strlen(path) > strlen(end) && strcasecmp(path + strlen(path) - strlen(end), end) == 0;
}

int view_check_picture(const char *path)
{
  if (ends_with(path, ".png") || ends_with(path, ".svg"))
    return VIEW_DONE;
  return view_misuse("'%s' is not a picture that can be drawn: its name must end with .png or .svg",
                     path);
}

struct view_limits view_plot_limits(void)
{
  enum { MOST = 1000 };
  return (struct view_limits){MOST, MOST, false, false};
}

/* Temporary file that a signal handler removes. */
static char *unfinished;

static void on_signal(int number)
{
  if (unfinished != NULL)
    unlink(unfinished);
  signal(number, SIG_DFL);
  raise(number);
}

/* Finds the permissions for the picture: those of the existing file, or those of a new one. Returns
 * false if `path` exists and is not a regular file. */
static bool find_mode(const char *path, mode_t *mode)
{
  struct stat status;
  const mode_t mask = umask(0);
  umask(mask);
  *mode = 0666 & ~mask;
  if (stat(path, &status) != 0)
    return true;
  *mode = status.st_mode & 07777;
  return S_ISREG(status.st_mode);
}

static int make_beside(struct view_plot *plot, int *file)
{
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  const size_t size = strlen(plot->path) + sizeof suffix;
  mode_t mode = 0;
  if (!find_mode(plot->path, &mode))
    return view_failed("cannot write '%s': it is not a regular file", plot->path);
  plot->beside = malloc(size);
  if (plot->beside == NULL)
    return view_failed("no memory for a name of %zu bytes", size);
  snprintf(plot->beside, size, "%s%s", plot->path, suffix);
  *file = mkostemps(plot->beside, (int)strlen(".partial"), O_CLOEXEC);
  if (*file < 0) {
    const int reason = errno;
    free(plot->beside);
    plot->beside = NULL;
    return view_failed("cannot write '%s': %s", plot->path, strerror(reason));
  }
  unfinished = plot->beside;
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
    if (signal(signals[i], on_signal) == SIG_IGN)
      signal(signals[i], SIG_IGN);
  if (fchmod(*file, mode) != 0)
    return view_failed("cannot write '%s': %s", plot->path, strerror(errno));
  return VIEW_DONE;
}

/* Starts gnuplot. Returns 0 or the error number of posix_spawn. */
static int start_gnuplot(struct view_plot *plot, int from, int picture)
{
  char program[] = "gnuplot", no_settings[] = "-d";
  char *arguments[] = {program, no_settings, NULL};
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t usual;
  pid_t process = -1;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, from, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, picture, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, plot->errors, STDERR_FILENO);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int error = posix_spawnp(&process, program, &files, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  plot->gnuplot = error == 0 ? process : -1;
  return error;
}

int view_plot_begin(const char *path, struct view_plot *plot)
{
  int picture = -1, ends[2] = {-1, -1}, error = 0;
  *plot =
      (struct view_plot){.path = path, .svg = ends_with(path, ".svg"), .gnuplot = -1, .errors = -1};
  const int status = make_beside(plot, &picture);
  if (status == VIEW_DONE) {
    plot->errors = memfd_create("cw-view", MFD_CLOEXEC);
    error = plot->errors < 0 || pipe2(ends, O_CLOEXEC) != 0 ? errno
                                                            : start_gnuplot(plot, ends[0], picture);
    plot->to = error == 0 ? fdopen(ends[1], "w") : NULL;
  }
  if (picture >= 0)
    close(picture);
  if (ends[0] >= 0)
    close(ends[0]);
  if (plot->to == NULL && ends[1] >= 0)
    close(ends[1]);
  if (status != VIEW_DONE)
    return status;
  if (error == ENOENT)
    return view_failed("gnuplot is not installed (Debian: apt install gnuplot-nox); without -o the "
                       "picture is in characters");
  if (plot->to == NULL)
    return view_failed("cannot start gnuplot: %s", strerror(error != 0 ? error : errno));
  signal(SIGPIPE, SIG_IGN);
  return VIEW_DONE;
}

/* Prints the error of gnuplot. Its output starts with an empty line and a copy of the command. */
static int gnuplot_failed(const struct view_plot *plot)
{
  char output[600] = "";
  const ssize_t length = pread(plot->errors, output, sizeof output - 1, 0);
  output[length > 0 ? length : 0] = '\0';
  for (char *at = output; *at != '\0'; at++)
    if (isspace((unsigned char)*at))
      *at = ' ';
  const char *first = output + strspn(output, " ");
  return view_failed("gnuplot failed and '%s' is not written; gnuplot reports: %s", plot->path,
                     first[0] != '\0' ? first : "nothing");
}

static int finish(struct view_plot *plot)
{
  struct stat status;
  int how = 0;
  const bool written = fclose(plot->to) == 0;
  plot->to = NULL;
  const bool ended = waitpid(plot->gnuplot, &how, 0) == plot->gnuplot;
  plot->gnuplot = -1;
  if (!written || !ended || how != 0 || stat(plot->beside, &status) != 0 || status.st_size == 0)
    return gnuplot_failed(plot);
  if (rename(plot->beside, plot->path) != 0)
    return view_failed("cannot write '%s': %s", plot->path, strerror(errno));
  unfinished = NULL;
  free(plot->beside);
  plot->beside = NULL;
  return VIEW_DONE;
}

void view_plot_end(struct view_plot *plot)
{
  if (plot->gnuplot > 0)
    kill(plot->gnuplot, SIGKILL);
  if (plot->to != NULL)
    fclose(plot->to);
  if (plot->gnuplot > 0)
    waitpid(plot->gnuplot, NULL, 0);
  if (plot->errors >= 0)
    close(plot->errors);
  if (plot->beside != NULL)
    unlink(plot->beside);
  unfinished = NULL;
  free(plot->beside);
}

/* --- Commands --------------------------------------------------------------------------------- */

static const char outline[] = "#505050", non_finite[] = "#00b050";

/* Writes a text in single quotes and doubles each single quote in it. */
static void write_quoted(FILE *to, const char *text)
{
  putc('\'', to);
  for (; *text != '\0'; text++) {
    if (*text == '\'')
      putc('\'', to);
    putc(*text, to);
  }
  putc('\'', to);
}

static void write_words(const struct view_plot *plot, const struct view_array *array,
                        const struct view_cells *cells)
{
  char words[VIEW_WORDS], below[2 * VIEW_WORDS];
  view_print_array(array, words);
  fputs("set title ", plot->to);
  write_quoted(plot->to, words);
  fputs(" noenhanced\nset label ", plot->to);
  view_print_values(cells, words);
  snprintf(below, sizeof below, "%s%s%s%s", array->distribution,
           array->distribution[0] != '\0' ? "; " : "", words,
           cells->not_finite > 0 ? " (green)" : "");
  write_quoted(plot->to, below);
  fputs(" at screen 0.5, screen 0.02 center noenhanced\nset bmargin 5\n", plot->to);
}

static void write_terminal(const struct view_plot *plot, int width, int height)
{
  fputs("set encoding utf8\n", plot->to);
  if (plot->svg)
    fprintf(plot->to, "set terminal svg size %d,%d background 'white' font 'sans,12'\n", width,
            height);
  else
    fprintf(plot->to,
            "if (strstrt(GPVAL_TERMINALS, 'pngcairo') > 0) {\n"
            "set terminal pngcairo size %d,%d font 'sans,10'\n"
            "} else {\n"
            "set terminal png size %d,%d\n"
            "}\n",
            width, height, width, height);
}

/* Draws a line across the picture at coordinate `at`. */
static void write_line(const struct view_plot *plot, bool upright, double at, const char *colour)
{
  if (upright)
    fprintf(plot->to, "set arrow from first %.17g, graph 0 to first %.17g, graph 1", at, at);
  else
    fprintf(plot->to, "set arrow from graph 0, first %.17g to graph 1, first %.17g", at, at);
  fprintf(plot->to, " nohead front lw 0.7 lc rgb '%s'\n", colour);
}

static void write_outlines(const struct view_plot *plot, const struct view_lines *lines,
                           bool upright)
{
  if (lines->count > VIEW_MOST_LINES)
    view_note("%llu blocks along a dimension are too many to be outlined",
              (unsigned long long)lines->count + 1);
  for (uint64_t i = 0; i < lines->count && lines->count <= VIEW_MOST_LINES; i++)
    write_line(plot, upright, (double)lines->at[i] - 0.5, outline);
}

/* Sets the tics of a short axis to whole numbers; gnuplot would also mark halves. */
static void write_tics(const struct view_plot *plot, char axis, uint64_t extent)
{
  enum { FEW = 10 };
  if (extent <= FEW)
    fprintf(plot->to, "set %ctics 1\n", axis);
}

/* --- Heat maps -------------------------------------------------------------------------------- */

static const char negative_colours[] = "-1 '#053061', -0.66 '#2f79b5', -0.33 '#9ac8e0'";
static const char positive_colours[] = "0.33 '#f6b394', 0.66 '#cc4c44', 1 '#67001f'";
static const char log_colours[] =
    "0 '#ffffb2', 0.25 '#fecc5c', 0.5 '#fd8d3c', 0.75 '#e31a1c', 1 '#4d0020'";

static void write_colours(const struct view_plot *plot, const struct view_scale *scale)
{
  const double high = scale->high > 0 ? scale->high : 1;
  const double low = scale->low < scale->high ? scale->low : high / 2;
  FILE *to = plot->to;
  if (scale->log)
    fprintf(to,
            "set palette defined (%s)\nset logscale cb\nset format cb '%%.0e'\nset cbrange "
            "[%.17g:%.17g]\n",
            log_colours, scale->low < scale->high ? scale->low : high / 10, high);
  else if (scale->negative == scale->positive)
    fprintf(to, "set palette defined (%s, 0 'white', %s)\nset cbrange [%.17g:%.17g]\n",
            negative_colours, positive_colours, -high, high);
  else if (scale->positive)
    fprintf(to, "set palette defined (0 'white', %s)\nset cbrange [%.17g:%.17g]\n",
            positive_colours, low, high);
  else
    fprintf(to, "set palette defined (%s, 0 'white')\nset cbrange [%.17g:%.17g]\n",
            negative_colours, -high, -low);
}

/* Number of times that each cell is repeated in the image. gnuplot needs at least 2 x 2 points,
 * and viewers of SVG blur an image whose points are large. */
struct repeats {
  uint64_t rows, columns;
};

static uint64_t repeats_of(const struct view_plot *plot, uint64_t cells)
{
  enum { SHARP = 600, LEAST = 2 };
  const uint64_t wanted = plot->svg ? SHARP : LEAST;
  return cells < wanted ? (wanted + cells - 1) / cells : 1;
}

static void write_image(const struct view_plot *plot, const struct view_cells *cells,
                        const struct repeats *repeats, const char *format)
{
  const double dx = (double)cells->width / (double)repeats->columns;
  const double dy = (double)cells->height / (double)repeats->rows;
  fprintf(plot->to,
          "'-' binary array=(%llu,%llu) origin=(%.17g,%.17g) dx=%.17g dy=%.17g format='%s' ",
          (unsigned long long)(cells->columns * repeats->columns),
          (unsigned long long)(cells->rows * repeats->rows), dx / 2 - 0.5, dy / 2 - 0.5, dx, dy,
          format);
}

/* Writes the value of a cell. Zero has no place on a logarithmic scale, so it becomes NaN and stays
 * white, as cells that are not finite do. */
static void write_value(FILE *to, const struct view_cells *cells, uint64_t cell)
{
  const double value = cells->value[cell];
  const double shown = cells->non_finite[cell] || (cells->log && value == 0) ? NAN : value;
  fwrite(&shown, sizeof shown, 1, to);
}

/* Writes green for a cell that has elements that are not finite, else transparent. */
static void write_non_finite(FILE *to, const struct view_cells *cells, uint64_t cell)
{
  const unsigned char colour[4] = {0x00, 0xb0, 0x50, cells->non_finite[cell] ? 255 : 0};
  fwrite(colour, sizeof colour, 1, to);
}

static void write_cells(const struct view_plot *plot, const struct view_cells *cells,
                        const struct repeats *repeats,
                        void (*write)(FILE *, const struct view_cells *, uint64_t))
{
  for (uint64_t row = 0; row < cells->rows; row++)
    for (uint64_t again = 0; again < repeats->rows; again++)
      for (uint64_t i = 0; i < cells->columns * repeats->columns; i++)
        write(plot->to, cells, row * cells->columns + i / repeats->columns);
}

static void draw_map(const struct view_plot *plot, const struct view_array *array,
                     const struct view_cells *cells)
{
  enum { LONGER = 8 };
  const struct view_scale scale = view_find_scale(cells);
  const struct repeats repeats = {repeats_of(plot, cells->rows), repeats_of(plot, cells->columns)};
  write_terminal(plot, 900, 800);
  write_words(plot, array, cells);
  write_colours(plot, &scale);
  write_outlines(plot, &array->column_lines, true);
  write_outlines(plot, &array->row_lines, false);
  write_tics(plot, 'x', array->columns);
  write_tics(plot, 'y', array->rows);
  if (array->rows / LONGER <= array->columns && array->columns / LONGER <= array->rows)
    fputs("set size ratio -1\n", plot->to);
  fprintf(plot->to,
          "set tics out nomirror\nset xlabel 'column'\nset ylabel 'row'\nunset key\n"
          "set xrange [-0.5:%.17g]\nset yrange [%.17g:-0.5]\nplot ",
          (double)(cells->columns * cells->width) - 0.5,
          (double)(cells->rows * cells->height) - 0.5);
  write_image(plot, cells, &repeats, "%float64");
  fputs("with image", plot->to);
  if (cells->not_finite > 0) {
    fputs(", ", plot->to);
    write_image(plot, cells, &repeats, "%uchar%uchar%uchar%uchar");
    fputs("using 1:2:3:4 with rgbalpha", plot->to);
  }
  putc('\n', plot->to);
  write_cells(plot, cells, &repeats, write_value);
  if (cells->not_finite > 0)
    write_cells(plot, cells, &repeats, write_non_finite);
}

/* --- Curves ----------------------------------------------------------------------------------- */

static void write_range(const struct view_plot *plot, const struct view_cells *cells)
{
  double low = INFINITY, high = -INFINITY;
  for (uint64_t i = 0; i < cells->columns; i++) {
    low = fmin(low, cells->least[i]);
    high = fmax(high, cells->value[i]);
  }
  if (low > high)
    low = high = 1;
  if (cells->log) {
    fprintf(plot->to, "set logscale y\nset format y '%%.0e'\nset yrange [%.17g:%.17g]\n", low / 1.5,
            high * 1.5);
    return;
  }
  const double beside = low < high ? (high / 20 - low / 20) : low != 0 ? fabs(low) / 10 : 1;
  fprintf(plot->to, "set yrange [%.17g:%.17g]\n", low - beside, high + beside);
}

static double middle_of(const struct view_cells *cells, uint64_t column)
{
  return (double)(column * cells->width) + (double)(cells->width - 1) / 2;
}

/* Writes, for each cell, its middle and its least and greatest element. */
static void write_points(const struct view_plot *plot, const struct view_cells *cells)
{
  for (uint64_t i = 0; i < cells->columns; i++) {
    const bool some = cells->least[i] <= cells->value[i];
    const double point[3] = {middle_of(cells, i), some ? cells->least[i] : NAN,
                             some ? cells->value[i] : NAN};
    fwrite(point, sizeof point, 1, plot->to);
  }
}

static void draw_curve(const struct view_plot *plot, const struct view_array *array,
                       const struct view_cells *cells)
{
  enum { FEW = 100 };
  const unsigned long long count = (unsigned long long)cells->columns;
  const char *lines = count <= FEW ? "linespoints pt 7 ps 0.4" : "lines";
  const char *format = "'-' binary record=(%llu) format='%%float64%%float64%%float64' using ";
  uint64_t marked = 0;
  write_terminal(plot, 900, 500);
  write_words(plot, array, cells);
  write_outlines(plot, &array->column_lines, true);
  for (uint64_t i = 0; i < cells->columns && marked < VIEW_MOST_LINES; i++)
    if (cells->non_finite[i]) {
      write_line(plot, true, middle_of(cells, i), non_finite);
      marked++;
    }
  write_tics(plot, 'x', array->columns);
  write_range(plot, cells);
  fprintf(plot->to,
          "set tics out nomirror\nset xlabel 'index'\nunset key\nset xrange [-0.5:%.17g]\nplot ",
          (double)array->columns - 0.5);
  if (cells->width > 1) {
    fprintf(plot->to, format, count);
    fputs("1:2:(0):($3-$2) with vectors nohead lc rgb '#9ac8e0', ", plot->to);
    fprintf(plot->to, format, count);
    fprintf(plot->to, "1:2 with %s lc rgb '#2f79b5', ", lines);
  }
  fprintf(plot->to, format, count);
  fprintf(plot->to, "1:3 with %s lc rgb '#2f79b5'\n", lines);
  for (int again = 0; again < (cells->width > 1 ? 3 : 1); again++)
    write_points(plot, cells);
}

int view_plot_draw(struct view_plot *plot, const struct view_array *array,
                   const struct view_cells *cells)
{
  if (cells->curve)
    draw_curve(plot, array, cells);
  else
    draw_map(plot, array, cells);
  return finish(plot);
}
