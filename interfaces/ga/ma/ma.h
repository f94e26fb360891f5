/* MA: memory of this process in named blocks, on a stack and on a heap. The calls of C and of
 * Fortran convert their arguments, and call the functions declared here. Only one thread at a time
 * may call MA, as with GA's MA, so there are no locks.
 *
 * bases.c       MA's types, with the arrays that are index 0 for C programs and the common blocks
 *               that are index 1 for Fortran programs
 * blocks.c      MA's blocks: their handles, names and guards, and what the calls do with them
 * calls.c       MA's calls under C's names
 * ma_fortran.c  MA's calls under Fortran's names
 * segment.c     the memory of MA: one segment, with the heap at its low end and the stack at its
 *               high end */
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

/* The distance of an address from the base of its type, in elements. Returns false if it is not a
 * whole number. */
bool cwi_ma_elements_from_base(const struct cwi_ma_type *type, const void *address,
                               MA_AccessIndex *distance);

/* --- The segment: segment.c --- */

/* The space that a block needs: this number of bytes, at an address that is `residue` modulo
 * `modulus`, a power of two. */
struct cwi_ma_need {
  size_t bytes, modulus, residue;
};

/* A block's part of the segment: its elements with a guard directly before and after them. The
 * bytes in front of the first guard are not used: GA's blocks have a header there, and some
 * programs rely on GA's numbers, so these are the same. */
enum { CWI_MA_GUARD = 4, CWI_MA_HEAD = 84 }; /* the head ends with a guard */
struct cwi_ma_space {
  char *begin, *elements, *end;
  struct cwi_ma_space *before, *after; /* on the heap, the next by address; on the stack `before`
                                          was pushed before this one */
};

/* Makes a segment of two regions. An existing segment must be empty, and is freed. Returns false if
 * there is no memory. */
bool cwi_ma_segment_make(size_t heap, size_t stack);

/* Places a block between heap and stack, or in a hole of the heap. Returns false if there is no
 * space. */
bool cwi_ma_heap_place(struct cwi_ma_space *space, struct cwi_ma_need need);
bool cwi_ma_stack_place(struct cwi_ma_space *space, struct cwi_ma_need need);

/* Frees the space of a block: any block of the heap, but only the top of the stack. */
void cwi_ma_heap_leave(struct cwi_ma_space *space);
void cwi_ma_stack_leave(struct cwi_ma_space *space);

/* Reduces the bytes of a block of the heap. */
void cwi_ma_heap_shrink(struct cwi_ma_space *space, size_t bytes);

/* Returns the block pushed last, or NULL if the stack is empty. */
struct cwi_ma_space *cwi_ma_stack_top(void);

/* The limit of an inquiry, on each side of the border between the two regions. Blocks themselves
 * may cross the border. */
enum cwi_ma_reach {
  CWI_MA_WITHIN,      /* up to the border */
  CWI_MA_CHECKED,     /* up to the border, and not into space that the other region uses */
  CWI_MA_NO_PARTITION /* as if there were no border */
};

/* The size of the largest possible block, in elements. need.bytes is the size of an element. On the
 * heap this includes holes. */
size_t cwi_ma_heap_left(enum cwi_ma_reach reach, struct cwi_ma_need need);
size_t cwi_ma_stack_left(enum cwi_ma_reach reach, struct cwi_ma_need need);

/* The size of the space between heap and stack. */
size_t cwi_ma_left(struct cwi_ma_need need);

/* --- Blocks: blocks.c --- */

/* `call` is the name of the program's call, for messages. Calls that return a Boolean return
 * MA_FALSE after a message. */

struct cwi_ma_name {
  const char *text; /* NULL if there is none */
  size_t length;
};

Boolean cwi_ma_start(const char *call, Integer datatype, Integer stack, Integer heap);
bool cwi_ma_started(void); /* by the program itself */

/* The program's request for a block. */
struct cwi_ma_request {
  Integer datatype, elements;
  struct cwi_ma_name name;
  bool stacked;
};

/* distance: of the elements from the base of their type; may be NULL. */
Boolean cwi_ma_make(const char *call, const struct cwi_ma_request *request, Integer *memhandle,
                    MA_AccessIndex *distance);
Boolean cwi_ma_pop(const char *call, Integer memhandle);
Boolean cwi_ma_chop(const char *call, Integer memhandle);
Boolean cwi_ma_free(const char *call, Integer memhandle);
Boolean cwi_ma_free_piece(const char *call, Integer memhandle, Integer elements);

/* The address of a block's elements, and its distance from the base of its type in elements. */
Boolean cwi_ma_address(const char *call, Integer memhandle, char **address);
Boolean cwi_ma_distance(const char *call, Integer memhandle, MA_AccessIndex *distance);

/* The next handle in use, from *place on. */
Boolean cwi_ma_next(const char *call, Integer *place, Integer *memhandle);
Boolean cwi_ma_verify(const char *call);
void cwi_ma_list(void);
void cwi_ma_count(bool calls);

/* The number of elements that a call could get, or 0 after a message if there is no such type. */
Integer cwi_ma_inquire_heap(const char *call, Integer datatype, enum cwi_ma_reach reach);
Integer cwi_ma_inquire_stack(const char *call, Integer datatype, enum cwi_ma_reach reach);
Integer cwi_ma_inquire_left(const char *call, Integer datatype);
Integer cwi_ma_convert(const char *call, Integer datatype, Integer elements, Integer wanted);
Integer cwi_ma_overhead(const char *call, Integer datatype);

/* Switches. The functions of the first three return the previous value. */
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

/* Returns the index in cwi_ma_types, or -1 after a message. */
int cwi_ma_type_of(const char *call, Integer datatype);

/* Checks that an argument is not NULL. Returns false after a message. */
bool cwi_ma_message(const char *call, const char *name, const void *pointer);
#endif
