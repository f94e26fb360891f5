/* The public calls in which the members' pieces have different lengths. */
#include "base/size.h"
#include "collective/collective.h"
#include "collective/collective_calls.h"
#include "collective/shared_collective.h"
#include "collective/vector_exchange.h"
#include "profile/profile.h"
#include "team/agreement.h"
#include "wait/failures.h"

#include <stdlib.h>

/* Arguments that describe the pieces of a buffer, one for each member. */
struct varied_pieces {
  const char *name, *bytes_name; /* names of the arguments, for messages */
  const void *base;
  const size_t *bytes, *places;
};

/* Checks that piece `rank` at offset `place` does not exceed the address space. *end receives the
 * offset after the piece. The names for messages are formatted only on errors, because formatting
 * takes longer than moving a small piece. */
static cw_error check_piece(const struct varied_pieces *pieces, int rank, size_t place, size_t *end)
{
  const size_t bytes = pieces->bytes[rank];
  char number[32];
  if (CWI_LIKELY(cwi_add(place, bytes, end) && cwi_is_possible(1, *end) &&
                 (bytes == 0 || pieces->base != NULL)))
    return CW_OK;
  snprintf(number, sizeof number, "%s[%d]", pieces->bytes_name, rank);
  CWI_TRY(cwi_check_buffer(pieces->name, pieces->base, number, bytes, 1, bytes));
  snprintf(number, sizeof number, "the place of piece %d", rank);
  if (!cwi_add(place, bytes, end))
    return cwi_misuse("%s is %zu: no buffer is that long", number, place);
  return cwi_check_buffer(pieces->name, pieces->base, number, place, 1, bytes > 0 ? *end : 0);
}

/* Converts the pieces to runs, and checks all sums for overflow. */
static cw_error varied_lay_out(cw_team team, const struct varied_pieces *pieces,
                               struct cwi_run *runs)
{
  size_t next = 0;
  CWI_TRY(cwi_check_not_null(pieces->bytes_name, pieces->bytes));
  for (int rank = 0; rank < team->size; rank++) {
    const size_t bytes = pieces->bytes[rank];
    const size_t place = pieces->places != NULL ? pieces->places[rank] : next;
    CWI_TRY(check_piece(pieces, rank, place, &next));
    if (bytes > 0)
      runs[rank] = (struct cwi_run){(char *)(uintptr_t)pieces->base + place, bytes};
  }
  return CW_OK;
}

/* Checks that this process sends to itself as many bytes as it expects from itself. */
static cw_error check_own(const struct cwi_runs *runs)
{
  const int me = runs->team->rank;
  return runs->out[me].bytes == runs->in[me].bytes
             ? CW_OK
             : cwi_misuse("rank %d, which is mine, sends itself %zu bytes and expects %zu", me,
                          runs->out[me].bytes, runs->in[me].bytes);
}

/* With CW_CHECK, checks that each member sends as many bytes as the others expect, and returns an
 * error on all members if not. Called only if cwi_shared_exchange cannot be used, because that
 * compares the lengths itself. */
static cw_error varied_compare(const struct cwi_runs *runs)
{
  cw_team team = runs->team;
  const size_t size = (size_t)team->size;
  size_t *sizes = cwi_settings.check ? malloc(2 * size * sizeof *sizes) : NULL;
  if (!cwi_settings.check)
    return CW_OK;
  cw_error error = sizes != NULL ? CW_OK : cwi_outside("no memory to compare the lengths");
  error = cwi_team_agree(team, error);
  for (size_t i = 0; i < size && sizes != NULL; i++)
    sizes[i] = runs->out[i].bytes;
  if (error == CW_OK)
    error = cwi_alltoall(team, sizes, sizeof *sizes, sizes + size);
  for (size_t i = 0; i < size && error == CW_OK && sizes != NULL; i++)
    error = cwi_runs_check(runs, (int)i, sizes[size + i]);
  free(sizes);
  return cwi_team_agree_step(team, error);
}

static cw_error varied_exchange(const struct cwi_runs *runs)
{
  if (cwi_shared_can_exchange(runs->team))
    return cwi_shared_exchange(runs);
  if (cwi_survives())
    return cwi_shared_exchange_any(runs);
  CWI_TRY(varied_compare(runs));
  return cwi_runs_exchange(runs);
}

/* Finishes each call below and frees the runs. `root` is -1 if the call has none. `checked` is the
 * result of the previous checks. */
