/* The kernel amr: applies a star to a square grid, and to a refinement of a part of it that appears
 * and disappears, each time in another corner. Every process has rows of the grid and of each
 * refinement. The work is therefore balanced, but the grid's values from which a refinement begins
 * must travel. Contains the sides, which differ in how these values and the neighbours' rows
 * travel.
 * */
#include "mailbox.h"
#include "star.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The points of a refinement are FACTOR times as close as those of the grid. One appears every
 * PERIOD iterations and lasts for DURATION iterations, in each of which it makes SUBSTEPS steps. */
enum { REFINEMENTS = 4, FACTOR = 4, PERIOD = 4, DURATION = 2, SUBSTEPS = 4 };

/* The rows that this process has of a grid or of a refinement. */
struct mesh {
  int64_t order; /* points in a row, and number of rows of all processes */
  struct span rows;
  double *in, *out;        /* `in` has RADIUS more rows before and behind */
  double scale;            /* scale of the star: values at closer points differ less */
  MPI_Request requests[4]; /* MESSAGES: requests of its borders */
  int started;             /* number of these requests */
};

struct amr;

/* The way in which values come from other processes. */
struct amr_way {
  void (*exchange)(struct amr *amr, struct mesh *mesh);
  void (*collect)(struct amr *amr, int number);
};

struct amr {
  struct state state;
  const struct amr_way *way;
  struct mesh grid, refinements[REFINEMENTS];
  int64_t part;   /* points of the grid along a side of a refinement */
  double *patch;  /* the grid's values that this process needs for a new refinement: rows of `part`
                     values */
  int iterations; /* number of iterations since the first values */
  struct mailbox mailbox;
  MPI_Request *parts[REFINEMENTS]; /* MESSAGES: requests of rows for each refinement */
  int started[REFINEMENTS];
};

/* Position on the grid of a refinement's first point. */
struct corner {
  int64_t row, column;
};

static struct corner corner_of(const struct problem *problem, int number)
{
  const int64_t far = problem->sizes[0] - problem->sizes[1];
  return (struct corner){number % 2 != 0 ? far : 0, number == 1 || number == 2 ? far : 0};
}

/* Returns the number of points along a side of a refinement. */
static int64_t fine_order(const struct problem *problem)
{
  return (problem->sizes[1] - 1) * FACTOR + 1;
}

static double *mesh_row(const struct mesh *mesh, int64_t row)
{
  return mesh->in + row * mesh->order;
}

/* --- Neighbours' rows, by mailbox ------------------------------------------------------------- */

static void send_border(struct amr *amr, const struct mesh *mesh, int process, int64_t row)
{
  const size_t bytes = (size_t)(RADIUS * mesh->order) * sizeof(double);
  memcpy(mailbox_write(&amr->mailbox, process), mesh_row(mesh, row), bytes);
  mailbox_send(&amr->mailbox, process, bytes);
}

static void receive_border(struct amr *amr, const struct mesh *mesh, int process, int64_t row)
{
  size_t bytes = 0;
  const void *message = mailbox_read(&amr->mailbox, process, &bytes);
  memcpy(mesh_row(mesh, row), message, bytes);
}

static void mailbox_exchange(struct amr *amr, struct mesh *mesh)
{
  const struct problem *problem = amr->state.problem;
  const int before = problem->process - 1, behind = problem->process + 1;
  const int64_t rows = mesh->rows.count;
  if (before >= 0)
    send_border(amr, mesh, before, 0);
  if (behind < problem->processes)
    send_border(amr, mesh, behind, rows - RADIUS);
  if (before >= 0)
    receive_border(amr, mesh, before, -RADIUS);
  if (behind < problem->processes)
    receive_border(amr, mesh, behind, rows);
}

/* --- A step of a mesh ------------------------------------------------------------------------- */

static void mesh_compute(const struct mesh *mesh)
{
  const struct span rows = star_inner(&mesh->rows, mesh->order);
  const int64_t order = mesh->order;
  for (int64_t i = rows.first; i < rows.first + rows.count; i++)
    star_add(mesh->out + i * order + RADIUS, mesh_row(mesh, i) + RADIUS, order, order - 2 * RADIUS,
             mesh->scale);
  for (int64_t i = 0; i < mesh->rows.count * order; i++)
    mesh->in[i] += 1;
}

