/* The profile of a run: what the counters of all processes say together, in a file and on a screen;
 * and its timeline.
 *
 * advice.c          advice: what a measured figure says that the program, or its settings, could
 *                   do
 * figures.c         sums, shares and orders of a summary
 * hottest.c         the hottest block of an object, and the hottest element, in words
 * packed_summary.c  a summary on its way from process to process: all have the same machine's
 *                   numbers
 * summary.c         what one process has counted, as rows that can be added to those of others
 * summary_memory.c  of a summary: how much memory its processes and nodes had in the course of
 *                   the run
 * summary_waits.c   of a summary: the longest waits of its processes, no more than CWI_MOST_WAITS
 *
 * This header has the summary: of one process, or of several. */
#ifndef CWI_SUMMARY_SUMMARY_H
#define CWI_SUMMARY_SUMMARY_H

#include "base/hash_map.h"
#include "link/link.h"
#include "profile/profile_counters.h"

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
  uint32_t undrawn; /* not 0: some of its operations lie in no cell of its heat_map */
  uint64_t operations, bytes, nanoseconds;
  uint64_t memory; /* bytes, at most at once, of each process for itself */
};

/* Where in an object its operations went. */
struct cwi_heat_map_row {
  uint32_t name; /* a text */
  uint32_t fill;
  struct cwi_heat_map heat_map;
  struct cwi_heat_map_cell *cells; /* as many as the heat_map has */
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
  uint64_t least[CWI_TIME_SERIES], all[CWI_TIME_SERIES], most[CWI_TIME_SERIES];
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
  struct cwi_row_list places, objects, heat_maps, pairs, processes, phases, nodes, waits, memories;
  struct cwi_top_k updated; /* elements that most read-modify-writes went to */
  struct cwi_hash_map text_numbers, place_numbers, object_numbers, heat_map_numbers,
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
/* The heat_map of an object, or a new one; NULL: also where the object has one of another shape, or
 * there are too many. */
struct cwi_heat_map_row *cwi_summary_heat_map(struct cwi_summary *summary, const char *name,
                                              const struct cwi_heat_map *heat_map);

/* The heat_map of the object that is called so; NULL: there is none. name: a text. */
const struct cwi_heat_map_row *cwi_summary_heat_map_of(const struct cwi_summary *summary,
                                                       uint32_t name);

/* Add what a top_k has, whose rows have these names. */
typedef const char *cwi_top_k_name(const void *names, const struct cwi_top_k_entry *row);
void cwi_summary_add_top_k(struct cwi_summary *summary, const struct cwi_top_k *top_k,
                           cwi_top_k_name *name_of, const void *names);

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
void cwi_summary_add_time_series(struct cwi_summary *summary, enum cwi_memory_of of, int number);
void cwi_memory_merge(struct cwi_summary *sum, const struct cwi_memory_row *row);

void cwi_summary_free(struct cwi_summary *summary);
#endif
