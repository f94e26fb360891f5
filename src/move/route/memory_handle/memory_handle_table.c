/* The tables of memory handles: the handles of each process of a node, in memory that all of them
 * share. */
#include "route/memory_handle/memory_handle.h"

#include "base/hash.h"
#include "memory/arena.h"
#include "memory/device_address.h"
#include "memory/zone.h"
#include "mpi/collective_yield.h"
#include "mpi/mpi_progress.h"
#include "region/chunk.h"
#include "route/memory_handle/memory_handle_agent.h"
#include "team/agreement.h"
#include "team/world.h"
#include "wait/lock.h"
#include "wait/wait_report.h"

#include <causeway/handle.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

/* Slab k of a process's table has FIRST_ENTRIES << k entries. */
enum { SLABS = 12, FIRST_ENTRIES = 64, MOST = FIRST_ENTRIES * ((1 << SLABS) - 1) };
static const uint32_t MAGIC = 0x31687743; /* "Cwh1": change it when the layout of names changes */

_Static_assert(sizeof(struct cwi_memory_handle_name) == CW_MEMORY_HANDLE_BYTES, "the public size");
_Static_assert(sizeof(struct cwi_memory_handle_entry) == 64, "a line");

/* The slabs of one process. */
struct row {
  uint64_t slabs[SLABS]; /* offsets in the zone; 0 if not allocated yet */
};

static struct row *rows; /* [processes of my node] */
static uint64_t job;     /* identifies this job and this start of Causeway */

/* State of my own table, guarded by the bookkeeping lock. */
static uint32_t fresh;      /* the slots from this number on have never been used */
static uint32_t first_free; /* slot + 1; 0 if none is free */
static uint64_t serials;
static size_t alive;

/* --- Start and stop --------------------------------------------------------------------------- */

static cw_error make_rows(void)
{
  const size_t bytes = (size_t)cwi_world.node_processes * sizeof *rows;
  void *made = cwi_heap_allocate(&cwi_zone.internal, bytes, 0);
  if (made == NULL)
    return CW_OUTSIDE;
  memset(made, 0, bytes);
  cwi_zone.header->memories = cwi_offset_of(made);
  return CW_OK;
}

/* Draws a random number, on one rank, that identifies this job and this start of Causeway. */
static cw_error agree_on_job(void)
{
  int rank = 0;
  CWI_TRY(CWI_MPI(MPI_Comm_rank(cwi_world.all_comm, &rank)));
  if (rank == 0 && getrandom(&job, sizeof job, 0) != (ssize_t)sizeof job)
    return cwi_outside("the kernel gives no random number");
  return CW_OK;
}

cw_error cwi_memory_handles_start(void)
{
  cw_error error = agree_on_job();
  if (error == CW_OK && cwi_world.node_rank == 0)
    error = make_rows();
  CWI_TRY(cwi_agree(cwi_world.all_comm, error, NULL));
  CWI_TRY(cwi_mpi_bcast(&job, 1, MPI_UINT64_T, 0, cwi_world.all_comm));
  rows = (struct row *)(void *)cwi_address_at(cwi_zone.header->memories);
  fresh = first_free = 0;
  alive = 0;
  return CW_OK;
}

void cwi_memory_handles_stop(void)
{
  cwi_memory_handle_agent_close();
  rows = NULL;
}

/* --- Entries ---------------------------------------------------------------------------------- */

static unsigned slab_of(uint32_t slot)
{
  return 31u - (unsigned)__builtin_clz(slot / FIRST_ENTRIES + 1);
}

/* Returns the entry of a slot, or NULL if its slab was never allocated. */
static struct cwi_memory_handle_entry *entry_at(const struct row *row, uint32_t slot)
{
  if (slot >= MOST)
    return NULL;
  const unsigned slab = slab_of(slot);
  const uint64_t offset = __atomic_load_n(&row->slabs[slab], __ATOMIC_ACQUIRE);
  if (offset == 0)
    return NULL;
  struct cwi_memory_handle_entry *entries =
      (struct cwi_memory_handle_entry *)(void *)cwi_address_at(offset);
  return &entries[slot - FIRST_ENTRIES * ((1u << slab) - 1)];
}

