/* MA: memory of this process in named blocks, on a stack and on a heap. It comes from malloc, so
 * that neither is ever full before the machine is; what MA_init was asked for is only told again.
 */
#include "base/check.h"
#include "mpi/threads.h"

#include "macdecls.h"

#include <causeway.h>

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What indices count from; aligned so that every block is a whole number of elements away. */
enum { ALIGNMENT = 64 };
#define BASE __attribute__((aligned(ALIGNMENT)))
BASE char ma_cb_char[2];
BASE int ma_cb_int[2];
BASE long ma_cb_long[2];
BASE long long ma_cb_longlong[2];
BASE float ma_cb_float[2];
BASE double ma_cb_dbl[2];
BASE MA_LongDouble ma_cb_ldbl[2];
BASE MA_SingleComplex ma_cb_scpl[2];
BASE MA_DoubleComplex ma_cb_dcpl[2];
BASE MA_LongDoubleComplex ma_cb_ldcpl[2];

static const struct {
  const char *name;
  size_t bytes;
  void *base;
} types[MT_NUMTYPES] = {
    {"char", sizeof(char), ma_cb_char},
    {"int", sizeof(int), ma_cb_int},
    {"long int", sizeof(long), ma_cb_long},
    {"float", sizeof(float), ma_cb_float},
    {"double", sizeof(double), ma_cb_dbl},
    {"long double", sizeof(MA_LongDouble), ma_cb_ldbl},
    {"single precision complex", sizeof(MA_SingleComplex), ma_cb_scpl},
    {"double precision complex", sizeof(MA_DoubleComplex), ma_cb_dcpl},
    {"long double precision complex", sizeof(MA_LongDoubleComplex), ma_cb_ldcpl},
    {"Fortran byte", sizeof(char), ma_cb_char},
    {"Fortran integer", sizeof(Integer), ma_cb_long},
    {"Fortran logical", sizeof(Logical), ma_cb_long},
    {"Fortran real", sizeof(Real), ma_cb_float},
    {"Fortran double precision", sizeof(DoublePrecision), ma_cb_dbl},
    {"Fortran single precision complex", sizeof(MA_SingleComplex), ma_cb_scpl},
    {"Fortran double precision complex", sizeof(MA_DoubleComplex), ma_cb_dcpl},
    {"long long", sizeof(long long), ma_cb_longlong},
};

/* A handle is the slot of its block here. */
struct block {
  char *memory;  /* NULL: free slot */
  size_t offset; /* of the elements in it: the alignment */
  int type;      /* index in `types` */
  bool stacked;
  Integer elements;
  Integer below; /* on the stack: the block under it; -1: none */
  char name[MA_NAMESIZE];
};

static struct block *blocks;
static Integer slots, next_slot;
static Integer top = -1; /* of the stack */

/* As MA_init asked. Not asked, or MA_DEFAULT_SPACE: 512 MiB each. */
static const size_t default_space = (size_t)1 << 29;
static bool initialized;
static size_t stack_space = (size_t)1 << 29, heap_space = (size_t)1 << 29;
static size_t stack_used, heap_used;

static Integer alignment; /* as a power of two */
static bool print_errors = true, hard_fail, auto_verify, trace;
static void (*error_callback)(void);
static struct {
  unsigned long pushed, popped, allocated, freed;
  size_t most;
} statistics;

/* --- Errors --- */

static Boolean fail(const char *call, const char *format, ...) CWI_PRINTF(2, 3);

static Boolean fail(const char *call, const char *format, ...)
{
  char sentence[256];
  va_list arguments;
  const int length = snprintf(sentence, sizeof sentence, "%s: ", call);
  va_start(arguments, format);
  vsnprintf(sentence + length, sizeof sentence - (size_t)length, format, arguments);
  va_end(arguments);
  if (print_errors)
    fprintf(stderr, "MA error: %s\n", sentence);
  if (error_callback != NULL)
    error_callback();
  if (hard_fail)
    cw_abort(sentence, 1);
  return MA_FALSE;
}

