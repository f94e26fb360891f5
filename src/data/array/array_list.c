/* A list of arrays as an argument that has to be the same on all members. */
#include "array/array_arguments.h"

void cwi_write_arrays(const struct cwi_argument *argument, struct cwi_words *words)
{
  const cw_array *arrays = argument->what;
  for (size_t i = 0; i < argument->count; i++) {
    const struct cwi_argument array = cwi_agreed_array("array", arrays[i]);
    cwi_words_add(words, i > 0 ? ", " : "");
    if (cwi_is_array(arrays[i]))
      cwi_write_array(&array, words);
  }
}
