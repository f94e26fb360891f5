#include "report.h"

#include <math.h>

void bench_report_start(const char *limit, FILE *csv)
{
  printf("| %-15s | %9s | %9s ns | %12s | %12s | %8s | %8s | %-7s | %8s | %6s | %-7s | %6s |\n",
         "operation", "bytes", limit, "Causeway ns", "ARMCI-MPI ns", "limit/us", "target",
         "verdict", "peer/us", "target", "verdict", "noise");
  printf("|:----------------|----------:|-------------:|-------------:|-------------:|---------:|"
         "---------:|:--------|---------:|-------:|:--------|-------:|\n");
  if (csv != NULL)
    fprintf(csv, "mpi,mode,operation,bytes,rows,limit_ns,ours_ns,peer_ns,limit_spread,ours_spread,"
                 "peer_spread,right,limit_verdict,peer_verdict\n");
}

static double ratio(const struct bench_row *row, int above, int below)
{
  const double divisor = row->times[below].median;
  return divisor > 0 && isfinite(divisor) ? row->times[above].median / divisor : 0;
}

enum verdict { NO_DEMAND, UNDER, MET };
static const char *const verdicts[] = {[NO_DEMAND] = "-", [UNDER] = "UNDER", [MET] = "ok"};

static enum verdict against_limit(const struct bench_row *row)
{
  const struct bench_target *target = &row->one->target;
  if (target->measure == BENCH_NONE || !row->present[BENCH_OURS])
    return NO_DEMAND;
  if (target->measure == BENCH_NANOSECONDS)
    return row->times[BENCH_OURS].median <= target->value ? MET : UNDER;
  return ratio(row, BENCH_LIMIT, BENCH_OURS) >= target->value ? MET : UNDER;
}

/* Returns the verdict against the peer. A peer that moves wrong data is not compared. */
static enum verdict against_peer(const struct bench_row *row)
{
  const struct bench_target *target = &row->one->target;
  if (!(target->peer > 0) || !row->present[BENCH_PEER] || !row->right[BENCH_PEER] ||
      !row->present[BENCH_OURS])
    return NO_DEMAND;
  return ratio(row, BENCH_PEER, BENCH_OURS) >= target->peer ? MET : UNDER;
}

static const char *verdict(const struct bench_row *row)
{
  if (!row->right[BENCH_LIMIT] || !row->right[BENCH_OURS])
    return "WRONG";
  return verdicts[against_limit(row)];
}

/* Writes the time of a side into `text`, as "12.3", or the reason why there is none. */
static const char *nanoseconds(const struct bench_row *row, int side, char *text, size_t size)
{
  if (!row->present[side])
    return "-";
  if (isinf(row->times[side].median))
    return "waits"; /* the operation ended only when the target stopped computing */
  snprintf(text, size, "%.1f%s", row->times[side].median, row->right[side] ? "" : " WRONG");
  return text;
}

static const char *demanded(const struct bench_target *target, char *text, size_t size)
{
  static const char *const formats[] = {
      [BENCH_NONE] = "-", [BENCH_NANOSECONDS] = "<=%.0f ns", [BENCH_RATE] = ">=%.2f"};
  snprintf(text, size, formats[target->measure], target->value);
  return text;
}

static double noise(const struct bench_row *row)
{
  double worst = 0;
  for (int s = 0; s < BENCH_SIDES; s++)
    worst = row->times[s].spread > worst ? row->times[s].spread : worst;
  return worst;
}

static void csv_row(const struct bench_row *row, const char *label, FILE *csv)
{
  const struct bench_work *work = &row->one->work;
  fprintf(csv, "%s,%s,%s,%zu,%zu", BENCH_MPI, label, row->one->name, work->bytes, work->rows);
  for (int s = 0; s < BENCH_SIDES; s++)
    fprintf(csv, ",%.3f", isinf(row->times[s].median) ? -1 : row->times[s].median);
  for (int s = 0; s < BENCH_SIDES; s++)
    fprintf(csv, ",%.3f", row->times[s].spread);
  fprintf(csv, ",%d%d%d,%s,%s\n", row->right[BENCH_LIMIT], row->right[BENCH_OURS],
          row->right[BENCH_PEER], verdicts[against_limit(row)], verdicts[against_peer(row)]);
  fflush(csv); /* keep what has been measured even if the job ends early */
}

struct bench_verdicts bench_report(const struct bench_row *row, const char *label, FILE *csv)
{
  const struct bench_work *work = &row->one->work;
  const double least = row->one->target.peer;
  char bytes[32], limit[32], ours[32], peer[32], target[32], versus[32] = "-", above[32] = "-";
  const int length = work->rows > 1 ? snprintf(bytes, sizeof bytes, "%zux", work->rows) : 0;
  snprintf(bytes + length, sizeof bytes - (size_t)length, "%zu", work->bytes);
  if (row->present[BENCH_PEER])
    snprintf(versus, sizeof versus, "%.2f", ratio(row, BENCH_PEER, BENCH_OURS));
  if (least > 0)
    snprintf(above, sizeof above, ">=%g", least);
  printf("| %-15s | %9s | %12s | %12s | %12s | %8.2f | %8s | %-7s | %8s | %6s | %-7s | %5.0f%% |\n",
         row->one->name, bytes, nanoseconds(row, BENCH_LIMIT, limit, sizeof limit),
         nanoseconds(row, BENCH_OURS, ours, sizeof ours),
         nanoseconds(row, BENCH_PEER, peer, sizeof peer), ratio(row, BENCH_LIMIT, BENCH_OURS),
         demanded(&row->one->target, target, sizeof target), verdict(row), versus, above,
         verdicts[against_peer(row)], 100 * noise(row));
  fflush(stdout);
  if (csv != NULL)
    csv_row(row, label, csv);
  const enum verdict limits = against_limit(row), peers = against_peer(row);
  return (struct bench_verdicts){.demanded = (limits != NO_DEMAND) + (peers != NO_DEMAND),
                                 .met = (limits == MET) + (peers == MET)};
}
