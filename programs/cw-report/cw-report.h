/* cw-report: shows a profile (the file of CW_PROFILE, docs/reference/profile.md) as text or as an
 * HTML page.
 *
 * cw-report.c    options; composes the report and writes it to its file
 * read.c         reads the file, row by row, into a profile
 * rows.c         reads and checks the members of each kind of row
 * texts.c        removes control characters from texts; formats numbers; messages
 * document.c     paragraphs and tables, in 80 columns or on a page
 * sections.c     sections: totals, classes, processes, routes, communication, settings
 * object_maps.c  sections: heat maps of objects, and the most updated elements
 * calls.c        sections: calls by name, call sites, objects, and histograms
 * time_course.c  sections: the longest waits, and memory over the time of the run
 * matrix.c       sums communication by pair of nodes, or into the cells of a matrix
 * picture.c      SVG on a page: cells as a heat map, processes as bars
 * scale.c        round numbers, and the shades of amounts
 * page.c         the head and the end of a page
 * compare.c      compares two profiles
 *
 * A function that returns an int returns the exit status; it has already printed the error. The
 * program exits when memory runs out. Nothing is written until the whole report is composed, so an
 * error leaves no partial output. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { REPORT_DONE, REPORT_FAILED, REPORT_MISUSE };

/* --- The profile (docs/reference/profile.md)
 * ------------------------------------------------------------ */

/* REPORT_VERSION: version of the format that is read. REPORT_CLASSES: upper bound on the classes of
 * calls in a file. REPORT_PLACES: places of a histogram, one for each power of two. */
enum { REPORT_VERSION = 1, REPORT_CLASSES = 64, REPORT_PLACES = 65 };

struct report_histogram {
  uint64_t count[REPORT_PLACES]; /* place n counts values from 2^(n-1) to less than 2^n */
};

struct report_class {
  int number; /* index into class_names of the profile */
  uint64_t calls, inner_calls, bytes;
  double seconds, longest;
  struct report_histogram clocked;
};

struct report_operation {
  const char *operation, *route;
  uint64_t count, bytes;
  struct report_histogram sizes;
};

struct report_process {
  int process, node;
  uint64_t threads, operations, bytes;
  double wall, time;              /* time: the sum over all threads */
  double seconds[REPORT_CLASSES]; /* indexed by the number of the class */
  bool has_usage;                 /* true if the file has the resources that the process used */
  uint64_t faults, disk_faults, sleeps, preemptions, most_memory;
  double user, system, waited; /* waited: 0 if the file does not have it */
};

struct report_node {
  int node;
  bool has_server;
  uint64_t memory;
  uint64_t messages, bytes, requests, forwards, most_waiting, stalls, sleeps; /* of its server */
  double asleep, processor, busy, longest;
};

struct report_pair {
  int origin, target; /* numbers of processes or of nodes */
  uint64_t operations, bytes;
  double seconds;
};

/* One dimension of the heat map of an object. A heat map of one dimension has up to REPORT_LINE
 * cells; one of two dimensions has up to REPORT_SIDE cells along each, so that a page stays
 * small. */
enum { REPORT_LINE = 64, REPORT_SIDE = 16, REPORT_BLOCKS = 64 };
struct report_axis {
  const char *noun; /* "rows", for example; NULL if the dimension has only a number */
  int dimension;
  uint64_t extent, width; /* width: indices per cell */
  uint64_t one;           /* the first index: 0, or 1 in Fortran */
  size_t cells, blocks;
  uint64_t begin[REPORT_BLOCKS]; /* first indices of the blocks of processes */
};

/* A heat map: the amount of operations in each part of an object. Rows and columns are named as
 * the program names them. */
struct report_heat_map {
  struct report_axis rows, columns;
  bool has_rows;     /* false for a single line of columns */
  double *value[2];  /* bytes and operations, each [rows * columns] */
  int *least, *most; /* range of processes that hold the accessed elements of a cell; -1 if there
                        are none */
};

struct report_object {
  const char *object;
  uint64_t operations, bytes, memory;
  double seconds;
  const char *hottest;              /* the block in words; "" if it is unknown */
  struct report_heat_map *heat_map; /* NULL if it is unknown */
};

