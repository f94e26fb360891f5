/* The table of MPI bugs. Each row has a program in tests/mpi/reproducers that shows the bug with
 * plain MPI; `cw-info --selftest` runs them on any MPI and compares the results with the table.
 * When a bug is gone from all supported versions, its row is removed.
 *
 * The library decides by version number and does not test MPI at its start. Nearly every test needs
 * a window and a second process, and some bugs are races that show in one of many tries: a test
 * would cost milliseconds to seconds of each start and prove nothing. For an MPI that is not in the
 * table, the library uses all work-arounds that are correct with any MPI; they cost time in rare
 * operations only. Users who have run the selftest can set CW_WORKAROUNDS.
 *
 * Two bugs are known from reports only. We have not seen them with the MPIs that we test with, but
 * avoid them:
 * - Open MPI with osc/ucx crashes in MPI_Accumulate with derived datatypes (ompi#14175) and aborts
 *  at 255 requests to one target (ompi#14192). So datatypes and requests are settings there, and
 *  the number of requests is bounded.
 * - MPICH on InfiniBand: a datatype of many blocks overflows the message header (mpich#7886). So no
 *  datatype that we use by default has more than 256 segments. */
#include "mpi/workaround.h"

#include "base/settings.h"
#include "mpi/mpi_library.h"

#include <string.h>

static int workaround_compare(const int left[3], const int right[3])
{
  for (int part = 0; part < 3; part++)
    if (left[part] != right[part])
      return left[part] < right[part] ? -1 : 1;
  return 0;
}

/* Returns true if MPI_MIN and MPI_MAX treat unsigned numbers as signed. MPICH has fixed this, Open
 * MPI has not. */
static bool extremes_are_signed(void)
{
  static const int mpich_fixed[3] = {4, 2, 1};
  const struct cwi_mpi_library *mpi = cwi_mpi_library();
  return strcmp(mpi->name, "MPICH") != 0 || workaround_compare(mpi->version, mpich_fixed) < 0;
}

