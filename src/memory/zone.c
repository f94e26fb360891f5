#include "memory/zone.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/settings.h"
#include "base/size.h"
#include "mpi/call.h"
#include "team/world.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

struct cwi_zone cwi_zone;

static int memory_file = -1;
static MPI_Win shared_window = MPI_WIN_NULL;
static pid_t *pids; /* [node_ranks] */

/* How the others find the leader's memory file, and can be sure that it is that one. */
struct invitation {
  pid_t pid;
  int file;
  dev_t device;
  ino_t inode;
  size_t size;
};

static size_t default_size(void)
{
  const size_t ram = cwi_machine_memory();
  const size_t least = (size_t)64 << 30;
  const size_t wanted = ram < SIZE_MAX / 4 && 4 * ram > least ? 4 * ram : least;
  return cwi_settings.zone_size > 0 ? (size_t)cwi_settings.zone_size : wanted;
}

static void invite(struct invitation *invitation)
{
  struct stat status;
  invitation->file = -1;
  invitation->size = cwi_round_up(default_size(), CWI_GRANULE);
  memory_file = memfd_create("causeway", MFD_CLOEXEC);
  if (memory_file < 0 || ftruncate(memory_file, (off_t)invitation->size) != 0 ||
      fstat(memory_file, &status) != 0)
    return;
  *invitation =
      (struct invitation){getpid(), memory_file, status.st_dev, status.st_ino, invitation->size};
}

/* In another PID namespace the path may name another process's file: compare before use. */
static bool open_invited(const struct invitation *invitation)
{
  if (invitation->file < 0)
    return false;
  if (cwi_world.node_rank == 0)
    return true;
  char path[64];
  struct stat status;
  snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)invitation->pid, invitation->file);
  memory_file = open(path, O_RDWR | O_CLOEXEC);
  return memory_file >= 0 && fstat(memory_file, &status) == 0 &&
         status.st_dev == invitation->device && status.st_ino == invitation->inode;
}

static bool map_file(size_t size)
{
  void *wanted =
      (void *)(uintptr_t)cwi_settings.zone_address; /* NOLINT(performance-no-int-to-ptr) */
  void *got = mmap(wanted, size, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, memory_file, 0);
  if (got == MAP_FAILED)
    return false;
  if (got != wanted) { /* a kernel that does not know MAP_FIXED_NOREPLACE */
    munmap(got, size);
    return false;
  }
  cwi_zone.base = got;
  cwi_zone.size = size;
  cwi_zone.fixed = true;
  return true;
}

static void unmap_file(void)
{
  if (cwi_zone.base != NULL)
    munmap(cwi_zone.base, cwi_zone.size);
  if (memory_file >= 0)
    close(memory_file);
  memory_file = -1;
  cwi_zone.base = NULL;
}

static cw_error map_memfd(bool *mapped)
{
  struct invitation invitation = {0};
  if (cwi_world.node_rank == 0)
    invite(&invitation);
  CWI_TRY(CWI_MPI(MPI_Bcast(&invitation, sizeof invitation, MPI_BYTE, 0, cwi_world.node_comm)));
  int mine = open_invited(&invitation) && map_file(invitation.size), all = 0;
  CWI_TRY(CWI_MPI(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, cwi_world.node_comm)));
  *mapped = all;
  if (!all)
    unmap_file();
  return CW_OK;
}

/* MPI libraries keep such windows in /dev/shm: ask for no more than half of what it has free. */
static size_t window_size(void)
{
  if (cwi_settings.zone_size > 0)
    return (size_t)cwi_settings.zone_size;
  struct statvfs shm;
  size_t size = cwi_machine_memory() / 4;
  if (statvfs("/dev/shm", &shm) == 0 && (size_t)shm.f_bavail * shm.f_frsize / 2 < size)
    size = (size_t)shm.f_bavail * shm.f_frsize / 2;
  return size;
}

