/* Memory handles: every kind of memory, every shape and operation, between all pairs of neighbours,
 * the own memory included; and the errors of bytes that are no living handle, or lie outside. */
#include "view/handle_kit.h"

#include "base/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STACK = 40000, MAPPED = 300000, LONG = 8 << 20, MOST = 64 };

static char byte_of(int process, size_t i)
{
  return (char)(31 * (size_t)(process + 1) + i * 7 + i / 251);
}

static void fill(char *data, size_t bytes, int process)
{
  for (size_t i = 0; i < bytes; i++)
    data[i] = byte_of(process, i);
}

static bool is_filled(const char *data, size_t bytes, int process)
{
  for (size_t i = 0; i < bytes; i++)
    if (data[i] != byte_of(process, i))
      return false;
  return true;
}

/* --- Contiguous ------------------------------------------------------------------------------- */

/* Puts into the neighbour's memory, which checks it, and gets it back. */
static void move_run(char *mine, size_t bytes, const struct cwi_memory_handle *there, int writer)
{
  char *data = kit_alloc(bytes + 1, 1);
  fill(data, bytes, kit_me());
  memset(mine, 0, bytes);
  KIT_MUST(cw_barrier(cw_team_world()));
  KIT_OK(move(CW_PUT, there, data, 0, bytes));
  memset(data, 0, bytes);
  KIT_MUST(cw_barrier(cw_team_world()));
  kit_check(is_filled(mine, bytes, writer), "%zu bytes were put", bytes);
  KIT_OK(move(CW_GET, there, data, 0, bytes));
  kit_check(is_filled(data, bytes, kit_me()), "%zu bytes were got", bytes);
  KIT_MUST(cw_barrier(cw_team_world()));
  free(data);
}

/* --- Rows and lists --------------------------------------------------------------------------- */

enum { ROWS = 150, PLANES = 2, ROW = 24, APART = 56, PLANE = ROWS * APART + 16 };
enum { SHAPED = PLANES * PLANE };

static cw_transfer rows(cw_operation operation, void *local, void *remote)
{
  static const ptrdiff_t here[2] = {ROW, ROWS * ROW}, there[2] = {APART, PLANE};
  static const size_t counts[2] = {ROWS, PLANES};
  return cw_strided(operation, local, here, remote, there, ROW, counts, 2, 0);
}

static cw_transfer list(cw_operation operation, char *local, char *remote)
{
  static void *here[PLANES * ROWS], *there[PLANES * ROWS];
  static cw_vector vector;
  for (size_t i = 0; i < PLANES * ROWS; i++) {
    here[i] = local + i * ROW;
    there[i] = remote + i / ROWS * PLANE + i % ROWS * APART;
  }
  vector = (cw_vector){here, there, PLANES * ROWS, ROW};
  return cw_vectors(operation, &vector, 1, 0);
}

static void check_rows(const char *mine, double factor, int writer)
{
  bool right = true;
  for (size_t i = 0; i < PLANES * ROWS; i++) {
    const double *row = (const double *)(const void *)(mine + i / ROWS * PLANE + i % ROWS * APART);
    for (size_t k = 0; k < ROW / sizeof(double); k++) {
      double got = 0;
      memcpy(&got, row + k, sizeof got);
      right = right && got == factor * (double)(1 + writer) * (double)(3 * i + k);
    }
    for (size_t k = ROW; k < APART && i % ROWS != ROWS - 1; k++)
      right = right && ((const char *)row)[k] == 0;
  }
  kit_check(right, "rows, times %g", factor);
}

static void move_shape(char *mine, const struct cwi_memory_handle *there, int writer,
                       cw_transfer (*shape)(cw_operation, char *, char *))
{
  enum { NUMBERS = PLANES * ROWS * ROW / sizeof(double) };
  double data[NUMBERS], got[NUMBERS];
  const double factor = 2;
  for (size_t i = 0; i < NUMBERS; i++)
    data[i] = (double)(1 + kit_me()) * (double)i;
  memset(mine, 0, SHAPED);
  KIT_MUST(cw_barrier(cw_team_world()));
  KIT_OK(run(there, shape(CW_PUT, (char *)data, there->address)));
  KIT_MUST(cw_barrier(cw_team_world()));
  check_rows(mine, 1, writer);
  KIT_MUST(cw_barrier(cw_team_world()));
  cw_transfer add = shape(CW_ACCUMULATE, (char *)data, there->address);
  add.type = CW_DOUBLE;
  add.scale = &factor;
  KIT_OK(run(there, add));
  KIT_OK(run(there, shape(CW_GET, (char *)got, there->address)));
  bool right = true;
  for (size_t i = 0; i < NUMBERS; i++)
    right = right && got[i] == 3 * data[i];
  kit_check(right, "my rows come back");
  KIT_MUST(cw_barrier(cw_team_world()));
  check_rows(mine, 3, writer);
  KIT_MUST(cw_barrier(cw_team_world()));
}

