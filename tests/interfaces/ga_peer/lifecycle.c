/* Arrays and GA itself come and go: very many create and destroy, many alive at once, every kind of
 * distribution, arrays with fewer elements than processes, restricted arrays, types of the caller's
 * own, GA ended and started again under one MPI. Each array must work, not only exist. */
#include "ga_model.h"

#include <stdlib.h>
#include <string.h>

enum { CYCLES = 60, EMPTY_CYCLES = 300, ALIVE = 24, RESTARTS = 3, ROUNDS = 4 };

/* Checks that the array holds what is put into it, and destroys it. */
static void use_and_destroy(model *m, int array, int round)
{
  if (!kit_check(array != 0, "cannot create the array"))
    return;
  model_fill(m, array, round);
  model_verify(m, array);
  GA_Destroy(array);
}

static void test_cycles(void)
{
  kit_about("create and destroy");
  for (int c = 0; c < CYCLES; c++) {
    const model_type *type = &model_types[c % MODEL_TYPES];
    int ndim = 1 + c % 3, dims[3] = {1 + kit_common(20), 1 + kit_common(6), 1 + kit_common(6)};
    model m;

    model_init(&m, type, ndim, dims);
    use_and_destroy(&m, model_create(&m), c);
    model_free(&m);
  }
}

/* Only creates and destroys: a leak shows as a failure to create, or as slowness. */
static void test_empty_cycles(void)
{
  kit_about("create and destroy without use");
  for (int c = 0; c < EMPTY_CYCLES; c++) {
    int dims[1] = {1 + kit_common(30)}, array = NGA_Create(C_DBL, 1, dims, kit_name, NULL);

    if (!kit_check(array != 0, "cannot create array %d", c))
      return;
    GA_Destroy(array);
  }
}

/* Arrays are destroyed in random order while others keep their contents. */
static void test_many(void)
{
  model m[ALIVE];
  int arrays[ALIVE];

  kit_about("%d arrays at once", ALIVE);
  for (int a = 0; a < ALIVE; a++) {
    model_init(&m[a], &model_types[a % MODEL_TYPES], 2,
               (int[]){1 + kit_common(9), 1 + kit_common(9)});
    arrays[a] = model_create(&m[a]);
    model_fill(&m[a], arrays[a], a);
  }
  for (int step = 0; step < 2 * ALIVE; step++) {
    int a = kit_common(ALIVE);

    model_verify(&m[a], arrays[a]);
    if (step % 2)
      continue;
    GA_Destroy(arrays[a]);
    arrays[a] = model_create(&m[a]);
    model_fill(&m[a], arrays[a], step);
  }
  for (int a = 0; a < ALIVE; a++) {
    model_verify(&m[a], arrays[a]);
    GA_Destroy(arrays[a]);
    kit_check(GA_Valid_handle(arrays[a]) == 0, "a destroyed handle is valid");
    model_free(&m[a]);
  }
}

static void test_duplicate(void)
{
  model m, copy;
  int array, twin, type, ndim, dims[GA_MAX_DIM];

  kit_about("duplicate");
  model_init(&m, &model_types[MODEL_DOUBLE], 3, (int[]){7, 5, 9});
  model_init(&copy, &model_types[MODEL_DOUBLE], 3, (int[]){7, 5, 9});
  array = model_create(&m);
  model_fill(&m, array, 1);
  twin = GA_Duplicate(array, kit_name);
  kit_check_long(GA_Compare_distr(array, twin), 0, "difference in distribution");
  NGA_Inquire(twin, &type, &ndim, dims);
  kit_check_long(type, C_DBL, "type");
  kit_check_long(ndim, 3, "dimensions");
  for (int d = 0; d < 3; d++)
    kit_check_long(dims[d], m.dims[d], "extent");
  kit_check(strcmp(GA_Inquire_name(twin), kit_name) == 0, "name is %s", GA_Inquire_name(twin));
  model_fill(&copy, twin, 2);
  model_verify(&m, array); /* unchanged by the puts into the twin */
  GA_Destroy(array);
  model_verify(&copy, twin);
  GA_Destroy(twin);
  model_free(&m);
  model_free(&copy);
}

