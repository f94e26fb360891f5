/* Checks commands on the client side, with the facts about queue, memory and kernel that are known
 * there. A command is certain if the vendor will accept it; it is then sent without waiting for a
 * reply. Invalid transfers between the program and a device are rejected here, because their data
 * would be sent together with the command. */
#include "stub/stub_calls.h"

static bool is_buffer(const struct vocl_stub_memory *memory)
{
  return memory->type == CL_MEM_OBJECT_BUFFER;
}

/* Returns true if a sub-buffer starts at an offset that the device of the queue can use. */
static bool is_aligned(const struct vocl_stub_memory *memory, const struct vocl_stub_queue *queue)
{
  return memory->whole == NULL || queue->device->base_bytes == 0 ||
         memory->offset % queue->device->base_bytes == 0;
}

static bool is_within(const struct vocl_stub_memory *memory, size_t offset, size_t size)
{
  return size > 0 && size <= memory->size && offset <= memory->size - size;
}

/* Computes the end of a box with these pitches in *end. Returns false if the box is invalid. */
static bool box_end(const size_t *origin, const size_t *region, size_t row, size_t slice,
                    size_t *end)
{
  size_t lines = 0, planes = 0;
  if (region[0] == 0 || region[1] == 0 || region[2] == 0)
    return false;
  row = row != 0 ? row : region[0];
  if (row < region[0] || __builtin_mul_overflow(row, region[1], &lines))
    return false;
  slice = slice != 0 ? slice : lines;
  if (slice < lines || slice % row != 0 ||
      __builtin_add_overflow(origin[1], region[1] - 1, &lines) ||
      __builtin_mul_overflow(lines, row, &lines) ||
      __builtin_add_overflow(origin[2], region[2] - 1, &planes) ||
      __builtin_mul_overflow(planes, slice, &planes) ||
      __builtin_add_overflow(lines, planes, &lines) ||
      __builtin_add_overflow(lines, origin[0], &lines))
    return false;
  return !__builtin_add_overflow(lines, region[0], end);
}

static bool box_is_within(const struct vocl_stub_memory *memory, const struct vocl_command *c,
                          int side)
{
  size_t end = 0;
  return box_end(c->origin[side], c->region, c->row_pitch[side], c->slice_pitch[side], &end) &&
         end <= memory->size;
}

static bool image_has(const struct vocl_stub_memory *memory, const size_t *origin,
                      const size_t *region)
{
  const cl_image_desc *image = &memory->image;
  size_t sizes[3] = {image->image_width, 1, 1};
  switch (image->image_type) {
  case CL_MEM_OBJECT_IMAGE1D_ARRAY:
    sizes[1] = image->image_array_size;
    break;
  case CL_MEM_OBJECT_IMAGE2D_ARRAY:
    sizes[2] = image->image_array_size; /* fall through */
  case CL_MEM_OBJECT_IMAGE2D:
    sizes[1] = image->image_height;
    break;
  case CL_MEM_OBJECT_IMAGE3D:
    sizes[1] = image->image_height;
    sizes[2] = image->image_depth;
    break;
  default:
    break;
  }
  for (int i = 0; i < 3; i++)
    if (region[i] == 0 || region[i] > sizes[i] || origin[i] > sizes[i] - region[i])
      return false;
  return true;
}

/* --- transfers between the program and the device --- */

static cl_int check_buffer_data(const struct vocl_command *c, bool *is_certain)
{
  const struct vocl_stub_memory *memory = c->memory[0];
  size_t end = 0;
  if (!is_buffer(memory))
    return CL_INVALID_MEM_OBJECT;
  *is_certain = is_aligned(memory, c->queue);
  if (vocl_command_kind_of(c)->operands[0].form == VOCL_BOX)
    return box_is_within(memory, c, 0) &&
                   box_end(c->origin[1], c->region, c->row_pitch[1], c->slice_pitch[1], &end)
               ? CL_SUCCESS
               : CL_INVALID_VALUE;
  *is_certain = *is_certain && c->size > 0;
  return c->size == 0 ? c->offset[0] <= memory->size ? CL_SUCCESS : CL_INVALID_VALUE
         : is_within(memory, c->offset[0], c->size) ? CL_SUCCESS
                                                    : CL_INVALID_VALUE;
}

static cl_int check_image_data(const struct vocl_command *c)
{
  const struct vocl_stub_memory *memory = c->memory[0];
  if (!vocl_stub_memory_is_image(memory))
    return CL_INVALID_MEM_OBJECT;
  if (!image_has(memory, c->origin[0], c->region))
    return CL_INVALID_VALUE;
  const size_t row = c->row_pitch[1] != 0 ? c->row_pitch[1] : c->region[0] * memory->element;
  const bool is_flat = memory->type != CL_MEM_OBJECT_IMAGE3D &&
                       memory->type != CL_MEM_OBJECT_IMAGE2D_ARRAY &&
                       memory->type != CL_MEM_OBJECT_IMAGE1D_ARRAY;
  if (row < c->region[0] * memory->element ||
      (c->slice_pitch[1] != 0 && (is_flat || c->slice_pitch[1] < row)))
    return CL_INVALID_VALUE;
  return CL_SUCCESS;
}

/* --- commands on the device --- */