static struct row *my_row(void)
{
  return &rows[cwi_node_index(cwi_world.process)];
}

static cw_error make_slab(struct row *row, unsigned slab)
{
  const size_t bytes = ((size_t)FIRST_ENTRIES << slab) * sizeof(struct cwi_memory_handle_entry);
  void *made = cwi_heap_allocate(&cwi_zone.internal, bytes, 0);
  if (made == NULL)
    return CW_OUTSIDE;
  memset(made, 0, bytes);
  __atomic_store_n(&row->slabs[slab], cwi_offset_of(made), __ATOMIC_RELEASE);
  return CW_OK;
}

/* Takes a free slot. The caller holds the bookkeeping lock. */
static cw_error take_slot(uint32_t *slot)
{
  struct row *row = my_row();
  if (first_free != 0) {
    *slot = first_free - 1;
    first_free = entry_at(row, *slot)->next_free;
    return CW_OK;
  }
  if (fresh >= MOST)
    return cwi_outside("process %d has %d memory handles, the maximum", cwi_world.process, MOST);
  if (entry_at(row, fresh) == NULL)
    CWI_TRY(make_slab(row, slab_of(fresh)));
  *slot = fresh++;
  return CW_OK;
}

/* --- Names ------------------------------------------------------------------------------------ */

/* Returns the checksum of a name, which detects changed bytes. */
static uint32_t sum_of(const struct cwi_memory_handle_name *name)
{
  const unsigned char *bytes = (const unsigned char *)name;
  uint64_t sum = CWI_HASH_EMPTY;
  for (size_t i = offsetof(struct cwi_memory_handle_name, job); i < sizeof *name; i++)
    sum = cwi_hash_add(sum, bytes[i]);
  return (uint32_t)(sum ^ sum >> 32);
}

/* Returns true if the first and the last page of the memory are mapped. To check all pages would
 * take too long. */
static bool is_mapped(const char *address, size_t bytes)
{
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t first = (uintptr_t)address & ~(page - 1);
  const uintptr_t last = ((uintptr_t)address + bytes - 1) & ~(page - 1);
  unsigned char given = 0;
  /* NOLINTBEGIN(performance-no-int-to-ptr) */
  return mincore((void *)first, 1, &given) == 0 &&
         (last == first || mincore((void *)last, 1, &given) == 0);
  /* NOLINTEND(performance-no-int-to-ptr) */
}

/* Finds whether memory of mine lies in a slice or outside the zone, and fills `entry`. Memory in
 * the zone must lie in one slice. */
static cw_error place_memory(const char *address, size_t bytes,
                             struct cwi_memory_handle_entry *entry)
{
  struct cwi_zone_slice slice;
  uintptr_t end = 0;
  entry->address = (uintptr_t)address;
  entry->bytes = bytes;
  if (bytes == 0 || bytes > PTRDIFF_MAX || __builtin_add_overflow((uintptr_t)address, bytes, &end))
    return cwi_misuse(
        "bytes is %zu; it must be at least 1, and the memory must lie within the address range",
        bytes);
  if (cwi_is_device_address(address))
    return cwi_misuse("address is %p, device memory, which a handle cannot name: use its region",
                      (const void *)address);
  const uintptr_t begin = (uintptr_t)cwi_zone.base;
  if (end <= begin || (uintptr_t)address >= begin + cwi_zone.size) {
    entry->offset = CWI_NOT_IN_ZONE;
    return is_mapped(address, bytes)
               ? CW_OK
               : cwi_misuse("address is %p, from which on less than %zu bytes are mapped",
                            (const void *)address, bytes);
  }
  if (!cwi_zone_find(address, &slice) || !cwi_zone_holds(slice.owner, address, bytes))
    return cwi_misuse("address is %p: %zu bytes there lie in memory of regions, but in no slice",
                      (const void *)address, bytes);
  entry->offset = cwi_offset_of(address);
  entry->slice_owner = slice.owner;
  return CW_OK;
}

/* Writes an entry. The serial number is written last: a reader that sees the serial number also
 * sees the other fields. */
static void table_publish(struct cwi_memory_handle_entry *entry,
                          const struct cwi_memory_handle_entry *given)
{
  entry->address = given->address;
  entry->offset = given->offset;
  entry->bytes = given->bytes;
  entry->slice_owner = given->slice_owner;
  __atomic_store_n(&entry->serial, given->serial, __ATOMIC_RELEASE);
}

