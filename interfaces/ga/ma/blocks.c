/* MA's blocks: their handles, names and guards, and the work of the calls. */
#include "base/error.h"
#include "base/file_write.h"
#include "base/settings.h"
#include "ga/arguments/integer_size.h"
#include "ga/ma/ma.h"

#include <causeway.h>

#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A block of memory and its description. The handle of a block is its slot in `blocks`.
 * Descriptions do not move, because their spaces are linked to each other. */
struct block {
  struct cwi_ma_space space; /* the first member, so that the block of a space has the same
                                address */
  bool used, stacked;
  int type;
  Integer slot, elements;
  char name[MA_NAMESIZE];
};

enum { FIRST_SLOTS = 32 };
static struct block **blocks;
static Integer slots, next_slot;

static bool started;
static Integer alignment; /* in bytes it is two to the power of this value */
static bool switches[CWI_MA_SWITCHES] = {[CWI_MA_ERROR_PRINT] = true};
static void (*error_callback)(const char *, int);
static struct {
  unsigned long pushed, popped, allocated, freed;
  size_t bytes[2],
      most; /* bytes of elements: [0] on the heap, [1] on the stack; the maximum of their sum */
} statistics;

/* --- Errors --- */

static Boolean fail(const char *call, const char *format, ...) CWI_PRINTF(2, 3);

static Boolean fail(const char *call, const char *format, ...)
{
  char message[256];
  va_list arguments;
  const int length = snprintf(message, sizeof message, "%s: ", call);
  va_start(arguments, format);
  vsnprintf(message + length, sizeof message - (size_t)length, format, arguments);
  va_end(arguments);
  if (switches[CWI_MA_ERROR_PRINT]) {
    struct cwi_write_signals signals;
    cwi_write_signals_block(&signals);
    fprintf(stderr, "MA error: %s\n", message);
    cwi_write_signals_restore(&signals);
  }
  if (error_callback != NULL)
    error_callback(message, 1);
  if (switches[CWI_MA_HARD_FAIL])
    cw_abort(message, 1);
  return MA_FALSE;
}

int cwi_ma_type_of(const char *call, Integer datatype)
{
  if (datatype >= MT_FIRST && datatype <= MT_LAST)
    return (int)(datatype - MT_FIRST);
  (void)cwi_integer_code(call, "datatype", datatype);
  (void)fail(call, "datatype is %ld; it may be MT_C_CHAR (%d) to MT_C_LONGLONG (%d)",
             (long)datatype, MT_FIRST, MT_LAST);
  return -1;
}

bool cwi_ma_message(const char *call, const char *name, const void *pointer)
{
  return pointer != NULL || fail(call, "%s is NULL", name);
}

static Boolean negative(const char *call, const char *name, Integer value)
{
  return fail(call, "%s is %ld; it must not be negative", name, (long)value);
}

static Boolean wrong_place(const char *call, const struct block *block)
{
  return fail(call, "memhandle is %ld, block '%s' on the %s; this call takes a block on the %s",
              (long)block->slot, block->name, block->stacked ? "stack" : "heap",
              block->stacked ? "heap" : "stack");
}

/* --- Guards --- */

static const char guard[CWI_MA_GUARD] = {0x5a, -0x5b, 0x6d, -0x6e};

static size_t bytes_of(const struct block *block)
{
  return (size_t)block->elements * cwi_ma_types[block->type].bytes;
}

static void set_guards(const struct block *block)
{
  memcpy(block->space.elements - sizeof guard, guard, sizeof guard);
  memcpy(block->space.elements + bytes_of(block), guard, sizeof guard);
}

static Boolean block_intact(const char *call, const struct block *block)
{
  const char *elements = block->space.elements;
  if (CWI_LIKELY(memcmp(elements - sizeof guard, guard, sizeof guard) == 0 &&
                 memcmp(elements + bytes_of(block), guard, sizeof guard) == 0))
    return MA_TRUE;
  return fail(call,
              "the program has written beside block '%s' (handle %ld), before its first byte or "
              "after its last one",
              block->name, (long)block->slot);
}

