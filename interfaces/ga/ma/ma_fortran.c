/* MA's calls in Fortran. Indices that they return count from 1, relative to the common block of the
 * block's type. For example, dbl_mb(index) is the first element of a block. */
#include "ga/arguments/fortran_names.h"
#include "ga/ma/ma.h"

static Integer from_one(Boolean found, MA_AccessIndex *index)
{
  if (found)
    ++*index;
  return found;
}

CWI_FORTRAN(Integer, ma_init_, (const Integer *datatype, const Integer *stack, const Integer *heap))
{
  return cwi_ma_start("ma_init", *datatype, *stack, *heap);
}

CWI_FORTRAN(Integer, ma_initialized_, (void))
{
  return cwi_ma_started();
}

/* --- Blocks --- */

#define REQUEST(stacked)                                                                           \
  &(const struct cwi_ma_request)                                                                   \
  {                                                                                                \
    *datatype, *elements, {name, cwi_fortran_length(name, length)}, stacked                        \
  }

CWI_FORTRAN(Integer, ma_allocate_heap_,
            (const Integer *datatype, const Integer *elements, const char *name, Integer *memhandle,
             size_t length))
{
  return cwi_ma_make("ma_allocate_heap", REQUEST(false), memhandle, NULL);
}

CWI_FORTRAN(Integer, ma_push_stack_,
            (const Integer *datatype, const Integer *elements, const char *name, Integer *memhandle,
             size_t length))
{
  return cwi_ma_make("ma_push_stack", REQUEST(true), memhandle, NULL);
}

CWI_FORTRAN(Integer, ma_alloc_get_,
            (const Integer *datatype, const Integer *elements, const char *name, Integer *memhandle,
             MA_AccessIndex *index, size_t length))
{
  return from_one(cwi_ma_make("ma_alloc_get", REQUEST(false), memhandle, index), index);
}

CWI_FORTRAN(Integer, ma_push_get_,
            (const Integer *datatype, const Integer *elements, const char *name, Integer *memhandle,
             MA_AccessIndex *index, size_t length))
{
  return from_one(cwi_ma_make("ma_push_get", REQUEST(true), memhandle, index), index);
}

CWI_FORTRAN(Integer, ma_free_heap_, (const Integer *memhandle))
{
  return cwi_ma_free("ma_free_heap", *memhandle);
}

CWI_FORTRAN(Integer, ma_free_heap_piece_, (const Integer *memhandle, const Integer *elements))
{
  return cwi_ma_free_piece("ma_free_heap_piece", *memhandle, *elements);
}

CWI_FORTRAN(Integer, ma_pop_stack_, (const Integer *memhandle))
{
  return cwi_ma_pop("ma_pop_stack", *memhandle);
}

CWI_FORTRAN(Integer, ma_chop_stack_, (const Integer *memhandle))
{
  return cwi_ma_chop("ma_chop_stack", *memhandle);
}

CWI_FORTRAN(Integer, ma_get_index_, (const Integer *memhandle, MA_AccessIndex *index))
{
  return from_one(cwi_ma_distance("ma_get_index", *memhandle, index), index);
}

CWI_FORTRAN(Integer, ma_init_memhandle_iterator_, (Integer * place))
{
  *place = 0;
  return MA_TRUE;
}

CWI_FORTRAN(Integer, ma_get_next_memhandle_, (Integer * place, Integer *memhandle))
{
  return cwi_ma_next("ma_get_next_memhandle", place, memhandle);
}

CWI_FORTRAN(Integer, ma_verify_allocator_stuff_, (void))
{
  return cwi_ma_verify("ma_verify_allocator_stuff");
}

CWI_FORTRAN(void, ma_summarize_allocated_blocks_, (void))
{
  cwi_ma_list();
}

CWI_FORTRAN(void, ma_print_stats_, (const Integer *calls))
{
  cwi_ma_count(*calls != 0);
}

/* --- Sizes --- */

CWI_FORTRAN(Integer, ma_inquire_avail_, (const Integer *datatype))
{
  return cwi_ma_inquire_left("ma_inquire_avail", *datatype);
}

CWI_FORTRAN(Integer, ma_inquire_heap_, (const Integer *datatype))
{
  return cwi_ma_inquire_heap("ma_inquire_heap", *datatype, CWI_MA_WITHIN);
}

CWI_FORTRAN(Integer, ma_inquire_heap_check_stack_, (const Integer *datatype))
{
  return cwi_ma_inquire_heap("ma_inquire_heap_check_stack", *datatype, CWI_MA_CHECKED);
}

CWI_FORTRAN(Integer, ma_inquire_heap_no_partition_, (const Integer *datatype))
{
  return cwi_ma_inquire_heap("ma_inquire_heap_no_partition", *datatype, CWI_MA_NO_PARTITION);
}

CWI_FORTRAN(Integer, ma_inquire_stack_, (const Integer *datatype))
{
  return cwi_ma_inquire_stack("ma_inquire_stack", *datatype, CWI_MA_WITHIN);
}

CWI_FORTRAN(Integer, ma_inquire_stack_check_heap_, (const Integer *datatype))
{
  return cwi_ma_inquire_stack("ma_inquire_stack_check_heap", *datatype, CWI_MA_CHECKED);
}

CWI_FORTRAN(Integer, ma_inquire_stack_no_partition_, (const Integer *datatype))
{
  return cwi_ma_inquire_stack("ma_inquire_stack_no_partition", *datatype, CWI_MA_NO_PARTITION);
}

CWI_FORTRAN(Integer, ma_sizeof_,
            (const Integer *datatype, const Integer *elements, const Integer *wanted))
{
  return cwi_ma_convert("ma_sizeof", *datatype, *elements, *wanted);
}

CWI_FORTRAN(Integer, ma_sizeof_overhead_, (const Integer *datatype))
{
  return cwi_ma_overhead("ma_sizeof_overhead", *datatype);
}

/* --- Switches --- */

CWI_FORTRAN(Integer, ma_get_numalign_, (Integer * value))
{
  *value = cwi_ma_alignment();
  return MA_TRUE;
}

CWI_FORTRAN(Integer, ma_set_numalign_, (const Integer *value))
{
  return cwi_ma_align("ma_set_numalign", *value);
}

CWI_FORTRAN(Integer, ma_set_auto_verify_, (const Integer *value))
{
  return cwi_ma_switch(CWI_MA_AUTO_VERIFY, *value);
}

CWI_FORTRAN(Integer, ma_set_error_print_, (const Integer *value))
{
  return cwi_ma_switch(CWI_MA_ERROR_PRINT, *value);
}

CWI_FORTRAN(Integer, ma_set_hard_fail_, (const Integer *value))
{
  return cwi_ma_switch(CWI_MA_HARD_FAIL, *value);
}

CWI_FORTRAN(void, ma_trace_, (const Integer *value))
{
  (void)cwi_ma_switch(CWI_MA_TRACE, *value);
}
