/* The product of two sparse arrays. Each process multiplies its rows of the first array. The
 * columns of their elements select the rows of the second array that it needs. It receives all
 * needed rows of an owner in one message. */
#include "ga/sparse/sparse.h"

#include "collective/collective.h"
#include "team/agreement.h"

#include <stdlib.h>
#include <string.h>

/* The needed rows of the second array, in the order of their owners. */
struct gathered_rows {
  size_t *at;        /* [needed columns of the first array] number of each among these rows */
  size_t *first;     /* [needed + 1] position of the first element of each row */
  int64_t *columns;  /* [count] */
  char *values;      /* [count] */
  size_t count;      /* number of elements */
  int64_t *distinct; /* distinct columns */
  size_t distinct_count;
  uint32_t *place; /* [count] place of each element's column */
};

static void rows_free(struct gathered_rows *rows)
{
  free(rows->at);
  free(rows->first);
  free(rows->columns);
  free(rows->values);
  free(rows->distinct);
  free(rows->place);
}

/* Requests for rows: those that this process sends to the others, and those that it receives. */
struct questions {
  size_t *counts, *in_counts; /* [team size] numbers of rows */
  int64_t *rows, *in_rows;
  size_t in_count;
};

static void questions_free(struct questions *questions)
{
  free(questions->counts);
  free(questions->rows);
  free(questions->in_rows);
}

/* Lists the rows that this process needs, sorted by owner. */
static cw_error questions_make(const struct cwi_sparse *a, const struct cwi_sparse *b,
                               struct questions *questions, struct gathered_rows *rows)
{
  const int size = a->team->size;
  const size_t needed = a->mine.needed_count;
  size_t *next = calloc((size_t)size + 1, sizeof *next);
  questions->counts = calloc(2 * (size_t)size, sizeof *questions->counts);
  questions->rows = malloc((needed + 1) * sizeof *questions->rows);
  rows->at = malloc((needed + 1) * sizeof *rows->at);
  rows->first = calloc(needed + 1, sizeof *rows->first);
  const bool has_memory = next != NULL && questions->counts != NULL && questions->rows != NULL &&
                          rows->at != NULL && rows->first != NULL;
  for (size_t i = 0; i < needed && has_memory; i++)
    questions->counts[cwi_sparse_owner(b->rows, size, a->mine.needed[i])]++;
  for (int rank = 0; rank < size && has_memory; rank++)
    next[rank + 1] = next[rank] + questions->counts[rank];
  for (size_t i = 0; i < needed && has_memory; i++) {
    rows->at[i] = next[cwi_sparse_owner(b->rows, size, a->mine.needed[i])]++;
    questions->rows[rows->at[i]] = a->mine.needed[i];
  }
  free(next);
  if (!has_memory)
    return cwi_outside("no memory to request %zu rows", needed);
  questions->in_counts = questions->counts + size;
  return CW_OK;
}

static cw_error questions_send(cw_team team, struct questions *questions)
{
  CWI_TRY(cwi_alltoall(team, questions->counts, sizeof *questions->counts, questions->in_counts));
  for (int rank = 0; rank < team->size; rank++)
    questions->in_count += questions->in_counts[rank];
  questions->in_rows = malloc((questions->in_count + 1) * sizeof *questions->in_rows);
  CWI_TRY(cwi_team_agree(team, questions->in_rows != NULL
                                   ? CW_OK
                                   : cwi_outside("no memory for %zu rows", questions->in_count)));
  return cwi_sparse_trade(team, sizeof *questions->rows, questions->counts, questions->rows,
                          questions->in_counts, questions->in_rows);
}

/* The rows of this process that others have requested. */
struct answers {
  uint64_t *lengths;              /* [requested rows] number of elements in each row */
  struct cwi_sparse_list packed;  /* elements of all these rows */
  size_t *elements, *in_elements; /* [team size] numbers of elements to send to each member, and to
                                     receive from it */
};

static void answers_free(struct answers *answers)
{
  free(answers->lengths);
  free(answers->elements);
  cwi_sparse_list_free(&answers->packed);
}

static cw_error pack_row(const struct cwi_sparse *b, const struct cwi_sparse_by_row *by_row,
                         size_t row, struct cwi_sparse_list *packed)
{
  const struct cwi_sparse_elements *mine = &b->mine;
  for (size_t e = by_row->first[row]; e < by_row->first[row + 1]; e++) {
    const size_t u = by_row->entries[e];
    for (size_t k = mine->first[u]; k < mine->first[u + 1]; k++)
      CWI_TRY(cwi_sparse_list_add(packed, b->element, 0, mine->needed[mine->place[k]],
                                  mine->values + k * b->element));
  }
  return CW_OK;
}

