/* Random transfers of patches and elements on random arrays, compared with a serial model: put,
 * get, accumulate, strided, periodic, non-blocking, gather, scatter, increments, ghosts, queries.
 * Arguments: "device" if parts of the arrays lie on devices; number of arrays, and of rounds on
 * each.
 * */
#include "array/array_model.h"
#include "kit/devices.h"

#include <stdlib.h>
#include <string.h>

enum { PADDING = 0x5a };

/* A patch as all processes draw it, with the buffer of the process that moves it. */
struct patch {
  int process;
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS], skip[CW_MAX_DIMENSIONS];
  int64_t count[CW_MAX_DIMENSIONS], ld[CW_MAX_DIMENSIONS];
  int64_t strides[CW_MAX_DIMENSIONS]; /* of the buffer */
  bool strided, periodic;
  bool turned; /* the buffer has its dimensions in another order; the strides are passed to the
                  transfer */
  size_t elements, bytes;
  char *buffer; /* NULL on other processes */
};

/* Draws the first dimension of the buffer. The others follow in the order of the array's. */
static void finish_patch(const array_model *model, struct patch *patch)
{
  size_t whole = 1;
  const int rotation = patch->turned ? 1 + kit_common(model->n) : 0;
  patch->elements = 1;
  for (int i = model->n - 1; i >= 0; i--) {
    const int d = (i + rotation) % model->n;
    const int64_t extent = patch->hi[d] - patch->lo[d] + patch->skip[d];
    patch->count[d] = extent / patch->skip[d];
    patch->strides[d] = (int64_t)whole;
    patch->elements *= (size_t)patch->count[d];
    const int64_t length = patch->count[d] + (i > 0 ? kit_common(3) : 0);
    if (i > 0)
      patch->ld[i - 1] = length;
    whole *= (size_t)length;
  }
  patch->bytes = whole * model->element;
  patch->buffer = NULL;
  if (patch->process == kit_me()) {
    patch->buffer = kit_alloc(patch->bytes, 1);
    memset(patch->buffer, PADDING, patch->bytes);
  }
}

static bool draw_patch(const array_model *model, int process, int parts, struct patch *patch)
{
  patch->process = process;
  const bool some = model_patch(model, parts > 1 ? process : 0, parts, patch->lo, patch->hi);
  patch->strided = kit_common(3) == 0;
  patch->periodic = !patch->strided && parts == 1 && kit_common(3) == 0;
  patch->turned = kit_common(4) == 0;
  for (int d = 0; d < model->n; d++) {
    patch->skip[d] = patch->strided ? 1 + kit_common(4) : 1;
    if (patch->periodic) {
      patch->lo[d] -= kit_common((int)model->extents[d] + 3);
      patch->hi[d] = patch->lo[d] + kit_common(2 * (int)model->extents[d]);
    }
  }
  finish_patch(model, patch);
  return some;
}

static size_t in_buffer(const array_model *model, const struct patch *patch, const int64_t *at)
{
  int64_t place = 0;
  for (int d = 0; d < model->n; d++)
    place += at[d] * patch->strides[d];
  return (size_t)place * model->element;
}

static size_t in_model(const array_model *model, const struct patch *patch, const int64_t *at)
{
  int64_t index[CW_MAX_DIMENSIONS];
  for (int d = 0; d < model->n; d++) {
    const int64_t extent = model->extents[d];
    index[d] = ((patch->lo[d] + at[d] * patch->skip[d]) % extent + 2 * extent) % extent;
  }
  return model_index(model, index);
}

/* Called for each element of a patch. */
typedef void element_function(const array_model *model, const struct patch *patch, size_t i,
                              size_t place, size_t at, int round);

static void visit(const array_model *model, const struct patch *patch, int round,
                  element_function *what)
{
  int64_t zero[CW_MAX_DIMENSIONS] = {0}, last[CW_MAX_DIMENSIONS], at[CW_MAX_DIMENSIONS] = {0};
  size_t i = 0;
  for (int d = 0; d < model->n; d++)
    last[d] = patch->count[d] - 1;
  do
    what(model, patch, i++, in_buffer(model, patch, at), in_model(model, patch, at), round);
  while (model_next(model->n, zero, last, at));
}