static cw_transfer rows_of(cw_operation operation, char *local, char *remote)
{
  return rows(operation, local, remote);
}

/* --- Kinds of memory -------------------------------------------------------------------------- */

/* Runs all tests with `bytes` of this process's memory. */
static void try_memory(const char *kind, char *mine, size_t bytes)
{
  static const size_t sizes[] = {1, 8, 4097, 65541, 300000, LONG};
  handle_name handle, all[MOST];
  kit_about("%s", kind);
  KIT_MUST(cw_memory_handle_create(mine, bytes, &handle));
  share_names(&handle, all);
  for (int distance = 0; distance < 2; distance++) {
    const int target = (kit_me() + distance) % kit_processes();
    const int writer = (kit_me() + kit_processes() - distance) % kit_processes();
    const struct cwi_memory_handle there = resolved(&all[target]);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= bytes; i++)
      move_run(mine, sizes[i], &there, writer);
    if (bytes >= SHAPED) {
      move_shape(mine, &there, writer, rows_of);
      move_shape(mine, &there, writer, list);
    }
  }
  KIT_OK(cw_memory_handle_release(&handle));
  KIT_MUST(cw_barrier(cw_team_world()));
}

static void try_stack(void)
{
  char memory[STACK];
  try_memory("stack", memory, sizeof memory);
}

static void try_file(const char *kind, int flags)
{
  char path[] = "/tmp/handles-XXXXXX";
  const int file = mkstemp(path);
  kit_check(file >= 0 && unlink(path) == 0 && ftruncate(file, MAPPED) == 0, "a file");
  char *memory = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE, flags, file, 0);
  kit_check(memory != MAP_FAILED, "a mapped file");
  try_memory(kind, memory, MAPPED);
  munmap(memory, MAPPED);
  close(file);
}

static void try_region(void)
{
  cw_region region = NULL;
  void **slices = NULL;
  char *mine = kit_make_region(MAPPED, &region, &slices);
  try_memory("region", mine, MAPPED);
  kit_free_region(&region, slices);
}

/* --- What is no living handle, and what lies outside ------------------------------------------ */

static void try_outside(const struct cwi_memory_handle *there)
{
  char data[64] = {0};
  KIT_MISUSE("remote|not inside", move(CW_PUT, there, data, 64, 1));
  KIT_MISUSE("remote|not inside", move(CW_PUT, there, data, 1, 64));
  KIT_MISUSE("remote|not inside", move(CW_GET, there, data, (size_t)-1, 1));
  KIT_MISUSE("remote|not inside", move(CW_GET, there, data, 0, (size_t)1 << 40));
  KIT_OK(move(CW_GET, there, data, 63, 1));
  KIT_OK(move(CW_GET, there, data, 1000, 0));
}

/* Tries random bytes, and handles with one changed bit. */
static void try_garbage(const handle_name *good)
{
  enum { TIMES = 2000 };
  struct cwi_memory_handle memory;
  for (int i = 0; i < TIMES; i++) {
    handle_name bad = *good;
    if (i % 2 == 0)
      bad.bytes[kit_own(sizeof bad.bytes)] ^= (char)(1 << kit_own(8));
    else
      for (size_t k = 0; k < sizeof bad.bytes; k++)
        bad.bytes[k] = (char)kit_own(256);
    KIT_MISUSE("not a memory handle", cwi_memory_handle_resolve(&bad, &memory));
    KIT_MISUSE("cw_memory_handle_release|not a memory handle", cw_memory_handle_release(&bad));
  }
}

