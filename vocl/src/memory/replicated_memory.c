/* Buffers, sub-buffers and images. */
#include "memory/memory_contents.h"

#include <stdlib.h>

static const cl_mem_flags access_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
static const cl_mem_flags host_flags =
    CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
static const cl_mem_flags contents_flags = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;
static const cl_mem_flags place_flags =
    CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

enum { SHADOW_ALIGNMENT = 4096 };

/* --- flags --- */

static bool at_most_one(cl_mem_flags flags)
{
  return (flags & (flags - 1)) == 0;
}

static cl_int check_flags(cl_mem_flags flags)
{
  return (flags & ~(access_flags | host_flags | place_flags)) != 0 ||
                 !at_most_one(flags & access_flags) || !at_most_one(flags & host_flags) ||
                 ((flags & CL_MEM_USE_HOST_PTR) != 0 && !at_most_one(flags & place_flags))
             ? CL_INVALID_VALUE
             : CL_SUCCESS;
}

static cl_int check_contents(cl_mem_flags flags, const void *host)
{
  return ((flags & contents_flags) != 0) == (host != NULL) ? CL_SUCCESS : CL_INVALID_HOST_PTR;
}

/* Returns the flags for replicas. The program's memory is used when a replica is made and for
 * mappings, not by the replica itself. Host access flags are checked on the client side, because
 * replicas are also read and written by transfers. */
static cl_mem_flags copy_flags(cl_mem_flags flags, const void *host)
{
  flags &= ~(host_flags | contents_flags);
  return host != NULL ? flags | CL_MEM_COPY_HOST_PTR : flags;
}

/* Returns the flags of a sub-buffer. It inherits the access flags and the host flags unless it has
 * its own. */
static cl_mem_flags part_flags(cl_mem_flags own, cl_mem_flags whole)
{
  if ((own & access_flags) == 0)
    own |= whole & access_flags;
  if ((own & host_flags) == 0)
    own |= whole & host_flags;
  return own | (whole & place_flags);
}

/* Returns true if a sub-buffer has more host access than its buffer. Replicas do not have these
 * flags, so vendors cannot check this. */
static bool sees_more(cl_mem_flags own, cl_mem_flags whole)
{
  own &= host_flags;
  whole &= host_flags;
  return !at_most_one(own) ||
         (own != whole && own != 0 && whole != 0 && own != CL_MEM_HOST_NO_ACCESS);
}

cl_int vocl_memory_check_host_access(const struct vocl_replicated_memory *memory, bool reads,
                                     bool writes)
{
  if ((memory->flags & CL_MEM_HOST_NO_ACCESS) != 0 ||
      (reads && (memory->flags & CL_MEM_HOST_WRITE_ONLY) != 0) ||
      (writes && (memory->flags & CL_MEM_HOST_READ_ONLY) != 0))
    return CL_INVALID_OPERATION;
  return CL_SUCCESS;
}

struct vocl_replicated_memory *vocl_memory_root(struct vocl_replicated_memory *memory,
                                                size_t *offset)
{
  *offset = 0;
  for (; memory->whole != NULL; memory = memory->whole)
    *offset += memory->offset;
  return memory;
}

/* --- replicas --- */

static cl_int part_make_at(const struct vocl_replicated_memory *memory, uint32_t location,
                           void **replica)
{
  cl_int code = CL_SUCCESS;
  const struct vocl_making making = {.sort = VOCL_SUB_BUFFER,
                                     .parent = vocl_replica_get(memory->whole, location, &code),
                                     .flags = memory->given & ~host_flags,
                                     .size = memory->size,
                                     .offset = memory->offset};
  return code == CL_SUCCESS ? vocl_replica_make(&making, replica) : code;
}

/* Makes the memory at a location. `host` is the program's memory with the initial contents, or
 * NULL. */
static cl_int memory_make_at(const struct vocl_replicated_memory *memory, uint32_t location,
                             void *host, void **replica)
{
  cl_int code = CL_SUCCESS;
  cl_image_desc image = memory->image;
  struct vocl_making making = {.sort = memory->sort,
                               .parent =
                                   vocl_replica_get(memory->replicated.context, location, &code),
                               .flags = copy_flags(memory->given, host),
                               .size = memory->size,
                               .host = host,
                               .format = &memory->format,
                               .image = &image};
  if (host == NULL && memory->whole == NULL) /* the pitches describe initial contents */
    image.image_row_pitch = image.image_slice_pitch = 0;
  if (code == CL_SUCCESS && memory->whole != NULL)
    image.mem_object = vocl_replica_get(memory->whole, location, &code);
  return code == CL_SUCCESS ? vocl_replica_make(&making, replica) : code;
}

