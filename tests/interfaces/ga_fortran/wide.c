/* Makes arrays for wide.F90 in C with more elements than an INTEGER of 4 bytes counts. Only a few
 * elements are accessed. */
#include <dra.h>
#include <ga.h>
#include <macdecls.h>

#include <stdbool.h>
#include <unistd.h>

Integer wide_matrix_(void);
Integer wide_line_(void);
Integer wide_blocks_(void);
Integer wide_counter_(void);
Integer wide_sparse_(void);
Integer wide_disk_(void);

static const int64_t LENGTH = ((int64_t)1 << 31) + 8;
static char name[] = "wide";

Integer wide_matrix_(void)
{
  return NGA_Create64(C_CHAR, 2, (int64_t[]){1, LENGTH}, name, NULL);
}

Integer wide_line_(void)
{
  return NGA_Create64(C_CHAR, 1, (int64_t[]){LENGTH}, name, NULL);
}

Integer wide_blocks_(void)
{
  const int g_a = GA_Create_handle();
  GA_Set_data64(g_a, 2, (int64_t[]){1, LENGTH}, C_CHAR);
  GA_Set_block_cyclic64(g_a, (int64_t[]){1, 1 << 20});
  return GA_Allocate(g_a) ? g_a : 0;
}

/* Its only element is the largest number that 4 bytes hold. */
Integer wide_counter_(void)
{
  long most = 2147483647;
  const int g_a = NGA_Create(C_LONG, 1, (int[]){1}, name, NULL);
  GA_Fill(g_a, &most);
  return g_a;
}

Integer wide_sparse_(void)
{
  const int s_a = NGA_Sprs_array_create64(4, LENGTH, C_DBL);
  return NGA_Sprs_array_assemble(s_a) ? s_a : 0;
}

/* Its files are sparse, and are deleted. */
Integer wide_disk_(void)
{
  char path[] = "gaf_wide.dra";
  dra_size_t dims[] = {1, LENGTH};
  int d_a = 0;
  const bool made =
      DRA_Init(1, 1, 1, 1) == 0 && NDRA_Create(C_INT, 2, dims, name, path, DRA_RW, dims, &d_a) == 0;
  (void)unlink(path);
  (void)unlink("gaf_wide.dra.info");
  return made ? d_a : 0;
}