static void try_errors(void)
{
  char memory[64] = {0};
  double data = 7;
  handle_name handle, all[MOST];
  kit_about("errors");
  KIT_MUST(cw_memory_handle_create(memory, sizeof memory, &handle));
  share_names(&handle, all);
  const int target = (kit_me() + 1) % kit_processes();
  const struct cwi_memory_handle there = resolved(&all[target]);
  try_outside(&there);
  try_garbage(&all[target]);
  if (target != kit_me())
    KIT_MISUSE("only that process may release", cw_memory_handle_release(&all[target]));
  KIT_MUST(cw_barrier(cw_team_world()));
  KIT_OK(cw_memory_handle_release(&handle));
  KIT_MISUSE("cw_memory_handle_release|released", cw_memory_handle_release(&handle));
  KIT_MUST(cw_barrier(cw_team_world()));
  const cw_operation operations[] = {CW_PUT, CW_GET, CW_ACCUMULATE};
  for (int i = 0; i < 3; i++) {
    KIT_MISUSE("released", complete(move(operations[i], &there, &data, 0, 8), target));
    kit_check(data == 7, "nothing was got");
  }
  /* Tries a handle whose table entry another one has reused. */
  handle_name next;
  KIT_MUST(cw_memory_handle_create(memory, sizeof memory, &next));
  KIT_MUST(cw_barrier(cw_team_world()));
  KIT_MISUSE("released", complete(move(CW_PUT, &there, &data, 0, 8), target));
  KIT_MUST(cw_barrier(cw_team_world()));
  for (size_t i = 0; i < sizeof memory; i++)
    kit_check(memory[i] == 0, "byte %zu was changed by a handle that was released", i);
  KIT_OK(cw_memory_handle_release(&next));
  KIT_MUST(cw_barrier(cw_team_world()));
}

/* Handles of an earlier start belong to another job. */
static void try_second_life(void)
{
  static char memory[64];
  handle_name handle;
  struct cwi_memory_handle there;
  kit_about("a second start");
  KIT_MUST(cw_memory_handle_create(memory, sizeof memory, &handle));
  KIT_MUST(cw_finalize());
  KIT_MISUSE("not running", cwi_memory_handle_resolve(&handle, &there));
  KIT_MUST(cw_init(kit_comm()));
  KIT_MISUSE("another job", cwi_memory_handle_resolve(&handle, &there));
  KIT_MISUSE("another job", cw_memory_handle_release(&handle));
  handle_name next;
  KIT_OK(cw_memory_handle_create(memory, sizeof memory, &next));
  KIT_MISUSE("another job", cwi_memory_handle_resolve(&handle, &there));
  KIT_OK(cw_memory_handle_release(&next));
}

/* --- Many ------------------------------------------------------------------------------------- */

static void try_many(int times)
{
  enum { AT_ONCE = 200 };
  static char memory[AT_ONCE];
  handle_name handles[AT_ONCE];
  kit_about("many");
  for (int i = 0; i < times; i++) {
    const size_t bytes = 1 + (size_t)kit_own(4000);
    char *heap = kit_alloc(bytes, 1);
    KIT_MUST(cw_memory_handle_create(heap, bytes, &handles[0]));
    const struct cwi_memory_handle mine = resolved(&handles[0]);
    if (i % 64 == 0)
      KIT_OK(move(CW_PUT, &mine, memory, bytes - 1, 1));
    KIT_MUST(cw_memory_handle_release(&handles[0]));
    free(heap);
    KIT_MISUSE("released", move(CW_PUT, &mine, memory, 0, 1));
  }
  for (size_t i = 0; i < AT_ONCE; i++)
    KIT_MUST(cw_memory_handle_create(memory + i, 1, &handles[i]));
  for (size_t i = 0; i < AT_ONCE; i++) {
    const struct cwi_memory_handle mine = resolved(&handles[i]);
    char value = (char)(i + 1);
    KIT_OK(move(CW_PUT, &mine, &value, 0, 1));
  }
  KIT_MUST(cw_fence(kit_me()));
  for (size_t i = 0; i < AT_ONCE; i++) {
    kit_check(memory[i] == (char)(i + 1), "handle %zu of many", i);
    KIT_MUST(cw_memory_handle_release(&handles[i]));
  }
}

int main(int argc, char **argv)
{
  kit_start_native(&argc, &argv, "handles");
  char *heap = kit_alloc(LONG + 64, 1);
  try_memory("heap", heap, LONG);
  try_memory("heap, unaligned", heap + 3, MAPPED + 1);
  free(heap);
  try_stack();
  try_file("shared file", MAP_SHARED);
  try_file("private file", MAP_PRIVATE);
  try_region();
  try_errors();
  try_many(argc > 1 ? atoi(argv[1]) : 10000);
  if (cwi_settings.server != CWI_SERVER_RANK) /* servers do not come back */
    try_second_life();
  return kit_finish_native();
}
