/* MA's calls in C. Indices that they return count from the ma_cb_ array of the block's type. */
#include "ga/ma/ma.h"

#include <string.h>

static struct cwi_ma_name ma_named(const char *name)
{
  return (struct cwi_ma_name){name, name != NULL ? strnlen(name, MA_NAMESIZE - 1) : 0};
}

Boolean MA_init(Integer datatype, Integer nominal_stack, Integer nominal_heap)
{
  return cwi_ma_start(__func__, datatype, nominal_stack, nominal_heap);
}

Boolean MA_initialized(void)
{
  return cwi_ma_started();
}

/* --- Blocks --- */

#define REQUEST(stacked)                                                                           \
  &(const struct cwi_ma_request)                                                                   \
  {                                                                                                \
    datatype, nelem, ma_named(name), stacked                                                       \
  }

Boolean MA_allocate_heap(Integer datatype, Integer nelem, const char *name, Integer *memhandle)
{
  return cwi_ma_make(__func__, REQUEST(false), memhandle, NULL);
}

Boolean MA_push_stack(Integer datatype, Integer nelem, const char *name, Integer *memhandle)
{
  return cwi_ma_make(__func__, REQUEST(true), memhandle, NULL);
}

Boolean MA_alloc_get(Integer datatype, Integer nelem, const char *name, Integer *memhandle,
                     MA_AccessIndex *index)
{
  return cwi_ma_message(__func__, "index", index) &&
         cwi_ma_make(__func__, REQUEST(false), memhandle, index);
}

Boolean MA_push_get(Integer datatype, Integer nelem, const char *name, Integer *memhandle,
                    MA_AccessIndex *index)
{
  return cwi_ma_message(__func__, "index", index) &&
         cwi_ma_make(__func__, REQUEST(true), memhandle, index);
}

Boolean MA_free_heap(Integer memhandle)
{
  return cwi_ma_free(__func__, memhandle);
}

Boolean MA_free_heap_piece(Integer memhandle, Integer nelem)
{
  return cwi_ma_free_piece(__func__, memhandle, nelem);
}

Boolean MA_pop_stack(Integer memhandle)
{
  return cwi_ma_pop(__func__, memhandle);
}

Boolean MA_chop_stack(Integer memhandle)
{
  return cwi_ma_chop(__func__, memhandle);
}

Boolean MA_get_index(Integer memhandle, MA_AccessIndex *index)
{
  return cwi_ma_message(__func__, "index", index) && cwi_ma_distance(__func__, memhandle, index);
}

Boolean MA_get_pointer(Integer memhandle, void *pointer)
{
  return cwi_ma_message(__func__, "pointer", pointer) &&
         cwi_ma_address(__func__, memhandle, (char **)pointer);
}

Pointer MA_get_mbase(Integer datatype)
{
  const int type = cwi_ma_type_of(__func__, datatype);
  return type >= 0 ? cwi_ma_types[type].base : NULL;
}

Boolean MA_init_memhandle_iterator(Integer *ithandle)
{
  if (!cwi_ma_message(__func__, "ithandle", ithandle))
    return MA_FALSE;
  *ithandle = 0;
  return MA_TRUE;
}

Boolean MA_get_next_memhandle(Integer *ithandle, Integer *memhandle)
{
  return cwi_ma_next(__func__, ithandle, memhandle);
}

Boolean MA_verify_allocator_stuff(void)
{
  return cwi_ma_verify(__func__);
}

void MA_summarize_allocated_blocks(void)
{
  cwi_ma_list();
}

void MA_print_stats(Boolean printroutines)
{
  cwi_ma_count(printroutines != 0);
}

/* --- Sizes --- */

Integer MA_inquire_avail(Integer datatype)
{
  return cwi_ma_inquire_left(__func__, datatype);
}

Integer MA_inquire_heap(Integer datatype)
{
  return cwi_ma_inquire_heap(__func__, datatype, CWI_MA_WITHIN);
}

Integer MA_inquire_heap_check_stack(Integer datatype)
{
  return cwi_ma_inquire_heap(__func__, datatype, CWI_MA_CHECKED);
}

Integer MA_inquire_heap_no_partition(Integer datatype)
{
  return cwi_ma_inquire_heap(__func__, datatype, CWI_MA_NO_PARTITION);
}

Integer MA_inquire_stack(Integer datatype)
{
  return cwi_ma_inquire_stack(__func__, datatype, CWI_MA_WITHIN);
}

Integer MA_inquire_stack_check_heap(Integer datatype)
{
  return cwi_ma_inquire_stack(__func__, datatype, CWI_MA_CHECKED);
}

Integer MA_inquire_stack_no_partition(Integer datatype)
{
  return cwi_ma_inquire_stack(__func__, datatype, CWI_MA_NO_PARTITION);
}

Integer MA_sizeof(Integer datatype1, Integer nelem1, Integer datatype2)
{
  return cwi_ma_convert(__func__, datatype1, nelem1, datatype2);
}

Integer MA_sizeof_overhead(Integer datatype)
{
  return cwi_ma_overhead(__func__, datatype);
}

/* --- Switches --- */

Boolean MA_get_numalign(Integer *value)
{
  if (!cwi_ma_message(__func__, "value", value))
    return MA_FALSE;
  *value = cwi_ma_alignment();
  return MA_TRUE;
}

Boolean MA_set_numalign(Integer value)
{
  return cwi_ma_align(__func__, value);
}

Boolean MA_set_auto_verify(Boolean value)
{
  return cwi_ma_switch(CWI_MA_AUTO_VERIFY, value);
}

Boolean MA_set_error_print(Boolean value)
{
  return cwi_ma_switch(CWI_MA_ERROR_PRINT, value);
}

Boolean MA_set_hard_fail(Boolean value)
{
  return cwi_ma_switch(CWI_MA_HARD_FAIL, value);
}

void MA_trace(Boolean value)
{
  (void)cwi_ma_switch(CWI_MA_TRACE, value);
}

void MA_set_error_callback(void (*func)(const char *, int))
{
  cwi_ma_call_on_error(func);
}