static cw_error answers_make(const struct cwi_sparse *b, const struct questions *questions,
                             struct answers *answers)
{
  struct cwi_sparse_by_row by_row = {0};
  const int size = b->team->size;
  size_t question = 0;
  answers->lengths = malloc((questions->in_count + 1) * sizeof *answers->lengths);
  answers->elements = calloc(2 * (size_t)size, sizeof *answers->elements);
  cw_error error = answers->lengths != NULL && answers->elements != NULL
                       ? cwi_sparse_by_row(b, &by_row)
                       : cwi_outside("no memory for %zu rows", questions->in_count);
  for (int rank = 0; rank < size && error == CW_OK; rank++)
    for (size_t i = 0; i < questions->in_counts[rank] && error == CW_OK; i++, question++) {
      const size_t before = answers->packed.count;
      error = pack_row(b, &by_row, (size_t)(questions->in_rows[question] - b->first_row),
                       &answers->packed);
      answers->lengths[question] = answers->packed.count - before;
      answers->elements[rank] += answers->lengths[question];
    }
  cwi_sparse_by_row_free(&by_row);
  if (error == CW_OK)
    answers->in_elements = answers->elements + size;
  return error;
}

/* Computes the position of the first element of each needed row, and allocates memory for the
 * elements. */
static cw_error rows_lay_out(const struct cwi_sparse *a, const struct cwi_sparse *b,
                             const struct questions *questions, size_t *in_elements,
                             struct gathered_rows *rows)
{
  size_t row = 0;
  for (int rank = 0; rank < a->team->size; rank++)
    for (size_t i = 0; i < questions->counts[rank]; i++, row++) {
      in_elements[rank] += rows->first[row];
      rows->count += rows->first[row];
    }
  for (size_t r = 0, next = 0; r <= row; r++) {
    const size_t length = r < row ? rows->first[r] : 0;
    rows->first[r] = next;
    next += length;
  }
  rows->columns = malloc((rows->count + 1) * sizeof *rows->columns);
  rows->values = malloc((rows->count + 1) * b->element);
  rows->place = malloc((rows->count + 1) * sizeof *rows->place);
  if (rows->columns != NULL && rows->values != NULL && rows->place != NULL)
    return CW_OK;
  return cwi_outside("no memory for %zu elements of a sparse array", rows->count);
}

static cw_error answers_send(const struct cwi_sparse *a, const struct cwi_sparse *b,
                             const struct questions *questions, struct answers *answers,
                             struct gathered_rows *rows)
{
  _Static_assert(sizeof *rows->first == sizeof *answers->lengths, "LP64");
  CWI_TRY(cwi_sparse_trade(a->team, sizeof *rows->first, questions->in_counts, answers->lengths,
                           questions->counts, rows->first));
  CWI_TRY(cwi_team_agree(a->team, rows_lay_out(a, b, questions, answers->in_elements, rows)));
  CWI_TRY(cwi_sparse_trade(a->team, sizeof *rows->columns, answers->elements,
                           answers->packed.columns, answers->in_elements, rows->columns));
  return cwi_sparse_trade(a->team, b->element, answers->elements, answers->packed.values,
                          answers->in_elements, rows->values);
}

/* Fetches the needed rows. Collective. */
static cw_error rows_fetch(const struct cwi_sparse *a, const struct cwi_sparse *b,
                           struct gathered_rows *rows)
{
  struct questions questions = {0};
  struct answers answers = {0};
  cw_error error = cwi_team_agree(a->team, questions_make(a, b, &questions, rows));
  if (error == CW_OK)
    error = questions_send(a->team, &questions);
  if (error == CW_OK)
    error = cwi_team_agree(a->team, answers_make(b, &questions, &answers));
  if (error == CW_OK)
    error = answers_send(a, b, &questions, &answers, rows);
  answers_free(&answers);
  questions_free(&questions);
  return error;
}

/* --- A row of the product --- */

/* Sums of one row of the product, by column. Only the columns with elements are visited. */
struct sums {
  char *values;
  size_t *seen;     /* [distinct] 1 + the last row of the product that has the column */
  uint32_t *places; /* [count] places of the row's columns */
  size_t count;
};

/* Multiplies element k of the first array by the row of the second array that its column selects,
 * and adds the product to the sums. */