/* The index in `types`; or -1, and the sentence. */
static int type_of(const char *call, Integer datatype)
{
  if (datatype >= MT_FIRST && datatype <= MT_LAST)
    return (int)(datatype - MT_FIRST);
  (void)fail(call, "datatype is %ld; it may be MT_C_CHAR (%d) to MT_C_LONGLONG (%d)", datatype,
             MT_FIRST, MT_LAST);
  return -1;
}

static struct block *block_of(const char *call, Integer memhandle)
{
  if (memhandle >= 0 && memhandle < slots && blocks[memhandle].memory != NULL)
    return &blocks[memhandle];
  (void)fail(call, "memhandle is %ld, which is not a block (was it freed?)", memhandle);
  return NULL;
}

static bool told(const char *call, const char *name, const void *pointer)
{
  return pointer != NULL || fail(call, "%s is NULL", name);
}

/* --- Blocks --- */

static const char guard[8] = {0x5a, -0x5b, 0x6d, -0x6e, 0x79, -0x7a, 0x41, -0x42};

static char *elements_of(const struct block *block)
{
  return block->memory + block->offset;
}

static size_t bytes_of(const struct block *block)
{
  return (size_t)block->elements * types[block->type].bytes;
}

static void set_guards(const struct block *block)
{
  memcpy(elements_of(block) - sizeof guard, guard, sizeof guard);
  memcpy(elements_of(block) + bytes_of(block), guard, sizeof guard);
}

static bool is_whole(const struct block *block)
{
  return memcmp(elements_of(block) - sizeof guard, guard, sizeof guard) == 0 &&
         memcmp(elements_of(block) + bytes_of(block), guard, sizeof guard) == 0;
}

static bool ma_grow(void)
{
  const Integer more = slots == 0 ? 64 : 2 * slots;
  struct block *larger = realloc(blocks, (size_t)more * sizeof *larger);
  if (larger == NULL)
    return false;
  memset(larger + slots, 0, (size_t)(more - slots) * sizeof *larger);
  next_slot = slots;
  blocks = larger;
  slots = more;
  return true;
}

/* The next free slot after the last one given, so that an old handle does not mean a new block
 * soon. -1: no memory. */
static Integer free_slot(void)
{
  for (Integer i = 0; i < slots; i++) {
    const Integer slot = (next_slot + i) % slots;
    if (blocks[slot].memory == NULL) {
      next_slot = (slot + 1) % slots;
      return slot;
    }
  }
  return ma_grow() ? next_slot++ : -1;
}

static void account(void)
{
  if (stack_used + heap_used > statistics.most)
    statistics.most = stack_used + heap_used;
}

static size_t *used_of(const struct block *block)
{
  return block->stacked ? &stack_used : &heap_used;
}

static struct block wanted_block(int type, Integer elements, const char *name, bool stacked)
{
  struct block block = {.type = type, .elements = elements, .stacked = stacked, .below = -1};
  const size_t asked = (size_t)1 << alignment;
  block.offset = asked > ALIGNMENT ? asked : ALIGNMENT;
  snprintf(block.name, sizeof block.name, "%s", name != NULL ? name : "");
  return block;
}

/* The slot of a new block, or -1. */
static Integer ma_make(const char *call, int type, Integer elements, const char *name, bool stacked)
{
  struct block block = wanted_block(type, elements, name, stacked);
  const size_t most = (SIZE_MAX >> 1) - block.offset - sizeof guard;
  const Integer slot = (size_t)elements <= most / types[type].bytes ? free_slot() : -1;
  const size_t bytes = block.offset + bytes_of(&block) + sizeof guard;
  void *memory = NULL;
  if (slot >= 0 && posix_memalign(&memory, block.offset, bytes) == 0)
    block.memory = memory;
  if (block.memory == NULL) {
    (void)fail(call, "no memory for block '%s', %ld elements of %zu bytes", block.name, elements,
               types[type].bytes);
    return -1;
  }
  set_guards(&block);
  *used_of(&block) += bytes_of(&block);
  account();
  if (stacked)
    block.below = top;
  blocks[slot] = block;
  if (stacked)
    top = slot;
  return slot;
}