static cw_error map_window(void)
{
  size_t size = cwi_round_up(window_size(), CWI_GRANULE);
  CWI_TRY(CWI_MPI(MPI_Bcast(&size, sizeof size, MPI_BYTE, 0, cwi_world.node_comm)));
  void *mine = NULL, *base = NULL;
  MPI_Aint given = 0;
  int unit = 0;
  CWI_TRY(CWI_MPI(MPI_Win_allocate_shared(cwi_world.node_rank == 0 ? (MPI_Aint)size : 0, 1,
                                          MPI_INFO_NULL, cwi_world.node_comm, (void *)&mine,
                                          &shared_window)));
  CWI_TRY(CWI_MPI(MPI_Win_shared_query(shared_window, 0, &given, &unit, (void *)&base)));
  /* Open MPI's memory begins behind a header of its own, at the same place of a page everywhere. */
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t skipped = cwi_round_up((uintptr_t)base, page) - (uintptr_t)base;
  cwi_zone.base = (char *)base + skipped;
  cwi_zone.size = (size_t)given - skipped;
  cwi_zone.fixed = false;
  return CW_OK;
}

static cw_error map_zone(void)
{
  bool mapped = false;
  if (cwi_settings.zone != CWI_ZONE_MPI)
    CWI_TRY(map_memfd(&mapped));
  if (mapped)
    return CW_OK;
  if (cwi_settings.zone == CWI_ZONE_MEMFD)
    return cwi_outside("the zone cannot be mapped from a memory file at 0x%lx, and CW_ZONE=memfd "
                       "forbids MPI shared memory: %s",
                       cwi_settings.zone_address, strerror(errno));
  if (cwi_settings.zone == CWI_ZONE_AUTO && cwi_world.node_rank == 0)
    cwi_log(CWI_LOG_WARNING,
            "the processes of node %d cannot share a memory file at 0x%lx (%s); "
            "using MPI shared memory instead",
            cwi_world.node, cwi_settings.zone_address, strerror(errno));
  return map_window();
}

static cw_error lay_out(void)
{
  const size_t granules = cwi_zone.size >> CWI_GRANULE_SHIFT;
  const size_t header = cwi_round_up(sizeof(struct cwi_zone_header), CWI_GRANULE);
  const size_t table = cwi_round_up(granules * sizeof(struct cwi_granule), CWI_GRANULE);
  const size_t first = (header + table) >> CWI_GRANULE_SHIFT;
  if (granules > UINT32_MAX || first + 2 > granules)
    return cwi_misuse("the zone is %zu bytes (CW_ZONE_SIZE); it may be %zu to %zu", cwi_zone.size,
                      header + 4 * CWI_GRANULE, (size_t)UINT32_MAX << CWI_GRANULE_SHIFT);
  cwi_zone.header = (struct cwi_zone_header *)(void *)cwi_zone.base;
  cwi_zone.granules = (struct cwi_granule *)(void *)(cwi_zone.base + header);
  if (cwi_settings.huge_pages && madvise(cwi_zone.base, cwi_zone.size, MADV_HUGEPAGE) != 0)
    cwi_log(CWI_LOG_WARNING, "CW_HUGE_PAGES: the kernel gives no huge pages here: %s",
            strerror(errno));
  /* A memory file is all zeros; an MPI window may be anything. */
  if (cwi_world.node_rank == 0 && !cwi_zone.fixed)
    memset(cwi_zone.base, 0, header + table);
  if (cwi_world.node_rank == 0)
    CWI_TRY(cwi_arena_start(&cwi_zone.header->arena, CWI_ARENA_NODE, (uint32_t)first,
                            (uint32_t)granules));
  struct cwi_arena *arena = &cwi_zone.header->arena;
  cwi_node_pool = (struct cwi_pool){.arena = arena, .node = true, .owner = cwi_world.process};
  cwi_internal_pool = (struct cwi_pool){.arena = arena, .node = true, .owner = -1};
  return CW_OK;
}

static cw_error collect_pids(void)
{
  const pid_t mine = getpid();
  pids = calloc((size_t)cwi_world.node_ranks, sizeof *pids);
  if (pids == NULL)
    return cwi_outside("no memory for %d process numbers", cwi_world.node_ranks);
  return CWI_MPI(MPI_Allgather(&mine, sizeof mine, MPI_BYTE, pids, sizeof mine, MPI_BYTE,
                               cwi_world.node_comm));
}

cw_error cwi_zone_start(void)
{
  CWI_TRY(map_zone());
  CWI_TRY(lay_out());
  CWI_TRY(collect_pids());
  return CWI_MPI(MPI_Barrier(cwi_world.node_comm));
}

