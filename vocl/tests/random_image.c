/* Images of random programs, and commands on them. */
#include "random.h"

enum { PIXEL = 4 };

static void make_image(struct random_program *run)
{
  static const cl_image_format formats[] = {
      {CL_RGBA, CL_UNSIGNED_INT8}, {CL_RGBA, CL_UNORM_INT8}, {CL_R, CL_UNSIGNED_INT32}};
  struct memory *memory = free_place(run);
  if (memory == NULL)
    return;
  *memory = (struct memory){.is_image = true,
                            .kernels_read = true,
                            .kernels_write = true,
                            .width = 1 + draw(run, 90),
                            .height = 1 + draw(run, 40)};
  memory->past = (struct past *)long_memory(run, sizeof *memory->past);
  *memory->past = (struct past){.writer = -1};
  memory->size = memory->width * memory->height * PIXEL;
  /* Kernels of ours use the first format alone. */
  const size_t format = chance(run, 70) ? 0 : 1 + draw(run, 2);
  memory->kernels_read = memory->kernels_write = format == 0;
  const cl_image_desc what = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                              .image_width = memory->width,
                              .image_height = memory->height};
  cl_int code = CL_SUCCESS;
  memory->handle =
      cl->clCreateImage(run->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &formats[format],
                        &what, short_memory(run, memory->size), &code);
  log_call(run, code, "image %zu x %zu, format %zu", memory->width, memory->height, format);
}

static void draw_place(struct random_program *run, const struct memory *image, const size_t *region,
                       size_t *origin)
{
  origin[0] = draw(run, image->width - region[0] + 1);
  origin[1] = draw(run, image->height - region[1] + 1);
  origin[2] = 0;
}

static void draw_part(struct random_program *run, const struct memory *image, size_t *origin,
                      size_t *region)
{
  region[0] = 1 + draw(run, image->width);
  region[1] = 1 + draw(run, image->height);
  region[2] = 1;
  draw_place(run, image, region, origin);
}

static void move_image(struct random_program *run, struct memory *image, bool writes)
{
  struct ordered ordered;
  order_begin(run, &ordered, (struct use[]){{image, writes}, {NULL, false}});
  size_t origin[3], region[3];
  draw_part(run, image, origin, region);
  const size_t pitch = chance(run, 50) ? 0 : (region[0] + draw(run, 3)) * PIXEL;
  const size_t size = (pitch != 0 ? pitch : region[0] * PIXEL) * region[1];
  char *bytes = short_memory(run, size);
  const cl_int code =
      writes ? cl->clEnqueueWriteImage(ordered.queue->handle, image->handle, ordered.blocking,
                                       origin, region, pitch, 0, bytes, ordered.count,
                                       ordered.given, ordered.wanted)
             : cl->clEnqueueReadImage(ordered.queue->handle, image->handle, ordered.blocking,
                                      origin, region, pitch, 0, bytes, ordered.count, ordered.given,
                                      ordered.wanted);
  log_call(run, code, "%s image %zu x %zu, pitch %zu", writes ? "write" : "read", region[0],
           region[1], pitch);
  if (!writes)
    expect_read(run, &ordered, code, bytes, size);
  order_end(run, &ordered, code);
}

static void fill_image(struct random_program *run, struct memory *image)
{
  struct ordered ordered;
  order_begin(run, &ordered, (struct use[]){{image, true}, {NULL, false}});
  size_t origin[3], region[3];
  draw_part(run, image, origin, region);
  const cl_uint color[4] = {(cl_uint)draw(run, 256), (cl_uint)draw(run, 256),
                            (cl_uint)draw(run, 256), (cl_uint)draw(run, 256)};
  const cl_int code = cl->clEnqueueFillImage(ordered.queue->handle, image->handle, color, origin,
                                             region, ordered.count, ordered.given, ordered.wanted);
  log_call(run, code, "fill image %zu x %zu", region[0], region[1]);
  order_end(run, &ordered, code);
}

