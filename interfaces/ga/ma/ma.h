/* MA: memory of this process in named blocks, on a stack and on a heap. The calls of C and of
 * Fortran convert, and call what is declared here. One thread at a time may be in MA, as with GA's;
 * so nothing is locked.
 *
 * bases.c       MA's types, with the arrays from which C programs count indices and the common
 *               blocks from which
 * blocks.c      MA's blocks: their handles, names and guards, and what the calls do with them
 * calls.c       MA's calls under C's names
 * ma_fortran.c  MA's calls under Fortran's names
 * segment.c     the memory of MA: one piece, the heap from below and the stack from above */
#ifndef CWI_GA_MA_MA_H
#define CWI_GA_MA_MA_H

#include "macdecls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- Types: bases.c --- */

struct cwi_ma_type {
  const char *name;
  size_t bytes; /* a power of two */
  char *base;   /* element 0 of C's indices, element 1 of Fortran's */
};

extern const struct cwi_ma_type cwi_ma_types[MT_NUMTYPES];

/* The distance of an address from its type's base, in elements; false: that is no whole number. */
bool cwi_ma_elements_from_base(const struct cwi_ma_type *type, const void *address,
                               MA_AccessIndex *distance);

/* --- The segment: segment.c --- */

/* What a block needs: so many bytes, at an address that is `residue` modulo `modulus`, a power of
 * two. */
struct cwi_ma_need {
  size_t bytes, modulus, residue;
};

/* What a block has of the segment: its elements with a guard directly before and behind them. In
 * front there is space that nothing uses: GA's blocks have a header there, and programs that count
 * on GA's numbers find them. */
enum { CWI_MA_GUARD = 4, CWI_MA_HEAD = 84 }; /* the head ends with a guard */
struct cwi_ma_space {
  char *begin, *elements, *end;
  struct cwi_ma_space *before,
      *after; /* on the heap, by address; on the stack `before` is pushed before */
};

/* A segment of two regions; one that is there must be empty, and goes. False: no memory. */
bool cwi_ma_segment_make(size_t heap, size_t stack);

/* Place a block between heap and stack, or in a hole of the heap. False: there is no space. */
bool cwi_ma_heap_place(struct cwi_ma_space *space, struct cwi_ma_need need);
bool cwi_ma_stack_place(struct cwi_ma_space *space, struct cwi_ma_need need);

/* Give the space back: any of the heap; of the stack the top. */
void cwi_ma_heap_leave(struct cwi_ma_space *space);
void cwi_ma_stack_leave(struct cwi_ma_space *space);

/* A block of the heap has fewer bytes from now on. */
void cwi_ma_heap_shrink(struct cwi_ma_space *space, size_t bytes);

/* What was pushed last; NULL: the stack is empty. */
struct cwi_ma_space *cwi_ma_stack_top(void);

/* Where an inquiry looks: on each side of the border between the two regions, which binds nobody.
 */
enum cwi_ma_reach {
  CWI_MA_WITHIN,      /* up to the border */
  CWI_MA_CHECKED,     /* and no farther than what the other side has taken */
  CWI_MA_NO_PARTITION /* as if there were no border */
};

/* The largest block, in elements: need.bytes is an element's size. Of the heap holes count, too. */
size_t cwi_ma_heap_left(enum cwi_ma_reach reach, struct cwi_ma_need need);
size_t cwi_ma_stack_left(enum cwi_ma_reach reach, struct cwi_ma_need need);

/* What lies between heap and stack. */
size_t cwi_ma_left(struct cwi_ma_need need);

/* --- Blocks: blocks.c --- */

/* `call` is the name of the program's call, for sentences. Calls that return a Boolean return
 * MA_FALSE after a message. */

struct cwi_ma_name {
  const char *text; /* NULL: none */
  size_t length;
};

Boolean cwi_ma_start(const char *call, Integer datatype, Integer stack, Integer heap);
bool cwi_ma_started(void); /* by the program */

/* A block that the program wants. */
struct cwi_ma_request {
  Integer datatype, elements;
  struct cwi_ma_name name;
  bool stacked;
};

/* distance: of the elements from their type's base; NULL: not wanted. */
Boolean cwi_ma_make(const char *call, const struct cwi_ma_request *request, Integer *memhandle,
                    MA_AccessIndex *distance);
Boolean cwi_ma_pop(const char *call, Integer memhandle);
Boolean cwi_ma_chop(const char *call, Integer memhandle);
Boolean cwi_ma_free(const char *call, Integer memhandle);
Boolean cwi_ma_free_piece(const char *call, Integer memhandle, Integer elements);

/* Where a block's elements are; the distance from its type's base, in elements. */
Boolean cwi_ma_address(const char *call, Integer memhandle, char **address);
Boolean cwi_ma_distance(const char *call, Integer memhandle, MA_AccessIndex *distance);

/* The next handle that is in use from *place on. */
Boolean cwi_ma_next(const char *call, Integer *place, Integer *memhandle);
Boolean cwi_ma_verify(const char *call);
void cwi_ma_list(void);
void cwi_ma_count(bool calls);

/* Elements that a call could get; 0 for what is no type, after a message. */
Integer cwi_ma_inquire_heap(const char *call, Integer datatype, enum cwi_ma_reach reach);
Integer cwi_ma_inquire_stack(const char *call, Integer datatype, enum cwi_ma_reach reach);
Integer cwi_ma_inquire_left(const char *call, Integer datatype);
Integer cwi_ma_convert(const char *call, Integer datatype, Integer elements, Integer wanted);
Integer cwi_ma_overhead(const char *call, Integer datatype);

/* Switches. The first three return the value before. */
enum cwi_ma_switch {
  CWI_MA_AUTO_VERIFY,
  CWI_MA_ERROR_PRINT,
  CWI_MA_HARD_FAIL,
  CWI_MA_TRACE,
  CWI_MA_SWITCHES
};
Boolean cwi_ma_switch(enum cwi_ma_switch which, Integer value);
void cwi_ma_call_on_error(void (*function)(const char *, int));
Boolean cwi_ma_align(const char *call, Integer value);
Integer cwi_ma_alignment(void);

/* The index in cwi_ma_types; -1 after a message. */
int cwi_ma_type_of(const char *call, Integer datatype);

/* An argument that may not be NULL. */
bool cwi_ma_message(const char *call, const char *name, const void *pointer);
#endif
