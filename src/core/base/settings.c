/* The table of settings: reads them from the environment at start, and prints them. */
#include "base/settings.h"

#include "base/log.h"
#include "base/setting_text.h"
#include "base/spelling.h"
#include "base/workaround_names.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EACH, JOB };          /* of_job in the table */
enum { LONGEST_TEXT = 512 }; /* bytes of a value or a range as text */

#define AT(field) offsetof(struct cwi_settings, field)
#define MEGA (1024L * 1024L)
#define MOST_BYTES (LONG_MAX >> 40 << 40) /* a multiple of 1 T */
#define WORD(id, name) "|" #name

static const struct cwi_setting table[] = {
    {"CW_ROUTE", NULL, CWI_CHOICE, JOB, AT(route), CWI_ROUTE_AUTO, 0, 3, "auto|direct|rma|server",
     "how transfers reach their target; auto: shared memory inside a node; between nodes the "
     "target's server, and MPI one-sided where that needs no help from the target; rma: everything "
     "through MPI one-sided; server: everything between nodes through servers"},
    {"CW_SERVER", NULL, CWI_CHOICE, JOB, AT(server), CWI_SERVER_AUTO, 0, 3, "auto|thread|rank|none",
     "what answers for a node in jobs of several nodes: a thread of its first process (needs "
     "MPI_THREAD_MULTIPLE), its last rank, which is set aside, or nothing; auto: a thread if MPI "
     "allows it"},
    {"CW_TOPOLOGY", NULL, CWI_CHOICE, JOB, AT(topology), CWI_TOPOLOGY_AUTO, 0, 4,
     "auto|fcg|mfcg|cfcg|hypercube",
     "which nodes send requests to each other directly, while other requests are forwarded: all "
     "nodes (fcg), the rows and columns of a mesh (mfcg), the lines of a cube (cfcg), or a "
     "hypercube; auto: fcg for up to 256 nodes, else mfcg"},
    {"CW_SERVER_BUFFER", NULL, CWI_BYTES, JOB, AT(server_buffer), 17408, 4096, 16 * MEGA, NULL,
     "size of a request buffer: a request and its data"},
    {"CW_SERVER_CREDITS", NULL, CWI_COUNT, JOB, AT(server_credits), 32, 2, 4096, NULL,
     "request buffers that a server has for each neighbour in the topology"},
    {"CW_SERVER_BULK", NULL, CWI_BYTES, EACH, AT(server_bulk), MEGA / 8, 1, MOST_BYTES, NULL,
     "transfers of at least this many bytes (contiguous, or rows at a constant distance) go in "
     "messages of their own; MPI sends and receives contiguous data without an intermediate "
     "buffer"},
    {"CW_SERVER_SPIN", NULL, CWI_COUNT, EACH, AT(server_spin), 100, 0, 1000000, NULL,
     "microseconds for which a server polls for further requests before it begins to sleep between "
     "polls; fewer if it finds none"},
    {"CW_SERVER_TIMEOUT", NULL, CWI_COUNT, EACH, AT(server_timeout), 60, 0, INT_MAX, NULL,
     "seconds without an answer to a liveness check before the job is aborted; 0 waits for ever"},
    {"CW_SERVER_PLACE", NULL, CWI_FLAG, JOB, AT(server_place), 1, 0, 1, NULL,
     "if the launcher binds processes to cores, a server's thread runs on cores to which no "
     "process is bound; 0: on the cores of its process"},
    {"CW_GATHER", NULL, CWI_FLAG, JOB, AT(gather), 1, 0, 1, NULL,
     "blocking updates wait for further ones while earlier ones are on their way to the server; 0: "
     "each is sent at once"},
    {"CW_NODE_SIZE", NULL, CWI_COUNT, JOB, AT(node_size), 0, 0, INT_MAX, NULL,
     "split the processes of one machine into virtual nodes of this many processes (with "
     "CW_SERVER=rank each has one more, its server); 0: do not split"},
    {"CW_ZONE", NULL, CWI_CHOICE, JOB, AT(zone), CWI_ZONE_AUTO, 0, 2, "auto|memfd|mpi",
     "where a node's memory comes from: an unnamed file (memfd), or an MPI shared-memory window; "
     "auto: memfd, else MPI"},
    {"CW_ZONE_ADDRESS", NULL, CWI_ADDRESS, JOB, AT(zone_address), 0x200000000000L, 65536,
     MOST_BYTES, NULL,
     "address at which the zone is mapped, the same in all processes of a node; with several "
     "worlds in one job, at this address or above"},
    {"CW_ZONE_SIZE", NULL, CWI_BYTES, EACH, AT(zone_size), 0, 0, MOST_BYTES, NULL,
     "address range of the zone; 0: four times the machine's memory (MPI zone: a quarter of it)"},
    {"CW_MEMORY_LIMIT", NULL, CWI_BYTES, EACH, AT(memory_limit), 0, 0, MOST_BYTES, NULL,
     "memory that a node may hand out; 0: as much as the machine and its cgroup have free"},
    {"CW_CHUNK_SIZE", NULL, CWI_BYTES, JOB, AT(chunk_size), 16 * MEGA, 65536, MOST_BYTES, NULL,
     "memory that one MPI window covers, on teams that span nodes"},
    {"CW_PUNCH", NULL, CWI_CHOICE, EACH, AT(punch), CWI_PUNCH_AUTO, 0, 2, "auto|always|never",
     "return freed memory to the system; auto: in jobs of one node. Do not set always where a "
     "network adapter reads and writes memory by itself (RDMA)"},
    {"CW_PUNCH_SIZE", NULL, CWI_BYTES, EACH, AT(punch_size), 4 * MEGA, 65536, MOST_BYTES, NULL,
     "freed ranges of at least this size go back to the system at once (CW_PUNCH)"},
    {"CW_NUMA", NULL, CWI_CHOICE, EACH, AT(numa), CWI_NUMA_AUTO, 0, 2, "auto|off|force",
     "slices of 64 KiB and more get memory on the NUMA node of the core on which their process "
     "runs when it makes them; auto: where the machine has several"},
    {"CW_COPY", NULL, CWI_CHOICE, EACH, AT(copy), 0, 0, 4, "auto|library|loop|string|wide",
     "how longer runs of memory are copied: as the C library does (library), by a loop of "
     "Causeway's (wide: with AVX-512), or from 4 KiB on by the processor's instruction for "
     "strings; auto: the fastest, which each process measures when it starts"},
    {"CW_HUGE_PAGES", NULL, CWI_FLAG, EACH, AT(huge_pages), 0, 0, 1, NULL,
     "request transparent huge pages in the zone"},
    {"CW_CORE_REGIONS", NULL, CWI_FLAG, EACH, AT(core_regions), 0, 0, 1, NULL,
     "core dumps include the node's memory: the dump of each process holds all of it"},
    {"CW_CLEAR_MEMORY", "ARMCI_DEBUG_ALLOC", CWI_FLAG, EACH, AT(clear_memory), 0, 0, 1, NULL,
     "fill new memory with zeros"},
    {"CW_RMA_METHOD", "ARMCI_IOV_METHOD", CWI_CHOICE, EACH, AT(rma_method), CWI_BATCHED, 0, 3,
     "conservative|batched|direct|auto",
     "how MPI carries non-contiguous transfers: conservative: one operation and flush per segment; "
     "batched: several operations per flush; direct: one operation with derived datatypes; auto: "
     "datatypes unless segments overlap"},
    {"CW_RMA_BATCH", "ARMCI_IOV_BATCHED_LIMIT", CWI_COUNT, EACH, AT(rma_batch), 0, 0, INT_MAX, NULL,
     "method batched: operations between flushes, or 0 for no limit"},
    {"CW_RMA_REQUESTS", NULL, CWI_FLAG, EACH, AT(rma_requests), 0, 0, 1, NULL,
     "complete non-blocking transfers by MPI requests instead of flushes"},
    {"CW_RMA_STAGE", NULL, CWI_FLAG, EACH, AT(rma_stage), 0, 0, 1, NULL,
     "copy local buffers that lie in a region through private memory first"},
    {"CW_RMA_CHECK", "ARMCI_IOV_CHECKS", CWI_FLAG, EACH, AT(rma_check), 0, 0, 1, NULL,
     "check every vector transfer for overlapping segments, and then send them one by one"},
    {"CW_ATTACH", NULL, CWI_CHOICE, JOB, AT(attach), CWI_ATTACH_AUTO, 0, 1, "auto|never",
     "auto: inside a node the kernel copies memory that a handle names (process_vm_readv), where "
     "it allows that; never: always a thread of the memory's owner copies"},
    {"CW_DEVICE", NULL, CWI_CHOICE, EACH, AT(device), CWI_DEVICE_ANY, 0, 4,
     "any|host|opencl|cuda|none",
     "device that CW_DEVICE_ANY opens; host: a device whose kernels run in threads of the process; "
     "any: one of CUDA, else of OpenCL, else host; none: no device"},
    {"CW_DEVICE_PEER", NULL, CWI_CHOICE, EACH, AT(device_peer), CWI_DEVICE_PEER_AUTO, 0, 1,
     "auto|agent",
     "who moves data to and from devices of node peers; auto: the process itself, by its own "
     "device (CUDA's IPC), where the driver allows it, and else a thread of the owner; agent: "
     "always that thread"},
    {"CW_DEVICE_PACK", NULL, CWI_BYTES, EACH, AT(device_pack), 512, 0, MOST_BYTES, NULL,
     "rows shorter than this are packed and unpacked on the device by a kernel, and are "
     "transferred as one contiguous block"},
    {"CW_DEVICE_SHARED", NULL, CWI_CHOICE, EACH, AT(device_shared), CWI_SHARED_AUTO, 0, 2,
     "auto|always|never",
     "slices on a device that is the processor lie in host memory, which every process reaches as "
     "any host memory; auto: if a probe shows that the device and the host see each other's "
     "stores; always: without a probe, and also on simulated devices, for tests; never: slices "
     "have memory of their own"},
    {"CW_DEVICE_HOST_COUNT", NULL, CWI_COUNT, EACH, AT(device_host_count), 1, 1, 64, NULL,
     "number of simulated devices of the host (docs/reference/devices.md); this and the next four "
     "settings are for tests"},
    {"CW_DEVICE_HOST_MEMORY", NULL, CWI_BYTES, EACH, AT(device_host_memory), 0, 0, MOST_BYTES, NULL,
     "memory of each simulated device; 0: the machine's"},
    {"CW_DEVICE_HOST_LATENCY", NULL, CWI_COUNT, EACH, AT(device_host_latency), 0, 0, INT_MAX, NULL,
     "nanoseconds that each transfer or kernel takes at least on a simulated device. With one of "
     "these three settings the device simulates its speed: a command completes when a device of "
     "that speed would complete it"},
    {"CW_DEVICE_HOST_RATE", NULL, CWI_COUNT, EACH, AT(device_host_rate), 0, 0, INT_MAX, NULL,
     "bytes in a microsecond to or from a simulated device; 0: no limit"},
    {"CW_DEVICE_HOST_ITEM", NULL, CWI_COUNT, EACH, AT(device_host_item), 0, 0, INT_MAX, NULL,
     "nanoseconds of a kernel's work item on a simulated device; 0: the time that the item takes"},
    {"CW_TEAM_METHOD", NULL, CWI_CHOICE, JOB, AT(team_method), CWI_TEAM_CREATE_GROUP, 0, 1,
     "create_group|merge",
     "non-collective team creation: MPI_Comm_create_group, or merging intercommunicators (for "
     "comparison; not for several threads at once: MPICH 4.0.2 mixes their messages)"},
    {"CW_DOMAINS", NULL, CWI_CHOICE, JOB, AT(domains), CWI_DOMAINS_PROCESS, 0, 1, "process|node",
     "what ARMCI's domain calls report: every process its own domain, or the nodes"},
    {"CW_GA_DISTRIBUTION", NULL, CWI_NUMBERED, JOB, AT(ga_distribution), 0, 1, INT_MAX,
     "block|cyclic|block-cyclic:b",
     "libcwga: distribution of arrays for which the program does not choose one: in blocks, "
     "element by element over a grid of processes (cyclic), or in blocks of b elements in each "
     "dimension; the program sees blocks (docs/reference/ga.md)"},
    {"CW_RAISE_THREADS", NULL, CWI_FLAG, EACH, AT(raise_threads), 1, 0, 1, NULL,
     "libarmci: MPI_Init requests MPI_THREAD_MULTIPLE in jobs of more than one node"},
    {"CW_ALONE", NULL, CWI_FLAG, EACH, AT(alone), 0, 0, 1, NULL,
     "1: each process is a world of its own although a launcher has started several; 0: cw_init "
     "reports an error, because the launcher belongs to another MPI than the program"},
    {"CW_SPIN", NULL, CWI_COUNT, EACH, AT(spin), 2000, 0, INT_MAX, NULL,
     "number of polls of a waiting process before it yields its core; at most 20 when processes "
     "outnumber cores"},
    {"CW_LEAVE_CONNECTIONS", NULL, CWI_CHOICE, EACH, AT(leave_connections), CWI_LEAVE_AUTO, 0, 2,
     "auto|always|never",
     "MPI_Finalize leaves UCX's TCP connections open until the process ends, because closing them "
     "may hang; auto: with MPICH 4.0 and UCX 1.13, whose jobs hang"},
    {"CW_CUDA_LIBRARY", NULL, CWI_TEXT, EACH, AT(cuda_library), 0, 0, 0, "a file name",
     "the CUDA driver's library; empty: libcuda.so.1"},
    {"CW_VOCL_VENDORS", NULL, CWI_TEXT, EACH, AT(vocl_vendors), 0, 0, 0,
     "names with colons between",
     "libcw-vocl: the vendors' OpenCL whose devices it shows; each name is a folder of .icd files, "
     "one such file, or a library; empty: /etc/OpenCL/vendors"},
    {"CW_VOCL_SERVICE", NULL, CWI_TEXT, EACH, AT(vocl_service), 0, 0, 0, "a name",
     "virtual OpenCL: the service whose proxies programs use, and cw-vocl starts; empty: default"},
    {"CW_VOCL_LOCAL", NULL, CWI_CHOICE, EACH, AT(vocl_local), CWI_VOCL_PROGRAM, 0, 1,
     "program|proxy",
     "virtual OpenCL: who uses this machine's devices: the program itself, or the service's proxy "
     "for it"},
    {"CW_VOCL_SESSIONS", NULL, CWI_COUNT, JOB, AT(vocl_sessions), 64, 1, 120, NULL,
     "virtual OpenCL: number of sessions that a proxy can relay, or serve for programs at other "
     "proxies, at one time; each takes up to 17 MiB"},
    {"CW_VOCL_AHEAD", NULL, CWI_COUNT, EACH, AT(vocl_ahead), 64, 1, 65536, NULL,
     "cw-vocl: number of commands of a program's queue that a proxy gives to its device before the "
     "first of them is complete"},
    {"CW_VOCL_BALANCE", NULL, CWI_FLAG, JOB, AT(vocl_balance), 0, 0, 1, NULL,
     "cw-vocl: proxies move a program to another device, if several are active on one while an "
     "equal device has two fewer"},
    {"CW_VOCL_DRAIN", NULL, CWI_COUNT, EACH, AT(vocl_drain), 30, 0, INT_MAX, NULL,
     "libcw-vocl: seconds that a move waits for the commands of the old device to complete; after "
     "that the program stays there"},
    {"CW_VOCL_SILENCE", NULL, CWI_COUNT, JOB, AT(vocl_silence), 5, 0, 86400, NULL,
     "cw-vocl: seconds without an answer from a proxy that shares sessions before the service "
     "ends; 0 waits for ever"},
    {"CW_WORKAROUNDS", NULL, CWI_SIGNED, JOB, AT(workarounds), 0, 0, 0,
     "all" CWI_WORKAROUND_NAMES(WORD),
     "bugs of MPI that Causeway works around (+) or not (-), instead of those that its table has "
     "for this MPI; +all: all work-arounds that are right with any MPI; cw-info --selftest finds "
     "the bugs of this MPI"},
    {"CW_STATS", NULL, CWI_FLAG, JOB, AT(stats), 0, 0, 1, NULL,
     "count operations by kind, route and size, and print them at the end"},
    {"CW_CHECK", NULL, CWI_FLAG, JOB, AT(check), 0, 0, 1, NULL,
     "check for mistakes of the program: members of a team in different collective calls, calls of "
     "threads that may not make them, objects that are not freed at the end"},
    {"CW_ERRORS", NULL, CWI_CHOICE, EACH, AT(errors), CWI_ERRORS_RETURN, 0, 1, "return|fatal",
     "return: a native call that fails returns its error; fatal: it ends the job with its message, "
     "except within CW_MAY_FAIL and in programs that start ARMCI or GA, whose own calls always end "
     "the job"},
    {"CW_WAIT_REPORT", NULL, CWI_COUNT, EACH, AT(wait_report), 60, 0, INT_MAX, NULL,
     "seconds after which a process that waits for others reports once in which call it waits, and "
     "for which process; 0: never"},
    {"CW_LOG", "ARMCI_VERBOSE", CWI_COUNT, EACH, AT(log), 1, 0, 3, NULL,
     "messages: 0 none, 1 warnings, 2 information, 3 everything"},
    {"CW_PROFILE", NULL, CWI_TEXT, JOB, AT(profile), 0, 0, 1,
     "a file name, or 1 for a name made of program, date and job; 0: no file",
     "count and clock the operations of each process, print a summary at the end, and write "
     "everything to this file (docs/reference/profile.md)"},
    {"CW_TIMELINE", NULL, CWI_TEXT, JOB, AT(timeline), 0, 0, 1,
     "a file name, or 1 for a name made of program, date and job; 0: no file",
     "write to this file what each thread did when, as Chrome's trace events, or as OTF2 where the "
     "name ends in .otf2 (docs/reference/profile.md)"},
    {"CW_TIMELINE_EVENTS", NULL, CWI_COUNT, EACH, AT(timeline_events), 65536, 16, INT_MAX, NULL,
     "number of events that CW_TIMELINE keeps of each thread, the latest ones, of 48 bytes each"},
};