/* Returns true if the vendor accepts the part of memory[side] that the command uses. */
static bool side_is_certain(const struct vocl_command *c, int side)
{
  const enum vocl_operand_form form = vocl_command_kind_of(c)->operands[side].form;
  const struct vocl_stub_memory *memory = c->memory[side], *other = c->memory[!side];
  if (form == VOCL_NO_MEMORY)
    return true;
  if (form == VOCL_PIXELS)
    return vocl_stub_memory_is_image(memory) && image_has(memory, c->origin[side], c->region);
  if (!is_buffer(memory) || !is_aligned(memory, c->queue))
    return false;
  if (form == VOCL_BOX)
    return box_is_within(memory, c, side);
  return is_within(
      memory, c->offset[side],
      form == VOCL_RANGE ? c->size : c->region[0] * c->region[1] * c->region[2] * other->element);
}

/* Returns true if the vendor accepts the source and the destination of a copy together. */
static bool pair_is_certain(const struct vocl_stub_memory *source,
                            const struct vocl_stub_memory *target)
{
  const struct vocl_stub_memory *whole = source->whole != NULL ? source->whole : source;
  if (is_buffer(source) != is_buffer(target))
    return true;
  if (is_buffer(source))
    return whole != target && whole != target->whole;
  return source != target &&
         source->format.image_channel_order == target->format.image_channel_order &&
         source->format.image_channel_data_type == target->format.image_channel_data_type;
}

/* Returns true if the vendor accepts the fill of `memory`. Proxies reject fills of an image of a
 * buffer, which would crash PoCL. */
static bool fill_is_certain(const struct vocl_command *c, const struct vocl_stub_memory *memory)
{
  if (!is_buffer(memory))
    return memory->type != CL_MEM_OBJECT_IMAGE1D_BUFFER;
  return (c->pattern_size & (c->pattern_size - 1)) == 0 && c->offset[0] % c->pattern_size == 0 &&
         c->size % c->pattern_size == 0;
}

/* --- launches --- */

static const struct vocl_group_facts *groups_on(const struct vocl_stub_kernel *kernel,
                                                const struct vocl_stub_device *device)
{
  const struct vocl_stub_program *program = kernel->program;
  for (cl_uint i = 0; i < program->device_count && i < kernel->facts->device_count; i++)
    if (program->devices[i] == device)
      return kernel->facts->groups[i].known ? &kernel->facts->groups[i] : NULL;
  return NULL;
}

/* Returns true if all arguments are set, the objects that they refer to exist, and the device
 * has enough local memory. */
static bool arguments_are_certain(const struct vocl_stub_kernel *kernel,
                                  const struct vocl_group_facts *groups,
                                  const struct vocl_stub_device *device)
{
  cl_ulong local = groups->local_bytes;
  for (cl_uint i = 0; i < kernel->facts->count; i++) {
    const struct vocl_set_argument *argument = &kernel->arguments[i];
    if (!argument->is_set)
      return false;
    if (argument->kind == VOCL_ARGUMENT_LOCAL)
      local += argument->size;
    if (!vocl_stub_argument_is_alive(kernel->stub.session, argument))
      return false;
  }
  return local <= device->local_bytes;
}

static bool sizes_are_certain(const struct vocl_command *c, const struct vocl_group_facts *groups,
                              const struct vocl_stub_device *device)
{
  const bool is_wanted = groups->wanted[0] != 0;
  size_t all = 1;
  if (c->count < 1 || c->count > 3 || c->count > device->dimensions || c->global_size == NULL ||
      (is_wanted && c->local_size == NULL))
    return false;
  for (cl_uint i = 0; i < c->count; i++) {
    const size_t local = c->local_size != NULL ? c->local_size[i] : 1;
    const size_t offset = c->global_offset != NULL ? c->global_offset[i] : 0;
    if (c->global_size[i] == 0 || local == 0 || local > device->most_items[i] ||
        c->global_size[i] % local != 0 || (is_wanted && local != groups->wanted[i]) ||
        (c->global_size[i] | offset) >> 31 != 0)
      return false;
    all *= local;
  }
  return all <= groups->most && all <= device->group;
}

/* Returns true if the kernel can run as a single work item. */
static bool task_is_certain(const struct vocl_group_facts *groups)
{
  return groups->wanted[0] == 0 ||
         (groups->wanted[0] == 1 && groups->wanted[1] == 1 && groups->wanted[2] == 1);
}

static bool is_certain_launch(const struct vocl_command *c)
{
  const struct vocl_stub_queue *queue = c->queue;
  const struct vocl_stub_kernel *kernel = c->kernel;
  const struct vocl_group_facts *groups = groups_on(kernel, queue->device);
  return groups != NULL && arguments_are_certain(kernel, groups, queue->device) &&
         (c->sort == VOCL_COMMAND_TASK ? task_is_certain(groups)
                                       : sizes_are_certain(c, groups, queue->device));
}

cl_int vocl_stub_command_check(const struct vocl_command *c, bool *is_certain)
{
  const cl_bitfield known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
  *is_certain = true;
  if (vocl_command_reads(c) || vocl_command_writes(c))
    return vocl_command_kind_of(c)->operands[0].form == VOCL_PIXELS
               ? check_image_data(c)
               : check_buffer_data(c, is_certain);
  if (c->pattern != NULL && (c->pattern_size == 0 || c->pattern_size > VOCL_MOST_PATTERN))
    return CL_INVALID_VALUE;
  *is_certain = side_is_certain(c, 0) && side_is_certain(c, 1) &&
                (c->memory[1] == NULL || pair_is_certain(c->memory[0], c->memory[1])) &&
                (c->pattern == NULL || fill_is_certain(c, c->memory[0])) &&
                (c->kernel == NULL || is_certain_launch(c)) &&
                (c->object_count == 0 || (c->flags & ~known) == 0);
  return CL_SUCCESS;
}
