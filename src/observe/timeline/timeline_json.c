/* Writes a timeline in the Trace Event Format, which Perfetto and Chrome open. `pid` is the
 * process, `tid` the thread, and each event is a complete event ("X") with times in microseconds.
 */
#include "output/json_text.h"
#include "summary/figures.h"
#include "team/world.h"
#include "timeline/timeline_writer.h"

#include <errno.h>

static const char *json_can(void)
{
  return NULL;
}

/* The first list element, which needs no comma before it, is written here. */
static int json_open(struct cwi_timeline_file *file, const char *name, const char *unique)
{
  const int code = cwi_atomic_file_open(&file->whole, name, unique);
  if (code == 0)
    fprintf(file->whole.out,
            "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n"
            "{\"ph\": \"M\", \"pid\": 0, \"name\": \"process_sort_index\", \"args\": "
            "{\"sort_index\": 0}}");
  return code;
}

static void json_process(struct cwi_timeline_file *file, const struct cwi_packed_process *process)
{
  FILE *out = file->whole.out;
  char text[128];
  snprintf(text, sizeof text, "process %d, node %d (%s)", process->process, process->node,
           cwi_world.machine_name_of[process->node].text);
  fprintf(out, ",\n{\"ph\": \"M\", \"pid\": %d, \"name\": \"process_name\", \"args\": {\"name\": ",
          process->process);
  cwi_json_text(out, text);
  fprintf(out, "}}");
  if (process->process > 0)
    fprintf(out,
            ",\n{\"ph\": \"M\", \"pid\": %d, \"name\": \"process_sort_index\", \"args\": "
            "{\"sort_index\": %d}}",
            process->process, process->process);
}

static void json_thread(struct cwi_timeline_file *file, const struct cwi_packed_thread *thread)
{
  FILE *out = file->whole.out;
  fprintf(out,
          ",\n{\"ph\": \"M\", \"pid\": %d, \"tid\": %llu, \"name\": \"thread_name\", \"args\": "
          "{\"name\": \"thread %llu",
          file->process, (unsigned long long)thread->number, (unsigned long long)thread->number);
  if (thread->dropped > 0)
    fprintf(out, ", without its first %llu events", (unsigned long long)thread->dropped);
  fprintf(out, "\", \"dropped\": %llu}}", (unsigned long long)thread->dropped);
}

/* Writes a time without %f: the program may have set a locale with another decimal separator. */
static void write_time(FILE *out, const char *name, uint64_t nanoseconds)
{
  fprintf(out, ", \"%s\": %llu.%03llu", name, (unsigned long long)(nanoseconds / 1000),
          (unsigned long long)(nanoseconds % 1000));
}

static const char *kind_of(int what)
{
  return what == CWI_PROGRAM_PHASE                ? "phase"
         : what == CWI_CALL_TASK                  ? "task"
         : cwi_is_wait((enum cwi_call_class)what) ? "wait"
                                                  : "call";
}

static void write_facts(FILE *out, const struct cwi_packed_event *event,
                        const struct cwi_event_words *words)
{
  if (words->class_name == NULL)
    return;
  fprintf(out, ", \"args\": {\"class\": ");
  cwi_json_text(out, words->class_name);
  if (event->target != CWI_NO_TARGET)
    fprintf(out, ", \"bytes\": %llu, \"target\": ", (unsigned long long)event->bytes);
  if (event->target == CWI_SEVERAL_TARGETS)
    fprintf(out, "\"several\"");
  else if (event->target != CWI_NO_TARGET)
    fprintf(out, "%d", event->target);
  if (event->target != CWI_NO_TARGET && words->object != NULL) {
    fprintf(out, ", \"object\": ");
    cwi_json_text(out, words->object);
  }
  fprintf(out, "}");
}

static void json_event(struct cwi_timeline_file *file, const struct cwi_packed_event *event,
                       const struct cwi_event_words *words)
{
  FILE *out = file->whole.out;
  fprintf(out, ",\n{\"ph\": \"X\", \"pid\": %d, \"tid\": %llu, \"cat\": \"%s\", \"name\": ",
          file->process, (unsigned long long)file->thread, kind_of(event->what));
  cwi_json_text(out, words->name);
  write_time(out, "ts", event->began);
  write_time(out, "dur", event->ended - event->began);
  write_facts(out, event, words);
  fprintf(out, "}");
}

static int json_close(struct cwi_timeline_file *file)
{
  fprintf(file->whole.out, "\n], \"otherData\": {\"writer\": \"Causeway\", \"program\": ");
  cwi_json_text(file->whole.out, program_invocation_short_name);
  fprintf(file->whole.out,
          ", \"processes\": %d, \"nodes\": %d, \"events\": %llu, \"dropped\": %llu, "
          "\"ended\": \"%s\", \"missing\": [%s]}}\n",
          cwi_world.processes, cwi_world.nodes, (unsigned long long)file->events,
          (unsigned long long)file->dropped, file->has_died ? "died" : "finalized",
          file->missing != NULL ? file->missing : "");
  return cwi_atomic_file_close(&file->whole);
}

const struct cwi_timeline_writer cwi_timeline_json = {json_can,     cwi_atomic_file_try, json_open,
                                                      json_process, json_thread,         json_event,
                                                      json_close,   cwi_atomic_file_drop};