struct report_element {
  const char *object, *element;
  int process;
  uint64_t updates, over;
};

struct report_site {
  const char *call; /* "" if the file does not have it, and for a task */
  const char *class_name, *function, *file, *module;
  uint64_t line, offset, calls, bytes;
  double seconds, longest;
};

struct report_advice {
  const char *kind, *message;
  double share;
};

struct report_phase {
  const char *phase;
  uint64_t number, processes, least_process, most_process;
  double seconds, inside, least, most;
};

/* One of the longest waits. `site` is the place of its call; site.seconds is the length of the
 * wait. */
struct report_wait {
  int process;
  bool is_under_way; /* the process died while it waited */
  double began;
  const char *whom, *phase; /* whom: "" if it is unknown; phase: "" outside of any phase */
  struct report_site site;
};

/* Memory over the time of the run, of one process, of one node, or of many together. Each step of
 * the run has the largest amount in that step. */
enum { REPORT_STEPS = 64 };
struct report_memory {
  const char *of; /* "process", "node", "processes" or "nodes" */
  bool is_together;
  uint64_t number; /* the number of the process or node; if is_together, how many there are */
  double step;     /* length of a step in seconds */
  size_t count;
  uint64_t least[REPORT_STEPS], mean[REPORT_STEPS], most[REPORT_STEPS];
};

/* A setting of the job, or a property of its machine. */
struct report_fact {
  const char *name, *value;
};

struct report_list {
  size_t count, capacity;
  void *rows;
};
#define REPORT_ROWS(list, type) ((const type *)(list).rows)

struct report_profile {
  const char *path;
  const char *causeway, *program, *date;
  uint64_t version, processes, nodes, missing_processes, bytes;
  bool incomplete, is_static, has_died;
  bool has_calls; /* at least one call site has the name of its call */
  double wall, time, inside, waiting;
  const char *class_names[REPORT_CLASSES];
  int class_count;
  struct report_list classes, operations, per_process, per_node, pairs, objects, call_sites, advice;
  struct report_list elements; /* empty if the file has none */
  uint64_t other_elements;     /* upper bound on the updates of any element that is not listed */
  struct report_list phases, waits, memory; /* empty if the file has none */
  struct report_list settings, machine;     /* lists of facts */
  struct report_list missing; /* int: processes without figures, if the file lists them */
  struct report_list unknown; /* char *: members of the file that this program does not know */
  struct report_list texts;   /* char *: owns every text to which the other lists point */
};

/* Reads a whole file into `profile` and sorts its processes by number. The caller releases the
 * profile with report_free, also after an error. */
int report_read(const char *path, struct report_profile *profile);
void report_free(struct report_profile *profile);

/* Returns the number of the class called `name`, and gives it the next free number if it has none.
 * Returns -1 if there are too many classes. */
int report_class_number(struct report_profile *profile, const char *name);

/* report_is_wait returns true if the calls of a class wait for other processes; report_is_task, if
 * they are tasks, whose time counts as the program's own. */
bool report_is_wait(const char *class_name);
bool report_is_task(const char *class_name);

/* Time of all threads of a process, and the parts of it: in the program, tasks included; in
 * waiting calls; and in other calls of Causeway. */
struct report_shares {
  double all, program, waiting, calls;
};
struct report_shares report_shares_of(const struct report_profile *profile,
                                      const struct report_process *process);

/* Returns the sum of `a` and `b`, or UINT64_MAX if it overflows. */
uint64_t report_sum(uint64_t a, uint64_t b);

/* --- Rows ------------------------------------------------------------------------------------- */

struct report_reader {
  const char *path;
  char *text;
  size_t size, at;
  struct report_profile *profile;
};

/* A list of the file, and the function that reads one of its rows. `required`: a file without the
 * list is an error. */
struct report_rule {
  const char *member;
  int (*read)(struct report_reader *reader, const char *where, const json_t *row);
  bool required;
};
extern const struct report_rule report_rules[];
extern const size_t report_rule_count;

/* report_take_whole, _number and _text store a member of an object, which must exist, in `value`.
 * report_take_whole accepts whole numbers only. `where` describes the object in error messages. */
