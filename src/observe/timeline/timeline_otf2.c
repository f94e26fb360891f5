/* Writes a timeline as an archive of the Open Trace Format 2, which Vampir, ViTE and otf2-print
 * read. OTF2's library is opened only when such a timeline is wanted, so programs are not linked
 * with it. A process is a location group and a thread a location. Calls (by their names), tasks (by
 * their functions) and phases are regions; the description of a call's region is its class. */
#include "base/hash.h"
#include "base/reserve.h"
#include "base/symbols.h"
#include "output/atomic_archive.h"
#include "team/world.h"
#include "timeline/otf2_library.h"
#include "timeline/timeline_writer.h"

#include <causeway/profile.h>

#include <dlfcn.h>
#include <errno.h>
#include <otf2/otf2.h>
#include <stdlib.h>
#include <string.h>

/* The functions of the library, named like them. */
static struct {
  void *library;
#define X(name) __typeof__(&OTF2_##name) name;
#include "timeline/otf2.def"
#undef X
} otf2;

static const struct cwi_symbol functions[] = {
#define X(name) {"OTF2_" #name, &otf2.name},
#include "timeline/otf2.def"
#undef X
    {NULL, NULL}};

static const char *otf2_why_not(void)
{
  static char message[512];
  if (otf2.library == NULL)
    otf2.library = dlopen(CW_OTF2_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  const char *missing =
      otf2.library != NULL ? cwi_symbols_find(otf2.library, functions) : dlerror();
  if (missing == NULL)
    return NULL;
  snprintf(message, sizeof message,
           "a name that ends in .otf2 needs the library of OTF2 (%s), and it cannot be used: %s",
           CW_OTF2_LIBRARY, missing);
  return message;
}

/* --- The archive ------------------------------------------------------------------------------ */

enum { ANY_ROOT = 0, FIRST_NODE = 1 };
enum { TARGET, BYTES, OBJECT };

/* A call, task or phase that has begun and not ended. */
struct open_region {
  uint64_t ended;
  OTF2_RegionRef region;
};

struct otf2_archive {
  struct cwi_atomic_archive whole;
  OTF2_Archive *archive;
  OTF2_GlobalDefWriter *definitions;
  OTF2_EvtWriter *events; /* writes the location in progress, or NULL */
  OTF2_AttributeList *attributes;
  struct cwi_hash_map strings, regions; /* hash -> number + 1 */
  uint32_t string_count, region_count;
  int nodes;
  uint64_t locations;
  uint64_t last; /* latest end of an event */
  struct open_region *open;
  size_t depth, capacity;
  OTF2_ErrorCallback before; /* previous callback, restored at the end */
  int code;                  /* errno of the first error, or 0 */
};

/* Records the first error. Without this callback the library would print it. */
static OTF2_ErrorCode note_error(void *given, const char *file, uint64_t line, const char *function,
                                 OTF2_ErrorCode code, const char *format, va_list arguments)
{
  struct otf2_archive *archive = given;
  (void)file, (void)line, (void)function, (void)format, (void)arguments;
  if (archive->code == 0)
    archive->code = errno != 0 ? errno : EIO;
  return code;
}

static void note(struct otf2_archive *archive, OTF2_ErrorCode code)
{
  if (code != OTF2_SUCCESS && archive->code == 0)
    archive->code = EIO;
}

static OTF2_FlushType always_flush(void *given, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool is_last)
{
  (void)given, (void)type, (void)location, (void)caller, (void)is_last;
  return OTF2_FLUSH;
}

/* --- Definitions ------------------------------------------------------------------------------ */

/* Returns the number of a string, which is defined at its first use. Two strings with the same hash
 * would be mixed up: a chance of 1 in 2^64. Without memory a string is defined again. */
static OTF2_StringRef define_string(struct otf2_archive *archive, const char *text)
{
  const uint64_t hash = cwi_hash_word(CWI_HASH_EMPTY, text) | 1;
  const uintptr_t known = (uintptr_t)cwi_hash_map_find(&archive->strings, hash);
  if (known > 0)
    return (OTF2_StringRef)(known - 1);
  const uint32_t number = archive->string_count++;
  note(archive, otf2.GlobalDefWriter_WriteString(archive->definitions, number, text));
  const cw_error kept =
      cwi_hash_map_insert(&archive->strings, hash, (void *)((uintptr_t)number + 1)); /* NOLINT */
  (void)kept;
  return number;
}

static OTF2_RegionRef define_region(struct otf2_archive *archive, int what,
                                    const struct cwi_event_words *words)
{
  static const OTF2_RegionRole roles[CW_CALL_CLASSES] = {
      [CW_CALL_PUT] = OTF2_REGION_ROLE_RMA,
      [CW_CALL_GET] = OTF2_REGION_ROLE_RMA,
      [CW_CALL_ACCUMULATE] = OTF2_REGION_ROLE_RMA,
      [CW_CALL_RMW] = OTF2_REGION_ROLE_ATOMIC,
      [CW_CALL_LOCK] = OTF2_REGION_ROLE_CRITICAL,
      [CW_CALL_FENCE] = OTF2_REGION_ROLE_FLUSH,
      [CW_CALL_PATCH] = OTF2_REGION_ROLE_RMA,
      [CW_CALL_ELEMENTS] = OTF2_REGION_ROLE_RMA,
      [CW_CALL_WAIT] = OTF2_REGION_ROLE_TASK_WAIT,
      [CW_CALL_FLUSH] = OTF2_REGION_ROLE_FLUSH,
      [CW_CALL_BARRIER] = OTF2_REGION_ROLE_BARRIER,
      [CW_CALL_COLLECTIVE] = OTF2_REGION_ROLE_COLL_OTHER,
      [CW_CALL_FILE] = OTF2_REGION_ROLE_FILE_IO,
      [CW_CALL_MAKE] = OTF2_REGION_ROLE_ALLOCATE,
      [CW_CALL_FINALIZE] = OTF2_REGION_ROLE_BARRIER,
      [CW_CALL_TASK] = OTF2_REGION_ROLE_TASK,
      [CW_CALL_PROGRAM_PHASE] = OTF2_REGION_ROLE_CODE};
  const OTF2_StringRef name = define_string(archive, words->name),
                       class_name = define_string(
                           archive, words->class_name != NULL ? words->class_name : ""),
                       nothing = define_string(archive, "");
  const uint64_t key = (uint64_t)name << 8 | (uint64_t)(what + 1);
  const uintptr_t known = (uintptr_t)cwi_hash_map_find(&archive->regions, key);
  if (known > 0)
    return (OTF2_RegionRef)(known - 1);
  const uint32_t number = archive->region_count++;
  note(archive, otf2.GlobalDefWriter_WriteRegion(
                    archive->definitions, number, name, name, class_name, roles[what],
                    what < CW_CALL_TASK ? OTF2_PARADIGM_UNKNOWN : OTF2_PARADIGM_USER,
                    OTF2_REGION_FLAG_NONE, nothing, 0, 0));
  const cw_error kept =
      cwi_hash_map_insert(&archive->regions, key, (void *)((uintptr_t)number + 1)); /* NOLINT */
  (void)kept;
  return number;
}

static void define_attribute(struct otf2_archive *archive, OTF2_AttributeRef number,
                             const char *name, const char *description, OTF2_Type type)
{
  note(archive, otf2.GlobalDefWriter_WriteAttribute(archive->definitions, number,
                                                    define_string(archive, name),
                                                    define_string(archive, description), type));
}

static void define_root(struct otf2_archive *archive)
{
  const OTF2_StringRef machine = define_string(archive, "machine");
  note(archive, otf2.GlobalDefWriter_WriteSystemTreeNode(archive->definitions, ANY_ROOT, machine,
                                                         machine, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  define_attribute(archive, TARGET, "target", "process; -2: several", OTF2_TYPE_INT32);
  define_attribute(archive, BYTES, "bytes", "moved by the call", OTF2_TYPE_UINT64);
  define_attribute(archive, OBJECT, "object", "of the call's first operation", OTF2_TYPE_STRING);
}

/* --- The writer ------------------------------------------------------------------------------- */

static bool begin_archive(struct otf2_archive *archive)
{
  static const OTF2_FlushCallbacks flushes = {.otf2_pre_flush = always_flush};
  archive->archive =
      otf2.Archive_Open(archive->whole.beside, archive->whole.name, OTF2_FILEMODE_WRITE,
                        OTF2_CHUNK_SIZE_EVENTS_DEFAULT, OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT,
                        OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive->archive == NULL)
    return false;
  note(archive, otf2.Archive_SetFlushCallbacks(archive->archive, &flushes, NULL));
  note(archive, otf2.Archive_SetSerialCollectiveCallbacks(archive->archive));
  note(archive, otf2.Archive_SetCreator(archive->archive, "Causeway"));
  note(archive, otf2.Archive_OpenEvtFiles(archive->archive));
  archive->definitions = otf2.Archive_GetGlobalDefWriter(archive->archive);
  archive->attributes = otf2.AttributeList_New();
  return archive->code == 0 && archive->definitions != NULL && archive->attributes != NULL;
}

/* Closes the archive and frees the state. Keeps the archive only if there was no error. */
static int end_archive(struct cwi_timeline_file *file)
{
  struct otf2_archive *archive = file->more;
  if (archive->archive != NULL)
    note(archive, otf2.Archive_Close(archive->archive));
  if (archive->attributes != NULL)
    otf2.AttributeList_Delete(archive->attributes);
  otf2.Error_RegisterCallback(archive->before, NULL);
  cwi_hash_map_clear(&archive->strings);
  cwi_hash_map_clear(&archive->regions);
  free(archive->open);
  int code = archive->code;
  if (code == 0)
    code = cwi_atomic_archive_close(&archive->whole);
  else
    cwi_atomic_archive_drop(&archive->whole);
  free(archive);
  file->more = NULL;
  return code;
}

static int otf2_open(struct cwi_timeline_file *file, const char *name, const char *unique)
{
  struct otf2_archive *archive = calloc(1, sizeof *archive);
  if (archive == NULL)
    return ENOMEM;
  const int code = cwi_atomic_archive_open(&archive->whole, name, unique);
  if (code != 0) {
    free(archive);
    return code;
  }
  file->more = archive;
  errno = 0;
  archive->before = otf2.Error_RegisterCallback(note_error, archive);
  if (begin_archive(archive)) {
    define_root(archive);
    return 0;
  }
  if (archive->code == 0)
    archive->code = EIO;
  return end_archive(file);
}

static void otf2_process(struct cwi_timeline_file *file, const struct cwi_packed_process *process)
{
  struct otf2_archive *archive = file->more;
  const OTF2_SystemTreeNodeRef node = FIRST_NODE + (OTF2_SystemTreeNodeRef)process->node;
  char text[128];
  for (; archive->nodes <= process->node; archive->nodes++) {
    snprintf(text, sizeof text, "node %d (%s)", archive->nodes,
             cwi_world.machine_name_of[archive->nodes].text);
    note(archive, otf2.GlobalDefWriter_WriteSystemTreeNode(
                      archive->definitions, FIRST_NODE + (OTF2_SystemTreeNodeRef)archive->nodes,
                      define_string(archive, text), define_string(archive, "node"), ANY_ROOT));
  }
  snprintf(text, sizeof text, "process %d", process->process);
  note(archive, otf2.GlobalDefWriter_WriteLocationGroup(
                    archive->definitions, (OTF2_LocationGroupRef)process->process,
                    define_string(archive, text), OTF2_LOCATION_GROUP_TYPE_PROCESS, node,
                    OTF2_UNDEFINED_LOCATION_GROUP));
}

/* Writes the ends of all open regions that end at or before `time`. */
static void leave_until(struct otf2_archive *archive, uint64_t time)
{
  while (archive->depth > 0 && archive->open[archive->depth - 1].ended <= time) {
    const struct open_region *last = &archive->open[--archive->depth];
    note(archive, otf2.EvtWriter_Leave(archive->events, NULL, last->ended, last->region));
    if (last->ended > archive->last)
      archive->last = last->ended;
  }
}

static void end_thread(struct otf2_archive *archive)
{
  if (archive->events == NULL)
    return;
  leave_until(archive, UINT64_MAX);
  note(archive, otf2.Archive_CloseEvtWriter(archive->archive, archive->events));
  archive->events = NULL;
}

static void otf2_thread(struct cwi_timeline_file *file, const struct cwi_packed_thread *thread)
{
  struct otf2_archive *archive = file->more;
  const OTF2_LocationRef location = archive->locations++;
  char text[64];
  end_thread(archive);
  snprintf(text, sizeof text, "thread %llu", (unsigned long long)thread->number);
  note(archive, otf2.GlobalDefWriter_WriteLocation(
                    archive->definitions, location, define_string(archive, text),
                    OTF2_LOCATION_TYPE_CPU_THREAD, 2 * thread->events,
                    (OTF2_LocationGroupRef)file->process));
  note(archive, otf2.GlobalDefWriter_WriteLocationProperty(
                    archive->definitions, location, define_string(archive, "dropped events"),
                    OTF2_TYPE_UINT64, (OTF2_AttributeValue){.uint64 = thread->dropped}));
  archive->events = otf2.Archive_GetEvtWriter(archive->archive, location);
  if (archive->events == NULL && archive->code == 0)
    archive->code = ENOMEM;
}

/* Returns false if there is no memory. */
static bool push(struct otf2_archive *archive, struct open_region region)
{
  if (!CWI_RESERVE(archive->open, archive->depth, archive->capacity, 64))
    return false;
  archive->open[archive->depth++] = region;
  return true;
}

static void add_facts(struct otf2_archive *archive, const struct cwi_packed_event *event,
                      const char *object)
{
  if (event->target == CW_NO_TARGET)
    return;
  note(archive, otf2.AttributeList_AddInt32(archive->attributes, TARGET, event->target));
  note(archive, otf2.AttributeList_AddUint64(archive->attributes, BYTES, event->bytes));
  if (object != NULL)
    note(archive, otf2.AttributeList_AddStringRef(archive->attributes, OBJECT,
                                                  define_string(archive, object)));
}

static void otf2_event(struct cwi_timeline_file *file, const struct cwi_packed_event *event,
                       const struct cwi_event_words *words)
{
  struct otf2_archive *archive = file->more;
  if (archive->code != 0)
    return;
  leave_until(archive, event->began);
  const struct open_region region = {event->ended, define_region(archive, event->what, words)};
  if (!push(archive, region)) {
    archive->code = ENOMEM;
    return;
  }
  if (words->class_name != NULL)
    add_facts(archive, event, words->object);
  note(archive,
       otf2.EvtWriter_Enter(archive->events, archive->attributes, event->began, region.region));
}

/* Writes an empty file of definitions for each location, because readers expect one. */
static void write_local_definitions(struct otf2_archive *archive)
{
  note(archive, otf2.Archive_OpenDefFiles(archive->archive));
  for (uint64_t location = 0; location < archive->locations && archive->code == 0; location++) {
    OTF2_DefWriter *writer = otf2.Archive_GetDefWriter(archive->archive, location);
    if (writer == NULL)
      archive->code = ENOMEM;
    else
      note(archive, otf2.Archive_CloseDefWriter(archive->archive, writer));
  }
  note(archive, otf2.Archive_CloseDefFiles(archive->archive));
}

static void describe_death(struct otf2_archive *archive, const char *missing)
{
  char text[1024];
  snprintf(text, sizeof text, "The job has died: these are the events until then%s%s",
           missing[0] != '\0' ? ", without those of processes " : "", missing);
  note(archive, otf2.Archive_SetDescription(archive->archive, text));
}

static int otf2_close(struct cwi_timeline_file *file)
{
  static const uint64_t nanoseconds = 1000000000;
  struct otf2_archive *archive = file->more;
  end_thread(archive);
  if (file->has_died)
    describe_death(archive, file->missing);
  note(archive, otf2.Archive_CloseEvtFiles(archive->archive));
  if (archive->code == 0)
    write_local_definitions(archive);
  note(archive, otf2.GlobalDefWriter_WriteClockProperties(archive->definitions, nanoseconds, 0,
                                                          archive->last, OTF2_UNDEFINED_TIMESTAMP));
  return end_archive(file);
}

const struct cwi_timeline_writer cwi_timeline_otf2 = {
    otf2_why_not, cwi_atomic_archive_try,    otf2_open, otf2_process, otf2_thread, otf2_event,
    otf2_close,   cwi_atomic_archive_drop_of};