static void load_payload(const array_model *model, const struct patch *patch, size_t i,
                         size_t place, size_t at, int round)
{
  (void)at;
  const int64_t value = model_payload(patch->process, i, round);
  if (patch->buffer != NULL)
    model_store(model, patch->buffer + place, value, -value);
}

static void put_in_model(const array_model *model, const struct patch *patch, size_t i,
                         size_t place, size_t at, int round)
{
  (void)place;
  model->real[at] = model_payload(patch->process, i, round);
  model->imaginary[at] = -model->real[at];
}

static void add_to_model(const array_model *model, const struct patch *patch, size_t i,
                         size_t place, size_t at, int round)
{
  (void)place;
  const int64_t value = model_payload(patch->process, i, round) * (1 + round % 3);
  model->real[at] += value;
  model->imaginary[at] -= value;
}

/* Compares an element and turns it into padding, so that afterwards the whole buffer must be
 * padding. */
static void check_got(const array_model *model, const struct patch *patch, size_t i, size_t place,
                      size_t at, int round)
{
  (void)i, (void)round;
  kit_check(model_equal(model, patch->buffer + place, model->real[at], model->imaginary[at]),
            "element %zu of a patch is not %lld", i, (long long)model->real[at]);
  memset(patch->buffer + place, PADDING, model->element);
}

static void check_padding(const struct patch *patch)
{
  size_t touched = 0;
  for (size_t i = 0; i < patch->bytes; i++)
    touched += patch->buffer[i] != PADDING;
  kit_check_long((long)touched, 0, "bytes of padding that a get touched");
}

static void store_scale(const array_model *model, int round, unsigned char scale[32])
{
  model_store(model, scale, 1 + round % 3, 0);
}

static cw_patch as_patch(const struct patch *patch, cw_operation operation, const void *scale)
{
  return (cw_patch){.operation = operation,
                    .lo = patch->lo,
                    .hi = patch->hi,
                    .skip = patch->strided ? patch->skip : NULL,
                    .periodic = patch->periodic,
                    .buffer = patch->buffer,
                    .ld = patch->turned ? NULL : patch->ld,
                    .strides = patch->turned ? patch->strides : NULL,
                    .scale = scale};
}

/* Runs a transfer whose buffer lies on a device of this process meanwhile. */
static void run_from_device(const array_model *model, const struct patch *patch,
                            cw_operation operation, const void *scale, cw_handle *handle)
{
  cw_patch all = as_patch(patch, operation, scale);
  char *there = kit_device_memory();
  KIT_OK(cw_put(patch->buffer, there, patch->bytes, kit_me()));
  all.buffer = there;
  all.local_device = true;
  if (handle != NULL)
    KIT_OK(cw_array_start(model->array, &all, handle));
  else
    KIT_OK(cw_array_transfer(model->array, &all));
  KIT_OK(cw_get(patch->buffer, there, patch->bytes, kit_me()));
}

/* Runs a transfer by one of its calls. `handle` is NULL for a blocking one. */
static void run(const array_model *model, const struct patch *patch, cw_operation operation,
                const void *scale, cw_handle *handle)
{
  const cw_patch all = as_patch(patch, operation, scale);
  if (kit_uses_devices() && patch->bytes <= KIT_DEVICE_BYTES && kit_own(2) == 0) {
    run_from_device(model, patch, operation, scale, handle);
    return;
  }
  if (handle != NULL)
    KIT_OK(cw_array_start(model->array, &all, handle));
  else if (patch->strided || patch->periodic || patch->turned)
    KIT_OK(cw_array_transfer(model->array, &all));
  else if (operation == CW_PUT)
    KIT_OK(cw_array_put(model->array, patch->lo, patch->hi, patch->buffer, patch->ld));
  else if (operation == CW_GET)
    KIT_OK(cw_array_get(model->array, patch->lo, patch->hi, patch->buffer, patch->ld));
  else
    KIT_OK(
        cw_array_accumulate(model->array, patch->lo, patch->hi, patch->buffer, patch->ld, scale));
}

