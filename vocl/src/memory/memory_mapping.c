/* Mappings. Mapped memory is on the client side. A map command reads the contents from the location
 * of its queue. An unmap command writes them back to the location of its own queue. All mappings of
 * a buffer or an image share one shadow, so that they are consistent. */
#include "memory/memory_contents.h"

#include <stdlib.h>
#include <string.h>

/* Returns the memory whose shadow is used: the whole buffer for a sub-buffer. */
static struct vocl_replicated_memory *shadow_of(struct vocl_replicated_memory *memory)
{
  return memory->whole != NULL && !vocl_memory_is_image(memory) ? memory->whole : memory;
}

/* Returns the client-side address of the memory's first byte, or NULL. */
static char *mapped_base(struct vocl_replicated_memory *memory)
{
  struct vocl_replicated_memory *holder = shadow_of(memory);
  if (memory->host != NULL)
    return memory->host;
  char *shadow = vocl_memory_shadow(holder);
  return shadow != NULL ? shadow + (holder != memory ? memory->offset : 0) : NULL;
}

/* Replaces the command by a marker, because no data is transferred. The command still has its
 * event and its position in an in-order queue. */
static void becomes_marker(struct vocl_command *c)
{
  const struct vocl_command marker = {.sort = VOCL_COMMAND_MARKER,
                                      .blocking = c->blocking,
                                      .queue = c->queue,
                                      .host = c->host,
                                      .flags = VOCL_WAITS_FOR_LIST,
                                      .wait_count = c->wait_count,
                                      .waits = c->waits,
                                      .event = c->event};
  *c = marker;
}

/* --- what may be mapped --- */

static bool region_is_within(const struct vocl_replicated_memory *memory,
                             const struct vocl_command *c)
{
  const cl_image_desc *image = &memory->image;
  const size_t sizes[3] = {image->image_width, vocl_image_rows(image), vocl_image_slices(image)};
  if (c->sort == VOCL_COMMAND_MAP)
    return c->size > 0 && c->size <= memory->size && c->offset[0] <= memory->size - c->size;
  for (int i = 0; i < 3; i++)
    if (c->region[i] == 0 || c->region[i] > sizes[i] || c->origin[0][i] > sizes[i] - c->region[i])
      return false;
  return true;
}