static cw_error varied_finish(const char *call, int root, struct cwi_runs *runs, cw_error checked)
{
  const struct cwi_argument rooted[] = {cwi_argument_int("root", &root), CWI_ARGUMENTS_END};
  if (checked == CW_OK)
    checked = check_own(runs);
  const cw_error error =
      checked != CW_OK
          ? cwi_in_call(call, checked)
          : CWI_COLLECTIVELY(call, runs->team, root < 0 ? cwi_argument_nothing() : rooted,
                             varied_exchange(runs));
  cwi_runs_free(runs);
  return error;
}

static cw_error varied_begin(cw_team team, int root, struct cwi_runs *runs)
{
  CWI_TRY(cwi_check_team("team", team));
  CWI_TRY(cwi_check_root(team, root));
  cwi_runs_make(team, runs);
  return CW_OK;
}

/* Gathers to `root`, or to all members if it is -1. */
static cw_error gather(const char *call, cw_team team, int root, struct cwi_run mine,
                       const struct varied_pieces *all)
{
  struct cwi_runs runs;
  CWI_TRY(cwi_in_call(call, varied_begin(team, root < 0 ? 0 : root, &runs)));
  cw_error error = cwi_check_buffer("mine", mine.at, "bytes", mine.bytes, 1, mine.bytes);
  for (int rank = 0; rank < team->size; rank++)
    if (root < 0 || rank == root)
      runs.out[rank] = mine;
  if (error == CW_OK && (root < 0 || root == team->rank))
    error = varied_lay_out(team, all, runs.in);
  return varied_finish(call, root, &runs, error);
}

cw_error cw_allgatherv(cw_team team, const void *mine, size_t bytes, void *all,
                       const size_t *all_bytes, const size_t *places)
{
  CWI_PROFILED(CW_CALL_COLLECTIVE);
  const struct varied_pieces pieces = {"all", "all_bytes", all, all_bytes, places};
  return gather("cw_allgatherv", team, -1, (struct cwi_run){(char *)(uintptr_t)mine, bytes},
                &pieces);
}

cw_error cw_gatherv(cw_team team, int root, const void *mine, size_t bytes, void *all,
                    const size_t *all_bytes, const size_t *places)
{
  CWI_PROFILED(CW_CALL_COLLECTIVE);
  struct cwi_run own = {(char *)(uintptr_t)mine, bytes};
  const struct varied_pieces pieces = {"all", "all_bytes", all, all_bytes, places};
  CWI_TRY(cwi_in_call("cw_gatherv", cwi_check_team("team", team)));
  CWI_TRY(cwi_in_call("cw_gatherv", cwi_check_root(team, root)));
  return gather("cw_gatherv", team, root, own, &pieces);
}

cw_error cw_scatterv(cw_team team, int root, const void *all, const size_t *all_bytes,
                     const size_t *places, void *mine, size_t bytes)
{
  CWI_PROFILED(CW_CALL_COLLECTIVE);
  struct cwi_runs runs;
  const struct varied_pieces pieces = {"all", "all_bytes", all, all_bytes, places};
  CWI_TRY(cwi_in_call("cw_scatterv", varied_begin(team, root, &runs)));
  cw_error error = cwi_check_buffer("mine", mine, "bytes", bytes, 1, bytes);
  runs.in[root] = (struct cwi_run){mine, bytes};
  if (error == CW_OK && root == team->rank)
    error = varied_lay_out(team, &pieces, runs.out);
  return varied_finish("cw_scatterv", root, &runs, error);
}

cw_error cwi_alltoallv(cw_team team, const void *mine, const size_t *bytes, const size_t *places,
                       void *all, const size_t *all_bytes, const size_t *all_places)
{
  struct cwi_runs runs;
  const struct varied_pieces out = {"mine", "bytes", mine, bytes, places};
  const struct varied_pieces in = {"all", "all_bytes", all, all_bytes, all_places};
  cwi_runs_make(team, &runs);
  cw_error error = varied_lay_out(team, &out, runs.out);
  if (error == CW_OK)
    error = varied_lay_out(team, &in, runs.in);
  return varied_finish("cw_alltoallv", -1, &runs, error);
}

cw_error cw_alltoallv(cw_team team, const void *mine, const size_t *bytes, const size_t *places,
                      void *all, const size_t *all_bytes, const size_t *all_places)
{
  CWI_PROFILED(CW_CALL_COLLECTIVE);
  CWI_TRY(cwi_in_call("cw_alltoallv", cwi_check_team("team", team)));
  return cwi_alltoallv(team, mine, bytes, places, all, all_bytes, all_places);
}
