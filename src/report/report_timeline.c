/* The end of a run with CW_TIMELINE: process 0 writes the events of one process after the other, so
 * that it needs no more memory for a thousand of them than for two. */
#include "report/report_timeline.h"

#include "base/log.h"
#include "mpi/call.h"
#include "mpi/yield.h"
#include "report/destination.h"
#include "report/parcel.h"
#include "report/timeline.h"
#include "team/world.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct cwi_destination destination;
static const struct cwi_timeline_writer *writer;
static bool keeping;                    /* in this world */
static uint64_t began;                  /* on the clock of process 0 */
static struct cwi_clock_look *looks[2]; /* of each node, at the beginning and at the end */

/* --- The beginning ---------------------------------------------------------------------------- */

static const struct cwi_timeline_writer *writer_of(const char *name)
{
  static const char ending[] = ".otf2";
  const size_t length = strlen(name), end = sizeof ending - 1;
  const bool is_otf2 = length >= end && strcmp(name + length - end, ending) == 0;
  return is_otf2 ? &cwi_timeline_otf2 : &cwi_timeline_json;
}

/* On process 0. */
static bool can_write(void)
{
  const char *why_not = writer->why_not();
  if (strcmp(cwi_settings_text(cwi_settings.timeline), "1") != 0 && cwi_settings.profile != 0 &&
      strcmp(cwi_settings_text(cwi_settings.timeline), cwi_settings_text(cwi_settings.profile)) ==
          0)
    why_not = "that is CW_PROFILE's name";
  for (int i = 0; i < 2 && why_not == NULL; i++)
    if ((looks[i] = calloc((size_t)cwi_world.nodes, sizeof *looks[i])) == NULL)
      why_not = "no memory";
  if (why_not != NULL)
    cwi_log(CWI_LOG_WARNING, "CW_TIMELINE: no timeline will be written to '%s': %s",
            destination.shown, why_not);
  return why_not == NULL;
}

static void forget(void)
{
  for (int i = 0; i < 2; i++) {
    free(looks[i]);
    looks[i] = NULL;
  }
}

void cwi_timeline_say_none(void)
{
  if (keeping)
    cwi_log_line(cwi_world.process, "CW_TIMELINE: a job that dies leaves no timeline");
}

cw_error cwi_timeline_watch(void)
{
  const struct cwi_destination_rule rule = {cwi_settings_text(cwi_settings.timeline),
                                            ".timeline.json", true};
  int is_possible = 0;
  keeping = false;
  if (cwi_settings.timeline == 0)
    return CW_OK;
  began = cwi_profiled_clock();
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
  if (cwi_settings.profile == 0)
    cwi_mpi_set_last_words(cwi_timeline_say_none);
  CWI_TRY(cwi_clocks_look(looks[0], cwi_world.team->internal));
  cwi_timeline_start();
  return CW_OK;
}

/* --- What process 0 hears --------------------------------------------------------------------- */

/* The texts of the process that tells. */
struct heard_timeline {
  struct cwi_timeline_file file;
  bool is_open;
  const char **texts; /* [count], NULL: no memory */
  uint64_t count;
};

static cw_error write_process(void *given, const struct cwi_told_process *process,
                              const char *texts)
{
  struct heard_timeline *heard = given;
  free(heard->texts);
  heard->texts = texts != NULL ? calloc(process->texts + 1, sizeof *heard->texts) : NULL;
  heard->count = heard->texts != NULL ? process->texts : 0;
  for (uint64_t i = 0; i < heard->count; i++, texts += strlen(texts) + 1)
    heard->texts[i] = texts;
  heard->file.process = process->process;
  writer->process(&heard->file, process);
  return CW_OK;
}

static cw_error write_thread(void *given, const struct cwi_told_thread *thread)
{
  struct heard_timeline *heard = given;
  heard->file.thread = thread->number;
  heard->file.dropped += thread->dropped;
  writer->thread(&heard->file, thread);
  return CW_OK;
}

static cw_error write_events(void *given, const struct cwi_told_event *events, size_t count)
{
  struct heard_timeline *heard = given;
  for (size_t i = 0; i < count; i++) {
    const uint32_t text = events[i].text;
    writer->event(&heard->file, &events[i],
                  text > 0 && text <= heard->count ? heard->texts[text - 1] : NULL);
  }
  heard->file.events += count;
  return CW_OK;
}

static const struct cwi_timeline_ear file_ear = {write_process, write_thread, write_events};

/* --- From process to process ------------------------------------------------------------------ */

/* It is the turn of a process to tell. */
struct timeline_turn {
  struct cwi_timeline_clock clock;
  uint64_t is_wanted;
};

static cw_error send_process(void *given, const struct cwi_told_process *process, const char *texts)
{
  (void)given;
  CWI_TRY(cwi_bytes_send(process, sizeof *process, 0, cwi_world.team->internal));
  return cwi_bytes_send(texts, process->text_bytes, 0, cwi_world.team->internal);
}

