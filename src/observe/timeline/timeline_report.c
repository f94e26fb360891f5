/* Start and end of a run with CW_TIMELINE. Process 0 receives and writes the events of one process
 * after the other, so that its memory does not grow with their number. If processes die, a crash
 * reporter does the same with their partial profiles (crash_report.c). */
#include "timeline/timeline_report.h"

#include "base/log.h"
#include "mpi/collective_yield.h"
#include "report/crash_reporter.h"
#include "report/destination.h"
#include "summary/packed_summary.h"
#include "team/world.h"
#include "timeline/timeline_writer.h"

#include <causeway/profile.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct cwi_destination destination;
static const struct cwi_timeline_writer *writer;
static bool keeping;                          /* this world keeps a timeline */
static uint64_t began;                        /* start of the run on the clock of process 0 */
static struct cwi_clock_sample *samples[2];   /* by node: at the start and at the end of the run */
static struct cwi_timeline_clock begin_clock; /* the clock of this node at the start of the run */

/* --- The start -------------------------------------------------------------------------------- */

/* Chooses the format by the ending of the name. */
static const struct cwi_timeline_writer *writer_of(const char *name)
{
  static const char ending[] = ".otf2";
  const size_t length = strlen(name), end = sizeof ending - 1;
  const bool is_otf2 = length >= end && strcmp(name + length - end, ending) == 0;
  return is_otf2 ? &cwi_timeline_otf2 : &cwi_timeline_json;
}

static const char what[] = "CW_TIMELINE: the timeline";

/* Returns true if the timeline and the profile would be written to the same file. */
static bool is_of_profile(void)
{
  const char *name = cwi_settings_text(cwi_settings.timeline);
  return strcmp(name, "1") != 0 && strcmp(name, "/dev/null") != 0 && cwi_settings.profile != 0 &&
         strcmp(name, cwi_settings_text(cwi_settings.profile)) == 0;
}

/* Returns true if process 0 can write a timeline. */
static bool can_write(void)
{
  const char *why_not = writer->why_not();
  if (is_of_profile())
    why_not = "CW_PROFILE names the same file";
  for (int i = 0; i < 2 && why_not == NULL; i++)
    if ((samples[i] = calloc((size_t)cwi_world.nodes, sizeof *samples[i])) == NULL)
      why_not = "no memory";
  if (why_not != NULL)
    cwi_log(CWI_LOG_WARNING, "CW_TIMELINE: no timeline will be written to '%s': %s",
            destination.shown, why_not);
  else
    cwi_destination_failed(&destination, what,
                           writer->attempt(destination.file, destination.unique), true);
  return why_not == NULL;
}

static void forget(void)
{
  for (int i = 0; i < 2; i++) {
    free(samples[i]);
    samples[i] = NULL;
  }
}

/* Sends the clock samples to all nodes, because processes that die cannot take another sample. */
static cw_error learn_clock(void)
{
  enum { AT_ONCE = 64 };
  struct cwi_clock_sample few[AT_ONCE] = {{0, 0, 0}};
  const MPI_Comm comm = cwi_world.team->internal;
  CWI_TRY(cwi_mpi_bcast(&began, sizeof began, MPI_BYTE, 0, comm));
  for (int first = 0; first < cwi_world.nodes; first += AT_ONCE) {
    const int left = cwi_world.nodes - first, count = left < AT_ONCE ? left : AT_ONCE;
    if (cwi_world.process == 0)
      memcpy(few, samples[0] + first, (size_t)count * sizeof few[0]);
    CWI_TRY(cwi_mpi_bcast(few, count * (int)sizeof few[0], MPI_BYTE, 0, comm));
    if (cwi_world.node >= first && cwi_world.node < first + count)
      begin_clock.samples[0] = begin_clock.samples[1] = few[cwi_world.node - first];
  }
  begin_clock.began = began;
  return CW_OK;
}

cw_error cwi_timeline_watch(void)
{
  const struct cwi_destination_rule rule = {cwi_settings_text(cwi_settings.timeline),
                                            ".timeline.json", true};
  int is_possible = 0;
  keeping = false;
  if (cwi_settings.timeline == 0)
    return CW_OK;
  began = cwi_nanoseconds();
  CWI_TRY(cwi_destination_agree(&destination, &rule));
  writer = writer_of(destination.shown);
  if (cwi_world.process == 0)
    is_possible = can_write();
  CWI_TRY(cwi_mpi_bcast(&is_possible, 1, MPI_INT, 0, cwi_world.team->internal));
  keeping = is_possible != 0;
  if (!keeping) {
    forget();
    return CW_OK;
  }
  CWI_TRY(cwi_clocks_sample(samples[0], cwi_world.team->internal));
  CWI_TRY(learn_clock());
  CWI_TRY(cwi_destination_begin(&destination));
  cwi_timeline_start();
  return CW_OK;
}

