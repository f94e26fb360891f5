/* Writes a timeline in the Trace Event Format, which Perfetto and Chrome open. `pid` is the
 * process, `tid` the thread, and each event is a complete event ("X") with times in microseconds.
 */
#include "output/json.h"
#include "team/world.h"
#include "timeline/timeline_writer.h"

#include <errno.h>

static const char *json_can(void)
{
  return NULL;
}

/* Begins a metadata event (phase "M"), such as the name of a process or thread, and its arguments.
 */
static void begin_name(struct cwi_json *json, int process, const uint64_t *thread, const char *name)
{
  cwi_json_object(json, NULL, false);
  cwi_json_text(json, "ph", "M");
  cwi_json_integer(json, "pid", process);
  if (thread != NULL)
    cwi_json_whole(json, "tid", *thread);
  cwi_json_text(json, "name", name);
  cwi_json_object(json, "args", false);
}

static void end_name(struct cwi_json *json)
{
  cwi_json_end(json);
  cwi_json_end(json);
}

static void sort_process(struct cwi_json *json, int process)
{
  begin_name(json, process, NULL, "process_sort_index");
  cwi_json_integer(json, "sort_index", process);
  end_name(json);
}

static int json_open(struct cwi_timeline_file *file, const char *name, const char *unique)
{
  const int code = cwi_atomic_file_open(&file->whole, name, unique);
  if (code != 0)
    return code;
  file->json = (struct cwi_json){.out = file->whole.out};
  cwi_json_object(&file->json, NULL, false);
  cwi_json_text(&file->json, "displayTimeUnit", "ns");
  cwi_json_list(&file->json, "traceEvents", true);
  sort_process(&file->json, 0);
  return 0;
}

static void json_process(struct cwi_timeline_file *file, const struct cwi_packed_process *process)
{
  char text[128];
  snprintf(text, sizeof text, "process %d, node %d (%s)", process->process, process->node,
           cwi_world.machine_name_of[process->node].text);
  begin_name(&file->json, process->process, NULL, "process_name");
  cwi_json_text(&file->json, "name", text);
  end_name(&file->json);
  if (process->process > 0)
    sort_process(&file->json, process->process);
}

static void json_thread(struct cwi_timeline_file *file, const struct cwi_packed_thread *thread)
{
  char text[96];
  const int length = snprintf(text, sizeof text, "thread %llu", (unsigned long long)thread->number);
  if (thread->dropped > 0)
    snprintf(text + length, sizeof text - (size_t)length, ", without its first %llu events",
             (unsigned long long)thread->dropped);
  begin_name(&file->json, file->process, &thread->number, "thread_name");
  cwi_json_text(&file->json, "name", text);
  cwi_json_whole(&file->json, "dropped", thread->dropped);
  end_name(&file->json);
}

static const char *kind_of(int what)
{
  return what == CW_CALL_PROGRAM_PHASE      ? "phase"
         : what == CW_CALL_TASK             ? "task"
         : cwi_is_wait((cw_call_class)what) ? "wait"
                                            : "call";
}

static void write_facts(struct cwi_json *json, const struct cwi_packed_event *event,
                        const struct cwi_event_words *words)
{
  cwi_json_object(json, "args", false);
  cwi_json_text(json, "class", words->class_name);
  if (event->target != CW_NO_TARGET) {
    cwi_json_whole(json, "bytes", event->bytes);
    if (event->target == CW_SEVERAL_TARGETS)
      cwi_json_text(json, "target", "several");
    else
      cwi_json_integer(json, "target", event->target);
    if (words->object != NULL)
      cwi_json_text(json, "object", words->object);
  }
  cwi_json_end(json);
}

static void json_event(struct cwi_timeline_file *file, const struct cwi_packed_event *event,
                       const struct cwi_event_words *words)
{
  struct cwi_json *json = &file->json;
  cwi_json_object(json, NULL, false);
  cwi_json_text(json, "ph", "X");
  cwi_json_integer(json, "pid", file->process);
  cwi_json_whole(json, "tid", file->thread);
  cwi_json_text(json, "cat", kind_of(event->what));
  cwi_json_text(json, "name", words->name);
  cwi_json_fixed(json, "ts", event->began, 3);
  cwi_json_fixed(json, "dur", event->ended - event->began, 3);
  if (words->class_name != NULL)
    write_facts(json, event, words);
  cwi_json_end(json);
}

static int json_close(struct cwi_timeline_file *file)
{
  struct cwi_json *json = &file->json;
  cwi_json_end(json);
  cwi_json_object(json, "otherData", false);
  cwi_json_text(json, "writer", "Causeway");
  cwi_json_text(json, "program", program_invocation_short_name);
  cwi_json_integer(json, "processes", cwi_world.processes);
  cwi_json_integer(json, "nodes", cwi_world.nodes);
  cwi_json_whole(json, "events", file->events);
  cwi_json_whole(json, "dropped", file->dropped);
  cwi_json_text(json, "ended", file->has_died ? "died" : "finalized");
  cwi_json_list(json, "missing", false);
  fputs(file->missing != NULL ? file->missing : "", json->out);
  for (int i = 0; i < 3; i++)
    cwi_json_end(json);
  fputc('\n', json->out);
  return cwi_atomic_file_close(&file->whole);
}

const struct cwi_timeline_writer cwi_timeline_json = {json_can,     cwi_atomic_file_try, json_open,
                                                      json_process, json_thread,         json_event,
                                                      json_close,   cwi_atomic_file_drop};
