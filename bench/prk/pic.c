/* The kernel pic: charged particles on a periodic square of cells. Charges at the cells' corners
 * move each particle the same number of cells in each step. Processes own columns, and most
 * particles are in few columns: the work is unbalanced and moves. Contains the sides, which differ
 * in how particles travel that leave a process's columns. */
#include "kernel.h"
#include "mailbox.h"

#include <math.h>
#include <stdlib.h>

/* Columns to the right and rows up that a particle moves in each step. */
enum { COLUMNS = 3, ROWS = 2 };

/* Ratio of the numbers of particles in a column and in the previous one. */
static const double attenuation = 0.99;

struct particle {
  double x, y, speed_x, speed_y, charge;
  double first_x, first_y;
  int64_t number; /* counted from 1 */
};

struct pic {
  struct state state;
  int64_t side;        /* side of the square */
  struct span columns; /* columns of this process */
  double *corners;     /* [columns.count + 1][side + 1] charges */
  struct particle *particles;
  int64_t count, most; /* number of particles here, and the largest possible number */
  int right, left;     /* the neighbouring processes; both may be one process, or this one */
  struct mailbox mailbox;
  size_t most_leaving;       /* largest number of particles that leave in a step */
  struct particle *outgoing; /* MESSAGES: particles that leave */
};

/* --- Where particles are at first ------------------------------------------------------------- */

/* Returns the number of particles on the left of a column. */
static int64_t before_column(const struct problem *problem, int64_t column)
{
  const double all = 1 - pow(attenuation, (double)problem->sizes[0]);
  const double part = (1 - pow(attenuation, (double)column)) / all;
  return column == problem->sizes[0] ? problem->sizes[1]
                                     : (int64_t)floor(part * (double)problem->sizes[1]);
}

/* Returns the charge in the middle of a cell that the corners move by 1 column in a step, from
 * rest. It then meets opposite corners, which slow it down to rest in the next step. */
static double unit_charge(void)
{
  const double distance = sqrt(0.5), cosine = 0.5 / distance;
  return 1 / (2 * cosine / (distance * distance));
}

static struct particle first_particle(int64_t number, int64_t column, int64_t row)
{
  const double x = (double)column + 0.5, y = (double)row + 0.5;
  return (struct particle){.x = x,
                           .y = y,
                           .speed_y = ROWS,
                           .charge = (column % 2 == 0 ? COLUMNS : -COLUMNS) * unit_charge(),
                           .first_x = x,
                           .first_y = y,
                           .number = number};
}

static void pic_reset(void *state)
{
  struct pic *pic = state;
  const struct problem *problem = pic->state.problem;
  pic->count = 0;
  for (int64_t i = pic->columns.first; i < pic->columns.first + pic->columns.count; i++) {
    const int64_t first = before_column(problem, i), next = before_column(problem, i + 1);
    for (int64_t number = first; number < next; number++)
      pic->particles[pic->count++] = first_particle(number + 1, i, (number - first) % pic->side);
  }
}

/* --- A step ----------------------------------------------------------------------------------- */

/* Adds the force of a corner on a charge: repulsion or attraction. */
static inline void push(double x, double y, double charges, double *force_x, double *force_y)
{
  const double square = x * x + y * y, distance = sqrt(square);
  const double force = charges / square;
  *force_x += force * x / distance;
  *force_y += force * y / distance;
}

static inline void pic_move(const struct pic *pic, struct particle *particle)
{
  const double side = (double)pic->side;
  const int64_t column = (int64_t)particle->x, row = (int64_t)particle->y;
  const double x = particle->x - (double)column, y = particle->y - (double)row;
  const double *left = pic->corners + (column - pic->columns.first) * (pic->side + 1) + row;
  const double *right = left + pic->side + 1;
  double force_x = 0, force_y = 0;
  push(x, y, left[0] * particle->charge, &force_x, &force_y);
  push(x, y - 1, left[1] * particle->charge, &force_x, &force_y);
  push(x - 1, y, right[0] * particle->charge, &force_x, &force_y);
  push(x - 1, y - 1, right[1] * particle->charge, &force_x, &force_y);
  particle->x = fmod(particle->x + particle->speed_x + 0.5 * force_x + side, side);
  particle->y = fmod(particle->y + particle->speed_y + 0.5 * force_y + side, side);
  particle->speed_x += force_x;
  particle->speed_y += force_y;
}