Boolean cwi_ma_verify(const char *call)
{
  Boolean intact = MA_TRUE;
  for (Integer slot = 0; slot < slots && intact; slot++)
    if (blocks[slot]->used)
      intact = block_intact(call, blocks[slot]);
  return intact;
}

/* Returns the distance of a block from the base of its type, in elements. */
static MA_AccessIndex distance_of(const struct block *block)
{
  MA_AccessIndex distance = 0;
  (void)cwi_ma_elements_from_base(&cwi_ma_types[block->type], block->space.elements, &distance);
  return distance;
}

/* Must be called first in each call that makes, frees or finds a block. If blocks are verified,
 * returns false if one was written past its bounds. */
static bool ma_enter(const char *call)
{
  if (CWI_UNLIKELY(switches[CWI_MA_TRACE]))
    printf("MA trace: %s\n", call);
  const bool verified = switches[CWI_MA_AUTO_VERIFY] || cwi_settings.check != 0;
  return CWI_LIKELY(!verified) || cwi_ma_verify(call);
}

/* --- Handles --- */

static struct block *block_of(const char *call, Integer memhandle)
{
  if (CWI_LIKELY(memhandle >= 0 && memhandle < slots && blocks[memhandle]->used))
    return blocks[memhandle];
  const int lower = (int)memhandle;
  if (lower != memhandle && lower >= 0 && lower < slots && blocks[lower]->used)
    cwi_integer_reject(call, "memhandle", memhandle);
  (void)fail(call, "memhandle is %ld, which is not a block (was it freed?)", (long)memhandle);
  return NULL;
}

static bool ma_grow(void)
{
  const Integer added = slots == 0 ? FIRST_SLOTS : slots;
  struct block **larger = realloc(blocks, (size_t)(slots + added) * sizeof(struct block *));
  if (larger != NULL)
    blocks = larger;
  struct block *more = larger != NULL ? calloc((size_t)added, sizeof *more) : NULL;
  if (more == NULL)
    return false;
  next_slot = slots;
  do {
    more->slot = slots;
    blocks[slots] = more++;
  } while (++slots < next_slot + added);
  return true;
}

/* Returns the block of the next free slot after the last one used, so that a freed handle is not
 * reused soon. Returns NULL if there is no memory. */
static struct block *free_slot(void)
{
  for (Integer i = 0; i < slots; i++) {
    struct block *block = blocks[next_slot];
    next_slot = next_slot + 1 < slots ? next_slot + 1 : 0;
    if (!block->used)
      return block;
  }
  return ma_grow() ? blocks[next_slot++] : NULL;
}

/* --- The two regions --- */

/* DEFAULT_BYTES is the size of a region if the program passes MA_DEFAULT_SPACE to MA_init.
 * fallback_bytes is its size if the program does not call MA_init. */
enum { DEFAULT_BYTES = 524288, REGION_OVERHEAD = 104 };
static const size_t fallback_bytes = (size_t)1 << 29;

/* Returns the number of bytes of a region, or 0 if the region would be too large. */
static size_t region_bytes(Integer nominal, size_t element)
{
  const size_t most = (SIZE_MAX >> 2) / element;
  if (nominal > 0 && (size_t)nominal > most)
    return 0;
  const size_t bytes = nominal >= 0 ? (size_t)nominal * element : DEFAULT_BYTES;
  return (bytes + REGION_OVERHEAD + 7) / 8 * 8;
}

Boolean cwi_ma_start(const char *call, Integer datatype, Integer stack, Integer heap)
{
  const int type = cwi_ma_type_of(call, datatype);
  if (type < 0)
    return MA_FALSE;
  if (started)
    return fail(call, "MA is initialized already");
  if (statistics.pushed + statistics.allocated > statistics.popped + statistics.freed)
    return fail(call,
                "there are blocks already; this call must come before the first block is made");
  const size_t bytes = cwi_ma_types[type].bytes;
  const size_t heap_bytes = region_bytes(heap, bytes), stack_bytes = region_bytes(stack, bytes);
  if (heap_bytes == 0 || stack_bytes == 0 || !cwi_ma_segment_make(heap_bytes, stack_bytes))
    return fail(call, "no memory for %ld elements of %zu bytes on the stack and %ld on the heap",
                (long)stack, bytes, (long)heap);
  started = true;
  return MA_TRUE;
}

