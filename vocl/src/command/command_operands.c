/* Memory that each sort of command reads and writes. It is overestimated if it is not known
 * exactly. */
#include "command/command_operands.h"

#include <stdlib.h>

enum { MOST_PATTERN = 128, MOST_ALIGNMENT = 4096 };

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
    operand->reads = true; /* it may write less than that, or nothing */
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

static bool is_right_fill(const struct vocl_command *c)
{
  return c->pattern_size > 0 && c->pattern_size <= MOST_PATTERN &&
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

static void add_images(struct vocl_command_operands *operands, const struct vocl_command *c)
{
  struct vocl_replicated_memory *source = c->memory[0], *target = c->memory[1];
  switch (c->sort) {
  case VOCL_COMMAND_READ_IMAGE:
    add_all(operands, source, false);
    break;
  case VOCL_COMMAND_COPY_IMAGE:
    add_all(operands, source, false);
    add_all(operands, target, true);
    break;
  case VOCL_COMMAND_IMAGE_TO_BUFFER:
    add_all(operands, source, false);
    operand_add(operands, target, c->offset[1], pixel_bytes(c, source), true, true);
    break;
  case VOCL_COMMAND_BUFFER_TO_IMAGE:
    operand_add(operands, source, c->offset[0], pixel_bytes(c, target), true, false);
    add_all(operands, target, true);
    break;
  default: /* writes to an image, and fills */
    add_all(operands, source, true);
    break;
  }
}

static void add_buffers(struct vocl_command_operands *operands, const struct vocl_command *c)
{
  switch (c->sort) {
  case VOCL_COMMAND_READ:
    operand_add(operands, c->memory[0], c->offset[0], c->size, true, false);
    break;
  case VOCL_COMMAND_WRITE:
    operand_add(operands, c->memory[0], c->offset[0], c->size, false, true);
    break;
  case VOCL_COMMAND_FILL:
    operand_add(operands, c->memory[0], c->offset[0], c->size, !is_right_fill(c), true);
    break;
  case VOCL_COMMAND_COPY:
    operand_add(operands, c->memory[0], c->offset[0], c->size, true, false);
    operand_add(operands, c->memory[1], c->offset[1], c->size,
                share_a_root(c) || !is_right_source(c), true);
    break;
  case VOCL_COMMAND_COPY_RECT:
    add_box(operands, c, 0, false);
    add_box(operands, c, 1, true);
    break;
  default:
    add_box(operands, c, 0, c->sort == VOCL_COMMAND_WRITE_RECT);
    break;
  }
}

bool vocl_operands_begin(struct vocl_command_operands *operands, const struct vocl_command *c,
                         const struct vocl_replicated_argument *arguments)
{
  const struct vocl_replicated_kernel *kernel = c->kernel;
  const size_t most = kernel != NULL                    ? kernel->count
                      : c->sort == VOCL_COMMAND_MIGRATE ? c->count
                                                        : 2;
  const bool is_few = most <= sizeof operands->few / sizeof operands->few[0];
  operands->count = 0;
  operands->each = is_few ? operands->few : malloc(most * sizeof *operands->each);
  if (operands->each == NULL)
    return false;
  if (kernel != NULL)
    add_launch(operands, c, arguments != NULL ? arguments : kernel->arguments);
  else if (c->sort <= VOCL_COMMAND_FILL)
    add_buffers(operands, c);
  else if (c->sort <= VOCL_COMMAND_BUFFER_TO_IMAGE)
    add_images(operands, c);
  else if (c->sort == VOCL_COMMAND_MIGRATE && (c->flags & CL_MIGRATE_MEM_OBJECT_HOST) == 0)
    for (cl_uint i = 0; i < c->count; i++)
      add_all(operands, c->objects[i], false);
  return true;
}

void vocl_operands_end(struct vocl_command_operands *operands)
{
  if (operands->each != operands->few)
    free(operands->each);
}
