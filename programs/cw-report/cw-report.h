/* cw-report: the file of CW_PROFILE (docs/profile.md) as text, or as a page for a browser.
 *
 * cw-report.c    options, and the order of things
 * read.c         the file, row by row, into a profile
 * rows.c         what each kind of row has
 * texts.c        texts of the file, made harmless; numbers as words; messages
 * document.c        paragraphs and tables, in 80 columns or on a page
 * sections.c     what a report says, in both forms
 * object_maps.c  of it, where in objects operations went, and elements
 * calls.c        of it, calls by name, call sites and objects, and how long calls took
 * time_course.c       of it, what was when: the longest waits, memory in the course of the run
 * matrix.c       communication by pair: of nodes, and in cells
 * picture.c      drawn on a page: cells as a heat map, processes as bars
 * scale.c        round numbers, and shades of amounts
 * page.c         what stands around it on a page
 * compare.c      two profiles side by side
 *
 * Functions that return an int return the exit status, and have said what is wrong. Where memory
 * runs out the program ends: until all is composed nothing is written. */
#ifndef CW_REPORT_H
#define CW_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { REPORT_DONE, REPORT_FAILED, REPORT_MISUSE };

/* --- A profile, as docs/profile.md has it
 * ------------------------------------------------------------------------------------------- */

/* classes: of calls, that one file may have; places: of a histogram, powers of two. */
enum { REPORT_VERSION = 1, REPORT_CLASSES = 64, REPORT_PLACES = 65 };

struct report_histogram {
  uint64_t count[REPORT_PLACES]; /* place n: less than 2^n, and not less than half of that */
};

struct report_class {
  int number; /* of its name */
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
  double wall, time;              /* time: of all its threads */
  double seconds[REPORT_CLASSES]; /* by number of the class's name */
  bool has_usage;                 /* what it took of its machine is known */
  uint64_t faults, disk_faults, sleeps, preemptions, most_memory;
  double user, system, waited; /* waited: 0 in files that do not tell */
};

struct report_node {
  int node;
  bool has_server;
  uint64_t memory;
  uint64_t messages, bytes, requests, forwards, most_waiting, stalls, sleeps; /* its server's */
  double asleep, processor, busy, longest;
};

struct report_pair {
  int origin, target; /* processes, or nodes */
  uint64_t operations, bytes;
  double seconds; /* 0 in files that do not tell */
};

/* One dimension of an object as it is drawn. A line has up to REPORT_LINE cells; of two dimensions
 * each has up to REPORT_SIDE, so that a page stays small. */
enum { REPORT_LINE = 64, REPORT_SIDE = 16, REPORT_BLOCKS = 64 };
struct report_axis {
  const char *noun; /* "rows"; NULL: of a dimension that has only a number */
  int dimension;
  uint64_t extent, width; /* of a cell */
  uint64_t one;           /* the first index */
  size_t cells, blocks;
  uint64_t begin[REPORT_BLOCKS]; /* of processes' blocks */
};

/* Where in an object its operations went: rows and columns as the program has them. */
struct report_heat_map {
  struct report_axis rows, columns;
  bool has_rows;     /* else it is a line of columns */
  double *value[2];  /* bytes, operations: [rows * columns] */
  int *least, *most; /* of processes that something in the cell was of; -1: nothing is */
};

struct report_object {
  const char *object;
  uint64_t operations, bytes, memory;
  double seconds;
  const char *hottest;              /* block, in words; "": not known */
  struct report_heat_map *heat_map; /* NULL: not known */
};

struct report_element {
  const char *object, *element;
  int process;
  uint64_t updates, over;
};

struct report_site {
  const char *call; /* "": the file does not say, or it is a task */
  const char *class_name, *function, *file, *module;
  uint64_t line, offset, calls, bytes;
  double seconds, longest;
};

struct report_advice {
  const char *kind, *sentence;
  double share;
};

struct report_phase {
  const char *phase;
  uint64_t number, processes, least_process, most_process;
  double seconds, inside, least, most;
};

/* One of the longest waits: where it was called from, and there its seconds. */
struct report_wait {
  int process;
  bool is_under_way; /* its process died in it */
  double began;
  const char *whom, *phase; /* "": not known; in none */
  struct report_site site;
};

/* Memory of a process, a node, or of many together: the most in each step of the run. */
enum { REPORT_STEPS = 64 };
struct report_memory {
  const char *of; /* "process", "node", "processes", "nodes" */
  bool is_together;
  uint64_t number; /* of one; of many how many */
  double step;     /* seconds */
  size_t count;
  uint64_t least[REPORT_STEPS], mean[REPORT_STEPS], most[REPORT_STEPS];
};

