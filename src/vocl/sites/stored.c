/* Buffers, parts of buffers, and images. */
#include "sites/site.h"

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

/* What copies are told. The program's memory is used when they are made and when they are mapped,
 * not by them; and what the program may do with them is checked at home, because they are read and
 * written for other reasons, too. */
static cl_mem_flags copy_flags(cl_mem_flags flags, const void *host)
{
  flags &= ~(host_flags | contents_flags);
  return host != NULL ? flags | CL_MEM_COPY_HOST_PTR : flags;
}

/* Flags that a part does not have it takes from the whole. */
static cl_mem_flags part_flags(cl_mem_flags own, cl_mem_flags whole)
{
  if ((own & access_flags) == 0)
    own |= whole & access_flags;
  if ((own & host_flags) == 0)
    own |= whole & host_flags;
  return own | (whole & place_flags);
}

/* The copies do not know of these flags. */
static bool sees_more(cl_mem_flags own, cl_mem_flags whole)
{
  own &= host_flags;
  whole &= host_flags;
  return !at_most_one(own) ||
         (own != whole && own != 0 && whole != 0 && own != CL_MEM_HOST_NO_ACCESS);
}

cl_int cwi_memory_check_host(const struct cwi_sited_memory *memory, bool reads, bool writes)
{
  if ((memory->flags & CL_MEM_HOST_NO_ACCESS) != 0 ||
      (reads && (memory->flags & CL_MEM_HOST_WRITE_ONLY) != 0) ||
      (writes && (memory->flags & CL_MEM_HOST_READ_ONLY) != 0))
    return CL_INVALID_OPERATION;
  return CL_SUCCESS;
}

struct cwi_sited_memory *cwi_memory_root(struct cwi_sited_memory *memory, size_t *offset)
{
  *offset = 0;
  for (; memory->whole != NULL; memory = memory->whole)
    *offset += memory->offset;
  return memory;
}

/* --- copies --- */

static cl_int part_make_at(const struct cwi_sited_memory *memory, uint32_t site, void **copy)
{
  cl_int code = CL_SUCCESS;
  const struct cwi_making making = {.sort = CWI_SUB_BUFFER,
                                    .parent = cwi_site_copy(memory->whole, site, &code),
                                    .flags = memory->given & ~host_flags,
                                    .size = memory->size,
                                    .offset = memory->offset};
  return code == CL_SUCCESS ? cwi_copy_make(&making, copy) : code;
}

/* host: the program's memory with its first contents, or NULL. */
static cl_int memory_make_at(const struct cwi_sited_memory *memory, uint32_t site, void *host,
                             void **copy)
{
  cl_int code = CL_SUCCESS;
  cl_image_desc image = memory->image;
  struct cwi_making making = {.sort = memory->sort,
                              .parent = cwi_site_copy(memory->sited.context, site, &code),
                              .flags = copy_flags(memory->given, host),
                              .size = memory->size,
                              .host = host,
                              .format = &memory->format,
                              .image = &image};
  if (host == NULL && memory->whole == NULL) /* pitches are of contents */
    image.image_row_pitch = image.image_slice_pitch = 0;
  if (code == CL_SUCCESS && memory->whole != NULL)
    image.mem_object = cwi_site_copy(memory->whole, site, &code);
  return code == CL_SUCCESS ? cwi_copy_make(&making, copy) : code;
}

static cl_int memory_copy(struct cwi_sited *sited, uint32_t site, void **copy)
{
  struct cwi_sited_memory *memory = (struct cwi_sited_memory *)sited;
  return memory->sort == CWI_SUB_BUFFER ? part_make_at(memory, site, copy)
                                        : memory_make_at(memory, site, NULL, copy);
}

/* --- the end --- */

static void farewell_leave(struct cwi_farewell *farewell)
{
  if (farewell == NULL || __atomic_sub_fetch(&farewell->awaited, 1, __ATOMIC_ACQ_REL) > 0)
    return;
  while (farewell->deleted != NULL) {
    struct cwi_deleted *deleted = farewell->deleted;
    farewell->deleted = deleted->next;
    deleted->function(NULL, deleted->data);
    free(deleted);
  }
  free(farewell->shadow);
  free(farewell);
}

