/* Moves elements between arrays in memory and arrays on the disk. The elements of both sections are
 * ordered. Each process that works on a file takes a range of the elements in this order and
 * divides it into pieces. It moves each piece between the disk and the memory of the processes that
 * own the elements. */
#include "ga/files/disk_array.h"

#include "array/array.h"
#include "array/array_arguments.h"
#include "ga/base/binding.h"
#include "team/agreement.h"

#include <causeway.h>

#include <stdlib.h>
#include <string.h>

enum {
  PIECE = 1 << 18
}; /* bytes of a piece, so small that it stays in the cache until the system has copied it */

/* A range of indices in each dimension. */
struct section {
  int ndim;
  int64_t lo[GA_MAX_DIM], extent[GA_MAX_DIM];
};

/* Checked arguments of a move. */
struct prepared {
  bool writes, transposed;
  cw_array array;
  struct cwi_dra *dra;
  struct section memory; /* its dimensions are reversed if `transposed` is set */
  struct section disk;
  size_t element;
};

static int64_t elements_of(const struct section *section)
{
  int64_t elements = 1;
  for (int d = 0; d < section->ndim; d++)
    elements *= section->extent[d];
  return elements;
}

/* --- From ordered elements to boxes --- */

/* Finds the largest box of consecutive elements that begins at `first` and has at most `count`
 * elements. The box has a range of indices in one dimension, and all indices in the dimensions
 * after it. Returns the number of its elements. */
static int64_t box_at(const struct section *section, int64_t first, int64_t count,
                      struct section *box)
{
  int64_t inner = elements_of(section), rest = first;
  int d = -1;
  bool found = false;
  box->ndim = section->ndim;
  while (++d < section->ndim) {
    inner /= section->extent[d];
    box->lo[d] = section->lo[d] + rest / inner;
    box->extent[d] = found ? section->extent[d] : 1;
    if (!found && rest % inner == 0 && count >= inner) {
      const int64_t left = section->extent[d] - rest / inner, fit = count / inner;
      box->extent[d] = fit < left ? fit : left;
      found = true;
    }
    rest %= inner;
  }
  return elements_of(box);
}

/* --- Both sides of a piece --- */

/* Moves a box of the section in memory. If the dimensions of the section are reversed, the box is
 * still a box of the array. Only the order of its elements in the buffer differs. */
static cw_error move_box(const struct prepared *move, const struct section *box, char *buffer)
{
  int64_t lo[GA_MAX_DIM], hi[GA_MAX_DIM], strides[GA_MAX_DIM];
  int64_t stride = 1;
  for (int d = box->ndim - 1; d >= 0; d--) {
    const int at = move->transposed ? box->ndim - 1 - d : d;
    lo[at] = box->lo[d];
    hi[at] = box->lo[d] + box->extent[d] - 1;
    strides[at] = stride;
    stride *= box->extent[d];
  }
  const cw_patch patch = {.operation = move->writes ? CW_GET : CW_PUT,
                          .lo = lo,
                          .hi = hi,
                          .buffer = buffer,
                          .strides = strides};
  return cw_array_transfer(move->array, &patch);
}

static cw_error move_memory(const struct prepared *move, int64_t first, int64_t count, char *buffer)
{
  struct section box;
  while (count > 0) {
    const int64_t elements = box_at(&move->memory, first, count, &box);
    CWI_TRY(move_box(move, &box, buffer));
    first += elements;
    count -= elements;
    buffer += (size_t)elements * move->element;
  }
  return CW_OK;
}

/* Returns the number of elements of a box that are contiguous on the disk. */
static int64_t run_length(const struct cwi_dra_shape *shape, const struct section *box)
{
  int64_t length = 1;
  int d = shape->ndim;
  while (--d >= 0) {
    length *= box->extent[d];
    if (box->extent[d] != shape->dims[d])
      break;
  }
  return length;
}

/* Returns the position of element `number` of a box in the array on the disk. */
static int64_t place_on_disk(const struct cwi_dra_shape *shape, const struct section *box,
                             int64_t number)
{
  int64_t place = 0, scale = 1;
  for (int d = shape->ndim - 1; d >= 0; d--) {
    place += (box->lo[d] + number % box->extent[d]) * scale;
    number /= box->extent[d];
    scale *= shape->dims[d];
  }
  return place;
}