enum { SETTINGS = sizeof table / sizeof table[0] };

struct cwi_settings cwi_settings;
static const char *origins[SETTINGS];
static bool are_read; /* all settings have been read without error */

static long *value_of(const struct cwi_setting *setting)
{
  return (long *)((char *)&cwi_settings + setting->offset);
}

/* Combines the observers in one value, so that fast paths test only that. */
static void note_watchers(void)
{
  const bool profile =
      cwi_settings.profile != 0 || cwi_settings.timeline != 0 || cwi_settings.tools != 0;
  const bool others = cwi_settings.stats != 0 || cwi_settings.check != 0;
  cwi_settings.observed = profile * CWI_OBSERVED_BY_PROFILE + others * CWI_OBSERVED_BY_OTHERS +
                          (cwi_settings.observed & CWI_BUFFERS_OBSERVED);
}

void cwi_settings_watch_buffers(bool watch)
{
  const long others = cwi_settings.observed & ~(long)CWI_BUFFERS_OBSERVED;
  cwi_settings.observed = others | (watch ? CWI_BUFFERS_OBSERVED : 0);
}

void cwi_settings_add_tools(void)
{
  cwi_settings.tools = 1;
  note_watchers();
}

/* Texts that follow the range in a message about a wrong value. */
static const char formats[CWI_TEXT + 1][80] = {
    [CWI_COUNT] = ", a whole number",
    [CWI_BYTES] = ", a number of bytes; the suffixes k, M, G and T stand for powers of 1024",
    [CWI_ADDRESS] = ", an address",
    [CWI_NUMBERED] = ", b from 1 on"};

