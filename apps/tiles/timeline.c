/* Timelines of tasks. The SVG is written here, as in apps/uts: it is only rectangles and text. */
#include "timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Stages of a task. */
enum { BRINGS, RUNS, STORES, PARTS };

/* For each column and stage, the share of the column's time that a worker spent in this stage. On a
 * device the stages of several tasks overlap. */
struct timeline_lane {
  double shares[PARTS][TIMELINE_COLUMNS];
};

static void *had(void *memory)
{
  if (memory == NULL)
    cw_abort("tiles: no memory for the timeline", 1);
  return memory;
}

double timeline_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void timeline_note(struct timeline *timeline, const cw_task *task)
{
  struct timeline_worker *worker = &timeline->workers[task->worker];
  if (worker->count == worker->capacity) {
    worker->capacity = worker->capacity > 0 ? 2 * worker->capacity : 256;
    worker->tasks = had(realloc(worker->tasks, worker->capacity * sizeof *worker->tasks));
  }
  worker->tasks[worker->count++] = *task->times;
}

/* --- Lanes ------------------------------------------------------------------------------------ */

/* Adds an interval to the columns that it covers. `begin` and `end` are in columns. */
static void add_part(double *shares, double begin, double end)
{
  for (int column = (int)fmax(begin, 0); column < TIMELINE_COLUMNS && column < end; column++)
    shares[column] += fmax(fmin(end, column + 1) - fmax(begin, column), 0);
}

static void fill(struct timeline_lane *lane, const struct timeline *timeline, int worker,
                 double seconds)
{
  const struct timeline_worker *from = &timeline->workers[worker];
  const double scale = TIMELINE_COLUMNS / seconds;
  *lane = (struct timeline_lane){0};
  for (size_t i = 0; i < from->count; i++) {
    const cw_task_times *task = &from->tasks[i];
    const double times[PARTS + 1] = {task->begin, task->run, task->ran, task->end};
    for (int part = 0; part < PARTS; part++)
      add_part(lane->shares[part], (times[part] - timeline->begin) * scale,
               (times[part + 1] - timeline->begin) * scale);
  }
}

void timeline_collect(struct timeline *timeline, const char *title, int workers, double seconds,
                      struct timeline_panel *panel)
{
  const size_t bytes = (size_t)workers * sizeof(struct timeline_lane);
  struct timeline_lane *mine = had(malloc(bytes));
  *panel = (struct timeline_panel){.title = title, .workers = workers, .seconds = seconds};
  panel->lanes = had(malloc((size_t)cw_processes() * bytes));
  CW_MUST(cw_allreduce(cw_team_world(), CW_DOUBLE, CW_MAXIMUM, 1, &panel->seconds));
  for (int worker = 0; worker < workers; worker++)
    fill(&mine[worker], timeline, worker, panel->seconds);
  CW_MUST(cw_gather(cw_team_world(), 0, mine, bytes, panel->lanes));
  free(mine);
  for (int worker = 0; worker < TIMELINE_WORKERS; worker++)
    free(timeline->workers[worker].tasks);
  *timeline = (struct timeline){0};
}

static const char *worker_name(const struct timeline_panel *panel, int lane, char text[32])
{
  snprintf(text, 32, "process %d %s", lane / panel->workers,
           lane % panel->workers == 0 ? "host" : "device");
  return text;
}

/* --- On the terminal -------------------------------------------------------------------------- */

/* Returns the character for some columns: # if the worker ran tasks most of the time, + if some of
 * the time, - if it only fetched or stored data. */
static char letter(const struct timeline_lane *lane, int first, int columns)
{
  double runs = 0, moves = 0;
  for (int column = first; column < first + columns; column++) {
    runs += lane->shares[RUNS][column];
    moves += lane->shares[BRINGS][column] + lane->shares[STORES][column];
  }
  return runs > columns / 2.0     ? '#'
         : runs > columns / 20.0  ? '+'
         : moves > columns / 20.0 ? '-'
                                  : ' ';
}

