/* The Unbalanced Tree Search as it is usually done with messages, for comparison with pools of
 * tasks. Each process has a stack of nodes. A process without nodes requests some from a random
 * victim. A process polls for such requests every INTERVAL nodes and answers with the older half of
 * its stack, or with nothing. A token detects termination. MPI only, with one thread.
 *
 *   uts-polling TREE [INTERVAL]   nodes between two polls (64)
 *
 * The requests, answers and the choice of the victim are those of Olivier et al., "UTS: An
 * Unbalanced Tree Search Benchmark" (LCPC 2006). The token is Dijkstra's (EWD 998, 1987), without
 * its counter: a process with a request in flight waits for the answer before it passes the token
 * on, so no node can be in flight behind the token. */
#include "../../apps/uts/tree.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUESTION = 1, ANSWER, TOKEN, END };

struct search {
  const struct uts_tree *tree;
  struct uts_node *stack;
  size_t bottom, top, capacity; /* the stack is [bottom, top) */
  int64_t nodes, leaves, depth;
  int64_t steals, failed, polls;
};

static int me, processes;
static bool has_request;        /* a request of this process has no answer yet */
static bool over;               /* the search has ended */
static bool black;              /* this process has given nodes away since it last had the token */
static bool has_token, is_dark; /* this process has the token; some process was black */