static cw_error settings_take(size_t index, const char *name, const char *text, const char *origin)
{
  const struct cwi_setting *setting = &table[index];
  long value = 0;
  if (cwi_setting_parse(setting, text, &value)) {
    *value_of(setting) = value;
    origins[index] = origin;
    note_watchers();
    return CW_OK;
  }
  /* An unknown ARMCI_* value must not end a job that works; it only causes a warning. */
  if (setting->alias != NULL && strcmp(name, setting->alias) == 0)
    return CW_OK;
  char range[LONGEST_TEXT];
  cwi_setting_range(setting, range, sizeof range);
  return cwi_misuse("the setting %s is '%.64s'; it may be %s%s (cw-info --settings describes it)",
                    name, text, range, formats[setting->kind]);
}

/* Writes the name that the setting had in version 0.2: CW_RMA_* were called CW_WINDOW_*. */
static const char *earlier_name(const struct cwi_setting *setting, char name[64])
{
  const bool is_renamed = strncmp(setting->name, "CW_RMA_", 7) == 0;
  snprintf(name, 64, "%s%s", is_renamed ? "CW_WINDOW_" : "", setting->name + (is_renamed ? 7 : 0));
  return name;
}

/* Returns the setting of this name or earlier name, or NULL. */
static const struct cwi_setting *find_setting(const char *name)
{
  char earlier[64];
  for (size_t i = 0; i < SETTINGS; i++)
    if (strcmp(table[i].name, name) == 0 || strcmp(earlier_name(&table[i], earlier), name) == 0)
      return &table[i];
  return NULL;
}

