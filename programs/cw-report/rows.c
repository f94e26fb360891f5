/* Reads each kind of row of a profile, as docs/reference/profile.schema.json defines it. The
 * members that are named here must exist and be valid; all others are ignored. */
#include "cw-report.h"

#include <string.h>

/* --- Members ---------------------------------------------------------------------------------- */

static const json_t *find_member(struct report_reader *reader, const char *where,
                                 const json_t *object, const char *member)
{
  const json_t *value = json_object_get(object, member);
  if (value == NULL)
    report_misuse("'%s': %s has no '%s'", reader->path, where, member);
  return value;
}

int report_take_whole(struct report_reader *reader, const char *where, const json_t *object,
                      const char *member, uint64_t *value)
{
  const json_t *found = find_member(reader, where, object, member);
  if (found == NULL)
    return REPORT_MISUSE;
  if (!json_is_integer(found) || json_integer_value(found) < 0)
    return report_misuse("'%s': '%s' of %s is not a whole number, 0 or greater", reader->path,
                         member, where);
  *value = (uint64_t)json_integer_value(found);
  return REPORT_DONE;
}

int report_take_number(struct report_reader *reader, const char *where, const json_t *object,
                       const char *member, double *value)
{
  const json_t *found = find_member(reader, where, object, member);
  const double most = 1e12; /* in seconds, longer than any run */
  if (found == NULL)
    return REPORT_MISUSE;
  *value = json_number_value(found);
  if (!json_is_number(found) || !(*value >= 0 && *value <= most))
    return report_misuse("'%s': '%s' of %s is not a number from 0 to 1e12", reader->path, member,
                         where);
  return REPORT_DONE;
}

int report_take_text(struct report_reader *reader, const char *where, const json_t *object,
                     const char *member, const char **value)
{
  const json_t *found = find_member(reader, where, object, member);
  if (found == NULL)
    return REPORT_MISUSE;
  if (!json_is_string(found))
    return report_misuse("'%s': '%s' of %s is not a text", reader->path, member, where);
  *value = report_copy(reader->profile, json_string_value(found));
  return REPORT_DONE;
}

static int take_member_number(struct report_reader *reader, const char *where, const json_t *object,
                              const char *member, int *value)
{
  uint64_t number = 0;
  const int status = report_take_whole(reader, where, object, member, &number);
  if (status == REPORT_DONE && number > INT32_MAX)
    return report_misuse("'%s': '%s' of %s is greater than a process number can be", reader->path,
                         member, where);
  *value = (int)number;
  return status;
}

int report_take_wholes(const struct report_reader *reader, const char *where, const json_t *list,
                       const char *member, struct report_wholes *wholes)
{
  wholes->count = json_array_size(list);
  bool valid =
      json_is_array(list) && wholes->count >= wholes->least && wholes->count <= wholes->most;
  for (size_t i = 0; valid && i < wholes->count; i++) {
    const json_t *number = json_array_get(list, i);
    valid = json_is_integer(number) && json_integer_value(number) >= 0;
    wholes->values[i] = (uint64_t)json_integer_value(number);
  }
  return valid ? REPORT_DONE
               : report_misuse("'%s': '%s' of %s is not a list of %zu to %zu whole numbers",
                               reader->path, member, where, wholes->least, wholes->most);
}

static int take_member_wholes(struct report_reader *reader, const char *where, const json_t *row,
                              const char *member, struct report_wholes *wholes)
{
  const json_t *found = find_member(reader, where, row, member);
  return found != NULL ? report_take_wholes(reader, where, found, member, wholes) : REPORT_MISUSE;
}

static int take_histogram(struct report_reader *reader, const char *where, const json_t *object,
                          const char *member, struct report_histogram *histogram)
{
  struct report_wholes counts = {.values = histogram->count, .most = REPORT_PLACES};
  return take_member_wholes(reader, where, object, member, &counts);
}

int report_class_number(struct report_profile *profile, const char *name)
{
  for (int i = 0; i < profile->class_count; i++)
    if (strcmp(profile->class_names[i], name) == 0)
      return i;
  if (profile->class_count == REPORT_CLASSES)
    return -1;
  profile->class_names[profile->class_count] = name;
  return profile->class_count++;
}

static int take_class(struct report_reader *reader, const char *where, const char *name,
                      int *number)
{
  *number = report_class_number(reader->profile, name);
  return *number >= 0 ? REPORT_DONE
                      : report_misuse("'%s': %s has the class '%.40s', which is more than the %d "
                                      "classes that a file can have",
                                      reader->path, where, name, REPORT_CLASSES);
}