static const struct cwi_workaround table[CWI_WORKAROUNDS] = {
    [CWI_MPICH_WIN_ALLOCATE] =
        {.library = "MPICH",
         .first = {4, 0, 1},
         .fixed = {4, 1, 0},
         .bug = "accumulates to memory of MPI_Win_allocate are lost on one node when the size of a "
                "process is not a multiple of 16 bytes",
         .instead = "windows are made by MPI_Win_create on whole pages of our own memory",
         .link = "https://github.com/pmodels/mpich/issues/6110"},
    [CWI_MPICH_RGET_DATATYPE] =
        {.library = "MPICH",
         .first = {4, 0, 0},
         .fixed = {5, 0, 2},
         .bug =
             "MPI_Rget with a datatype that is not contiguous returns a request that is complete "
             "before the data is there",
         .instead = "requests are used for contiguous transfers only, and by setting; the rest is "
                    "completed by flush",
         .link = "https://github.com/pmodels/mpich/issues/7896"},
    [CWI_MPICH_FLUSH_LOCAL] =
        {.library = "MPICH",
         .first = {4, 0, 0},
         .fixed = {6, 0, 0},
         .bug = "MPI_Win_flush_local returns before the data of a get is there, when a put to the "
                "same target was issued after the get",
         .instead = "gets are completed by MPI_Win_flush while a put to the target is outstanding",
         .link = "docs/reports/mpich-flush-local.md"},
    [CWI_MPICH_FLUSH_ALL] =
        {.library = "MPICH",
         .first = {4, 0, 0},
         .fixed = {6, 0, 0},
         .bug = "on one node, MPI_Win_flush_all returns before the data of a get of 464 KB or more "
                "is there",
         .instead = "targets with gets under way are flushed one by one before it",
         .link = "docs/reports/mpich-flush-all.md"},
    [CWI_MPICH_WIN_UNALIGNED] =
        {.library = "MPICH",
         .first = {4, 0, 0},
         .fixed = {4, 2, 1},
         .bug =
             "on one node, puts to a window of MPI_Win_create that begins at an odd multiple of 8 "
             "bytes land 8 bytes before it",
         .instead = "windows are of whole pages",
         .link = "no report known to us; docs/reports/README.md"},
    [CWI_MPICH_FINALIZE] =
        {.library = "MPICH",
         .first = {4, 0, 0},
         .fixed = {4, 1, 0},
         .bug =
             "MPI_Finalize of jobs on several hosts hangs with UCX 1.13 over TCP, in about every "
             "second job of four hosts",
         .instead = "TCP connections are left open there (CW_LEAVE_CONNECTIONS)",
         .link = "https://github.com/openucx/ucx/issues/8738",
         .also = cwi_ucx_hangs,
         .only_there = true},
    [CWI_OPENMPI_WIN_ALONE] = {.library = "Open MPI",
                               .first = {4, 1, 0},
                               .fixed = {5, 0, 0},
                               .bug = "MPI_Win_create fails on a communicator of one process",
                               .instead = "a team of one process has no window",
                               .link = "https://github.com/open-mpi/ompi/issues/10726"},
    [CWI_OPENMPI_WIN_DISJOINT] =
        {.library = "Open MPI",
         .first = {4, 0, 0},
         .fixed = {5, 0, 0},
         .bug =
             "MPI_Win_create fails when two disjoint communicators with processes on one machine "
             "make windows at the same time: osc/rdma gives their files one name",
         .instead = "teams that do not have all processes of the job make windows one after the "
                    "other; a process has the turn on its machine while it holds a socket address "
                    "that only the job uses",
         .link = "https://github.com/open-mpi/ompi/issues/9492",
         .processes = 4},
    [CWI_OPENMPI_STRIDE] =
        {.library = "Open MPI",
         .first = {4, 0, 0},
         .fixed = {6, 0, 0},
         .bug = "a vector datatype of single bytes with stride -1 moves wrong bytes",
         .instead = "shapes with a stride of -1 go row by row",
         .link = "docs/reports/openmpi-stride.md"},
    [CWI_OPENMPI_SWAP_SELF] =
        {.library = "Open MPI",
         .first = {4, 0, 0},
         .fixed = {5, 0, 0},
         .bug = "MPI_Compare_and_swap of 8 bytes on the calling process itself crashes in windows "
                "of osc/rdma, which are those on one node",
         .instead = "updates of 8 bytes of the calling process use the processor's atomic "
                    "instructions, as Open MPI does at the target for updates of other processes",
         .link = "https://github.com/open-mpi/ompi/issues/9146",
         /* a network's atomics are not atomic with respect to the processor's */
         .only_there = true},
    /* In `fixed`, 6.0.0 means that no released version is known to be without the bug. */
    [CWI_UNSIGNED_EXTREMES] =
        {.library = "MPICH, Open MPI",
         .first = {4, 0, 0},
         .fixed = {6, 0, 0},
         .bug = "accumulates with MPI_MIN and MPI_MAX treat unsigned numbers as signed (MPICH: "
                "before 4.2.1; Open MPI: those of 32 and 64 bits)",
         .instead = "element by element, with MPI_Compare_and_swap, repeated until no other update "
                    "has come in between",
         .link = "https://github.com/pmodels/mpich/issues/6083, "
                 "docs/reports/openmpi-unsigned-extremes.md",
         .also = extremes_are_signed},
    [CWI_OPENMPI_UPDATES] =
        {.library = "Open MPI",
         .first = {4, 0, 0},
         .fixed = {6, 0, 0},
         .bug = "accumulates of 32- and 64-bit integers with MPI_LAND, MPI_LOR and MPI_LXOR to "
                "another process of the machine fetch nothing and change something else; "
                "MPI_Fetch_and_op adds up single complex numbers as 64-bit integers; in windows of "
                "osc/ucx it does so with all real numbers, and ignores numbers of 1, 2 and 16 "
                "bytes, as MPI_Compare_and_swap does",
         .instead = "as for unsigned_extremes; with osc/ucx MPI_Get_accumulate, and "
                    "MPI_Compare_and_swap of the 4 bytes around the number",
         .link = "docs/reports/openmpi-updates.md, docs/reports/openmpi-fetch-real.md"},
    [CWI_OPENMPI_BITS] =
        {.library = "Open MPI",
         .first = {5, 0, 0},
         .fixed = {6, 0, 0},
         .bug = "accumulates of 64-bit integers with MPI_BAND, MPI_BOR and MPI_BXOR to another "
                "process of the machine change nothing, or make the number 0",
         .instead = "as for unsigned_extremes",
         .link = "docs/reports/openmpi-bits.md"},
    [CWI_OPENMPI_SATURATED_SUM] =
        {.library = "Open MPI",
         .first = {4, 1, 0},
         .fixed = {6, 0, 0},
         .bug = "sums of 8 or more integers of 8 or 16 bits stop at the largest and the least "
                "number instead of wrapping",
         .instead = "accumulates of 7 elements at a time",
         .link = "https://github.com/open-mpi/ompi/issues/8045"},
    [CWI_OPENMPI_FETCH_TAIL] = {.library = "Open MPI",
                                .first = {4, 0, 0},
                                .fixed = {6, 0, 0},
                                .bug = "MPI_Get_accumulate of a little more than a multiple of "
                                       "4096 bytes fetches zeros after the last full 4096 bytes",
                                .instead = "fetching updates of 4096 bytes at a time",
                                .link = "docs/reports/openmpi-fetch-tail.md"},
    [CWI_OPENMPI_SWAP_APART] =
        {.library = "Open MPI",
         .first = {4, 0, 0},
         .fixed = {5, 0, 0},
         .bug = "in windows of osc/rdma MPI_Compare_and_swap of 8 bytes can come between the load "
                "and the store of accumulates that the transport does not support: those with "
                "MPI_PROD, those of many elements, of real numbers, and on the calling process "
                "itself; MPI's standard permits that, because it guarantees nothing for different "
                "operations",
         .instead = "updates of 64-bit integers go element by element, and those that the "
                    "transport does not support are made of compare-and-swap, as are lock-free "
                    "ones of real numbers; locked compare-and-swap of real numbers is not "
                    "supported",
         .link = "https://github.com/mpi-forum/mpi-issues/issues/114",
         .processes = 3},
};