/* --- Writing on process 0 --------------------------------------------------------------------- */

/* State of writing. `texts` belong to the process whose events are being received. */
struct received_timeline {
  struct cwi_timeline_file file;
  bool is_open;
  const char **texts; /* NULL if there was no memory */
  uint64_t count;
};

static cw_error write_process(void *given, const struct cwi_packed_process *process,
                              const char *texts)
{
  struct received_timeline *received = given;
  const char *const end = texts != NULL ? texts + process->text_bytes : NULL;
  free(received->texts);
  received->count = 0;
  received->texts = texts != NULL ? calloc(process->texts + 1, sizeof *received->texts) : NULL;
  for (; received->texts != NULL && received->count < process->texts && texts < end;
       texts += strlen(texts) + 1)
    received->texts[received->count++] = texts;
  received->file.process = process->process;
  writer->process(&received->file, process);
  return CW_OK;
}

static cw_error write_thread(void *given, const struct cwi_packed_thread *thread)
{
  struct received_timeline *received = given;
  received->file.thread = thread->number;
  received->file.dropped += thread->dropped;
  writer->thread(&received->file, thread);
  return CW_OK;
}

static const char *text_of(const struct received_timeline *received, uint32_t number)
{
  return number > 0 && number <= received->count ? received->texts[number - 1] : NULL;
}

static struct cwi_event_words words_of(const struct received_timeline *received,
                                       const struct cwi_packed_event *event)
{
  const char *text = text_of(received, event->text), *call = text_of(received, event->call);
  const char *class_name = cw_call_class_word((cw_call_class)event->what);
  if (event->what < CW_CALL_TASK)
    return (struct cwi_event_words){call != NULL ? call : class_name, class_name, text};
  return (struct cwi_event_words){text != NULL ? text : class_name, NULL, NULL};
}

static cw_error write_events(void *given, const struct cwi_packed_event *events, size_t count)
{
  struct received_timeline *received = given;
  for (size_t i = 0; i < count; i++) {
    const struct cwi_event_words words = words_of(received, &events[i]);
    writer->event(&received->file, &events[i], &words);
  }
  received->file.events += count;
  return CW_OK;
}

static const struct cwi_timeline_receiver file_receiver = {write_process, write_thread,
                                                           write_events};

/* --- From process to process ------------------------------------------------------------------ */

/* Message by which process 0 requests a process's events. */
struct timeline_request {
  struct cwi_timeline_clock clock;
  uint64_t is_wanted;
};

static cw_error send_process(void *given, const struct cwi_packed_process *process,
                             const char *texts)
{
  (void)given;
  CWI_TRY(cwi_bytes_send(process, sizeof *process, 0, cwi_world.team->internal));
  return cwi_bytes_send(texts, process->text_bytes, 0, cwi_world.team->internal);
}

static cw_error send_thread(void *given, const struct cwi_packed_thread *thread)
{
  (void)given;
  return cwi_bytes_send(thread, sizeof *thread, 0, cwi_world.team->internal);
}

static cw_error send_events(void *given, const struct cwi_packed_event *events, size_t count)
{
  (void)given;
  return cwi_bytes_send(events, count * sizeof *events, 0, cwi_world.team->internal);
}

static const struct cwi_timeline_receiver message_receiver = {send_process, send_thread,
                                                              send_events};

/* Waits until process 0 requests this process's events and then sends them, unless there is no
 * file. */
static cw_error send_when_requested(void)
{
  struct cwi_timeline_texts texts = {.bytes = NULL};
  struct timeline_request request;
  cwi_timeline_find_texts(&texts);
  cw_error error = cwi_bytes_receive(&request, sizeof request, 0, cwi_world.team->internal);
  if (error == CW_OK && request.is_wanted != 0)
    error = cwi_timeline_send(&texts, &request.clock, &message_receiver, NULL);
  cwi_timeline_free_texts(&texts);
  return error;
}

/* The source of a process's events: messages or its partial profile. */
struct timeline_source {
  cw_error (*take)(const struct timeline_source *source, void *to, uint64_t bytes);
  int process; /* the process that sends */
  FILE *file;  /* its partial profile; NULL if it sends messages */
};