static void write_fact(char *text, size_t size, const json_t *value)
{
  if (json_is_string(value))
    snprintf(text, size, "%s", json_string_value(value));
  else if (json_is_integer(value))
    snprintf(text, size, "%lld", (long long)json_integer_value(value));
  else if (json_is_number(value))
    snprintf(text, size, "%.15g", json_number_value(value));
  else
    snprintf(text, size, "%s",
             json_is_true(value)    ? "true"
             : json_is_false(value) ? "false"
             : json_is_null(value)  ? "-"
                                    : "(a list)");
}

int report_take_missing(struct report_reader *reader, const json_t *value)
{
  for (size_t i = 0; i < json_array_size(value); i++) {
    const json_t *number = json_array_get(value, i);
    if (!json_is_integer(number) || json_integer_value(number) < 0 ||
        json_integer_value(number) > INT32_MAX)
      return report_misuse("'%s': 'missing' has an entry that is not a process", reader->path);
    *(int *)report_add(&reader->profile->missing, sizeof(int)) = (int)json_integer_value(number);
  }
  return json_is_array(value) ? REPORT_DONE
                              : report_misuse("'%s': 'missing' is not a list", reader->path);
}

int report_take_facts(struct report_reader *reader, const json_t *value, struct report_list *facts)
{
  const char *name;
  json_t *each;
  if (!json_is_object(value))
    return report_misuse("'%s': settings or machine are not objects", reader->path);
  json_object_foreach((json_t *)value, name, each)
  {
    char text[4096];
    struct report_fact *fact = report_add(facts, sizeof *fact);
    write_fact(text, sizeof text, each);
    const size_t length = strlen(text); /* a text that was cut off may end within a character */
    if (length == sizeof text - 1)
      memset(text + length - 4, '.', 4);
    fact->name = report_copy(reader->profile, name);
    fact->value = report_copy(reader->profile, text);
  }
  return REPORT_DONE;
}

/* --- Rows ------------------------------------------------------------------------------------- */

#define TAKE(call)                                                                                 \
  do {                                                                                             \
    const int taken = (call);                                                                      \
    if (taken != REPORT_DONE)                                                                      \
      return taken;                                                                                \
  } while (0)

static int read_class(struct report_reader *reader, const char *where, const json_t *row)
{
  struct report_class *new = report_add(&reader->profile->classes, sizeof *new);
  const char *name = "";
  TAKE(report_take_text(reader, where, row, "class", &name));
  TAKE(take_class(reader, where, name, &new->number));
  TAKE(report_take_whole(reader, where, row, "calls", &new->calls));
  TAKE(report_take_whole(reader, where, row, "inner_calls", &new->inner_calls));
  TAKE(report_take_whole(reader, where, row, "bytes", &new->bytes));
  TAKE(report_take_number(reader, where, row, "seconds", &new->seconds));
  TAKE(report_take_number(reader, where, row, "longest", &new->longest));
  return take_histogram(reader, where, row, "clocked", &new->clocked);
}

static int read_operation(struct report_reader *reader, const char *where, const json_t *row)
{
  struct report_operation *new = report_add(&reader->profile->operations, sizeof *new);
  TAKE(report_take_text(reader, where, row, "operation", &new->operation));
  TAKE(report_take_text(reader, where, row, "route", &new->route));
  TAKE(report_take_whole(reader, where, row, "count", &new->count));
  TAKE(report_take_whole(reader, where, row, "bytes", &new->bytes));
  return take_histogram(reader, where, row, "sizes", &new->sizes);
}

static int take_usage(struct report_reader *reader, const char *where, const json_t *row,
                      struct report_process *new)
{
  const json_t *usage = json_object_get(row, "usage");
  new->has_usage = usage != NULL;
  if (usage == NULL)
    return REPORT_DONE;
  TAKE(report_take_whole(reader, where, usage, "faults", &new->faults));
  TAKE(report_take_whole(reader, where, usage, "disk_faults", &new->disk_faults));
  TAKE(report_take_whole(reader, where, usage, "sleeps", &new->sleeps));
  TAKE(report_take_whole(reader, where, usage, "preemptions", &new->preemptions));
  TAKE(report_take_whole(reader, where, usage, "most_memory", &new->most_memory));
  if (json_object_get(usage, "waited") != NULL)
    TAKE(report_take_number(reader, where, usage, "waited", &new->waited));
  TAKE(report_take_number(reader, where, usage, "user", &new->user));
  return report_take_number(reader, where, usage, "system", &new->system);
}