#define NAME(identifier, name) #name,
static const char *const names[] = {CWI_WORKAROUND_NAMES(NAME) CWI_AVOIDED_BUG_NAMES(NAME)};

const char *cwi_workaround_name(enum cwi_workaround_id id)
{
  return names[id];
}

const struct cwi_workaround *cwi_workaround(enum cwi_workaround_id id)
{
  return &table[id];
}

bool cwi_workaround_expected(enum cwi_workaround_id id)
{
  const struct cwi_workaround *row = &table[id];
  const struct cwi_mpi_library *mpi = cwi_mpi_library();
  if (strcmp(mpi->name, CWI_ANOTHER_MPI) == 0)
    return !row->only_there;
  return strstr(row->library, mpi->name) != NULL &&
         workaround_compare(mpi->version, row->first) >= 0 &&
         workaround_compare(mpi->version, row->fixed) < 0 && (row->also == NULL || row->also());
}

bool cwi_workaround_applies(enum cwi_workaround_id id)
{
  const enum cwi_sign sign =
      id < CWI_FIRST_AVOIDED ? cwi_settings_sign(cwi_settings.workarounds, (int)id) : CWI_NO_SIGN;
  if (sign == CWI_NO_SIGN || (sign == CWI_PLUS_ALL && table[id].only_there))
    return cwi_workaround_expected(id);
  return sign != CWI_MINUS;
}