static cw_error timeline_take_message(const struct timeline_source *source, void *to,
                                      uint64_t bytes)
{
  return cwi_bytes_receive(to, bytes, source->process, cwi_world.team->internal);
}

static cw_error receive_threads(struct received_timeline *received,
                                const struct timeline_source *source, uint64_t threads)
{
  static struct cwi_packed_event events[CWI_PACKED_EVENTS];
  for (uint64_t i = 0; i < threads; i++) {
    struct cwi_packed_thread thread;
    CWI_TRY(source->take(source, &thread, sizeof thread));
    CWI_TRY(write_thread(received, &thread));
    for (uint64_t got = 0; got < thread.events;) {
      const uint64_t left = thread.events - got,
                     count = left < CWI_PACKED_EVENTS ? left : CWI_PACKED_EVENTS;
      CWI_TRY(source->take(source, events, count * sizeof *events));
      CWI_TRY(write_events(received, events, count));
      got += count;
    }
  }
  return CW_OK;
}

/* Returns true if the part belongs to the expected process and is not longer than its file. */
static bool is_sound_part(const struct timeline_source *source,
                          const struct cwi_packed_process *head)
{
  struct stat file;
  return head->process == source->process && head->node >= 0 && head->node < cwi_world.nodes &&
         fstat(fileno(source->file), &file) == 0 && head->text_bytes <= (uint64_t)file.st_size &&
         head->texts <= head->text_bytes;
}

/* Receives a process's head, texts and threads, and writes them. A damaged part is an error. */
static cw_error receive_process(struct received_timeline *received,
                                const struct timeline_source *source)
{
  struct cwi_packed_process head;
  CWI_TRY(source->take(source, &head, sizeof head));
  if (source->file != NULL && !is_sound_part(source, &head))
    return cwi_outside("a part of the timeline is damaged");
  char *texts = malloc(head.text_bytes + 1);
  cw_error error = source->take(source, texts, head.text_bytes);
  if (texts != NULL)
    texts[head.text_bytes] = '\0'; /* ends the texts of a damaged part */
  if (error == CW_OK)
    error = write_process(received, &head, texts);
  if (error == CW_OK)
    error = receive_threads(received, source, head.threads);
  free(texts);
  return error;
}

static cw_error request_and_receive(struct received_timeline *received, int process)
{
  const int node = cwi_world.node_of[process];
  const struct timeline_request request = {{began, {samples[0][node], samples[1][node]}},
                                           received->is_open};
  const struct timeline_source source = {.take = timeline_take_message, .process = process};
  CWI_TRY(cwi_bytes_send(&request, sizeof request, process, cwi_world.team->internal));
  return received->is_open ? receive_process(received, &source) : CW_OK;
}

/* --- The end ---------------------------------------------------------------------------------- */

static void report_file(const struct cwi_timeline_file *file)
{
  struct cwi_write_signals signals;
  cwi_write_signals_block(&signals);
  fprintf(stderr, "---- timeline, %llu events%s%s%s: %s\n", (unsigned long long)file->events,
          file->has_died ? " until the job has died" : "",
          file->has_died && file->missing[0] != '\0' ? ", without processes " : "",
          file->has_died ? file->missing : "", destination.shown);
  cwi_write_signals_restore(&signals);
  if (file->dropped > 0)
    cwi_log(CWI_LOG_WARNING,
            "CW_TIMELINE: %llu events were dropped, the oldest ones of threads that had more than "
            "CW_TIMELINE_EVENTS=%ld, and all of those that had too little memory",
            (unsigned long long)file->dropped, cwi_settings.timeline_events);
}

static cw_error timeline_receive_all(struct received_timeline *received)
{
  const struct cwi_timeline_clock clock = {.began = began};
  struct cwi_timeline_texts texts = {.bytes = NULL};
  cw_error error = CW_OK;
  cwi_timeline_find_texts(&texts);
  if (received->is_open)
    error = cwi_timeline_send(&texts, &clock, &file_receiver, received);
  for (int process = 1; process < cwi_world.processes && error == CW_OK; process++)
    error = request_and_receive(received, process);
  cwi_timeline_free_texts(&texts);
  free(received->texts);
  return error;
}

static cw_error write_timeline(void)
{
  struct received_timeline received = {.is_open = false};
  int code = writer->open(&received.file, destination.file, destination.unique);
  received.is_open = code == 0;
  const cw_error error = timeline_receive_all(&received);
  if (received.is_open)
    code = writer->close(&received.file);
  if (code != 0)
    cwi_destination_failed(&destination, what, code, false);
  else
    report_file(&received.file);
  return error;
}