cw_error cwi_memory_handle_create(void *address, size_t bytes, struct cwi_memory_handle_name *name)
{
  struct cwi_memory_handle_entry given = {.serial = 0};
  uint32_t slot = 0;
  CWI_TRY(place_memory(address, bytes, &given));
  cwi_threads_lock();
  const cw_error error = take_slot(&slot);
  if (error == CW_OK) {
    given.serial = ++serials;
    alive++;
  }
  cwi_threads_unlock();
  CWI_TRY(error);
  struct cwi_memory_handle_entry *entry = entry_at(my_row(), slot);
  table_publish(entry, &given);
  *name = (struct cwi_memory_handle_name){.magic = MAGIC,
                                          .job = job,
                                          .address = given.address,
                                          .offset = given.offset,
                                          .bytes = bytes,
                                          .serial = given.serial,
                                          .entry = (uintptr_t)entry,
                                          .slot = slot,
                                          .owner = cwi_world.process};
  name->sum = sum_of(name);
  return CW_OK;
}

static void give_slot(struct cwi_memory_handle_entry *entry, uint32_t slot)
{
  cwi_threads_lock();
  entry->next_free = first_free;
  first_free = slot + 1;
  alive--;
  cwi_threads_unlock();
}

void cwi_memory_handle_slab(const struct cwi_memory_handle_name *name, void **slab, size_t *bytes)
{
  const unsigned number = slab_of(name->slot);
  *slab = cwi_address_at(my_row()->slabs[number]);
  *bytes = ((size_t)FIRST_ENTRIES << number) * sizeof(struct cwi_memory_handle_entry);
}

void cwi_memory_handle_withdraw(const struct cwi_memory_handle_name *name)
{
  struct cwi_memory_handle_entry *entry = entry_at(my_row(), name->slot);
  __atomic_store_n(&entry->serial, 0, __ATOMIC_SEQ_CST);
  give_slot(entry, name->slot);
}

static bool table_is_idle(void *context)
{
  const struct cwi_memory_handle_entry *entry = context;
  return __atomic_load_n(&entry->users, __ATOMIC_SEQ_CST) == 0;
}

static void table_awaited(const void *what, char *text, size_t size)
{
  const struct cwi_memory_handle_entry *entry = what;
  snprintf(text, size, "%u accesses to the memory at 0x%llx to end",
           __atomic_load_n(&entry->users, __ATOMIC_RELAXED), (unsigned long long)entry->address);
}

cw_error cwi_memory_handle_release(const void *handle, struct cwi_memory_handle *memory)
{
  enum { NAP_NANOSECONDS = 20000 };
  CWI_TRY(cwi_memory_handle_resolve(handle, memory));
  if (memory->owner != cwi_world.process)
    return cwi_misuse("handle names memory of process %d; only that process may release it",
                      memory->owner);
  struct cwi_memory_handle_entry *entry = memory->entry;
  uint64_t serial = memory->serial;
  if (!__atomic_compare_exchange_n(&entry->serial, &serial, 0, false, __ATOMIC_SEQ_CST,
                                   __ATOMIC_SEQ_CST))
    return cwi_memory_handle_released(memory); /* another thread has just released it */
  const struct cwi_waiting outer =
      cwi_waiting_begin("cw_memory_handle_release", table_awaited, entry);
  cwi_wait_until(table_is_idle, entry, NAP_NANOSECONDS);
  cwi_waiting_end(&outer);
  give_slot(entry, memory->slot);
  return CW_OK;
}

size_t cwi_memory_handles_alive(void)
{
  return alive;
}

/* --- What a handle names ---------------------------------------------------------------------- */

static cw_error check_name(const struct cwi_memory_handle_name *name)
{
  if (name->magic != MAGIC || name->sum != sum_of(name))
    return cwi_misuse(
        "handle is not a memory handle: its %d bytes are not what cw_memory_handle_create writes",
        CW_MEMORY_HANDLE_BYTES);
  if (name->job != job)
    return cwi_misuse("handle is of another job, or of this one before cw_finalize and cw_init");
  return cwi_is_process(name->owner)
             ? CW_OK
             : cwi_misuse("handle names memory of process %d; the job has %d processes",
                          name->owner, cwi_world.processes);
}