/* Every process puts into its own part, or all accumulate anywhere; some use handles. */
static void update(const array_model *model, cw_operation operation, int round)
{
  enum { PATCHES = 3 };
  const int parts = operation == CW_PUT ? kit_processes() : 1;
  const bool waits = kit_common(2) == 0;
  unsigned char scale[32];
  struct patch mine[PATCHES];
  int started = 0;
  cw_handle handle = {0};
  store_scale(model, round, scale);
  for (int process = 0; process < kit_processes(); process++)
    for (int i = 0; i < (operation == CW_PUT ? 1 : PATCHES); i++) {
      struct patch patch;
      const bool some = draw_patch(model, process, parts, &patch);
      if (some) {
        visit(model, &patch, round, load_payload);
        visit(model, &patch, round, operation == CW_PUT ? put_in_model : add_to_model);
      }
      if (some && patch.buffer != NULL) {
        run(model, &patch, operation, scale, waits ? NULL : &handle);
        mine[started++] = patch;
      } else {
        free(patch.buffer);
      }
    }
  KIT_OK(cw_wait(&handle));
  for (int i = 0; i < started; i++)
    free(mine[i].buffer);
}

static void read_patches(const array_model *model, int round)
{
  enum { PATCHES = 4 };
  const bool waits = kit_common(2) == 0;
  struct patch mine[PATCHES];
  cw_handle handle = {0};
  int started = 0;
  for (int i = 0; i < PATCHES * kit_processes(); i++) {
    struct patch patch;
    draw_patch(model, i % kit_processes(), 1, &patch);
    if (patch.buffer == NULL)
      continue;
    run(model, &patch, CW_GET, NULL, waits ? NULL : &handle);
    mine[started++] = patch;
  }
  KIT_OK(cw_wait(&handle));
  for (int i = 0; i < started; i++) {
    visit(model, &mine[i], round, check_got);
    check_padding(&mine[i]);
    free(mine[i].buffer);
  }
}

/* Lists of elements: scatters to own parts, scatter-accumulates anywhere (with repeated elements),
 * gathers from anywhere. */
static void list_elements(const array_model *model, cw_operation operation, int round)
{
  enum { ELEMENTS = 60 };
  int64_t *indices = kit_alloc(ELEMENTS, sizeof *indices * (size_t)model->n);
  char *values = kit_alloc(ELEMENTS, model->element);
  unsigned char scale[32];
  store_scale(model, round, scale);
  for (int process = 0; process < kit_processes(); process++) {
    int64_t *index = indices, hi[CW_MAX_DIMENSIONS];
    size_t count = 0;
    for (size_t i = 0; i < ELEMENTS; i++) {
      const int part = operation == CW_PUT ? process : 0;
      if (!model_patch(model, part, operation == CW_PUT ? kit_processes() : 1, index, hi))
        continue;
      const size_t at = model_index(model, index);
      const int64_t value = operation == CW_PUT ? 1 + (int64_t)(at + (size_t)round) % 9
                                                : model_payload(process, i, round);
      model_store(model, values + count * model->element, value, -value);
      if (operation == CW_PUT) {
        model->real[at] = value;
        model->imaginary[at] = -value;
      } else if (operation == CW_ACCUMULATE) {
        model->real[at] += value * (1 + round % 3);
        model->imaginary[at] -= value * (1 + round % 3);
      }
      index += model->n;
      count++;
    }
    if (process != kit_me())
      continue;
    if (operation == CW_PUT)
      KIT_OK(cw_array_scatter(model->array, count, indices, values));
    else if (operation == CW_ACCUMULATE)
      KIT_OK(cw_array_scatter_accumulate(model->array, count, indices, values, scale));
    else
      KIT_OK(cw_array_gather(model->array, count, indices, values));
    for (size_t i = 0; i < count && operation == CW_GET; i++) {
      const size_t at = model_index(model, indices + i * (size_t)model->n);
      kit_check(
          model_equal(model, values + i * model->element, model->real[at], model->imaginary[at]),
          "gathered element %zu is not %lld", i, (long long)model->real[at]);
    }
  }
  free(indices);
  free(values);
}

