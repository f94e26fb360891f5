/* Shows pages on a terminal by ncurses, and handles keys. */
#include "cw-top.h"

#include <ncurses.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const orders[TOP_ORDERS] = {"process", "cpu", "rss", "ops", "bytes", "waits"};

/* Each line has at most 80 columns. */
static const char *const help[] = {
    "up, down      choose a process: its classes, targets and objects are shown",
    "a             all processes",
    "j             the list of jobs, of which up, down and enter choose one",
    "< >           order of the processes: the previous one, the next one",
    "n c m o b w   order by number, cpu, rss, ops, bytes, waits",
    "+ -           shorter, longer intervals",
    "space         refresh now",
    "p             pause, and continue",
    "page up/down  scroll",
    "q             quit",
    "",
    "A waiting process is shown with its call and the time for which it has waited.",
    "'runs' and 'sleeps' are states of a process that waits for no other one.",
    "calls, waits: a process's share of time in Causeway's calls, and in waiting.",
    "Rates are those of the last interval."};

const bool top_has_live = true;

struct live {
  struct top_view *view;
  struct top_sample before, now;
  struct top_list jobs, processes; /* in the order in which they are shown */
  double interval, polled;
  int first; /* index of the line at the top of the screen */
  bool paused, helping, over;
};

/* --- Drawing ---------------------------------------------------------------------------------- */

static attr_t attributes_of(enum top_style style)
{
  switch (style) {
  case TOP_TITLE:
  case TOP_ALARM:
    return A_BOLD;
  case TOP_CHOSEN:
    return A_REVERSE;
  default:
    return A_NORMAL;
  }
}

static void draw_help(void)
{
  for (size_t i = 0; i < sizeof help / sizeof help[0]; i++)
    mvaddnstr((int)i, 0, help[i], COLS);
  mvaddnstr(LINES - 1, 0, "any key: back", COLS);
}

/* Returns the line to show at the top, so that the last page is full. */
static int first_line(const struct live *live, const struct top_page *page)
{
  const struct top_line *lines = page->lines.rows;
  const int most = (int)page->lines.count - (LINES - 1);
  return live->first < most && lines != NULL ? live->first : most > 0 ? most : 0;
}

static void draw_page(struct live *live, const struct top_page *page)
{
  const struct top_line *lines = page->lines.rows;
  live->first = first_line(live, page);
  for (int row = 0; row < LINES - 1 && live->first + row < (int)page->lines.count; row++) {
    const struct top_line *line = &lines[live->first + row];
    attrset((int)attributes_of(line->style));
    mvaddnstr(row, 0, line->text, COLS);
  }
  attrset(A_NORMAL);
  char status[160];
  if (live->view->choosing)
    snprintf(status, sizeof status, "up, down  choose a job  enter show it  h help  q quit");
  else
    snprintf(status, sizeof status, "h help  q quit  order: %s  every %g s%s%s",
             orders[live->view->order], live->interval, live->paused ? "  paused" : "",
             live->first > 0 ? "  scrolled" : "");
  mvaddnstr(LINES - 1, 0, status, COLS - 1);
}

/* Returns the place of the chosen job in the list, or -1 if it has ended. */
static int place_of_job(const struct live *live)
{
  const struct top_choice *rows = live->jobs.rows;
  for (size_t i = 0; i < live->jobs.count; i++)
    if (top_is_same(&rows[i].job, &live->view->job))
      return (int)i;
  return -1;
}

/* Shows the list of jobs and scrolls so that the selected job is on the screen. The first line is
 * the title. */
static void show_choice(struct live *live, struct top_page *page)
{
  struct top_line *lines = NULL;
  const int line = place_of_job(live) + 1;
  top_show_jobs(&live->jobs, page);
  lines = page->lines.rows;
  if (line > 0 && (size_t)line < page->lines.count)
    lines[line].style = TOP_CHOSEN;
  if (line < live->first || line == 1)
    live->first = line > 1 ? line : 0;
  if (line - live->first > LINES - 2)
    live->first = line - (LINES - 2);
}

static void make_page(struct live *live, struct top_page *page)
{
  *page = (struct top_page){.width = (size_t)(COLS > 0 ? COLS : 1)};
  if (live->view->choosing)
    show_choice(live, page);
  else
    top_show(live->view, live->before.processes.count > 0 ? &live->before : &live->now, &live->now,
             page);
}

static void live_draw(struct live *live)
{
  struct top_page page;
  make_page(live, &page);
  erase();
  if (live->helping)
    draw_help();
  else
    draw_page(live, &page);
  refresh();
  free(live->processes.rows);
  live->processes = page.processes;
  page.processes = (struct top_list){0};
  top_page_free(&page);
}

/* Prints the last page again after the end of ncurses, which restores the previous content of the
 * terminal. */
static void print_last(struct live *live)
{
  struct top_page page;
  make_page(live, &page);
  const struct top_line *lines = page.lines.rows;
  for (int row = 0; row < LINES - 1 && live->first + row < (int)page.lines.count; row++)
    printf("%s\n", lines[live->first + row].text);
  fflush(stdout);
  top_page_free(&page);
}

/* --- Keys ------------------------------------------------------------------------------------- */

/* Selects the process before or after the selected one, in the order in which they are shown. */
static void choose_next(struct top_view *view, const struct top_list *processes, int step)
{
  const int *numbers = processes->rows;
  const int count = (int)processes->count;
  int at = step > 0 ? -1 : count;
  for (int i = 0; i < count && view->chosen >= 0; i++)
    if (numbers[i] == view->chosen)
      at = i;
  at += step;
  if (count > 0)
    view->chosen = numbers[at < 0 ? 0 : at >= count ? count - 1 : at];
}

