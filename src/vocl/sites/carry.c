/* Carries the contents of buffers and images, piece by piece. */
#include "sites/carry.h"

#include <stdlib.h>

/* A piece of memory as commands name it. */
struct carried_piece {
  size_t offset, size;
  size_t origin[3], region[3]; /* of an image */
};

cl_int cwi_carry_begin(struct cwi_carrier *carrier, struct cwi_sited_context *context,
                       uint32_t from, void *from_device, uint32_t to, void *to_device)
{
  void *const devices[] = {from_device, to_device};
  const uint32_t sites[] = {from, to};
  *carrier = (struct cwi_carrier){.from = from, .to = to};
  for (size_t i = 0; i < CWI_CARRY_PIECES; i++) {
    carrier->pieces[i] = malloc(CWI_CARRY_PIECE);
    if (carrier->pieces[i] == NULL)
      return CL_OUT_OF_HOST_MEMORY;
  }
  cl_int code = CL_SUCCESS;
  for (size_t i = 0; i < 2 && code == CL_SUCCESS; i++) {
    const struct cwi_making making = {.sort = CWI_QUEUE,
                                      .parent = cwi_site_copy(context, sites[i], &code),
                                      .device_count = 1,
                                      .devices = &devices[i]};
    if (code == CL_SUCCESS)
      code = cwi_copy_make(&making, &carrier->queues[i]);
  }
  return code;
}

static cl_int carry_end_event(void **event)
{
  void *const events[] = {*event};
  const cl_int code = cwi_copy_wait(1, events);
  cwi_copy_drop(CWI_EVENT, *event);
  *event = NULL;
  return code;
}

static cl_int command_start(struct cwi_carrier *carrier, const struct cwi_sited_memory *memory,
                            const struct carried_piece *piece, size_t side, size_t place,
                            void **event)
{
  const bool is_image = cwi_memory_is_image(memory);
  const enum cwi_command_sort sorts[2][2] = {{CWI_COMMAND_READ, CWI_COMMAND_WRITE},
                                             {CWI_COMMAND_READ_IMAGE, CWI_COMMAND_WRITE_IMAGE}};
  struct cwi_command command = {.sort = sorts[is_image][side],
                                .queue = carrier->queues[side],
                                .host = carrier->pieces[place],
                                .event = event};
  command.memory[0] = cwi_site_copy_known(memory, side == 0 ? carrier->from : carrier->to);
  command.offset[0] = piece->offset;
  command.size = piece->size;
  if (is_image) {
    command.origin[0] = piece->origin;
    command.region = piece->region;
  }
  cl_int code = cwi_copy_execute(&command);
  return code == CL_SUCCESS ? cwi_copy_flush(carrier->queues[side]) : code;
}

/* The next piece begins to be read, when the last one that lay there has been written. */
static cl_int read_start(struct cwi_carrier *carrier, const struct cwi_sited_memory *memory,
                         const struct carried_piece *piece, size_t place, void **event)
{
  cl_int code = CL_SUCCESS;
  if (carrier->written[place] != NULL)
    code = carry_end_event(&carrier->written[place]);
  return code == CL_SUCCESS ? command_start(carrier, memory, piece, 0, place, event) : code;
}

/* Pieces come from `next`, until it says that there is none. */
struct carried_pieces {
  const struct cwi_sited_memory *memory;
  size_t done;      /* bytes of a buffer, rows of an image */
  size_t row;       /* bytes of a row of an image */
  size_t extent[3]; /* of an image */
};

static bool next_of_buffer(struct carried_pieces *pieces, struct carried_piece *piece)
{
  const size_t left = pieces->memory->size - pieces->done;
  *piece = (struct carried_piece){.offset = pieces->done,
                                  .size = left < CWI_CARRY_PIECE ? left : CWI_CARRY_PIECE};
  pieces->done += piece->size;
  return left > 0;
}

/* Several rows of one slice, as many as fit. A row has at most as many bytes as a piece. */
static bool next_of_image(struct carried_pieces *pieces, struct carried_piece *piece)
{
  const size_t rows = pieces->extent[1];
  if (pieces->done == rows * pieces->extent[2])
    return false;
  const size_t first = pieces->done % rows, fit = CWI_CARRY_PIECE / pieces->row;
  const size_t count = rows - first < fit ? rows - first : fit;
  *piece = (struct carried_piece){.size = count * pieces->row,
                                  .origin = {0, first, pieces->done / rows},
                                  .region = {pieces->extent[0], count, 1}};
  pieces->done += count;
  return true;
}

static bool next_piece(struct carried_pieces *pieces, struct carried_piece *piece)
{
  return cwi_memory_is_image(pieces->memory) ? next_of_image(pieces, piece)
                                             : next_of_buffer(pieces, piece);
}

/* How commands name its whole: layers are rows or slices. */
static cl_int image_measure(const struct cwi_sited_memory *memory, struct carried_pieces *pieces)
{
  const cl_image_desc *image = &memory->image;
  *pieces = (struct carried_pieces){
      .memory = memory,
      .row = image->image_width * memory->element,
      .extent = {image->image_width, cwi_image_rows(image), cwi_image_slices(image)}};
  return pieces->row == 0 || pieces->row > CWI_CARRY_PIECE ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

cl_int cwi_carry(struct cwi_carrier *carrier, const struct cwi_sited_memory *memory)
{
  struct carried_pieces pieces = {.memory = memory};
  struct carried_piece piece = {.size = 0}, following = {.size = 0};
  void *read = NULL, *next_read = NULL;
  cl_int code = cwi_memory_is_image(memory) ? image_measure(memory, &pieces) : CL_SUCCESS;
  bool more = code == CL_SUCCESS && next_piece(&pieces, &piece);
  if (more)
    code = read_start(carrier, memory, &piece, 0, &read);
  for (size_t place = 0; more && code == CL_SUCCESS; place = (place + 1) % CWI_CARRY_PIECES) {
    const bool follows = next_piece(&pieces, &following);
    code = carry_end_event(&read);
    if (code == CL_SUCCESS && follows)
      code = read_start(carrier, memory, &following, (place + 1) % CWI_CARRY_PIECES, &next_read);
    if (code == CL_SUCCESS && carrier->written[place] != NULL)
      code = carry_end_event(&carrier->written[place]);
    if (code == CL_SUCCESS)
      code = command_start(carrier, memory, &piece, 1, place, &carrier->written[place]);
    carrier->bytes += piece.size;
    piece = following;
    read = next_read;
    next_read = NULL;
    more = follows;
  }
  if (read != NULL) /* it goes into memory that is freed soon */
    carry_end_event(&read);
  return code;
}

cl_int cwi_carry_end(struct cwi_carrier *carrier)
{
  cl_int code = CL_SUCCESS;
  for (size_t i = 0; i < CWI_CARRY_PIECES; i++) {
    const cl_int written =
        carrier->written[i] != NULL ? carry_end_event(&carrier->written[i]) : CL_SUCCESS;
    code = code != CL_SUCCESS ? code : written;
    free(carrier->pieces[i]);
  }
  for (size_t i = 0; i < 2; i++)
    if (carrier->queues[i] != NULL)
      cwi_copy_drop(CWI_QUEUE, carrier->queues[i]);
  return code;
}
