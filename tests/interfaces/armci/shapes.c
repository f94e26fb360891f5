/* Random transfers compared with a plain model: operation x shape x completion x type. Each process
 * works alone on the slice of its right neighbour, and updates a copy of it by loops. */
#include "armci_kit.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 250, BYTES = 1 << 15, LEVELS = 8, SEGMENTS = 2048, DESCRIPTORS = 40 };

struct shape {
  int levels;
  int count[LEVELS + 1];
  int local_stride[LEVELS], remote_stride[LEVELS];
  long local_base, remote_base; /* offsets of block 0 */
};

enum completion { BLOCKING, WAIT, TEST, WAIT_ALL, WAIT_PROCESS, COMPLETIONS };
enum form { STRIDED, VECTOR, CONTIGUOUS, FORMS };
enum operation { PUT, GET, ACCUMULATE, OPERATIONS };

static char *local, *local_model, *model, *seen;
static void **remote;
static int target;

/* Draws one side of a shape: strides with gaps of any size, some of them negative; blocks do not
 * overlap. The stride of a single block has no meaning. Returns false if the shape does not fit. */
static bool make_side(const int *count, int levels, int align, int *stride, long *base)
{
  long extent = count[0] > 0 ? count[0] : align, below = 0;
  for (int k = 0; k < levels; k++) {
    const long step = extent + align * kit_own(4);
    const bool backwards = kit_own(4) == 0;
    const int blocks = count[k + 1] > 0 ? count[k + 1] : 1;
    stride[k] = blocks == 1 ? 1000003 * (1 - 2 * kit_own(2)) : (int)(backwards ? -step : step);
    below += backwards && blocks > 1 ? step * (blocks - 1) : 0;
    extent = blocks > 1 ? step * (blocks - 1) + extent : extent;
  }
  if (extent > BYTES)
    return false;
  *base = below + (BYTES - extent) / align * kit_own(100) / 100 * align;
  return true;
}

static void make_shape(struct shape *shape, int align, enum form form)
{
  do {
    shape->levels = form == CONTIGUOUS ? 0 : kit_own(LEVELS + 1);
    shape->count[0] = align * (1 + kit_own(shape->levels > 3 ? 3 : 40));
    for (int k = 1; k <= shape->levels; k++)
      shape->count[k] = 1 + kit_own(3);
    if (kit_own(12) == 0)
      shape->count[kit_own(shape->levels + 1)] = 0;
  } while (
      !make_side(shape->count, shape->levels, align, shape->local_stride, &shape->local_base) ||
      !make_side(shape->count, shape->levels, align, shape->remote_stride, &shape->remote_base));
}

/* Lists the offsets of every block on both sides and returns their number. */
static int list_blocks(const struct shape *shape, long *at_local, long *at_remote)
{
  int blocks = shape->count[0] > 0;
  for (int k = 1; k <= shape->levels; k++)
    blocks *= shape->count[k];
  for (int b = 0; b < blocks; b++) {
    at_local[b] = shape->local_base;
    at_remote[b] = shape->remote_base;
    for (int k = 0, rest = b; k < shape->levels; rest /= shape->count[k + 1], k++) {
      at_local[b] += (long)shape->local_stride[k] * (rest % shape->count[k + 1]);
      at_remote[b] += (long)shape->remote_stride[k] * (rest % shape->count[k + 1]);
    }
  }
  return blocks;
}

static void apply(enum operation operation, const struct armci_kit_type *type, const void *scale,
                  const struct shape *shape)
{
  static long at_local[SEGMENTS * 4], at_remote[SEGMENTS * 4];
  const int blocks = list_blocks(shape, at_local, at_remote);
  for (int b = 0; b < blocks; b++) {
    char *mine = local_model + at_local[b], *theirs = model + at_remote[b];
    if (operation == PUT)
      memcpy(theirs, mine, (size_t)shape->count[0]);
    else if (operation == GET)
      memcpy(mine, theirs, (size_t)shape->count[0]);
    else
      armci_kit_axpy(type, shape->count[0] / type->bytes, scale, mine, theirs);
  }
}