static inline bool is_here(const struct pic *pic, const struct particle *particle)
{
  const int64_t column = (int64_t)particle->x - pic->columns.first;
  return column >= 0 && column < pic->columns.count;
}

/* Moves all particles and copies those that leave this process's columns to `leaving`. Returns
 * their number. */
static int64_t move_all(struct pic *pic, struct particle *leaving)
{
  int64_t stay = 0, leave = 0;
  for (int64_t i = 0; i < pic->count; i++) {
    struct particle *particle = &pic->particles[i];
    pic_move(pic, particle);
    if (!is_here(pic, particle))
      leaving[leave++] = *particle;
    else if (stay++ < i)
      pic->particles[stay - 1] = *particle;
  }
  pic->count = stay;
  return leave;
}

static bool is_alone(const struct pic *pic)
{
  return pic->right == pic->state.problem->process;
}

/* Returns the largest number of particles that can cross a border in a step, wherever they began:
 * those of as many columns as a step crosses. */
static size_t most_leaving(const struct problem *problem)
{
  int64_t most = 0;
  for (int64_t i = 0; i < problem->sizes[0]; i++) {
    const int64_t end = i + COLUMNS, over = end > problem->sizes[0] ? end - problem->sizes[0] : 0;
    const int64_t count = before_column(problem, end - over) - before_column(problem, i) +
                          (over > 0 ? before_column(problem, over) : 0);
    most = count > most ? count : most;
  }
  return (size_t)most;
}

/* --- The sides: by mailbox -------------------------------------------------------------------- */

static void mailbox_receive(struct pic *pic, int process)
{
  size_t bytes = 0;
  const struct particle *message = mailbox_read(&pic->mailbox, process, &bytes);
  for (size_t i = 0; i < bytes / sizeof *message; i++)
    pic->particles[pic->count++] = message[i];
}

/* Sends particles to the right and an empty message to the left. */
static void mailbox_step(struct pic *pic)
{
  struct particle *leaving = is_alone(pic) ? NULL : mailbox_write(&pic->mailbox, pic->right);
  const int64_t leave = move_all(pic, leaving);
  if (is_alone(pic))
    return;
  mailbox_send(&pic->mailbox, pic->right, (size_t)leave * sizeof *leaving);
  mailbox_receive(pic, pic->left);
}

/* With more slots a process acknowledges less often. With two, each message carries an
 * acknowledgement. */
static void mailbox_begin(void *state)
{
  struct pic *pic = state;
  const struct problem *problem = pic->state.problem;
  bool *write = allocate((size_t)problem->processes * sizeof(bool));
  write[pic->right] = true;
  const struct mailbox_terms terms = {.side = pic->state.memory.side,
                                      .writing = IN_A_PIECE,
                                      .slots = pic->left == pic->right ? 2 : 16,
                                      .bytes = pic->most_leaving * sizeof(struct particle),
                                      .write = write};
  mailbox_create(&terms, &pic->mailbox);
  free(write);
}

static void mailbox_end(void *state)
{
  struct pic *pic = state;
  mailbox_destroy(&pic->mailbox);
}

static void mailbox_run(void *state, int iterations)
{
  struct pic *pic = state;
  for (int i = 0; i < iterations; i++)
    mailbox_step(pic);
  mailbox_settle(&pic->mailbox);
}

static const struct side by_mailbox = {mailbox_begin, mailbox_run, mailbox_end};

/* --- MPI, two-sided: particles are received directly into the list; none go to the left ------- */

static void messages_begin(void *state)
{
  struct pic *pic = state;
  pic->outgoing = allocate(pic->most_leaving * sizeof(struct particle));
}

static void messages_end(void *state)
{
  const struct pic *pic = state;
  free(pic->outgoing);
}

