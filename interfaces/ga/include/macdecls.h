/* MA: memory of one process, on a stack and on a heap, in blocks that have names and handles. All
 * calls are local. Those that return a Boolean return MA_TRUE, or MA_FALSE after an error, with a
 * message on standard error. */
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

/* The stack and the heap that the program needs, in elements. All blocks together cannot have more,
 * but either may use what the other does not. Without this call each has 512 MiB. */
Boolean MA_init(Integer datatype, Integer nominal_stack, Integer nominal_heap);
Boolean MA_initialized(void);

/* A block of nelem elements on the heap, or on top of the stack; memhandle receives its handle. The
 * `get` calls also return the index of its first element in the array of its type below. */
Boolean MA_allocate_heap(Integer datatype, Integer nelem, const char *name, Integer *memhandle);
Boolean MA_alloc_get(Integer datatype, Integer nelem, const char *name, Integer *memhandle,
                     MA_AccessIndex *index);
Boolean MA_push_stack(Integer datatype, Integer nelem, const char *name, Integer *memhandle);
Boolean MA_push_get(Integer datatype, Integer nelem, const char *name, Integer *memhandle,
                    MA_AccessIndex *index);

/* Address (pointer: where to store it) and index of a block. */
Boolean MA_get_pointer(Integer memhandle, void *pointer);
Boolean MA_get_index(Integer memhandle, MA_AccessIndex *index);
Pointer MA_get_mbase(Integer datatype);

/* Free a block of the heap, or its last nelem elements; the block on top of the stack; a block of
 * the stack and all above it. */
Boolean MA_free_heap(Integer memhandle);
Boolean MA_free_heap_piece(Integer memhandle, Integer nelem);
Boolean MA_pop_stack(Integer memhandle);
Boolean MA_chop_stack(Integer memhandle);

/* Iterate over all blocks. Next returns MA_FALSE after the last. */
Boolean MA_init_memhandle_iterator(Integer *ithandle);
Boolean MA_get_next_memhandle(Integer *ithandle, Integer *memhandle);

/* The largest possible block, in elements: between heap and stack; on the heap, in its own region
 * or in a hole; on the stack, in its own region. The other calls also consider what the other side
 * uses, or ignore the regions. */
Integer MA_inquire_avail(Integer datatype);
Integer MA_inquire_heap(Integer datatype);
Integer MA_inquire_heap_check_stack(Integer datatype);
Integer MA_inquire_heap_no_partition(Integer datatype);
Integer MA_inquire_stack(Integer datatype);
Integer MA_inquire_stack_check_heap(Integer datatype);
Integer MA_inquire_stack_no_partition(Integer datatype);

/* The number of elements of datatype2 that hold nelem1 of datatype1; the number that a block needs
 * besides its contents. */
Integer MA_sizeof(Integer datatype1, Integer nelem1, Integer datatype2);
Integer MA_sizeof_overhead(Integer datatype);

/* Blocks are aligned to two to the power of this value. */
Boolean MA_get_numalign(Integer *value);
Boolean MA_set_numalign(Integer value);

/* Returns whether all blocks are intact, with nothing written outside their bounds.
 * set_auto_verify: check this at each call. */
Boolean MA_verify_allocator_stuff(void);
Boolean MA_set_auto_verify(Boolean value);

/* On errors: print a message (initially on); end the job; call a function with the message and 1.
 * The first two return the old value. In GA 5.8 the function had no arguments; a function of such a
 * program is called as well. */
Boolean MA_set_error_print(Boolean value);
Boolean MA_set_hard_fail(Boolean value);
void MA_set_error_callback(void (*func)(const char *, int));
void ma_set_error_callback(void);

/* Print calls and sizes; print all blocks; print each call from now on. */
void MA_print_stats(Boolean printroutines);
void MA_summarize_allocated_blocks(void);
void MA_trace(Boolean value);

/* The arrays that have index 0 of each type. */
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