static cw_error disk_box(const struct prepared *move, int file, const struct section *box,
                         char *buffer)
{
  const struct cwi_dra_shape *shape = &move->dra->shape;
  const int64_t all = elements_of(box), length = run_length(shape, box);
  for (int64_t number = 0; number < all; number += length) {
    const struct cwi_dra_run run = {file, place_on_disk(shape, box, number), (size_t)length,
                                    buffer + (size_t)number * move->element};
    CWI_TRY(move->writes ? cwi_dra_write(move->dra, &run) : cwi_dra_read(move->dra, &run));
  }
  return CW_OK;
}

static cw_error move_disk(const struct prepared *move, int file, int64_t first, int64_t count,
                          char *buffer)
{
  struct section box;
  while (count > 0) {
    const int64_t elements = box_at(&move->disk, first, count, &box);
    CWI_TRY(disk_box(move, file, &box, buffer));
    first += elements;
    count -= elements;
    buffer += (size_t)elements * move->element;
  }
  return CW_OK;
}

/* --- The part of this process --- */

/* Returns the number of elements of a piece. A piece consists of whole rows of the section on the
 * disk, if a row fits into a piece. */
static int64_t piece_of(const struct prepared *move)
{
  const int64_t most = PIECE / (int64_t)move->element;
  int64_t inner = elements_of(&move->disk);
  for (int d = 0; d < move->disk.ndim && inner > most; d++)
    inner /= move->disk.extent[d];
  return most / inner * inner;
}

static cw_error move_part(const struct prepared *move, int file, int64_t begin, int64_t end,
                          char *buffer)
{
  const int64_t piece = piece_of(move);
  for (int64_t first = begin, next = begin; first < end; first = next) {
    next = (first / piece + 1) * piece;
    if (next > end)
      next = end;
    const int64_t count = next - first;
    if (move->writes)
      CWI_TRY(move_memory(move, first, count, buffer));
    CWI_TRY(move_disk(move, file, first, count, buffer));
    if (!move->writes)
      CWI_TRY(move_memory(move, first, count, buffer));
  }
  return CW_OK;
}

/* Computes the share of this process in the part of the section that is in a file. A share consists
 * of whole pieces. */
static void my_part(const struct prepared *move, int file, struct cwi_dra_share share,
                    int64_t *begin, int64_t *end)
{
  int64_t first = 0, last = 0;
  const int64_t lo = move->disk.lo[0], row = elements_of(&move->disk) / move->disk.extent[0];
  cwi_dra_rows(&move->dra->shape, file, &first, &last);
  first = first > lo ? first - lo : 0;
  last = last < lo + move->disk.extent[0] ? last - lo : move->disk.extent[0];
  const int64_t elements = last > first ? (last - first) * row : 0;
  const int64_t piece = piece_of(move), pieces = (elements + piece - 1) / piece;
  *begin = first * row + pieces * share.place / share.places * piece;
  *end = first * row + pieces * (share.place + 1) / share.places * piece;
  if (*end > first * row + elements)
    *end = first * row + elements;
}

static cw_error move_mine(const struct prepared *move, const struct cwi_dra_workers *workers)
{
  const int64_t all = elements_of(&move->disk), piece = piece_of(move);
  char *buffer = malloc((size_t)(all < piece ? all : piece) * move->element);
  if (buffer == NULL)
    return cwi_outside("no memory for %d bytes of array '%s'", PIECE, move->dra->shape.name);
  cw_error error = CW_OK;
  for (int file = 0; file < move->dra->shape.files && error == CW_OK; file++) {
    int64_t begin = 0, end = 0;
    const struct cwi_dra_share share = cwi_dra_share_of(workers, &move->dra->shape, file);
    if (share.places > 0)
      my_part(move, file, share, &begin, &end);
    error = move_part(move, file, begin, end, buffer);
  }
  free(buffer);
  return error;
}

/* --- Checks --- */

static cw_error check_section(const char *name, const int64_t *lo, const int64_t *hi, int ndim,
                              const int64_t *dims, struct section *section)
{
  section->ndim = ndim;
  for (int d = 0; d < ndim; d++) {
    const int64_t first = lo != NULL ? lo[d] : 0, last = hi != NULL ? hi[d] : dims[d] - 1;
    if (first < 0 || last < first || last >= dims[d])
      return cwi_misuse("%s: indices %lld to %lld of dimension %d are not in the array, which has "
                        "indices 0 to %lld",
                        name, (long long)first, (long long)last, d, (long long)dims[d] - 1);
    section->lo[d] = first;
    section->extent[d] = last - first + 1;
  }
  return CW_OK;
}