static cw_error send_thread(void *given, const struct cwi_told_thread *thread)
{
  (void)given;
  return cwi_bytes_send(thread, sizeof *thread, 0, cwi_world.team->internal);
}

static cw_error send_events(void *given, const struct cwi_told_event *events, size_t count)
{
  (void)given;
  return cwi_bytes_send(events, count * sizeof *events, 0, cwi_world.team->internal);
}

static const struct cwi_timeline_ear message_ear = {send_process, send_thread, send_events};

static cw_error tell_in_turn(void)
{
  struct cwi_timeline_texts texts = {.bytes = NULL};
  struct timeline_turn turn;
  cwi_timeline_find_texts(&texts);
  cw_error error = cwi_bytes_receive(&turn, sizeof turn, 0, cwi_world.team->internal);
  if (error == CW_OK && turn.is_wanted != 0)
    error = cwi_timeline_tell(&texts, &turn.clock, &message_ear, NULL);
  cwi_timeline_free_texts(&texts);
  return error;
}

static cw_error hear_threads(struct heard_timeline *heard, int process, uint64_t threads)
{
  static struct cwi_told_event events[CWI_TOLD_AT_ONCE];
  const MPI_Comm comm = cwi_world.team->internal;
  for (uint64_t i = 0; i < threads; i++) {
    struct cwi_told_thread thread;
    CWI_TRY(cwi_bytes_receive(&thread, sizeof thread, process, comm));
    CWI_TRY(write_thread(heard, &thread));
    for (uint64_t got = 0; got < thread.events;) {
      const uint64_t left = thread.events - got,
                     count = left < CWI_TOLD_AT_ONCE ? left : CWI_TOLD_AT_ONCE;
      CWI_TRY(cwi_bytes_receive(events, count * sizeof *events, process, comm));
      CWI_TRY(write_events(heard, events, count));
      got += count;
    }
  }
  return CW_OK;
}

static cw_error hear_process(struct heard_timeline *heard, int process)
{
  const MPI_Comm comm = cwi_world.team->internal;
  const int node = cwi_world.node_of[process];
  const struct timeline_turn turn = {{began, {looks[0][node], looks[1][node]}}, heard->is_open};
  struct cwi_told_process head;
  CWI_TRY(cwi_bytes_send(&turn, sizeof turn, process, comm));
  if (!heard->is_open)
    return CW_OK;
  CWI_TRY(cwi_bytes_receive(&head, sizeof head, process, comm));
  char *texts = malloc(head.text_bytes + 1);
  cw_error error = cwi_bytes_receive(texts, head.text_bytes, process, comm);
  if (error == CW_OK)
    error = write_process(heard, &head, texts);
  if (error == CW_OK)
    error = hear_threads(heard, process, head.threads);
  free(texts);
  return error;
}

/* --- The end ---------------------------------------------------------------------------------- */

static void refused(int code)
{
  cwi_log(CWI_LOG_WARNING, "CW_TIMELINE: the timeline was not written to '%s': %s",
          destination.shown, cwi_reason(code));
}

static void say_what_is_there(const struct cwi_timeline_file *file)
{
  fprintf(stderr, "---- timeline, %llu events: %s\n", (unsigned long long)file->events,
          destination.shown);
  if (file->dropped > 0)
    cwi_log(CWI_LOG_WARNING,
            "CW_TIMELINE: %llu events were dropped, the oldest ones of threads that had more than "
            "CW_TIMELINE_EVENTS=%ld, and all of those that had no memory for so many",
            (unsigned long long)file->dropped, cwi_settings.timeline_events);
}

static cw_error timeline_hear_all(struct heard_timeline *heard)
{
  const struct cwi_timeline_clock clock = {.began = began};
  struct cwi_timeline_texts texts = {.bytes = NULL};
  cw_error error = CW_OK;
  cwi_timeline_find_texts(&texts);
  if (heard->is_open)
    error = cwi_timeline_tell(&texts, &clock, &file_ear, heard);
  for (int process = 1; process < cwi_world.processes && error == CW_OK; process++)
    error = hear_process(heard, process);
  cwi_timeline_free_texts(&texts);
  free(heard->texts);
  return error;
}

static cw_error write_timeline(void)
{
  struct heard_timeline heard = {.is_open = false};
  int code = writer->open(&heard.file, destination.file);
  heard.is_open = code == 0;
  const cw_error error = timeline_hear_all(&heard);
  if (heard.is_open)
    code = writer->close(&heard.file);
  if (code != 0)
    refused(code);
  else
    say_what_is_there(&heard.file);
  return error;
}

cw_error cwi_timeline_report(void)
{
  if (!keeping)
    return CW_OK;
  for (struct cwi_profiled_thread *thread = cwi_profiled_next(NULL); thread != NULL;
       thread = cwi_profiled_next(thread))
    cwi_phases_keep_open(thread);
  cw_error error = cwi_clocks_look(looks[1], cwi_world.team->internal);
  if (error == CW_OK)
    error = cwi_world.process == 0 ? write_timeline() : tell_in_turn();
  forget();
  return error;
}