static void mesh_step(struct amr *amr, struct mesh *mesh)
{
  amr->way->exchange(amr, mesh);
  mesh_compute(mesh);
}

/* --- A refinement appears --------------------------------------------------------------------- */

/* Returns the grid's rows that a process needs for its rows of a refinement. */
static struct span rows_needed(const struct problem *problem, int number, int process)
{
  const struct span fine = span_of(fine_order(problem), problem->processes, process);
  const int64_t first = fine.first / FACTOR;
  const int64_t last = (fine.first + fine.count - 1 + FACTOR - 1) / FACTOR;
  return (struct span){corner_of(problem, number).row + first, last - first + 1};
}

/* Returns the needed rows that process `from` has. If it has none, the span is empty and begins
 * where the needed rows do. */
static struct span rows_given(const struct problem *problem, int number, int from, int to)
{
  const struct span have = span_of(problem->sizes[0], problem->processes, from);
  const struct span need = rows_needed(problem, number, to);
  const int64_t first = have.first > need.first ? have.first : need.first;
  const int64_t have_end = have.first + have.count, need_end = need.first + need.count;
  const int64_t end = have_end < need_end ? have_end : need_end;
  return end > first ? (struct span){first, end - first} : (struct span){need.first, 0};
}

static size_t part_bytes(const struct amr *amr, const struct span *rows)
{
  return (size_t)(rows->count * amr->part) * sizeof(double);
}

/* Packs the part of this process's rows that another process needs. */
static void pack_part(const struct amr *amr, int number, const struct span *rows, double *to)
{
  const int64_t column = corner_of(amr->state.problem, number).column;
  for (int64_t i = 0; i < rows->count; i++)
    memcpy(to + i * amr->part,
           mesh_row(&amr->grid, rows->first + i - amr->grid.rows.first) + column,
           (size_t)amr->part * sizeof(double));
}

static void take_own(struct amr *amr, int number)
{
  const struct problem *problem = amr->state.problem;
  const int me = problem->process;
  const struct span need = rows_needed(problem, number, me);
  const struct span rows = rows_given(problem, number, me, me);
  pack_part(amr, number, &rows, amr->patch + (rows.first - need.first) * amr->part);
}

static void mailbox_collect(struct amr *amr, int number)
{
  const struct problem *problem = amr->state.problem;
  const int me = problem->process;
  const struct span need = rows_needed(problem, number, me);
  for (int i = 0; i < problem->processes; i++) {
    const struct span rows = rows_given(problem, number, me, i);
    if (i == me || rows.count == 0)
      continue;
    pack_part(amr, number, &rows, mailbox_write(&amr->mailbox, i));
    mailbox_send(&amr->mailbox, i, part_bytes(amr, &rows));
  }
  for (int i = 0; i < problem->processes; i++) {
    const struct span rows = rows_given(problem, number, i, me);
    size_t bytes = 0;
    if (i != me && rows.count > 0)
      memcpy(amr->patch + (rows.first - need.first) * amr->part,
             mailbox_read(&amr->mailbox, i, &bytes), part_bytes(amr, &rows));
  }
}

/* Interpolates between four points of the grid; a nearer point has more weight. */
static void interpolate(const struct amr *amr, const struct mesh *mesh, double *row, int64_t number)
{
  const int64_t i = mesh->rows.first + number, first = mesh->rows.first / FACTOR;
  const double *low = amr->patch + (i / FACTOR - first) * amr->part;
  const double *high = i % FACTOR != 0 ? low + amr->part : low;
  const double down = (double)(i % FACTOR) / FACTOR;
  for (int64_t j = 0; j < mesh->order; j++) {
    const int64_t left = j / FACTOR, right = j % FACTOR != 0 ? left + 1 : left;
    const double along = (double)(j % FACTOR) / FACTOR;
    row[j] = (1 - down) * ((1 - along) * low[left] + along * low[right]) +
             down * ((1 - along) * high[left] + along * high[right]);
  }
}

static void refine(struct amr *amr, int number)
{
  const struct mesh *mesh = &amr->refinements[number];
  take_own(amr, number);
  amr->way->collect(amr, number);
  for (int64_t i = 0; i < mesh->rows.count; i++)
    interpolate(amr, mesh, mesh_row(mesh, i), i);
}

/* --- Iterations ------------------------------------------------------------------------------- */

