/* Pages on a terminal, by ncurses, and keys. */
#include "cw-top.h"

#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const orders[TOP_ORDERS] = {"process", "cpu", "rss", "ops", "bytes", "waits"};

/* Lines of at most 80 columns. */
static const char *const help[] = {
    "up, down      choose a process: its classes, targets and objects are shown",
    "a             all processes",
    "< >           order of the processes: the next one",
    "n c m o b w   order by number, cpu, rss, ops, bytes, waits",
    "+ -           shorter, longer intervals",
    "space         look now",
    "p             pause, and go on",
    "page up/down  scroll",
    "q             quit",
    "",
    "A process that waits is shown with the call that it has made, and for how long.",
    "'runs' and 'sleeps' are what a process does that waits for nobody.",
    "calls, waits: the share of its time in calls of Causeway, and in waiting ones.",
    "Rates are those of the last interval."};

struct live {
  struct top_view *view;
  struct top_sample before, now;
  double interval;
  int first; /* line at the top */
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

/* The chosen line is always seen, the last page is full. */
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
  snprintf(status, sizeof status, "h help  q quit  order: %s  every %g s%s%s",
           orders[live->view->order], live->interval, live->paused ? "  paused" : "",
           live->first > 0 ? "  scrolled" : "");
  mvaddnstr(LINES - 1, 0, status, COLS - 1);
}

static void live_draw(struct live *live, struct top_list *processes)
{
  struct top_page page = {.width = (size_t)(COLS > 0 ? COLS : 1)};
  top_show(live->view, live->before.processes.count > 0 ? &live->before : &live->now, &live->now,
           &page);
  erase();
  if (live->helping)
    draw_help();
  else
    draw_page(live, &page);
  refresh();
  free(processes->rows);
  *processes = page.processes;
  page.processes = (struct top_list){NULL, 0};
  top_page_free(&page);
}

/* --- Keys ------------------------------------------------------------------------------------- */

/* The process before or behind the chosen one, as they are shown. */
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

/* true: look now. */
static bool live_key(struct live *live, int key, const struct top_list *processes)
{
  const int page = LINES > 2 ? LINES - 2 : 1;
  if (live->helping) {
    live->helping = key == KEY_RESIZE;
    return false;
  }
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
    choose_next(live->view, processes, key == KEY_UP ? -1 : 1);
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
  case ' ':
    return true;
  default:
    break;
  }
  return false;
}

/* --- The order of things ---------------------------------------------------------------------- */

/* false: the job has ended. */
static bool live_look(struct live *live)
{
  struct top_sample next;
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

/* Until it is time to look again: a key, or ERR. */
static int await_key(const struct live *live)
{
  const double left = live->now.when + live->interval - top_now();
  timeout(live->paused ? -1 : left > 0 ? (int)(1000 * left) + 1 : 0);
  return getch();
}

static bool live_run(struct live *live)
{
  struct top_list processes = {NULL, 0};
  bool running = live_look(live);
  while (running && !live->over) {
    live_draw(live, &processes);
    const int key = await_key(live);
    if (key == ERR || live_key(live, key, &processes))
      running = live_look(live);
  }
  free(processes.rows);
  return running;
}

int top_live(struct top_view *view, double interval)
{
  struct live live = {.view = view, .interval = interval};
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
    return top_misuse("standard input and output are no terminal: use --once");
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
  top_sample_free(&live.before);
  top_sample_free(&live.now);
  if (!running)
    fprintf(stderr, "cw-top: the job has ended\n");
  return TOP_DONE;
}
