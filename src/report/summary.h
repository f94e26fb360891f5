/* The profile of a run: what the counters of all processes say together, in a file and on a screen;
 * and its timeline.
 *
 * report_profile.c  the beginning and the end of a run: who writes what
 * destination.c     where the profile, or the timeline, goes
 * witness.c         a process that sees another die
 * death.c           what they leave of a job that dies
 * parts.c           what witnesses tell, and who puts it together
 * summary.c         what one process has counted, and what another one's is added to
 * hottest.c         of a summary: the hottest block of an object, and element, in words
 * summary_waits.c   the longest waits in it
 * summary_memory.c  memory in the course of the run in it
 * parcel.c          a summary on its way from process to process
 * figures.c         what follows from a summary: shares, sums, the order of the hottest
 * advice.c          sentences that follow from figures
 * module.c          where an address lies
 * site_name.c       what a call of the program is called
 * source_libdw.c    functions, files and lines of addresses, from the programs' own tables
 * source_none.c     what stands in for that where elfutils' libdw is missing
 * json.c            the file
 * json_text.c       texts in it
 * whole_file.c      a file of which nobody sees a half
 * screen.c          the screen
 *
 * report_timeline.c the timeline: the beginning and the end of a run, and process 0's part
 * timeline_mine.c   the events of one process, in order
 * timeline_json.c   the file, for Perfetto and Chrome
 * timeline_otf2.c   the same as OTF2, for Vampir, ViTE and otf2-print
 * timeline_otf2_none.c  what stands in for that where its library is missing
 * whole_archive.c   an archive of OTF2 of which nobody sees a half
 * clocks.c          clocks of other nodes
 *
 * This header has the summary: of one process, or of several. */
#ifndef CWI_REPORT_SUMMARY_H
#define CWI_REPORT_SUMMARY_H

#include "base/map.h"
#include "link/links.h"
#include "profile/counters.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Calls of one name and class from one place of the program. */
struct cwi_place_row {
  uint32_t module; /* a text: the file of the program, or of a library */
  uint32_t symbol; /* a text: what the linker knows there, or "" */
  uint64_t offset; /* in the file as it was linked; 0: not known */
  uint32_t call_class;
  uint32_t call; /* a text: the name of the call, or "" */
  uint64_t calls, bytes, nanoseconds, longest;
  uint64_t clocked[CWI_POWERS];
};

struct cwi_object_row {
  uint32_t name;    /* a text */
  uint32_t undrawn; /* not 0: some of its operations lie in no cell of its chart */
  uint64_t operations, bytes, nanoseconds;
  uint64_t memory; /* bytes, at most at once, of each process for itself */
};

/* Where in an object its operations went. */
struct cwi_chart_row {
  uint32_t name; /* a text */
  uint32_t fill;
  struct cwi_chart chart;
  struct cwi_chart_cell *cells; /* as many as the chart has */
};

struct cwi_pair_row {
  int32_t origin, target;
  uint64_t operations, bytes, nanoseconds;
  uint64_t updates; /* of the operations: read-modify-writes */
};

/* A phase of the program: of all threads; least and most are of one process. */
struct cwi_phase_row {
  uint32_t path; /* a text */
  uint32_t processes;
  int32_t least_process, most_process;
  uint64_t number, nanoseconds, least, most;
  uint64_t inside[CWI_CALL_CLASSES];
};

struct cwi_process_row {
  int32_t process, node;
  uint64_t threads;
  uint64_t wall; /* nanoseconds */
  uint64_t time; /* the same of all threads, of each from its first call to its last */
  uint64_t operations, bytes;
  uint64_t calls[CWI_CALL_CLASSES], nanoseconds[CWI_CALL_CLASSES];
  struct cwi_usage usage;
};

/* Of the first process of a node. */
struct cwi_node_row {
  int32_t node, has_server;
  uint64_t memory; /* bytes that Causeway has handed out, at most at once */
  struct cwi_server_use server;
};

/* One of the longest waits. */
enum { CWI_MOST_WAITS = 64 };
struct cwi_wait_row {
  uint32_t module, symbol; /* texts, as a place has them */
  uint32_t phase;          /* a text; UINT32_MAX: it was in none */
  uint32_t call_class;
  int32_t process;
  uint32_t is_under_way; /* its process died in it */
  uint32_t call;         /* a text, as a place has it */
  uint32_t fill;
  uint64_t offset;
  uint64_t began, nanoseconds; /* since process 0's start */
  char whom[CWI_WHOM];         /* "": not known */
};