static int run_strided(enum operation operation, const struct armci_kit_type *type, void *scale,
                       struct shape *s, bool blocking, armci_hdl_t *handle)
{
  char *mine = local + s->local_base, *theirs = (char *)remote[target] + s->remote_base;
  int *ls = s->levels > 0 ? s->local_stride : NULL, *rs = s->levels > 0 ? s->remote_stride : NULL;
  switch (operation) {
  case PUT:
    return blocking ? ARMCI_PutS(mine, ls, theirs, rs, s->count, s->levels, target)
                    : ARMCI_NbPutS(mine, ls, theirs, rs, s->count, s->levels, target, handle);
  case GET:
    return blocking ? ARMCI_GetS(theirs, rs, mine, ls, s->count, s->levels, target)
                    : ARMCI_NbGetS(theirs, rs, mine, ls, s->count, s->levels, target, handle);
  default:
    return blocking
               ? ARMCI_AccS(type->code, scale, mine, ls, theirs, rs, s->count, s->levels, target)
               : ARMCI_NbAccS(type->code, scale, mine, ls, theirs, rs, s->count, s->levels, target,
                              handle);
  }
}

static int run_contiguous(enum operation operation, const struct armci_kit_type *type, void *scale,
                          struct shape *s, bool blocking, armci_hdl_t *handle)
{
  char *mine = local + s->local_base, *theirs = (char *)remote[target] + s->remote_base;
  const int bytes = s->count[0];
  switch (operation) {
  case PUT:
    return blocking ? ARMCI_Put(mine, theirs, bytes, target)
                    : ARMCI_NbPut(mine, theirs, bytes, target, handle);
  case GET:
    return blocking ? ARMCI_Get(theirs, mine, bytes, target)
                    : ARMCI_NbGet(theirs, mine, bytes, target, handle);
  default:
    return blocking ? ARMCI_Acc(type->code, scale, mine, theirs, bytes, target)
                    : ARMCI_NbAcc(type->code, scale, mine, theirs, bytes, target, handle);
  }
}

/* Transfers the same blocks as pairs of pointers, distributed over several descriptors, some of
 * them empty. The descriptors and pointers are overwritten right after the call. */
static int run_vectors(enum operation operation, const struct armci_kit_type *type, void *scale,
                       struct shape *s, bool blocking, armci_hdl_t *handle)
{
  static long at_local[SEGMENTS * 4], at_remote[SEGMENTS * 4];
  static void *mine[SEGMENTS * 4], *theirs[SEGMENTS * 4];
  armci_giov_t iov[DESCRIPTORS];
  const int blocks = list_blocks(s, at_local, at_remote), descriptors = 1 + kit_own(DESCRIPTORS);
  for (int b = 0; b < blocks; b++) {
    mine[b] = local + at_local[b];
    theirs[b] = (char *)remote[target] + at_remote[b];
  }
  for (int d = 0, given = 0; d < descriptors; d++) {
    const int left = blocks - given,
              some = d + 1 == descriptors || left == 0 ? left : kit_own(left + 1);
    iov[d] = (armci_giov_t){(operation == GET ? theirs : mine) + given,
                            (operation == GET ? mine : theirs) + given, s->count[0], some};
    given += some;
  }
  int result = -1;
  if (operation == PUT)
    result = blocking ? ARMCI_PutV(iov, descriptors, target)
                      : ARMCI_NbPutV(iov, descriptors, target, handle);
  else if (operation == GET)
    result = blocking ? ARMCI_GetV(iov, descriptors, target)
                      : ARMCI_NbGetV(iov, descriptors, target, handle);
  else
    result = blocking ? ARMCI_AccV(type->code, scale, iov, descriptors, target)
                      : ARMCI_NbAccV(type->code, scale, iov, descriptors, target, handle);
  memset(iov, 0xee, sizeof iov);
  memset(mine, 0xee, (size_t)blocks * sizeof *mine);
  memset(theirs, 0xee, (size_t)blocks * sizeof *theirs);
  return result;
}

static void complete(enum completion how, armci_hdl_t *handle)
{
  switch (how) {
  case WAIT:
    kit_check_long(ARMCI_Wait(handle), 0, "ARMCI_Wait");
    break;
  case TEST:
    while (ARMCI_Test(handle) != 0)
      ARMCIX_Progress();
    break;
  case WAIT_ALL:
    kit_check_long(ARMCI_WaitAll(), 0, "ARMCI_WaitAll");
    break;
  case WAIT_PROCESS:
    kit_check_long(ARMCI_WaitProc(target), 0, "ARMCI_WaitProc");
    break;
  default:
    break;
  }
}

/* Fills with numbers of the type, so that accumulates do not see NaN. The put needs no fence,
 * because a process's own operations take effect in order. */
