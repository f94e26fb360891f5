/* The zone's memory file, or the MPI window in its place: its size, the processes that map it, and
 * its growth.
 *
 * The file grows in steps to the largest size that was needed so far. The mapping is longer. An
 * operation on the whole mapping (mlockall, a core dump) therefore stops at the end of the file,
 * and does not fill the machine's memory with the holes of a sparse range. */
#include "memory/zone_file.h"

#include "base/file_write.h"
#include "base/log.h"
#include "base/settings.h"
#include "base/size.h"
#include "machine/machine.h"
#include "memory/device_address.h"
#include "memory/file_passing.h"
#include "memory/zone.h"
#include "memory/zone_placement.h"
#include "mpi/collective_yield.h"
#include "mpi/mpi_progress.h"
#include "team/world.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int memory_file = -1;
static MPI_Win shared_window = MPI_WIN_NULL;
static struct cwi_zone_placement placements; /* of all nodes; {0} if there is no memory file */
static void *placement;                      /* address at which my zone is mapped */
static struct {
  void *begin;
  size_t bytes; /* 0 if nothing is reserved */
} reserved[2];  /* address ranges of other nodes, below and above my zone */

/* The file grows by this many bytes at a time, so that it grows less often than regions are
 * created. */
static const size_t STEP = (size_t)16 << 20;

/* --- Size ------------------------------------------------------------------------------------- */

enum limit { BY_SETTING, BY_FILES, BY_ADDRESSES, BY_RANGE, BY_SHM, BY_DEFAULT };
static const char *const limit_names[] = {
    "CW_ZONE_SIZE",
    "the longest file that a process may make: ulimit -f",
    "the addresses that a process may map: ulimit -v",
    "the addresses that are free, or that may be locked, at CW_ZONE_ADDRESS",
    "what /dev/shm has free",
    "CW_ZONE_SIZE, by default a multiple of the machine's memory",
};

struct size_limit {
  size_t bytes;
  enum limit limit;
};

static void lower(struct size_limit *size_limit, size_t most, enum limit limit)
{
  if (most < size_limit->bytes)
    *size_limit = (struct size_limit){most, limit};
}

static struct size_limit wanted(size_t standard)
{
  if (cwi_settings.zone_size > 0)
    return (struct size_limit){(size_t)cwi_settings.zone_size, BY_SETTING};
  return (struct size_limit){standard, BY_DEFAULT};
}

/* Lowers the size to the longest file that the process may write, and to half of the addresses that
 * it may map, because the program needs addresses, too. */
static void lower_to_limits(struct size_limit *size_limit)
{
  lower(size_limit, cwi_file_limit(), BY_FILES);
  lower(size_limit, cwi_machine_address_space() / 2, BY_ADDRESSES);
}

/* Maps memory at exactly `placement`. Returns false with errno if that is impossible. */
static bool map_there(size_t size, int protection, int flags, int file)
{
  void *got =
      mmap(placement, size, protection, flags | MAP_NORESERVE | MAP_FIXED_NOREPLACE, file, 0);
  if (got == MAP_FAILED)
    return false;
  if (got == placement)
    return true;
  munmap(got, size); /* an old kernel does not know MAP_FIXED_NOREPLACE and ignores it */
  errno = EEXIST;
  return false;
}

static bool may_map(size_t size)
{
  if (cwi_touches_device_address((uintptr_t)placement, size) ||
      !map_there(size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1))
    return false;
  munmap(placement, size);
  return true;
}

/* Returns the size of a zone in a memory file: by default four times the machine's memory, at least
 * 64 GiB. Addresses cost nothing, because the file grows only with what is allocated. */
static struct size_limit limit_for_file(void)
{
  const size_t ram = cwi_machine_memory();
  const size_t least = (size_t)64 << 30;
  struct size_limit size_limit = wanted(ram < SIZE_MAX / 4 && 4 * ram > least ? 4 * ram : least);
  lower_to_limits(&size_limit);
  size_limit.bytes = size_limit.bytes / CWI_GRANULE * CWI_GRANULE;
  return size_limit;
}

/* MPI libraries keep shared windows in /dev/shm. Its free space is shared with other jobs and with
 * virtual nodes on this machine. */
