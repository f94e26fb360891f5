/* Draws the picture of `uts --plot`. Each worker has an upright bar for its rate, a hanging bar for
 * the share of time in which it searched for tasks, and ticks for its steals. The SVG is written
 * here: an MPI process should not start gnuplot as a child, and the picture is only rectangles and
 * text. */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sizes in pixels. A column of the picture is one pixel wide. */
enum {
  COLUMNS = 800,
  LEFT = 110,
  RIGHT = 160,
  TOP = 84,
  BOTTOM = 50,
  HIGHEST_LANE = 60,
  ALL_LANES = 800,
  LOWEST_LANE = 4,
  LETTERS = 16
};

/* The data of one worker, which process 0 draws. */
struct lane {
  double steals, busy;      /* of the process: its number of steals, and its busy time in percent */
  double nodes[COLUMNS];    /* nodes visited in the time of the column */
  double searched[COLUMNS]; /* share of that time spent searching; only if the process has one
                               worker */
  double stole[COLUMNS];    /* number of steals */
};

static void *had(void *memory)
{
  if (memory == NULL) {
    cw_abort("uts: no memory for the picture", 1);
    abort();
  }
  return memory;
}

void uts_track_sample(struct uts_track *track, const cw_task *task)
{
  cw_tasks_counts counts = {0};
  if (track->count == track->capacity) {
    track->capacity = track->capacity > 0 ? 2 * track->capacity : 1024;
    track->samples = had(realloc(track->samples, track->capacity * sizeof *track->samples));
  }
  if (task->worker == 0)
    CW_MUST(cw_tasks_statistics(task->pool, &counts));
  track->samples[track->count++] = (struct uts_sample){
      MPI_Wtime(), (double)(counts.near_steals + counts.far_steals), counts.searching};
}

/* --- Lanes ------------------------------------------------------------------------------------ */

static int column_of(double place)
{
  return place < 0 ? 0 : place < COLUMNS ? (int)place : COLUMNS - 1;
}

/* Distributes the amount between two samples evenly over the columns between them. */
static void spread(double *columns, double amount, double begin, double end)
{
  for (int column = column_of(begin); column <= column_of(end); column++) {
    const double from = fmax(begin, column), to = fmin(end, column + 1);
    if (to > from)
      columns[column] += amount * (to - from) / (end - begin);
  }
}

static void fill(struct lane *lane, const struct uts_picture *picture, int worker, double seconds)
{
  const struct uts_track *track = &picture->tracks[worker];
  const double width = seconds / COLUMNS;
  struct uts_sample last = {.time = picture->begin};
  *lane =
      (struct lane){.steals = picture->steals,
                    .busy = 100 * (1 - picture->searching / (picture->seconds * picture->threads))};
  for (size_t i = 0; i <= track->count; i++) {
    const struct uts_sample end = {picture->begin + seconds, picture->steals, picture->searching};
    const struct uts_sample next = i < track->count ? track->samples[i] : end;
    const double from = (last.time - picture->begin) / width;
    const double to = (next.time - picture->begin) / width;
    if (i < track->count)
      spread(lane->nodes, UTS_NODES_OF_A_SAMPLE, from, to);
    if (picture->threads == 1)
      spread(lane->searched, (next.searching - last.searching) / width, from, to);
    if (worker == 0 && next.steals > last.steals)
      lane->stole[column_of(to)]++;
    last = next;
  }
}

static double most_nodes(const struct lane *lanes, int count)
{
  double most = 1;
  for (int i = 0; i < count; i++)
    for (int column = 0; column < COLUMNS; column++)
      most = fmax(most, lanes[i].nodes[column]);
  return most;
}

/* --- Drawing ---------------------------------------------------------------------------------- */

struct page {
  FILE *file;
  double seconds, most; /* most: greatest number of nodes in a column */
  double height;        /* height of a lane; seven tenths are the bar and two the ticks */
  int lanes, threads;
};

static void draw_key(const struct page *page, int x, int width, const char *colour,
                     const char *text)
{
  fprintf(page->file,
          "<rect x='%d' y='58' width='%d' height='12' fill='%s'/><text x='%d' y='69'>%s</text>\n",
          LEFT + x, width, colour, LEFT + x + width + 6, text);
}

static void draw_head(const struct page *page, const struct uts_picture *picture)
{
  char rate[80];
  snprintf(rate, sizeof rate, "nodes per second, up to %.2f million",
           1e-6 * page->most * COLUMNS / page->seconds);
  fprintf(page->file,
          "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%.0f' "
          "font-family='sans-serif' font-size='12'>\n"
          "<rect width='100%%' height='100%%' fill='white'/>\n"
          "<text x='20' y='24' font-size='16'>%s</text>\n<text x='20' y='44'>%s</text>\n",
          LEFT + COLUMNS + RIGHT, TOP + page->lanes * page->height + BOTTOM, picture->title,
          picture->text);
  draw_key(page, 0, 14, "#0060ad", rate);
  draw_key(page, 280, 1, "#dd181f", "has stolen tasks");
  if (page->threads > 1)
    return;
  draw_key(page, 420, 14, "#f0a030", "searches (share of the time)");
  draw_key(page, 630, 14, "#eeeeee", "neither: other programs run");
}

