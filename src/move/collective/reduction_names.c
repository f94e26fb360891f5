/* Names of reductions. The bindings of ARMCI and of Global Arrays use the same ones. */
#include "collective/reduction_names.h"

#include "number/number_type.h"
#include "number/reduction.h"

#include <string.h>

/* A name matches if it begins with one of these operators. */
static const struct {
  const char *name;
  cw_reduction reduction;
} operators[] = {
    {"+", CW_SUM},
    {"*", CW_PRODUCT},
    {"max", CW_MAXIMUM},
    {"min", CW_MINIMUM},
    {"absmax", CW_ABSOLUTE_MAXIMUM},
    {"absmin", CW_ABSOLUTE_MINIMUM},
    {"land", CW_LOGICAL_AND},
    {"&&", CW_LOGICAL_AND}, /* before "&" */
    {"lor", CW_LOGICAL_OR},
    {"||", CW_LOGICAL_OR}, /* before "|" */
    {"band", CW_BIT_AND},
    {"&", CW_BIT_AND},
    {"bor", CW_BIT_OR},
    {"or", CW_BIT_OR},
    {"|", CW_BIT_OR},
};

static cw_error operators_find(const char *op, cw_reduction *reduction)
{
  for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
    if (strncmp(op, operators[i].name, strlen(operators[i].name)) == 0) {
      *reduction = operators[i].reduction;
      return CW_OK;
    }
  return cwi_misuse("op is '%.20s'; it may be + * max min absmax absmin, and for integers land && "
                    "lor || band & bor or |",
                    op);
}

cw_error cwi_operator_find(const char *op, cw_type type, cw_reduction *reduction)
{
  struct cwi_reduction defined;
  CWI_TRY(cwi_check_not_null("op", op));
  CWI_TRY(operators_find(op, reduction));
  if ((unsigned)type < CW_TYPES && cwi_reduction_find(type, *reduction, &defined) != CW_OK)
    return cwi_misuse("op is '%.20s', which is not defined for %s", op, cwi_type_word(type));
  return CW_OK;
}