static cw_error limit_for_window(struct size_limit *size_limit)
{
  int ranks = 0;
  CWI_TRY(CWI_MPI(MPI_Comm_size(cwi_world.machine_comm, &ranks)));
  const size_t nodes = (size_t)((ranks - 1) / cwi_world.node_ranks + 1);
  *size_limit = wanted(cwi_machine_memory() / 4);
  lower_to_limits(size_limit);
  /* MPI keeps data of its own at the start of the file. */
  lower(size_limit, cwi_file_limit() / 8 * 7, BY_FILES);
  lower(size_limit, cwi_machine_shm_free() / 2 / nodes, BY_SHM);
  size_limit->bytes = size_limit->bytes / CWI_GRANULE * CWI_GRANULE;
  return CW_OK;
}

static bool too_small(struct size_limit size_limit)
{
  return size_limit.bytes < cwi_zone_front(size_limit.bytes) + 2 * CWI_GRANULE;
}

/* Agrees on the smallest size, because limits may differ between the processes of a node. */
static cw_error agree_on(struct size_limit *size_limit)
{
  uint64_t least = size_limit->bytes;
  CWI_TRY(cwi_mpi_allreduce(&least, 1, MPI_UINT64_T, MPI_MIN, cwi_world.node_comm));
  int limit = size_limit->bytes == least ? (int)size_limit->limit : -1;
  CWI_TRY(cwi_mpi_allreduce(&limit, 1, MPI_INT, MPI_MAX, cwi_world.node_comm));
  *size_limit = (struct size_limit){least, (enum limit)limit};
  if (size_limit->limit == BY_SETTING && too_small(*size_limit))
    return cwi_misuse("CW_ZONE_SIZE is %zu; the zone needs at least %zu bytes", size_limit->bytes,
                      cwi_zone_front(0) + 4 * CWI_GRANULE);
  const bool less = size_limit->limit != BY_SETTING && size_limit->limit != BY_DEFAULT;
  const bool matters = cwi_settings.zone_size > 0 || least < cwi_machine_memory() / 4;
  if (less && cwi_world.node_rank == 0)
    cwi_log(matters ? CWI_LOG_WARNING : CWI_LOG_INFO,
            "the zone of node %d has only %zu MiB, because of %s", cwi_world.node,
            (size_t)least >> 20, limit_names[limit]);
  return CW_OK;
}

/* Chooses the address of the zone and reduces its size to the free range there. */
static cw_error backing_settle(struct size_limit *size_limit)
{
  size_t bytes = size_limit->bytes;
  CWI_TRY(cwi_zone_placement_choose(&bytes, &placements));
  placement = (void *)cwi_zone_placement_address(
      &placements, cwi_world.node); /* NOLINT(performance-no-int-to-ptr) */
  lower(size_limit, bytes / CWI_GRANULE * CWI_GRANULE, BY_RANGE);
  while (size_limit->bytes > CWI_GRANULE && !may_map(size_limit->bytes))
    *size_limit = (struct size_limit){size_limit->bytes / 2 / CWI_GRANULE * CWI_GRANULE, BY_RANGE};
  return agree_on(size_limit);
}

/* --- The memory file -------------------------------------------------------------------------- */

/* The memory file of the leader, which is the node's first process. The others open it by `pid` and
 * `file`, and recognise it by its device and inode. */
struct file_name {
  pid_t pid;
  int file;
  int obstacle;
  dev_t device;
  ino_t inode;
};

/* The reason why a process of the node cannot use the file: its errno (0 if there is none) and its
 * rank on the node. */
struct obstacle {
  int code, rank;
};

static cw_error worst_obstacle(int mine, struct obstacle *worst)
{
  *worst = (struct obstacle){mine, cwi_world.node_rank};
  return cwi_mpi_allreduce(worst, 1, MPI_2INT, MPI_MAXLOC, cwi_world.node_comm);
}

static void send_file_name(struct file_name *file_name)
{
  struct stat status;
  errno = 0;
  memory_file = memfd_create("causeway", MFD_CLOEXEC);
  if (memory_file < 0 ||
      (errno = cwi_file_resize(memory_file, (int64_t)cwi_zone_file_begin())) != 0 ||
      fstat(memory_file, &status) != 0)
    *file_name = (struct file_name){.obstacle = errno != 0 ? errno : EIO};
  else
    *file_name = (struct file_name){getpid(), memory_file, 0, status.st_dev, status.st_ino};
}

/* Returns 0 if the opened file is the leader's, or errno. In another PID namespace the path may
 * name another process's file. */
static int check_invited(const struct file_name *file_name)
{
  struct stat status;
  if (memory_file < 0 || fstat(memory_file, &status) != 0)
    return errno != 0 ? errno : EBADF;
  return status.st_dev == file_name->device && status.st_ino == file_name->inode ? 0 : ENOENT;
}