/* Starts of `blocks` blocks in an extent; some blocks may be empty. */
static void draw_starts(int *starts, int blocks, int extent)
{
  starts[0] = 0;
  for (int b = 1; b < blocks; b++) {
    int next = starts[b - 1] + kit_common(2 * extent / blocks + 1);
    starts[b] = next < extent ? next : extent - 1;
  }
}

/* Blocks as the caller wants them; processes beyond them own nothing. */
static void test_irregular(int round)
{
  int n = kit_processes(), lo[2], hi[2];
  int across = 1 + kit_common(n), down = n / across,
      dims[2] = {n + kit_common(20), n + kit_common(20)};
  int blocks[2] = {down, across}, *map = kit_alloc((size_t)(down + across), sizeof *map), array;
  model m;

  kit_about("irregular distribution, %d x %d blocks of %d x %d", down, across, dims[0], dims[1]);
  draw_starts(map, down, dims[0]);
  draw_starts(map + down, across, dims[1]);
  model_init(&m, &model_types[round % MODEL_TYPES], 2, dims);
  array = NGA_Create_irreg(m.type->code, 2, dims, kit_name, blocks, map);
  for (int b = 0; b < down * across; b++) {
    int i = b / across, j = b % across;
    int end_i = i + 1 < down ? map[i + 1] : dims[0],
        end_j = j + 1 < across ? map[down + j + 1] : dims[1];

    if (map[i] == end_i || map[down + j] == end_j)
      continue;
    NGA_Distribution(array, b, lo, hi);
    kit_check(lo[0] == map[i] && hi[0] == end_i - 1 && lo[1] == map[down + j] && hi[1] == end_j - 1,
              "block %d is [%d:%d,%d:%d]", b, lo[0], hi[0], lo[1], hi[1]);
  }
  use_and_destroy(&m, array, round);
  model_free(&m);
  free(map);
}

/* One process puts the whole array, all get it: for distributions where processes own nothing, or
 * not one block, and the checks by block do not fit. */
static void put_and_get(model *m, int array, int round)
{
  int writer = round % kit_processes();
  patch p;

  patch_init_whole(&p, m, 1);
  patch_payload(&p, writer, round);
  patch_put(&p, m);
  if (kit_me() == writer)
    NGA_Put(array, p.lo, p.hi, p.buffer, p.ld);
  GA_Sync();
  patch_free(&p);
  patch_init_whole(&p, m, 2);
  NGA_Get(array, p.lo, p.hi, p.buffer, p.ld);
  patch_check(&p, "get of the whole array");
  patch_free(&p);
  GA_Sync();
}

/* The step-by-step way of creating, with one of the kinds of distribution. */
enum kind { CHUNKED, RESTRICTED, RESTRICTED_RANGE, KINDS };

static void test_kind(enum kind kind, int round)
{
  static const char *const names[KINDS] = {"chunks", "restricted to a list",
                                           "restricted to a range"};
  int n = kit_processes(), dims[2] = {9 + kit_common(9), 8 + kit_common(9)},
      chunk[2] = {4, dims[1]};
  int first = kit_common(n), last = first + kit_common(n - first), list[16], count = 0, array;
  model m;

  kit_about("%s, %d x %d, processes %d to %d", names[kind], dims[0], dims[1], first, last);
  for (int q = first; q <= last && count < 16; q++)
    list[count++] = q;
  model_init(&m, &model_types[round % MODEL_TYPES], 2, dims);
  array = GA_Create_handle();
  GA_Set_data(array, 2, dims, m.type->code);
  GA_Set_array_name(array, kit_name);
  if (kind == CHUNKED)
    GA_Set_chunk(array, chunk);
  if (kind == RESTRICTED)
    GA_Set_restricted(array, list, count);
  if (kind == RESTRICTED_RANGE)
    GA_Set_restricted_range(array, first, last);
  kit_check(GA_Allocate(array) == 1, "cannot create the array");
  for (int i = 0; kind != CHUNKED && i < dims[0]; i++) {
    int owner = NGA_Locate(array, (int[]){i, i % dims[1]});
    kit_check(owner >= first && owner <= last, "row %d belongs to process %d", i, owner);
  }
  put_and_get(&m, array, round);
  GA_Destroy(array);
  model_free(&m);
}

