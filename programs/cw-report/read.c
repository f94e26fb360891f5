/* Reads the file of a profile. Only one row of a list at a time is parsed into a JSON tree, because
 * a job of many processes has a row for each pair of them. */
#include "cw-report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- The file --------------------------------------------------------------------------------- */

static int read_text(struct report_reader *reader)
{
  FILE *file = fopen(reader->path, "re");
  if (file == NULL)
    return report_misuse("cannot open '%s': %s", reader->path, strerror(errno));
  size_t capacity = 1 << 16, got = 0;
  do {
    capacity *= 2;
    char *text = realloc(reader->text, capacity);
    if (text == NULL)
      exit(report_failed("'%s' is too long for this machine's memory", reader->path));
    reader->text = text;
    got = fread(reader->text + reader->size, 1, capacity - reader->size, file);
    reader->size += got;
  } while (got > 0);
  const int code = errno, failed = ferror(file);
  if (fclose(file) != 0 || failed)
    return report_misuse("cannot read '%s': %s", reader->path, strerror(failed ? code : errno));
  return reader->size > 0 ? REPORT_DONE : report_misuse("'%s' is empty", reader->path);
}

static int line_of(const struct report_reader *reader, size_t at)
{
  int line = 1;
  for (size_t i = 0; i < at && i < reader->size; i++)
    line += reader->text[i] == '\n';
  return line;
}

static void skip_space(struct report_reader *reader)
{
  while (reader->at < reader->size && strchr(" \t\r\n", reader->text[reader->at]) != NULL &&
         reader->text[reader->at] != '\0')
    reader->at++;
}

static char next_character(struct report_reader *reader)
{
  skip_space(reader);
  return reader->at < reader->size ? reader->text[reader->at] : '\0';
}

static int reject_here(const struct report_reader *reader, const char *wanted)
{
  if (reader->at >= reader->size)
    return report_misuse("'%s' is truncated: it ends in line %d, before %s", reader->path,
                         line_of(reader, reader->at), wanted);
  return report_misuse("'%s' is not JSON: line %d must have %s", reader->path,
                       line_of(reader, reader->at), wanted);
}

static int take_character(struct report_reader *reader, char character)
{
  const char wanted[] = {'\'', character, '\'', '\0'};
  if (next_character(reader) != character)
    return reject_here(reader, wanted);
  reader->at++;
  return REPORT_DONE;
}

/* Reads one complete JSON value. The caller releases it with json_decref. */
static int take_value(struct report_reader *reader, json_t **value)
{
  json_error_t error;
  skip_space(reader);
  *value = json_loadb(reader->text + reader->at, reader->size - reader->at,
                      JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error);
  if (*value == NULL && json_error_code(&error) == json_error_out_of_memory)
    exit(report_failed("there is no memory for '%s'", reader->path));
  if (*value == NULL) {
    const int line = line_of(reader, reader->at) + (error.line > 0 ? error.line - 1 : 0);
    if (json_error_code(&error) == json_error_premature_end_of_input ||
        reader->at + (size_t)error.position >= reader->size) /* in a word or number */
      return report_misuse("'%s' is truncated: it ends in line %d, in the middle of a value",
                           reader->path, line);
    return report_misuse("'%s' is not the JSON of a profile: line %d: %s", reader->path, line,
                         error.text);
  }
  reader->at += (size_t)error.position;
  return REPORT_DONE;
}

/* --- Members ---------------------------------------------------------------------------------- */

static int read_list(struct report_reader *reader, const struct report_rule *rule)
{
  int status = take_character(reader, '[');
  if (status == REPORT_DONE && next_character(reader) == ']')
    return take_character(reader, ']');
  for (size_t number = 1; status == REPORT_DONE; number++) {
    char where[100];
    json_t *row = NULL;
    snprintf(where, sizeof where, "row %zu of '%s'", number, rule->member);
    status = take_value(reader, &row);
    if (status == REPORT_DONE && !json_is_object(row))
      status = report_misuse("'%s': %s is not an object", reader->path, where);
    if (status == REPORT_DONE)
      status = rule->read(reader, where, row);
    json_decref(row);
    if (status != REPORT_DONE || next_character(reader) != ',')
      break;
    reader->at++;
  }
  return status == REPORT_DONE ? take_character(reader, ']') : status;
}

static int take_version(struct report_reader *reader, const json_t *whole)
{
  struct report_profile *profile = reader->profile;
  const int status =
      report_take_whole(reader, "the profile", whole, "causeway_profile", &profile->version);
  if (status == REPORT_DONE && profile->version != REPORT_VERSION)
    return report_misuse("'%s' is a profile of version %llu; this cw-report reads version %d",
                         reader->path, (unsigned long long)profile->version, REPORT_VERSION);
  return status;
}

