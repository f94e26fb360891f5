/* Collectives within a node: members write a piece to their page, meet, and read the pages of
 * others. Pages come in two sets: a member that writes to one of the next but one turn has passed
 * the barrier of the next, which all entered only after they had read (team/block.h). */
#include "collective/shared.h"

#include "base/copy.h"
#include "memory/team_block.h"

/* The pages for a message: the block's, or larger ones if it is longer than those. */
struct pages {
  cw_team team;
  bool wide;
  size_t bytes; /* of each */
};

static struct pages pages_for(cw_team team, size_t bytes)
{
  if (bytes > CWI_PAGE && cwi_team_widen(team))
    return (struct pages){team, true, cwi_team_wide_bytes(team)};
  return (struct pages){team, false, CWI_PAGE};
}

/* Of turn number `turn`. */
static inline char *page_of(const struct pages *pages, unsigned turn, int rank)
{
  cw_team team = pages->team;
  if (!pages->wide)
    return cwi_block_page(team->block, team->size, turn, rank);
  return team->wide +
         ((size_t)(turn % 2) * (size_t)team->size + (size_t)rank) * cwi_team_wide_bytes(team);
}

static inline char *my_page(const struct pages *pages)
{
  return page_of(pages, pages->team->shares + 1, pages->team->rank);
}

static inline const char *page(const struct pages *pages, int rank)
{
  return page_of(pages, pages->team->shares, rank);
}

static inline size_t piece(const struct pages *pages, size_t left)
{
  return left < pages->bytes ? left : pages->bytes;
}

static inline bool gets(cw_team team, int root)
{
  return root < 0 || root == team->rank;
}

void cwi_shared_broadcast(cw_team team, int root, void *buffer, size_t bytes)
{
  const struct pages pages = pages_for(team, bytes);
  char *at = buffer;
  for (size_t part = 0; bytes > 0; bytes -= part, at += part) {
    part = piece(&pages, bytes);
    if (team->rank == root)
      cwi_copy(my_page(&pages), at, part);
    cwi_team_share(team);
    if (team->rank != root)
      cwi_copy(at, page(&pages, root), part);
  }
}

void cwi_shared_gather(cw_team team, int root, const void *mine, size_t bytes, void *all)
{
  const struct pages pages = pages_for(team, bytes);
  for (size_t part = 0, done = 0; done < bytes; done += part) {
    part = piece(&pages, bytes - done);
    cwi_copy(my_page(&pages), (const char *)mine + done, part);
    cwi_team_share(team);
    for (int rank = 0; rank < team->size && gets(team, root); rank++)
      cwi_copy((char *)all + (size_t)rank * bytes + done, page(&pages, rank), part);
  }
}

/* Everybody who gets the result combines all pages, in the order of ranks. */
static void reduce_whole(const struct pages *pages, int root, const struct cwi_reduction *reduction,
                         char *at, size_t part)
{
  cw_team team = pages->team;
  const size_t count = part / reduction->element;
  cwi_copy(my_page(pages), at, part);
  cwi_team_share(team);
  if (!gets(team, root))
    return;
  if (team->rank == 1) { /* my own numbers are at hand already */
    reduction->combine_after(at, page(pages, 0), count);
  } else {
    if (team->rank > 1)
      cwi_copy(at, page(pages, 0), part);
    reduction->combine(at, page(pages, 1), count);
  }
  for (int rank = 2; rank < team->size; rank++)
    reduction->combine(at, page(pages, rank), count);
}

/* Every member combines its slice of all pages, in the order of ranks; then all take the slices. */
static void reduce_slices(const struct pages *pages, int root,
                          const struct cwi_reduction *reduction, char *at, size_t part)
{
  enum { LINE = 64 }; /* elements are no longer, and all are a power of two */
  cw_team team = pages->team;
  const size_t size = (size_t)team->size;
  const size_t slice = (part + size * LINE - 1) / (size * LINE) * LINE;
  const size_t begin = (size_t)team->rank * slice;
  cwi_copy(my_page(pages), at, part);
  cwi_team_share(team);
  if (begin < part) {
    const size_t bytes = part - begin < slice ? part - begin : slice;
    char *result = my_page(pages);
    cwi_copy(result, page(pages, 0) + begin, bytes);
    for (int rank = 1; rank < team->size; rank++)
      reduction->combine(result, page(pages, rank) + begin, bytes / reduction->element);
  }
  cwi_team_share(team);
  size_t done = 0;
  for (int rank = 0; done < part && gets(team, root); rank++, done += slice)
    cwi_copy(at + done, page(pages, rank), part - done < slice ? part - done : slice);
}

void cwi_shared_reduce(cw_team team, int root, const struct cwi_reduction *reduction, void *numbers,
                       size_t count)
{
  size_t bytes = count * reduction->element;
  const struct pages pages = pages_for(team, bytes);
  const bool slices = team->size > 2 && bytes > CWI_PAGE;
  char *at = numbers;
  for (size_t part = 0; bytes > 0; bytes -= part, at += part) {
    part = piece(&pages, bytes);
    if (slices)
      reduce_slices(&pages, root, reduction, at, part);
    else
      reduce_whole(&pages, root, reduction, at, part);
  }
}

/* So much of each member's piece that the pieces of all fit into a page. */
static inline size_t piece_of_all(const struct pages *pages, size_t left)
{
  const size_t most = pages->bytes / (size_t)pages->team->size;
  return left < most ? left : most;
}

void cwi_shared_scatter(cw_team team, int root, const void *all, size_t bytes, void *mine)
{
  const struct pages pages = pages_for(team, bytes * (size_t)team->size);
  for (size_t part = 0, done = 0; done < bytes; done += part) {
    part = piece_of_all(&pages, bytes - done);
    for (int rank = 0; rank < team->size && team->rank == root; rank++)
      cwi_copy(my_page(&pages) + (size_t)rank * part,
               (const char *)all + (size_t)rank * bytes + done, part);
    cwi_team_share(team);
    cwi_copy((char *)mine + done, page(&pages, root) + (size_t)team->rank * part, part);
  }
}

void cwi_shared_alltoall(cw_team team, const void *mine, size_t bytes, void *all)
{
  const struct pages pages = pages_for(team, bytes * (size_t)team->size);
  for (size_t part = 0, done = 0; done < bytes; done += part) {
    part = piece_of_all(&pages, bytes - done);
    for (int rank = 0; rank < team->size; rank++)
      cwi_copy(my_page(&pages) + (size_t)rank * part,
               (const char *)mine + (size_t)rank * bytes + done, part);
    cwi_team_share(team);
    for (int rank = 0; rank < team->size; rank++)
      cwi_copy((char *)all + (size_t)rank * bytes + done,
               page(&pages, rank) + (size_t)team->rank * part, part);
  }
}

void cwi_shared_scan(cw_team team, const struct cwi_reduction *reduction, bool exclusive,
                     void *numbers, size_t count)
{
  size_t bytes = count * reduction->element;
  const struct pages pages = pages_for(team, bytes);
  const int end = team->rank + (exclusive ? 0 : 1);
  char *at = numbers;
  for (size_t part = 0; bytes > 0; bytes -= part, at += part) {
    part = piece(&pages, bytes);
    cwi_copy(my_page(&pages), at, part);
    cwi_team_share(team);
    if (team->rank > 0)
      cwi_copy(at, page(&pages, 0), part);
    for (int rank = 1; rank < end; rank++)
      reduction->combine(at, page(&pages, rank), part / reduction->element);
  }
}
