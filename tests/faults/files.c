/* EAF, SF, DRA and sparse arrays, for runs in which one call of the library or of the system fails:
 * see native.c. Where the interface returns a code, the call is repeated and must then succeed. The
 * functions below DRA's calls, which end the job, are called directly, too: a failure leaves the
 * old array or nothing. The folder is TMPDIR. */
#include "verdict.h"

#include "base/error.h"
#include "ga/files/disk_array.h"
#include "ga/files/pario.h"

#include <dra.h>
#include <eaf.h>
#include <ga.h>
#include <macdecls.h>
#include <mpi.h>
#include <sf.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void barrier(void)
{
  if (MPI_Barrier(MPI_COMM_WORLD) != MPI_SUCCESS)
    fail("MPI_Barrier");
}

/* Returns true if the call is to be repeated. Each code must have a text. */
static bool code_again(const char *call, int code)
{
  static int errors;
  char text[1400];
  if (code == 0)
    return false;
  expect(strcmp(cwi_pario_text(code), "not a code of EAF or SF") != 0,
         "what is returned is no code");
  snprintf(text, sizeof text, "ended by the program in %s: %s returns %d", doing, call, code);
  if (!continues || ++errors > 3)
    cw_abort(text, 2);
  return true;
}

#define CODE(call)                                                                                 \
  while (code_again(#call, (call)))                                                                \
  continue

/* Returns the number of names in the folder that begin with `prefix`. None may be that of an
 * incomplete file. */
static int names(const char *prefix)
{
  int count = 0;
  DIR *folder = opendir(".");
  if (folder == NULL)
    fail("the folder cannot be read");
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    count += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
    expect(strstr(entry->d_name, ".partial") == NULL, "a file that is not complete is left");
  }
  closedir(folder);
  return count;
}

/* --- EAF -------------------------------------------------------------------------------------- */

static void eaf_on_disk(void)
{
  char name[40], seen[3000], bytes[3000], system[8];
  int fd = -1, request = 0;
  long free_mib = 0;
  double length = 0;
  doing = "EAF";
  sprintf(name, "eaf%d", me);
  memset(bytes, 'a' + me, sizeof bytes);
  CODE(EAF_Open(name, EAF_RW, &fd));
  CODE(EAF_Write(fd, 0, bytes, sizeof bytes));
  CODE(EAF_Awrite(fd, sizeof bytes, bytes, 1000, &request));
  CODE(EAF_Wait(fd, request));
  CODE(EAF_Read(fd, 1000, seen, sizeof seen));
  expect(memcmp(seen, bytes, sizeof seen) == 0, "an EAF file has other bytes");
  CODE(EAF_Length(fd, &length));
  expect(length == 4000, "an EAF file has another length");
  CODE(EAF_Truncate(fd, 2000));
  CODE(EAF_Stat(".", &free_mib, system, sizeof system));
  if (EAF_Close(fd) != 0) /* it is closed in spite of the error */
    expect(continues, "EAF_Close");
  CODE(EAF_Open(name, EAF_R, &fd));
  CODE(EAF_Read(fd, 0, seen, 2000));
  expect(EAF_Read(fd, 2000, seen, 1) == CWI_PARIO_END, "an EAF file does not end");
  if (EAF_Close(fd) != 0)
    expect(continues, "EAF_Close");
  CODE(EAF_Delete(name));
  expect(names(name) == 0, "an EAF file is left");
}

static void eaf_in_memory(void)
{
  static char name[] = "memory";
  int fd = -1, other = -1;
  char byte = 'x';
  doing = "EAF in memory";
  for (int i = 0; i < 3; i++) {
    CODE(EAF_Open(name, 1, &fd));
    CODE(EAF_Write(fd, 1000, "y", 1));
    CODE(EAF_Close(fd));
    CODE(EAF_Open(name, 1, &fd));
    CODE(EAF_Open(name, 1, &other));
    CODE(EAF_Read(other, 1000, &byte, 1));
    expect(byte == 'y', "a file in memory is lost");
    CODE(EAF_Delete(name));
    expect(EAF_Read(fd, 0, &byte, 1) != 0, "a file in memory that is deleted");
    (void)EAF_Close(fd);
    (void)EAF_Close(other);
  }
}

/* --- SF --------------------------------------------------------------------------------------- */

static void shared_file(void)
{
  static char name[] = "sf";
  int file = 0, request = 0;
  char seen[1000], bytes[1000];
  doing = "SF";
  for (int code; (code = SF_Create(name, 1, 1, 1, &file)) != 0;) {
    barrier();
    expect(names(name) == 0, "a shared file is left that not all could create");
    barrier();
    (void)code_again("SF_Create", code);
  }
  memset(bytes, 'a' + me, sizeof bytes);
  CODE(SF_Write(file, 1000. * me, sizeof bytes, bytes, &request));
  CODE(SF_Wait(&request));
  CODE(SF_Fsync(file));
  GA_Sync();
  CODE(SF_Read(file, 1000. * peer, sizeof seen, seen, &request));
  memset(bytes, 'a' + peer, sizeof bytes);
  expect(memcmp(seen, bytes, sizeof seen) == 0, "a shared file has other bytes");
  if (SF_Close(file) != 0)
    expect(continues, "SF_Close");
  CODE(SF_Open(file));
  CODE(SF_Rwtor(file));
  CODE(SF_Read(file, 1000. * peer, sizeof seen, seen, &request));
  if (SF_Destroy(file) !=
      0) { /* the handle is released in spite of the error, the file perhaps not */
    barrier();
    (void)unlink("sf.0");
  }
}

/* --- DRA -------------------------------------------------------------------------------------- */

enum { ROWS = 30, COLUMNS = 17, ALL = ROWS * COLUMNS };
static char path[] = "dra";
static int dims[] = {ROWS, COLUMNS}, zeros[2], last[] = {ROWS - 1, COLUMNS - 1};

static void fill(int g_a, int seed)
{
  double numbers[ALL];
  for (int i = 0; i < ALL; i++)
    numbers[i] = 1000. * seed + i;
  if (me == 0)
    NGA_Put(g_a, zeros, last, numbers, dims + 1);
  GA_Sync();
}

static void expect_numbers(int g_a, int seed)
{
  double numbers[ALL];
  NGA_Get(g_a, zeros, last, numbers, dims + 1);
  for (int i = 0; i < ALL; i++)
    expect(numbers[i] == 1000. * seed + i, "an element of an array on disk is wrong");
  GA_Sync();
}

static cw_error dra_move(const struct cwi_dra_move *request_options, int *request)
{
  return cwi_in_call("dra_move", cwi_dra_move(request_options, request));
}

static cw_error dra_create(const struct cwi_dra_options *request_options, int *handle)
{
  return cwi_in_call("dra_create", cwi_dra_create(request_options, handle));
}

static void move(int g_a, long handle, bool writes)
{
  const struct cwi_dra_move request_options = {.writes = writes, .g_a = g_a, .handle = handle};
  int request = 0;
  TOGETHER(2, dra_move(&request_options, &request));
  DRA_Wait(request);
}

static int open_array(void)
{
  int handle = 0;
  while (DRA_Open(path, DRA_R, &handle) != 0)
    if (!continues)
      cw_abort("ended by the program: DRA_Open", 2);
  return handle;
}

/* A file that cannot be deleted or examined is reported and stays. */
static bool may_stay(void)
{
  const char *site = getenv("CW_TEST_FAULT_SITE");
  return site != NULL &&
         (strstr(site, "sys_unlink") != NULL || strstr(site, "cwi_dra_info_read") != NULL ||
          strstr(site, "cwi_pario_") != NULL);
}

/* The array of this seed is unchanged, in this number of files; or no file of it exists. */
static void expect_whole(int g_a, int seed, int files)
{
  barrier();
  const int found = names(path);
  barrier();
  if (found == 0)
    return;
  expect((seed > 0 && found == files + 1) || may_stay(), "some files of an array on disk are left");
  const int handle = open_array();
  move(g_a, handle, false);
  expect_numbers(g_a, seed);
  DRA_Close(handle);
}

static int create_over(int g_a, int seed, int files, int old_files)
{
  static const int64_t extents[] = {ROWS, COLUMNS};
  const struct cwi_dra_options request_options = {.type = C_DBL,
                                                  .ndim = 2,
                                                  .dims = extents,
                                                  .name = "numbers",
                                                  .path = path,
                                                  .mode = DRA_RW,
                                                  .files = files};
  int handle = 0;
  for (;;) {
    const cw_error error = dra_create(&request_options, &handle);
    if (!again_together("dra_create", error, 2))
      return handle;
    expect_whole(g_a, seed - 1, old_files);
  }
}

static void disk_array(void)
{
  static const int files[] = {2, 3, 1};
  const int g_a = NGA_Create(C_DBL, 2, dims, (char *)"numbers", NULL);
  doing = "DRA";
  DRA_Init(-1, 0, 0, 0);
  for (int i = 0; i < 3; i++) {
    const int handle = create_over(g_a, i + 1, files[i], i > 0 ? files[i - 1] : 0);
    fill(g_a, i + 1);
    move(g_a, handle, true);
    DRA_Close(handle);
    GA_Zero(g_a);
    expect_whole(g_a, i + 1, files[i]);
  }
  DRA_Delete(open_array());
  barrier();
  expect(names(path) == 0 || may_stay(), "a file of a deleted array is left");
  DRA_Terminate();
  GA_Destroy(g_a);
}

/* --- Sparse arrays ---------------------------------------------------------------------------- */

enum { EXTENT = 24 };

/* Makes the tridiagonal matrix of 2 and -1; each member adds the elements of the other's rows. */
static int tridiagonal(void)
{
  const int s_a = NGA_Sprs_array_create(EXTENT, EXTENT, C_DBL);
  const double on = 2, beside = -1;
  for (int i = peer * EXTENT / 2; i < (peer + 1) * EXTENT / 2; i++)
    for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < EXTENT; j++)
      NGA_Sprs_array_add_element(s_a, i, j, (void *)(i == j ? &on : &beside));
  for (int tries = 0; NGA_Sprs_array_assemble(s_a) == 0; tries++)
    if (!continues || tries > 0)
      cw_abort("ended by the program: no memory to assemble", 2);
  return s_a;
}