/* Reads a member of the top level that is not a list of rows, and stores its value in `whole`. */
static int read_member(struct report_reader *reader, const char *name, json_t *whole)
{
  struct report_profile *profile = reader->profile;
  json_t *value = NULL;
  int status = take_value(reader, &value);
  if (status == REPORT_DONE && json_object_set_new(whole, name, value) != 0)
    exit(report_failed("there is no memory for '%s'", reader->path));
  if (status == REPORT_DONE && strcmp(name, "causeway_profile") == 0)
    status = take_version(reader, whole);
  if (status == REPORT_DONE && strcmp(name, "missing") == 0)
    status = report_take_missing(reader, value);
  if (status == REPORT_DONE && strcmp(name, "settings") == 0)
    status = report_take_facts(reader, value, &profile->settings);
  if (status == REPORT_DONE && strcmp(name, "machine") == 0)
    status = report_take_facts(reader, value, &profile->machine);
  return status;
}

static const struct report_rule *find_rule(const char *name)
{
  for (size_t i = 0; i < report_rule_count; i++)
    if (strcmp(name, report_rules[i].member) == 0)
      return &report_rules[i];
  return NULL;
}

/* Reads any member of the top level. `whole` has the members that were read so far, to find
 * duplicates and missing members; `true` stands for a list of rows. */
static int read_any(struct report_reader *reader, json_t *whole)
{
  json_t *name = NULL;
  if (next_character(reader) != '"')
    return reject_here(reader, "a member's name");
  int status = take_value(reader, &name);
  if (status == REPORT_DONE)
    status = take_character(reader, ':');
  if (status == REPORT_DONE && json_object_get(whole, json_string_value(name)) != NULL)
    status = report_misuse("'%s' has '%.100s' twice", reader->path, json_string_value(name));
  if (status == REPORT_DONE && strcmp(json_string_value(name), "traceEvents") == 0)
    status = report_misuse("'%s' is a timeline, not a profile: Perfetto and Chrome open it",
                           reader->path);
  if (status == REPORT_DONE) {
    const struct report_rule *rule = find_rule(json_string_value(name));
    if (rule == NULL)
      status = read_member(reader, json_string_value(name), whole);
    else if (json_object_set_new(whole, rule->member, json_true()) != 0)
      exit(report_failed("there is no memory for '%s'", reader->path));
    else
      status = read_list(reader, rule);
  }
  json_decref(name);
  return status;
}

static int read_all(struct report_reader *reader, json_t *whole)
{
  static const char archive[] = "\003BOTF2"; /* first bytes of an OTF2 anchor file */
  if (reader->size > sizeof archive && memcmp(reader->text, archive, sizeof archive - 1) == 0)
    return report_misuse("'%s' is a timeline, not a profile: otf2-print, Vampir and ViTE open it",
                         reader->path);
  if (next_character(reader) != '{')
    return report_misuse("'%s' is not a profile: it does not begin with '{'", reader->path);
  reader->at++;
  int status = REPORT_DONE;
  if (next_character(reader) != '}')
    for (;;) {
      status = read_any(reader, whole);
      if (status != REPORT_DONE || next_character(reader) != ',')
        break;
      reader->at++;
    }
  if (status == REPORT_DONE)
    status = take_character(reader, '}');
  skip_space(reader);
  if (status == REPORT_DONE && reader->at < reader->size)
    status = report_misuse("'%s' has text after the end of its profile, in line %d", reader->path,
                           line_of(reader, reader->at));
  return status;
}

/* --- The whole profile ------------------------------------------------------------------------ */

static int take_top(struct report_reader *reader, const json_t *whole)
{
  struct report_profile *profile = reader->profile;
  static const char where[] = "the profile";
  const struct {
    const char *member;
    uint64_t *value;
  } wholes[] = {{"processes", &profile->processes},
                {"nodes", &profile->nodes},
                {"missing_processes", &profile->missing_processes},
                {"bytes", &profile->bytes}};
  const struct {
    const char *member;
    double *value;
  } numbers[] = {{"wall", &profile->wall},
                 {"time", &profile->time},
                 {"inside", &profile->inside},
                 {"waiting", &profile->waiting}};
  const struct {
    const char *member, **value;
  } texts[] = {
      {"causeway", &profile->causeway}, {"program", &profile->program}, {"date", &profile->date}};
  int status = REPORT_DONE;
  for (size_t i = 0; i < sizeof wholes / sizeof wholes[0] && status == REPORT_DONE; i++)
    status = report_take_whole(reader, where, whole, wholes[i].member, wholes[i].value);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && status == REPORT_DONE; i++)
    status = report_take_number(reader, where, whole, numbers[i].member, numbers[i].value);
  for (size_t i = 0; i < sizeof texts / sizeof texts[0] && status == REPORT_DONE; i++)
    status = report_take_text(reader, where, whole, texts[i].member, texts[i].value);
  if (status == REPORT_DONE && json_object_get(whole, "other_elements") != NULL)
    status = report_take_whole(reader, where, whole, "other_elements", &profile->other_elements);
  const char *ended = json_string_value(json_object_get(whole, "ended"));
  profile->has_died = ended != NULL && strcmp(ended, "died") == 0;
  profile->incomplete = json_is_true(json_object_get(whole, "incomplete"));
  profile->is_static = json_is_true(json_object_get(whole, "static"));
  return status;
}

