/* MA's blocks: random pushes, pops and frees against a plain list of what they should hold;
 * indices; rejected calls; overwritten blocks; the amount of free memory. */
#include "kit/kit.h"

#include <ga.h>
#include <macdecls.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LIVE = 60 };

static const int codes[] = {MT_C_CHAR, MT_C_INT, MT_C_DBL,  MT_C_LDCPL,
                            MT_C_SCPL, MT_F_DBL, MT_F_DCPL, MT_C_LONGLONG};
static const int sizes[] = {1, 4, 8, 32, 8, 8, 16, 8};

/* Existing blocks, those of the stack in their order. */
static struct live {
  Integer handle;
  int bytes, fill;
  int stacked;
} live[LIVE];
static int count;

static char *base(int kind)
{
  return MA_get_mbase(codes[kind]);
}

static void make(void)
{
  const int kind = kit_own((int)(sizeof codes / sizeof codes[0])), elements = kit_own(100);
  struct live *made = &live[count++];
  *made = (struct live){-1, elements * sizes[kind], kit_own(256), kit_own(2)};
  MA_AccessIndex index = 0;
  char *memory = NULL;
  const Boolean done =
      made->stacked ? MA_push_get(codes[kind], elements, "pushed", &made->handle, &index)
                    : MA_alloc_get(codes[kind], elements, "allocated", &made->handle, &index);
  kit_check(done == MA_TRUE, "a block of %d bytes is refused", made->bytes);
  kit_check(MA_get_pointer(made->handle, &memory) == MA_TRUE, "a block has no address");
  kit_check(base(kind) + index * sizes[kind] == memory, "the index is not that of the address");
  Integer power = 0;
  (void)MA_get_numalign(&power);
  kit_check_long((long)((uintptr_t)memory % (1ul << power)), 0, "alignment");
  memset(memory, made->fill, (size_t)made->bytes);
}

static void check_contents(const struct live *block)
{
  unsigned char *memory = NULL;
  (void)MA_get_pointer(block->handle, &memory);
  for (int i = 0; i < block->bytes; i++)
    if (!kit_check_long(memory[i], block->fill, "contents"))
      return;
}

static void remove_at(int which)
{
  memmove(&live[which], &live[which + 1], (size_t)(count - which - 1) * sizeof live[0]);
  count--;
}

static int top(void)
{
  int last = count - 1;
  while (last >= 0 && !live[last].stacked)
    last--;
  return last;
}

/* Pops a stacked block and all above it. */
static void chop(int which)
{
  kit_check(MA_chop_stack(live[which].handle) == MA_TRUE, "chopping is refused");
  for (int i = count - 1; i >= which; i--)
    if (live[i].stacked)
      remove_at(i);
}

static void drop(void)
{
  const int which = kit_own(count);
  check_contents(&live[which]);
  if (!live[which].stacked) {
    kit_check(MA_free_heap(live[which].handle) == MA_TRUE, "freeing is refused");
    remove_at(which);
  } else if (which == top()) {
    kit_check(MA_pop_stack(live[which].handle) == MA_TRUE, "popping is refused");
    remove_at(which);
  } else {
    chop(which);
  }
}

static void random_blocks(void)
{
  for (int step = 0; step < 4000; step++)
    if (count == 0 || (count < LIVE && kit_own(9) < 5))
      make();
    else
      drop();
  for (int i = 0; i < count; i++)
    check_contents(&live[i]);
  kit_check(MA_verify_allocator_stuff() == MA_TRUE, "blocks are not as they were");
  Integer place = 0, handle = 0;
  int seen = 0;
  (void)MA_init_memhandle_iterator(&place);
  while (MA_get_next_memhandle(&place, &handle))
    seen++;
  kit_check_long(seen, count, "blocks that are counted");
  while (count > 0)
    drop();
}

static void typed(void)
{
  Integer handle = 0;
  MA_AccessIndex index = 0;
  kit_check(MA_push_get(MT_DBL, 10, "numbers", &handle, &index) == MA_TRUE, "push");
  ma_cb_dbl[index + 9] = 2.5;
  double *numbers = NULL;
  (void)MA_get_pointer(handle, &numbers);
  kit_check(numbers[9] == 2.5, "index and pointer differ");
  kit_check(MA_pop_stack(handle) == MA_TRUE, "pop");
}

/* A block that was overwritten before or after its memory stays until that is repaired. Calls for
 * another block report it if the call checks all blocks. */
static void guards(bool stacked)
{
  static const int places[] = {-4, -1, 5, 8};
  const bool checked = getenv("CW_CHECK") != NULL;
  Integer other = 0, broken = 0;
  MA_AccessIndex index = 0;
  char *memory = NULL, *found = NULL;
  (void)MA_set_error_print(MA_FALSE);
  kit_check(MA_push_stack(MT_CHAR, 5, "other", &other) == MA_TRUE, "another block");
  kit_check((stacked ? MA_push_stack : MA_allocate_heap)(MT_CHAR, 5, "broken", &broken) == MA_TRUE,
            "a block to break");
  (void)MA_get_pointer(broken, &memory);
  for (int i = 0; i < 4; i++) {
    kit_about("byte %d of a block of 5 on the %s", places[i], stacked ? "stack" : "heap");
    memory[places[i]] ^= 1;
    kit_check_long(MA_get_pointer(other, &found), !checked, "a call for another block");
    (void)MA_set_auto_verify(MA_TRUE);
    kit_check(MA_get_pointer(other, &found) == MA_FALSE, "a call that looks at all blocks");
    (void)MA_set_auto_verify(MA_FALSE);
    kit_check(MA_get_index(broken, &index) == MA_FALSE, "it has an index");
    kit_check((stacked ? MA_pop_stack : MA_free_heap)(broken) == MA_FALSE, "it goes");
    memory[places[i]] ^= 1;
    kit_check(MA_get_pointer(broken, &found) == MA_TRUE && found == memory, "it has not stayed");
  }
  kit_check((stacked ? MA_pop_stack : MA_free_heap)(broken) == MA_TRUE, "it does not go");
  kit_check(MA_pop_stack(other) == MA_TRUE, "the other one does not go");
  (void)MA_set_error_print(MA_TRUE);
}