static cw_error read_all(void)
{
  for (size_t i = 0; i < SETTINGS; i++) {
    *value_of(&table[i]) = table[i].standard;
    origins[i] = "default";
  }
  note_watchers();
  for (size_t i = 0; i < SETTINGS; i++) {
    const char *alias = table[i].alias != NULL ? getenv(table[i].alias) : NULL;
    if (alias != NULL)
      CWI_TRY(settings_take(i, table[i].alias, alias, table[i].alias));
    char earlier[64];
    if (strcmp(earlier_name(&table[i], earlier), table[i].name) != 0 && getenv(earlier) != NULL)
      CWI_TRY(settings_take(i, earlier, getenv(earlier), "CW_WINDOW_*"));
    const char *text = getenv(table[i].name);
    if (text != NULL)
      CWI_TRY(settings_take(i, table[i].name, text, "environment"));
  }
  return CW_OK;
}

cw_error cwi_settings_read(void)
{
  const cw_error error = read_all();
  are_read = error == CW_OK;
  cwi_log_up_to(cwi_settings.log);
  return error;
}

static void read_setting(const char *name)
{
  const struct cwi_setting *setting = find_setting(name);
  long value = 0;
  if (getenv(name) != NULL && cwi_setting_parse(setting, getenv(name), &value))
    *value_of(setting) = value;
}