/* Returns the distance of the times on the axis: 1, 2 or 5 times a power of ten, for about eight of
 * them. */
static double step_of(double seconds)
{
  const double least = seconds / 8, power = pow(10, floor(log10(least)));
  return least <= 2 * power ? 2 * power : least <= 5 * power ? 5 * power : 10 * power;
}

static void draw_axis(const struct page *page)
{
  const double y = TOP + page->lanes * page->height, step = step_of(page->seconds);
  fprintf(page->file, "<path stroke='#888888' d='M%d %.1fh%d'/>\n<g text-anchor='middle'>\n", LEFT,
          y, COLUMNS);
  for (int i = 0; i * step <= page->seconds; i++) {
    const double x = LEFT + COLUMNS * i * step / page->seconds;
    fprintf(page->file,
            "<path stroke='#888888' d='M%.1f %.1fv5'/><text x='%.1f' y='%.1f'>%g</text>\n", x, y, x,
            y + 18, i * step);
  }
  fprintf(page->file, "<text x='%d' y='%.1f'>seconds</text>\n</g>\n", LEFT + COLUMNS / 2, y + 36);
}

/* Draws an area from `base` with the height values / most of `height`. A negative height draws
 * downwards. */
static void draw_area(const struct page *page, const char *colour, const double *values,
                      double most, double base, double height)
{
  long last = 0; /* in tenths of a pixel */
  fprintf(page->file, "<path fill='%s' d='M%d %.1f", colour, LEFT, base);
  for (int column = 0; column < COLUMNS; column++) {
    const long tenths = lround(10 * height * fmin(values[column] / most, 1));
    if (tenths != last)
      fprintf(page->file, "H%dV%.1f", LEFT + column, base - (double)tenths / 10);
    last = tenths;
  }
  fprintf(page->file, "H%dV%.1fZ'/>\n", LEFT + COLUMNS, base);
}

static void draw_bar(const struct page *page, const struct lane *lane, double top, double height)
{
  fprintf(page->file, "<rect x='%d' y='%.1f' width='%d' height='%.1f' fill='#eeeeee'/>\n", LEFT,
          top, COLUMNS, height);
  draw_area(page, "#0060ad", lane->nodes, page->most, top + height, height);
  draw_area(page, "#f0a030", lane->searched, 1, top, -height);
}

static void draw_ticks(const struct page *page, const struct lane *lane, double top)
{
  fprintf(page->file, "<path stroke='#dd181f' d='M%d %.1f", LEFT, top);
  for (int column = 0; column < COLUMNS; column++)
    if (lane->stole[column] > 0)
      fprintf(page->file, "M%d.5 %.1fv%.1f", LEFT + column, top, page->height * 0.2);
  fprintf(page->file, "'/>\n");
}

/* Writes the name of a lane beside it. Low lanes have a name only at intervals. Figures of the
 * process stand at its first lane. */
static void draw_words(const struct page *page, const struct lane *lane, int number, double y)
{
  if (number % (int)ceil(LETTERS / page->height) != 0)
    return;
  fprintf(page->file, "<text x='%d' y='%.1f' text-anchor='end'>process %d", LEFT - 8, y,
          number / page->threads);
  if (page->threads > 1)
    fprintf(page->file, ".%d", number % page->threads);
  fprintf(page->file, "</text>");
  if (number % page->threads == 0)
    fprintf(page->file, "<text x='%d' y='%.1f'>busy %.2f %%, %.0f steals</text>",
            LEFT + COLUMNS + 8, y, lane->busy, lane->steals);
  fprintf(page->file, "\n");
}

static int draw(const struct uts_picture *picture, double seconds, const struct lane *lanes,
                FILE *file)
{
  const int count = cw_processes() * picture->threads;
  const double height = fmax(LOWEST_LANE, fmin(HIGHEST_LANE, (double)ALL_LANES / count));
  const struct page page = {file,   seconds, most_nodes(lanes, count),
                            height, count,   picture->threads};
  draw_head(&page, picture);
  for (int i = 0; i < count; i++) {
    const double top = TOP + i * height, bar = 0.7 * height;
    draw_bar(&page, &lanes[i], top, bar);
    draw_ticks(&page, &lanes[i], top + bar);
    draw_words(&page, &lanes[i], i, top + bar / 2 + 4);
  }
  draw_axis(&page);
  fprintf(file, "</svg>\n");
  return fflush(file) == 0 && ferror(file) == 0;
}

int uts_plot(const struct uts_picture *picture, FILE *file)
{
  const size_t bytes = (size_t)picture->threads * sizeof(struct lane);
  double seconds = picture->seconds;
  struct lane *mine = had(malloc(bytes)), *all = had(malloc((size_t)cw_processes() * bytes));
  CW_MUST(cw_allreduce(cw_team_world(), CW_DOUBLE, CW_MAXIMUM, 1, &seconds));
  for (int i = 0; i < picture->threads; i++)
    fill(&mine[i], picture, i, seconds);
  CW_MUST(cw_gather(cw_team_world(), 0, mine, bytes, all));
  const int drawn = cw_process() != 0 || draw(picture, seconds, all, file);
  free(mine);
  free(all);
  return drawn;
}