bool cwi_ma_started(void)
{
  return started;
}

/* Creates the segment if the program has not called MA_init. */
static bool ma_ready(const char *call)
{
  static bool made;
  if (CWI_LIKELY(started || made))
    return true;
  made = cwi_ma_segment_make(fallback_bytes, fallback_bytes);
  return made || fail(call, "no memory for a stack and a heap of %zu bytes each", fallback_bytes);
}

static size_t smaller(size_t a, size_t b)
{
  return a < b ? a : b;
}

/* Returns the space that a block needs. The elements are a whole number of elements away from the
 * base of their type. They have the alignment of MA_set_numalign as far as the address of the base
 * permits. */
static struct cwi_ma_need need_of(int type, size_t bytes)
{
  const size_t element = cwi_ma_types[type].bytes, requested = (size_t)1 << alignment;
  const size_t residue = (uintptr_t)cwi_ma_types[type].base & (element - 1);
  return (struct cwi_ma_need){bytes, requested > element ? requested : element, residue};
}

/* --- Making blocks --- */

static bool ma_place(struct block *block, bool stacked)
{
  const struct cwi_ma_need need = need_of(block->type, bytes_of(block));
  return stacked ? cwi_ma_stack_place(&block->space, need) : cwi_ma_heap_place(&block->space, need);
}

static void ma_name(struct block *block, struct cwi_ma_name name)
{
  const size_t length = name.text != NULL ? smaller(name.length, sizeof block->name - 1) : 0;
  memcpy(block->name, length > 0 ? name.text : "", length);
  block->name[length] = '\0';
}

static void account(const struct block *block)
{
  statistics.bytes[block->stacked] += bytes_of(block);
  const size_t both = statistics.bytes[0] + statistics.bytes[1];
  if (both > statistics.most)
    statistics.most = both;
  block->stacked ? statistics.pushed++ : statistics.allocated++;
}

/* Makes a block. If there is no space for it, prints a message and returns NULL. */
static struct block *ma_new(const char *call, int type, Integer elements, struct cwi_ma_name name,
                            bool stacked)
{
  struct block *block = free_slot();
  if (block == NULL) {
    (void)fail(call, "no memory for one more handle");
    return NULL;
  }
  const size_t element = cwi_ma_types[type].bytes;
  block->type = type;
  block->elements = elements;
  block->stacked = stacked;
  ma_name(block, name);
  if (CWI_LIKELY((size_t)elements <= (SIZE_MAX >> 1) / sizeof(MA_LongDoubleComplex) &&
                 ma_place(block, stacked)))
    return block;
  (void)fail(
      call,
      "no space for block '%s': %ld elements of %zu bytes, but there is space for %zu at most",
      block->name, (long)elements, element, cwi_ma_left(need_of(type, element)));
  return NULL;
}

Boolean cwi_ma_make(const char *call, const struct cwi_ma_request *request, Integer *memhandle,
                    MA_AccessIndex *distance)
{
  if (!ma_enter(call) || !ma_ready(call))
    return MA_FALSE;
  const int type = cwi_ma_type_of(call, request->datatype);
  if (type < 0 || !cwi_ma_message(call, "memhandle", memhandle))
    return MA_FALSE;
  if (request->elements < 0)
    return negative(call, "nelem", request->elements);
  struct block *block = ma_new(call, type, request->elements, request->name, request->stacked);
  if (block == NULL)
    return MA_FALSE;
  block->used = true;
  set_guards(block);
  account(block);
  *memhandle = block->slot;
  if (distance != NULL)
    *distance = distance_of(block);
  return MA_TRUE;
}

/* --- Freeing blocks --- */

static void drop(struct block *block)
{
  statistics.bytes[block->stacked] -= bytes_of(block);
  block->used = false;
  if (block->stacked) {
    cwi_ma_stack_leave(&block->space);
    statistics.popped++;
  } else {
    cwi_ma_heap_leave(&block->space);
    statistics.freed++;
  }
}