void cwi_settings_read_early(void)
{
  if (are_read)
    return;
  cwi_settings.log = CWI_LOG_WARNING;
  read_setting("CW_LOG");
  read_setting("CW_ERRORS");
  cwi_log_up_to(cwi_settings.log);
}

/* --- Unknown names and values ----------------------------------------------------------------- */

static const char *nearest(const char *name)
{
  size_t best = 0;
  for (size_t i = 1; i < SETTINGS; i++)
    if (cwi_edits_between(name, table[i].name) < cwi_edits_between(name, table[best].name))
      best = i;
  return table[best].name;
}

/* CW_TEST_* belong to the tests and the benchmarks. */
static void warn_of_name(const char *variable)
{
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(variable, "="), variable);
  const struct cwi_setting *setting = find_setting(name);
  if (strncmp(name, "CW_", 3) != 0 || strncmp(name, "CW_TEST_", 8) == 0 ||
      (setting != NULL && strcmp(setting->name, name) == 0))
    return;
  if (setting != NULL)
    cwi_log(CWI_LOG_WARNING, "%s is called %s now; the old name is still read", name,
            setting->name);
  else
    cwi_log(CWI_LOG_WARNING,
            "the environment has %s, which is not a setting; the nearest name is %s (cw-info "
            "--settings lists them)",
            name, nearest(name));
}

