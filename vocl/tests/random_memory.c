/* Buffers of random programs, parts of buffers, and commands on them. */
#include "random.h"

#include <stdlib.h>
#include <string.h>

struct memory *free_place(struct random_program *run)
{
  struct memory *memory = &run->memories[draw(run, MEMORIES)];
  return memory->handle == NULL ? memory : NULL;
}

static struct memory *any(struct random_program *run, bool image)
{
  const size_t first = draw(run, MEMORIES);
  for (size_t i = 0; i < MEMORIES; i++) {
    struct memory *memory = &run->memories[(first + i) % MEMORIES];
    if (memory->handle != NULL && memory->is_image == image && !memory->past->mapped)
      return memory;
  }
  return NULL;
}

struct memory *any_buffer(struct random_program *run)
{
  return any(run, false);
}

struct memory *any_image(struct random_program *run)
{
  return any(run, true);
}

void forget_memory(struct random_program *run, struct memory *memory)
{
  log_call(run, cl->clReleaseMemObject(memory->handle), "release memory");
  memory->handle = NULL;
}

static struct past *past_new(struct random_program *run)
{
  struct past *past = (struct past *)long_memory(run, sizeof *past);
  *past = (struct past){.writer = -1};
  return past;
}

/* Buffers begin with contents: from the host's memory, or by a first command. */
static void fill_whole(struct random_program *run, struct memory *memory)
{
  struct ordered ordered;
  order_begin(run, &ordered, (struct use[]){{memory, true}, {NULL, false}});
  const unsigned char pattern = (unsigned char)draw(run, 256);
  const cl_int code =
      cl->clEnqueueFillBuffer(ordered.queue->handle, memory->handle, &pattern, 1, 0, memory->size,
                              ordered.count, ordered.given, ordered.wanted);
  log_call(run, code, "first fill");
  order_end(run, &ordered, code);
}

static void make_buffer(struct random_program *run)
{
  static const cl_mem_flags kernels[] = {CL_MEM_READ_WRITE, CL_MEM_READ_WRITE, CL_MEM_READ_WRITE,
                                         CL_MEM_READ_ONLY,  CL_MEM_WRITE_ONLY, 0};
  static const cl_mem_flags hosts[] = {
      0, 0, 0, 0, 0, 0, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_NO_ACCESS};
  static const cl_mem_flags places[] = {0, CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR,
                                        CL_MEM_ALLOC_HOST_PTR,
                                        CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR};
  struct memory *memory = free_place(run);
  if (memory == NULL)
    return;
  const cl_mem_flags kernel = kernels[draw(run, sizeof kernels / sizeof *kernels)];
  const cl_mem_flags place = places[draw(run, sizeof places / sizeof *places)];
  const cl_mem_flags host_uses = hosts[draw(run, sizeof hosts / sizeof *hosts)];
  const cl_mem_flags flags = kernel | place | host_uses;
  *memory =
      (struct memory){.size = 1 + draw_size(run, (size_t)(chance(run, 10) ? 12 << 20 : 70000))};
  memory->kernels_read = kernel != CL_MEM_WRITE_ONLY;
  memory->kernels_write = kernel != CL_MEM_READ_ONLY;
  memory->hosts_use = host_uses == 0;
  memory->past = past_new(run);
  char *host = NULL;
  if ((place & CL_MEM_USE_HOST_PTR) != 0)
    host = memory->host = long_memory(run, memory->size);
  else if ((place & CL_MEM_COPY_HOST_PTR) != 0)
    host = short_memory(run, memory->size);
  cl_int code = CL_SUCCESS;
  memory->handle = cl->clCreateBuffer(run->context, flags, memory->size, host, &code);
  log_call(run, code, "buffer of %zu, flags %lx", memory->size, (unsigned long)flags);
  if (memory->handle != NULL && host == NULL)
    fill_whole(run, memory);
}

