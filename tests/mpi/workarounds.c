/* CW_WORKAROUNDS: its names are those of the table of MPI bugs, in the same order; + and - turn one
 * workaround on or off and no other. With an unknown MPI (argument "another"), the workarounds that
 * are right with any MPI are on. */
#include "mpi/workaround.h"

#include "base/settings.h"
#include "kit/kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Replaces MPI's own function, to report another name. */
int MPI_Get_library_version(char *text, int *length)
{
  const char *given = getenv("CW_TEST_LIBRARY");
  if (given == NULL)
    return PMPI_Get_library_version(text, length);
  *length = snprintf(text, MPI_MAX_LIBRARY_VERSION_STRING, "%s", given);
  return MPI_SUCCESS;
}

static void set_workaround(const char *sign, const char *name)
{
  char text[80];
  snprintf(text, sizeof text, "%s%s", sign, name);
  kit_check(cwi_settings_set("CW_WORKAROUNDS", text, "test") == CW_OK, "%s: %s", text,
            cw_error_message());
}

static void check_sign(enum cwi_workaround_id changed, const char *sign)
{
  const char *name = cwi_workaround_name(changed);
  kit_about("%s%s", sign, name);
  set_workaround(sign, name);
  for (int id = 0; id < CWI_WORKAROUNDS; id++) {
    const bool expected = cwi_workaround_expected((enum cwi_workaround_id)id);
    kit_check(cwi_workaround_applies((enum cwi_workaround_id)id) ==
                  (id == (int)changed ? sign[0] == '+' : expected),
              "%s", cwi_workaround_name((enum cwi_workaround_id)id));
  }
}

static void check_all(const char *list, bool on, enum cwi_workaround_id but)
{
  kit_about("%s", list);
  set_workaround("", list);
  for (int id = 0; id < CWI_FIRST_AVOIDED; id++) {
    const struct cwi_workaround *row = cwi_workaround((enum cwi_workaround_id)id);
    /* "all" omits workarounds that are wrong with other MPIs. */
    const bool all =
        on && (!row->only_there || cwi_workaround_expected((enum cwi_workaround_id)id));
    kit_check(cwi_workaround_applies((enum cwi_workaround_id)id) == (id == (int)but ? !on : all),
              "%s", cwi_workaround_name((enum cwi_workaround_id)id));
  }
}

static void check_rejected(const char *list)
{
  kit_about("%s", list);
  kit_check(cwi_settings_set("CW_WORKAROUNDS", list, "test") == CW_MISUSE &&
                strstr(cw_error_message(), "with commas between: all|mpich_flush_local|") != NULL &&
                strstr(cw_error_message(), "|openmpi_swap_apart (") != NULL,
            "%s", cw_error_message());
}

static void check_expected(bool another)
{
  kit_about("what the table says");
  int expected = 0;
  for (int id = 0; id < CWI_WORKAROUNDS; id++) {
    const bool is = cwi_workaround_expected((enum cwi_workaround_id)id);
    expected += is;
    if (another)
      kit_check(is == !cwi_workaround((enum cwi_workaround_id)id)->only_there, "%s",
                cwi_workaround_name((enum cwi_workaround_id)id));
  }
  kit_check(expected > 0 && expected < CWI_WORKAROUNDS, "%d are expected", expected);
}

int main(int argc, char **argv)
{
  const bool another = argc > 1 && strcmp(argv[1], "another") == 0;
  if (another)
    setenv("CW_TEST_LIBRARY", "Brand New MPI 1.0\nbuilt today", 1);
  kit_start(&argc, &argv, "workarounds");
  kit_check(cwi_settings_read() == CW_OK, "%s", cw_error_message());
  check_expected(another);
  for (int id = 0; id < CWI_FIRST_AVOIDED; id++) {
    check_sign((enum cwi_workaround_id)id, "+");
    check_sign((enum cwi_workaround_id)id, "-");
  }
  check_all("+all", true, CWI_WORKAROUNDS);
  check_all("-all", false, CWI_WORKAROUNDS);
  check_all("-all,+openmpi_bits", false, CWI_OPENMPI_BITS);
  check_all("-openmpi_bits,+all,-openmpi_bits", true, CWI_OPENMPI_BITS);
  check_rejected("openmpi_bits");
  check_rejected("+openmpi_bit");
  check_rejected("+mpich_win_allocate"); /* not applicable to this MPI */
  check_rejected("+openmpi_bits,,");
  check_rejected("+");
  return kit_finish();
}
