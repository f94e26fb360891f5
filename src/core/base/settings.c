/* The table of settings by topic: reads them from the environment at start, and prints them. */
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

/* Values of `of_job` in the table: each process may have its own value, or all have the same. */
enum { EACH, JOB };
enum { LONGEST_TEXT = 512 }; /* bytes of a value or a range as text */

#define AT(field) offsetof(struct cwi_settings, field)
#define MEGA (1024L * 1024L)
#define WORD(id, name) "|" #name

static const struct cwi_setting table[] = {
    /* Start and limits */
    {"CW_NODE_SIZE", NULL, CWI_COUNT, JOB, AT(node_size), 0, 0, INT_MAX, "processes",
     "splits the processes of one machine into virtual nodes of this many processes, for tests "
     "on one machine; with CW_SERVER=rank each has one more, its server. 0 does not split them",
     "CW_NODE_SIZE=2 tests a program of 4 processes as on 2 nodes"},
    {"CW_MEMORY_LIMIT", NULL, CWI_BYTES, EACH, AT(memory_limit), 0, 0, CWI_UNBOUNDED_BYTES, NULL,
     "memory that the regions of a node may take. 0 is as much as the machine and its cgroup "
     "have free",
     "CW_MEMORY_LIMIT=4G leaves the rest of the node to other programs"},
    {"CW_RAISE_THREADS", NULL, CWI_FLAG, EACH, AT(raise_threads), 1, 0, 1, NULL,
     "libarmci: MPI_Init requests MPI_THREAD_MULTIPLE in jobs of more than one node. With 0 it "
     "requests what the program asks for",
     "CW_RAISE_THREADS=0 if MPI is slower with threads; then no server is a thread"},
    {"CW_ALONE", NULL, CWI_FLAG, EACH, AT(alone), 0, 0, 1, NULL,
     "with 1 each process is a world of its own, although a launcher has started several. With "
     "0, cw_init reports such a start, because the launcher is that of another MPI",
     "CW_ALONE=1 runs independent copies of a program under one launcher"},
    {"CW_TEAM_METHOD", NULL, CWI_CHOICE, JOB, AT(team_method), CWI_TEAM_CREATE_GROUP, 0, 1,
     "create_group|merge",
     "call that makes a team of some members: MPI_Comm_create_group, or merged "
     "intercommunicators. The latter is for comparison, and not for several threads at a time: "
     "MPICH 4.0.2 mixes their messages",
     "CW_TEAM_METHOD=merge compares the two"},
    {"CW_DOMAINS", NULL, CWI_CHOICE, JOB, AT(domains), CWI_DOMAINS_PROCESS, 0, 1, "process|node",
     "result of ARMCI's domain calls: every process is a domain of its own, or every node is "
     "one",
     "CW_DOMAINS=node for programs that distribute work by nodes"},
    {"CW_GA_DISTRIBUTION", NULL, CWI_NUMBERED, JOB, AT(ga_distribution), 0, 1, INT_MAX,
     "block|cyclic|block-cyclic:b",
     "libcwga: distribution of arrays for which the program chooses none. It is in blocks, "
     "element by element over a grid of processes (cyclic), or in blocks of b elements in each "
     "dimension; the program sees blocks (docs/reference/ga.md)",
     "CW_GA_DISTRIBUTION=block-cyclic:64 balances a factorization"},
    {"CW_LEAVE_CONNECTIONS", NULL, CWI_CHOICE, EACH, AT(leave_connections), CWI_LEAVE_AUTO, 0, 2,
     "auto|always|never",
     "MPI_Finalize leaves UCX's TCP connections open until the process ends, because closing "
     "them may hang. auto leaves them with MPICH 4.0 and UCX 1.13, whose jobs hang",
     "CW_LEAVE_CONNECTIONS=always if jobs on several hosts hang at their end"},
    {"CW_WORKAROUNDS", NULL, CWI_SIGNED, JOB, AT(workarounds), 0, 0, 0,
     "all" CWI_WORKAROUND_NAMES(WORD),
     "bugs of MPI that Causeway works around (+) or not (-), where that differs from its table "
     "for this MPI. +all adds all work-arounds that are right with any MPI. cw-info --selftest "
     "finds the bugs of this MPI",
     "CW_WORKAROUNDS=-mpich_flush_all after an update of MPI that fixes the bug"},
    /* Memory */
    {"CW_ZONE", NULL, CWI_CHOICE, JOB, AT(zone), CWI_ZONE_AUTO, 0, 2, "auto|memfd|mpi",
     "memory of a node: an unnamed file (memfd), or an MPI shared-memory window. auto is "
     "memfd, and MPI where that fails",
     "CW_ZONE=mpi on systems that forbid memfd_create"},
    {"CW_ZONE_ADDRESS", NULL, CWI_ADDRESS, JOB, AT(zone_address), 0x200000000000L, 65536,
     CWI_UNBOUNDED_BYTES, NULL,
     "address at which the zone is mapped, the same in all processes of a node. With several "
     "worlds in one job, each is at this address or above",
     "CW_ZONE_ADDRESS=0x300000000000 if another library uses the default"},
    {"CW_ZONE_SIZE", NULL, CWI_BYTES, EACH, AT(zone_size), 0, 0, CWI_UNBOUNDED_BYTES, NULL,
     "address range of the zone. 0 is four times the machine's memory, or with CW_ZONE=mpi a "
     "quarter of the machine's memory",
     "CW_ZONE_SIZE=8G under a limit of address space (ulimit -v)"},
    {"CW_CHUNK_SIZE", NULL, CWI_BYTES, JOB, AT(chunk_size), 16 * MEGA, 65536, CWI_UNBOUNDED_BYTES,
     NULL, "memory that one MPI window covers, on teams that span nodes",
     "CW_CHUNK_SIZE=256M makes fewer windows for large arrays"},
    {"CW_PUNCH", NULL, CWI_CHOICE, EACH, AT(punch), CWI_PUNCH_AUTO, 0, 2, "auto|always|never",
     "returns freed memory to the system. auto does so in jobs of one node. Do not use always "
     "where a network adapter reads and writes memory by itself (RDMA)",
     "CW_PUNCH=never if a program allocates and frees the same sizes all the time"},
    {"CW_PUNCH_SIZE", NULL, CWI_BYTES, EACH, AT(punch_size), 4 * MEGA, 65536, CWI_UNBOUNDED_BYTES,
     NULL,
     "freed ranges of at least this size are returned to the system at once (CW_PUNCH). The "
     "default of Python programs, whose expressions make and free arrays, is 1G",
     "CW_PUNCH_SIZE=64M keeps smaller ranges for later allocations"},
    {"CW_NUMA", NULL, CWI_CHOICE, EACH, AT(numa), CWI_NUMA_AUTO, 0, 2, "auto|off|force",
     "slices of at least 64 KiB get memory on the NUMA node of the core on which their process "
     "runs when it makes them. auto does so where the machine has several NUMA nodes",
     "CW_NUMA=off if the launcher moves processes between sockets"},
    {"CW_HUGE_PAGES", NULL, CWI_FLAG, EACH, AT(huge_pages), 0, 0, 1, NULL,
     "requests transparent huge pages in the zone, if the kernel allows them for shared memory",
     "CW_HUGE_PAGES=1 for large arrays (docs/guide/slow.md)"},
    {"CW_CORE_REGIONS", NULL, CWI_FLAG, EACH, AT(core_regions), 0, 0, 1, NULL,
     "core dumps include the node's memory. The dump of each process then holds all of it",
     "CW_CORE_REGIONS=1 to inspect arrays in a debugger"},
    {"CW_CLEAR_MEMORY", "ARMCI_DEBUG_ALLOC", CWI_FLAG, EACH, AT(clear_memory), 0, 0, 1, NULL,
     "fills new memory with zeros", "CW_CLEAR_MEMORY=1 if a program reads what it has not written"},
    /* Routes */
    {"CW_ROUTE", NULL, CWI_CHOICE, JOB, AT(route), CWI_ROUTE_AUTO, 0, 3, "auto|direct|rma|server",
     "how transfers reach their target. auto is shared memory inside a node; between nodes it is "
     "the target's server, or MPI one-sided where that needs no help from the target. rma sends "
     "everything through MPI one-sided, server everything between nodes through servers. direct "
     "is shared memory alone, for jobs of one node",
     "CW_ROUTE=rma compares MPI one-sided with the servers"},
    {"CW_ATTACH", NULL, CWI_CHOICE, JOB, AT(attach), CWI_ATTACH_AUTO, 0, 1, "auto|never",
     "with auto, the kernel copies memory of a peer that a handle names (process_vm_readv), "
     "where it allows that. With never, a thread of the memory's owner always copies",
     "CW_ATTACH=never in containers that forbid process_vm_readv"},
    {"CW_COPY", NULL, CWI_CHOICE, EACH, AT(copy), 0, 0, 4, "auto|library|loop|string|wide",
     "method by which long runs of memory are copied: by the C library (library), by a loop of "
     "Causeway's (loop; wide is one with AVX-512), or from 4 KiB on by the processor's string "
     "instruction. auto is the fastest, which each process measures when it starts",
     "CW_COPY=library for the same choice in every run"},
    {"CW_RMA_METHOD", "ARMCI_IOV_METHOD", CWI_CHOICE, EACH, AT(rma_method), CWI_BATCHED, 0, 3,
     "conservative|batched|direct|auto",
     "how MPI carries noncontiguous transfers. conservative is one operation and flush for "
     "each segment; batched is several operations for a flush; direct is one operation with "
     "derived datatypes; auto is direct unless segments overlap",
     "CW_RMA_METHOD=direct if the MPI library has fast datatypes"},
    {"CW_RMA_BATCH", "ARMCI_IOV_BATCHED_LIMIT", CWI_COUNT, EACH, AT(rma_batch), 0, 0, INT_MAX,
     "operations", "operations between two flushes with CW_RMA_METHOD=batched. 0 means no limit",
     "CW_RMA_BATCH=64 bounds the requests inside MPI"},
    {"CW_RMA_REQUESTS", NULL, CWI_FLAG, EACH, AT(rma_requests), 0, 0, 1, NULL,
     "completes nonblocking transfers by MPI requests instead of flushes",
     "CW_RMA_REQUESTS=1 to wait for one of many long transfers"},
    {"CW_RMA_STAGE", NULL, CWI_FLAG, EACH, AT(rma_stage), 0, 0, 1, NULL,
     "copies local buffers that lie in a region through private memory first",
     "CW_RMA_STAGE=1 if the MPI library rejects buffers inside windows"},
    {"CW_RMA_CHECK", "ARMCI_IOV_CHECKS", CWI_FLAG, EACH, AT(rma_check), 0, 0, 1, NULL,
     "checks every vector transfer for segments that overlap, and sends those one by one",
     "CW_RMA_CHECK=1 for programs that put to the same element twice"},
    /* Servers */
    {"CW_SERVER", NULL, CWI_CHOICE, JOB, AT(server), CWI_SERVER_AUTO, 0, 3, "auto|thread|rank|none",
     "what answers for a node in jobs of several nodes: a thread of its first process (needs "
     "MPI_THREAD_MULTIPLE), its last rank, which then runs no program, or nothing. auto is a "
     "thread if MPI allows it",
     "CW_SERVER=rank gives a server a core of its own"},
    {"CW_TOPOLOGY", NULL, CWI_CHOICE, JOB, AT(topology), CWI_TOPOLOGY_AUTO, 0, 4,
     "auto|fcg|mfcg|cfcg|hypercube",
     "nodes that send requests to each other directly, while other requests are forwarded: all "
     "nodes (fcg), the rows and columns of a mesh (mfcg), the lines of a cube (cfcg), or a "
     "hypercube. auto is fcg for up to 256 nodes, else mfcg",
     "CW_TOPOLOGY=mfcg if many nodes access one node at the same time"},
    {"CW_SERVER_BUFFER", NULL, CWI_BYTES, JOB, AT(server_buffer), 17408, 4096, 16 * MEGA, NULL,
     "size of a request buffer, for a request and its data",
     "CW_SERVER_BUFFER=64k for patches with many short rows"},
    {"CW_SERVER_CREDITS", NULL, CWI_COUNT, JOB, AT(server_credits), 32, 2, 4096, "buffers",
     "request buffers that a server has for each neighbour in the topology",
     "CW_SERVER_CREDITS=8 saves memory on many nodes"},
    {"CW_SERVER_BULK", NULL, CWI_BYTES, EACH, AT(server_bulk), MEGA / 8, 1, CWI_UNBOUNDED_BYTES,
     NULL,
     "transfers of at least this many bytes, contiguous or rows at a constant distance, go in "
     "messages of their own. Contiguous data then goes straight from memory to memory",
     "CW_SERVER_BULK=1M sends transfers of up to 1 MiB in request buffers"},
    {"CW_SERVER_SPIN", NULL, CWI_COUNT, EACH, AT(server_spin), 100, 0, 1000000, "microseconds",
     "time for which a server polls for further requests before it begins to sleep between "
     "polls. It is shorter if the server finds none",
     "CW_SERVER_SPIN=0 leaves the core to the program"},
    {"CW_SERVER_TIMEOUT", NULL, CWI_COUNT, EACH, AT(server_timeout), 60, 0, INT_MAX, "seconds",
     "time without an answer to a liveness check before the job is aborted. 0 waits for ever",
     "CW_SERVER_TIMEOUT=0 while a debugger stops a process"},
    {"CW_SERVER_PLACE", NULL, CWI_FLAG, JOB, AT(server_place), 1, 0, 1, NULL,
     "if the launcher binds processes to cores, a server's thread runs on cores to which no "
     "process is bound. With 0 it runs on those of its process",
     "CW_SERVER_PLACE=0 if other jobs run on the remaining cores"},
    {"CW_GATHER", NULL, CWI_FLAG, JOB, AT(gather), 1, 0, 1, NULL,
     "blocking updates wait for further ones while earlier ones are on their way to the "
     "server. With 0 each leaves at once",
     "CW_GATHER=0 if single updates matter more than many"},
    /* Waiting */
    {"CW_SPIN", NULL, CWI_COUNT, EACH, AT(spin), 2000, 0, INT_MAX, "polls",
     "polls of a waiting process before it yields its core. It is at most 20 when processes "
     "outnumber cores",
     "CW_SPIN=0 if other programs need the cores"},
    {"CW_WAIT_REPORT", NULL, CWI_COUNT, EACH, AT(wait_report), 60, 0, INT_MAX, "seconds",
     "time after which a process that waits for others reports once in which call it waits, "
     "and for which process. 0 makes no reports",
     "CW_WAIT_REPORT=5 to find where a program hangs"},
    /* Checks and messages */
    {"CW_CHECK", NULL, CWI_FLAG, JOB, AT(check), 0, 0, 1, NULL,
     "checks for mistakes of the program: members of a team in different collective calls, "
     "threads that may not call, objects that are left at the end",
     "CW_CHECK=1 in the tests of a program"},
    {"CW_LEAKS", NULL, CWI_FLAG, EACH, AT(leaks), 1, 0, 1, NULL,
     "with CW_CHECK=1, lists the objects that are left at the end. Python programs, whose objects "
     "are freed with the process, list them only if it is set to 1",
     "CW_LEAKS=0 for a program that frees nothing at its end"},
    {"CW_ERRORS", NULL, CWI_CHOICE, EACH, AT(errors), CWI_ERRORS_RETURN, 0, 1, "return|fatal",
     "with return, a native call that fails returns its error. With fatal it ends the job with "
     "its message, except within CW_MAY_FAIL and in programs that start ARMCI or GA, whose own "
     "calls always end the job",
     "CW_ERRORS=fatal for a program that ignores errors"},
    {"CW_FAILURES", NULL, CWI_CHOICE, JOB, AT(failures), CWI_FAILURES_END, 0, 1, "end|survive",
     "with end, the failure of a process ends the job. With survive the other processes continue "
     "(docs/guide/failure.md); this needs a launcher that permits it",
     "CW_FAILURES=survive for a run of several days"},
    {"CW_LOG", "ARMCI_VERBOSE", CWI_COUNT, EACH, AT(log), 1, 0, 3, NULL,
     "messages: 0 none, 1 warnings, 2 information, 3 everything",
     "CW_LOG=2 shows what was chosen at the start"},
    /* Devices */
    {"CW_DEVICE", NULL, CWI_CHOICE, EACH, AT(device), CWI_DEVICE_ANY, 0, 4,
     "any|host|opencl|cuda|none",
     "device for programs that open any device. host is a device that threads of the process "
     "emulate. any is CUDA's, else OpenCL's, else the emulated one. none is no device",
     "CW_DEVICE=host tests a device program without an accelerator"},
    {"CW_DEVICE_PEER", NULL, CWI_CHOICE, EACH, AT(device_peer), CWI_DEVICE_PEER_AUTO, 0, 1,
     "auto|agent",
     "how data moves to and from devices of node peers. With auto the process moves it, by its "
     "own device (CUDA's IPC), where the driver allows that, and else a thread of the owner. "
     "With agent that thread always moves it",
     "CW_DEVICE_PEER=agent if CUDA's IPC fails in a container"},
    {"CW_DEVICE_PACK", NULL, CWI_BYTES, EACH, AT(device_pack), 512, 0, CWI_UNBOUNDED_BYTES, NULL,
     "rows shorter than this are packed and unpacked on the device by a kernel, and are "
     "transferred as one run",
     "CW_DEVICE_PACK=0 transfers all rows by the driver"},
    {"CW_DEVICE_SHARED", NULL, CWI_CHOICE, EACH, AT(device_shared), CWI_SHARED_AUTO, 0, 2,
     "auto|always|never",
     "slices on a device that is the processor lie in host memory, which every process "
     "accesses like any host memory. auto does so where a probe shows that device and "
     "processes see each other's stores. always skips the probe and includes emulated devices, "
     "for tests. With never they have memory of their own",
     "CW_DEVICE_SHARED=never treats PoCL like an accelerator"},
    {"CW_DEVICE_HOST_COUNT", NULL, CWI_COUNT, EACH, AT(device_host_count), 1, 1, 64, "devices",
     "number of emulated devices (docs/reference/devices.md). This setting and the next four "
     "are for tests",
     "CW_DEVICE_HOST_COUNT=2 tests a program for two devices"},
    {"CW_DEVICE_HOST_MEMORY", NULL, CWI_BYTES, EACH, AT(device_host_memory), 0, 0,
     CWI_UNBOUNDED_BYTES, NULL, "memory of each emulated device. 0 is the machine's",
     "CW_DEVICE_HOST_MEMORY=1G tests what happens when it is full"},
    {"CW_DEVICE_HOST_LATENCY", NULL, CWI_COUNT, EACH, AT(device_host_latency), 0, 0, INT_MAX,
     "nanoseconds",
     "least time of a transfer or a kernel on an emulated device. If this setting or one of "
     "the next two is set, commands take the time of a device of that speed, during which the "
     "thread sleeps",
     "CW_DEVICE_HOST_LATENCY=10000 emulates an accelerator on a bus"},
    {"CW_DEVICE_HOST_RATE", NULL, CWI_COUNT, EACH, AT(device_host_rate), 0, 0, INT_MAX,
     "bytes in a microsecond", "rate of transfers to and from an emulated device. 0 means no limit",
     "CW_DEVICE_HOST_RATE=12000 is 12 GB/s"},
    {"CW_DEVICE_HOST_ITEM", NULL, CWI_COUNT, EACH, AT(device_host_item), 0, 0, INT_MAX,
     "nanoseconds",
     "time of a kernel's work item on an emulated device. 0 means as fast as the host",
     "CW_DEVICE_HOST_ITEM=1000 makes kernels slow"},
    {"CW_CUDA_LIBRARY", NULL, CWI_TEXT, EACH, AT(cuda_library), 0, 0, 0, "a file name",
     "the CUDA driver's library. An empty name means libcuda.so.1",
     "CW_CUDA_LIBRARY=/opt/cuda/lib64/libcuda.so.1"},
    /* Virtual OpenCL */
    {"CW_VOCL_VENDORS", NULL, CWI_TEXT, EACH, AT(vocl_vendors), 0, 0, 0,
     "names with colons between",
     "libcw-vocl: the vendors' OpenCL whose devices it shows. Each name is a folder of .icd "
     "files, one such file, or a library. An empty list means /etc/OpenCL/vendors",
     "CW_VOCL_VENDORS=/etc/OpenCL/vendors/pocl.icd shows PoCL only"},
    {"CW_VOCL_SERVICE", NULL, CWI_TEXT, EACH, AT(vocl_service), 0, 0, 0, "a name",
     "name of the service whose proxies programs use, and which cw-vocl starts. An empty name "
     "means default",
     "CW_VOCL_SERVICE=second for a second service on the same machines"},
    {"CW_VOCL_LOCAL", NULL, CWI_CHOICE, EACH, AT(vocl_local), CWI_VOCL_PROGRAM, 0, 1,
     "program|proxy",
     "what calls this machine's devices: the program itself, or a proxy of the service for it",
     "CW_VOCL_LOCAL=proxy lets the service move the program to other devices"},
    {"CW_VOCL_SESSIONS", NULL, CWI_COUNT, JOB, AT(vocl_sessions), 64, 1, 120, "sessions",
     "number of sessions that a proxy can forward to other proxies, or serve for programs of other "
     "proxies, at the same time. Each takes up to 17 MiB",
     "CW_VOCL_SESSIONS=8 saves memory"},
    {"CW_VOCL_AHEAD", NULL, CWI_COUNT, EACH, AT(vocl_ahead), 64, 1, 65536, "commands",
     "cw-vocl: commands of a program's queue that a proxy gives to its device before the first "
     "of them is done",
     "CW_VOCL_AHEAD=1 switches between programs after each command"},
    {"CW_VOCL_BALANCE", NULL, CWI_FLAG, JOB, AT(vocl_balance), 0, 0, 1, NULL,
     "cw-vocl: proxies move a program to another device, if several are active on one while an "
     "equal device has two fewer",
     "CW_VOCL_BALANCE=1 for several programs on equal devices"},
    {"CW_VOCL_DRAIN", NULL, CWI_COUNT, EACH, AT(vocl_drain), 30, 0, INT_MAX, "seconds",
     "libcw-vocl: time for which a program that is to move to another device waits for the "
     "commands of its device. After that it does not move",
     "CW_VOCL_DRAIN=300 for kernels that take minutes"},
    {"CW_VOCL_SILENCE", NULL, CWI_COUNT, JOB, AT(vocl_silence), 5, 0, 86400, "seconds",
     "cw-vocl: time without an answer from a proxy that shares sessions before the service "
     "ends. 0 waits for ever",
     "CW_VOCL_SILENCE=60 on a network with interruptions"},
    /* Profiles and their files */
    {"CW_STATS", NULL, CWI_FLAG, JOB, AT(stats), 0, 0, 1, NULL,
     "counts operations by kind, route and size, and prints them at the end",
     "CW_STATS=1 shows how many transfers use which route"},
    {"CW_PROFILE", NULL, CWI_TEXT, JOB, AT(profile), 0, 0, 1,
     "a file name; 1 makes one of program, date and job; 0 or empty is off",
     "counts and times what each process does, prints at the end where the time went, and "
     "writes all of it to this file (docs/reference/profile.md)",
     "CW_PROFILE=run.json, then cw-report run.json"},
    {"CW_TIMELINE", NULL, CWI_TEXT, JOB, AT(timeline), 0, 0, 1,
     "a file name; 1 makes one of program, date and job; 0 or empty is off",
     "writes to this file what each thread did when, as Chrome's trace events, or as OTF2 if "
     "the name ends in .otf2 (docs/reference/profile.md)",
     "CW_TIMELINE=run.otf2 for Vampir and Score-P's tools"},
    {"CW_TIMELINE_EVENTS", NULL, CWI_COUNT, EACH, AT(timeline_events), 65536, 16, INT_MAX, "events",
     "events of each thread that CW_TIMELINE keeps, of 48 bytes each. It keeps the last ones",
     "CW_TIMELINE_EVENTS=1000000 for a longer part of the run"},
};