static void choose_order(struct top_view *view, int step)
{
  view->order = (enum top_order)(((int)view->order + step + TOP_ORDERS) % TOP_ORDERS);
}

static void change_interval(struct live *live, double factor)
{
  static const double LEAST = 0.125, MOST = 64;
  live->interval *= factor;
  live->interval = live->interval < LEAST ? LEAST : live->interval > MOST ? MOST : live->interval;
}

static bool order_of_key(int key, enum top_order *order)
{
  static const char keys[TOP_ORDERS + 1] = "ncmobw";
  const char *at = key > 0 && key < 128 ? strchr(keys, key) : NULL;
  if (at != NULL)
    *order = (enum top_order)(at - keys);
  return at != NULL;
}

static void live_forget(struct live *live)
{
  top_sample_free(&live->before);
  top_sample_free(&live->now);
  live->first = 0;
}

/* Handles a key in the list of jobs. Returns true if a new sample is due now. */
static bool job_key(struct live *live, int key)
{
  const struct top_choice *rows = live->jobs.rows;
  const int count = (int)live->jobs.count, place = place_of_job(live);
  const int next = place + (key == KEY_UP ? -1 : 1);
  if (key == 'q')
    live->over = true;
  else if (key == 'h' || key == '?')
    live->helping = true;
  else if ((key == KEY_UP || key == KEY_DOWN) && next >= 0 && next < count)
    live->view->job = rows[next].job;
  else if ((key == '\n' || key == '\r' || key == KEY_ENTER) && place >= 0)
    live->view->choosing = false;
  return !live->view->choosing || key == ' ';
}

/* Handles a key. Returns true if a new sample is due now. */
static bool live_key(struct live *live, int key)
{
  const int page = LINES > 2 ? LINES - 2 : 1;
  if (live->helping) {
    live->helping = key == KEY_RESIZE;
    return false;
  }
  if (live->view->choosing)
    return job_key(live, key);
  if (order_of_key(key, &live->view->order))
    return false;
  switch (key) {
  case 'q':
    live->over = true;
    break;
  case 'h':
  case '?':
    live->helping = true;
    break;
  case 'a':
    live->view->chosen = -1;
    break;
  case 'p':
    live->paused = !live->paused;
    break;
  case KEY_UP:
  case KEY_DOWN:
    choose_next(live->view, &live->processes, key == KEY_UP ? -1 : 1);
    break;
  case '<':
  case KEY_LEFT:
    choose_order(live->view, -1);
    break;
  case '>':
  case KEY_RIGHT:
    choose_order(live->view, 1);
    break;
  case '+':
    change_interval(live, 0.5);
    break;
  case '-':
    change_interval(live, 2);
    break;
  case KEY_NPAGE:
    live->first += page;
    break;
  case KEY_PPAGE:
    live->first = live->first > page ? live->first - page : 0;
    break;
  case 'j':
    live->view->choosing = true;
    live->view->chosen = -1;
    live_forget(live);
    return true;
  case ' ':
    return true;
  default:
    break;
  }
  return false;
}

/* --- Main program ----------------------------------------------------------------------------- */

static bool list_jobs(struct live *live)
{
  free(live->jobs.rows);
  live->jobs = top_jobs(live->view->below);
  const struct top_choice *rows = live->jobs.rows;
  if (live->jobs.count > 0 && place_of_job(live) < 0)
    live->view->job = rows[0].job;
  return live->jobs.count > 0;
}

/* Takes a new sample. Returns false if the job has ended. */
static bool live_poll(struct live *live)
{
  struct top_sample next;
  live->polled = top_now();
  if (live->view->choosing)
    return list_jobs(live);
  top_sample_take(&live->view->job, &live->now, &next);
  if (next.processes.count == 0) {
    top_sample_free(&next);
    return false;
  }
  top_sample_free(&live->before);
  live->before = live->now;
  live->now = next;
  return true;
}

/* Waits for a key until the next sample is due. Returns the key, or ERR if there was none. */
static int await_key(const struct live *live)
{
  const double left = live->polled + live->interval - top_now();
  timeout(live->paused ? -1 : left > 0 ? (int)(1000 * left) + 1 : 0);
  return getch();
}

static bool live_run(struct live *live)
{
  bool running = live_poll(live);
  while (running && !live->over) {
    live_draw(live);
    const int key = await_key(live);
    if (key == ERR || live_key(live, key))
      running = live_poll(live);
  }
  return running;
}

int top_live(struct top_view *view, double interval)
{
  struct live live = {.view = view, .interval = interval};
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
    return top_misuse("standard input and output are not a terminal: use --once");
  SCREEN *screen = newterm(NULL, stdout, stdin);
  if (screen == NULL)
    return top_misuse("this terminal (TERM is '%s') cannot show a live view: use --once",
                      getenv("TERM") != NULL ? getenv("TERM") : "");
  cbreak();
  noecho();
  keypad(stdscr, true);
  curs_set(0);
  const bool running = live_run(&live);
  endwin();
  delscreen(screen);
  if (!running && live.now.processes.count > 0)
    print_last(&live);
  live_forget(&live);
  free(live.processes.rows);
  free(live.jobs.rows);
  if (!running)
    fprintf(stderr, "cw-top: the job has ended\n");
  return TOP_DONE;
}