/* Returns the block of the handle if the call may free it. Otherwise prints a message and returns
 * NULL. */
static struct block *block_to_free(const char *call, Integer memhandle, bool stacked)
{
  struct block *block = ma_enter(call) ? block_of(call, memhandle) : NULL;
  if (block == NULL || !block_intact(call, block))
    return NULL;
  if (block->stacked == stacked)
    return block;
  (void)wrong_place(call, block);
  return NULL;
}

Boolean cwi_ma_free(const char *call, Integer memhandle)
{
  struct block *block = block_to_free(call, memhandle, false);
  if (block == NULL)
    return MA_FALSE;
  drop(block);
  return MA_TRUE;
}

Boolean cwi_ma_free_piece(const char *call, Integer memhandle, Integer elements)
{
  struct block *block = block_to_free(call, memhandle, false);
  if (block == NULL)
    return MA_FALSE;
  if (elements < 0)
    return negative(call, "nelem", elements);
  if (elements >= block->elements) {
    drop(block);
    return MA_TRUE;
  }
  statistics.bytes[false] -= (size_t)elements * cwi_ma_types[block->type].bytes;
  block->elements -= elements;
  cwi_ma_heap_shrink(&block->space, bytes_of(block));
  set_guards(block);
  return MA_TRUE;
}

Boolean cwi_ma_pop(const char *call, Integer memhandle)
{
  struct block *block = block_to_free(call, memhandle, true);
  if (block == NULL)
    return MA_FALSE;
  if (&block->space != cwi_ma_stack_top())
    return fail(call, "memhandle is %ld, block '%s', which is not on top of the stack",
                (long)memhandle, block->name);
  drop(block);
  return MA_TRUE;
}

static struct block *block_of_space(struct cwi_ma_space *space)
{
  return (struct block *)space;
}

/* Pops a block and all blocks above it. If one of them was written past its bounds, no block is
 * popped. */
Boolean cwi_ma_chop(const char *call, Integer memhandle)
{
  struct block *block = block_to_free(call, memhandle, true);
  if (block == NULL)
    return MA_FALSE;
  for (struct cwi_ma_space *space = cwi_ma_stack_top(); space != &block->space;
       space = space->before)
    if (!block_intact(call, block_of_space(space)))
      return MA_FALSE;
  while (block->used)
    drop(block_of_space(cwi_ma_stack_top()));
  return MA_TRUE;
}

/* --- Finding blocks --- */

static struct block *block_to_find(const char *call, Integer memhandle)
{
  struct block *block = ma_enter(call) ? block_of(call, memhandle) : NULL;
  return block != NULL && block_intact(call, block) ? block : NULL;
}

Boolean cwi_ma_address(const char *call, Integer memhandle, char **address)
{
  const struct block *block = block_to_find(call, memhandle);
  if (block == NULL)
    return MA_FALSE;
  *address = block->space.elements;
  return MA_TRUE;
}

Boolean cwi_ma_distance(const char *call, Integer memhandle, MA_AccessIndex *distance)
{
  const struct block *block = block_to_find(call, memhandle);
  if (block == NULL)
    return MA_FALSE;
  *distance = distance_of(block);
  return MA_TRUE;
}

Boolean cwi_ma_next(const char *call, Integer *place, Integer *memhandle)
{
  if (!cwi_ma_message(call, "ithandle", place) || !cwi_ma_message(call, "memhandle", memhandle))
    return MA_FALSE;
  while (*place >= 0 && *place < slots && !blocks[*place]->used)
    ++*place;
  if (*place < 0 || *place >= slots)
    return MA_FALSE;
  *memhandle = (*place)++;
  return MA_TRUE;
}

void cwi_ma_list(void)
{
  for (Integer slot = 0; slot < slots; slot++) {
    const struct block *block = blocks[slot];
    if (block->used)
      printf("MA: %s block '%s', handle %ld: %ld of %s at %p\n", block->stacked ? "stack" : "heap",
             block->name, (long)slot, (long)block->elements, cwi_ma_types[block->type].name,
             (void *)block->space.elements);
  }
}

