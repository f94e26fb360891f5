/* MA: memory of this process in named blocks, on a stack and on a heap. The calls of C and of
 * Fortran convert their arguments, and call the functions declared here. Only one thread at a time
 * may call MA, as with GA's MA, so there are no locks.
 *
 * bases.c       MA's types, and the arrays and common blocks from which indices count
 * blocks.c      MA's blocks: their handles, names and guards, and the work of the calls
 * calls.c       MA's calls in C
 * ma_fortran.c  MA's calls in Fortran
 * segment.c     the memory of MA: one segment, with the heap at its low end and the stack at its
 *               high end */
#pragma once

#include "macdecls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- Types: bases.c --- */

struct cwi_ma_type {
  const char *name;
  size_t bytes; /* a power of two */
  char *base;   /* the element with index 0 in C, or with index 1 in Fortran */
};

extern const struct cwi_ma_type cwi_ma_types[MT_NUMTYPES];

/* Stores the distance of an address from the base of its type, in elements. Returns false if it is
 * not a whole number. */
bool cwi_ma_elements_from_base(const struct cwi_ma_type *type, const void *address,
                               MA_AccessIndex *distance);

/* --- The segment: segment.c --- */

/* The space that a block needs: this number of bytes, at an address that equals `residue` modulo
 * `modulus`. `modulus` is a power of two. */
struct cwi_ma_need {
  size_t bytes, modulus, residue;
};

/* A block's part of the segment: its elements, with a guard directly before and after them. The
 * bytes before the first guard are not used. GA's blocks have a header there, and some programs
 * rely on the sizes that GA computes, so the size is the same here. */
enum { CWI_MA_GUARD = 4, CWI_MA_HEAD = 84 }; /* the head ends with a guard */
struct cwi_ma_space {
  char *begin, *elements, *end;
  struct cwi_ma_space *before, *after; /* on the heap, the neighbours by address; on the stack,
                                          `before` was pushed before this one */
};

/* Creates a segment of two regions. An existing segment must be empty, and is freed. Returns false
 * if there is no memory. */
bool cwi_ma_segment_make(size_t heap, size_t stack);

/* Find space for a block between heap and stack. cwi_ma_heap_place also uses holes of the heap.
 * Return false if there is no space. */
bool cwi_ma_heap_place(struct cwi_ma_space *space, struct cwi_ma_need need);
bool cwi_ma_stack_place(struct cwi_ma_space *space, struct cwi_ma_need need);

/* Free the space of a block. On the heap it may be any block, on the stack only the top block. */
void cwi_ma_heap_leave(struct cwi_ma_space *space);
void cwi_ma_stack_leave(struct cwi_ma_space *space);

/* Reduces a block of the heap to this number of bytes. */
void cwi_ma_heap_shrink(struct cwi_ma_space *space, size_t bytes);

/* Returns the block pushed last, or NULL if the stack is empty. */
struct cwi_ma_space *cwi_ma_stack_top(void);

/* The limit of an inquiry with regard to the border between the two regions. Only inquiries respect
 * the border: blocks may cross it. */
enum cwi_ma_reach {
  CWI_MA_WITHIN,      /* up to the border */
  CWI_MA_CHECKED,     /* up to the border, and not into space that the other region uses */
  CWI_MA_NO_PARTITION /* as if there were no border */
};

/* Return the size of the largest possible block, in elements. need.bytes is the size of an element.
 * On the heap, the block may be in a hole. */
size_t cwi_ma_heap_left(enum cwi_ma_reach reach, struct cwi_ma_need need);
size_t cwi_ma_stack_left(enum cwi_ma_reach reach, struct cwi_ma_need need);

/* Returns the size of the largest possible block between heap and stack, in elements. */
size_t cwi_ma_left(struct cwi_ma_need need);

/* --- Blocks: blocks.c --- */

/* `call` is the name of the program's call, for messages. Functions that return a Boolean print a
 * message and return MA_FALSE after an error. */

struct cwi_ma_name {
  const char *text; /* NULL if there is none */
  size_t length;
};

Boolean cwi_ma_start(const char *call, Integer datatype, Integer stack, Integer heap);
bool cwi_ma_started(void); /* true if the program has called MA_init */

/* The program's request for a block. */
struct cwi_ma_request {
  Integer datatype, elements;
  struct cwi_ma_name name;
  bool stacked;
};

/* cwi_ma_make stores the distance of the elements from the base of their type in *distance;
 * `distance` may be NULL. */
Boolean cwi_ma_make(const char *call, const struct cwi_ma_request *request, Integer *memhandle,
                    MA_AccessIndex *distance);
Boolean cwi_ma_pop(const char *call, Integer memhandle);
Boolean cwi_ma_chop(const char *call, Integer memhandle);
Boolean cwi_ma_free(const char *call, Integer memhandle);
Boolean cwi_ma_free_piece(const char *call, Integer memhandle, Integer elements);

/* Store the address of a block's elements, and its distance from the base of its type in
 * elements. */
Boolean cwi_ma_address(const char *call, Integer memhandle, char **address);
Boolean cwi_ma_distance(const char *call, Integer memhandle, MA_AccessIndex *distance);

/* cwi_ma_next finds the next handle in use from *place on. */
Boolean cwi_ma_next(const char *call, Integer *place, Integer *memhandle);
Boolean cwi_ma_verify(const char *call);
void cwi_ma_list(void);
void cwi_ma_count(bool calls);

/* Return numbers of elements. If there is no such type, these functions print a message and return
 * 0. */
Integer cwi_ma_inquire_heap(const char *call, Integer datatype, enum cwi_ma_reach reach);
Integer cwi_ma_inquire_stack(const char *call, Integer datatype, enum cwi_ma_reach reach);
Integer cwi_ma_inquire_left(const char *call, Integer datatype);
Integer cwi_ma_convert(const char *call, Integer datatype, Integer elements, Integer wanted);
Integer cwi_ma_overhead(const char *call, Integer datatype);

/* Switches. cwi_ma_switch returns the previous value. */
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

/* Returns the index of a type in cwi_ma_types. If there is no such type, prints a message and
 * returns -1. */
int cwi_ma_type_of(const char *call, Integer datatype);

/* Checks that an argument is not NULL. If it is, prints a message and returns false. */
bool cwi_ma_message(const char *call, const char *name, const void *pointer);
