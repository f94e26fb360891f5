/* What a command reads and writes, for whoever must know where that is valid. */
#ifndef CWI_SITES_OPERANDS_H
#define CWI_SITES_OPERANDS_H

#include "sites/site.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a buffer, or all rows of an image. */
struct cwi_operand {
  struct cwi_sited_memory *root;
  size_t from, to;
  bool reads; /* it needs what was there, be it because it does not write all of it */
  bool writes;
};

/* Few have room of their own. */
struct cwi_command_operands {
  size_t count;
  struct cwi_operand *each;
  struct cwi_operand few[4];
};

/* arguments: of a launch, if they are not its kernel's. False: no memory. */
bool cwi_operands_begin(struct cwi_command_operands *operands, const struct cwi_command *command,
                        const struct cwi_sited_argument *arguments);
void cwi_operands_end(struct cwi_command_operands *operands);

#ifdef __cplusplus
}
#endif
#endif