static void warn_of_value(const struct cwi_setting *setting)
{
  const char *text = setting->alias != NULL ? getenv(setting->alias) : NULL;
  char range[LONGEST_TEXT];
  long value = 0;
  if (text == NULL || cwi_setting_parse(setting, text, &value))
    return;
  cwi_setting_range(setting, range, sizeof range);
  cwi_log(CWI_LOG_WARNING, "%s is '%.64s', which is not known here and has no effect; known: %s",
          setting->alias, text, range);
}

void cwi_settings_warn(void)
{
  for (char **variable = environ; *variable != NULL; variable++)
    warn_of_name(*variable);
  for (size_t i = 0; i < SETTINGS; i++)
    warn_of_value(&table[i]);
}

cw_error cwi_settings_set(const char *name, const char *value, const char *origin)
{
  const struct cwi_setting *setting = find_setting(name);
  if (setting != NULL)
    return settings_take((size_t)(setting - table), name, value, origin);
  return cwi_misuse("there is no setting '%.64s'; the nearest name is %s (cw-info --settings lists "
                    "them)",
                    name, nearest(name));
}

size_t cwi_settings_count(void)
{
  return SETTINGS;
}

long cwi_settings_shared(size_t index)
{
  const long value = *value_of(&table[index]);
  if (!table[index].of_job)
    return 0;
  return table[index].kind == CWI_TEXT ? value != 0
                                       : value; /* processes number texts differently */
}