static void must(bool right, const char *what)
{
  if (right)
    return;
  fprintf(stderr, "uts-polling: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* --- The stack -------------------------------------------------------------------------------- */

/* Makes space for `more` nodes. */
static void grow(struct search *search, size_t more)
{
  if (search->bottom > 0 && search->bottom >= search->capacity / 2) {
    search->top -= search->bottom;
    memmove(search->stack, search->stack + search->bottom, search->top * sizeof *search->stack);
    search->bottom = 0;
  }
  if (search->top + more <= search->capacity)
    return;
  search->capacity = 2 * (search->top + more);
  search->stack = realloc(search->stack, search->capacity * sizeof *search->stack);
  must(search->stack != NULL, "no memory for the stack");
}

static void visit(struct search *search)
{
  const struct uts_node node = search->stack[--search->top];
  const int children = uts_children(search->tree, &node);
  search->nodes++;
  search->leaves += children == 0;
  search->depth = node.depth > search->depth ? node.depth : search->depth;
  if (search->top + (size_t)children > search->capacity)
    grow(search, (size_t)children);
  for (int i = 0; i < children; i++)
    uts_child(&node, i, &search->stack[search->top++]);
}

/* --- Messages --------------------------------------------------------------------------------- */

static void answer(struct search *search, int to)
{
  const size_t count = (search->top - search->bottom) / 2;
  MPI_Send(search->stack + search->bottom, (int)(count * sizeof *search->stack), MPI_BYTE, to,
           ANSWER, MPI_COMM_WORLD);
  search->bottom += count;
  black = black || count > 0;
}

static void take_answer(struct search *search, const MPI_Status *from)
{
  int bytes = 0;
  MPI_Get_count(from, MPI_BYTE, &bytes);
  const size_t count = (size_t)bytes / sizeof *search->stack;
  grow(search, count + 1);
  MPI_Recv(search->stack + search->top, bytes, MPI_BYTE, from->MPI_SOURCE, ANSWER, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  search->top += count;
  search->steals += count > 0;
  search->failed += count == 0;
  has_request = false;
}

/* Handles one message and returns true, or returns false if there is none. */
static bool poll(struct search *search)
{
  int there = 0, word = 0;
  MPI_Status from;
  search->polls++;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &from);
  if (!there)
    return false;
  if (from.MPI_TAG == ANSWER) {
    take_answer(search, &from);
    return true;
  }
  MPI_Recv(&word, 1, MPI_INT, from.MPI_SOURCE, from.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (from.MPI_TAG == QUESTION)
    answer(search, from.MPI_SOURCE);
  else if (from.MPI_TAG == END)
    over = true;
  else {
    has_token = true;
    is_dark = word != 0;
  }
  return true;
}

static void send_request(void)
{
  static uint64_t random;
  const int nothing = 0;
  random = random == 0 ? (uint64_t)me * 7919 + 1 : random;
  random = random * 6364136223846793005u + 1442695040888963407u;
  const int other = (int)((random >> 33) % (uint64_t)(processes - 1));
  MPI_Send(&nothing, 1, MPI_INT, other < me ? other : other + 1, QUESTION, MPI_COMM_WORLD);
  has_request = true;
}

/* Passes the token on. Called when this process has no nodes and no request in flight. */
static void pass_token(void)
{
  const int nothing = 0;
  if (!has_token)
    return;
  int dark = is_dark || black;
  if (me == 0) {
    if (!dark) {
      for (int other = 1; other < processes; other++)
        MPI_Send(&nothing, 1, MPI_INT, other, END, MPI_COMM_WORLD);
      over = true;
      return;
    }
    dark = 0;
  }
  black = has_token = false;
  MPI_Send(&dark, 1, MPI_INT, (me + 1) % processes, TOKEN, MPI_COMM_WORLD);
}

static void search_all(struct search *search, long interval)
{
  has_token = me == 0;
  is_dark = true; /* the first round has not happened yet */
  while (!over) {
    for (long i = 0; i < interval && search->top > search->bottom; i++)
      visit(search);
    if (processes == 1) {
      over = search->top == search->bottom;
      continue;
    }
    if (search->top == search->bottom && !has_request) {
      pass_token();
      if (!over)
        send_request();
    }
    while (poll(search) && !over)
      ;
  }
  /* No process has nodes any more. Requests that are still in flight are answered with nothing. */
  while (has_request)
    poll(search);
}

/* Receives the remaining requests, whose number is that of the answers, all of which have arrived.
 * */
static void clean_up(struct search *search)
{
  MPI_Request all = MPI_REQUEST_NULL;
  int done = 0;
  MPI_Ibarrier(MPI_COMM_WORLD, &all);
  while (!done) {
    poll(search);
    MPI_Test(&all, &done, MPI_STATUS_IGNORE);
  }
}

/* Replaces UCX's function: over TCP, MPICH's MPI_Finalize may otherwise wait for ever
 * (src/core/mpi/ucx_disconnect.c). */
void *ucp_disconnect_nb(void *endpoint);

void *ucp_disconnect_nb(void *endpoint)
{
  (void)endpoint;
  return NULL;
}

/* --- Start ------------------------------------------------------------------------------------ */

static int report(const struct search *search, double took, long interval)
{
  const int64_t mine[] = {search->nodes, search->leaves, search->steals, search->failed,
                          search->polls};
  int64_t sums[5], depth = 0;
  MPI_Reduce(mine, sums, 5, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&search->depth, &depth, 1, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
  if (me != 0)
    return 0;
  const struct uts_tree *tree = search->tree;
  const bool right = sums[0] == tree->nodes && sums[1] == tree->leaves && depth == tree->depth;
  printf("%-4s %ld nodes, depth %ld, %ld leaves%s; %.3f s, %.3f million nodes/s on %d processes, a "
         "poll every %ld nodes; %ld steals, %ld without success, %ld polls\n",
         tree->name, (long)sums[0], (long)depth, (long)sums[1], right ? "" : "  WRONG", took,
         1e-6 * (double)sums[0] / took, processes, interval, (long)sums[2], (long)sums[3],
         (long)sums[4]);
  return !right;
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const long interval = argc > 2 ? atol(argv[2]) : 64;
  struct search search = {.tree = argc > 1 ? uts_tree(argv[1]) : NULL};
  must(search.tree != NULL && interval > 0, "usage: uts-polling TREE [INTERVAL]");
  grow(&search, 4096);
  if (me == 0)
    uts_root(search.tree, &search.stack[search.top++]);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  search_all(&search, interval);
  const double took = MPI_Wtime() - begin;
  clean_up(&search);
  int wrong = report(&search, took, interval);
  MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
  free(search.stack);
  MPI_Finalize();
  return wrong;
}