static void close_file(void)
{
  if (memory_file >= 0)
    close(memory_file);
  memory_file = -1;
}

static int open_invited(const struct file_name *file_name)
{
  if (cwi_world.node_rank == 0)
    return 0;
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)file_name->pid, file_name->file);
  memory_file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  return check_invited(file_name);
}

/* Shares the leader's memory file with the processes of the node: by its path in /proc, or if that
 * fails for some of them, through a socket. */
static cw_error share_file(struct obstacle *worst)
{
  struct file_name file_name = {0};
  if (cwi_world.node_rank == 0)
    send_file_name(&file_name);
  CWI_TRY(cwi_mpi_bcast(&file_name, sizeof file_name, MPI_BYTE, 0, cwi_world.node_comm));
  *worst = (struct obstacle){file_name.obstacle, 0};
  if (worst->code != 0)
    return CW_OK;
  int mine = open_invited(&file_name);
  CWI_TRY(worst_obstacle(mine, worst));
  if (worst->code == 0)
    return CW_OK;
  int got = -1;
  CWI_TRY(cwi_pass_file(memory_file, mine != 0, &got));
  if (mine != 0) {
    close_file();
    memory_file = got;
    mine = check_invited(&file_name);
  }
  return worst_obstacle(mine, worst);
}

/* Reserves addresses, so that nothing else is mapped there and each access faults. If a limit
 * forbids that, the addresses just stay free. */
static void reserve(int part, uintptr_t begin, uintptr_t end)
{
  void *wanted = (void *)begin; /* NOLINT(performance-no-int-to-ptr) */
  if (begin >= end)
    return;
  void *got = mmap(wanted, end - begin, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == wanted) {
    reserved[part].begin = wanted;
    reserved[part].bytes = end - begin;
  } else if (got != MAP_FAILED) {
    munmap(got, end - begin);
  }
}

static void reserve_stretches(void)
{
  const uintptr_t zone = (uintptr_t)cwi_zone.base;
  if (placements.places <= 1)
    return;
  reserve(0, placements.first, zone);
  reserve(1, zone + cwi_zone.size,
          placements.first + (uintptr_t)placements.places * placements.span);
}

static void unmap_file(void)
{
  for (int part = 0; part < 2; part++)
    if (reserved[part].bytes > 0)
      munmap(reserved[part].begin, reserved[part].bytes);
  memset(reserved, 0, sizeof reserved);
  if (cwi_zone.base != NULL)
    munmap(cwi_zone.base, cwi_zone.size);
  cwi_zone.base = NULL;
  close_file();
}

/* Maps the zone from a memory file. If some process cannot do that, *worst is its obstacle, and no
 * process keeps a mapping. Otherwise worst->code is 0. */
static cw_error map_file(struct obstacle *worst)
{
  struct size_limit size_limit = limit_for_file();
  CWI_TRY(backing_settle(&size_limit));
  cwi_zone.size = size_limit.bytes;
  cwi_zone.limit = limit_names[size_limit.limit];
  *worst = (struct obstacle){ENOMEM, 0};
  if (too_small(size_limit))
    return CW_OK;
  CWI_TRY(share_file(worst));
  if (worst->code == 0) {
    const bool mapped = map_there(cwi_zone.size, PROT_READ | PROT_WRITE, MAP_SHARED, memory_file);
    const int mine = mapped ? 0 : errno;
    cwi_zone.base = mapped ? placement : NULL;
    cwi_zone.fixed = true;
    if (mapped)
      reserve_stretches();
    CWI_TRY(worst_obstacle(mine, worst));
  }
  if (worst->code != 0)
    unmap_file();
  return CW_OK;
}

uintptr_t cwi_zone_file_base(int node)
{
  return node == cwi_world.node || placements.places <= 1
             ? (uintptr_t)cwi_zone.base
             : cwi_zone_placement_address(&placements, node);
}

size_t cwi_zone_file_apart(uintptr_t *begin)
{
  *begin = placements.first;
  return placements.places > 1 ? (size_t)placements.places * placements.span : 0;
}

int cwi_zone_file_file(void)
{
  return memory_file;
}

size_t cwi_zone_file_begin(void)
{
  const size_t begin = cwi_round_up(cwi_zone_front(cwi_zone.size), STEP);
  return memory_file >= 0 && begin < cwi_zone.size ? begin : cwi_zone.size;
}