static void make_part(struct random_program *run)
{
  struct memory *whole = any_buffer(run);
  struct memory *part = free_place(run);
  if (whole == NULL || part == NULL || whole->is_part || whole->size < 256)
    return;
  const size_t origin = draw(run, whole->size / 128) * 128;
  const cl_buffer_region region = {origin, 1 + draw(run, whole->size - origin)};
  *part = *whole;
  part->is_part = true;
  part->part = region.origin;
  part->size = region.size;
  if (part->host != NULL)
    part->host += region.origin;
  cl_int code = CL_SUCCESS;
  part->handle =
      cl->clCreateSubBuffer(whole->handle, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  log_call(run, code, "part of %zu at %zu", region.size, region.origin);
}

static void write_buffer(struct random_program *run, struct memory *memory)
{
  struct ordered ordered;
  order_begin(run, &ordered, (struct use[]){{memory, true}, {NULL, false}});
  const size_t size = draw_size(run, memory->size);
  const size_t offset = draw(run, memory->size - size + 1);
  const char *bytes = short_memory(run, size);
  const cl_int code =
      cl->clEnqueueWriteBuffer(ordered.queue->handle, memory->handle, ordered.blocking, offset,
                               size, bytes, ordered.count, ordered.given, ordered.wanted);
  log_call(run, code, "write %zu at %zu, blocking %u", size, offset, ordered.blocking);
  order_end(run, &ordered, code);
}

static void read_buffer(struct random_program *run, struct memory *memory)
{
  struct ordered ordered;
  order_begin(run, &ordered, (struct use[]){{memory, false}, {NULL, false}});
  const size_t size = draw_size(run, memory->size);
  const size_t offset = draw(run, memory->size - size + 1);
  char *bytes = short_memory(run, size);
  const cl_int code =
      cl->clEnqueueReadBuffer(ordered.queue->handle, memory->handle, ordered.blocking, offset, size,
                              bytes, ordered.count, ordered.given, ordered.wanted);
  log_call(run, code, "read %zu at %zu, blocking %u", size, offset, ordered.blocking);
  expect_read(run, &ordered, code, bytes, size);
  order_end(run, &ordered, code);
}

/* A box of bytes in a buffer that holds it, or in memory of the host. */
struct box {
  size_t origin[3], row, slice;
};

static void draw_region(struct random_program *run, size_t size, size_t *region)
{
  region[0] = 1 + draw(run, size < 64 ? size : 64);
  region[1] = 1 + draw(run, 8);
  region[2] = 1 + draw(run, 3);
  while (region[0] * region[1] * region[2] > size) {
    region[1] = 1;
    if (region[2] > 1)
      region[2]--;
    else
      region[0] = size;
  }
}

static struct box draw_box(struct random_program *run, size_t size, const size_t *region)
{
  struct box box = {.row = region[0], .slice = region[0] * region[1]};
  const size_t row = region[0] + draw(run, 9), slice = row * region[1] + draw(run, 2) * row;
  const size_t origin = draw(run, row - region[0] + 1);
  if (slice * region[2] <= size) {
    box = (struct box){.origin = {origin, 0, 0}, .row = row, .slice = slice};
    if (slice * (region[2] + 1) <= size)
      box.origin[2] = draw(run, 2);
  }
  return box;
}

static size_t box_end(const struct box *box, const size_t *region)
{
  return (box->origin[2] + region[2]) * box->slice + 4096;
}

static void rectangle(struct random_program *run, struct memory *memory, bool writes)
{
  struct ordered ordered;
  order_begin(run, &ordered, (struct use[]){{memory, writes}, {NULL, false}});
  size_t region[3];
  draw_region(run, memory->size, region);
  const struct box there = draw_box(run, memory->size, region), here = draw_box(run, 4096, region);
  const size_t size = box_end(&here, region);
  char *bytes = short_memory(run, size);
  const cl_int code =
      writes ? cl->clEnqueueWriteBufferRect(ordered.queue->handle, memory->handle, ordered.blocking,
                                            there.origin, here.origin, region, there.row,
                                            there.slice, here.row, here.slice, bytes, ordered.count,
                                            ordered.given, ordered.wanted)
             : cl->clEnqueueReadBufferRect(ordered.queue->handle, memory->handle, ordered.blocking,
                                           there.origin, here.origin, region, there.row,
                                           there.slice, here.row, here.slice, bytes, ordered.count,
                                           ordered.given, ordered.wanted);
  log_call(run, code, "%s box %zu x %zu x %zu", writes ? "write" : "read", region[0], region[1],
           region[2]);
  if (!writes)
    expect_read(run, &ordered, code, bytes, size);
  order_end(run, &ordered, code);
}

static void copy_buffer(struct random_program *run, struct memory *from, struct memory *to)
{
  struct ordered ordered;
  order_begin(run, &ordered, (struct use[]){{from, false}, {to, true}, {NULL, false}});
  const size_t least = from->size < to->size ? from->size : to->size;
  cl_int code = CL_SUCCESS;
  /* PoCL 3.1 ends programs that copy boxes of a part of a buffer. */
  if (from->is_part || to->is_part || chance(run, 60)) {
    const size_t size = 1 + draw_size(run, least - 1);
    const size_t source = draw(run, from->size - size + 1), target = draw(run, to->size - size + 1);
    code = cl->clEnqueueCopyBuffer(ordered.queue->handle, from->handle, to->handle, source, target,
                                   size, ordered.count, ordered.given, ordered.wanted);
    log_call(run, code, "copy %zu from %zu to %zu", size, source, target);
  } else {
    size_t region[3];
    draw_region(run, least, region);
    const struct box source = draw_box(run, from->size, region),
                     target = draw_box(run, to->size, region);
    code =
        cl->clEnqueueCopyBufferRect(ordered.queue->handle, from->handle, to->handle, source.origin,
                                    target.origin, region, source.row, source.slice, target.row,
                                    target.slice, ordered.count, ordered.given, ordered.wanted);
    log_call(run, code, "copy box %zu x %zu x %zu", region[0], region[1], region[2]);
  }
  order_end(run, &ordered, code);
}

static void fill_buffer(struct random_program *run, struct memory *memory)
{
  struct ordered ordered;
  order_begin(run, &ordered, (struct use[]){{memory, true}, {NULL, false}});
  const size_t unit = (size_t)1 << draw(run, 8);
  const size_t units = draw_size(run, memory->size / unit);
  const size_t offset = draw(run, memory->size / unit - units + 1) * unit;
  const char *pattern = short_memory(run, unit);
  const cl_int code =
      cl->clEnqueueFillBuffer(ordered.queue->handle, memory->handle, pattern, unit, offset,
                              units * unit, ordered.count, ordered.given, ordered.wanted);
  log_call(run, code, "fill %zu times %zu at %zu", units, unit, offset);
  order_end(run, &ordered, code);
}

void unmap(struct random_program *run, struct memory *memory)
{
  struct ordered ordered;
  order_begin(run, &ordered, (struct use[]){{memory, true}, {NULL, false}});
  const cl_int code =
      cl->clEnqueueUnmapMemObject(ordered.queue->handle, memory->handle, memory->mapped,
                                  ordered.count, ordered.given, ordered.wanted);
  log_call(run, code, "unmap");
  order_end(run, &ordered, code);
  memory->mapped = NULL;
  memory->past->mapped = false;
}

void use_mapped(struct random_program *run, struct memory *memory, const struct mapped *mapped)
{
  for (size_t i = 0; i < mapped->rows; i++) {
    char *row = mapped->place + i * mapped->pitch;
    if (mapped->flags == CL_MAP_READ || mapped->flags == (CL_MAP_READ | CL_MAP_WRITE))
      log_call(run, 0, "mapped %016llx", (unsigned long long)sum_of(row, mapped->row));
    if (mapped->flags == CL_MAP_WRITE_INVALIDATE_REGION)
      memset(row, (int)draw(run, 256), mapped->row);
    else if ((mapped->flags & CL_MAP_WRITE) != 0)
      row[draw(run, mapped->row)] = (char)draw(run, 256);
  }
  cl_uint count = 0;
  log_call(run,
           cl->clGetMemObjectInfo(memory->handle, CL_MEM_MAP_COUNT, sizeof count, &count, NULL),
           "mapped %u times", count);
  memory->mapped = mapped->place;
  memory->past->mapped = true;
  if (chance(run, 60))
    unmap(run, memory);
}

static void map_buffer(struct random_program *run, struct memory *memory)
{
  static const cl_map_flags kinds[] = {CL_MAP_READ, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE,
                                       CL_MAP_WRITE_INVALIDATE_REGION};
  struct mapped mapped = {.flags = kinds[draw(run, 4)], .rows = 1};
  struct ordered ordered;
  order_begin(run, &ordered, (struct use[]){{memory, mapped.flags != CL_MAP_READ}, {NULL, false}});
  ordered.wanted = &ordered.event;
  mapped.row = 1 + draw_size(run, memory->size - 1);
  const size_t offset = draw(run, memory->size - mapped.row + 1);
  cl_int code = CL_SUCCESS;
  mapped.place = cl->clEnqueueMapBuffer(ordered.queue->handle, memory->handle, ordered.blocking,
                                        mapped.flags, offset, mapped.row, ordered.count,
                                        ordered.given, ordered.wanted, &code);
  log_call(run, code, "map %zu at %zu, flags %lx, blocking %u, where it must be %d", mapped.row,
           offset, (unsigned long)mapped.flags, ordered.blocking,
           memory->host == NULL || mapped.place == memory->host + offset);
  order_end(run, &ordered, code);
  if (code != CL_SUCCESS)
    return;
  if (!ordered.blocking) {
    let_go(run);
    log_call(run, cl->clWaitForEvents(1, &ordered.event), "it is mapped");
  }
  use_mapped(run, memory, &mapped);
}

static void query_buffer(struct random_program *run, const struct memory *memory)
{
  size_t size = 0, offset = 0;
  cl_mem whole = NULL;
  cl_mem_flags flags = 0;
  void *host = NULL;
  const cl_int code =
      cl->clGetMemObjectInfo(memory->handle, CL_MEM_SIZE, sizeof size, &size, NULL) |
      cl->clGetMemObjectInfo(memory->handle, CL_MEM_OFFSET, sizeof offset, &offset, NULL) |
      cl->clGetMemObjectInfo(memory->handle, CL_MEM_FLAGS, sizeof flags, &flags, NULL) |
      cl->clGetMemObjectInfo(memory->handle, CL_MEM_HOST_PTR, sizeof(void *), &host, NULL) |
      cl->clGetMemObjectInfo(memory->handle, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole, &whole,
                             NULL);
  log_call(run, code, "size %zu at %zu, flags %lx, a part %d, host's %d", size, offset,
           (unsigned long)flags, whole != NULL, host == memory->host);
}

static void unmap_some(struct random_program *run)
{
  struct memory *memory = &run->memories[draw(run, MEMORIES)];
  if (memory->handle != NULL && memory->mapped != NULL)
    unmap(run, memory);
}

void buffer_steps(struct random_program *run)
{
  struct memory *memory = any_buffer(run);
  const size_t kind = draw(run, 20);
  unmap_some(run);
  if (memory == NULL || kind < 3) {
    if (kind == 0)
      make_part(run);
    else
      make_buffer(run);
    return;
  }
  struct memory *other = any_buffer(run);
  if (memory->past->mapped)
    return;
  if (kind < 7)
    write_buffer(run, memory);
  else if (kind < 11)
    read_buffer(run, memory);
  else if (kind < 13)
    rectangle(run, memory, chance(run, 50));
  else if (kind < 15 && other != NULL && memory->past != other->past)
    copy_buffer(run, memory, other);
  else if (kind < 16)
    fill_buffer(run, memory);
  else if (kind < 18)
    map_buffer(run, memory);
  else if (kind < 19)
    query_buffer(run, memory);
  else
    forget_memory(run, memory);
}