static void copy_image(struct random_program *run, struct memory *image)
{
  struct memory *other = any_image(run), *buffer = any_buffer(run);
  size_t origin[3], region[3], place[3];
  struct ordered ordered;
  cl_int code = CL_SUCCESS;
  draw_part(run, image, origin, region);
  if (other != NULL && other != image && chance(run, 40)) {
    if (region[0] > other->width || region[1] > other->height)
      return;
    draw_place(run, other, region, place);
    order_begin(run, &ordered, (struct use[]){{image, false}, {other, true}, {NULL, false}});
    code = cl->clEnqueueCopyImage(ordered.queue->handle, image->handle, other->handle, origin,
                                  place, region, ordered.count, ordered.given, ordered.wanted);
    log_call(run, code, "copy image %zu x %zu", region[0], region[1]);
    order_end(run, &ordered, code);
    return;
  }
  const size_t size = region[0] * region[1] * PIXEL;
  /* PoCL 3.1 ends programs that copy images to or from a part of a buffer. */
  if (buffer == NULL || buffer->is_part || buffer->size < size)
    return;
  const size_t offset = draw(run, buffer->size - size + 1);
  const bool out = chance(run, 50);
  order_begin(run, &ordered, (struct use[]){{image, !out}, {buffer, out}, {NULL, false}});
  code = out ? cl->clEnqueueCopyImageToBuffer(ordered.queue->handle, image->handle, buffer->handle,
                                              origin, region, offset, ordered.count, ordered.given,
                                              ordered.wanted)
             : cl->clEnqueueCopyBufferToImage(ordered.queue->handle, buffer->handle, image->handle,
                                              offset, origin, region, ordered.count, ordered.given,
                                              ordered.wanted);
  log_call(run, code, "copy %s image %zu x %zu, at %zu", out ? "from" : "to", region[0], region[1],
           offset);
  order_end(run, &ordered, code);
}

static void map_image(struct random_program *run, struct memory *image)
{
  static const cl_map_flags kinds[] = {CL_MAP_READ, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE};
  struct mapped mapped = {.flags = kinds[draw(run, 3)]};
  struct ordered ordered;
  order_begin(run, &ordered, (struct use[]){{image, mapped.flags != CL_MAP_READ}, {NULL, false}});
  ordered.wanted = &ordered.event;
  let_go(run);
  size_t origin[3], region[3];
  draw_part(run, image, origin, region);
  cl_int code = CL_SUCCESS;
  mapped.place = cl->clEnqueueMapImage(ordered.queue->handle, image->handle, CL_TRUE, mapped.flags,
                                       origin, region, &mapped.pitch, NULL, ordered.count,
                                       ordered.given, ordered.wanted, &code);
  log_call(run, code, "map image %zu x %zu, flags %lx", region[0], region[1],
           (unsigned long)mapped.flags);
  order_end(run, &ordered, code);
  if (code != CL_SUCCESS)
    return;
  mapped.row = region[0] * PIXEL;
  mapped.rows = region[1];
  use_mapped(run, image, &mapped);
}

static void query_image(struct random_program *run, const struct memory *image)
{
  size_t width = 0, height = 0, depth = 9, element = 0;
  const cl_int code =
      cl->clGetImageInfo(image->handle, CL_IMAGE_WIDTH, sizeof width, &width, NULL) |
      cl->clGetImageInfo(image->handle, CL_IMAGE_HEIGHT, sizeof height, &height, NULL) |
      cl->clGetImageInfo(image->handle, CL_IMAGE_DEPTH, sizeof depth, &depth, NULL) |
      cl->clGetImageInfo(image->handle, CL_IMAGE_ELEMENT_SIZE, sizeof element, &element, NULL);
  log_call(run, code, "image is %zu x %zu x %zu of %zu", width, height, depth, element);
}

void image_steps(struct random_program *run)
{
  struct memory *image = any_image(run);
  const size_t kind = draw(run, 12);
  if (image == NULL || kind == 0)
    make_image(run);
  else if (kind < 3)
    move_image(run, image, true);
  else if (kind < 5)
    move_image(run, image, false);
  else if (kind < 6)
    fill_image(run, image);
  else if (kind < 8)
    copy_image(run, image);
  else if (kind < 10)
    map_image(run, image);
  else if (kind < 11)
    query_image(run, image);
  else
    forget_memory(run, image);
}