static void workaround_print(FILE *out, enum cwi_workaround_id id)
{
  const struct cwi_workaround *row = &table[id];
  fprintf(out, "   %-25s %s %d.%d.%d to before %d.%d.%d%s\n", names[id], row->library,
          row->first[0], row->first[1], row->first[2], row->fixed[0], row->fixed[1], row->fixed[2],
          cwi_workaround_applies(id) != cwi_workaround_expected(id) ? "; by CW_WORKAROUNDS" : "");
  fprintf(out, "     %s\n     instead: %s\n     %s\n", row->bug, row->instead, row->link);
}

static bool is_known_mpi(void)
{
  return strcmp(cwi_mpi_library()->name, CWI_ANOTHER_MPI) != 0;
}

void cwi_workarounds_name(FILE *out)
{
  const char *const begin = is_known_mpi() ? "" : "of an MPI that Causeway does not know yet: ";
  const char *before = begin;
  fprintf(out, "MPI bugs:  ");
  for (int id = 0; id < CWI_WORKAROUNDS; id++)
    if (cwi_workaround_applies((enum cwi_workaround_id)id)) {
      fprintf(out, "%s%s", before, names[id]);
      before = ", ";
    }
  fprintf(out,
          "%s (from the table of known bugs%s; cw-info --bugs explains them, cw-info --selftest "
          "tests this MPI)\n",
          before == begin ? "none" : "", before == begin ? "" : ", all avoided");
}

void cwi_workarounds_print(FILE *out, bool apply)
{
  if (!apply)
    fprintf(out, "Bugs of other MPIs that Causeway knows:\n");
  else if (!is_known_mpi())
    fprintf(out, "Causeway does not know this MPI's bugs yet, so it works around those of other "
                 "MPIs (cw-info --selftest finds those that it has):\n");
  else
    fprintf(out, "Bugs that the table of known bugs has for this MPI, and Causeway works around "
                 "(cw-info --selftest tests for them):\n");
  for (int id = 0; id < CWI_WORKAROUNDS; id++)
    if (cwi_workaround_applies((enum cwi_workaround_id)id) == apply)
      workaround_print(out, (enum cwi_workaround_id)id);
}

/* Without a network adapter, osc/rdma needs a transport with put and get of its own. Vader has them
 * if it copies from process to process. osc/pt2pt fails in jobs with threads. */
const char *cwi_mpi_windows_need(void)
{
  return strcmp(cwi_mpi_library()->name, "Open MPI") == 0
             ? "on one machine Open MPI makes windows only if its transport vader copies from "
               "process "
               "to process: set OMPI_MCA_btl_vader_single_copy_mechanism=emulated, or "
               "CW_ROUTE=auto "
               "with servers"
             : NULL;
}

/* MPICH 4.0.2 accumulates 512 KiB in one operation at a fifth of the speed of sixteen operations of
 * 32 KiB; Open MPI 4.1.4 over TCP takes twice as long if they are split. Rows were measured on one
 * node with 256 rows of 8 bytes, 4 KiB apart. MPICH 4.0.2: 90 us row by row, 5 us with a datatype;
 * from rows of 512 bytes on, a datatype is slower. Open MPI 4.1.4: 150 us either way, and 70 us for
 * a get of 1 MiB that includes all gaps. */
const struct cwi_mpi_traits *cwi_mpi_traits(void)
{
  static const struct cwi_mpi_traits mpich = {.bundle_run = 512,
                                              .bundle_sum = 1024,
                                              .bundle_remote = 8192,
                                              .accumulate_piece = (size_t)32 << 10,
                                              .sieve_gap = 64};
  static const struct cwi_mpi_traits others = {
      .accumulate_piece = (size_t)1 << 30, .sieve_gap = 2048, .checks_first = true};
  static const struct cwi_mpi_traits *traits;
  if (traits == NULL)
    traits = strcmp(cwi_mpi_library()->name, "MPICH") == 0 ? &mpich : &others;
  return traits;
}