static void test_block_cyclic(int round)
{
  int dims[2] = {10 + kit_common(9), 7 + kit_common(9)},
      block[2] = {1 + kit_common(4), 1 + kit_common(4)};
  int array = GA_Create_handle(),
      blocks = ((dims[0] - 1) / block[0] + 1) * ((dims[1] - 1) / block[1] + 1);
  model m;

  kit_about("block-cyclic, %d x %d in %d x %d", dims[0], dims[1], block[0], block[1]);
  model_init(&m, &model_types[round % MODEL_TYPES], 2, dims);
  GA_Set_data(array, 2, dims, m.type->code);
  GA_Set_block_cyclic(array, block);
  kit_check(GA_Allocate(array) == 1, "cannot create the array");
  kit_check_long(GA_Total_blocks(array), blocks, "blocks");
  put_and_get(&m, array, round);
  GA_Destroy(array);
  model_free(&m);
}

/* Elements of the caller's own type, of a size that is no power of two, and single fields of them.
 */
typedef struct record {
  double weight;
  int id[3];
  char tag[4];
} record;

static void test_records(void)
{
  int n = kit_processes(), type = NGA_Register_type(sizeof(record)), count = 10 * n, array;
  int lo = 10 * ((kit_me() + 1) % n), hi = lo + 9, all_lo = 0, all_hi = count - 1, ld = count;
  record *all = kit_alloc((size_t)count, sizeof *all), mine[10];
  int ids[10][3];

  kit_about("registered type of %zu bytes", sizeof(record));
  array = NGA_Create(type, 1, &count, kit_name, NULL);
  memset(mine, 0, sizeof mine);
  for (int i = 0; i < 10; i++) {
    mine[i].weight = lo + i + 0.25;
    mine[i].tag[0] = (char)('a' + kit_me());
    for (int k = 0; k < 3; k++)
      ids[i][k] = 1000 * kit_me() + 10 * i + k;
  }
  NGA_Put(array, &lo, &hi, mine, &ld);
  GA_Sync();
  NGA_Put_field(array, &lo, &hi, (int)offsetof(record, id), (int)sizeof ids[0], ids, &ld);
  GA_Sync();
  NGA_Get(array, &all_lo, &all_hi, all, &ld);
  for (int i = 0; i < count; i++) {
    int writer = (i / 10 + n - 1) % n;
    kit_check_near(all[i].weight, i + 0.25, 0, "weight");
    kit_check_long(all[i].tag[0], 'a' + writer, "tag");
    for (int k = 0; k < 3; k++)
      kit_check_long(all[i].id[k], 1000 * writer + 10 * (i % 10) + k, "id");
  }
  memset(ids, 0, sizeof ids);
  NGA_Get_field(array, &lo, &hi, (int)offsetof(record, id), (int)sizeof ids[0], ids, &ld);
  for (int i = 0; i < 10; i++)
    for (int k = 0; k < 3; k++)
      kit_check_long(ids[i][k], 1000 * kit_me() + 10 * i + k, "id by itself");
  GA_Sync();
  GA_Destroy(array);
  NGA_Deregister_type(type);
  free(all);
}