static void CL_CALLBACK copy_is_deleted(cl_mem copy, void *farewell)
{
  (void)copy;
  farewell_leave(farewell);
}

/* Who makes the copy and who wants to be told look at each other's part after doing their own. */
static void copy_await(struct cwi_sited *sited, uint32_t site)
{
  const struct cwi_sited_memory *memory = (const struct cwi_sited_memory *)sited;
  struct cwi_farewell *farewell = __atomic_load_n(&memory->farewell, __ATOMIC_SEQ_CST);
  void *copy = __atomic_load_n(&sited->copies[site], __ATOMIC_SEQ_CST);
  if (farewell == NULL || copy == NULL ||
      (__atomic_fetch_or(&farewell->sites, 1u << site, __ATOMIC_ACQ_REL) >> site & 1) != 0)
    return;
  __atomic_fetch_add(&farewell->awaited, 1, __ATOMIC_ACQ_REL);
  if (cwi_copy_tell_deleted(copy, copy_is_deleted, farewell) != CL_SUCCESS)
    farewell_leave(farewell);
}

void cwi_memory_await_vendors(struct cwi_sited_memory *memory)
{
  for (uint32_t site = 0; site < CWI_SITES_MOST; site++) {
    const void *copy = cwi_site_copy_known(memory, site);
    if (copy != NULL && !cwi_is_remote(copy))
      copy_await(&memory->sited, site);
  }
}

static void maps_free(struct cwi_sited_memory *memory)
{
  while (memory->maps != NULL) {
    struct cwi_mapping *map = memory->maps;
    memory->maps = map->next;
    free(map);
  }
}

static bool is_awaited(const struct cwi_sited_memory *memory)
{
  return memory->farewell != NULL &&
         __atomic_load_n(&memory->farewell->deleted, __ATOMIC_ACQUIRE) != NULL;
}

static bool stored_calls_program(const struct cwi_sited *sited)
{
  const struct cwi_sited_memory *memory = (const struct cwi_sited_memory *)sited;
  return is_awaited(memory) || (memory->whole != NULL && is_awaited(memory->whole));
}

static void stored_end(struct cwi_sited *sited)
{
  struct cwi_sited_memory *memory = (struct cwi_sited_memory *)sited;
  maps_free(memory);
  cwi_contents_end(&memory->contents);
  farewell_leave(memory->farewell);
  cwi_sited_let_go(memory->whole);
}

static struct cwi_farewell *farewell_of(struct cwi_sited_memory *memory)
{
  struct cwi_farewell *known = NULL;
  struct cwi_farewell *farewell = calloc(1, sizeof *farewell);
  if (farewell == NULL)
    return NULL;
  farewell->awaited = 1;
  if (__atomic_compare_exchange_n(&memory->farewell, &known, farewell, false, __ATOMIC_SEQ_CST,
                                  __ATOMIC_SEQ_CST))
    return farewell;
  free(farewell);
  return known;
}