int report_take_whole(struct report_reader *reader, const char *where, const json_t *object,
                      const char *member, uint64_t *value);
int report_take_number(struct report_reader *reader, const char *where, const json_t *object,
                       const char *member, double *value);
int report_take_text(struct report_reader *reader, const char *where, const json_t *object,
                     const char *member, const char **value);

/* A list of whole numbers. The caller gives the memory and how many numbers are allowed (least to
 * most); the reader stores how many there are in `count`. */
struct report_wholes {
  uint64_t *values;
  size_t least, most, count;
};
int report_take_wholes(const struct report_reader *reader, const char *where, const json_t *list,
                       const char *member, struct report_wholes *wholes);

/* Reads the heat map of an object into new memory, which report_heat_map_free releases. If the row
 * has none, *heat_map stays as it is. */
int report_take_heat_map(struct report_reader *reader, const char *where, const json_t *row,
                         struct report_heat_map **heat_map);
void report_heat_map_free(struct report_heat_map *heat_map);

/* Reads a list of numbers of processes. */
int report_take_missing(struct report_reader *reader, const json_t *value);

/* Reads an object that has a member for each fact. */
int report_take_facts(struct report_reader *reader, const json_t *value, struct report_list *facts);

/* --- Texts, memory, messages ------------------------------------------------------------------ */

void *report_allocate(size_t count, size_t size);
/* Appends a row of zeros to the list and returns it. The address is valid until the next call for
 * the same list. */
void *report_add(struct report_list *list, size_t size);

/* Returns a copy of a text without the characters that terminals and pages cannot show. It lives
 * until report_free. */
const char *report_copy(struct report_profile *profile, const char *text);

/* Returns the number of terminal columns that a text takes. */
size_t report_columns(const char *text);

enum { REPORT_WORD = 40 };
void report_format_bytes(char word[REPORT_WORD], double bytes);
void report_format_seconds(char word[REPORT_WORD], double seconds);
void report_format_ratio(char word[REPORT_WORD], double before, double after);

int report_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
int report_misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* --- Paper ------------------------------------------------------------------------------------ */

struct report_paper {
  FILE *out;
  bool page;   /* an HTML page; otherwise text of 80 columns */
  size_t most; /* most rows of a long list, 0 for all; the others are only counted */
  struct report_list *contents; /* facts: the title and the anchor of each section so far */
};

enum report_kind {
  REPORT_WORDS,
  REPORT_COUNT,
  REPORT_BYTES,
  REPORT_SECONDS,
  REPORT_SHARE, /* a fraction of 1, shown as a percentage */
  REPORT_BAR,   /* a fraction of 1, shown as a bar */
  REPORT_RATIO  /* words, aligned to the right */
};

/* width: columns that it takes in text; 0 if the column is on pages only. */
struct report_column {
  const char *title;
  enum report_kind kind;
  int width;
};

union report_cell {
  const char *words;
  uint64_t count;
  double value;
};