/* Topics: title and name of the first setting, in the order of the table. */
static const struct {
  const char *title, *first;
} topics[] = {
    {"Start and limits", "CW_NODE_SIZE"},
    {"Memory", "CW_ZONE"},
    {"Routes", "CW_ROUTE"},
    {"Servers", "CW_SERVER"},
    {"Waiting", "CW_SPIN"},
    {"Checks and messages", "CW_CHECK"},
    {"Devices", "CW_DEVICE"},
    {"Virtual OpenCL", "CW_VOCL_VENDORS"},
    {"Profiles and their files", "CW_STATS"},
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
  /* A server's thread reads the value meanwhile. */
  __atomic_store_n(&cwi_settings.observed, others | (watch ? CWI_BUFFERS_OBSERVED : 0),
                   __ATOMIC_RELAXED);
}

void cwi_settings_add_tools(void)
{
  cwi_settings.tools = 1;
  note_watchers();
}

/* Texts that follow the range in a message about a wrong value. */
static const char formats[CWI_TEXT + 1][80] = {
    [CWI_COUNT] = ", a whole number",
    [CWI_BYTES] = "; the suffixes k, M, G and T stand for powers of 1024",
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
  cwi_setting_range(setting, true, range, sizeof range);
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
  if (strncmp(variable, "CW_", 3) != 0 || strncmp(variable, "CW_TEST_", 8) == 0)
    return;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(variable, "="), variable);
  const struct cwi_setting *setting = find_setting(name);
  if (setting != NULL && strcmp(setting->name, name) == 0)
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
  cwi_setting_range(setting, false, range, sizeof range);
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

