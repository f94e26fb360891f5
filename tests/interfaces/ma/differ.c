/* Random calls of MA, and what each returns: the output of this program on libcwga and on Debian's
 * Global Arrays is the same (differ.sh compares). It does not print alignments that GA leaves to
 * chance, nor sizes when the heap has holes. Usage: differ SEED OPERATIONS */
#include <macdecls.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 20 };

static const int types[] = {MT_CHAR, MT_INT, MT_LONGINT, MT_REAL, MT_DBL, MT_F_INT, MT_F_DBL};
static Integer handles[MOST];
static int stacked[MOST], count, holes;

/* Debian's GA has a random() of its own. */
static uint64_t state;

static int draw(int below)
{
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int)((state >> 33) % (uint64_t)below);
}

static void print_sizes(void)
{
  const int type = types[draw(7)];
  if (holes > 0)
    return;
  printf("avail %ld heap %ld %ld %ld", (long)MA_inquire_avail(type), (long)MA_inquire_heap(type),
         (long)MA_inquire_heap_check_stack(type), (long)MA_inquire_heap_no_partition(type));
  printf(" stack %ld %ld\n", (long)MA_inquire_stack_check_heap(type),
         (long)MA_inquire_stack_no_partition(type));
}

static void make(void)
{
  const int type = types[draw(7)], elements = draw(10) == 0 ? draw(100000) : draw(200);
  Integer handle = -1;
  stacked[count] = draw(2);
  const Boolean made = stacked[count] ? MA_push_stack(type, elements, "pushed", &handle)
                                      : MA_allocate_heap(type, elements, "allocated", &handle);
  printf("make %d of %d: %ld\n", elements, type, (long)made);
  if (made)
    handles[count++] = handle;
}

static void forget(int which)
{
  count--;
  for (int i = which; i < count; i++) {
    handles[i] = handles[i + 1];
    stacked[i] = stacked[i + 1];
  }
}

static int top(int of_stack)
{
  int last = count - 1;
  while (last >= 0 && stacked[last] != of_stack)
    last--;
  return last;
}

static void drop(void)
{
  const int which = draw(count);
  if (!stacked[which]) {
    holes += which != top(0);
    printf("free %ld\n", (long)MA_free_heap(handles[which]));
    forget(which);
  } else if (which == top(1)) {
    printf("pop %ld\n", (long)MA_pop_stack(handles[which]));
    forget(which);
  } else if (draw(2) == 0) {
    printf("pop below the top %ld\n", (long)MA_pop_stack(handles[which]));
  } else {
    printf("chop %ld\n", (long)MA_chop_stack(handles[which]));
    for (int i = count - 1; i >= which; i--)
      if (stacked[i])
        forget(i);
  }
  if (top(0) < 0)
    holes = 0;
}

int main(int argc, char **argv)
{
  if (argc != 3)
    return 2;
  state = (uint64_t)atoi(argv[1]);
  (void)MA_set_error_print(MA_FALSE);
  printf("sizeof %ld, overhead %ld\n", (long)MA_sizeof(MT_DBL, 3, MT_INT),
         (long)MA_sizeof_overhead(MT_CHAR));
  printf("init %ld\n", (long)MA_init(MT_DBL, 20000, 30000));
  printf("again %ld\n", (long)MA_init(MT_DBL, 1, 1));
  for (int i = atoi(argv[2]); i > 0; i--) {
    if (count == 0 || (count < MOST && draw(2) == 0))
      make();
    else
      drop();
    print_sizes();
  }
  printf("intact %ld\n", (long)MA_verify_allocator_stuff());
  return 0;
}