static cl_int map_check(const struct vocl_command *c)
{
  const struct vocl_replicated_memory *memory = c->memory[0];
  const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
  const bool writes = (c->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0;
  if (vocl_memory_is_image(memory) == (c->sort == VOCL_COMMAND_MAP))
    return CL_INVALID_MEM_OBJECT;
  if ((c->flags & ~known) != 0 || !region_is_within(memory, c))
    return CL_INVALID_VALUE;
  return vocl_memory_check_host_access(memory, (c->flags & CL_MAP_READ) != 0, writes);
}

/* --- mapping --- */

static char *map_place(const struct vocl_command *c, const struct vocl_replicated_memory *memory,
                       char *base)
{
  if (c->sort == VOCL_COMMAND_MAP)
    return base + c->offset[0];
  const size_t *origin = c->origin[0];
  return base + origin[2] * memory->slice_pitch + origin[1] * memory->row_pitch +
         origin[0] * memory->element;
}

/* Stores the pitches for the program. Returns CL_INVALID_VALUE if the program does not want the row
 * pitch, or the slice pitch of an image that has slices. */
static cl_int give_pitches(const struct vocl_command *c,
                           const struct vocl_replicated_memory *memory)
{
  const cl_mem_object_type type = memory->image.image_type;
  const bool has_slices = type == CL_MEM_OBJECT_IMAGE3D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
                          type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  if (c->pitches[0] == NULL || (has_slices && c->pitches[1] == NULL))
    return CL_INVALID_VALUE;
  *c->pitches[0] = memory->row_pitch;
  if (c->pitches[1] != NULL)
    *c->pitches[1] = type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? memory->row_pitch
                     : has_slices                        ? memory->slice_pitch
                                                         : 0;
  return CL_SUCCESS;
}

/* Sets the pitches of the program's memory as read and write commands expect them: for these, the
 * layers of a 1D array are slices. */
static void take_pitches(struct vocl_command *c, const struct vocl_replicated_memory *memory)
{
  const bool is_lines = memory->image.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  const bool is_flat = memory->image.image_type == CL_MEM_OBJECT_IMAGE2D ||
                       memory->image.image_type == CL_MEM_OBJECT_IMAGE1D ||
                       memory->image.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
  c->row_pitch[1] = memory->row_pitch;
  c->slice_pitch[1] = is_flat ? 0 : is_lines ? memory->row_pitch : memory->slice_pitch;
}

static void map_describe(const struct vocl_command *c, struct vocl_mapping *map)
{
  map->flags = c->flags;
  map->offset = c->offset[0];
  map->size = c->size;
  for (int i = 0; i < 3 && c->sort == VOCL_COMMAND_MAP_IMAGE; i++) {
    map->origin[i] = c->origin[0][i];
    map->region[i] = c->region[i];
  }
}

/* Adds the mapping to the memory and sets c->host to its address. */
static cl_int map_add(struct vocl_command *c)
{
  struct vocl_replicated_memory *memory = c->memory[0];
  struct vocl_mapping *map = calloc(1, sizeof *map);
  if (map == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  map_describe(c, map);
  vocl_context_lock(memory->replicated.context);
  char *base = mapped_base(memory);
  if (base != NULL) {
    c->host = map->address = map_place(c, memory, base);
    map->next = memory->maps;
    memory->maps = map;
    memory->map_count++;
  }
  vocl_context_unlock(memory->replicated.context);
  if (base != NULL) {
    vocl_memory_wait_for_vendors(shadow_of(memory));
    return CL_SUCCESS;
  }
  free(map);
  return CL_OUT_OF_HOST_MEMORY;
}

cl_int vocl_map_begin(struct vocl_command *c)
{
  const struct vocl_replicated_memory *memory = c->memory[0];
  const bool reads = (c->flags & CL_MAP_WRITE_INVALIDATE_REGION) == 0;
  cl_int code = map_check(c);
  if (code == CL_SUCCESS && c->sort == VOCL_COMMAND_MAP_IMAGE)
    code = give_pitches(c, memory);
  if (code == CL_SUCCESS)
    code = map_add(c);
  if (code != CL_SUCCESS)
    return code;
  if (!reads) {
    becomes_marker(c);
    return CL_SUCCESS;
  }
  c->flags = 0;
  if (vocl_memory_is_image(memory))
    take_pitches(c, memory);
  c->sort = c->sort == VOCL_COMMAND_MAP ? VOCL_COMMAND_READ : VOCL_COMMAND_READ_IMAGE;
  return CL_SUCCESS;
}

/* Removes and returns the mapping at `address`, or NULL. */
static struct vocl_mapping *map_take(struct vocl_replicated_memory *memory, const void *address)
{
  vocl_context_lock(memory->replicated.context);
  struct vocl_mapping **each = &memory->maps;
  while (*each != NULL && (*each)->address != address)
    each = &(*each)->next;
  struct vocl_mapping *map = *each;
  if (map != NULL) {
    *each = map->next;
    memory->map_count--;
  }
  vocl_context_unlock(memory->replicated.context);
  return map;
}

cl_int vocl_map_end(struct vocl_command *c, size_t box[2][3])
{
  struct vocl_replicated_memory *memory = c->memory[0];
  struct vocl_mapping *map = map_take(memory, c->host);
  if (map == NULL)
    return CL_INVALID_VALUE;
  if ((map->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) == 0) {
    becomes_marker(c);
  } else if (vocl_memory_is_image(memory)) {
    memcpy(box[0], map->origin, sizeof map->origin);
    memcpy(box[1], map->region, sizeof map->region);
    c->sort = VOCL_COMMAND_WRITE_IMAGE;
    c->origin[0] = box[0];
    c->region = box[1];
    take_pitches(c, memory);
  } else {
    c->sort = VOCL_COMMAND_WRITE;
    c->offset[0] = map->offset;
    c->size = map->size;
  }
  free(map);
  return CL_SUCCESS;
}

void vocl_map_undo(struct vocl_replicated_memory *memory, const void *address)
{
  free(map_take(memory, address));
}