static cl_int memory_replica(struct vocl_replicated *replicated, uint32_t location, void **replica)
{
  struct vocl_replicated_memory *memory = (struct vocl_replicated_memory *)replicated;
  return memory->sort == VOCL_SUB_BUFFER ? part_make_at(memory, location, replica)
                                         : memory_make_at(memory, location, NULL, replica);
}

/* --- end --- */

static void deletion_leave(struct vocl_memory_deletion *deletion)
{
  if (deletion == NULL || __atomic_sub_fetch(&deletion->awaited, 1, __ATOMIC_ACQ_REL) > 0)
    return;
  while (deletion->deleted != NULL) {
    struct vocl_deleted_callback *deleted = deletion->deleted;
    deletion->deleted = deleted->next;
    deleted->function(NULL, deleted->data);
    free(deleted);
  }
  free(deletion->shadow);
  free(deletion);
}

static void CL_CALLBACK replica_is_deleted(cl_mem replica, void *deletion)
{
  (void)replica;
  deletion_leave(deletion);
}

/* Registers the deletion callback of a replica, once. The thread that makes the replica and the
 * one that adds a callback each check the other's work after their own, so that no replica is
 * missed. */
static void replica_wait_for(struct vocl_replicated *replicated, uint32_t location)
{
  const struct vocl_replicated_memory *memory = (const struct vocl_replicated_memory *)replicated;
  struct vocl_memory_deletion *deletion = __atomic_load_n(&memory->deletion, __ATOMIC_SEQ_CST);
  void *replica = __atomic_load_n(&replicated->replicas[location], __ATOMIC_SEQ_CST);
  if (deletion == NULL || replica == NULL ||
      (__atomic_fetch_or(&deletion->locations, 1u << location, __ATOMIC_ACQ_REL) >> location & 1) !=
          0)
    return;
  __atomic_fetch_add(&deletion->awaited, 1, __ATOMIC_ACQ_REL);
  if (vocl_replica_on_deleted(replica, replica_is_deleted, deletion) != CL_SUCCESS)
    deletion_leave(deletion);
}

void vocl_memory_wait_for_vendors(struct vocl_replicated_memory *memory)
{
  for (uint32_t location = 0; location < VOCL_LOCATIONS_MAX; location++) {
    const void *replica = vocl_replica_existing(memory, location);
    if (replica != NULL && !vocl_is_remote(replica))
      replica_wait_for(&memory->replicated, location);
  }
}

static void maps_free(struct vocl_replicated_memory *memory)
{
  while (memory->maps != NULL) {
    struct vocl_mapping *map = memory->maps;
    memory->maps = map->next;
    free(map);
  }
}

static bool is_awaited(const struct vocl_replicated_memory *memory)
{
  return memory->deletion != NULL &&
         __atomic_load_n(&memory->deletion->deleted, __ATOMIC_ACQUIRE) != NULL;
}

static bool memory_calls_program(const struct vocl_replicated *replicated)
{
  const struct vocl_replicated_memory *memory = (const struct vocl_replicated_memory *)replicated;
  return is_awaited(memory) || (memory->whole != NULL && is_awaited(memory->whole));
}

static void memory_finish(struct vocl_replicated *replicated)
{
  struct vocl_replicated_memory *memory = (struct vocl_replicated_memory *)replicated;
  maps_free(memory);
  vocl_contents_end(&memory->contents);
  deletion_leave(memory->deletion);
  vocl_replicated_unref(memory->whole);
}

static struct vocl_memory_deletion *deletion_of(struct vocl_replicated_memory *memory)
{
  struct vocl_memory_deletion *known = NULL;
  struct vocl_memory_deletion *deletion = calloc(1, sizeof *deletion);
  if (deletion == NULL)
    return NULL;
  deletion->awaited = 1;
  if (__atomic_compare_exchange_n(&memory->deletion, &known, deletion, false, __ATOMIC_SEQ_CST,
                                  __ATOMIC_SEQ_CST))
    return deletion;
  free(deletion);
  return known;
}