cl_int cwi_sites_tell_deleted(void *object, cwi_memory_deleted function, void *data)
{
  struct cwi_sited_memory *memory = object;
  struct cwi_deleted *deleted = malloc(sizeof *deleted);
  struct cwi_farewell *farewell = deleted != NULL ? farewell_of(memory) : NULL;
  if (farewell == NULL) {
    free(deleted);
    return CL_OUT_OF_HOST_MEMORY;
  }
  *deleted = (struct cwi_deleted){farewell->deleted, function, data};
  while (!__atomic_compare_exchange_n(&farewell->deleted, &deleted->next, deleted, true,
                                      __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    ;
  for (uint32_t site = 0; site < CWI_SITES_MOST; site++)
    copy_await(&memory->sited, site);
  return CL_SUCCESS;
}

void cwi_memory_forget_copy(struct cwi_sited_memory *memory, uint32_t site)
{
  struct cwi_farewell *farewell = __atomic_load_n(&memory->farewell, __ATOMIC_SEQ_CST);
  if (farewell != NULL)
    __atomic_fetch_and(&farewell->sites, ~(1u << site), __ATOMIC_ACQ_REL);
}

void cwi_memory_settle(struct cwi_sited_memory *memory, uint32_t away, uint32_t site)
{
  struct cwi_farewell *farewell = __atomic_load_n(&memory->farewell, __ATOMIC_SEQ_CST);
  if (farewell == NULL)
    return;
  const uint32_t sites = __atomic_load_n(&farewell->sites, __ATOMIC_ACQUIRE);
  const bool is_awaited = (sites >> away & 1) != 0;
  const uint32_t others = sites & ~(1u << away) & ~(1u << site);
  __atomic_store_n(&farewell->sites, others | (is_awaited ? 1u << site : 0), __ATOMIC_RELEASE);
}

/* --- what is mapped --- */

static size_t shadow_bytes(const struct cwi_sited_memory *memory)
{
  return cwi_memory_is_image(memory) ? memory->slice_pitch * cwi_image_slices(&memory->image)
                                     : memory->size;
}

char *cwi_memory_shadow(struct cwi_sited_memory *memory)
{
  void *shadow = NULL;
  struct cwi_farewell *farewell = farewell_of(memory);
  if (farewell == NULL || farewell->shadow != NULL)
    return farewell != NULL ? farewell->shadow : NULL;
  if (posix_memalign(&shadow, SHADOW_ALIGNMENT, shadow_bytes(memory)) != 0)
    return NULL;
  farewell->shadow = shadow;
  return shadow;
}

/* --- making --- */

const struct cwi_sited_kind cwi_sited_memories = {.sort = CWI_BUFFER,
                                                  .bytes = sizeof(struct cwi_sited_memory),
                                                  .copy = memory_copy,
                                                  .made = copy_await,
                                                  .calls_program = stored_calls_program,
                                                  .end = stored_end,
                                                  .objects = &cwi_sited_memory_list};

static struct cwi_sited_memory *stored_new(const struct cwi_making *making,
                                           struct cwi_sited_context *context,
                                           struct cwi_sited_memory *whole)
{
  static uint64_t births;
  struct cwi_sited_memory *memory = cwi_sited_new(&cwi_sited_memories, context);
  if (memory == NULL)
    return NULL;
  memory->birth = __atomic_add_fetch(&births, 1, __ATOMIC_RELAXED);
  memory->whole = whole;
  if (whole != NULL)
    cwi_sited_hold(whole);
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

/* An empty buffer that all devices can have is made where it is used. */
static bool is_certain(const struct cwi_sited_memory *memory, const void *host)
{
  const struct cwi_sited_context *context = memory->sited.context;
  return context->site_count > 1 && memory->sort == CWI_BUFFER && host == NULL &&
         memory->size <= context->most_allocated;
}

/* Its verdict, and where its first contents go: the first site that is there and can have it. */
static cl_int memory_make_first(struct cwi_sited_memory *memory, void *host, uint32_t *valid)
{
  const struct cwi_sited_context *context = memory->sited.context;
  cl_int code = CL_DEVICE_NOT_AVAILABLE;
  uint32_t sites = cwi_sites_alive(context, cwi_context_sites(context));
  for (; sites != 0; sites &= sites - 1) {
    const uint32_t site = (uint32_t)__builtin_ctz(sites);
    *valid = host != NULL ? 1u << site : 0;
    code = memory_make_at(memory, site, host, &memory->sited.copies[site]);
    if (code != CL_DEVICE_NOT_AVAILABLE && code != CL_IMAGE_FORMAT_NOT_SUPPORTED)
      break;
  }
  return code;
}

static cl_int memory_make(struct cwi_sited_memory *memory, void *host, void **object)
{
  cl_int code = CL_SUCCESS;
  uint32_t valid = 0;
  *object = memory;
  if (!is_certain(memory, host))
    code = memory_make_first(memory, host, &valid);
  if (code == CL_SUCCESS && memory->whole == NULL && memory->sited.context->site_count > 1 &&
      !cwi_contents_begin(&memory->contents, cwi_memory_extent(memory), valid))
    code = CL_OUT_OF_HOST_MEMORY;
  return cwi_site_make_at(code, 0, object);
}

/* --- images --- */

size_t cwi_image_rows(const cl_image_desc *image)
{
  switch (image->image_type) {
  case CL_MEM_OBJECT_IMAGE1D_ARRAY:
    return image->image_array_size;
  case CL_MEM_OBJECT_IMAGE2D_ARRAY:
  case CL_MEM_OBJECT_IMAGE3D:
  case CL_MEM_OBJECT_IMAGE2D:
    return image->image_height;
  default:
    return 1;
  }
}

size_t cwi_image_slices(const cl_image_desc *image)
{
  switch (image->image_type) {
  case CL_MEM_OBJECT_IMAGE2D_ARRAY:
    return image->image_array_size;
  case CL_MEM_OBJECT_IMAGE3D:
    return image->image_depth;
  default:
    return 1;
  }
}

size_t cwi_memory_extent(const struct cwi_sited_memory *memory)
{
  return cwi_memory_is_image(memory)
             ? cwi_image_rows(&memory->image) * cwi_image_slices(&memory->image)
             : memory->size;
}

/* What is mapped has the pitches of the memory that the image uses, or is packed. */
static void image_lay(struct cwi_sited_memory *memory)
{
  const cl_image_desc *image = &memory->image;
  const bool is_lines = image->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  const size_t given = is_lines ? image->image_slice_pitch : image->image_row_pitch;
  const bool uses = memory->host != NULL;
  memory->row_pitch = uses && given != 0 ? given : image->image_width * memory->element;
  memory->slice_pitch = uses && !is_lines && image->image_slice_pitch != 0
                            ? image->image_slice_pitch
                            : memory->row_pitch * cwi_image_rows(image);
}

/* None without the program's memory; in it, whole pixels, and rows and slices apart. */
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

static cl_int image_make(const struct cwi_making *making, void **object)
{
  struct cwi_sited_memory *whole = (struct cwi_sited_memory *)(void *)making->image->mem_object;
  const size_t element = cwi_pixel_bytes(making->format);
  cl_int code = check_flags(making->flags);
  if (code == CL_SUCCESS)
    code = check_contents(making->flags, making->host);
  if (code == CL_SUCCESS && element == 0)
    code = CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
  if (code == CL_SUCCESS && whole == NULL && !pitches_fit(making->image, making->host, element))
    code = CL_INVALID_IMAGE_DESCRIPTOR;
  if (code != CL_SUCCESS)
    return code;
  struct cwi_sited_memory *memory = stored_new(making, making->parent, whole);
  if (memory == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  memory->format = *making->format;
  memory->image = *making->image;
  memory->element = element;
  image_lay(memory);
  return memory_make(memory, making->host, object);
}

/* --- buffers --- */

static cl_int part_make(const struct cwi_making *making, void **object)
{
  struct cwi_sited_memory *whole = making->parent;
  struct cwi_sited_context *context = whole->sited.context;
  if (sees_more(making->flags, whole->flags))
    return CL_INVALID_VALUE;
  struct cwi_sited_memory *memory = stored_new(making, context, whole);
  if (memory == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  memory->host = whole->host != NULL ? (char *)whole->host + making->offset : NULL;
  const uint32_t sites = cwi_sites_alive(context, cwi_context_sites(context));
  *object = memory;
  return cwi_site_make_at(sites != 0 ? CL_SUCCESS : CL_DEVICE_NOT_AVAILABLE, sites & -sites,
                          object);
}

static cl_int buffer_make(const struct cwi_making *making, void **object)
{
  cl_int code = check_flags(making->flags);
  if (code == CL_SUCCESS && making->size == 0)
    code = CL_INVALID_BUFFER_SIZE;
  if (code == CL_SUCCESS)
    code = check_contents(making->flags, making->host);
  if (code != CL_SUCCESS)
    return code;
  struct cwi_sited_memory *memory = stored_new(making, making->parent, NULL);
  return memory != NULL ? memory_make(memory, making->host, object) : CL_OUT_OF_HOST_MEMORY;
}

cl_int cwi_stored_make(const struct cwi_making *making, void **object)
{
  switch (making->sort) {
  case CWI_IMAGE:
    return image_make(making, object);
  case CWI_SUB_BUFFER:
    return part_make(making, object);
  default:
    return buffer_make(making, object);
  }
}
