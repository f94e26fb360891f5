/* Checks that an array has the element type of the program's pointer. */
#include "array/array.h"
#include "team/collective_arguments.h"

#include <causeway/typed.h>

static cw_error expect(cw_array array, cw_type type)
{
  CWI_TRY(cwi_check_array("array", array));
  if (array->type == cwi_arithmetic_type(type))
    return CW_OK;
  CWI_TRY(cwi_check_array_type(type));
  return cwi_misuse("the elements of array '%s' are %s; the program's pointer is one to %s",
                    array->name, cwi_type_word(array->type), cwi_type_word(type));
}

cw_error cw_array_expect(cw_array array, cw_type type)
{
  return cwi_in_call("cw_array_expect", expect(array, type));
}
