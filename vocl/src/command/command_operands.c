/* Memory that each sort of command reads and writes. If the memory is not known exactly, it is
 * overestimated. */
#include "command/command_operands.h"
#include "memory/memory_contents.h"

#include <stdlib.h>

enum { MOST_ALIGNMENT = 4096 };

/* Returns true if a device might reject the sub-buffer because of its alignment. */
static bool might_be_misaligned(const struct vocl_replicated_memory *memory)
{
  return memory->whole != NULL && memory->offset % MOST_ALIGNMENT != 0;
}

/* Adds an operand: a range of `memory`. If the range is not inside the memory, all of the memory
 * counts. A rejected command writes nothing, so a command that might be rejected also needs the
 * old contents. */
static void operand_add(struct vocl_command_operands *operands,
                        struct vocl_replicated_memory *memory, size_t from, size_t bytes,
                        bool reads, bool writes)
{
  size_t offset = 0;
  struct vocl_replicated_memory *root = vocl_memory_root(memory, &offset);
  struct vocl_operand *operand = &operands->each[operands->count++];
  *operand = (struct vocl_operand){root, 0, vocl_memory_extent(root), true, writes};
  if (vocl_memory_is_image(root))
    return;
  const bool is_part = !vocl_memory_is_image(memory);
  operand->reads = reads || might_be_misaligned(memory);
  operand->from = offset;
  operand->to = offset + (is_part ? memory->size : memory->whole->size);
  if (is_part && from <= memory->size && bytes <= memory->size - from) {
    operand->from += from;
    operand->to = operand->from + bytes;
  } else if (writes) {
    operand->reads = true; /* the command may write less than the range, or nothing */
  }
}

static void add_all(struct vocl_command_operands *operands, struct vocl_replicated_memory *memory,
                    bool writes)
{
  operand_add(operands, memory, 0, memory->size, true, writes);
}

/* Adds the range from the first byte of a box to its last. */
static void add_box(struct vocl_command_operands *operands, const struct vocl_command *c, int side,
                    bool writes)
{
  const size_t *origin = c->origin[side], *region = c->region;
  const size_t row = c->row_pitch[side] != 0 ? c->row_pitch[side] : region[0];
  const size_t slice = c->slice_pitch[side] != 0 ? c->slice_pitch[side] : row * region[1];
  const size_t first = origin[2] * slice + origin[1] * row + origin[0];
  const size_t bytes = (region[2] - 1) * slice + (region[1] - 1) * row + region[0];
  operand_add(operands, c->memory[side], first, bytes, true, writes);
}

/* Returns the size of all pixels of a box, which a buffer holds without gaps. */
static size_t pixel_bytes(const struct vocl_command *c, const struct vocl_replicated_memory *image)
{
  return c->region[0] * c->region[1] * c->region[2] * image->element;
}

/* Returns true if the vendor accepts the pattern of a fill. */
static bool is_right_fill(const struct vocl_command *c)
{
  return c->pattern_size > 0 && c->pattern_size <= VOCL_MOST_PATTERN &&
         (c->pattern_size & (c->pattern_size - 1)) == 0 && c->offset[0] % c->pattern_size == 0 &&
         c->size % c->pattern_size == 0;
}

static bool share_a_root(const struct vocl_command *c)
{
  size_t offset = 0;
  return vocl_memory_root(c->memory[0], &offset) == vocl_memory_root(c->memory[1], &offset);
}

static bool is_right_source(const struct vocl_command *c)
{
  const struct vocl_replicated_memory *source = c->memory[0];
  return !vocl_memory_is_image(source) && !might_be_misaligned(source) && c->size > 0 &&
         c->offset[0] <= source->size && c->size <= source->size - c->offset[0];
}

/* Returns true if a command that writes a range certainly overwrites all of it. */
static bool overwrites(const struct vocl_command *c)
{
  return (c->pattern == NULL || is_right_fill(c)) &&
         (c->memory[1] == NULL || (is_right_source(c) && !share_a_root(c)));
}

/* Adds the operand memory[side] of the command. */
static void add_side(struct vocl_command_operands *operands, const struct vocl_command *c, int side)
{
  const struct vocl_operand_kind *kind = &vocl_command_kind_of(c)->operands[side];
  struct vocl_replicated_memory *memory = c->memory[side];
  switch (kind->form) {
  case VOCL_RANGE:
    operand_add(operands, memory, c->offset[side], c->size, !kind->is_written || !overwrites(c),
                kind->is_written);
    break;
  case VOCL_BOX:
    add_box(operands, c, side, kind->is_written);
    break;
  case VOCL_PACKED:
    operand_add(operands, memory, c->offset[side], pixel_bytes(c, c->memory[!side]), true,
                kind->is_written);
    break;
  case VOCL_PIXELS:
    add_all(operands, memory, kind->is_written);
    break;
  default: /* no memory; mappings have become reads and writes */
    break;
  }
}

static void add_launch(struct vocl_command_operands *operands, const struct vocl_command *c,
                       const struct vocl_replicated_argument *arguments)
{
  const struct vocl_replicated_kernel *kernel = c->kernel;
  for (cl_uint i = 0; i < kernel->count; i++) {
    struct vocl_replicated *object = arguments[i].object;
    if (object == NULL || object->kind != &vocl_replicated_memory_kind ||
        !vocl_argument_is_alive(&arguments[i]))
      continue;
    struct vocl_replicated_memory *memory = (struct vocl_replicated_memory *)object;
    add_all(operands, memory, !kernel->reads_only[i] && (memory->flags & CL_MEM_READ_ONLY) == 0);
  }
}

bool vocl_operands_begin(struct vocl_command_operands *operands, const struct vocl_command *c,
                         const struct vocl_replicated_argument *arguments)
{
  const struct vocl_replicated_kernel *kernel = c->kernel;
  const size_t most = (kernel != NULL ? kernel->count : 2) + c->object_count;
  const bool is_few = most <= sizeof operands->few / sizeof operands->few[0];
  operands->count = 0;
  operands->each = is_few ? operands->few : malloc(most * sizeof *operands->each);
  if (operands->each == NULL)
    return false;
  if (kernel != NULL)
    add_launch(operands, c, arguments != NULL ? arguments : kernel->arguments);
  for (int side = 0; side < 2; side++)
    add_side(operands, c, side);
  if ((c->flags & CL_MIGRATE_MEM_OBJECT_HOST) == 0)
    for (cl_uint i = 0; i < c->object_count; i++)
      add_all(operands, c->objects[i], false);
  return true;
}

void vocl_operands_end(struct vocl_command_operands *operands)
{
  if (operands->each != operands->few)
    free(operands->each);
}
