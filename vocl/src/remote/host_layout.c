/* Layout of data in a program's memory, for commands that read and write it. */
#include "remote/stub.h"

#include <string.h>

size_t vocl_pixel_bytes(const cl_image_format *format)
{
  static const unsigned char channels[32] = {
      [CL_R & 31] = 1,         [CL_A & 31] = 1,     [CL_RG & 31] = 2,
      [CL_RA & 31] = 2,        [CL_RGB & 31] = 3,   [CL_RGBA & 31] = 4,
      [CL_BGRA & 31] = 4,      [CL_ARGB & 31] = 4,  [CL_INTENSITY & 31] = 1,
      [CL_LUMINANCE & 31] = 1, [CL_Rx & 31] = 2,    [CL_RGx & 31] = 3,
      [CL_RGBx & 31] = 4,      [CL_DEPTH & 31] = 1, [CL_DEPTH_STENCIL & 31] = 1,
      [CL_sRGB & 31] = 3,      [CL_sRGBx & 31] = 4, [CL_sRGBA & 31] = 4,
      [CL_sBGRA & 31] = 4,     [CL_ABGR & 31] = 4};
  static const unsigned char bytes[32] = {
      [CL_SNORM_INT8 & 31] = 1,     [CL_SNORM_INT16 & 31] = 2,   [CL_UNORM_INT8 & 31] = 1,
      [CL_UNORM_INT16 & 31] = 2,    [CL_SIGNED_INT8 & 31] = 1,   [CL_SIGNED_INT16 & 31] = 2,
      [CL_SIGNED_INT32 & 31] = 4,   [CL_UNSIGNED_INT8 & 31] = 1, [CL_UNSIGNED_INT16 & 31] = 2,
      [CL_UNSIGNED_INT32 & 31] = 4, [CL_HALF_FLOAT & 31] = 2,    [CL_FLOAT & 31] = 4};
  const cl_channel_order order = format->image_channel_order;
  const cl_channel_type type = format->image_channel_data_type;
  if (type == CL_UNORM_SHORT_565 || type == CL_UNORM_SHORT_555)
    return 2;
  if (type == CL_UNORM_INT_101010 || type == CL_UNORM_INT_101010_2)
    return 4;
  if (order < CL_R || order - CL_R >= sizeof channels || type < CL_SNORM_INT8 ||
      type - CL_SNORM_INT8 >= sizeof bytes)
    return 0;
  return (size_t)channels[order & 31] * bytes[type & 31];
}

void vocl_host_layout_set(struct vocl_host_layout *layout, void *base, size_t row, size_t rows,
                          size_t slices, size_t row_pitch, size_t slice_pitch)
{
  *layout = (struct vocl_host_layout){.base = base, .row = row, .rows = rows, .slices = slices};
  layout->row_pitch = row_pitch != 0 ? row_pitch : row;
  layout->slice_pitch = slice_pitch != 0 ? slice_pitch : layout->row_pitch * rows;
  layout->bytes = row * rows * slices;
  if (layout->slice_pitch == layout->row_pitch * rows) {
    layout->rows *= slices;
    layout->slices = 1;
  }
  if (layout->row_pitch == row && layout->slices == 1) {
    layout->row *= layout->rows;
    layout->rows = 1;
  }
}

/* Returns the address of the packed byte `from`. Stores the number of contiguous bytes from there
 * on in *follow. */
static char *layout_at(const struct vocl_host_layout *layout, size_t from, size_t *follow)
{
  const size_t row = from / layout->row;
  const size_t in_row = from - row * layout->row;
  *follow = layout->row - in_row;
  return layout->base + row / layout->rows * layout->slice_pitch +
         row % layout->rows * layout->row_pitch + in_row;
}

void vocl_host_layout_pack(const struct vocl_host_layout *layout, size_t from, char *piece,
                           size_t bytes)
{
  for (size_t done = 0, run = 0; done < bytes; done += run) {
    const char *at = layout_at(layout, from + done, &run);
    run = run < bytes - done ? run : bytes - done;
    memcpy(piece + done, at, run);
  }
}

void vocl_host_layout_unpack(const struct vocl_host_layout *layout, size_t from, const char *piece,
                             size_t bytes)
{
  for (size_t done = 0, run = 0; done < bytes; done += run) {
    char *at = layout_at(layout, from + done, &run);
    run = run < bytes - done ? run : bytes - done;
    memcpy(at, piece + done, run);
  }
}

static const char *layout_end(const struct vocl_host_layout *layout)
{
  return layout->base + (layout->slices - 1) * layout->slice_pitch +
         (layout->rows - 1) * layout->row_pitch + layout->row;
}

bool vocl_host_layouts_overlap(const struct vocl_host_layout *one,
                               const struct vocl_host_layout *other)
{
  return one->bytes > 0 && other->bytes > 0 && one->base < layout_end(other) &&
         other->base < layout_end(one);
}