/* Prints a value of cwi_settings_shared. */
static void print_shared(const struct cwi_setting *setting, long value, char *text, size_t size)
{
  if (setting->kind == CWI_TEXT)
    snprintf(text, size, "%s", value != 0 ? "set" : "");
  else
    cwi_setting_print(setting, value, text, size);
}

cw_error cwi_settings_differ(size_t index, long value, int rank, long other_value, int other_rank)
{
  char one[LONGEST_TEXT], other[LONGEST_TEXT];
  print_shared(&table[index], value, one, sizeof one);
  print_shared(&table[index], other_value, other, sizeof other);
  return cwi_misuse("the setting %s is '%.200s' in rank %d and '%.200s' in rank %d; all processes "
                    "of a job must have the same value",
                    table[index].name, one, rank, other, other_rank);
}

bool cwi_settings_given(size_t index, const char **name, char *value, size_t size)
{
  *name = table[index].name;
  cwi_setting_print(&table[index], *value_of(&table[index]), value, size);
  return origins[index] != NULL && strcmp(origins[index], "default") != 0;
}

void cwi_settings_print(FILE *out)
{
  for (size_t i = 0; i < SETTINGS; i++) {
    char value[LONGEST_TEXT], range[LONGEST_TEXT];
    cwi_setting_print(&table[i], *value_of(&table[i]), value, sizeof value);
    cwi_setting_range(&table[i], range, sizeof range);
    fprintf(out, "%-20s = %-14s (%s)\n    %s [%s%s]\n", table[i].name, value,
            origins[i] != NULL ? origins[i] : "default", table[i].help, range,
            table[i].of_job ? "; the same in all processes" : "");
  }
}

void cwi_settings_print_markdown(FILE *out)
{
  fprintf(out, "| name | default | may be | what it does | one for each | also read as |\n"
               "|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < SETTINGS; i++) {
    char value[LONGEST_TEXT], range[LONGEST_TEXT];
    cwi_setting_print(&table[i], table[i].standard, value, sizeof value);
    cwi_setting_range(&table[i], range, sizeof range);
    for (char *bar = strchr(range, '|'); bar != NULL; bar = strchr(bar, '|'))
      *bar = ',';
    fprintf(out, "| `%s` | %s | %s | %s | %s | %s |\n", table[i].name, value, range, table[i].help,
            table[i].of_job ? "job" : "process", table[i].alias != NULL ? table[i].alias : "");
  }
}
