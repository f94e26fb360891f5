/* The memory of MA: one segment, with the heap at its low end and the stack at its high end. A new
 * block of either one may use any of the space between them. The border between the sizes that
 * MA_init set is used only in inquiries.
 *
 *   segment ... heap_end      free      stack_end ... limit
 *
 * All these addresses, and the sizes of blocks, are multiples of 8. */
#include "ga/ma/ma.h"

#include <sys/mman.h>

enum { UNIT = 8 };

static char *segment, *border, *limit;
static char *heap_end, *stack_end;
static struct cwi_ma_space *heap_first, *heap_last,
    *stack_top;      /* the top block of the stack has the lowest address */
static size_t holes; /* bytes between blocks of the heap */

bool cwi_ma_segment_make(size_t heap, size_t stack)
{
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
  char *made = mmap(NULL, heap + stack, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (made == MAP_FAILED)
    return false;
  if (segment != NULL)
    munmap(segment, (size_t)(limit - segment));
  segment = heap_end = made;
  border = made + heap;
  limit = stack_end = border + stack;
  return true;
}

/* lift returns the first address from `address` upwards that has the alignment of the elements, and
 * lower the first one downwards. */
static char *lift(char *address, struct cwi_ma_need need)
{
  return address + ((need.residue - (uintptr_t)address) & (need.modulus - 1));
}

static char *lower(char *address, struct cwi_ma_need need)
{
  return address - (((uintptr_t)address - need.residue) & (need.modulus - 1));
}

static char *whole_up(char *address)
{
  return lift(address, (struct cwi_ma_need){0, UNIT, 0});
}

static char *whole_down(char *address)
{
  return lower(address, (struct cwi_ma_need){0, UNIT, 0});
}

/* Returns the number of bytes for elements in a space from begin to end. The result is the same for
 * a space at the end of the heap and one at the end of the stack. */
static size_t fitting(char *begin, char *end, struct cwi_ma_need need)
{
  const char *first = lift(begin + CWI_MA_HEAD, need);
  return end - CWI_MA_GUARD > first ? (size_t)(end - CWI_MA_GUARD - first) : 0;
}

/* Returns true if the block fits into the space from begin to end. A block without elements also
 * needs a head and guards. */
static bool fits(char *begin, char *end, struct cwi_ma_need need)
{
  return lift(begin + CWI_MA_HEAD, need) + CWI_MA_GUARD <= end &&
         fitting(begin, end, need) >= need.bytes;
}

/* --- The heap --- */

static char *end_of(const struct cwi_ma_space *before)
{
  return before != NULL ? before->end : segment;
}

/* Places a space directly after another one. */
static void space_settle(struct cwi_ma_space *space, struct cwi_ma_space *before,
                         struct cwi_ma_need need)
{
  space->begin = end_of(before);
  space->elements = lift(space->begin + CWI_MA_HEAD, need);
  space->end = whole_up(space->elements + need.bytes + CWI_MA_GUARD);
}

static void link_between(struct cwi_ma_space *before, struct cwi_ma_space *space,
                         struct cwi_ma_space *after)
{
  space->before = before;
  space->after = after;
  *(before != NULL ? &before->after : &heap_first) = space;
  *(after != NULL ? &after->before : &heap_last) = space;
}

/* Places a space in the lowest hole that is large enough. Returns false if there is none. */
static bool space_settle_in_hole(struct cwi_ma_space *space, struct cwi_ma_need need)
{
  struct cwi_ma_space *after = heap_first;
  while (after != NULL && !fits(end_of(after->before), after->begin, need))
    after = after->after;
  if (after == NULL)
    return false;
  space_settle(space, after->before, need);
  link_between(after->before, space, after);
  holes -= (size_t)(space->end - space->begin);
  return true;
}

bool cwi_ma_heap_place(struct cwi_ma_space *space, struct cwi_ma_need need)
{
  if (need.bytes < holes && space_settle_in_hole(space, need))
    return true;
  if (!fits(heap_end, stack_end, need))
    return false;
  space_settle(space, heap_last, need);
  link_between(heap_last, space, NULL);
  heap_end = space->end;
  return true;
}

void cwi_ma_heap_leave(struct cwi_ma_space *space)
{
  *(space->before != NULL ? &space->before->after : &heap_first) = space->after;
  *(space->after != NULL ? &space->after->before : &heap_last) = space->before;
  if (space->after != NULL) {
    holes += (size_t)(space->end - space->begin);
    return;
  }
  heap_end = end_of(space->before);
  holes -= (size_t)(space->begin - heap_end);
}

void cwi_ma_heap_shrink(struct cwi_ma_space *space, size_t bytes)
{
  char *end = whole_up(space->elements + bytes + CWI_MA_GUARD);
  if (space == heap_last)
    heap_end = end;
  else
    holes += (size_t)(space->end - end);
  space->end = end;
}

/* --- The stack --- */

bool cwi_ma_stack_place(struct cwi_ma_space *space, struct cwi_ma_need need)
{
  if (!fits(heap_end, stack_end, need))
    return false;
  space->end = stack_end;
  space->elements = lower(stack_end - CWI_MA_GUARD - need.bytes, need);
  space->begin = whole_down(space->elements - CWI_MA_HEAD);
  space->before = stack_top;
  stack_top = space;
  stack_end = space->begin;
  return true;
}

void cwi_ma_stack_leave(struct cwi_ma_space *space)
{
  stack_top = space->before;
  stack_end = space->end;
}

struct cwi_ma_space *cwi_ma_stack_top(void)
{
  return stack_top;
}

/* --- Sizes --- */

static char *least(char *a, char *b)
{
  return a < b ? a : b;
}

static size_t left_between(char *begin, char *end, struct cwi_ma_need element)
{
  return begin < end ? fitting(begin, end, element) / element.bytes : 0;
}

size_t cwi_ma_left(struct cwi_ma_need need)
{
  return left_between(heap_end, stack_end, need);
}

size_t cwi_ma_heap_left(enum cwi_ma_reach reach, struct cwi_ma_need need)
{
  char *ends[] = {border, heap_end > border ? stack_end : least(border, stack_end), stack_end};
  size_t most = left_between(heap_end, ends[reach], need);
  for (struct cwi_ma_space *after = heap_last; after != NULL && holes > 0; after = after->before) {
    const size_t hole = left_between(end_of(after->before), after->begin, need);
    if (hole > most)
      most = hole;
  }
  return most;
}

size_t cwi_ma_stack_left(enum cwi_ma_reach reach, struct cwi_ma_need need)
{
  char *checked = stack_end < border || heap_end > border ? heap_end : border;
  char *begins[] = {border, checked, heap_end};
  return left_between(begins[reach], stack_end, need);
}