void report_section(const struct report_paper *paper, const char *name, const char *title);
void report_text(const struct report_paper *paper, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void report_table(const struct report_paper *paper, const char *caption,
                  const struct report_column *columns, size_t count);
void report_row(const struct report_paper *paper, const struct report_column *columns, size_t count,
                const union report_cell *cells);
void report_table_end(const struct report_paper *paper);

/* report_shown returns how many rows of a long list are written. report_more writes how many
 * rows are left out, followed by `what`, such as "with fewer seconds". */
size_t report_shown(const struct report_paper *paper, size_t all);
void report_more(const struct report_paper *paper, size_t all, const char *what);

/* Tables between these two calls stand side by side on a page. */
void report_group(const struct report_paper *paper);
void report_group_end(const struct report_paper *paper);

/* Writes a text to a page, with characters such as < and & escaped. */
void report_escape(FILE *out, const char *text);

/* --- Communication ---------------------------------------------------------------------------- */

enum report_measure { REPORT_BY_BYTES, REPORT_BY_COUNT, REPORT_BY_TIME, REPORT_MEASURES };

/* Communication between processes or nodes, summed into a square matrix of cells. Each cell covers
 * `each` neighbouring members along both axes. */
struct report_matrix {
  size_t members, cells, each;
  double *value[REPORT_MEASURES]; /* indexed by origin * cells + target */
};

void report_matrix_make(struct report_matrix *matrix, const struct report_list *pairs,
                        size_t members, size_t most_cells);
void report_matrix_free(struct report_matrix *matrix);

/* Sums the pairs of processes into pairs of nodes. *left_out receives the number of operations of
 * processes whose node is unknown. The caller frees pairs->rows. */
void report_pairs_of_nodes(const struct report_profile *profile, struct report_list *pairs,
                           uint64_t *left_out);

/* The shades in which cells are drawn. Shade 0 is for cells that are 0. The others are 1, the
 * lightest, to at most REPORT_SHADES; each ends at a round number. If amounts differ by a factor of
 * 100 or less, all shades are equally wide; else the end of each is the same multiple of the end
 * before. Amounts that differ by a factor of two or less count as even and have a single shade. */
enum { REPORT_SHADES = 9, REPORT_EVEN_SHADE = 5 };
struct report_scale {
  double least, most; /* extremes of the cells that are not 0; most is 0 if all cells are 0 */
  bool is_even;
  int shades;
  double end[REPORT_SHADES + 1]; /* upper end of each shade */
};
struct report_scale report_scale_of(const double *value, size_t count, int measure);
int report_shade_of(const struct report_scale *scale, double value);

/* Returns the least round number that is not less than a positive value: a power of two for bytes,
 * else 1, 2 or 5 times a power of ten. */
double report_round_up(int measure, double value);

/* Writes an amount as "20 ms", "512 KiB" or "300", in four digits; round amounts have no
 * decimals. */
void report_format_amount(char word[REPORT_WORD], int measure, double amount);

/* Writes the range of amounts of a shade, such as "to 20 ms"; for an even scale, such as "even: 6.8
 * KiB to 7 KiB". */
void report_describe_shade(char word[2 * REPORT_WORD + 16], const struct report_scale *scale,
                           int measure, int shade);

/* Parts of a drawing on a page. The reader of the page selects the measure with radio buttons
 * that stand before the drawing; CSS alone shows and hides the cells, so that it works without
 * a script. */
extern const char *const report_measure_words[REPORT_MEASURES];
void report_draw_choice(FILE *out, const char *map, int measures);
void report_draw_cells(FILE *out, size_t rows, size_t columns, const double *value, int measure);
void report_draw_legend(FILE *out, const double *value, size_t count, int measure);

/* These functions draw on a page only. `noun` is "process" or "node". */
void report_draw_matrix(const struct report_paper *paper, const struct report_matrix *matrix,
                        const char *noun);
const char *report_colour_of(const struct report_profile *profile, int class_number);
void report_draw_processes(const struct report_paper *paper, const struct report_profile *profile);

/* --- The report ------------------------------------------------------------------------------- */

void report_write(const struct report_paper *paper, struct report_profile *profile);
void report_write_calls(const struct report_paper *paper, const struct report_profile *profile);
void report_write_histograms(const struct report_paper *paper,
                             const struct report_profile *profile);

/* report_write_heat_maps writes, in the given order of objects, where in each object operations
 * went. report_write_elements writes the elements with the most updates. */
void report_write_heat_maps(const struct report_paper *paper,
                            const struct report_object *const *order, size_t count);
void report_write_elements(const struct report_paper *paper, const struct report_profile *profile);

/* Writes the longest waits. A class of calls that the profile does not have yet is given a number,
 * which changes the profile. */
void report_write_waits(const struct report_paper *paper, struct report_profile *profile);
void report_write_memory(const struct report_paper *paper, const struct report_profile *profile);

/* Writes what is missing in the profile, so that a reader does not trust it too much. */
void report_write_caveats(const struct report_paper *paper, const struct report_profile *profile);
void report_write_comparison(const struct report_paper *paper, struct report_profile *before,
                             struct report_profile *after);

/* Writes a text such as "NGA_Get, build_fock, scf.c:120". If the name of the call is unknown, the
 * class of the call stands in its place. */
void report_describe_site(char *text, size_t size, const struct report_site *site);

void report_page_begin(const struct report_paper *paper, const char *title);
void report_page_end(const struct report_paper *paper);