cl_int vocl_replicated_on_deleted(void *object, vocl_memory_callback function, void *data)
{
  struct vocl_replicated_memory *memory = object;
  struct vocl_deleted_callback *deleted = malloc(sizeof *deleted);
  struct vocl_memory_deletion *deletion = deleted != NULL ? deletion_of(memory) : NULL;
  if (deletion == NULL) {
    free(deleted);
    return CL_OUT_OF_HOST_MEMORY;
  }
  *deleted = (struct vocl_deleted_callback){deletion->deleted, function, data};
  while (!__atomic_compare_exchange_n(&deletion->deleted, &deleted->next, deleted, true,
                                      __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    ;
  for (uint32_t location = 0; location < VOCL_LOCATIONS_MAX; location++)
    replica_wait_for(&memory->replicated, location);
  return CL_SUCCESS;
}

void vocl_memory_drop_replica(struct vocl_replicated_memory *memory, uint32_t location)
{
  struct vocl_memory_deletion *deletion = __atomic_load_n(&memory->deletion, __ATOMIC_SEQ_CST);
  if (deletion != NULL)
    __atomic_fetch_and(&deletion->locations, ~(1u << location), __ATOMIC_ACQ_REL);
}

void vocl_memory_adopt_replica(struct vocl_replicated_memory *memory, uint32_t spare,
                               uint32_t location)
{
  struct vocl_memory_deletion *deletion = __atomic_load_n(&memory->deletion, __ATOMIC_SEQ_CST);
  if (deletion == NULL)
    return;
  const uint32_t locations = __atomic_load_n(&deletion->locations, __ATOMIC_ACQUIRE);
  const bool is_awaited = (locations >> spare & 1) != 0;
  const uint32_t others = locations & ~(1u << spare) & ~(1u << location);
  __atomic_store_n(&deletion->locations, others | (is_awaited ? 1u << location : 0),
                   __ATOMIC_RELEASE);
}

/* --- mapped memory --- */

static size_t shadow_bytes(const struct vocl_replicated_memory *memory)
{
  return vocl_memory_is_image(memory) ? memory->slice_pitch * vocl_image_slices(&memory->image)
                                      : memory->size;
}

char *vocl_memory_shadow(struct vocl_replicated_memory *memory)
{
  void *shadow = NULL;
  struct vocl_memory_deletion *deletion = deletion_of(memory);
  if (deletion == NULL || deletion->shadow != NULL)
    return deletion != NULL ? deletion->shadow : NULL;
  if (posix_memalign(&shadow, SHADOW_ALIGNMENT, shadow_bytes(memory)) != 0)
    return NULL;
  deletion->shadow = shadow;
  return shadow;
}

/* --- making --- */

const struct vocl_replicated_kind vocl_replicated_memory_kind = {
    .sort = VOCL_BUFFER,
    .bytes = sizeof(struct vocl_replicated_memory),
    .replica = memory_replica,
    .made = replica_wait_for,
    .calls_program = memory_calls_program,
    .end = memory_finish,
    .objects = &vocl_replicated_memory_list};

static struct vocl_replicated_memory *memory_allocate(const struct vocl_making *making,
                                                      struct vocl_replicated_context *context,
                                                      struct vocl_replicated_memory *whole)
{
  static uint64_t generations;
  struct vocl_replicated_memory *memory =
      vocl_replicated_new(&vocl_replicated_memory_kind, context);
  if (memory == NULL)
    return NULL;
  memory->generation = __atomic_add_fetch(&generations, 1, __ATOMIC_RELAXED);
  memory->whole = whole;
  if (whole != NULL)
    vocl_replicated_ref(whole);
  memory->sort = making->sort;
  memory->given = making->flags;
  memory->flags = making->flags != 0 ? making->flags : CL_MEM_READ_WRITE;
  if (whole != NULL)
    memory->flags = part_flags(making->flags, whole->flags);
  memory->size = making->size;
  memory->offset = making->offset;
  memory->host = (making->flags & CL_MEM_USE_HOST_PTR) != 0 ? making->host : NULL;
  return memory;
}

/* Returns true if the buffer certainly can be made. Its replicas are then made later, when they are
 * used. */
static bool is_certain(const struct vocl_replicated_memory *memory, const void *host)
{
  const struct vocl_replicated_context *context = memory->replicated.context;
  return context->location_count > 1 && memory->sort == VOCL_BUFFER && host == NULL &&
         memory->size <= context->most_allocated;
}

/* Makes the first replica, with the initial contents, at the first location that is available and
 * accepts the memory. Returns CL_SUCCESS or the error of the last attempt. */
static cl_int memory_make_first(struct vocl_replicated_memory *memory, void *host, uint32_t *valid)
{
  const struct vocl_replicated_context *context = memory->replicated.context;
  cl_int code = CL_DEVICE_NOT_AVAILABLE;
  uint32_t locations = vocl_locations_alive(context, vocl_context_locations(context));
  for (; locations != 0; locations &= locations - 1) {
    const uint32_t location = (uint32_t)__builtin_ctz(locations);
    *valid = host != NULL ? 1u << location : 0;
    code = memory_make_at(memory, location, host, &memory->replicated.replicas[location]);
    if (code != CL_DEVICE_NOT_AVAILABLE && code != CL_IMAGE_FORMAT_NOT_SUPPORTED)
      break;
  }
  return code;
}

static cl_int memory_make(struct vocl_replicated_memory *memory, void *host, void **object)
{
  cl_int code = CL_SUCCESS;
  uint32_t valid = 0;
  *object = memory;
  if (!is_certain(memory, host))
    code = memory_make_first(memory, host, &valid);
  if (code == CL_SUCCESS && memory->whole == NULL &&
      memory->replicated.context->location_count > 1 &&
      !vocl_contents_begin(&memory->contents, vocl_memory_extent(memory), valid))
    code = CL_OUT_OF_HOST_MEMORY;
  return vocl_replicas_make(code, 0, object);
}

/* --- images --- */

size_t vocl_memory_extent(const struct vocl_replicated_memory *memory)
{
  return vocl_memory_is_image(memory)
             ? vocl_image_rows(&memory->image) * vocl_image_slices(&memory->image)
             : memory->size;
}

/* Sets the pitches for mappings: those of the program's memory if the image uses it, otherwise
 * without gaps. */
static void image_lay(struct vocl_replicated_memory *memory)
{
  const cl_image_desc *image = &memory->image;
  const bool is_lines = image->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  const size_t given = is_lines ? image->image_slice_pitch : image->image_row_pitch;
  const bool uses = memory->host != NULL;
  memory->row_pitch = uses && given != 0 ? given : image->image_width * memory->element;
  memory->slice_pitch = uses && !is_lines && image->image_slice_pitch != 0
                            ? image->image_slice_pitch
                            : memory->row_pitch * vocl_image_rows(image);
}

/* Returns true if the pitches are valid. Without the program's memory they must be 0. Otherwise
 * they must be whole pixels, and rows and slices must not overlap. */
static bool pitches_fit(const cl_image_desc *image, const void *host, size_t element)
{
  const bool is_lines = image->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  const bool has_slices = is_lines || image->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
                          image->image_type == CL_MEM_OBJECT_IMAGE3D;
  const size_t row = image->image_width * element, slice = image->image_slice_pitch;
  const size_t pitch = image->image_row_pitch != 0 ? image->image_row_pitch : row;
  if (host == NULL)
    return image->image_row_pitch == 0 && slice == 0;
  if (pitch < row || pitch % element != 0)
    return false;
  if (!has_slices || slice == 0 || pitch == 0)
    return true;
  return slice % pitch == 0 && slice / pitch >= (is_lines ? 1 : image->image_height);
}

static cl_int image_make(const struct vocl_making *making, void **object)
{
  struct vocl_replicated_memory *whole =
      (struct vocl_replicated_memory *)(void *)making->image->mem_object;
  const size_t element = vocl_pixel_bytes(making->format);
  cl_int code = check_flags(making->flags);
  if (code == CL_SUCCESS)
    code = check_contents(making->flags, making->host);
  if (code == CL_SUCCESS && element == 0)
    code = CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
  if (code == CL_SUCCESS && whole == NULL && !pitches_fit(making->image, making->host, element))
    code = CL_INVALID_IMAGE_DESCRIPTOR;
  if (code != CL_SUCCESS)
    return code;
  struct vocl_replicated_memory *memory = memory_allocate(making, making->parent, whole);
  if (memory == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  memory->format = *making->format;
  memory->image = *making->image;
  memory->element = element;
  image_lay(memory);
  return memory_make(memory, making->host, object);
}

/* --- buffers --- */

static cl_int part_make(const struct vocl_making *making, void **object)
{
  struct vocl_replicated_memory *whole = making->parent;
  struct vocl_replicated_context *context = whole->replicated.context;
  if (sees_more(making->flags, whole->flags))
    return CL_INVALID_VALUE;
  struct vocl_replicated_memory *memory = memory_allocate(making, context, whole);
  if (memory == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  memory->host = whole->host != NULL ? (char *)whole->host + making->offset : NULL;
  const uint32_t locations = vocl_locations_alive(context, vocl_context_locations(context));
  *object = memory;
  return vocl_replicas_make(locations != 0 ? CL_SUCCESS : CL_DEVICE_NOT_AVAILABLE,
                            locations & -locations, object);
}

static cl_int buffer_make(const struct vocl_making *making, void **object)
{
  cl_int code = check_flags(making->flags);
  if (code == CL_SUCCESS && making->size == 0)
    code = CL_INVALID_BUFFER_SIZE;
  if (code == CL_SUCCESS)
    code = check_contents(making->flags, making->host);
  if (code != CL_SUCCESS)
    return code;
  struct vocl_replicated_memory *memory = memory_allocate(making, making->parent, NULL);
  return memory != NULL ? memory_make(memory, making->host, object) : CL_OUT_OF_HOST_MEMORY;
}

cl_int vocl_replicated_memory_make(const struct vocl_making *making, void **object)
{
  switch (making->sort) {
  case VOCL_IMAGE:
    return image_make(making, object);
  case VOCL_SUB_BUFFER:
    return part_make(making, object);
  default:
    return buffer_make(making, object);
  }
}