/* Memory of a process, a node, or of many of them together: in each step of so many nanoseconds
 * since process 0's start the most that each had at once. */
enum cwi_memory_of { CWI_MEMORY_OF_PROCESS, CWI_MEMORY_OF_NODE, CWI_MEMORY_KINDS };
enum { CWI_MEMORIES_APART = 64, CWI_MEMORY_TOGETHER = -1 };
struct cwi_memory_row {
  int32_t of, number; /* CWI_MEMORY_TOGETHER: of so many members */
  uint32_t members, used;
  uint64_t step;
  uint64_t least[CWI_SERIES], all[CWI_SERIES], most[CWI_SERIES];
};

/* Rows of one kind. */
struct cwi_row_list {
  void *rows;
  size_t count, capacity;
};

struct cwi_summary {
  struct cwi_operations operations[CWI_COUNTED][CWI_WHERES];
  uint64_t inner[CWI_CALL_CLASSES];
  struct cwi_row_list texts; /* char * */
  struct cwi_row_list places, objects, charts, pairs, processes, phases, nodes, waits, memories;
  struct cwi_sketch updated; /* elements that most read-modify-writes went to */
  struct cwi_map text_numbers, place_numbers, object_numbers, chart_numbers,
      phase_numbers; /* hash -> number + 1 */
  bool incomplete;   /* there was no memory for something */
};

#define CWI_ROWS(summary, list, type) ((type *)(summary)->list.rows)

const char *cwi_summary_text(const struct cwi_summary *summary, uint32_t number);

/* Of a text that it has from now on; without memory the number of none. */
uint32_t cwi_summary_text_number(struct cwi_summary *summary, const char *text);

/* Rows that are found by their key, or made; NULL: no memory. */
struct cwi_place_row *cwi_summary_place(struct cwi_summary *summary, const char *module,
                                        const char *symbol, uint64_t offset, const char *call,
                                        uint32_t call_class);
struct cwi_object_row *cwi_summary_object(struct cwi_summary *summary, const char *name);
struct cwi_phase_row *cwi_summary_phase(struct cwi_summary *summary, const char *path);
/* The chart of an object, or a new one; NULL: also where the object has one of another shape, or
 * there are too many. */
struct cwi_chart_row *cwi_summary_chart(struct cwi_summary *summary, const char *name,
                                        const struct cwi_chart *chart);

/* The chart of the object that is called so; NULL: there is none. name: a text. */
const struct cwi_chart_row *cwi_summary_chart_of(const struct cwi_summary *summary, uint32_t name);

/* Add what a sketch has, whose rows have these names. */
typedef const char *cwi_sketched_name(const void *names, const struct cwi_sketched *row);
void cwi_summary_add_sketch(struct cwi_summary *summary, const struct cwi_sketch *sketch,
                            cwi_sketched_name *name_of, const void *names);

void *cwi_list_add(struct cwi_summary *summary, struct cwi_row_list *list, size_t bytes);

/* Add all that this process has counted: no other thread counts. */
void cwi_summary_add_mine(struct cwi_summary *summary, int process, int node);

/* The same, while this process lives: what it takes of its machine; of its node, if it is the first
 * there. */
void cwi_summary_add_usage(struct cwi_summary *summary);
void cwi_summary_add_node(struct cwi_summary *summary, int node);

/* Add what a place, or an operation, of another process has. */
void cwi_add_place(struct cwi_place_row *sum, const struct cwi_place_row *row);
void cwi_add_phase(struct cwi_phase_row *sum, const struct cwi_phase_row *row);
void cwi_add_operations(struct cwi_summary *sum, const struct cwi_operations *operations,
                        const uint64_t *inner);

/* The longest waits of this process; those of another summary. In order: the longest first, and no
 * more than CWI_MOST_WAITS. */
void cwi_summary_add_waits(struct cwi_summary *summary, int process);
void cwi_waits_merge(struct cwi_summary *sum, const struct cwi_wait_row *row, const char *module,
                     const char *symbol, const char *phase, const char *call);
void cwi_waits_sort(struct cwi_row_list *waits);

/* What this process, or its node, had of memory in the course of the run; that of others. */
void cwi_summary_add_series(struct cwi_summary *summary, enum cwi_memory_of of, int number);
void cwi_memory_merge(struct cwi_summary *sum, const struct cwi_memory_row *row);

void cwi_summary_free(struct cwi_summary *summary);

#ifdef __cplusplus
}
#endif
#endif
