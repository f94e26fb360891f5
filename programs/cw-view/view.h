/* cw-view: shows an array of an HDF5 file as a picture.
 *
 * cw-view.c      options; draws in characters or by gnuplot
 * view_file.c    finds the array: its type, extents and distribution
 * view_read.c    reads it in hyperslabs and reduces it to cells
 * view_labels.c  labels and scales that both pictures share, and messages
 * view_text.c    draws in characters
 * view_plot.c    draws by gnuplot
 *
 * A function that returns an int returns the exit status; it has already printed the error. */
#pragma once

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { VIEW_DONE, VIEW_FAILED, VIEW_MISUSE };

/* First indices of the blocks along a dimension, without index 0. If there are more than
 * VIEW_MOST_LINES, only their number is valid. */
enum { VIEW_MOST_LINES = 150 };
struct view_lines {
  uint64_t count;
  uint64_t at[VIEW_MOST_LINES];
};

struct view_array {
  const char *path, *name;
  char *only_name;       /* the name if the user gave none; freed by view_close */
  hid_t file, set, type; /* type: the type of elements in memory, one or two doubles */
  size_t parts;          /* doubles per element: 2 for complex numbers */
  int dimensions;
  hsize_t extents[H5S_MAX_RANK];
  hsize_t slice[H5S_MAX_RANK]; /* indices of all but the last two dimensions */
  uint64_t rows, columns; /* of the plane that is shown; an array of one dimension has one row */
  char kind[32];          /* the type as a word, such as "float64" */
  char distribution[300]; /* in words; "" if the file does not have it */
  struct view_lines row_lines, column_lines;
};

/* Opens a file and the array called `name`, or the only array if `name` is NULL. If there are
 * several arrays, lists them and fails. */
int view_open(const char *path, const char *name, struct view_array *array);
void view_close(struct view_array *array);

/* Upper bounds on the rows and columns of cells of a picture. square: cells cover as many rows as
 * columns, unless the array is much longer in one dimension. log: only absolute values are needed.
 */
struct view_limits {
  uint64_t rows, columns;
  bool square, log;
};

/* A plane of the array reduced to cells; a curve is a single row of cells. */
struct view_cells {
  uint64_t rows, columns; /* number of cells */
  uint64_t height, width; /* elements per cell; the last cells may have fewer */
  bool curve, log;
  double *value;    /* indexed by [row][column]: the element of greatest absolute value; for a curve
                       the greatest element, or -INFINITY if there is none */
  double *least;    /* for a curve: the least element, or INFINITY if there is none */
  bool *non_finite; /* true for cells with elements that are not finite */
  uint64_t *seen;   /* number of elements that were read */
  uint64_t not_finite, zeros, finite; /* numbers of elements */
  double lowest, highest;             /* over all finite elements */
};

int view_read(struct view_array *array, const struct view_limits *limits, struct view_cells *cells);
void view_free(struct view_cells *cells);

/* Range of the absolute values of cells, without cells that are not finite. */
struct view_scale {
  double low, high;
  bool negative, positive; /* true if there are such cells */
  bool log;
};
struct view_scale view_find_scale(const struct view_cells *cells);

/* Returns the place of |value| on the scale, from 0 at `low` to 1 at `high`. */
double view_place(const struct view_scale *scale, double value);

/* Stores the edges between cells that are nearest to the lines, in ascending order, and returns how
 * many there are. It leaves out edges at the ends of the array and duplicates. Returns 0 if there
 * are more than `most` lines. */
size_t view_edges(const struct view_lines *lines, size_t most, uint64_t elements, uint64_t cells,
                  uint64_t *edges);

/* These functions describe the array (its name, extents and type) and its values in words. */
enum { VIEW_WORDS = 700 };
void view_print_array(const struct view_array *array, char words[VIEW_WORDS]);
void view_print_values(const struct view_cells *cells, char words[VIEW_WORDS]);

/* Copies a text without the characters that terminals and pictures cannot show. */
void view_clean(const char *text, char *clean, size_t size);

/* Writes extents such as "12 x 20". */
void view_write_extents(int dimensions, const hsize_t *extents, char *text, size_t size);

int view_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
int view_misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
void view_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Size of a picture in characters. blocks: each character shows two cells in colours. */
struct view_paper {
  int width, height;
  bool blocks;
};

/* Returns the size and abilities of standard output. characters: "ascii" or "blocks", or NULL to
 * choose by the kind of output. */
struct view_paper view_find_paper(const char *characters);
struct view_limits view_text_limits(const struct view_array *array, const struct view_paper *paper);
int view_print(const struct view_array *array, const struct view_cells *cells,
               const struct view_paper *paper);

/* A picture that gnuplot is about to draw: it runs and waits for commands from us. */
struct view_plot {
  const char *path;
  char *beside; /* the temporary file that becomes the picture; NULL if there is none */
  bool svg;
  int gnuplot; /* process ID */
  int errors;  /* a file that receives its error messages */
  FILE *to;
};

/* Returns VIEW_DONE if the name ends like that of a picture; else prints an error. */
int view_check_picture(const char *path);
struct view_limits view_plot_limits(void);
int view_plot_begin(const char *path, struct view_plot *plot);
int view_plot_draw(struct view_plot *plot, const struct view_array *array,
                   const struct view_cells *cells);
void view_plot_end(struct view_plot *plot);