/* Returns the refinement of an iteration, or -1 if there is none. */
static int refinement_of(int iteration)
{
  return iteration % PERIOD < DURATION ? iteration / PERIOD % REFINEMENTS : -1;
}

static void amr_iterate(struct amr *amr)
{
  const int iteration = amr->iterations++, number = refinement_of(iteration);
  if (iteration % PERIOD == 0)
    refine(amr, number);
  for (int i = 0; i < SUBSTEPS && number >= 0; i++)
    mesh_step(amr, &amr->refinements[number]);
  mesh_step(amr, &amr->grid);
}

/* --- The sides: by mailbox -------------------------------------------------------------------- */

static const struct amr_way mailbox_way = {mailbox_exchange, mailbox_collect};

/* Returns the largest number of the grid's values that one process gives another. */
static int64_t most_given(const struct problem *problem)
{
  int64_t most = 0;
  for (int i = 0; i < problem->processes; i++) {
    const int64_t rows = rows_needed(problem, 0, i).count;
    most = rows > most ? rows : most;
  }
  return most * problem->sizes[1];
}

static bool ever_writes(const struct problem *problem, int process)
{
  const int me = problem->process;
  bool writes = process == me - 1 || process == me + 1;
  for (int number = 0; number < REFINEMENTS; number++)
    writes = writes || rows_given(problem, number, me, process).count > 0;
  return writes;
}

/* Returns the bytes of a message: a border of the widest mesh, or rows of a patch. */
static size_t message_bytes(const struct problem *problem)
{
  const int64_t fine = fine_order(problem), grid = problem->sizes[0];
  const int64_t border = RADIUS * (fine > grid ? fine : grid), patch = most_given(problem);
  return (size_t)(border > patch ? border : patch) * sizeof(double);
}

static void mailbox_begin(void *state)
{
  struct amr *amr = state;
  const struct problem *problem = amr->state.problem;
  bool *write = allocate((size_t)problem->processes * sizeof(bool));
  for (int i = 0; i < problem->processes; i++)
    write[i] = ever_writes(problem, i);
  const struct mailbox_terms terms = {.side = amr->state.memory.side,
                                      .writing = IN_A_PIECE,
                                      .slots = 16,
                                      .bytes = message_bytes(problem),
                                      .write = write};
  amr->way = &mailbox_way;
  mailbox_create(&terms, &amr->mailbox);
  free(write);
}

static void mailbox_end(void *state)
{
  struct amr *amr = state;
  mailbox_destroy(&amr->mailbox);
}

static void mailbox_run(void *state, int iterations)
{
  struct amr *amr = state;
  for (int i = 0; i < iterations; i++)
    amr_iterate(amr);
  mailbox_settle(&amr->mailbox);
}

static const struct side by_mailbox = {mailbox_begin, mailbox_run, mailbox_end};

/* --- MPI, two-sided: persistent requests, from and into the meshes; nothing is packed --------- */

static void messages_exchange(struct amr *amr, struct mesh *mesh)
{
  (void)amr;
  MPI_Startall(mesh->started, mesh->requests);
  wait_for_all(mesh->started, mesh->requests);
}

static void messages_collect(struct amr *amr, int number)
{
  MPI_Startall(amr->started[number], amr->parts[number]);
  wait_for_all(amr->started[number], amr->parts[number]);
}

static const struct amr_way messages_way = {messages_exchange, messages_collect};

/* Makes requests for as many rows as a border has, sent from row `border` and received at row
 * `halo`. */
static void border_init(struct mesh *mesh, int neighbour, int64_t border, int64_t halo)
{
  const int count = (int)(RADIUS * mesh->order);
  MPI_Recv_init(mesh_row(mesh, halo), count, MPI_DOUBLE, neighbour, 0, prk_comm,
                &mesh->requests[mesh->started++]);
  MPI_Send_init(mesh_row(mesh, border), count, MPI_DOUBLE, neighbour, 0, prk_comm,
                &mesh->requests[mesh->started++]);
}

static void mesh_init(const struct problem *problem, struct mesh *mesh)
{
  if (problem->process > 0)
    border_init(mesh, problem->process - 1, 0, -RADIUS);
  if (problem->process + 1 < problem->processes)
    border_init(mesh, problem->process + 1, mesh->rows.count - RADIUS, mesh->rows.count);
}