static void expect_product(int s_a, const char *what)
{
  int extent = EXTENT, lo = 0, hi = EXTENT - 1;
  double one = 1, seen[EXTENT];
  const int x = NGA_Create(C_DBL, 1, &extent, (char *)"x", NULL);
  const int y = NGA_Create(C_DBL, 1, &extent, (char *)"y", NULL);
  GA_Fill(x, &one);
  NGA_Sprs_array_matvec_multiply(s_a, x, y);
  NGA_Get(y, &lo, &hi, seen, NULL);
  for (int i = 0; i < EXTENT; i++)
    expect(seen[i] == (i == 0 || i == EXTENT - 1), what);
  GA_Destroy(y);
  GA_Destroy(x);
}

static void blocks(int s_a)
{
  int *idx = NULL, *jdx = NULL, ilo, ihi, jlo, jhi;
  double *values = NULL;
  if (NGA_Sprs_array_get_block(s_a, peer, me, &idx, &jdx, &values, &ilo, &ihi, &jlo, &jhi) != 0) {
    expect(values[0] == -1, "an element of a block is wrong");
    free(idx);
    free(jdx);
    free(values);
  }
}

static void products(int s_a)
{
  int g_k = 0, g_w = 0;
  const int dense = NGA_Sprs_array_create_from_sparse(s_a);
  const int again_s = NGA_Sprs_array_create_from_dense(dense);
  expect_product(again_s, "a sparse array made of a dense one is wrong");
  const int right = NGA_Sprs_array_sprsdns_multiply(s_a, dense);
  const int left = NGA_Sprs_array_dnssprs_multiply(dense, s_a);
  const int square = NGA_Sprs_array_matmat_multiply(s_a, s_a);
  const int from_square = NGA_Sprs_array_create_from_sparse(square);
  GA_Add((double[]){1}, right, (double[]){-1}, left, left);
  expect(GA_Ddot(left, left) == 0, "products with dense arrays differ");
  GA_Add((double[]){1}, right, (double[]){-1}, from_square, left);
  expect(GA_Ddot(left, left) == 0, "the product of sparse arrays differs");
  const int sketch = NGA_Sprs_array_count_sketch(s_a, 5, &g_k, &g_w);
  const int arrays[] = {from_square, left, right, dense, sketch, g_k, g_w};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
    GA_Destroy(arrays[i]);
  NGA_Sprs_array_destroy(square);
  NGA_Sprs_array_destroy(again_s);
}