static void reverse_order(struct section *section)
{
  const struct section old = *section;
  for (int d = 0; d < old.ndim; d++) {
    section->lo[d] = old.lo[old.ndim - 1 - d];
    section->extent[d] = old.extent[old.ndim - 1 - d];
  }
}

static cw_error check_mode(const struct cwi_dra *dra, bool writes)
{
  if (writes && dra->mode == CWI_PARIO_R)
    return cwi_misuse("array '%s' was opened with DRA_R: nothing can be written", dra->shape.name);
  return CW_OK;
}

static cw_error check_alike(const struct cwi_ga_array *entry, const struct prepared *move,
                            bool whole)
{
  const struct cwi_dra_shape *shape = &move->dra->shape;
  bool same = entry->ndim == shape->ndim;
  for (int d = 0; d < shape->ndim && same; d++)
    same = entry->dims[d] == shape->dims[d];
  if (entry->type != shape->type)
    return cwi_misuse("g_a has elements of type %d, but d_a has elements of type %d", entry->type,
                      shape->type);
  if (whole && !same)
    return cwi_misuse("g_a and d_a differ in the number or the lengths of their dimensions");
  if (elements_of(&move->memory) != elements_of(&move->disk))
    return cwi_misuse("the section of g_a has %lld elements, but that of d_a has %lld",
                      (long long)elements_of(&move->memory), (long long)elements_of(&move->disk));
  return CW_OK;
}

static cw_error prepare(const struct cwi_dra_move *call_arguments, struct prepared *move)
{
  move->writes = call_arguments->writes;
  move->transposed = call_arguments->transposed;
  CWI_TRY(cwi_dra_find(call_arguments->handle, &move->dra));
  CWI_TRY(cwi_ga_array("g_a", call_arguments->g_a, &move->array));
  const struct cwi_ga_array *entry = cwi_ga_entry(call_arguments->g_a);
  const struct cwi_dra_shape *shape = &move->dra->shape;
  move->element = shape->element;
  CWI_TRY(check_mode(move->dra, call_arguments->writes));
  CWI_TRY(check_section("glo, ghi", call_arguments->glo, call_arguments->ghi, entry->ndim,
                        entry->dims, &move->memory));
  CWI_TRY(check_section("dlo, dhi", call_arguments->dlo, call_arguments->dhi, shape->ndim,
                        shape->dims, &move->disk));
  if (call_arguments->transposed)
    reverse_order(&move->memory);
  return check_alike(entry, move, call_arguments->glo == NULL);
}

/* --- The call --- */

/* With CW_CHECK=1, compares the arguments of the members. */
static cw_error move_agree(cw_team team, const struct cwi_dra_move *call_arguments,
                           const struct prepared *move)
{
  const size_t dimensions = (size_t)move->memory.ndim, on_disk = (size_t)move->disk.ndim;
  const struct cwi_argument list[] = {cwi_argument_truth("transp", call_arguments->transposed),
                                      cwi_agreed_array("g_a", move->array),
                                      cwi_argument_indices("glo", call_arguments->glo, dimensions),
                                      cwi_argument_indices("ghi", call_arguments->ghi, dimensions),
                                      cwi_argument_indices("d_a", &call_arguments->handle, 1),
                                      cwi_argument_indices("dlo", call_arguments->dlo, on_disk),
                                      cwi_argument_indices("dhi", call_arguments->dhi, on_disk),
                                      CWI_ARGUMENTS_END};
  return cwi_ga_agreed(team, list);
}

/* Moves a section. The move is complete on return. */
cw_error cwi_dra_move(const struct cwi_dra_move *call_arguments, int *request)
{
  cw_team team = NULL;
  struct prepared move;
  struct cwi_dra_workers workers;
  CWI_TRY(cwi_dra_team(&team));
  CWI_TRY(prepare(call_arguments, &move));
  CWI_TRY(move_agree(team, call_arguments, &move));
  CWI_TRY(cwi_dra_request(request));
  CWI_TRY(cwi_team_agree(team, cwi_dra_workers_of(team, &workers)));
  CWI_TRY(cw_wait_all());
  CWI_TRY(cw_barrier(team));
  CWI_TRY(cwi_team_agree(team, move_mine(&move, &workers)));
  CWI_TRY(cw_wait_all());
  return cw_barrier(team);
}
