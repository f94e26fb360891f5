/* Memory that a command reads and writes, which decides where data must be valid.
 *
 * command_execute.c   submits or defers the commands that programs enqueue
 * command_operands.c  memory that each sort of command reads and writes
 * command_prepare.c   makes the operands of a command valid at its location
 * command_submit.c    submits a command to the executor of its location
 * deferred_command.c  commands that are deferred on the client side
 * deferred_submit.c   submits deferred commands
 * replica_transfer.c  transfers of memory between locations */
#ifndef VOCL_COMMAND_COMMAND_OPERANDS_H
#define VOCL_COMMAND_COMMAND_OPERANDS_H

#include "replica/replicated.h"

/* A range of bytes of a buffer, or all rows of an image. */
struct vocl_operand {
  struct vocl_replicated_memory *root;
  size_t from, to;
  bool reads; /* it needs the old contents, possibly because it does not write all of the range */
  bool writes;
};

/* The list of operands; `few` avoids an allocation for short ones. */
struct vocl_command_operands {
  size_t count;
  struct vocl_operand *each;
  struct vocl_operand few[4];
};

/* Fills the list. `arguments` are those of a launch, if they are not its kernel's. Returns false
 * if there is no memory. */
bool vocl_operands_begin(struct vocl_command_operands *operands, const struct vocl_command *command,
                         const struct vocl_replicated_argument *arguments);
void vocl_operands_end(struct vocl_command_operands *operands);
#endif