/* A setting of the job, or a figure of its machine. */
struct report_fact {
  const char *name, *value;
};

struct report_list {
  size_t count;
  void *rows;
};
#define REPORT_ROWS(list, type) ((const type *)(list).rows)

struct report_profile {
  const char *path;
  const char *causeway, *program, *date;
  uint64_t version, processes, nodes, missing_processes, bytes;
  bool incomplete, is_static, has_died;
  bool has_calls; /* some call site has the name of its call */
  double wall, time, inside, waiting;
  const char *class_names[REPORT_CLASSES];
  int class_count;
  struct report_list classes, operations, per_process, per_node, pairs, objects, call_sites, advice;
  struct report_list elements;              /* where the file has them */
  uint64_t other_elements;                  /* updates of each other one, at most */
  struct report_list phases, waits, memory; /* where the file has them */
  struct report_list settings, machine;     /* of facts */
  struct report_list missing; /* int: processes without figures, where the file tells */
  struct report_list unknown; /* char *: members that are not understood */
  struct report_list texts;   /* char *: all that the others point to */
};

/* Read a file whole. What is in no order there is put in order: processes by number. */
int report_read(const char *path, struct report_profile *profile);
void report_free(struct report_profile *profile);

/* The number of a class's name; -1: there are too many. */
int report_class_number(struct report_profile *profile, const char *name);

/* What is not the program's time, and in which processes wait for others. */
bool report_is_wait(const char *class_name);
bool report_is_task(const char *class_name);

/* Of a process: all its threads' time; in the program, which has tasks; waiting; in other calls. */
struct report_shares {
  double all, program, waiting, calls;
};
struct report_shares report_shares_of(const struct report_profile *profile,
                                      const struct report_process *process);

/* Sums stay at the greatest number where they would pass it. */
uint64_t report_sum(uint64_t a, uint64_t b);

/* --- What rows have
 * ------------------------------------------------------------------------------------------- */

struct report_reader {
  const char *path;
  char *text;
  size_t size, at;
  struct report_profile *profile;
};

/* A list of the file, and what reads one row of it. */
struct report_rule {
  const char *member;
  int (*read)(struct report_reader *reader, const char *where, const json_t *row);
  bool required;
};
extern const struct report_rule report_rules[];
extern const size_t report_rule_count;

/* A member of an object that must be there. where: for the message. whole: without a fraction. */
int report_take_whole(struct report_reader *reader, const char *where, const json_t *object,
                      const char *member, uint64_t *value);
int report_take_number(struct report_reader *reader, const char *where, const json_t *object,
                       const char *member, double *value);
int report_take_text(struct report_reader *reader, const char *where, const json_t *object,
                     const char *member, const char **value);

/* A list of whole numbers: at least and at most so many, and how many it has. */
struct report_wholes {
  uint64_t *values;
  size_t least, most, count;
};
int report_take_wholes(const struct report_reader *reader, const char *where, const json_t *list,
                       const char *member, struct report_wholes *wholes);

/* The heat_map of an object, whose member may be missing. */
int report_take_heat_map(struct report_reader *reader, const char *where, const json_t *row,
                         struct report_heat_map **heat_map);
void report_heat_map_free(struct report_heat_map *heat_map);

/* A list of processes' numbers. */
int report_take_missing(struct report_reader *reader, const json_t *value);

/* An object with a member for each fact. */
int report_take_facts(struct report_reader *reader, const json_t *value, struct report_list *facts);

/* --- Texts, memory, messages
 * ------------------------------------------------------------------------------------------- */

void *report_allocate(size_t count, size_t size);
/* A new row at the end, all zeros. */
void *report_add(struct report_list *list, size_t size);

/* A text of the file without what terminals and pages cannot show; it lives as the profile does. */
const char *report_copy(struct report_profile *profile, const char *text);

/* Columns that a text takes. */
size_t report_columns(const char *text);

enum { REPORT_WORD = 40 };
void report_format_bytes(char word[REPORT_WORD], double bytes);
void report_format_seconds(char word[REPORT_WORD], double seconds);
void report_format_ratio(char word[REPORT_WORD], double before, double after);

int report_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
int report_misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* --- Paper
 * ------------------------------------------------------------------------------------------- */

struct report_paper {
  FILE *out;
  bool page;                    /* else text of 80 columns */
  size_t most;                  /* rows of a long list; the others are counted */
  struct report_list *contents; /* of facts: title and name of each section so far */
};

enum report_kind {
  REPORT_WORDS,
  REPORT_COUNT,
  REPORT_BYTES,
  REPORT_SECONDS,
  REPORT_SHARE, /* of 1 */
  REPORT_BAR,   /* of 1 */
  REPORT_RATIO  /* words, to the right */
};