/* Fields of elements of the built-in types: real and imaginary parts, and halves of numbers. */
static void test_built_in_fields(void)
{
  const int types[] = {C_DCPL, C_SCPL, C_DBL, C_LONG, C_INT, C_FLOAT};
  const int sizes[] = {16, 8, 8, 8, 4, 4};
  enum { MOST = 16 };
  for (int t = 0; t < (int)(sizeof types / sizeof *types); t++) {
    int size = sizes[t], half = size / 2, count = 4 * kit_processes(), lo = 0, hi = count - 1;
    int array, ld = count;
    unsigned char *all = kit_alloc((size_t)count, MOST), *field = kit_alloc((size_t)count, MOST);

    kit_about("fields of type %d", types[t]);
    array = NGA_Create(types[t], 1, &count, kit_name, NULL);
    for (int i = 0; i < count * size; i++)
      all[i] = (unsigned char)(1 + i);
    for (int i = 0; i < count * half; i++)
      field[i] = (unsigned char)(129 + i);
    if (kit_me() == 0) {
      NGA_Put(array, &lo, &hi, all, &ld);
      NGA_Put_field(array, &lo, &hi, half, half, field, &ld);
    }
    GA_Sync();
    memset(field, 0, (size_t)count * MOST);
    NGA_Get(array, &lo, &hi, all, &ld);
    NGA_Get_field(array, &lo, &hi, 0, half, field, &ld);
    for (int i = 0; i < count; i++)
      for (int k = 0; k < half; k++) {
        kit_check_long(all[i * size + k], (unsigned char)(1 + i * size + k), "first half");
        kit_check_long(all[i * size + half + k], (unsigned char)(129 + i * half + k),
                       "second half");
        kit_check_long(field[i * half + k], all[i * size + k], "first half by itself");
      }
    GA_Sync();
    GA_Destroy(array);
    free(all);
    free(field);
  }
}

/* A smaller array of another type in the memory of an array. */
static void test_overlay(void)
{
  int large[2] = {40, 10 * kit_processes()}, small[1] = {20 * kit_processes()}, lo = 0, ld = 1;
  int parent, array, hi = small[0] - 1, *all = kit_alloc((size_t)small[0], sizeof *all);
  double filled = 1.5;
  int sevens = 7;

  kit_about("an array in the memory of another");
  parent = NGA_Create(C_DBL, 2, large, kit_name, NULL);
  GA_Fill(parent, &filled);
  array = GA_Create_handle();
  GA_Set_data(array, 1, small, C_INT);
  kit_check_long(GA_Overlay(array, parent), 1, "GA_Overlay");
  GA_Fill(array, &sevens);
  NGA_Get(array, &lo, &hi, all, &ld);
  for (int i = 0; i <= hi; i++)
    kit_check_long(all[i], 7, "an element of the array in the other's memory");
  GA_Sync();
  GA_Destroy(array);
  GA_Fill(parent, &filled);
  kit_check_near(GA_Ddot(parent, parent), 2.25 * large[0] * large[1], 1e-9,
                 "the parent, afterwards");
  GA_Destroy(parent);
  free(all);
}

/* Fewer elements than processes, down to one. */
static void test_tiny(void)
{
  for (int ndim = 1; ndim <= GA_MAX_DIM; ndim++)
    for (int elements = 1; elements <= 3; elements++) {
      int dims[GA_MAX_DIM] = {1, 1, 1, 1, 1, 1, 1};
      model m;

      kit_about("%d elements in %d dimensions", elements, ndim);
      dims[kit_common(ndim)] = elements;
      model_init(&m, &model_types[kit_common(MODEL_TYPES)], ndim, dims);
      use_and_destroy(&m, model_create(&m), elements);
      model_free(&m);
    }
}

int main(int argc, char **argv)
{
  kit_start(&argc, &argv, "lifecycle");
  for (int restart = 0; restart < RESTARTS; restart++) {
    test_cycles();
    if (restart == 0)
      test_empty_cycles();
    test_many();
    test_duplicate();
    for (int round = 0; round < ROUNDS; round++) {
      test_irregular(round);
      for (enum kind kind = 0; kind < KINDS; kind++)
        test_kind(kind, round);
      test_block_cyclic(round);
    }
    test_records();
    test_built_in_fields();
    test_overlay();
    test_tiny();
    kit_about("GA ended and started again");
    if (restart + 1 < RESTARTS)
      kit_restart_ga();
  }
  return kit_finish();
}
