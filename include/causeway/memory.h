/* Causeway: regions, memory that a team allocates together and every process may reach.
 *
 * Thread level of all calls: any, unless one says otherwise. */
#ifndef CAUSEWAY_MEMORY_H
#define CAUSEWAY_MEMORY_H

#include <causeway/error.h>
#include <causeway/team.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A region; NULL stands for "no region". */
typedef struct cwi_region *cw_region;

/* The use of a region, until the program changes it. This is a hint: Causeway records it and
 * never enforces it. */
typedef enum cw_access_mode {
  CW_ACCESS_ANY = 0,             /* anything */
  CW_ACCESS_READ_ONLY = 1,       /* only gets and loads */
  CW_ACCESS_ACCUMULATE_ONLY = 2, /* only accumulates */
  CW_ACCESS_EXCLUSIVE = 3        /* no two processes touch the same bytes */
} cw_access_mode;

/* Allocates a region.
 *
 * team: its members take part. bytes: size of my slice; sizes may differ and may be 0.
 * addresses: NULL, or an array of team-size entries that receives every member's slice address,
 *   NULL for a slice of 0 bytes. I may load and store through addresses of processes of my node;
 *   the others serve, together with the process number, as targets of transfers.
 * region: receives the region; NULL when all sizes are 0 (addresses are then all NULL).
 * Collective over team. Complete on return: every slice can be reached by every member.
 * Slices are aligned to 64 bytes, those of 64 KiB or more to pages. Contents are undefined.
 * Errors, on every member: CW_OUTSIDE when one member gets no memory (addresses are then all NULL).
 * On a member that passes a wrong argument: CW_MISUSE (team, or region is NULL); the others wait.
 */
CW_CHECKED cw_error cw_region_create(cw_team team, size_t bytes, cw_region *region,
                                     void **addresses);

/* Frees a region and sets the handle to NULL.
 *
 * Collective over the region's team, synchronising: my operations on it are complete at the target
 * before any member's slice is freed; gets that I have started are complete, too. The team may
 * already have been freed. Errors, on every member: CW_MISUSE (NULL while other members free a
 * region; another team than the region's; an access epoch is open; the region belongs to an array,
 * a pool or a set: cw_region_find finds those, too): the region stays. If all members pass NULL,
 * nothing happens. */
CW_CHECKED cw_error cw_region_free(cw_team team, cw_region *region);

/* Return the address and the size of a member's slice; NULL and 0 if the slice is empty or rank is
 * not a member. rank: in the region's team. Local. Errors: none. */
void *cw_region_address(cw_region region, int rank);
size_t cw_region_bytes(cw_region region, int rank);

/* Returns the team that allocated the region; NULL if it is not a region. Local. Errors: none. */
cw_team cw_region_team(cw_region region);

/* Finds the region that holds an address of a process.
 *
 * process: world rank. address: any address inside a slice of it. region: receives the region.
 * offset: if not NULL, receives the bytes from the start of the slice.
 * Local. Errors: CW_MISUSE when no slice of the process holds the address. */
CW_CHECKED cw_error cw_region_find(int process, const void *address, cw_region *region,
                                   size_t *offset);

/* Returns the address at which this process may load and store memory of another one.
 *
 * process: world rank. remote: `bytes` bytes of one of its slices, as transfers name them. mine:
 * receives the address. It receives NULL if this process cannot load and store the bytes, or if
 * they lie in no slice of the process. Loads see what other processes have put there after these
 * have fenced. Local. Errors: CW_MISUSE (process out of range, mine NULL). */
CW_CHECKED cw_error cw_address_shared(int process, const void *remote, size_t bytes, void **mine);

/* Records or reads how the region will be used. Set: Collective over the region's team, but without
 * communication. Read: Local. Errors: CW_MISUSE (NULL region, unknown mode). */
CW_CHECKED cw_error cw_region_set_mode(cw_region region, cw_access_mode mode);
cw_access_mode cw_region_mode(cw_region region);

/* Begins and ends direct loads and stores to my own slice that holds `address`.
 *
 * After begin, my loads see what others have put there (and fenced); after end, others' gets see my
 * stores. Epochs nest, several regions may be open at once, and transfers on an open region are
 * legal. Local. Errors: CW_MISUSE (not in a slice of mine; end without begin). */
CW_CHECKED cw_error cw_access_begin(const void *address);
CW_CHECKED cw_error cw_access_end(const void *address);

/* Allocate and free private memory, aligned to 64 bytes, as a good source and destination of
 * transfers. Returns NULL when memory runs out. Local. Errors: free accepts NULL; an address in a
 * region, or one that is not aligned to 64 bytes, ends the job with an error message. */
void *cw_local_alloc(size_t bytes);
void cw_local_free(void *address);

#ifdef __cplusplus
}
#endif
#endif