static void drop(struct block *block)
{
  *used_of(block) -= bytes_of(block);
  free(block->memory);
  block->memory = NULL;
}

static Boolean intact(const char *call)
{
  for (Integer slot = 0; slot < slots; slot++)
    if (blocks[slot].memory != NULL && !is_whole(&blocks[slot]))
      return fail(call, "something was written beside block '%s', handle %ld", blocks[slot].name,
                  slot);
  return MA_TRUE;
}

/* Each call that allocates or frees. */
static void ma_enter(const char *call)
{
  cwi_threads_lock();
  if (trace)
    printf("MA trace: %s\n", call);
  if (auto_verify)
    (void)intact(call);
}

static Boolean ma_leave(Boolean result)
{
  cwi_threads_unlock();
  return result;
}

static MA_AccessIndex index_of(const struct block *block)
{
  const size_t bytes = types[block->type].bytes;
  const intptr_t distance = (intptr_t)elements_of(block) - (intptr_t)types[block->type].base;
  return distance / (intptr_t)bytes;
}

static Boolean allocate(const char *call, Integer datatype, Integer elements, const char *name,
                        bool stacked, Integer *memhandle)
{
  const int type = type_of(call, datatype);
  if (type < 0 || !told(call, "memhandle", memhandle))
    return MA_FALSE;
  if (elements < 0)
    return fail(call, "nelem is %ld; it must not be negative", elements);
  *memhandle = ma_make(call, type, elements, name, stacked);
  if (*memhandle < 0)
    return MA_FALSE;
  stacked ? statistics.pushed++ : statistics.allocated++;
  return MA_TRUE;
}

/* --- Calls that allocate --- */

Boolean MA_allocate_heap(Integer datatype, Integer nelem, const char *name, Integer *memhandle)
{
  ma_enter(__func__);
  return ma_leave(allocate(__func__, datatype, nelem, name, false, memhandle));
}

Boolean MA_push_stack(Integer datatype, Integer nelem, const char *name, Integer *memhandle)
{
  ma_enter(__func__);
  return ma_leave(allocate(__func__, datatype, nelem, name, true, memhandle));
}

Boolean MA_alloc_get(Integer datatype, Integer nelem, const char *name, Integer *memhandle,
                     MA_AccessIndex *index)
{
  ma_enter(__func__);
  if (!told(__func__, "index", index) ||
      !allocate(__func__, datatype, nelem, name, false, memhandle))
    return ma_leave(MA_FALSE);
  *index = index_of(&blocks[*memhandle]);
  return ma_leave(MA_TRUE);
}

Boolean MA_push_get(Integer datatype, Integer nelem, const char *name, Integer *memhandle,
                    MA_AccessIndex *index)
{
  ma_enter(__func__);
  if (!told(__func__, "index", index) ||
      !allocate(__func__, datatype, nelem, name, true, memhandle))
    return ma_leave(MA_FALSE);
  *index = index_of(&blocks[*memhandle]);
  return ma_leave(MA_TRUE);
}

/* --- Calls that free --- */

static Boolean free_heap(const char *call, Integer memhandle)
{
  struct block *block = block_of(call, memhandle);
  if (block == NULL)
    return MA_FALSE;
  if (block->stacked)
    return fail(call,
                "memhandle is %ld, block '%s' on the stack; this call takes a block on the heap",
                memhandle, block->name);
  drop(block);
  statistics.freed++;
  return MA_TRUE;
}

Boolean MA_free_heap(Integer memhandle)
{
  ma_enter(__func__);
  return ma_leave(free_heap(__func__, memhandle));
}

