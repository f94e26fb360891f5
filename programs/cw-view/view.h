/* cw-view: an array of an HDF5 file as a picture.
 *
 * cw-view.c     options, and the order of things
 * view_file.c   finding the array: what it is, how it was distributed
 * view_read.c   reading it in hyperslabs, and reducing it to cells
 * view_labels.c  what both pictures say, and messages
 * view_text.c   the picture in characters
 * view_plot.c   the picture by gnuplot
 *
 * Functions that return an int return the exit status, and have said what went wrong. */
#ifndef VIEW_H
#define VIEW_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { VIEW_DONE, VIEW_FAILED, VIEW_MISUSE };

/* Of a dimension: where blocks begin, without 0. Of more than MOST only the number is known. */
enum { VIEW_MOST_LINES = 150 };
struct view_lines {
  uint64_t count;
  uint64_t at[VIEW_MOST_LINES];
};

struct view_array {
  const char *path, *name;
  char *only_name;       /* to be freed: of an array that the user need not name */
  hid_t file, set, type; /* type: of the elements in memory, doubles */
  size_t parts;          /* doubles of an element: 2 for complex numbers */
  int dimensions;
  hsize_t extents[H5S_MAX_RANK];
  hsize_t slice[H5S_MAX_RANK]; /* indices of all but the last two dimensions */
  uint64_t rows, columns;      /* of the plane that is shown; one dimension is one row */
  char kind[32];               /* "float64" */
  char distribution[300];      /* in words; "": the file does not tell */
  struct view_lines row_lines, column_lines;
};

/* Open a file and the array that is called `name`, or the only one if that is NULL. If there are
 * several, list them. */
int view_open(const char *path, const char *name, struct view_array *array);
void view_close(struct view_array *array);

/* How many cells a picture may have. square: cells shall be squares of the array, unless it is much
 * longer in one dimension. log: only absolute values are asked for. */
struct view_limits {
  uint64_t rows, columns;
  bool square, log;
};

/* A plane that is reduced to cells, or a curve: one row of them. */
struct view_cells {
  uint64_t rows, columns; /* of cells */
  uint64_t height, width; /* elements of a cell; the last cells may have less */
  bool curve, log;
  double *value; /* [rows][columns] the element of greatest absolute value; of a curve the greatest;
                    -INFINITY: there is none */
  double *least; /* of a curve: the least element; INFINITY: there is none */
  bool *strange; /* has elements that are not finite */
  uint64_t *seen;                     /* elements that were read */
  uint64_t not_finite, zeros, finite; /* elements */
  double lowest, highest;             /* of all finite elements */
};

int view_read(struct view_array *array, const struct view_limits *limits, struct view_cells *cells);
void view_free(struct view_cells *cells);

/* Absolute values of cells, from low to high. */
struct view_scale {
  double low, high;
  bool negative, positive; /* are there such cells? */
  bool log;
};
struct view_scale view_find_scale(const struct view_cells *cells);

/* 0 for low to 1 for high. */
double view_place(const struct view_scale *scale, double value);

/* The edge of cells nearest to each line; those at the ends of the array, and all but one at a
 * place, are left out. Returns how many there are. */
size_t view_edges(const struct view_lines *lines, size_t most, uint64_t elements, uint64_t cells,
                  uint64_t *edges);

/* About the array: its name, extents and type; its values. */
enum { VIEW_WORDS = 700 };
void view_print_array(const struct view_array *array, char words[VIEW_WORDS]);
void view_print_values(const struct view_cells *cells, char words[VIEW_WORDS]);

/* Copy a text without what terminals and pictures cannot show. */
void view_clean(const char *text, char *clean, size_t size);

/* "12 x 20". */
void view_write_extents(int dimensions, const hsize_t *extents, char *text, size_t size);

int view_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
int view_misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
void view_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Characters. blocks: two cells in each, in colours. */
struct view_paper {
  int width, height;
  bool blocks;
};

/* What standard output is. characters: "ascii", "blocks" or NULL: as it suits it. */
struct view_paper view_find_paper(const char *characters);
struct view_limits view_text_limits(const struct view_array *array, const struct view_paper *paper);
int view_print(const struct view_array *array, const struct view_cells *cells,
               const struct view_paper *paper);

/* A picture that gnuplot is about to draw: it waits. */
struct view_plot {
  const char *path;
  char *beside; /* the file that becomes the picture; NULL: none */
  bool svg;
  int gnuplot; /* its process */
  int errors;  /* a file with what it said */
  FILE *to;
};

/* Does the name end like a picture? */
int view_check_picture(const char *path);
struct view_limits view_plot_limits(void);
int view_plot_begin(const char *path, struct view_plot *plot);
int view_plot_draw(struct view_plot *plot, const struct view_array *array,
                   const struct view_cells *cells);
void view_plot_end(struct view_plot *plot);

#endif