static int read_node(struct report_reader *reader, const char *where, const json_t *row)
{
  struct report_node *new = report_add(&reader->profile->per_node, sizeof *new);
  const json_t *server = json_object_get(row, "server");
  TAKE(take_member_number(reader, where, row, "node", &new->node));
  TAKE(report_take_whole(reader, where, row, "memory", &new->memory));
  new->has_server = server != NULL;
  if (server == NULL)
    return REPORT_DONE;
  TAKE(report_take_whole(reader, where, server, "messages", &new->messages));
  TAKE(report_take_whole(reader, where, server, "bytes", &new->bytes));
  TAKE(report_take_whole(reader, where, server, "requests", &new->requests));
  TAKE(report_take_whole(reader, where, server, "forwards", &new->forwards));
  TAKE(report_take_whole(reader, where, server, "most_waiting", &new->most_waiting));
  TAKE(report_take_whole(reader, where, server, "stalls", &new->stalls));
  TAKE(report_take_whole(reader, where, server, "sleeps", &new->sleeps));
  TAKE(report_take_number(reader, where, server, "asleep", &new->asleep));
  TAKE(report_take_number(reader, where, server, "processor", &new->processor));
  TAKE(report_take_number(reader, where, server, "busy", &new->busy));
  return report_take_number(reader, where, server, "longest", &new->longest);
}

static int read_process(struct report_reader *reader, const char *where, const json_t *row)
{
  struct report_process *new = report_add(&reader->profile->per_process, sizeof *new);
  TAKE(take_member_number(reader, where, row, "process", &new->process));
  TAKE(take_member_number(reader, where, row, "node", &new->node));
  TAKE(report_take_whole(reader, where, row, "threads", &new->threads));
  TAKE(report_take_whole(reader, where, row, "operations", &new->operations));
  TAKE(report_take_whole(reader, where, row, "bytes", &new->bytes));
  TAKE(report_take_number(reader, where, row, "wall", &new->wall));
  TAKE(report_take_number(reader, where, row, "time", &new->time));
  TAKE(take_usage(reader, where, row, new));
  const json_t *seconds = find_member(reader, where, row, "seconds");
  const char *name;
  json_t *value;
  if (seconds == NULL)
    return REPORT_MISUSE;
  if (!json_is_object(seconds))
    return report_misuse("'%s': 'seconds' of %s is not an object", reader->path, where);
  json_object_foreach((json_t *)seconds, name, value)
  {
    int number = 0;
    TAKE(take_class(reader, where, report_copy(reader->profile, name), &number));
    TAKE(report_take_number(reader, where, seconds, name, &new->seconds[number]));
  }
  return REPORT_DONE;
}

static int read_pair(struct report_reader *reader, const char *where, const json_t *row)
{
  struct report_pair *new = report_add(&reader->profile->pairs, sizeof *new);
  TAKE(take_member_number(reader, where, row, "origin", &new->origin));
  TAKE(take_member_number(reader, where, row, "target", &new->target));
  TAKE(report_take_whole(reader, where, row, "operations", &new->operations));
  TAKE(report_take_whole(reader, where, row, "bytes", &new->bytes));
  return report_take_number(reader, where, row, "seconds", &new->seconds);
}

static int read_object(struct report_reader *reader, const char *where, const json_t *row)
{
  struct report_object *new = report_add(&reader->profile->objects, sizeof *new);
  TAKE(report_take_text(reader, where, row, "object", &new->object));
  TAKE(report_take_whole(reader, where, row, "operations", &new->operations));
  TAKE(report_take_whole(reader, where, row, "bytes", &new->bytes));
  TAKE(report_take_whole(reader, where, row, "memory", &new->memory));
  new->hottest = "";
  if (json_object_get(row, "hottest") != NULL)
    TAKE(report_take_text(reader, where, row, "hottest", &new->hottest));
  TAKE(report_take_heat_map(reader, where, row, &new->heat_map));
  return report_take_number(reader, where, row, "seconds", &new->seconds);
}

static int read_element(struct report_reader *reader, const char *where, const json_t *row)
{
  struct report_element *new = report_add(&reader->profile->elements, sizeof *new);
  TAKE(report_take_text(reader, where, row, "object", &new->object));
  TAKE(report_take_text(reader, where, row, "element", &new->element));
  TAKE(take_member_number(reader, where, row, "process", &new->process));
  TAKE(report_take_whole(reader, where, row, "updates", &new->updates));
  return report_take_whole(reader, where, row, "over", &new->over);
}

/* Reads the name and class of a call and its place in the program. Older files have no names of
 * calls. */