static int called;
static void callback(const char *message, int code)
{
  kit_check(message[0] != '\0' && code == 1, "the error function gets '%s' and %d", message, code);
  called++;
}

static void rejected(void)
{
  Integer low = 0, high = 0, heap = 0;
  char *memory = NULL;
  kit_check(MA_set_error_print(MA_FALSE) == MA_TRUE, "errors are not printed at first");
  MA_set_error_callback(callback);
  (void)MA_push_stack(MT_INT, 3, "low", &low);
  (void)MA_push_stack(MT_INT, 0, "high", &high);
  (void)MA_allocate_heap(MT_INT, 8, "heap", &heap);
  const Integer greatest = (Integer)(sizeof(Integer) > 4 ? INT64_MAX / 4 : INT32_MAX);
  const Boolean answers[] = {
      MA_pop_stack(low),
      MA_pop_stack(heap),
      MA_chop_stack(heap),
      MA_free_heap(low),
      MA_free_heap(-1),
      MA_free_heap(1000000),
      MA_push_stack(77, 1, "type", &high),
      MA_push_stack(MT_INT, -1, "negative", &high),
      MA_allocate_heap(MT_LDCPL, greatest, "huge", &high),
      MA_allocate_heap(MT_INT, 1, "nowhere", NULL),
      MA_get_pointer(12345, &memory),
      MA_set_numalign(31),
  };
  enum { ANSWERS = sizeof answers / sizeof answers[0] };
  for (int i = 0; i < ANSWERS; i++)
    kit_check(answers[i] == MA_FALSE, "number %d is not refused", i);
  kit_check_long(called, ANSWERS, "calls of the error function");

  kit_check(MA_free_heap_piece(heap, 5) == MA_TRUE, "a piece");
  (void)MA_get_pointer(heap, &memory);
  kit_check(MA_verify_allocator_stuff() == MA_TRUE, "not whole after a piece was freed");
  memory[3 * sizeof(int)] ^= 1; /* the first byte after it */
  kit_check(MA_verify_allocator_stuff() == MA_FALSE, "what was written beside a block is not seen");
  memory[3 * sizeof(int)] ^= 1;
  kit_check(MA_free_heap(heap) == MA_TRUE && MA_chop_stack(low) == MA_TRUE, "freed in the end");
  MA_set_error_callback(NULL);
  (void)MA_set_error_print(MA_TRUE);
}

/* Allocates the largest block, and checks that one element more fails. */
static void binding(void)
{
  static const int types[] = {MT_CHAR, MT_INT, MT_DBL, MT_F_DCPL, MT_LDCPL};
  (void)MA_set_error_print(MA_FALSE);
  for (int kind = 0; kind < 5; kind++) {
    Integer handle = 0;
    const Integer all = MA_inquire_avail(types[kind]);
    kit_check(MA_push_stack(types[kind], all + 1, "too much", &handle) == MA_FALSE,
              "a push of more");
    kit_check(MA_allocate_heap(types[kind], all + 1, "too much", &handle) == MA_FALSE,
              "more on the heap");
    kit_check(MA_push_stack(types[kind], all, "all", &handle) == MA_TRUE, "a push of all");
    kit_check(MA_pop_stack(handle) == MA_TRUE, "popped");
    kit_check(MA_allocate_heap(types[kind], all, "all", &handle) == MA_TRUE, "all on the heap");
    kit_check(MA_free_heap(handle) == MA_TRUE, "freed");
  }
  (void)MA_set_error_print(MA_TRUE);
}

static void space(void)
{
  (void)MA_set_numalign(0);
  kit_check(MA_initialized() == MA_FALSE && MA_inquire_avail(MT_DBL) > 1000, "space at first");
  kit_check(MA_init(MT_DBL, 100, 50) == MA_TRUE && MA_initialized() == MA_TRUE, "MA_init");
  kit_check_long(MA_inquire_stack(MT_DBL), 101, "stack");
  kit_check_long(MA_inquire_heap(MT_DBL), 51, "heap");
  kit_check_long(MA_inquire_avail(MT_DBL), 164, "both");
  Integer handle = 0, above = 0;
  kit_check(MA_allocate_heap(MT_DBL, 60, "across the border", &handle) == MA_TRUE, "room");
  kit_check_long(MA_inquire_heap(MT_INT), 0, "nothing left");
  binding();
  kit_check(MA_push_stack(MT_INT, 3, "above", &above) == MA_TRUE, "pushed");
  for (int power = 0; power < 8; power++) {
    (void)MA_set_numalign(power);
    binding();
  }
  kit_check_long(MA_pop_stack(above), MA_TRUE, "popped");
  kit_check_long(MA_free_heap(handle), MA_TRUE, "freed");
  kit_check_long(MA_sizeof(MT_INT, 3, MT_DBL), 2, "3 int in double");
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "ma");
  (void)MA_set_numalign(6);
  typed();
  random_blocks();
  (void)MA_set_numalign(8);
  random_blocks();
  (void)MA_set_numalign(0);
  random_blocks();
  guards(true);
  guards(false);
  rejected();
  space();
  return kit_finish();
}