void cwi_ma_count(bool calls)
{
  printf("MA: %zu bytes on the stack, %zu on the heap; %zu at most\n", statistics.bytes[true],
         statistics.bytes[false], statistics.most);
  if (calls)
    printf("MA: %lu blocks pushed, %lu popped, %lu allocated, %lu freed\n", statistics.pushed,
           statistics.popped, statistics.allocated, statistics.freed);
}

/* --- Sizes --- */

static const size_t MOST = sizeof(Integer) == sizeof(int) ? INT_MAX : LONG_MAX;

/* Converts a number of elements to an INTEGER. A number that is too large becomes the greatest
 * INTEGER. */
static Integer to_integer(size_t elements)
{
  return (Integer)(elements < MOST ? elements : MOST);
}

/* Stores the space that a block of one element needs. Returns false if there is no such type. */
static bool element_of(const char *call, Integer datatype, struct cwi_ma_need *element)
{
  const int type = cwi_ma_type_of(call, datatype);
  if (type < 0 || !ma_ready(call))
    return false;
  *element = need_of(type, cwi_ma_types[type].bytes);
  return true;
}

Integer cwi_ma_inquire_heap(const char *call, Integer datatype, enum cwi_ma_reach reach)
{
  struct cwi_ma_need element;
  return element_of(call, datatype, &element) ? to_integer(cwi_ma_heap_left(reach, element)) : 0;
}

Integer cwi_ma_inquire_stack(const char *call, Integer datatype, enum cwi_ma_reach reach)
{
  struct cwi_ma_need element;
  return element_of(call, datatype, &element) ? to_integer(cwi_ma_stack_left(reach, element)) : 0;
}

Integer cwi_ma_inquire_left(const char *call, Integer datatype)
{
  struct cwi_ma_need element;
  return element_of(call, datatype, &element) ? to_integer(cwi_ma_left(element)) : 0;
}

Integer cwi_ma_convert(const char *call, Integer datatype, Integer elements, Integer wanted)
{
  const int from = cwi_ma_type_of(call, datatype), to = cwi_ma_type_of(call, wanted);
  if (from < 0 || to < 0)
    return 0;
  if (elements < 0)
    return negative(call, "nelem1", elements);
  const size_t each = cwi_ma_types[from].bytes, unit = cwi_ma_types[to].bytes;
  if ((size_t)elements <= (SIZE_MAX - unit) / each) {
    const size_t result = ((size_t)elements * each + unit - 1) / unit;
    if (result <= MOST)
      return (Integer)result;
  }
  return fail(call, "nelem1 is %ld; in elements of %zu bytes this is more than an INTEGER can hold",
              (long)elements, unit);
}

/* Returns the maximum overhead of a block, in elements. It consists of the head of a space, the
 * guard after the elements, and the bytes that alignment and rounding may add. */
Integer cwi_ma_overhead(const char *call, Integer datatype)
{
  enum { UNIT = 8, LEAST = 32 };
  const int type = cwi_ma_type_of(call, datatype);
  if (type < 0)
    return 0;
  const size_t requested = (size_t)1 << alignment, bytes = cwi_ma_types[type].bytes;
  const size_t most =
      CWI_MA_HEAD + CWI_MA_GUARD + UNIT - 1 + (requested > LEAST ? requested : LEAST) - 1;
  return (Integer)((most + bytes - 1) / bytes);
}

/* --- Switches --- */

Boolean cwi_ma_switch(enum cwi_ma_switch which, Integer value)
{
  const Boolean before = switches[which];
  switches[which] = value != 0;
  return before;
}

void cwi_ma_call_on_error(void (*function)(const char *, int))
{
  error_callback = function;
}

Boolean cwi_ma_align(const char *call, Integer value)
{
  if (value < 0 || value > 30)
    return fail(call, "value is %ld; it may be 0 to 30", (long)value);
  alignment = value;
  return MA_TRUE;
}

Integer cwi_ma_alignment(void)
{
  return alignment;
}