void cwi_timeline_keep_phases(void)
{
  for (struct cwi_profiled_thread *thread = keeping ? cwi_profiled_next(NULL) : NULL;
       thread != NULL; thread = cwi_profiled_next(thread))
    cwi_phases_keep_open(thread);
}

cw_error cwi_timeline_report(void)
{
  if (!keeping)
    return CW_OK;
  cw_error error = cwi_clocks_sample(samples[1], cwi_world.team->internal);
  if (error == CW_OK)
    error = cwi_world.process == 0 ? write_timeline() : send_when_requested();
  if (error == CW_OK)
    cwi_destination_reported(&destination);
  forget();
  return error;
}

/* --- Processes that die ----------------------------------------------------------------------- */

const struct cwi_destination *cwi_timeline_destination(void)
{
  return keeping ? &destination : NULL;
}

bool cwi_timeline_is_done(bool is_first)
{
  return !keeping || cwi_destination_is_done(&destination, is_first);
}

void cwi_timeline_drop_half(void)
{
  if (keeping)
    writer->drop(destination.file, destination.unique);
}

static cw_error leave_process(void *given, const struct cwi_packed_process *process,
                              const char *texts)
{
  fwrite(process, sizeof *process, 1, given);
  if (process->text_bytes > 0)
    fwrite(texts, 1, process->text_bytes, given);
  return CW_OK;
}

static cw_error leave_thread(void *given, const struct cwi_packed_thread *thread)
{
  cwi_crash_reporter_extend(); /* its events may be many */
  fwrite(thread, sizeof *thread, 1, given);
  return CW_OK;
}

static cw_error leave_events(void *given, const struct cwi_packed_event *events, size_t count)
{
  fwrite(events, sizeof *events, count, given);
  return CW_OK;
}

static const struct cwi_timeline_receiver part_receiver = {leave_process, leave_thread,
                                                           leave_events};

/* Errors of fwrite are found when the file is closed. */
void cwi_timeline_write_part(FILE *out)
{
  struct cwi_timeline_texts texts = {.bytes = NULL};
  cwi_timeline_seal();
  for (struct cwi_profiled_thread *thread = cwi_profiled_next(NULL); thread != NULL;
       thread = cwi_profiled_next(thread))
    cwi_timeline_settle(thread);
  cwi_timeline_find_texts(&texts);
  const cw_error sent = cwi_timeline_send(&texts, &begin_clock, &part_receiver, out);
  (void)sent;
  cwi_timeline_free_texts(&texts);
}

static cw_error timeline_take_part(const struct timeline_source *source, void *to, uint64_t bytes)
{
  return to != NULL && fread(to, 1, bytes, source->file) == bytes
             ? CW_OK
             : cwi_outside("a part of the timeline cannot be read");
}

/* Writes the parts of all processes. A damaged part contributes the events before the damage, and
 * its process is listed in `missing`. */
static void exchange_contributions(struct received_timeline *received,
                                   const struct cwi_partial_profiles *parts, FILE *missing)
{
  const char *comma = "";
  for (int process = 0; process < parts->processes; process++) {
    const struct timeline_source source = {.take = timeline_take_part,
                                           .process = process,
                                           .file = cwi_partial_profile_open(parts, process)};
    cwi_crash_reporter_extend();
    if (source.file == NULL || receive_process(received, &source) != CW_OK) {
      fprintf(missing, "%s%d", comma, process);
      comma = ", ";
    }
    if (source.file != NULL)
      fclose(source.file);
  }
  free(received->texts);
}

void cwi_timeline_write_left(const struct cwi_partial_profiles *parts)
{
  struct received_timeline received = {.file = {.has_died = true}};
  char *missing = NULL;
  size_t length = 0;
  FILE *list = open_memstream(&missing, &length);
  int code = writer->why_not() != NULL || list == NULL ? ENOTSUP : 0;
  if (code == 0)
    code = writer->open(&received.file, destination.file, destination.unique);
  if (code == 0) {
    exchange_contributions(&received, parts, list);
    fflush(list);
    received.file.missing = missing;
    code = writer->close(&received.file);
  }
  if (code != 0)
    cwi_destination_failed(&destination, what, code, false);
  else
    report_file(&received.file);
  if (list != NULL)
    fclose(list);
  free(missing);
}
