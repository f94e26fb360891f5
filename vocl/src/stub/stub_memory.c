/* Buffers, sub-buffers and images. The replica module has checked their flags and handles
 * everything that concerns only the program's memory. */
#include "stub/stub_calls.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

/* Maximum time in seconds to wait for the deletion notice of a proxy while no command is in
 * progress. */
enum { MOST_TIMEOUT = 5 };

static const cl_mem_flags access_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;

bool vocl_stub_memory_is_image(const struct vocl_stub_memory *memory)
{
  return memory->type != CL_MEM_OBJECT_BUFFER;
}

static bool at_most_one(cl_mem_flags flags)
{
  return (flags & (flags - 1)) == 0;
}

static void deleted_notify(void *what)
{
  struct vocl_deleted_callback *deleted = what;
  while (deleted != NULL) {
    struct vocl_deleted_callback *next = deleted->next;
    deleted->function(NULL, deleted->data);
    free(deleted);
    deleted = next;
  }
}

static void memory_end(struct vocl_stub_memory *memory)
{
  struct vocl_session *session = memory->stub.session;
  struct vocl_deleted_callback *deleted = memory->deleted;
  struct vocl_deletion_wait *awaited = memory->awaited;
  memory->deleted = NULL;
  vocl_stub_free(&memory->stub);
  if (awaited != NULL)
    *awaited = (struct vocl_deletion_wait){true, deleted};
  else
    vocl_session_call_later(session, deleted_notify, deleted);
}

static bool memory_deleted(struct vocl_stub *stub)
{
  struct vocl_stub_memory *memory = (struct vocl_stub_memory *)stub;
  if (!memory->is_left)
    return false;
  memory_end(memory);
  return true;
}

static void memory_over(struct vocl_stub *stub)
{
  memory_deleted(stub);
}

/* Called at the last release. Returns true if the stub must stay until the proxy sends its
 * deletion notice, because the program has registered a callback for it. */
static bool memory_leave(struct vocl_stub *stub)
{
  struct vocl_stub_memory *memory = (struct vocl_stub_memory *)stub;
  if (memory->deleted == NULL)
    return false;
  if (memory->stub.session->is_over)
    vocl_session_call_later(memory->stub.session, deleted_notify, memory->deleted);
  memory->is_left = !memory->stub.session->is_over;
  return memory->is_left;
}

static void memory_free(struct vocl_stub *stub)
{
  struct vocl_stub_memory *memory = (struct vocl_stub_memory *)stub;
  if (memory->whole != NULL)
    vocl_stub_unref(memory->whole);
  vocl_stub_unref(memory->context);
}

static const struct vocl_stub_kind memories = {.sort = VOCL_BUFFER,
                                               .free = memory_free,
                                               .leave = memory_leave,
                                               .over = memory_over,
                                               .deleted = memory_deleted};

static struct vocl_stub_memory *memory_new(const struct vocl_making *making,
                                           struct vocl_stub_context *context)
{
  struct vocl_stub_memory *memory =
      vocl_stub_new(context->stub.session, &memories, sizeof *memory, true);
  if (memory == NULL)
    return NULL;
  memory->context = context;
  vocl_stub_ref(context);
  memory->type = CL_MEM_OBJECT_BUFFER;
  memory->flags = making->flags != 0 ? making->flags : CL_MEM_READ_WRITE;
  memory->size = making->size;
  return memory;
}

/* Stores `memory` in *object, or frees it if `code` is an error. */
static cl_int memory_give(struct vocl_stub_memory *memory, cl_int code, void **object)
{
  if (code == CL_SUCCESS)
    *object = memory;
  else
    vocl_stub_free(&memory->stub);
  return code;
}

/* Tests whether the vendor would make the buffer, by making one without data. The program's memory
 * is read only if that succeeds, because a rejected size may be larger than that memory. */