bool cwi_zone_file_reach(size_t end)
{
  uint64_t *backed = &cwi_zone.header->backed;
  if (end <= *backed)
    return true;
  size_t length = cwi_round_up(end, STEP);
  length = length < cwi_zone.size ? length : cwi_zone.size;
  /* The program may have lowered the limit since the start. */
  const size_t most = cwi_file_limit();
  length = length < most ? length : most;
  if (length < end || cwi_file_resize(memory_file, (int64_t)length) != 0) {
    cwi_zone.limit = limit_names[BY_FILES];
    return false;
  }
  *backed = length;
  return true;
}

/* --- The MPI window --------------------------------------------------------------------------- */

enum { MOST_TRIES = 40 };

/* Allocates a window once. Sets *bad to 1 on all processes if it overlaps the addresses of device
 * memory in any of them, else to 0. MPICH places windows at random. */
static cw_error window_try(size_t bytes, char **base, size_t *given, int *bad)
{
  void *mine = NULL;
  MPI_Aint length = 0;
  int unit = 0;
  CWI_TRY(CWI_MPI(MPI_Win_allocate_shared(cwi_world.node_rank == 0 ? (MPI_Aint)bytes : 0, 1,
                                          MPI_INFO_NULL, cwi_world.node_comm, (void *)&mine,
                                          &shared_window)));
  CWI_TRY(CWI_MPI(MPI_Win_shared_query(shared_window, 0, &length, &unit, (void *)base)));
  *given = (size_t)length;
  *bad = cwi_touches_device_address((uintptr_t)*base, *given);
  return cwi_mpi_allreduce(bad, 1, MPI_INT, MPI_MAX, cwi_world.node_comm);
}

/* Allocates windows until one does not lie among the addresses of device memory. */
static cw_error allocate_window(size_t bytes, char **base, size_t *given)
{
  int bad = 0;
  CWI_TRY(window_try(bytes, base, given, &bad));
  for (int tries = 1; bad != 0 && tries < MOST_TRIES; tries++) {
    CWI_TRY(CWI_MPI(MPI_Win_free(&shared_window)));
    CWI_TRY(window_try(bytes, base, given, &bad));
  }
  return bad == 0 ? CW_OK
                  : cwi_outside("MPI places its shared memory repeatedly at %p, in the address "
                                "range of device memory",
                                (void *)*base);
}

static cw_error map_window(void)
{
  struct size_limit size_limit;
  CWI_TRY(limit_for_window(&size_limit));
  CWI_TRY(agree_on(&size_limit));
  cwi_zone.limit = limit_names[size_limit.limit];
  if (too_small(size_limit))
    return cwi_outside("the node's memory could have only %zu bytes, because of %s",
                       size_limit.bytes, cwi_zone.limit);
  char *base = NULL;
  size_t given = 0;
  CWI_TRY(allocate_window(size_limit.bytes, &base, &given));
  /* Open MPI puts a header in front of the memory, at the same offset in a page in all processes.
   */
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t skipped = cwi_round_up((uintptr_t)base, page) - (uintptr_t)base;
  cwi_zone.base = base + skipped;
  cwi_zone.size = given - skipped;
  cwi_zone.fixed = false;
  return CW_OK;
}

/* --- Starting and stopping -------------------------------------------------------------------- */

/* Maps a memory file, or an MPI window if some process of the node cannot map the file. All
 * processes of the node decide alike. */
static cw_error map_either(void)
{
  struct obstacle worst = {0};
  if (cwi_settings.zone == CWI_ZONE_MPI)
    return map_window();
  CWI_TRY(map_file(&worst));
  if (worst.code == 0)
    return CW_OK;
  if (cwi_settings.zone == CWI_ZONE_MEMFD)
    return cwi_outside("the zone cannot be mapped from a memory file at 0x%lx, and CW_ZONE=memfd "
                       "forbids MPI shared memory (rank %d of node %d: %s)",
                       (unsigned long)(uintptr_t)placement, worst.rank, cwi_world.node,
                       cwi_system_error(worst.code));
  if (cwi_world.node_rank == 0)
    cwi_log(CWI_LOG_WARNING,
            "the processes of node %d cannot share a memory file at 0x%lx (rank %d of the node: "
            "%s); using MPI shared memory instead",
            cwi_world.node, (unsigned long)(uintptr_t)placement, worst.rank,
            cwi_system_error(worst.code));
  return map_window();
}