static void add_row(const struct cwi_sparse *a, size_t row, size_t k,
                    const struct gathered_rows *rows, struct sums *sums)
{
  const size_t number = rows->at[a->mine.place[k]];
  const size_t from = rows->first[number], count = rows->first[number + 1] - from;
  const uint32_t *place = &rows->place[from];
  for (size_t i = 0; i < count; i++)
    if (sums->seen[place[i]] != row + 1) {
      sums->seen[place[i]] = row + 1;
      sums->places[sums->count++] = place[i];
    }
  cwi_sparse_kernels(a->native)->spread(count, place, a->mine.values + k * a->element,
                                        rows->values + from * a->element, sums->values);
}

static cw_error list_sums(const struct cwi_sparse *a, size_t row, const struct gathered_rows *rows,
                          struct sums *sums, struct cwi_sparse_list *list)
{
  for (size_t i = 0; i < sums->count; i++) {
    char *value = sums->values + sums->places[i] * a->element;
    CWI_TRY(cwi_sparse_list_add(list, a->element, a->first_row + (int64_t)row,
                                rows->distinct[sums->places[i]], value));
    memset(value, 0, a->element);
  }
  sums->count = 0;
  return CW_OK;
}

static cw_error multiply_rows(const struct cwi_sparse *a, const struct gathered_rows *rows,
                              struct sums *sums, struct cwi_sparse_list *list)
{
  const struct cwi_sparse_elements *mine = &a->mine;
  struct cwi_sparse_by_row by_row = {0};
  cw_error error = cwi_sparse_by_row(a, &by_row);
  for (size_t row = 0; row < a->my_rows && error == CW_OK; row++) {
    for (size_t e = by_row.first[row]; e < by_row.first[row + 1]; e++) {
      const size_t u = by_row.entries[e];
      for (size_t k = mine->first[u]; k < mine->first[u + 1]; k++)
        add_row(a, row, k, rows, sums);
    }
    error = list_sums(a, row, rows, sums, list);
  }
  cwi_sparse_by_row_free(&by_row);
  return error;
}

static cw_error rows_multiply(const struct cwi_sparse *a, const struct cwi_sparse *b,
                              struct gathered_rows *rows, struct cwi_sparse_list *list)
{
  CWI_TRY(cwi_sparse_distinct(rows->columns, rows->count, b->columns, &rows->distinct,
                              &rows->distinct_count, rows->place));
  struct sums sums = {.values = cwi_sparse_space(rows->distinct_count, a->element),
                      .seen = cwi_sparse_space(rows->distinct_count, sizeof *sums.seen),
                      .places = cwi_sparse_space(rows->distinct_count, sizeof *sums.places)};
  cw_error error = sums.values != NULL && sums.seen != NULL && sums.places != NULL
                       ? multiply_rows(a, rows, &sums, list)
                       : cwi_outside("no memory for %zu columns", rows->distinct_count);
  free(sums.values);
  free(sums.seen);
  free(sums.places);
  return error;
}

static cw_error check_pair(const struct cwi_sparse *a, const struct cwi_sparse *b, int s_b)
{
  if (b->type != a->type)
    return cwi_misuse("s_b is %d, a sparse array of type %d; that of s_a is %d", s_b, b->type,
                      a->type);
  if (b->rows != a->columns)
    return cwi_misuse("s_b is %d, a sparse array of %lld rows; s_a has %lld columns", s_b,
                      (long long)b->rows, (long long)a->columns);
  if (!cwi_team_same_members(a->team, b->team))
    return cwi_misuse(
        "s_b is %d, a sparse array that is not on the same processes in the same order as s_a",
        s_b);
  return CW_OK;
}

cw_error cwi_sparse_times_sparse(int s_a, int s_b, int *s_c)
{
  struct cwi_sparse *a = NULL, *b = NULL, *c = NULL;
  struct cwi_sparse_list list = {0};
  struct gathered_rows rows = {0};
  CWI_TRY(cwi_sparse_assembled("s_a", s_a, &a));
  CWI_TRY(cwi_sparse_assembled("s_b", s_b, &b));
  CWI_TRY(check_pair(a, b, s_b));
  const struct cwi_sparse_shape shape = {
      a->team, a->group, a->type, a->index > b->index ? a->index : b->index, a->rows, b->columns};
  CWI_TRY(cwi_sparse_synchronize(a));
  CWI_TRY(cwi_sparse_make(&shape, s_c, &c));
  cw_error error = rows_fetch(a, b, &rows);
  if (error == CW_OK)
    error = cwi_sparse_build(c, &list, rows_multiply(a, b, &rows, &list));
  rows_free(&rows);
  cwi_sparse_list_free(&list);
  return error;
}