static cl_int buffer_try(struct vocl_stub_memory *memory, const struct vocl_msg_make *fields)
{
  struct vocl_msg_make trial = *fields;
  trial.flags &= ~(cl_mem_flags)CL_MEM_COPY_HOST_PTR;
  const cl_int code =
      vocl_send_create(&memory->stub, &trial, &(struct vocl_create_parts){0}, false);
  if (code != CL_SUCCESS)
    return code;
  return vocl_msg_numbers(memory->stub.session, VOCL_MSG_DROP, 0, &memory->stub.number, 1)
             ? CL_SUCCESS
             : CL_DEVICE_NOT_AVAILABLE;
}

static cl_int buffer_make(const struct vocl_making *making, void **object)
{
  struct vocl_stub_context *context = making->parent;
  const bool is_certain = making->size <= context->most_allocated;
  struct vocl_stub_memory *memory = memory_new(making, context);
  if (memory == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  const struct vocl_msg_make fields = {.sort = VOCL_BUFFER,
                                       .parent = context->stub.number,
                                       .flags = making->flags,
                                       .size = making->size};
  struct vocl_host_layout layout;
  vocl_host_layout_set(&layout, making->host, making->size, 1, 1, 0, 0);
  const struct vocl_create_parts parts = {.layout = making->host != NULL ? &layout : NULL};
  cl_int code = CL_SUCCESS;
  if (!is_certain && making->host != NULL)
    code = buffer_try(memory, &fields);
  if (code == CL_SUCCESS)
    code = vocl_send_create(&memory->stub, &fields, &parts, is_certain);
  return memory_give(memory, code, object);
}

/* Returns the flags of a sub-buffer, which inherits the access of the buffer unless it has its
 * own. */
static cl_mem_flags part_flags(cl_mem_flags own, cl_mem_flags whole)
{
  return (own & access_flags) != 0 ? own : own | (whole & access_flags);
}

static bool is_certain_part(const struct vocl_making *making, const struct vocl_stub_memory *whole)
{
  const cl_mem_flags own = making->flags & access_flags, theirs = whole->flags & access_flags;
  const bool is_wider =
      (theirs == CL_MEM_READ_ONLY || theirs == CL_MEM_WRITE_ONLY) && own != 0 && own != theirs;
  return (making->flags & ~access_flags) == 0 && at_most_one(own) && !is_wider &&
         making->size > 0 && making->size <= whole->size &&
         making->offset <= whole->size - making->size && whole->context->base_bytes != 0 &&
         making->offset % whole->context->base_bytes == 0;
}

static cl_int part_make(const struct vocl_making *making, void **object)
{
  struct vocl_stub_memory *whole = making->parent;
  struct vocl_stub_memory *memory = memory_new(making, whole->context);
  if (memory == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  memory->whole = whole;
  vocl_stub_ref(whole);
  memory->offset = making->offset;
  memory->flags = part_flags(making->flags, whole->flags);
  const struct vocl_msg_make fields = {.sort = VOCL_SUB_BUFFER,
                                       .parent = whole->stub.number,
                                       .flags = making->flags,
                                       .size = making->size,
                                       .offset = making->offset};
  const cl_int code = vocl_send_create(&memory->stub, &fields, &(struct vocl_create_parts){0},
                                       is_certain_part(making, whole));
  return memory_give(memory, code, object);
}

/* --- images --- */

/* Sets `layout` to the layout of the image's initial data. */
static void image_lay(const struct vocl_stub_memory *memory, const struct vocl_making *making,
                      struct vocl_host_layout *layout)
{
  const cl_image_desc *image = making->image;
  const size_t row = image->image_width * memory->element;
  const size_t rows = vocl_image_rows(image), slices = vocl_image_slices(image);
  const bool is_row = image->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  const size_t given = is_row ? image->image_slice_pitch : image->image_row_pitch;
  const size_t row_pitch = given != 0 ? given : row;
  const size_t slice_pitch =
      !is_row && image->image_slice_pitch != 0 ? image->image_slice_pitch : row_pitch * rows;
  vocl_host_layout_set(layout, making->host, row, rows, slices, row_pitch, slice_pitch);
}

static size_t device_most(const struct vocl_stub_device *device, cl_device_info what)
{
  const struct vocl_fact *fact = vocl_fact_find(device->facts, what);
  size_t most = SIZE_MAX;
  if (fact != NULL && fact->size == sizeof most)
    memcpy(&most, fact->value, sizeof most);
  return most;
}

/* Returns true if the device can have an image of this size. */
static bool image_fits(const struct vocl_stub_device *device, const cl_image_desc *image)
{
  const bool is_solid = image->image_type == CL_MEM_OBJECT_IMAGE3D;
  const size_t rows = vocl_image_rows(image), slices = vocl_image_slices(image);
  cl_device_info most_rows = CL_DEVICE_IMAGE2D_MAX_HEIGHT;
  if (image->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
    most_rows = CL_DEVICE_IMAGE_MAX_ARRAY_SIZE;
  if (is_solid)
    most_rows = CL_DEVICE_IMAGE3D_MAX_HEIGHT;
  return image->image_width <= device_most(device, is_solid ? CL_DEVICE_IMAGE3D_MAX_WIDTH
                                                            : CL_DEVICE_IMAGE2D_MAX_WIDTH) &&
         rows <= device_most(device, most_rows) &&
         slices <= device_most(device, is_solid ? CL_DEVICE_IMAGE3D_MAX_DEPTH
                                                : CL_DEVICE_IMAGE_MAX_ARRAY_SIZE);
}

/* Returns true if any device can have the image. Otherwise it is unknown how much of the
 * program's memory may be read. */
static bool image_fits_anywhere(const struct vocl_stub_context *context, const cl_image_desc *image)
{
  for (cl_uint i = 0; i < context->device_count; i++)
    if (image_fits(context->devices[i], image))
      return true;
  return false;
}

/* Queries the image's size, which the vendor chooses. */
static void image_query_size(struct vocl_stub_memory *memory)
{
  size_t size = 0;
  struct vocl_session *session = memory->stub.session;
  struct vocl_request query;
  const uint64_t ticket = vocl_request_begin(session, &query, &size, sizeof size);
  struct vocl_msg_query *message =
      vocl_message_begin(session, VOCL_MSG_QUERY, sizeof *message, ticket);
  if (message != NULL) {
    message->about = VOCL_ABOUT_MEMORY;
    message->object = memory->stub.number;
    message->what = CL_MEM_SIZE;
    message->size = sizeof size;
    vocl_message_end(session);
  }
  if (vocl_request_wait(session, &query) == CL_SUCCESS)
    memory->size = size;
}

static void image_write(const struct vocl_making *making, struct vocl_msg_make *fields)
{
  const cl_image_desc *image = making->image;
  const bool has_host = making->host != NULL;
  fields->image_format[0] = making->format->image_channel_order;
  fields->image_format[1] = making->format->image_channel_data_type;
  fields->image_type = image->image_type;
  fields->image[0] = image->image_width;
  fields->image[1] = image->image_height;
  fields->image[2] = image->image_depth;
  fields->image[3] = image->image_array_size;
  /* Data is sent packed. For an image made of a buffer, the pitches are those of the buffer. */
  fields->image[4] = has_host ? 0 : image->image_row_pitch;
  fields->image[5] = has_host ? 0 : image->image_slice_pitch;
  fields->image_memory =
      image->mem_object != NULL ? ((struct vocl_stub *)(void *)image->mem_object)->number : 0;
}

static cl_int image_make(const struct vocl_making *making, void **object)
{
  struct vocl_stub_context *context = making->parent;
  struct vocl_stub_memory *whole = (struct vocl_stub_memory *)(void *)making->image->mem_object;
  if (making->host != NULL && !image_fits_anywhere(context, making->image))
    return CL_INVALID_IMAGE_SIZE;
  struct vocl_stub_memory *memory = memory_new(making, context);
  if (memory == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  struct vocl_host_layout layout;
  memory->type = making->image->image_type;
  memory->format = *making->format;
  memory->image = *making->image;
  memory->element = vocl_pixel_bytes(making->format);
  memory->whole = whole;
  if (whole != NULL) {
    vocl_stub_ref(whole);
    memory->flags = part_flags(making->flags, whole->flags);
  }
  if (making->host != NULL)
    image_lay(memory, making, &layout);
  struct vocl_msg_make fields = {
      .sort = VOCL_IMAGE, .parent = context->stub.number, .flags = making->flags};
  image_write(making, &fields);
  const struct vocl_create_parts parts = {.layout = making->host != NULL ? &layout : NULL};
  const cl_int made = vocl_send_create(&memory->stub, &fields, &parts, false);
  if (made == CL_SUCCESS)
    image_query_size(memory);
  return memory_give(memory, made, object);
}

cl_int vocl_stub_memory_make(const struct vocl_making *making, void **object)
{
  switch (making->sort) {
  case VOCL_BUFFER:
    return buffer_make(making, object);
  case VOCL_SUB_BUFFER:
    return part_make(making, object);
  default:
    return image_make(making, object);
  }
}

/* --- the end --- */

cl_int vocl_remote_on_deleted(void *object, vocl_memory_callback function, void *data)
{
  struct vocl_stub_memory *memory = object;
  struct vocl_session *session = memory->stub.session;
  struct vocl_deleted_callback *deleted = malloc(sizeof *deleted);
  if (deleted == NULL)
    return CL_OUT_OF_HOST_MEMORY;
  vocl_session_lock(session);
  *deleted = (struct vocl_deleted_callback){memory->deleted, function, data};
  const bool is_first = memory->deleted == NULL;
  memory->deleted = deleted;
  if (is_first && !session->is_over)
    vocl_msg_numbers(session, VOCL_MSG_WATCH_DELETED, 0, &memory->stub.number, 1);
  vocl_session_unlock(session);
  return CL_SUCCESS;
}

/* State of a wait for the deletion of memory. The wait ends after a time, because a vendor may
 * keep the memory. */
struct deletion_wait {
  struct vocl_session *session;
  const struct vocl_deletion_wait *deletion;
  double end;
};

/* Returns true if the memory is gone or the time is up. Sends pending drops, because no other
 * thread does so while a thread waits. */
static bool has_been_deleted(const void *what)
{
  const struct deletion_wait *wait = what;
  if (wait->session->drop_count > 0) {
    vocl_session_try_send_drops(wait->session);
    vocl_session_publish(wait->session);
  }
  return wait->deletion->is_done || cwi_now() > wait->end;
}

/* Releases the program's reference. If no command is in progress, vendors make the deletion
 * callback before the program's release call returns, and so does this function. */
void vocl_stub_memory_release(struct vocl_stub_memory *memory)
{
  struct vocl_session *session = memory->stub.session;
  struct vocl_deletion_wait deletion = {false, NULL};
  const bool is_awaited =
      memory->deleted != NULL && memory->stub.refs == 1 && session->sent == 0 && !session->is_over;
  memory->awaited = is_awaited ? &deletion : NULL;
  vocl_stub_unref(memory);
  if (!is_awaited)
    return;
  const struct deletion_wait wait = {session, &deletion, cwi_now() + MOST_TIMEOUT};
  vocl_session_try_send_drops(session);
  vocl_session_wait(session, has_been_deleted, &wait);
  if (!deletion.is_done)
    memory->awaited = NULL; /* the listener will make the callback */
  vocl_session_unlock(session);
  deleted_notify(deletion.deleted);
  vocl_session_lock(session);
}