static int take_site(struct report_reader *reader, const char *where, const json_t *row,
                     struct report_site *site)
{
  site->call = "";
  if (json_object_get(row, "call") != NULL)
    TAKE(report_take_text(reader, where, row, "call", &site->call));
  reader->profile->has_calls = reader->profile->has_calls || site->call[0] != '\0';
  TAKE(report_take_text(reader, where, row, "class", &site->class_name));
  TAKE(report_take_text(reader, where, row, "function", &site->function));
  TAKE(report_take_text(reader, where, row, "file", &site->file));
  TAKE(report_take_text(reader, where, row, "module", &site->module));
  TAKE(report_take_whole(reader, where, row, "line", &site->line));
  return report_take_whole(reader, where, row, "offset", &site->offset);
}

static int read_site(struct report_reader *reader, const char *where, const json_t *row)
{
  struct report_site *new = report_add(&reader->profile->call_sites, sizeof *new);
  TAKE(take_site(reader, where, row, new));
  TAKE(report_take_whole(reader, where, row, "calls", &new->calls));
  TAKE(report_take_whole(reader, where, row, "bytes", &new->bytes));
  TAKE(report_take_number(reader, where, row, "seconds", &new->seconds));
  return report_take_number(reader, where, row, "longest", &new->longest);
}

static int read_phase(struct report_reader *reader, const char *where, const json_t *row)
{
  struct report_phase *new = report_add(&reader->profile->phases, sizeof *new);
  TAKE(report_take_text(reader, where, row, "phase", &new->phase));
  TAKE(report_take_whole(reader, where, row, "number", &new->number));
  TAKE(report_take_whole(reader, where, row, "processes", &new->processes));
  TAKE(report_take_whole(reader, where, row, "least_process", &new->least_process));
  TAKE(report_take_whole(reader, where, row, "most_process", &new->most_process));
  TAKE(report_take_number(reader, where, row, "seconds", &new->seconds));
  TAKE(report_take_number(reader, where, row, "inside", &new->inside));
  TAKE(report_take_number(reader, where, row, "least", &new->least));
  return report_take_number(reader, where, row, "most", &new->most);
}

static int read_wait(struct report_reader *reader, const char *where, const json_t *row)
{
  struct report_wait *new = report_add(&reader->profile->waits, sizeof *new);
  TAKE(take_member_number(reader, where, row, "process", &new->process));
  TAKE(take_site(reader, where, row, &new->site));
  TAKE(report_take_text(reader, where, row, "whom", &new->whom));
  TAKE(report_take_text(reader, where, row, "phase", &new->phase));
  TAKE(report_take_number(reader, where, row, "began", &new->began));
  new->is_under_way = json_is_true(json_object_get(row, "under_way"));
  return report_take_number(reader, where, row, "seconds", &new->site.seconds);
}

static int read_memory(struct report_reader *reader, const char *where, const json_t *row)
{
  struct report_memory *new = report_add(&reader->profile->memory, sizeof *new);
  TAKE(report_take_text(reader, where, row, "of", &new->of));
  new->is_together = json_object_get(row, "members") != NULL;
  TAKE(
      report_take_whole(reader, where, row, new->is_together ? "members" : "number", &new->number));
  TAKE(report_take_number(reader, where, row, "step", &new->step));
  struct report_wholes most = {.values = new->most, .most = REPORT_STEPS};
  TAKE(take_member_wholes(reader, where, row, "most", &most));
  new->count = most.count;
  if (!new->is_together)
    return REPORT_DONE;
  struct report_wholes mean = {.values = new->mean, .least = new->count, .most = new->count};
  struct report_wholes least = {.values = new->least, .least = new->count, .most = new->count};
  TAKE(take_member_wholes(reader, where, row, "mean", &mean));
  return take_member_wholes(reader, where, row, "least", &least);
}

static int read_advice(struct report_reader *reader, const char *where, const json_t *row)
{
  struct report_advice *new = report_add(&reader->profile->advice, sizeof *new);
  TAKE(report_take_text(reader, where, row, "kind", &new->kind));
  TAKE(report_take_text(reader, where, row, "sentence", &new->message));
  return report_take_number(reader, where, row, "share", &new->share);
}

const struct report_rule report_rules[] = {{"classes", read_class, true},
                                           {"operations", read_operation, true},
                                           {"per_process", read_process, true},
                                           {"pairs", read_pair, true},
                                           {"objects", read_object, true},
                                           {"call_sites", read_site, true},
                                           {"advice", read_advice, true},
                                           {"phases", read_phase, false},
                                           {"per_node", read_node, true},
                                           {"waits", read_wait, false},
                                           {"memory_over_time", read_memory, false},
                                           {"elements", read_element, false}};
const size_t report_rule_count = sizeof report_rules / sizeof report_rules[0];