static void fill(const struct armci_kit_type *type)
{
  memset(local, 0, BYTES);
  memset(model, 0, BYTES);
  for (int i = 0; i < BYTES / type->bytes; i++) {
    armci_kit_set(type, local, i, kit_own(100));
    armci_kit_set(type, model, i, kit_own(100));
  }
  memcpy(local_model, local, BYTES);
  kit_check_long(ARMCI_Put(model, remote[target], BYTES, target), 0, "ARMCI_Put");
}

static void one_round(int round)
{
  static int (*const run[FORMS])(enum operation, const struct armci_kit_type *, void *,
                                 struct shape *, bool,
                                 armci_hdl_t *) = {run_strided, run_vectors, run_contiguous};
  const enum operation operation = (enum operation)kit_own(OPERATIONS);
  const enum form form = (enum form)kit_own(FORMS);
  const enum completion how = (enum completion)kit_own(COMPLETIONS);
  const struct armci_kit_type *type = &armci_kit_types[kit_own(ARMCI_KIT_TYPES)];
  const int align = operation == ACCUMULATE ? type->bytes : 1;
  union armci_kit_element scale;
  struct shape shape;
  armci_hdl_t handle, *given = how == WAIT || how == TEST ? &handle : NULL;
  kit_about("round %d: operation %d (%s), shape %d, completion %d", round, operation, type->name,
            form, how);
  make_shape(&shape, align, form);
  armci_kit_set(type, &scale, 0, kit_own(4));
  fill(type);
  ARMCI_INIT_HANDLE(&handle);
  apply(operation, type, &scale, &shape);
  kit_check_long(run[form](operation, type, &scale, &shape, how == BLOCKING, given), 0, "result");
  complete(how, &handle);
  kit_check_bytes(local, local_model, BYTES, "local memory");
  kit_check_long(ARMCI_Get(remote[target], seen, BYTES, target), 0, "ARMCI_Get");
  kit_check_bytes(seen, model, BYTES, "remote memory");
}

/* armci_write_strided gathers, armci_read_strided scatters. */
static void pack_and_unpack(void)
{
  static long at_local[SEGMENTS * 4], at_remote[SEGMENTS * 4];
  struct shape shape;
  kit_about("pack and unpack");
  make_shape(&shape, 1, STRIDED);
  const int blocks = list_blocks(&shape, at_local, at_remote);
  char *packed = kit_alloc((size_t)blocks + 1, (size_t)shape.count[0] + 1);
  for (int i = 0; i < BYTES; i++)
    local[i] = (char)kit_own(256);
  armci_write_strided(local + shape.local_base, shape.levels, shape.local_stride, shape.count,
                      packed);
  for (int b = 0; b < blocks; b++)
    kit_check_bytes(packed + (long)b * shape.count[0], local + at_local[b], (size_t)shape.count[0],
                    "packed block");
  memcpy(local_model, local, BYTES);
  for (int b = 0; b < blocks; b++)
    memset(local + at_local[b], 0x55, (size_t)shape.count[0]);
  armci_read_strided(local + shape.local_base, shape.levels, shape.local_stride, shape.count,
                     packed);
  kit_check_bytes(local, local_model, BYTES, "unpacked memory");
  free(packed);
}

int main(int argc, char **argv)
{
  armci_kit_start(&argc, &argv, "armci.shapes");
  target = armci_kit_next();
  local = kit_alloc(BYTES, 1);
  local_model = kit_alloc(BYTES, 1);
  model = kit_alloc(BYTES, 1);
  seen = kit_alloc(BYTES, 1);
  remote = armci_kit_malloc(BYTES, 0);
  for (int round = 0; round < armci_kit_rounds(ROUNDS); round++)
    one_round(round);
  for (int round = 0; round < 50; round++)
    pack_and_unpack();
  /* This process's memory must equal its neighbour's model. */
  ARMCI_Barrier();
  ARMCI_Put(model, remote[target], BYTES, target);
  ARMCI_Barrier();
  MPI_Sendrecv(model, BYTES, MPI_BYTE, target, 0, seen, BYTES, MPI_BYTE, armci_kit_previous(), 0,
               kit_comm(), MPI_STATUS_IGNORE);
  kit_check_bytes(remote[kit_me()], seen, BYTES, "my slice");
  ARMCI_Barrier();
  armci_kit_free(remote);
  free(local);
  free(local_model);
  free(model);
  free(seen);
  return armci_kit_finish();
}
