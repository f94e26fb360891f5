/* Finds the place in the program from which it called Causeway, by walking up the stack; for the
 * profile. */
#include "machine/caller.h"

#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>

/* Values of a frame's size that are not numbers of bytes. UNKNOWN: no size has been learned.
 * OUTSIDE: the frame is the program's. VARIABLE: the size is not fixed, so only the unwinder can
 * find it. */
enum { UNKNOWN = 0, OUTSIDE = -1, VARIABLE = -2 };

/* --- Our own code ----------------------------------------------------------------------------- */

static struct {
  uintptr_t begin, end;
  bool is_program; /* our code is in the program's file and cannot be distinguished from it */
} ours;

/* Start and end of a static library's code in the program. The linker defines these symbols for the
 * section that cmake/CwLibrary.cmake names. */
extern const char __start_cw_text[] __attribute__((weak, visibility("hidden")));
extern const char __stop_cw_text[] __attribute__((weak, visibility("hidden")));

static int find_object(struct dl_phdr_info *object, size_t size, void *first)
{
  (void)size;
  const uintptr_t here = (uintptr_t)&cwi_caller_find;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    const uintptr_t begin = object->dlpi_addr + part->p_vaddr;
    if (part->p_type != PT_LOAD || here - begin >= part->p_memsz)
      continue;
    ours.begin = begin;
    ours.end = begin + part->p_memsz;
    ours.is_program = *(const bool *)first;
    return 1;
  }
  *(bool *)first = false;
  return 0;
}

/* Finds our code: that section, or the loaded file that contains this function. The program's own
 * file is the first that the dynamic linker lists. */
static void find_ours(void)
{
  bool first = true;
  ours.begin = (uintptr_t)__start_cw_text;
  ours.end = (uintptr_t)__stop_cw_text;
  if (ours.begin == 0)
    dl_iterate_phdr(find_object, &first);
}

static void find_ours_once(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_ours);
}

int cwi_caller_is_static(void)
{
  find_ours_once();
  return ours.is_program;
}

static bool is_outside(uintptr_t address, int frame)
{
  return ours.is_program ? frame > 0 : address < ours.begin || address >= ours.end;
}

/* --- Known frames ----------------------------------------------------------------------------- */

/* Returns the size of the frame that contains a return address. */
static inline int64_t frame_size(const struct cwi_frames *frames, uintptr_t address)
{
  return (intptr_t)cwi_hash_map_find(&frames->sizes, address);
}

/* Records the size of the frame that contains a return address. If two sizes are seen at one
 * address, the size is not fixed. If there is no memory, it stays unknown. */
static void frame_learn(struct cwi_frames *frames, uintptr_t address, int64_t size)
{
  const int64_t known = frame_size(frames, address);
  if (known == size || known == VARIABLE)
    return;
  cwi_hash_map_remove(&frames->sizes, address);
  const cw_error remembered =
      cwi_hash_map_insert(&frames->sizes, address, (void *)(known == UNKNOWN ? size : VARIABLE));
  (void)remembered;
}

void cwi_caller_forget(struct cwi_frames *frames)
{
  cwi_hash_map_clear(&frames->sizes);
  frames->last_count = 0;
}

/* --- The walk --------------------------------------------------------------------------------- */

struct unwinding {
  struct cwi_frames *frames;
  uintptr_t stack;         /* canonical frame address at which the walk begins */
  uintptr_t address, from; /* return address in the previous frame, and the canonical frame address
                              of that frame */
  int frame;               /* -1 before the walk has begun */
  struct cwi_caller found;
};

/* Returns true if the return address is stored where the frame of the called function ends, as on
 * x86-64. */
static bool stands_there(uintptr_t end, uintptr_t address)
{
  return *(const uintptr_t *)(end - sizeof address) == address;
}

static _Unwind_Reason_Code unwind_step(struct _Unwind_Context *context, void *given)
{
  struct unwinding *walk = given;
  const uintptr_t address = _Unwind_GetIP(context), stack = _Unwind_GetCFA(context);
  if (walk->frame < 0 && stack != walk->stack)
    return _URC_NO_REASON;
  walk->frame++;
  if (walk->frame > 0 && walk->address != 0)
    frame_learn(walk->frames, walk->address,
                stands_there(stack, address) ? (int64_t)(stack - walk->from) : VARIABLE);
  const uintptr_t entry = walk->address;
  walk->address = address;
  walk->from = stack;
  if (!is_outside(address, walk->frame))
    return _URC_NO_REASON;
  walk->found = (struct cwi_caller){address, ours.is_program ? 0 : entry};
  if (!ours.is_program)
    frame_learn(walk->frames, address, OUTSIDE);
  return _URC_END_OF_STACK;
}

static __attribute__((noinline, cold)) struct cwi_caller unwind(struct cwi_frames *frames,
                                                                uintptr_t stack)
{
  find_ours_once();
  struct unwinding walk = {.frames = frames, .stack = stack, .frame = -1};
  _Unwind_Backtrace(unwind_step, &walk);
  return walk.found;
}

#ifdef __x86_64__
static inline uintptr_t return_address(uintptr_t end)
{
  return *(const uintptr_t *)(end - sizeof end);
}

/* Returns true if the previous walk had the same return addresses at the same places. Then the
 * caller is the same, too. Most calls come from the same place as the previous one. */
static inline bool is_last_walk(const struct cwi_frames *frames, uintptr_t stack)
{
  if (frames->last_count == 0 || frames->last[0].end != stack)
    return false;
  for (int i = 0; i < frames->last_count; i++)
    if (return_address(frames->last[i].end) != frames->last[i].address)
      return false;
  return true;
}

static void keep_walk(struct cwi_frames *frames, int frame, uintptr_t end, uintptr_t address)
{
  if (frame < CWI_LAST_FRAMES) {
    frames->last[frame].end = end;
    frames->last[frame].address = address;
  }
}

static __attribute__((noinline)) struct cwi_caller walk(struct cwi_frames *frames, uintptr_t stack)
{
  uintptr_t end = stack, entry = 0;
  frames->last_count = 0;
  for (int frame = 0; frames->sizes.capacity > 0; frame++) {
    const uintptr_t address = return_address(end);
    keep_walk(frames, frame, end, address);
    const int64_t size = frame_size(frames, address);
    if ((frame > 0 && ours.is_program) || size == OUTSIDE) {
      frames->last_count = frame < CWI_LAST_FRAMES ? frame + 1 : 0;
      frames->last_caller = (struct cwi_caller){address, ours.is_program ? 0 : entry};
      return frames->last_caller;
    }
    if (size <= 0)
      break;
    end += (uintptr_t)size;
    entry = address;
  }
  return unwind(frames, stack);
}

struct cwi_caller cwi_caller_find(struct cwi_frames *frames, const void *stack)
{
  if (CWI_LIKELY(is_last_walk(frames, (uintptr_t)stack)))
    return frames->last_caller;
  return walk(frames, (uintptr_t)stack);
}
#else
/* On other processors the return address need not be at the end of a frame, so the unwinder makes
 * each walk. */
struct cwi_caller cwi_caller_find(struct cwi_frames *frames, const void *stack)
{
  const struct cwi_caller found = unwind(frames, (uintptr_t)stack);
  cwi_caller_forget(frames);
  return found;
}
#endif
