/* Memory that a command reads and writes. It determines which data must be valid at the command's
 * location. */
#pragma once

#include "program/replicated_program.h"

/* A range of bytes of a buffer, or all rows of an image. */
struct vocl_operand {
  struct vocl_replicated_memory *root;
  size_t from, to;
  bool reads; /* true if the command needs the old contents, or may not write all of the range */
  bool writes;
};

/* The list of operands; `few` avoids an allocation for short ones. */
struct vocl_command_operands {
  size_t count;
  struct vocl_operand *each;
  struct vocl_operand few[4];
};

/* Fills the list. `arguments` are the arguments of a launch; if NULL, its kernel's present
 * arguments are used. Returns false if there is no memory. */
bool vocl_operands_begin(struct vocl_command_operands *operands, const struct vocl_command *command,
                         const struct vocl_replicated_argument *arguments);
void vocl_operands_end(struct vocl_command_operands *operands);