static cw_error unknown_setting(const char *name)
{
  return cwi_misuse("there is no setting '%.64s'; the nearest name is %s (cw-info --settings lists "
                    "them)",
                    name, nearest(name));
}

cw_error cwi_settings_set(const char *name, const char *value, const char *origin)
{
  const struct cwi_setting *setting = find_setting(name);
  return setting != NULL ? settings_take((size_t)(setting - table), name, value, origin)
                         : unknown_setting(name);
}

cw_error cwi_settings_get(const char *name, char *value, size_t size)
{
  const struct cwi_setting *setting = find_setting(name);
  if (setting == NULL)
    return unknown_setting(name);
  char text[LONGEST_TEXT];
  cwi_setting_print(setting, *value_of(setting), text, sizeof text);
  if (strlen(text) >= size)
    return cwi_misuse("size is %zu; the value of %s and its end have %zu bytes", size, name,
                      strlen(text) + 1);
  strcpy(value, text);
  return CW_OK;
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

/* Returns the title of the topic that begins with this setting, or NULL. */
static const char *topic_of(const struct cwi_setting *setting)
{
  for (size_t i = 0; i < sizeof topics / sizeof topics[0]; i++)
    if (strcmp(topics[i].first, setting->name) == 0)
      return topics[i].title;
  return NULL;
}

void cwi_settings_print(FILE *out)
{
  for (size_t i = 0; i < SETTINGS; i++) {
    char value[LONGEST_TEXT], range[LONGEST_TEXT];
    cwi_setting_print(&table[i], *value_of(&table[i]), value, sizeof value);
    cwi_setting_range(&table[i], false, range, sizeof range);
    if (topic_of(&table[i]) != NULL)
      fprintf(out, "%s:\n", topic_of(&table[i]));
    fprintf(out, "%-20s = %-14s (%s)\n    %s [%s%s]\n", table[i].name, value,
            origins[i] != NULL ? origins[i] : "default", table[i].help, range,
            table[i].of_job ? "; the same in all processes" : "");
  }
}

/* Prints one row of a table in docs/reference/settings.md. */
static void print_row(FILE *out, const struct cwi_setting *setting)
{
  char value[LONGEST_TEXT], range[LONGEST_TEXT];
  cwi_setting_print(setting, setting->standard, value, sizeof value);
  cwi_setting_range(setting, false, range, sizeof range);
  for (char *bar = strchr(range, '|'); bar != NULL; bar = strchr(bar, '|'))
    *bar = ',';
  const size_t name = strcspn(setting->example, " ,");
  fprintf(out, "| `%s` | %s | %s | %s%s%s%s | %s | `%.*s`%s |\n", setting->name, range, value,
          setting->help, setting->alias != NULL ? ". Also read as `" : "",
          setting->alias != NULL ? setting->alias : "", setting->alias != NULL ? "`" : "",
          setting->of_job ? "job" : "process", (int)name, setting->example,
          setting->example + name);
}

void cwi_settings_print_markdown(FILE *out)
{
  for (size_t i = 0; i < SETTINGS; i++) {
    if (topic_of(&table[i]) != NULL)
      fprintf(out,
              "%s## %s\n\n| setting | values | default | effect | one for each | example |\n"
              "|---|---|---|---|---|---|\n",
              i > 0 ? "\n" : "", topic_of(&table[i]));
    print_row(out, &table[i]);
  }
}
