/* The timeline of a run: what each thread of each process did, and when, in one file. The processes
 * take turns: each sorts its events and sends them to process 0, where a writer writes them into
 * the file.
 *
 * node_clocks.c         reads the clocks of the nodes and converts their times to process 0's
 * timeline_events.c     sorts the events of this process and sends them with their texts
 * timeline_json.c       writes the Trace Event Format, which Perfetto and Chrome open
 * timeline_otf2.c       writes an archive of the Open Trace Format 2 with its library
 * timeline_otf2_none.c  stands in for timeline_otf2.c if OTF2's library was missing
 * timeline_report.c     start and end of a run with CW_TIMELINE */
#pragma once

#include "output/atomic_file.h"
#include "output/json.h"
#include "profile/profile_counters.h"
#include "timeline/node_clocks.h"

/* An event as it is sent to process 0. */
struct cwi_packed_event {
  uint64_t began, ended; /* nanoseconds since the run began, on the clock of process 0 */
  uint64_t bytes;
  uint32_t text; /* number of a text: the object's name for a call, the function's for a task; 0 if
                    there is none */
  uint32_t call; /* name of the call, or 0 */
  int32_t target;
  int32_t what; /* as in struct cwi_timeline_event */
};

/* Texts of an event in a file: its name and, for a call, its class and its object. class_name is
 * NULL if the event is no call; object may be NULL for a call, too. */
struct cwi_event_words {
  const char *name, *class_name, *object;
};

/* Headers of the data of a process and of one of its threads, as they are sent. */
struct cwi_packed_process {
  int process, node;
  uint64_t threads, texts, text_bytes;
};
struct cwi_packed_thread {
  uint64_t number, events, dropped;
};

/* Converts times of a process to the clock of process 0. */
struct cwi_timeline_clock {
  uint64_t began; /* start of the run, on the clock of process 0 */
  struct cwi_clock_sample samples[2];
};

/* A file that is being written. */
struct cwi_timeline_file {
  struct cwi_atomic_file whole;
  struct cwi_json json; /* of timeline_json.c */
  void *more;           /* the state of another writer */
  uint64_t events;      /* number written so far */
  uint64_t dropped;
  int process;
  uint64_t thread;
  bool has_died;       /* the job died; the events are those until then */
  const char *missing; /* processes without events: numbers with commas between them */
};

/* A file format. The writer receives one process after the other, its threads one after the other,
 * and the events of each thread in the order in which they began. An event that contains another
 * one comes first. */
struct cwi_timeline_writer {
  const char *(*why_not)(void); /* reason why nothing can be written, or NULL */
  /* Returns 0 if the file could be written now; otherwise returns errno. unique: made by
   * cwi_unique_name. */
  int (*attempt)(const char *name, const char *unique);
  /* Returns 0 or errno. */
  int (*open)(struct cwi_timeline_file *file, const char *name, const char *unique);
  void (*process)(struct cwi_timeline_file *file, const struct cwi_packed_process *process);
  void (*thread)(struct cwi_timeline_file *file, const struct cwi_packed_thread *thread);
  void (*event)(struct cwi_timeline_file *file, const struct cwi_packed_event *event,
                const struct cwi_event_words *words);
  int (*close)(struct cwi_timeline_file *file); /* returns 0 or errno */
  void (*drop)(const char *name,
               const char *unique); /* removes the unfinished file of a process that died */
};
extern const struct cwi_timeline_writer cwi_timeline_json, cwi_timeline_otf2;

/* --- Sending: timeline_events.c --------------------------------------------------------------- */

/* Receives the events of a process: it writes them into the file of process 0, into a part, or into
 * messages. */
struct cwi_timeline_receiver {
  cw_error (*process)(void *given, const struct cwi_packed_process *process, const char *texts);
  cw_error (*thread)(void *given, const struct cwi_packed_thread *thread);
  cw_error (*events)(void *given, const struct cwi_packed_event *events, size_t count);
};
enum { CWI_PACKED_EVENTS = 1024 }; /* events in one call, at most */

/* The texts of this process's events. They are collected before its turn. */
struct cwi_timeline_texts {
  struct cwi_hash_map numbers; /* key of an event's name or call site -> number of its text */
  char *bytes;                 /* the texts with their final zeros */
  size_t length, capacity, count;
};
void cwi_timeline_find_texts(struct cwi_timeline_texts *texts);
void cwi_timeline_free_texts(struct cwi_timeline_texts *texts);

/* Passes all events of this process to the receiver. No thread may be in a call. */
CWI_CHECKED cw_error cwi_timeline_send(const struct cwi_timeline_texts *texts,
                                       const struct cwi_timeline_clock *clock,
                                       const struct cwi_timeline_receiver *receiver, void *given);