void timeline_print(const struct timeline_panel *panel)
{
  enum { LETTERS = 72, WIDTH = TIMELINE_COLUMNS / LETTERS };
  char name[32];
  for (int lane = 0; lane < cw_processes() * panel->workers; lane++) {
    char line[LETTERS + 1] = "";
    for (int i = 0; i < LETTERS; i++)
      line[i] = letter(&panel->lanes[lane], i * WIDTH, WIDTH);
    printf("  %-16s |%s|\n", worker_name(panel, lane, name), line);
  }
}

/* --- As a picture ----------------------------------------------------------------------------- */

/* Sizes in pixels. */
enum { LEFT = 130, RIGHT = 20, TOP = 70, HEAD = 26, BAR = 9, GAP = 6, FOOT = 34 };
static const char *const colours[PARTS] = {"#f0a030", "#0060ad", "#118844"};

static double lane_height(void)
{
  return PARTS * BAR + GAP;
}

static double panel_height(const struct timeline_panel *panel)
{
  return HEAD + cw_processes() * panel->workers * lane_height() + FOOT;
}

static void draw_part(const double *shares, const char *colour, double bottom, FILE *file)
{
  double last = 0;
  fprintf(file, "<path fill='%s' d='M%d %.1f", colour, LEFT, bottom);
  for (int column = 0; column < TIMELINE_COLUMNS; column++) {
    const double height = floor(10 * BAR * fmin(shares[column], 1)) / 10;
    if (height != last)
      fprintf(file, "H%dV%.1f", LEFT + column, bottom - height);
    last = height;
  }
  fprintf(file, "H%dV%.1fZ'/>\n", LEFT + TIMELINE_COLUMNS, bottom);
}

static void draw_panel(const struct timeline_panel *panel, double top, FILE *file)
{
  char name[32];
  const int lanes = cw_processes() * panel->workers;
  fprintf(file, "<text x='%d' y='%.1f' font-weight='bold'>%s: %.2f ms</text>\n", LEFT, top + 16,
          panel->title, 1e3 * panel->seconds);
  for (int lane = 0; lane < lanes; lane++) {
    const double y = top + HEAD + lane * lane_height();
    fprintf(file,
            "<text x='%d' y='%.1f' text-anchor='end'>%s</text>"
            "<rect x='%d' y='%.1f' width='%d' height='%d' fill='#eeeeee'/>\n",
            LEFT - 8, y + 0.5 * PARTS * BAR + 4, worker_name(panel, lane, name), LEFT, y,
            TIMELINE_COLUMNS, PARTS * BAR);
    for (int part = 0; part < PARTS; part++)
      draw_part(panel->lanes[lane].shares[part], colours[part], y + (part + 1) * BAR, file);
  }
  const double y = top + HEAD + lanes * lane_height();
  for (int tenth = 0; tenth <= 10; tenth += 2)
    fprintf(file, "<text x='%d' y='%.1f' text-anchor='middle'>%.3g</text>\n",
            LEFT + TIMELINE_COLUMNS * tenth / 10, y + 12, 1e2 * panel->seconds * tenth);
}

int timeline_draw(const struct timeline_panel *panels, int count, FILE *file)
{
  static const char *const words[PARTS] = {"brings patches to where it runs", "runs",
                                           "stores results"};
  double y = TOP;
  for (int i = 0; i < count; i++)
    y += panel_height(&panels[i]);
  fprintf(file,
          "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%.0f' "
          "font-family='sans-serif' font-size='12'>\n"
          "<rect width='100%%' height='100%%' fill='white'/>\n"
          "<text x='20' y='24' font-size='16'>Tasks of tiles: which worker does what when "
          "(milliseconds)</text>\n",
          LEFT + TIMELINE_COLUMNS + RIGHT, y);
  for (int part = 0; part < PARTS; part++)
    fprintf(file,
            "<rect x='%d' y='38' width='14' height='12' fill='%s'/><text x='%d' y='49'>%s</text>\n",
            LEFT + 230 * part, colours[part], LEFT + 230 * part + 20, words[part]);
  y = TOP;
  for (int i = 0; i < count; y += panel_height(&panels[i++]))
    draw_panel(&panels[i], y, file);
  fprintf(file, "</svg>\n");
  return fflush(file) == 0 && ferror(file) == 0;
}
