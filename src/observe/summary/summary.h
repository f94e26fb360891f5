/* The summary of a profile: what one process, or several together, have counted.
 *
 * advice.c          advice: what the program or its settings could do better
 * figures.c         sums, shares and sort orders of a summary
 * hottest.c         the hottest block of an object and the hottest element, in words
 * packed_summary.c  packs a summary into bytes and merges those of all processes
 * summary.c         what one process has counted, as rows that can be added to those of others
 * summary_memory.c  the memory of processes and nodes in the course of the run
 * summary_waits.c   the longest waits, at most CWI_MOST_WAITS */
#pragma once

#include "base/hash_map.h"
#include "link/link.h"
#include "profile/profile_counters.h"

/* Calls of one name and class from one place of the program. Rows hold texts by their number. */
struct cwi_place_row {
  uint32_t module; /* text: the file of the program or of a library */
  uint32_t symbol; /* text: the symbol that the dynamic linker knows there, or "" */
  uint64_t offset; /* relative to the load address of the file; 0 if unknown */
  uint32_t call_class;
  uint32_t call; /* text: the name of the call, or "" */
  uint64_t calls, bytes, nanoseconds, longest;
  uint64_t clocked[CWI_POWERS];
};

struct cwi_object_row {
  uint32_t name;    /* text */
  uint32_t undrawn; /* not 0 if some of its operations are in no cell of its heat map */
  uint64_t operations, bytes, nanoseconds;
  uint64_t memory; /* largest number of bytes at once, added up over the processes */
};

/* Distribution of the operations over an object. */
struct cwi_heat_map_row {
  uint32_t name; /* text */
  uint32_t fill;
  struct cwi_heat_map heat_map;
  struct cwi_heat_map_cell *cells; /* as many as the heat map has */
};

struct cwi_pair_row {
  int32_t origin, target;
  uint64_t operations, bytes, nanoseconds;
  uint64_t updates; /* number of read-modify-writes among the operations */
};

/* A phase of the program on all threads. `least` and `most` are the times of single processes. */
struct cwi_phase_row {
  uint32_t path; /* text */
  uint32_t processes;
  int32_t least_process, most_process;
  uint64_t number, nanoseconds, least, most;
  uint64_t inside[CWI_CALL_CLASSES];
};

struct cwi_process_row {
  int32_t process, node;
  uint64_t threads;
  uint64_t wall; /* nanoseconds */
  uint64_t time; /* nanoseconds of all threads, each from its first call to its last */
  uint64_t operations, bytes;
  uint64_t calls[CWI_CALL_CLASSES], nanoseconds[CWI_CALL_CLASSES];
  struct cwi_usage usage;
};

/* Figures of a node, from its first process. */
struct cwi_node_row {
  int32_t node, has_server;
  uint64_t memory; /* most bytes that Causeway had allocated at once */
  struct cwi_server_use server;
};

/* One of the longest waits. */
enum { CWI_MOST_WAITS = 64 };
struct cwi_wait_row {
  uint32_t module, symbol; /* texts, as in a place */
  uint32_t phase;          /* text; UINT32_MAX if it was in no phase */
  uint32_t call_class;
  int32_t process;
  uint32_t is_under_way; /* the process died during this wait */
  uint32_t call;         /* text, as in a place */
  uint32_t fill;
  uint64_t offset;
  uint64_t began, nanoseconds; /* nanoseconds; `began` counts from process 0's start */
  char whom[CWI_WHOM];         /* what it waited for; "" if unknown */
};

/* Memory of a process, of a node, or of many of them together: the most that each had at once in
 * each step. A step lasts `step` nanoseconds; the first begins with process 0's start. */
enum cwi_memory_of { CWI_MEMORY_OF_PROCESS, CWI_MEMORY_OF_NODE, CWI_MEMORY_KINDS };
enum { CWI_MEMORIES_APART = 64, CWI_MEMORY_TOGETHER = -1 };
struct cwi_memory_row {
  int32_t of, number; /* the number is CWI_MEMORY_TOGETHER if the row sums up `members` members */
  uint32_t members, used;
  uint64_t step;
  uint64_t least[CWI_TIME_SERIES], all[CWI_TIME_SERIES], most[CWI_TIME_SERIES];
};

/* Rows of one kind, in a growing array. */
struct cwi_row_list {
  void *rows;
  size_t count, capacity;
};

