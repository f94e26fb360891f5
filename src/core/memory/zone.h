/* The zone: one address range that all processes of a node share, and its table of granules.
 *
 * The range consists of granules of 64 KiB. The table has one entry for each, from which the slice
 * that contains an address is found without a search. Everything in shared memory holds offsets and
 * never pointers, so that a node whose processes map the zone at different addresses works too.
 *
 * The zones of other nodes are not mapped here: their addresses are only names. Each process may
 * choose them differently, so messages hold offsets.
 *
 * arena.c           free ranges of granules
 * file_passing.c    passes the memory file to processes in other PID namespaces
 * heap.c            small slices from slabs, larger ones from an arena
 * memory_account.c  how much memory of the node is allocated
 * numa_policy.c     the NUMA node from which a slice's memory comes
 * staging.c         temporary buffers for data in transit
 * zone.c            finds the slice at an address
 * zone_file.c       the memory file of the zone: its size, and mapping it
 * zone_placement.c  chooses the addresses of the zones of a world */
#pragma once

#include "base/error.h"
#include "memory/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CWI_GRANULE_SHIFT = 16 };
#define CWI_GRANULE ((size_t)1 << CWI_GRANULE_SHIFT)

enum cwi_granule_kind {
  CWI_GRANULE_INSIDE = 0, /* not the first of its range, which is `head` */
  CWI_GRANULE_FREE,       /* first of a free range of the node */
  CWI_GRANULE_SLICE,      /* first of a range that is one slice */
  CWI_GRANULE_SLAB,       /* holds small slices of one size class */
  CWI_GRANULE_TAKEN,      /* first of a range with another use, never a slice */
  CWI_GRANULE_CHUNK_FREE  /* first of a free range of a chunk */
};

struct cwi_granule {
  uint8_t kind;
  uint8_t slab_class; /* size class, for CWI_GRANULE_SLAB */
  uint16_t place;     /* NUMA node + 1 from which its memory comes; 0 if any */
  uint32_t head;   /* first granule of its range; in a free range set in the first and the last */
  int32_t owner;   /* process that owns the slice */
  uint32_t length; /* granules in the range; set in its first granule */
  uint64_t bytes;  /* size of the slice */
  union {
    uint64_t region; /* key of the region */
    struct {
      uint32_t previous, next; /* neighbours in the list of free ranges */
    };
  };
};

/* Slot of a slab. It is free if it has 0 bytes. */
struct cwi_slot {
  uint32_t bytes;
  uint32_t next_free;
  uint64_t region;
};

/* First bytes of a slab granule. Only the owner of the slab writes them. */
struct cwi_slab {
  uint32_t used;
  uint32_t first_free;     /* slot + 1; 0 if there is none */
  uint32_t next, previous; /* neighbours in the list of the class's slabs with free slots, by
                              granule; 0 if there is none */
  struct cwi_slot slots[];
};

struct cwi_slab_shape {
  uint32_t slots;
  uint32_t first; /* offset of slot 0 in the granule */
};
extern const struct cwi_slab_shape cwi_slab_shapes[CWI_SLAB_CLASSES];

enum { CWI_STRIPES = 4096, CWI_STRIPE_SHIFT = 17 };

/* First bytes of the zone. */
struct cwi_zone_header {
  struct cwi_arena arena;  /* free memory of the node */
  uint64_t committed;      /* bytes that are accounted */
  uint64_t most_committed; /* largest value of `committed` so far */
  uint64_t slack;        /* bytes that may be accounted before the available memory is read again */
  uint64_t most_slack;   /* upper bound of slack */
  uint64_t reported[16]; /* hashes of messages that were logged lately, with the second of each */
  uint64_t backed;       /* length of the memory file; guarded by the arena's lock */
  uint64_t agents;       /* offset of the rings of agents (region/agent.c); 0 if there are none */
  uint64_t on_device;    /* not 0 once a process of the node has slices on a device */
  uint64_t memories;     /* offset of the tables of memory handles; 0 if there are none */
  struct {
    uint32_t lock;
    uint32_t padding[15];
  } stripes[CWI_STRIPES]; /* locks of accumulates: one for each 128 KiB, modulo CWI_STRIPES */
};

struct cwi_zone {
  char *base; /* NULL if there is no zone */
  size_t size;
  struct cwi_granule *granules;
  struct cwi_zone_header *header;
  bool fixed;               /* mapped at the same address in all processes of the node */
  const char *limit;        /* name of the limit that determined its size */
  struct cwi_heap heap;     /* slices of this process */
  struct cwi_heap internal; /* shared structures of the library */
  uintptr_t *bases;         /* [nodes] start of each node's zone, as this process names it */
  uintptr_t apart;          /* start of the range with the zones of all nodes, if they are apart */
  size_t apart_bytes;       /* length of that range; 0 if all zones have the same addresses */
};
extern struct cwi_zone cwi_zone;

static inline struct cwi_slab *cwi_slab_at(uint32_t granule)
{
  return (struct cwi_slab *)(void *)(cwi_zone.base + ((size_t)granule << CWI_GRANULE_SHIFT));
}

