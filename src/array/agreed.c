/* Arrays as arguments of collective calls, in words. */
#include "array/agreed.h"

/* Arrays of a team are numbered as their memory: the same on all members. */
void cwi_write_array(const struct cwi_agreed *argument, struct cwi_words *words)
{
  const struct cwi_array *array = argument->what;
  if (array == NULL)
    cwi_words_add(words, "NULL");
  else
    cwi_words_add(words, "array '%.40s' (number %llu)", array->name,
                  (unsigned long long)array->region->key & 0xfffffff);
}

void cwi_write_element(const struct cwi_agreed *argument, struct cwi_words *words)
{
  const struct cwi_array *array = argument->by;
  cwi_words_element(words, array->type, array->element, argument->what);
}

void cwi_write_corner(const struct cwi_agreed *argument, struct cwi_words *words)
{
  const struct cwi_array *array = argument->by;
  const struct cwi_agreed indices =
      cwi_agreed_indices(argument->name, argument->what, (size_t)array->dimensions);
  cwi_write_indices(&indices, words);
}

void cwi_agreed_operand(const char *name, const cw_operand *operand, struct cwi_agreed *four)
{
  four[0] = cwi_agreed_array(name, operand->array);
  four[1] = cwi_agreed_corner("lo", name, operand->array, operand->lo);
  four[2] = cwi_agreed_corner("hi", name, operand->array, operand->hi);
  four[3] = cwi_agreed_truth("transposed", operand->transposed);
  four[3].of = name;
}
