/* MA: memory of one process in blocks, on a stack and on a heap. Blocks have names and handles. All
 * calls are local. Calls that return a Boolean return MA_TRUE. After an error they print a message
 * to standard error and return MA_FALSE. */
#ifndef CWGA_MACDECLS_H
#define CWGA_MACDECLS_H

#include "macommon.h"
#include "matypes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Short names of codes. */
#define MT_CHAR MT_C_CHAR
#define MT_INT MT_C_INT
#define MT_LONGINT MT_C_LONGINT
#define MT_LONGLONG MT_C_LONGLONG
#define MT_REAL MT_C_FLOAT
#define MT_DBL MT_C_DBL
#define MT_LDBL MT_C_LDBL
#define MT_SCPL MT_C_SCPL
#define MT_DCPL MT_C_DCPL
#define MT_LDCPL MT_C_LDCPL
#define MT_C_FIRST MT_CHAR
#define MT_C_LAST MT_LDCPL

/* Sets the sizes of the stack and the heap, in elements. The stack may use space that the heap does
 * not use, and the other way round. Without this call, each has 512 MiB. */
Boolean MA_init(Integer datatype, Integer nominal_stack, Integer nominal_heap);
Boolean MA_initialized(void);

/* Allocate a block of nelem elements on the heap, or on top of the stack. *memhandle receives its
 * handle. The `get` calls also store the index of its first element, relative to the array of its
 * type below. */
Boolean MA_allocate_heap(Integer datatype, Integer nelem, const char *name, Integer *memhandle);
Boolean MA_alloc_get(Integer datatype, Integer nelem, const char *name, Integer *memhandle,
                     MA_AccessIndex *index);
Boolean MA_push_stack(Integer datatype, Integer nelem, const char *name, Integer *memhandle);
Boolean MA_push_get(Integer datatype, Integer nelem, const char *name, Integer *memhandle,
                    MA_AccessIndex *index);

/* Store the address of a block at `pointer`, or its index. MA_get_mbase returns the address of the
 * element with index 0. */
Boolean MA_get_pointer(Integer memhandle, void *pointer);
Boolean MA_get_index(Integer memhandle, MA_AccessIndex *index);
Pointer MA_get_mbase(Integer datatype);

/* Free memory: a block of the heap; the last nelem elements of a block of the heap; the block on
 * top of the stack; a block of the stack and all blocks above it. */
Boolean MA_free_heap(Integer memhandle);
Boolean MA_free_heap_piece(Integer memhandle, Integer nelem);
Boolean MA_pop_stack(Integer memhandle);
Boolean MA_chop_stack(Integer memhandle);

/* Iterate over all blocks. Next returns MA_FALSE after the last. */
Boolean MA_init_memhandle_iterator(Integer *ithandle);
Boolean MA_get_next_memhandle(Integer *ithandle, Integer *memhandle);

/* Return the size of the largest possible block, in elements. inquire_avail is for the space
 * between heap and stack. inquire_heap is for the heap's region and the holes of the heap,
 * inquire_stack for the stack's region. The check calls also consider the space that the other side
 * uses. The no_partition calls ignore the regions. */
Integer MA_inquire_avail(Integer datatype);
Integer MA_inquire_heap(Integer datatype);
Integer MA_inquire_heap_check_stack(Integer datatype);
Integer MA_inquire_heap_no_partition(Integer datatype);
Integer MA_inquire_stack(Integer datatype);
Integer MA_inquire_stack_check_heap(Integer datatype);
Integer MA_inquire_stack_no_partition(Integer datatype);

/* MA_sizeof returns the number of elements of datatype2 that have space for nelem1 elements of
 * datatype1. MA_sizeof_overhead returns the overhead of a block, in elements. */
Integer MA_sizeof(Integer datatype1, Integer nelem1, Integer datatype2);
Integer MA_sizeof_overhead(Integer datatype);

/* Get or set the alignment: blocks are aligned to two to the power of this value. */
Boolean MA_get_numalign(Integer *value);
Boolean MA_set_numalign(Integer value);

/* MA_verify_allocator_stuff returns MA_TRUE if nothing was written outside the bounds of a block.
 * With MA_set_auto_verify, every call checks this. */
Boolean MA_verify_allocator_stuff(void);
Boolean MA_set_auto_verify(Boolean value);

/* Select the actions after an error: print a message (this is initially on), end the job, or call a
 * function with the message and 1. The first two calls return the old value. In GA 5.8 the function
 * had no arguments; such a function works, too. */
Boolean MA_set_error_print(Boolean value);
Boolean MA_set_hard_fail(Boolean value);
void MA_set_error_callback(void (*func)(const char *, int));
void ma_set_error_callback(void);

/* MA_print_stats prints sizes and numbers of calls. MA_summarize_allocated_blocks prints all
 * blocks. MA_trace makes each call print its name from now on. */
void MA_print_stats(Boolean printroutines);
void MA_summarize_allocated_blocks(void);
void MA_trace(Boolean value);

/* The arrays from which indices count: the first element of each array has index 0 of its type. */
extern char ma_cb_char[];
extern int ma_cb_int[];
extern long ma_cb_long[];
extern long long ma_cb_longlong[];
extern float ma_cb_float[];
extern double ma_cb_dbl[];
extern MA_LongDouble ma_cb_ldbl[];
extern MA_SingleComplex ma_cb_scpl[];
extern MA_DoubleComplex ma_cb_dcpl[];
extern MA_LongDoubleComplex ma_cb_ldcpl[];

#ifdef __cplusplus
}
#endif
#endif