static void release_placement(void)
{
  placements = (struct cwi_zone_placement){0};
  cwi_zone_placement_release();
}

static void advise(int advice, const char *what)
{
  if (madvise(cwi_zone.base, cwi_zone.size, advice) != 0)
    cwi_log(CWI_LOG_WARNING, "%s: %s", what, cwi_system_error(errno));
}

cw_error cwi_zone_file_start(void)
{
  const cw_error error = map_either();
  if (error != CW_OK) {
    release_placement();
    return error;
  }
  if (cwi_settings.huge_pages)
    advise(MADV_HUGEPAGE, "CW_HUGE_PAGES: the kernel gives no huge pages here");
  if (!cwi_settings.core_regions)
    advise(MADV_DONTDUMP, "core dumps will contain the zone");
  return CW_OK;
}

cw_error cwi_zone_file_stop(void)
{
  if (shared_window != MPI_WIN_NULL)
    CWI_TRY(CWI_MPI(MPI_Win_free(&shared_window)));
  else
    unmap_file();
  release_placement();
  return CW_OK;
}

void cwi_zone_file_forget(void)
{
  if (shared_window == MPI_WIN_NULL)
    unmap_file();
  shared_window = MPI_WIN_NULL;
  release_placement();
}

/* Returns true if memory may be returned to the system. A network adapter continues to use a page
 * that MPI has registered with it. MPI libraries keep registrations in every process in which a
 * message began or ended, also a message of the program. If the zone got new memory in place of
 * that page, the adapter would still use the old page. On one node no adapter is involved. */
static bool may_punch(void)
{
  return cwi_settings.punch == CWI_PUNCH_ALWAYS ||
         (cwi_settings.punch == CWI_PUNCH_AUTO && cwi_world.nodes == 1);
}

void cwi_zone_punch(uint32_t granule, uint32_t length)
{
  const size_t offset = (size_t)granule << CWI_GRANULE_SHIFT;
  const size_t bytes = (size_t)length << CWI_GRANULE_SHIFT;
  if (bytes < (size_t)cwi_settings.punch_size || !may_punch())
    return;
  /* fallocate also works on memory that mlockall has locked. If the kernel cannot do it, the pages
   * stay with the zone for the next slice. */
  const int code = memory_file >= 0
                       ? fallocate(memory_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                   (off_t)offset, (off_t)bytes)
                       : madvise(cwi_zone.base + offset, bytes, MADV_REMOVE);
  if (code != 0)
    cwi_log(CWI_LOG_DEBUG, "freed memory stays with the zone: %s", cwi_system_error(errno));
}

bool cwi_zone_supply(uint32_t granule, uint32_t length)
{
  enum { POPULATE_WRITE = 23 }; /* MADV_POPULATE_WRITE; unknown before Linux 5.14 */
  char *begin = cwi_zone.base + ((size_t)granule << CWI_GRANULE_SHIFT);
  const size_t bytes = (size_t)length << CWI_GRANULE_SHIFT;
  if (memory_file >= 0 || madvise(begin, bytes, POPULATE_WRITE) == 0 || errno == EINVAL)
    return true;
  const cw_error recorded =
      cwi_outside("there is no memory for %zu bytes of the node's MPI window: %s", bytes,
                  errno == EFAULT ? "/dev/shm is full" : cwi_system_error(errno));
  (void)recorded;
  return false;
}

size_t cwi_zone_resident(void)
{
  struct stat status;
  if (memory_file < 0 || fstat(memory_file, &status) != 0)
    return 0;
  return (size_t)status.st_blocks * 512;
}

/* Calls mincore for PAGES pages at a time. */
uint32_t cwi_zone_touched(uint32_t granule, uint32_t length)
{
  enum { PAGES = 4096 };
  const size_t page = (size_t)sysconf(_SC_PAGESIZE), most = PAGES * page / CWI_GRANULE;
  unsigned char given[PAGES];
  uint32_t touched = 0;
  for (size_t done = 0; done < length; done += most) {
    const size_t granules = length - done < most ? length - done : most;
    const size_t pages = granules * (CWI_GRANULE / page);
    if (mincore(cwi_zone.base + ((granule + done) << CWI_GRANULE_SHIFT), pages * page, given) != 0)
      memset(given, 1, pages);
    for (size_t i = 0; i < pages; i++)
      if (given[i] & 1)
        touched = (uint32_t)(done + i / (CWI_GRANULE / page) + 1);
  }
  return touched;
}