/* All processes increment the same elements. Each value must be returned once. */
static void increment(const array_model *model)
{
  const bool integer =
      model->type == CW_INT || model->type == CW_LONG || model->type == CW_LONG_LONG;
  int64_t index[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS], before = 0;
  for (int i = 0; i < 5; i++) {
    model_patch(model, 0, 1, index, hi);
    if (!integer) {
      KIT_MISUSE("type", cw_array_read_increment(model->array, index, 1, &before));
      return;
    }
    const size_t at = model_index(model, index);
    int rank = 0;
    KIT_OK(cw_array_locate(model->array, index, &rank));
    if (kit_on_device(model->array, rank)) {
      KIT_MISUSE("device|cw_array_accumulate",
                 cw_array_read_increment(model->array, index, 1, &before));
      continue;
    }
    for (int times = 0; times < 3; times++) {
      KIT_OK(cw_array_read_increment(model->array, index, 2, &before));
      kit_check(before >= model->real[at] && before < model->real[at] + 6 * kit_processes() &&
                    (before - model->real[at]) % 2 == 0,
                "value before an increment is %lld", (long long)before);
    }
    KIT_OK(cw_array_sync(model->array));
    model->real[at] += 6 * kit_processes();
  }
}

/* Checks that the pieces of a patch cover it once, and that each lies in the reported block and
 * rank. */
static void locate(const array_model *model)
{
  enum { MOST = 4096 };
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  cw_piece *pieces = kit_alloc(MOST, sizeof *pieces);
  size_t count = 0, elements = 0, whole = 1;
  int64_t last = -1;
  model_patch(model, 0, 1, lo, hi);
  KIT_OK(cw_array_locate_patch(model->array, lo, hi, MOST, pieces, &count));
  for (size_t i = 0; i < count && i < MOST; i++) {
    size_t here = 1;
    int rank = -1;
    int64_t from[CW_MAX_DIMENSIONS], to[CW_MAX_DIMENSIONS];
    KIT_OK(cw_array_block(model->array, pieces[i].block, from, to, &rank));
    kit_check_long(pieces[i].rank, rank, "rank of a piece");
    kit_check(pieces[i].block > last, "blocks are not ascending");
    last = pieces[i].block;
    for (int d = 0; d < model->n; d++) {
      kit_check(pieces[i].lo[d] >= from[d] && pieces[i].hi[d] <= to[d] &&
                    pieces[i].lo[d] >= lo[d] && pieces[i].hi[d] <= hi[d],
                "a piece leaves its block or the patch");
      here *= (size_t)(pieces[i].hi[d] - pieces[i].lo[d] + 1);
    }
    elements += here;
  }
  for (int d = 0; d < model->n; d++)
    whole *= (size_t)(hi[d] - lo[d] + 1);
  kit_check(count > MOST || elements == whole, "pieces have %zu of %zu elements", elements, whole);
  free(pieces);
}

static void check_ghost(const array_model *model, const char *where, const int64_t *index,
                        int outside)
{
  char copy[32];
  const char *element = kit_host_bytes(where, model->element, copy);
  int64_t inside[CW_MAX_DIMENSIONS];
  for (int d = 0; d < model->n; d++)
    inside[d] = (index[d] % model->extents[d] + model->extents[d]) % model->extents[d];
  const size_t at = model_index(model, inside);
  kit_check(model_equal(model, element, model->real[at], model->imaginary[at]),
            "ghost cell outside in %d dimensions is not %lld", outside, (long long)model->real[at]);
}

/* Checks this process's block with its ghost cells, wherever they lie. */
static void access_ghosts(const array_model *model, int64_t block, const int64_t *lo,
                          const cw_array_description *what, cw_array_view *view)
{
  if (!kit_on_device(model->array, cw_team_rank(what->team))) {
    KIT_MUST(cw_array_access_block(model->array, block, true, view));
    return;
  }
  KIT_MISUSE("device", cw_array_access_block(model->array, block, true, view));
  kit_access_all_mine(model->array, view);
  char *address = view->address;
  for (int d = 0; d < model->n; d++) {
    view->lo[d] = lo[d] - what->ghosts[d];
    view->extents[d] += 2 * what->ghosts[d];
    address -= what->ghosts[d] * view->strides[d];
  }
  view->address = address;
}