cw_error cwi_zone_stop(void)
{
  CWI_TRY(CWI_MPI(MPI_Barrier(cwi_world.node_comm)));
  free(pids);
  pids = NULL;
  if (shared_window != MPI_WIN_NULL)
    CWI_TRY(CWI_MPI(MPI_Win_free(&shared_window)));
  else
    unmap_file();
  cwi_zone = (struct cwi_zone){0};
  return CW_OK;
}

const char *cwi_zone_describe(void)
{
  static char text[160];
  snprintf(text, sizeof text, "%s at %p, %zu MiB of addresses",
           cwi_zone.fixed ? "unnamed memory file (memfd)" : "MPI shared-memory window",
           (void *)cwi_zone.base, cwi_zone.size >> 20);
  return text;
}

void cwi_zone_punch(uint32_t granule, uint32_t length)
{
  const size_t offset = (size_t)granule << CWI_GRANULE_SHIFT;
  const size_t bytes = (size_t)length << CWI_GRANULE_SHIFT;
  if (bytes < (size_t)cwi_settings.punch_size)
    return;
  /* Where the kernel cannot do it the pages just stay with the zone, for the next slice. */
  if (madvise(cwi_zone.base + offset, bytes, MADV_REMOVE) != 0)
    cwi_log(CWI_LOG_DEBUG, "freed memory stays with the zone: %s", strerror(errno));
}

size_t cwi_zone_resident(void)
{
  struct stat status;
  if (memory_file < 0 || fstat(memory_file, &status) != 0)
    return 0;
  return (size_t)status.st_blocks * 512;
}

bool cwi_zone_is_new(uint64_t sentence)
{
  enum { PLACES = sizeof cwi_zone.header->said / sizeof cwi_zone.header->said[0], SECONDS = 300 };
  const uint64_t now = (uint32_t)cwi_now(), tag = sentence >> 32 << 32;
  uint64_t *place = &cwi_zone.header->said[sentence % PLACES];
  const uint64_t before = __atomic_exchange_n(place, tag | now, __ATOMIC_ACQ_REL);
  return before >> 32 != tag >> 32 || (uint32_t)(now - before) > SECONDS;
}

void cwi_zone_watch_peers(void)
{
  for (int peer = 0; pids != NULL && peer < cwi_world.node_ranks; peer++) {
    if (kill(pids[peer], 0) == 0 || errno != ESRCH)
      continue;
    char reason[128];
    const bool server = peer == cwi_world.node_processes;
    snprintf(reason, sizeof reason, "%s %d (pid %ld) has died; ending the job",
             server ? "the server of node" : "process",
             server ? cwi_world.node : cwi_world.peers[peer], (long)pids[peer]);
    cwi_abort(reason, 1);
  }
}

bool cwi_zone_find(const void *address, struct cwi_slice *slice)
{
  const size_t offset = (size_t)((uintptr_t)address - (uintptr_t)cwi_zone.base);
  if (offset >= cwi_zone.size)
    return false;
  const uint32_t number = (uint32_t)(offset >> CWI_GRANULE_SHIFT);
  const struct cwi_granule *granule = &cwi_zone.granules[number];
  if (granule->kind == CWI_GRANULE_SLAB) {
    const struct cwi_slab_shape shape = cwi_slab_shapes[granule->slab_class];
    const uint32_t from_first = (uint32_t)(offset & (CWI_GRANULE - 1)) - shape.first;
    const uint32_t slot = from_first >> (CWI_SLAB_SHIFT + granule->slab_class);
    if (slot >= shape.slots)
      return false;
    const struct cwi_slot *entry = &cwi_slab_at(number)->slots[slot];
    *slice = (struct cwi_slice){(char *)cwi_slab_at(number) + shape.first +
                                    ((size_t)slot << (CWI_SLAB_SHIFT + granule->slab_class)),
                                entry->bytes, granule->owner, entry->region};
  } else {
    const struct cwi_granule *head = &cwi_zone.granules[granule->head];
    if (head->kind != CWI_GRANULE_SLICE)
      return false;
    *slice = (struct cwi_slice){cwi_zone.base + ((size_t)granule->head << CWI_GRANULE_SHIFT),
                                head->bytes, head->owner, head->region};
  }
  return (size_t)((const char *)address - slice->base) < slice->bytes;
}