static Boolean free_piece(const char *call, Integer memhandle, Integer elements)
{
  struct block *block = block_of(call, memhandle);
  if (block == NULL)
    return MA_FALSE;
  if (elements < 0)
    return fail(call, "nelem is %ld; it must not be negative", elements);
  if (block->stacked || elements >= block->elements)
    return free_heap(call, memhandle);
  heap_used -= (size_t)elements * types[block->type].bytes;
  block->elements -= elements;
  set_guards(block);
  return MA_TRUE;
}

Boolean MA_free_heap_piece(Integer memhandle, Integer nelem)
{
  ma_enter(__func__);
  return ma_leave(free_piece(__func__, memhandle, nelem));
}

static void pop(void)
{
  struct block *block = &blocks[top];
  top = block->below;
  drop(block);
  statistics.popped++;
}

static Boolean pop_stack(const char *call, Integer memhandle)
{
  const struct block *block = block_of(call, memhandle);
  if (block == NULL)
    return MA_FALSE;
  if (memhandle != top)
    return fail(call, "memhandle is %ld, block '%s', which is not on top of the stack", memhandle,
                block->name);
  pop();
  return MA_TRUE;
}

Boolean MA_pop_stack(Integer memhandle)
{
  ma_enter(__func__);
  return ma_leave(pop_stack(__func__, memhandle));
}

static Boolean chop_stack(const char *call, Integer memhandle)
{
  const struct block *block = block_of(call, memhandle);
  if (block == NULL)
    return MA_FALSE;
  if (!block->stacked)
    return fail(call,
                "memhandle is %ld, block '%s' on the heap; this call takes a block on the stack",
                memhandle, block->name);
  while (top != memhandle)
    pop();
  pop();
  return MA_TRUE;
}

Boolean MA_chop_stack(Integer memhandle)
{
  ma_enter(__func__);
  return ma_leave(chop_stack(__func__, memhandle));
}

/* --- Where blocks are --- */

Boolean MA_get_index(Integer memhandle, MA_AccessIndex *index)
{
  ma_enter(__func__);
  const struct block *block = block_of(__func__, memhandle);
  if (block == NULL || !told(__func__, "index", index))
    return ma_leave(MA_FALSE);
  *index = index_of(block);
  return ma_leave(MA_TRUE);
}

Boolean MA_get_pointer(Integer memhandle, void *pointer)
{
  ma_enter(__func__);
  const struct block *block = block_of(__func__, memhandle);
  if (block == NULL || !told(__func__, "pointer", pointer))
    return ma_leave(MA_FALSE);
  *(void **)pointer = elements_of(block);
  return ma_leave(MA_TRUE);
}

Pointer MA_get_mbase(Integer datatype)
{
  const int type = type_of(__func__, datatype);
  return type >= 0 ? types[type].base : NULL;
}

Boolean MA_init_memhandle_iterator(Integer *ithandle)
{
  if (!told(__func__, "ithandle", ithandle))
    return MA_FALSE;
  *ithandle = 0;
  return MA_TRUE;
}

Boolean MA_get_next_memhandle(Integer *ithandle, Integer *memhandle)
{
  if (!told(__func__, "ithandle", ithandle) || !told(__func__, "memhandle", memhandle))
    return MA_FALSE;
  while (*ithandle >= 0 && *ithandle < slots && blocks[*ithandle].memory == NULL)
    ++*ithandle;
  if (*ithandle < 0 || *ithandle >= slots)
    return MA_FALSE;
  *memhandle = (*ithandle)++;
  return MA_TRUE;
}

Boolean MA_verify_allocator_stuff(void)
{
  cwi_threads_lock();
  return ma_leave(intact(__func__));
}

void MA_summarize_allocated_blocks(void)
{
  cwi_threads_lock();
  for (Integer slot = 0; slot < slots; slot++) {
    const struct block *block = &blocks[slot];
    if (block->memory != NULL)
      printf("MA: %s block '%s', handle %ld: %ld of %s at %p\n", block->stacked ? "stack" : "heap",
             block->name, slot, block->elements, types[block->type].name,
             (void *)elements_of(block));
  }
  cwi_threads_unlock();
}