struct cwi_summary {
  struct cwi_operations operations[CWI_COUNTED][CWI_WHERES];
  uint64_t inner[CWI_CALL_CLASSES];
  struct cwi_row_list texts; /* rows are char *, owned by the summary */
  struct cwi_row_list places, objects, heat_maps, pairs, processes, phases, nodes, waits, memories;
  struct cwi_top_k updated; /* elements with the most read-modify-writes */
  struct cwi_hash_map text_numbers, place_numbers, object_numbers, heat_map_numbers,
      phase_numbers; /* hash -> number of the row + 1 */
  bool incomplete;   /* something is missing, because memory was short or a part is damaged */
};

#define CWI_ROWS(summary, list, type) ((type *)(summary)->list.rows)

const char *cwi_summary_text(const struct cwi_summary *summary, uint32_t number);

/* Returns the number of a text, which is copied if it is new; UINT32_MAX if there is no memory. */
uint32_t cwi_summary_text_number(struct cwi_summary *summary, const char *text);

/* These find a row by its key or make it. They return NULL if there is no memory. Rows move when
 * further ones are made. */
struct cwi_place_row *cwi_summary_place(struct cwi_summary *summary, const char *module,
                                        const char *symbol, uint64_t offset, const char *call,
                                        uint32_t call_class);
struct cwi_object_row *cwi_summary_object(struct cwi_summary *summary, const char *name);
struct cwi_phase_row *cwi_summary_phase(struct cwi_summary *summary, const char *path);
/* Returns the heat map of an object, or a new one. Returns NULL if the object has one of another
 * shape, if there are too many, or if there is no memory. */
struct cwi_heat_map_row *cwi_summary_heat_map(struct cwi_summary *summary, const char *name,
                                              const struct cwi_heat_map *heat_map);

/* Returns the heat map of the object whose name is the text `name`, or NULL if there is none. */
const struct cwi_heat_map_row *cwi_summary_heat_map_of(const struct cwi_summary *summary,
                                                       uint32_t name);

/* Adds the entries of a top-k counter. name_of returns the name of an entry's object from `names`.
 */
typedef const char *cwi_top_k_name(const void *names, const struct cwi_top_k_entry *row);
void cwi_summary_add_top_k(struct cwi_summary *summary, const struct cwi_top_k *top_k,
                           cwi_top_k_name *name_of, const void *names);

/* Adds a zeroed row of `bytes` bytes. Returns NULL and marks the summary incomplete if there is no
 * memory. */
void *cwi_list_add(struct cwi_summary *summary, struct cwi_row_list *list, size_t bytes);

/* Adds all that this process has counted. No other thread may be counting. */
void cwi_summary_add_mine(struct cwi_summary *summary, int process, int node);

/* cwi_summary_add_usage adds the resources that this process has used. A crash reporter does not
 * call it, because a dead process has none. cwi_summary_add_node adds the figures of a node; the
 * node's first process calls it. */
void cwi_summary_add_usage(struct cwi_summary *summary);
void cwi_summary_add_node(struct cwi_summary *summary, int node);

/* Add a row of another process to the sum. */
void cwi_add_place(struct cwi_place_row *sum, const struct cwi_place_row *row);
void cwi_add_phase(struct cwi_phase_row *sum, const struct cwi_phase_row *row);
void cwi_add_operations(struct cwi_summary *sum, const struct cwi_operations *operations,
                        const uint64_t *inner);

/* cwi_summary_add_waits adds the longest waits of this process, cwi_waits_merge one of another
 * summary. cwi_waits_sort sorts them, the longest first, and keeps at most CWI_MOST_WAITS. */
void cwi_summary_add_waits(struct cwi_summary *summary, int process);
void cwi_waits_merge(struct cwi_summary *sum, const struct cwi_wait_row *row, const char *module,
                     const char *symbol, const char *phase, const char *call);
void cwi_waits_sort(struct cwi_row_list *waits);

/* cwi_summary_add_time_series adds the memory of this process or node in the course of the run;
 * cwi_memory_merge adds a row of another summary. */
void cwi_summary_add_time_series(struct cwi_summary *summary, enum cwi_memory_of of, int number);
void cwi_memory_merge(struct cwi_summary *sum, const struct cwi_memory_row *row);

void cwi_summary_free(struct cwi_summary *summary);