static void ghosts(const array_model *model)
{
  cw_array_description what;
  cw_array_view view;
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS], index[CW_MAX_DIMENSIONS];
  const bool corners = kit_common(2) == 0;
  KIT_OK(cw_array_describe(model->array, &what));
  bool some = false;
  for (int d = 0; d < model->n; d++)
    some = some || what.ghosts[d] > 0;
  if (!some) {
    KIT_MISUSE("ghost", cw_array_update_ghosts(model->array, corners));
    return;
  }
  const bool sides = kit_common(2) == 0;
  for (int d = 0; d < model->n && sides; d++)
    for (int way = -1; way <= 1; way += 2)
      KIT_OK(cw_array_update_ghost_side(model->array, d, way, corners));
  if (!sides)
    KIT_OK(cw_array_update_ghosts(model->array, corners));
  for (int64_t block = 0; block < what.total_blocks; block++) {
    int rank = -1;
    KIT_OK(cw_array_block(model->array, block, lo, hi, &rank));
    bool mine = cw_team_process(what.team, rank) == cw_process();
    for (int d = 0; d < model->n; d++)
      mine = mine && hi[d] >= lo[d];
    if (!mine)
      continue;
    access_ghosts(model, block, lo, &what, &view);
    for (int d = 0; d < model->n; d++) {
      index[d] = view.lo[d];
      hi[d] = view.lo[d] + view.extents[d] - 1;
    }
    do {
      const char *element = view.address;
      int outside = 0;
      for (int d = 0; d < model->n; d++) {
        element += (index[d] - view.lo[d]) * view.strides[d];
        outside += index[d] < lo[d] || index[d] > hi[d] - what.ghosts[d];
      }
      if (outside < 2 || corners)
        check_ghost(model, element, index, outside);
    } while (model_next(model->n, view.lo, hi, index));
    KIT_OK(cw_array_release(model->array, &view));
  }
  KIT_OK(cw_array_sync(model->array));
}

static void play(array_model *model, int rounds)
{
  const bool adds = model->type != CW_OPAQUE;
  int64_t lo[CW_MAX_DIMENSIONS], hi[CW_MAX_DIMENSIONS];
  struct patch all = {.process = 0};
  for (int d = 0; d < model->n; d++) {
    all.lo[d] = 0;
    all.hi[d] = model->extents[d] - 1;
    all.skip[d] = 1;
  }
  finish_patch(model, &all);
  visit(model, &all, 0, load_payload);
  visit(model, &all, 0, put_in_model);
  if (all.buffer != NULL)
    run(model, &all, CW_PUT, NULL, NULL);
  free(all.buffer);
  for (int round = 1; round <= rounds; round++) {
    model_verify(model);
    switch (kit_common(7)) {
    case 0:
      update(model, CW_PUT, round);
      break;
    case 1:
      adds ? update(model, CW_ACCUMULATE, round) : read_patches(model, round);
      break;
    case 2:
      list_elements(model, CW_PUT, round);
      break;
    case 3:
      list_elements(model, adds ? CW_ACCUMULATE : CW_GET, round);
      break;
    case 4:
      list_elements(model, CW_GET, round);
      break;
    case 5:
      increment(model);
      break;
    default:
      read_patches(model, round);
      break;
    }
    locate(model);
  }
  model_verify(model);
  ghosts(model);
  if (!adds && model_patch(model, 0, 1, lo, hi))
    KIT_MISUSE("OPAQUE", cw_array_accumulate(model->array, lo, hi, lo, NULL, NULL));
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "array patches");
  kit_take_devices(&argc, argv);
  const int arrays = argc > 1 ? atoi(argv[1]) : 20,
            rounds = (int)kit_rounds(argc > 2 ? argv[2] : NULL, 6);
  for (int i = 0; i < arrays; i++) {
    array_model model;
    const int n = kit_common(3) > 0 ? 1 + kit_common(3) : 1 + kit_common(CW_MAX_DIMENSIONS);
    kit_about("array %d of %d dimensions", i, n);
    model_create(&model, n, 3000, kit_common(4) == 0);
    play(&model, rounds);
    model_destroy(&model);
  }
  kit_close_devices();
  return kit_finish_native();
}