static void messages_step(struct pic *pic)
{
  const int64_t leave = move_all(pic, pic->outgoing);
  MPI_Request request;
  MPI_Status status;
  int bytes = 0;
  if (is_alone(pic))
    return;
  MPI_Isend(pic->outgoing, (int)(leave * (int64_t)sizeof *pic->outgoing), MPI_BYTE, pic->right, 0,
            prk_comm, &request);
  MPI_Recv(pic->particles + pic->count, (int)(pic->most_leaving * sizeof *pic->outgoing), MPI_BYTE,
           pic->left, 0, prk_comm, &status);
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  pic->count += bytes / (int)sizeof *pic->particles;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void messages_run(void *state, int iterations)
{
  for (int i = 0; i < iterations; i++)
    messages_step(state);
}

static const struct side messages = {messages_begin, messages_run, messages_end};

/* --- The definition --------------------------------------------------------------------------- */

static const char *pic_reject(const struct problem *problem)
{
  if (problem->sizes[0] % 2 != 0)
    return "needs an even side";
  if (problem->sizes[0] / problem->processes < COLUMNS)
    return "has too few columns for the processes";
  return fits_call((double)mailbox_message_bytes(most_leaving(problem) * sizeof(struct particle)))
             ? NULL
             : "has more particles that leave than a message takes";
}

static size_t pic_measure(void *state)
{
  struct pic *pic = state;
  const struct problem *problem = pic->state.problem;
  pic->side = problem->sizes[0];
  pic->columns = span_of(pic->side, problem->processes, problem->process);
  pic->most = problem->sizes[1];
  pic->most_leaving = most_leaving(problem);
  pic->right = (problem->process + 1) % problem->processes;
  pic->left = (problem->process + problem->processes - 1) % problem->processes;
  return (size_t)((pic->columns.count + 1) * (pic->side + 1)) * sizeof(double);
}

/* The corners of even columns have charge 1, those of odd columns -1. */
static void pic_place(void *state)
{
  struct pic *pic = state;
  pic->corners = (double *)(void *)pic->state.memory.mine;
  pic->particles = allocate(((size_t)pic->most + pic->most_leaving) * sizeof(struct particle));
  for (int64_t i = 0; i <= pic->columns.count; i++)
    for (int64_t j = 0; j <= pic->side; j++)
      pic->corners[i * (pic->side + 1) + j] = (pic->columns.first + i) % 2 == 0 ? 1 : -1;
}

static void pic_release(void *state)
{
  const struct pic *pic = state;
  free(pic->particles);
}

/* Returns true if a coordinate is where `step` steps lead from the first one. */
static bool has_arrived(const struct pic *pic, double now, double first, int step)
{
  const double side = (double)pic->side;
  const double away = fabs(now - fmod(first + (double)step * pic->state.runs, side));
  return away < 1e-6 || fabs(away - side) < 1e-6;
}

/* Particles are numbered from 1. The sum of the numbers of all correctly placed particles is known;
 * process 0 subtracts it. */
static double pic_check(void *state)
{
  const struct pic *pic = state;
  const struct problem *problem = pic->state.problem;
  const double all = (double)problem->sizes[1] * (double)(problem->sizes[1] + 1) / 2;
  double missing = problem->process == 0 ? all : 0;
  for (int64_t i = 0; i < pic->count; i++) {
    const struct particle *particle = &pic->particles[i];
    if (has_arrived(pic, particle->x, particle->first_x, COLUMNS) &&
        has_arrived(pic, particle->y, particle->first_y, ROWS))
      missing -= (double)particle->number;
  }
  return missing;
}

static void pic_spoil(void *state)
{
  const struct pic *pic = state;
  for (int64_t i = 0; i < pic->count; i += 16)
    pic->particles[i].y += 0.25;
}

static double pic_work(const struct problem *problem)
{
  return (double)problem->sizes[1];
}

const struct kernel pic_kernel = {
    .name = "pic",
    .what = "particles on a square of cells, most of them in few columns, which move on",
    .unit = "Mmove/s",
    .sizes = {{"side", 1000, 60, 6, 1 << 16}, {"particles", 200000, 1000, 1, 1 << 26}},
    .usual_iterations = 20,
    .small_iterations = 25,
    .state_bytes = sizeof(struct pic),
    .reject = pic_reject,
    .measure = pic_measure,
    .place = pic_place,
    .reset = pic_reset,
    .check = pic_check,
    .spoil = pic_spoil,
    .release = pic_release,
    .work = pic_work,
    .sides = {&by_mailbox, &messages, &by_mailbox, &by_mailbox},
};
