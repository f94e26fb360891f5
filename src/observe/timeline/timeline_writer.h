/* The timeline of a run: what each thread of each process did when, in one file. Each process puts
 * its events in order and gives them to process 0 when it is its turn; a writer makes a file of
 * them.
 *
 * node_clocks.c         clocks of nodes begin when their machines do, and do not run at one rate
 * timeline_events.c     the events of this process, in order and with their texts, as process 0
 *                       is to hear of them
 * timeline_json.c       a timeline in the Trace Event Format, which Perfetto and Chrome open: a
 *                       process's number is
 * timeline_otf2.c       a timeline as an archive of the Open Trace Format 2, by its library,
 *                       which Vampir, ViTE and
 * timeline_otf2_none.c  where OTF2's library was not there when Causeway was built
 * timeline_report.c     the end of a run with CW_TIMELINE: process 0 writes the events of one
 *                       process after the other, so */
#ifndef CWI_TIMELINE_TIMELINE_WRITER_H
#define CWI_TIMELINE_TIMELINE_WRITER_H

#include "output/atomic_file.h"
#include "profile/profile_counters.h"
#include "timeline/node_clocks.h"

/* An event as process 0 hears of it. */
struct cwi_packed_event {
  uint64_t began, ended; /* nanoseconds since the run began, on the clock of process 0 */
  uint64_t bytes;
  uint32_t text; /* 0: none; of a call: the object's name; of a task: its function's */
  uint32_t call; /* name of the call, or 0 */
  int32_t target;
  int32_t what; /* as in struct cwi_timeline_event */
};

/* Words of an event in a file: its name and, for a call, its class and object, or NULL. */
struct cwi_event_words {
  const char *name, *class_name, *object;
};

/* Of a process, and of one of its threads. */
struct cwi_packed_process {
  int process, node;
  uint64_t threads, texts, text_bytes;
};
struct cwi_packed_thread {
  uint64_t number, events, dropped;
};

/* How times become those of process 0. */
struct cwi_timeline_clock {
  uint64_t began; /* the run, on the clock of process 0 */
  struct cwi_clock_sample samples[2];
};

/* A file that is being written. */
struct cwi_timeline_file {
  struct cwi_atomic_file whole;
  void *more;      /* the writer's own */
  uint64_t events; /* so far */
  uint64_t dropped;
  int process;
  uint64_t thread;
  bool has_died;       /* the events are those until then, */
  const char *missing; /* without processes "1, 2": numbers with commas between them */
};

/* One way to write it: one process after the other, its threads one after the other, the events of
 * each in the order in which they began; one that lies in another comes behind it. */
struct cwi_timeline_writer {
  const char *(*why_not)(void); /* a sentence: why nothing can be written; NULL: it can */
  /* Can it be written as things are now? 0, or errno. unique: of cwi_unique_name. */
  int (*attempt)(const char *name, const char *unique);
  /* 0, or errno. */
  int (*open)(struct cwi_timeline_file *file, const char *name, const char *unique);
  void (*process)(struct cwi_timeline_file *file, const struct cwi_packed_process *process);
  void (*thread)(struct cwi_timeline_file *file, const struct cwi_packed_thread *thread);
  void (*event)(struct cwi_timeline_file *file, const struct cwi_packed_event *event,
                const struct cwi_event_words *words);
  int (*close)(struct cwi_timeline_file *file);       /* 0, or errno */
  void (*drop)(const char *name, const char *unique); /* what one that has died had written */
};
extern const struct cwi_timeline_writer cwi_timeline_json, cwi_timeline_otf2;

/* --- Who tells: timeline_events.c ---------------------------------------------------------------
 */

/* What hears: process 0's file, or a message to it. */
struct cwi_timeline_receiver {
  cw_error (*process)(void *given, const struct cwi_packed_process *process, const char *texts);
  cw_error (*thread)(void *given, const struct cwi_packed_thread *thread);
  cw_error (*events)(void *given, const struct cwi_packed_event *events, size_t count);
};
enum { CWI_PACKED_EVENTS = 1024 }; /* events, at most */

/* The texts of this process's events; made before its turn. */
struct cwi_timeline_texts {
  struct cwi_hash_map numbers; /* what names an event -> its text's number */
  char *bytes;                 /* the texts, with their ends */
  size_t length, capacity, count;
};
void cwi_timeline_find_texts(struct cwi_timeline_texts *texts);
void cwi_timeline_free_texts(struct cwi_timeline_texts *texts);

/* Tell all that this process has. No thread is in a call. */
CWI_CHECKED cw_error cwi_timeline_send(const struct cwi_timeline_texts *texts,
                                       const struct cwi_timeline_clock *clock,
                                       const struct cwi_timeline_receiver *receiver, void *given);
#endif