/* Notes members that this program does not know: later versions of the format may add members
 * without a new version number. */
static void note_unknown(struct report_profile *profile, const json_t *whole)
{
  static const char *const known[] = {
      "causeway_profile",  "causeway",   "program",  "date",    "processes", "nodes",
      "missing_processes", "incomplete", "static",   "wall",    "time",      "inside",
      "waiting",           "bytes",      "settings", "machine", "ended",     "missing",
      "other_elements"};
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)whole, name, value)
  {
    bool is_known = find_rule(name) != NULL;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
      is_known = is_known || strcmp(name, known[i]) == 0;
    if (!is_known)
      *(const char **)report_add(&profile->unknown, sizeof name) = report_copy(profile, name);
  }
}

static int compare_processes(const void *a, const void *b)
{
  const struct report_process *one = a, *other = b;
  return (one->process > other->process) - (one->process < other->process);
}

static int check_all(struct report_profile *profile)
{
  const struct report_process *processes = profile->per_process.rows;
  if (profile->processes == 0 || profile->processes > INT32_MAX || profile->nodes == 0 ||
      profile->nodes > profile->processes)
    return report_misuse("'%s' has %llu processes on %llu nodes, which is impossible",
                         profile->path, (unsigned long long)profile->processes,
                         (unsigned long long)profile->nodes);
  if (profile->per_process.count > 0)
    qsort(profile->per_process.rows, profile->per_process.count, sizeof *processes,
          compare_processes);
  for (size_t i = 0; i < profile->per_process.count; i++) {
    if (i > 0 && processes[i].process == processes[i - 1].process)
      return report_misuse("'%s' has two rows of process %d", profile->path, processes[i].process);
    if ((uint64_t)processes[i].process >= profile->processes ||
        (uint64_t)processes[i].node >= profile->nodes)
      return report_misuse(
          "'%s' names process %d on node %d, but has only %d processes on %d nodes", profile->path,
          processes[i].process, processes[i].node, (int)profile->processes, (int)profile->nodes);
  }
  for (size_t i = 0; i < profile->pairs.count; i++) {
    const struct report_pair *pair = REPORT_ROWS(profile->pairs, struct report_pair) + i;
    if ((uint64_t)pair->origin >= profile->processes ||
        (uint64_t)pair->target >= profile->processes)
      return report_misuse("'%s' names a pair of processes %d and %d, but has only %d processes",
                           profile->path, pair->origin, pair->target, (int)profile->processes);
  }
  return REPORT_DONE;
}

static int read_whole(struct report_reader *reader, json_t *whole)
{
  int status = read_all(reader, whole);
  if (status == REPORT_DONE && json_object_get(whole, "causeway_profile") == NULL)
    status = report_misuse(
        "'%s' is JSON, but not a profile of Causeway: it has no 'causeway_profile'", reader->path);
  for (size_t i = 0; i < report_rule_count && status == REPORT_DONE; i++)
    if (report_rules[i].required && json_object_get(whole, report_rules[i].member) == NULL)
      status = report_misuse("'%s': the profile has no '%s'", reader->path, report_rules[i].member);
  if (status == REPORT_DONE)
    status = take_top(reader, whole);
  if (status == REPORT_DONE)
    note_unknown(reader->profile, whole);
  return status == REPORT_DONE ? check_all(reader->profile) : status;
}

int report_read(const char *path, struct report_profile *profile)
{
  struct report_reader reader = {.path = path, .profile = profile};
  json_t *whole = json_object();
  *profile = (struct report_profile){.path = path};
  if (whole == NULL)
    exit(report_failed("there is no memory for '%s'", path));
  int status = read_text(&reader);
  if (status == REPORT_DONE)
    status = read_whole(&reader, whole);
  json_decref(whole);
  free(reader.text);
  return status;
}

void report_free(struct report_profile *profile)
{
  for (size_t i = 0; i < profile->texts.count; i++)
    free(((char **)profile->texts.rows)[i]);
  for (size_t i = 0; i < profile->objects.count; i++)
    report_heat_map_free(((struct report_object *)profile->objects.rows)[i].heat_map);
  struct report_list *const lists[] = {
      &profile->classes,  &profile->operations, &profile->per_process, &profile->pairs,
      &profile->objects,  &profile->call_sites, &profile->advice,      &profile->settings,
      &profile->machine,  &profile->missing,    &profile->phases,      &profile->per_node,
      &profile->elements, &profile->waits,      &profile->memory,      &profile->unknown,
      &profile->texts};
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
    free(lists[i]->rows);
}