cw_error cwi_memory_handle_released(const struct cwi_memory_handle *memory)
{
  return cwi_misuse("handle names %zu bytes at %p of process %d, which has released it",
                    memory->bytes, (const void *)memory->address, memory->owner);
}

cw_error cwi_memory_handle_resolve(const void *handle, struct cwi_memory_handle *memory)
{
  struct cwi_memory_handle_name name;
  if (rows == NULL)
    return cwi_not_running();
  CWI_TRY(cwi_check_not_null("handle", handle));
  memcpy(&name, handle, sizeof name);
  CWI_TRY(check_name(&name));
  const bool in_zone = name.offset != CWI_NOT_IN_ZONE;
  /* NOLINTNEXTLINE(performance-no-int-to-ptr) */
  char *address =
      in_zone ? cwi_address_in(name.owner, name.offset) : (char *)(uintptr_t)name.address;
  *memory = (struct cwi_memory_handle){.owner = name.owner,
                                       .address = address,
                                       .bytes = name.bytes,
                                       .serial = name.serial,
                                       .slot = name.slot,
                                       .in_zone = in_zone,
                                       .owner_address = name.address,
                                       .owner_entry = name.entry};
  if (!cwi_same_node(name.owner))
    return CW_OK;
  memory->entry = entry_at(&rows[cwi_node_index(name.owner)], name.slot);
  if (memory->entry == NULL || !cwi_memory_handle_lives(memory))
    return cwi_memory_handle_released(memory);
  const bool same = memory->entry->address == name.address &&
                    memory->entry->offset == name.offset && memory->entry->bytes == name.bytes;
  if (same)
    return CW_OK;
  return cwi_memory_handle_lives(memory)
             ? cwi_misuse("handle is not one that process %d has made", name.owner)
             : cwi_memory_handle_released(memory); /* its slot has been reused */
}

cw_error cwi_memory_handle_find(int process, uint32_t slot, uint64_t serial,
                                struct cwi_memory_handle *memory)
{
  struct cwi_memory_handle_entry *entry = entry_at(&rows[cwi_node_index(process)], slot);
  *memory =
      (struct cwi_memory_handle){.owner = process, .serial = serial, .slot = slot, .entry = entry};
  if (entry == NULL || serial == 0 || !cwi_memory_handle_lives(memory))
    return cwi_misuse("handle %u of process %d was released", slot, process);
  memory->in_zone = entry->offset != CWI_NOT_IN_ZONE;
  memory->owner_address = entry->address;
  memory->address = memory->in_zone ? cwi_address_at(entry->offset)
                                    : (char *)(uintptr_t)entry->address; /* NOLINT */
  memory->bytes = entry->bytes;
  return CW_OK;
}

cw_error cwi_memory_handle_holds(const struct cwi_memory_handle *memory, const void *remote,
                                 size_t bytes)
{
  const size_t begin = (size_t)((uintptr_t)remote - (uintptr_t)memory->address);
  if (CWI_LIKELY(begin < memory->bytes && bytes <= memory->bytes - begin))
    return CW_OK;
  return cwi_misuse(
      "remote is %p: %zu bytes there are not inside the memory that the handle names: "
      "%zu bytes at %p of process %d",
      remote, bytes, memory->bytes, (const void *)memory->address, memory->owner);
}

/* First counts the access, then checks the handle. Release first clears the serial number, then
 * reads the count. So release waits for every access that has found the handle alive. */
cw_error cwi_memory_handle_enter(const struct cwi_memory_handle *memory)
{
  __atomic_fetch_add(&memory->entry->users, 1, __ATOMIC_SEQ_CST);
  if (CWI_LIKELY(__atomic_load_n(&memory->entry->serial, __ATOMIC_SEQ_CST) == memory->serial))
    return CW_OK;
  cwi_memory_handle_leave(memory);
  return cwi_memory_handle_released(memory);
}

void cwi_memory_handle_leave(const struct cwi_memory_handle *memory)
{
  __atomic_fetch_sub(&memory->entry->users, 1, __ATOMIC_SEQ_CST);
}