static void part_receive(struct amr *amr, int number, int process)
{
  const struct problem *problem = amr->state.problem;
  const struct span need = rows_needed(problem, number, problem->process);
  const struct span rows = rows_given(problem, number, process, problem->process);
  if (rows.count > 0)
    MPI_Recv_init(amr->patch + (rows.first - need.first) * amr->part, (int)(rows.count * amr->part),
                  MPI_DOUBLE, process, 0, prk_comm, &amr->parts[number][amr->started[number]++]);
}

static void part_send(struct amr *amr, int number, int process)
{
  const struct problem *problem = amr->state.problem;
  const struct span rows = rows_given(problem, number, problem->process, process);
  if (rows.count == 0)
    return;
  const double *from = mesh_row(&amr->grid, rows.first - amr->grid.rows.first);
  MPI_Datatype type;
  MPI_Type_vector((int)rows.count, (int)amr->part, (int)amr->grid.order, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  MPI_Send_init(from + corner_of(problem, number).column, 1, type, process, 0, prk_comm,
                &amr->parts[number][amr->started[number]++]);
  MPI_Type_free(&type);
}

static void messages_begin(void *state)
{
  struct amr *amr = state;
  const struct problem *problem = amr->state.problem;
  amr->way = &messages_way;
  mesh_init(problem, &amr->grid);
  for (int number = 0; number < REFINEMENTS; number++) {
    mesh_init(problem, &amr->refinements[number]);
    amr->parts[number] = allocate(2 * (size_t)problem->processes * sizeof(MPI_Request));
    for (int i = 0; i < problem->processes; i++)
      if (i != problem->process) {
        part_receive(amr, number, i);
        part_send(amr, number, i);
      }
  }
}

static void messages_end(void *state)
{
  struct amr *amr = state;
  free_all(amr->grid.started, amr->grid.requests);
  for (int i = 0; i < REFINEMENTS; i++) {
    free_all(amr->refinements[i].started, amr->refinements[i].requests);
    free_all(amr->started[i], amr->parts[i]);
    free(amr->parts[i]);
  }
}

static void messages_run(void *state, int iterations)
{
  for (int i = 0; i < iterations; i++)
    amr_iterate(state);
}

static const struct side messages = {messages_begin, messages_run, messages_end};

/* --- The definition --------------------------------------------------------------------------- */

static const char *amr_reject(const struct problem *problem)
{
  if (problem->sizes[1] > problem->sizes[0])
    return "has a refinement that is larger than the grid";
  if (problem->sizes[0] / problem->processes < RADIUS ||
      fine_order(problem) / problem->processes < RADIUS)
    return "is too small for this number of processes";
  return fits_call((double)mailbox_message_bytes(message_bytes(problem)))
             ? NULL
             : "has a refinement that is too large for a message";
}

static struct mesh mesh_of(const struct problem *problem, int64_t order, double scale)
{
  return (struct mesh){
      .order = order, .rows = span_of(order, problem->processes, problem->process), .scale = scale};
}

static size_t mesh_bytes(const struct mesh *mesh)
{
  return lines((size_t)((2 * mesh->rows.count + 2 * RADIUS) * mesh->order) * sizeof(double));
}

static size_t amr_measure(void *state)
{
  struct amr *amr = state;
  const struct problem *problem = amr->state.problem;
  amr->part = problem->sizes[1];
  amr->grid = mesh_of(problem, problem->sizes[0], 1);
  for (int i = 0; i < REFINEMENTS; i++)
    amr->refinements[i] = mesh_of(problem, fine_order(problem), FACTOR);
  return mesh_bytes(&amr->grid) + REFINEMENTS * mesh_bytes(&amr->refinements[0]);
}

static char *mesh_place(struct mesh *mesh, char *memory)
{
  double *before = (double *)(void *)memory;
  mesh->in = before + RADIUS * mesh->order;
  mesh->out = mesh->in + (mesh->rows.count + RADIUS) * mesh->order;
  return memory + mesh_bytes(mesh);
}

static void amr_place(void *state)
{
  struct amr *amr = state;
  char *memory = mesh_place(&amr->grid, amr->state.memory.mine);
  for (int i = 0; i < REFINEMENTS; i++)
    memory = mesh_place(&amr->refinements[i], memory);
  amr->patch = allocate((size_t)(amr->part * amr->part) * sizeof(double));
}

static void amr_release(void *state)
{
  const struct amr *amr = state;
  free(amr->patch);
}

static void mesh_clear(const struct mesh *mesh)
{
  const size_t bytes = (size_t)(mesh->rows.count * mesh->order) * sizeof(double);
  memset(mesh->in, 0, bytes);
  memset(mesh->out, 0, bytes);
}

static void amr_reset(void *state)
{
  struct amr *amr = state;
  const struct mesh *grid = &amr->grid;
  amr->iterations = 0;
  for (int i = 0; i < REFINEMENTS; i++)
    mesh_clear(&amr->refinements[i]);
  mesh_clear(grid);
  for (int64_t i = 0; i < grid->rows.count; i++)
    for (int64_t j = 0; j < grid->order; j++)
      mesh_row(grid, i)[j] = (double)(grid->rows.first + i + j);
}

/* --- Verification ----------------------------------------------------------------------------- */

static double active(int64_t order)
{
  return (double)(order - 2 * RADIUS) * (double)(order - 2 * RADIUS);
}

/* A star adds 2 where it is active, and values rise by 1 from point to point of the grid. `first`
 * is the value of the first point; each value is `step` larger than those before it in its row and
 * column. */
static double mesh_check(const struct mesh *mesh, double first, double step, double added)
{
  const struct span columns = {0, mesh->order};
  double errors = star_errors(mesh->out, &mesh->rows, &columns, mesh->order, added);
  for (int64_t i = 0; i < mesh->rows.count; i++)
    for (int64_t j = 0; j < mesh->order; j++)
      errors += fabs(mesh_row(mesh, i)[j] - (first + step * (double)(mesh->rows.first + i + j)));
  return errors;
}

/* A refinement begins with the grid's values and makes the steps of the iterations in which it
 * exists. Before its first appearance its values are zero. */
static double refinement_check(const struct amr *amr, int number)
{
  const struct corner corner = corner_of(amr->state.problem, number);
  double first = 0, added = 0, step = 0;
  for (int i = 0; i < amr->state.runs; i++) {
    if (refinement_of(i) != number)
      continue;
    if (i % PERIOD == 0)
      first = (double)(corner.row + corner.column + i);
    first += SUBSTEPS;
    added += 2 * SUBSTEPS;
    step = 1.0 / FACTOR;
  }
  return mesh_check(&amr->refinements[number], first, step, added);
}

static double amr_check(void *state)
{
  const struct amr *amr = state;
  double errors = mesh_check(&amr->grid, amr->state.runs, 1, 2.0 * amr->state.runs);
  for (int i = 0; i < REFINEMENTS; i++)
    errors += refinement_check(amr, i);
  return errors;
}

static void amr_spoil(void *state)
{
  const struct amr *amr = state;
  const struct mesh *mesh = &amr->refinements[0];
  const struct span columns = {0, mesh->order};
  star_spoil(mesh->out, &mesh->rows, &columns, mesh->order);
}

/* Returns the mean work of an iteration over a period. The definition counts interpolations by the
 * points of the refinement and the cells of the grid along a side. */
static double amr_work(const struct problem *problem)
{
  const double fine = (double)fine_order(problem), cells = (double)(problem->sizes[1] - 1);
  const double stars =
      active(problem->sizes[0]) + active(fine_order(problem)) * SUBSTEPS * DURATION / PERIOD;
  return STAR_OPERATIONS * stars + 3 * fine * (fine + cells) / PERIOD;
}

const struct kernel amr_kernel = {
    .name = "amr",
    .what = "a star on a square grid, and on refinements of its corners that come and go",
    .unit = "MFlop/s",
    .sizes = {{"order", 1000, 61, 5, 1 << 20}, {"part", 100, 13, 3, 1 << 18}},
    .usual_iterations = 48,
    .small_iterations = 20,
    .multiple = PERIOD,
    .state_bytes = sizeof(struct amr),
    .reject = amr_reject,
    .measure = amr_measure,
    .place = amr_place,
    .reset = amr_reset,
    .check = amr_check,
    .spoil = amr_spoil,
    .release = amr_release,
    .work = amr_work,
    .sides = {&by_mailbox, &messages, &by_mailbox, &by_mailbox},
};
