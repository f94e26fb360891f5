/* The zone: one address range that all processes of a node share, and its table of granules.
 *
 * The range is cut into granules of 64 KiB. The table has one entry for each and answers "which
 * slice is this address in" without a search. Everything in shared memory holds offsets, never
 * pointers, so that a node whose processes map the zone at different addresses works too.
 *
 * Another node's zone is not mapped here: its addresses are names. Each process may name it as it
 * likes; messages hold offsets.
 *
 * arena.c           free ranges of granules
 * file_passing.c    passing its file to processes that see other PIDs
 * heap.c            small slices from slabs, larger ones from an arena
 * memory_account.c  how much of the machine's memory is handed out
 * numa_policy.c     which memory a slice's pages come from
 * staging.c         memory for data on its way, in the zone
 * zone.c            what lies at an address of the zone
 * zone_file.c       its memory file: how large it is, who maps it
 * zone_placement.c  where the zones of a world lie */
#ifndef CWI_MEMORY_ZONE_H
#define CWI_MEMORY_ZONE_H

#include "base/error.h"
#include "memory/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CWI_GRANULE_SHIFT = 16 };
#define CWI_GRANULE ((size_t)1 << CWI_GRANULE_SHIFT)

enum cwi_granule_kind {
  CWI_GRANULE_INSIDE = 0, /* not the first of its range; `head` says which is */
  CWI_GRANULE_FREE,       /* first of a free range of the node */
  CWI_GRANULE_SLICE,      /* first of a range that is one slice */
  CWI_GRANULE_SLAB,       /* holds small slices of one class */
  CWI_GRANULE_TAKEN,      /* first of a range with another use: never a slice */
  CWI_GRANULE_CHUNK_FREE  /* first of a free range of a chunk */
};

struct cwi_granule {
  uint8_t kind;
  uint8_t slab_class; /* CWI_GRANULE_SLAB: its class */
  uint16_t place;     /* NUMA node + 1 that its memory comes from; 0: any */
  uint32_t head;
  int32_t owner;   /* process whose slice it is */
  uint32_t length; /* granules in the range (first and, if free, last of it) */
  uint64_t bytes;  /* of the slice */
  union {
    uint64_t region; /* key of the region */
    struct {
      uint32_t previous, next; /* free ranges of one size class */
    };
  };
};

/* Slot of a slab; 0 bytes: free. */
struct cwi_slot {
  uint32_t bytes;
  uint32_t next_free;
  uint64_t region;
};

/* First bytes of a slab granule. Only its owner writes. */
struct cwi_slab {
  uint32_t used;
  uint32_t first_free;     /* slot + 1; 0: none */
  uint32_t next, previous; /* slabs of the class with free slots: granule numbers, 0: none */
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
  struct cwi_arena arena;  /* the node's free memory */
  uint64_t committed;      /* bytes handed out */
  uint64_t most_committed; /* at most at once */
  uint64_t slack;          /* bytes that may be handed out before memory is looked at again */
  uint64_t most_slack;     /* it never grows beyond this */
  uint64_t reported[16];   /* what processes of the node have reported lately: hash, and second */
  uint64_t backed;         /* the memory file is so long; under the arena's lock */
  uint64_t agents;         /* offset of the rings of agents (region/agent.c); 0: none yet */
  uint64_t
      on_device; /* not 0: a process of the node has had slices there (memory/device_address.h) */
  uint64_t memories; /* offset of the tables of memory handles (route/memory_handle); 0: none yet */
  struct {
    uint32_t lock;
    uint32_t padding[15];
  } stripes[CWI_STRIPES]; /* accumulate locks: one for each 128 KiB, modulo */
};

struct cwi_zone {
  char *base; /* NULL: none */
  size_t size;
  struct cwi_granule *granules;
  struct cwi_zone_header *header;
  bool fixed;               /* the same address in all processes of the node */
  const char *limit;        /* what keeps it from being larger */
  struct cwi_heap heap;     /* for slices of this process */
  struct cwi_heap internal; /* for the library's own shared structures */
  uintptr_t *bases;         /* [nodes] where each node's zone begins, as this process names it */
  uintptr_t apart;          /* where the zones of all nodes lie apart, they are here */
  size_t apart_bytes;       /* 0 if all have the same addresses */
};
extern struct cwi_zone cwi_zone;

static inline struct cwi_slab *cwi_slab_at(uint32_t granule)
{
  return (struct cwi_slab *)(void *)(cwi_zone.base + ((size_t)granule << CWI_GRANULE_SHIFT));
}

/* A slice as an address names it. */
struct cwi_zone_slice {
  char *base;
  size_t bytes;
  int owner;
  uint64_t region;
};

/* What is written last is read first: nothing of a granule is older than its kind. */
static inline enum cwi_granule_kind cwi_granule_kind_of(const struct cwi_granule *granule)
{
  return (enum cwi_granule_kind)__atomic_load_n(&granule->kind, __ATOMIC_ACQUIRE);
}

/* Look up an address of my node. False: it lies in no slice. */
bool cwi_zone_find(const void *address, struct cwi_zone_slice *slice);

/* Do these bytes lie inside one slice of the process? The question of every small transfer. */
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

/* Does an address lie in the zone, whatever is there? */
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

/* The lock word that guards accumulates on this address. */
static inline uint32_t *cwi_zone_stripe(const void *address)
{
  const size_t offset = (size_t)((uintptr_t)address - (uintptr_t)cwi_zone.base);
  return &cwi_zone.header->stripes[(offset >> CWI_STRIPE_SHIFT) % CWI_STRIPES].lock;
}

/* Collective over the node. */
CWI_CHECKED cw_error cwi_zone_start(void);
CWI_CHECKED cw_error cwi_zone_stop(void);

/* After a start that failed: there is no zone. Local. */
void cwi_zone_forget(void);

/* Where the zone's memory comes from, as a message for cw-info. */
const char *cwi_zone_describe(void);

/* Give the memory of whole granules back to the system. */
void cwi_zone_punch(uint32_t granule, uint32_t length);

/* Have the system give the memory of whole granules now, where what is promised may be gone later:
 * others, too, take of /dev/shm, where MPI keeps a window's. False: there is none, with a message.
 */
bool cwi_zone_supply(uint32_t granule, uint32_t length);

/* Bytes of the zone that the system has really given. */
size_t cwi_zone_resident(void);

/* Has no process of the node reported this message (its hash) within the last minutes? Then this
 * one says it. */
bool cwi_zone_is_new(uint64_t message);

/* The granules of a range up to the last one of which memory has really been given; all of them if
 * the kernel does not say. */
uint32_t cwi_zone_touched(uint32_t granule, uint32_t length);

/* Bytes of its header and table of granules, in whole granules. */
size_t cwi_zone_front(size_t zone_size);

/* The PID of a process of my node (its place among them, or the server rank's); 0: that number
 * means another process here. */
long cwi_zone_pid(int node_rank);

/* Look whether a process of my machine has died; if so, end the job with a message that names it.
 */
void cwi_zone_watch_peers(void);
#endif