/* width: in text; 0: the column is on pages only. Words come first. */
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

/* Of a long list: how many rows there is room for; and how many more it has, with what fewer. */
size_t report_shown(const struct report_paper *paper, size_t all);
void report_more(const struct report_paper *paper, size_t all, const char *what);

/* Tables that stand side by side on a page. */
void report_group(const struct report_paper *paper);
void report_group_end(const struct report_paper *paper);

/* Of a page: a text with its <, & and so on as names. */
void report_escape(FILE *out, const char *text);

/* --- Communication
 * ------------------------------------------------------------------------------------------- */

enum report_measure { REPORT_BY_BYTES, REPORT_BY_COUNT, REPORT_BY_TIME, REPORT_MEASURES };

/* Processes or nodes in cells: of `each` neighbours. */
struct report_matrix {
  size_t members, cells, each;
  double *value[REPORT_MEASURES]; /* [origin * cells + target] */
};

void report_matrix_make(struct report_matrix *matrix, const struct report_list *pairs,
                        size_t members, size_t most_cells);
void report_matrix_free(struct report_matrix *matrix);

/* The pairs of nodes; *left_out: operations of processes of which no node is known. */
void report_pairs_of_nodes(const struct report_profile *profile, struct report_list *pairs,
                           uint64_t *left_out);

/* Shades of cells: 0 for nothing, 1 for amounts from 0 on, up to REPORT_SHADES. Each shade ends at
 * a round number. All shades are equally wide, or where amounts differ much each ends at the same
 * multiple of the one before. Amounts within a factor of two have one shade: they are even. */
enum { REPORT_SHADES = 9, REPORT_EVEN_SHADE = 5 };
struct report_scale {
  double least, most; /* of cells that are not 0; most 0: all are */
  bool is_even;
  int shades;
  double end[REPORT_SHADES + 1]; /* of each shade */
};
struct report_scale report_scale_of(const double *value, size_t count, int measure);
int report_shade_of(const struct report_scale *scale, double value);

/* Returns the least round number that is not less than a positive value: a power of two for bytes,
 * else 1, 2 or 5 times a power of ten. */
double report_round_up(int measure, double value);

/* Writes an amount as "20 ms", "512 KiB", "300"; round ones without parts. */
void report_format_amount(char word[REPORT_WORD], int measure, double amount);

/* Says which amounts a shade has: "to 20 ms", or of an even scale "even: 6.8 KiB to 7 KiB". */
void report_describe_shade(char word[2 * REPORT_WORD + 16], const struct report_scale *scale,
                           int measure, int shade);

/* On a page: which measure is drawn is chosen without a script, by buttons before it, in CSS. */
extern const char *const report_measure_words[REPORT_MEASURES];
void report_draw_choice(FILE *out, const char *map, int measures);
void report_draw_cells(FILE *out, size_t rows, size_t columns, const double *value, int measure);
void report_draw_legend(FILE *out, const double *value, size_t count, int measure);

/* On a page. noun: "process". */
void report_draw_matrix(const struct report_paper *paper, const struct report_matrix *matrix,
                        const char *noun);
const char *report_colour_of(const struct report_profile *profile, int class_number);
void report_draw_processes(const struct report_paper *paper, const struct report_profile *profile);

/* --- The report
 * ------------------------------------------------------------------------------------------- */

void report_write(const struct report_paper *paper, struct report_profile *profile);
void report_write_calls(const struct report_paper *paper, const struct report_profile *profile);
void report_write_histograms(const struct report_paper *paper,
                             const struct report_profile *profile);

/* Of objects in this order: where in them operations went; and elements. */
void report_write_heat_maps(const struct report_paper *paper,
                            const struct report_object *const *order, size_t count);
void report_write_elements(const struct report_paper *paper, const struct report_profile *profile);

/* waits: classes of calls that the profile does not have yet get numbers. */
void report_write_waits(const struct report_paper *paper, struct report_profile *profile);
void report_write_memory(const struct report_paper *paper, const struct report_profile *profile);

/* What the profile does not have. */
void report_write_caveats(const struct report_paper *paper, const struct report_profile *profile);
void report_write_comparison(const struct report_paper *paper, struct report_profile *before,
                             struct report_profile *after);

/* "NGA_Get, build_fock, scf.c:120"; with the class where the name of the call is not known. */
void report_describe_site(char *text, size_t size, const struct report_site *site);

void report_page_begin(const struct report_paper *paper, const char *title);
void report_page_end(const struct report_paper *paper);

#endif