/* The slice that contains an address. */
struct cwi_zone_slice {
  char *base;
  size_t bytes;
  int owner;
  uint64_t region;
};

/* Returns the kind of a granule. Writers store the kind last and readers load it first, so
 * everything else that a reader sees of the granule is at least as new as its kind. */
static inline enum cwi_granule_kind cwi_granule_kind_of(const struct cwi_granule *granule)
{
  return (enum cwi_granule_kind)__atomic_load_n(&granule->kind, __ATOMIC_ACQUIRE);
}

/* Finds the slice at an address of my node. Returns false if there is none. */
bool cwi_zone_find(const void *address, struct cwi_zone_slice *slice);

/* Returns true if the bytes lie inside one slice of the process. Every small transfer calls this,
 * so it is inline and takes no lock. */
static inline bool cwi_zone_holds(int process, const void *address, size_t bytes)
{
  char *const base = cwi_zone.base;
  const struct cwi_granule *const granules = cwi_zone.granules;
  const size_t offset = (size_t)((uintptr_t)address - (uintptr_t)base);
  if (CWI_UNLIKELY(offset >= cwi_zone.size))
    return false;
  const size_t number = offset >> CWI_GRANULE_SHIFT;
  const struct cwi_granule *granule = &granules[number];
  if (cwi_granule_kind_of(granule) == CWI_GRANULE_SLAB) {
    const unsigned shift = CWI_SLAB_SHIFT + granule->slab_class;
    const uint32_t inside = (uint32_t)(offset & (CWI_GRANULE - 1));
    const uint32_t from_first = inside - cwi_slab_shapes[granule->slab_class].first;
    const uint32_t slot = from_first >> shift;
    if (CWI_UNLIKELY(slot >= cwi_slab_shapes[granule->slab_class].slots))
      return false;
    const size_t begin = from_first & ((1u << shift) - 1);
    const struct cwi_slab *slab =
        (const struct cwi_slab *)(const void *)(base + (number << CWI_GRANULE_SHIFT));
    const size_t have = slab->slots[slot].bytes;
    return granule->owner == process && begin < have && bytes <= have - begin;
  }
  const struct cwi_granule *head = &granules[granule->head];
  const size_t begin = offset - ((size_t)granule->head << CWI_GRANULE_SHIFT);
  return cwi_granule_kind_of(head) == CWI_GRANULE_SLICE && head->owner == process &&
         begin < head->bytes && bytes <= head->bytes - begin;
}

/* Returns true if the address lies in the zone, whether or not it is allocated. */
static inline bool cwi_zone_has(const void *address)
{
  return (uintptr_t)address - (uintptr_t)cwi_zone.base < cwi_zone.size;
}

/* Returns true if the address names memory of another node, which no load or store reaches. Returns
 * false if all nodes have the same addresses, because an address then does not name its node. */
static inline bool cwi_zone_is_others(const void *address)
{
  return CWI_UNLIKELY((uintptr_t)address - cwi_zone.apart < cwi_zone.apart_bytes) &&
         !cwi_zone_has(address);
}

/* Returns the lock word that guards accumulates on this address. */
static inline uint32_t *cwi_zone_stripe(const void *address)
{
  /* An index would need two more instructions if the stripes began at a multiple of their size. */
  enum { BYTES = sizeof cwi_zone.header->stripes[0], LAST = (CWI_STRIPES - 1) * BYTES };
  const size_t offset = (size_t)((uintptr_t)address - (uintptr_t)cwi_zone.base);
  const size_t place = offset / ((1 << CWI_STRIPE_SHIFT) / BYTES) & LAST;
  return (uint32_t *)(void *)((char *)cwi_zone.header->stripes + place);
}

/* Make the zone and unmap it. Collective over the node. */
CWI_CHECKED cw_error cwi_zone_start(void);
CWI_CHECKED cw_error cwi_zone_stop(void);

/* Forgets the zone after a failed start. Local. */
void cwi_zone_forget(void);

/* Describes the zone's memory for cw-info. Returns a static string. */
const char *cwi_zone_describe(void);

/* Returns the memory of whole granules to the system. */
void cwi_zone_punch(uint32_t granule, uint32_t length);

/* Makes the system allocate the memory of whole granules now if the zone is an MPI window. Other
 * programs use /dev/shm, too, so the memory might be missing later. Returns false and records an
 * error if there is none. */
bool cwi_zone_supply(uint32_t granule, uint32_t length);

/* Returns the bytes of the zone for which the system has allocated memory. */
size_t cwi_zone_resident(void);

/* Returns true if no process of the node has logged the message with this hash within the last
 * minutes. Then the caller logs it. */
bool cwi_zone_is_new(uint64_t message);

/* Returns the number of granules of a range up to the last one for which the system has allocated
 * memory, or all of them if the kernel does not report that. */
uint32_t cwi_zone_touched(uint32_t granule, uint32_t length);

/* Returns the bytes of the zone's header and table of granules, in whole granules. */
size_t cwi_zone_front(size_t zone_size);