void MA_print_stats(Boolean printroutines)
{
  printf("MA: %zu bytes on the stack, %zu on the heap; %zu at most\n", stack_used, heap_used,
         statistics.most);
  if (printroutines)
    printf("MA: %lu blocks pushed, %lu popped, %lu allocated, %lu freed\n", statistics.pushed,
           statistics.popped, statistics.allocated, statistics.freed);
}

/* --- How much there is --- */

static size_t space(Integer nominal, size_t element)
{
  return nominal >= 0 ? (size_t)nominal * element : default_space;
}

Boolean MA_init(Integer datatype, Integer nominal_stack, Integer nominal_heap)
{
  const int type = type_of(__func__, datatype);
  if (type < 0)
    return MA_FALSE;
  if (initialized)
    return fail(__func__, "MA is initialized already");
  initialized = true;
  stack_space = space(nominal_stack, types[type].bytes);
  heap_space = space(nominal_heap, types[type].bytes);
  return MA_TRUE;
}

Boolean MA_initialized(void)
{
  return initialized;
}

static Integer elements_left(const char *call, Integer datatype, size_t all, size_t taken)
{
  const int type = type_of(call, datatype);
  return type >= 0 && taken < all ? (Integer)((all - taken) / types[type].bytes) : 0;
}

Integer MA_inquire_heap(Integer datatype)
{
  return elements_left(__func__, datatype, heap_space, heap_used);
}

Integer MA_inquire_stack(Integer datatype)
{
  return elements_left(__func__, datatype, stack_space, stack_used);
}

Integer MA_inquire_avail(Integer datatype)
{
  return elements_left(__func__, datatype, stack_space + heap_space, stack_used + heap_used);
}

/* Neither limits the other. */
Integer MA_inquire_heap_check_stack(Integer datatype)
{
  return MA_inquire_heap(datatype);
}

Integer MA_inquire_stack_check_heap(Integer datatype)
{
  return MA_inquire_stack(datatype);
}

Integer MA_inquire_heap_no_partition(Integer datatype)
{
  return MA_inquire_avail(datatype);
}

Integer MA_inquire_stack_no_partition(Integer datatype)
{
  return MA_inquire_avail(datatype);
}

Integer MA_sizeof(Integer datatype1, Integer nelem1, Integer datatype2)
{
  const int from = type_of(__func__, datatype1), to = type_of(__func__, datatype2);
  if (from < 0 || to < 0 || nelem1 < 0)
    return from < 0 || to < 0 ? 0
                              : fail(__func__, "nelem1 is %ld; it must not be negative", nelem1);
  const size_t bytes = (size_t)nelem1 * types[from].bytes;
  return (Integer)((bytes + types[to].bytes - 1) / types[to].bytes);
}

Integer MA_sizeof_overhead(Integer datatype)
{
  const int type = type_of(__func__, datatype);
  const size_t bytes = ALIGNMENT + sizeof guard;
  return type >= 0 ? (Integer)((bytes + types[type].bytes - 1) / types[type].bytes) : 0;
}

/* --- Switches --- */

Boolean MA_get_numalign(Integer *value)
{
  if (!told(__func__, "value", value))
    return MA_FALSE;
  *value = alignment;
  return MA_TRUE;
}

Boolean MA_set_numalign(Integer value)
{
  if (value < 0 || value > 30)
    return fail(__func__, "value is %ld; it may be 0 to 30", value);
  alignment = value;
  return MA_TRUE;
}

static Boolean ma_exchange(bool *flag, Boolean value)
{
  const Boolean before = *flag;
  *flag = value != 0;
  return before;
}

Boolean MA_set_auto_verify(Boolean value)
{
  return ma_exchange(&auto_verify, value);
}

Boolean MA_set_error_print(Boolean value)
{
  return ma_exchange(&print_errors, value);
}

Boolean MA_set_hard_fail(Boolean value)
{
  return ma_exchange(&hard_fail, value);
}

void MA_trace(Boolean value)
{
  trace = value != 0;
}

void MA_set_error_callback(void (*func)(void))
{
  error_callback = func;
}
