/* What a command reads and writes, for whoever must know where that is valid.
 *
 * command_execute.c   commands as the program puts them into queues: they go, or are kept at home
 * command_operands.c  what each sort of command reads and writes
 * command_prepare.c   where memory is valid
 * command_submit.c    a command goes to the executor of its location
 * deferred_command.c  commands that are kept at home
 * deferred_submit.c   kept commands leave home
 * replica_transfer.c  what memory holds goes from location to location */
#ifndef VOCL_COMMAND_COMMAND_OPERANDS_H
#define VOCL_COMMAND_COMMAND_OPERANDS_H

#include "replica/replicated.h"

/* Bytes of a buffer, or all rows of an image. */
struct vocl_operand {
  struct vocl_replicated_memory *root;
  size_t from, to;
  bool reads; /* it needs what was there, be it because it does not write all of it */
  bool writes;
};

/* Few have room of their own. */
struct vocl_command_operands {
  size_t count;
  struct vocl_operand *each;
  struct vocl_operand few[4];
};

/* arguments: of a launch, if they are not its kernel's. False: no memory. */
bool vocl_operands_begin(struct vocl_command_operands *operands, const struct vocl_command *command,
                         const struct vocl_replicated_argument *arguments);
void vocl_operands_end(struct vocl_command_operands *operands);
#endif
