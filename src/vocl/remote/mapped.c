/* Maps: what is mapped is memory at home, read when it is mapped and written back when it is
 * unmapped. All maps of a buffer or an image lie in one shadow of it, so that they agree. */
#include "remote/session.h"

#include <stdlib.h>
#include <string.h>

enum { SHADOW_ALIGNMENT = 4096 };

/* Whose shadow a memory uses: a part of a buffer has the whole one's. */
static struct cwi_far_memory *shadow_of(struct cwi_far_memory *memory)
{
  return memory->whole != NULL && !cwi_is_image(memory) ? memory->whole : memory;
}

/* The memory at home of its first byte; NULL: there is none. */
static char *mapped_base(struct cwi_far_memory *memory)
{
  struct cwi_far_memory *holder = shadow_of(memory);
  if (memory->host != NULL)
    return memory->host;
  if (holder->shadow == NULL) {
    void *shadow = NULL;
    const size_t bytes =
        cwi_is_image(holder) ? holder->slice_pitch * holder->image.image_depth : holder->size;
    if (posix_memalign(&shadow, SHADOW_ALIGNMENT, bytes) != 0)
      return NULL;
    holder->shadow = shadow;
  }
  return holder->shadow + (holder != memory ? memory->offset : 0);
}

/* Nothing of the memory travels: the command is there for its event and its place in the queue. */
static void becomes_marker(struct cwi_command *c)
{
  const struct cwi_command marker = {.sort = CWI_COMMAND_MARKER,
                                     .blocking = c->blocking,
                                     .queue = c->queue,
                                     .host = c->host,
                                     .wait_count = c->wait_count,
                                     .waits = c->waits};
  *c = marker;
}

static char *map_place(const struct cwi_command *c, const struct cwi_far_memory *memory, char *base)
{
  if (c->sort == CWI_COMMAND_MAP)
    return base + c->offset[0];
  const size_t *origin = c->origin[0];
  return base + origin[2] * memory->slice_pitch + origin[1] * memory->row_pitch +
         origin[0] * memory->element;
}

/* The pitches that the program must know: it has to ask for those of rows, and for those of slices
 * where there are any. */
static cl_int give_pitches(const struct cwi_command *c, const struct cwi_far_memory *memory)
{
  const bool has_slices = memory->type == CL_MEM_OBJECT_IMAGE3D ||
                          memory->type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
                          memory->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  if (c->pitches[0] == NULL || (has_slices && c->pitches[1] == NULL))
    return CL_INVALID_VALUE;
  *c->pitches[0] = memory->row_pitch;
  if (c->pitches[1] != NULL)
    *c->pitches[1] = memory->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? memory->row_pitch
                     : has_slices                                ? memory->slice_pitch
                                                                 : 0;
  return CL_SUCCESS;
}

static void use_shadow(struct cwi_far_event *event, struct cwi_far_memory *memory)
{
  event->shadow = shadow_of(memory);
  cwi_far_hold(event->shadow);
}

cl_int cwi_map_begin(struct cwi_command *c, struct cwi_far_event *event)
{
  struct cwi_far_memory *memory = c->memory[0];
  const bool reads = (c->flags & CL_MAP_WRITE_INVALIDATE_REGION) == 0;
  if (c->sort == CWI_COMMAND_MAP_IMAGE && give_pitches(c, memory) != CL_SUCCESS)
    return CL_INVALID_VALUE;
  struct cwi_mapping *map = calloc(1, sizeof *map);
  char *base = map != NULL ? mapped_base(memory) : NULL;
  if (base == NULL) {
    free(map);
    return CL_OUT_OF_HOST_MEMORY;
  }
  map->address = map_place(c, memory, base);
  map->flags = c->flags;
  map->offset = c->offset[0];
  map->size = c->size;
  for (int i = 0; i < 3 && c->sort == CWI_COMMAND_MAP_IMAGE; i++) {
    map->origin[i] = c->origin[0][i];
    map->region[i] = c->region[i];
  }
  map->next = memory->maps;
  memory->maps = map;
  memory->map_count++;
  shadow_of(memory)->shadow_users++;
  c->host = map->address;
  if (!reads) {
    becomes_marker(c);
    return CL_SUCCESS;
  }
  c->flags = 0;
  c->row_pitch[1] = cwi_is_image(memory) ? memory->row_pitch : 0;
  c->slice_pitch[1] = cwi_is_image(memory) ? memory->slice_pitch : 0;
  c->sort = c->sort == CWI_COMMAND_MAP ? CWI_COMMAND_READ : CWI_COMMAND_READ_IMAGE;
  shadow_of(memory)->shadow_users++;
  use_shadow(event, memory);
  return CL_SUCCESS;
}

static struct cwi_mapping **map_find(struct cwi_far_memory *memory, const void *address)
{
  struct cwi_mapping **each = &memory->maps;
  while (*each != NULL && (*each)->address != address)
    each = &(*each)->next;
  return each;
}

/* The event takes the map's use of the shadow over. */
cl_int cwi_map_end(struct cwi_command *c, struct cwi_far_event *event)
{
  struct cwi_far_memory *memory = c->memory[0];
  struct cwi_mapping **place = map_find(memory, c->host);
  struct cwi_mapping *map = *place;
  if (map == NULL)
    return CL_INVALID_VALUE;
  *place = map->next;
  memory->map_count--;
  use_shadow(event, memory);
  if ((map->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) == 0) {
    becomes_marker(c);
    free(map);
    return CL_SUCCESS;
  }
  if (cwi_is_image(memory)) {
    memcpy(event->box[0], map->origin, sizeof map->origin);
    memcpy(event->box[1], map->region, sizeof map->region);
    c->sort = CWI_COMMAND_WRITE_IMAGE;
    c->origin[0] = event->box[0];
    c->region = event->box[1];
    c->row_pitch[1] = memory->row_pitch;
    c->slice_pitch[1] = memory->slice_pitch;
  } else {
    c->sort = CWI_COMMAND_WRITE;
    c->offset[0] = map->offset;
    c->size = map->size;
  }
  free(map);
  return CL_SUCCESS;
}

void cwi_map_undo(struct cwi_far_memory *memory, const void *address)
{
  struct cwi_mapping **place = map_find(memory, address);
  struct cwi_mapping *map = *place;
  *place = map->next;
  memory->map_count--;
  cwi_shadow_leave(shadow_of(memory));
  free(map);
}