static void sparse(void)
{
  static char file[] = "matrix.mtx";
  double two = 2, half = 0.5;
  doing = "sparse arrays";
  for (int i = 0; i < 2; i++) {
    const int s_a = tridiagonal();
    expect_product(s_a, "a product of a sparse array is wrong");
    blocks(s_a);
    products(s_a);
    const int copy = NGA_Sprs_array_duplicate(s_a);
    NGA_Sprs_array_scale(copy, &two);
    NGA_Sprs_array_scale(copy, &half);
    const int diagonal = NGA_Sprs_array_get_column(copy, 3);
    GA_Destroy(diagonal);
    expect_product(copy, "a copy of a sparse array is wrong");
    NGA_Sprs_array_export(copy, file);
    NGA_Sprs_array_destroy(copy);
    NGA_Sprs_array_destroy(s_a);
  }
  barrier();
  expect(names(file) == 1, "a sparse array is not exported");
}

int main(int argc, char **argv)
{
  const char *folder = getenv("TMPDIR");
  if (chdir(folder != NULL ? folder : "/tmp") != 0)
    return 5;
  faults_start(&argc, &argv);
  GA_Initialize();
  eaf_on_disk();
  eaf_in_memory();
  shared_file();
  disk_array();
  sparse();
  doing = "GA_Terminate";
  GA_Terminate();
  return faults_finish();
}
