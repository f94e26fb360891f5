/* A summary on its way from process to process: all have the same machine's numbers. */
#include "report/parcel.h"

#include "mpi/call.h"
#include "mpi/request.h"

#include <stdlib.h>
#include <string.h>

/* A parcel: this head, the operations and inner calls, texts with their ends, then the rows. */
struct parcel_head {
  uint64_t texts, text_bytes, places, objects, pairs, processes, phases, nodes, waits, memories,
      incomplete;
};

static size_t text_bytes(const struct cwi_summary *summary)
{
  size_t bytes = 0;
  for (uint32_t i = 0; i < summary->texts.count; i++)
    bytes += strlen(cwi_summary_text(summary, i)) + 1;
  return bytes + (8 - bytes % 8) % 8;
}

static char *put(char *to, const void *from, size_t bytes)
{
  if (bytes > 0)
    memcpy(to, from, bytes);
  return to + bytes;
}

static size_t parcel_bytes(const struct parcel_head *head)
{
  return sizeof *head + sizeof((struct cwi_summary *)NULL)->operations +
         sizeof((struct cwi_summary *)NULL)->inner + head->text_bytes +
         head->places * sizeof(struct cwi_place_row) +
         head->objects * sizeof(struct cwi_object_row) + head->pairs * sizeof(struct cwi_pair_row) +
         head->processes * sizeof(struct cwi_process_row) +
         head->phases * sizeof(struct cwi_phase_row) + head->nodes * sizeof(struct cwi_node_row) +
         head->waits * sizeof(struct cwi_wait_row) + head->memories * sizeof(struct cwi_memory_row);
}

char *cwi_parcel_make(const struct cwi_summary *summary, size_t *bytes)
{
  const struct parcel_head head = {
      summary->texts.count, text_bytes(summary),      summary->places.count, summary->objects.count,
      summary->pairs.count, summary->processes.count, summary->phases.count, summary->nodes.count,
      summary->waits.count, summary->memories.count,  summary->incomplete};
  *bytes = parcel_bytes(&head);
  char *parcel = calloc(1, *bytes);
  if (parcel == NULL)
    return NULL;
  char *at = put(parcel, &head, sizeof head);
  at = put(at, summary->operations, sizeof summary->operations);
  at = put(at, summary->inner, sizeof summary->inner);
  char *const rows = at + head.text_bytes;
  for (uint32_t i = 0; i < summary->texts.count; i++)
    at = put(at, cwi_summary_text(summary, i), strlen(cwi_summary_text(summary, i)) + 1);
  at = put(rows, summary->places.rows, head.places * sizeof(struct cwi_place_row));
  at = put(at, summary->objects.rows, head.objects * sizeof(struct cwi_object_row));
  at = put(at, summary->pairs.rows, head.pairs * sizeof(struct cwi_pair_row));
  at = put(at, summary->processes.rows, head.processes * sizeof(struct cwi_process_row));
  at = put(at, summary->phases.rows, head.phases * sizeof(struct cwi_phase_row));
  at = put(at, summary->nodes.rows, head.nodes * sizeof(struct cwi_node_row));
  at = put(at, summary->waits.rows, head.waits * sizeof(struct cwi_wait_row));
  put(at, summary->memories.rows, head.memories * sizeof(struct cwi_memory_row));
  return parcel;
}

/* --- Unpacking -------------------------------------------------------------------------------- */

struct parcel_texts {
  const char **at;
  uint64_t count;
};

static void add_rows(struct cwi_summary *sum, struct cwi_row_list *list, const char *rows,
                     uint64_t count, size_t bytes)
{
  for (uint64_t i = 0; i < count; i++) {
    void *row = cwi_list_add(sum, list, bytes);
    if (row != NULL)
      memcpy(row, rows + i * bytes, bytes);
  }
}

/* "": memory was short where the parcel was made, or its file is damaged. */
static const char *text_at(const struct parcel_texts *texts, uint32_t number)
{
  return number < texts->count ? texts->at[number] : "";
}

static void add_places(struct cwi_summary *sum, const struct parcel_texts *texts,
                       const struct cwi_place_row *rows, uint64_t count)
{
  for (uint64_t i = 0; i < count; i++) {
    struct cwi_place_row *row =
        rows[i].call_class < CWI_CALL_CLASSES
            ? cwi_summary_place(sum, text_at(texts, rows[i].module), text_at(texts, rows[i].symbol),
                                rows[i].offset, rows[i].call_class)
            : NULL;
    if (row == NULL)
      sum->incomplete = true;
    else
      cwi_add_place(row, &rows[i]);
  }
}

static void add_objects(struct cwi_summary *sum, const struct parcel_texts *texts,
                        const struct cwi_object_row *rows, uint64_t count)
{
  for (uint64_t i = 0; i < count; i++) {
    struct cwi_object_row *row = cwi_summary_object(sum, text_at(texts, rows[i].name));
    if (row == NULL)
      continue;
    row->operations += rows[i].operations;
    row->bytes += rows[i].bytes;
    row->nanoseconds += rows[i].nanoseconds;
    row->memory += rows[i].memory;
  }
}

static void add_phases(struct cwi_summary *sum, const struct parcel_texts *texts,
                       const struct cwi_phase_row *rows, uint64_t count)
{
  for (uint64_t i = 0; i < count; i++) {
    struct cwi_phase_row *row = cwi_summary_phase(sum, text_at(texts, rows[i].path));
    if (row != NULL)
      cwi_add_phase(row, &rows[i]);
  }
}

static void add_waits(struct cwi_summary *sum, const struct parcel_texts *texts,
                      const struct cwi_wait_row *rows, uint64_t count)
{
  for (uint64_t i = 0; i < count; i++)
    if (rows[i].call_class < CWI_CALL_CLASSES)
      cwi_waits_merge(sum, &rows[i], text_at(texts, rows[i].module), text_at(texts, rows[i].symbol),
                      text_at(texts, rows[i].phase));
}

static void add_memories(struct cwi_summary *sum, const struct cwi_memory_row *rows, uint64_t count)
{
  for (uint64_t i = 0; i < count; i++)
    cwi_memory_merge(sum, &rows[i]);
}

void cwi_parcel_add(struct cwi_summary *sum, const char *parcel, size_t bytes)
{
  const struct parcel_head *head = (const void *)parcel;
  const char *at = parcel + sizeof *head;
  const bool is_whole = bytes >= sizeof *head && bytes == parcel_bytes(head);
  struct parcel_texts texts = {NULL, 0};
  if (is_whole)
    texts.at = calloc(head->texts + 1, sizeof *texts.at);
  if (texts.at == NULL) {
    sum->incomplete = true;
    return;
  }
  sum->incomplete = sum->incomplete || head->incomplete != 0;
  cwi_add_operations(sum, (const void *)at, (const void *)(at + sizeof sum->operations));
  at += sizeof sum->operations + sizeof sum->inner;
  const char *text = at;
  for (; texts.count < head->texts && text < at + head->text_bytes; text += strlen(text) + 1)
    texts.at[texts.count++] = text;
  at += head->text_bytes;
  add_places(sum, &texts, (const void *)at, head->places);
  at += head->places * sizeof(struct cwi_place_row);
  add_objects(sum, &texts, (const void *)at, head->objects);
  at += head->objects * sizeof(struct cwi_object_row);
  add_rows(sum, &sum->pairs, at, head->pairs, sizeof(struct cwi_pair_row));
  at += head->pairs * sizeof(struct cwi_pair_row);
  add_rows(sum, &sum->processes, at, head->processes, sizeof(struct cwi_process_row));
  at += head->processes * sizeof(struct cwi_process_row);
  add_phases(sum, &texts, (const void *)at, head->phases);
  at += head->phases * sizeof(struct cwi_phase_row);
  add_rows(sum, &sum->nodes, at, head->nodes, sizeof(struct cwi_node_row));
  at += head->nodes * sizeof(struct cwi_node_row);
  add_waits(sum, &texts, (const void *)at, head->waits);
  at += head->waits * sizeof(struct cwi_wait_row);
  add_memories(sum, (const void *)at, head->memories);
  free(texts.at);
}

/* --- The tree --------------------------------------------------------------------------------- */

enum { TAG = 77, MOST_AT_ONCE = 1 << 16 };

/* Who waits sees peers die. */
cw_error cwi_bytes_send(const void *from, uint64_t bytes, int rank, MPI_Comm comm)
{
  for (uint64_t sent = 0; sent < bytes; sent += MOST_AT_ONCE) {
    const uint64_t part = bytes - sent < MOST_AT_ONCE ? bytes - sent : MOST_AT_ONCE;
    MPI_Request request = MPI_REQUEST_NULL;
    CWI_TRY(CWI_MPI(
        MPI_Isend((const char *)from + sent, (int)part, MPI_BYTE, rank, TAG, comm, &request)));
    CWI_TRY(cwi_mpi_wait(&request));
  }
  return CW_OK;
}

cw_error cwi_bytes_receive(void *to, uint64_t bytes, int rank, MPI_Comm comm)
{
  static char dropped[MOST_AT_ONCE];
  for (uint64_t got = 0; got < bytes; got += MOST_AT_ONCE) {
    const uint64_t part = bytes - got < MOST_AT_ONCE ? bytes - got : MOST_AT_ONCE;
    MPI_Request request = MPI_REQUEST_NULL;
    CWI_TRY(CWI_MPI(MPI_Irecv(to != NULL ? (char *)to + got : dropped, (int)part, MPI_BYTE, rank,
                              TAG, comm, &request)));
    CWI_TRY(cwi_mpi_wait(&request));
  }
  return CW_OK;
}

/* A process without memory sends nothing. */
static cw_error send_to(int rank, const struct cwi_summary *mine, MPI_Comm comm)
{
  uint64_t bytes = 0;
  size_t packed = 0;
  char *parcel = cwi_parcel_make(mine, &packed);
  if (parcel != NULL)
    bytes = packed;
  cw_error error = cwi_bytes_send(&bytes, sizeof bytes, rank, comm);
  if (error == CW_OK)
    error = cwi_bytes_send(parcel, bytes, rank, comm);
  free(parcel);
  return error;
}

static cw_error add_from(int rank, struct cwi_summary *mine, MPI_Comm comm)
{
  uint64_t bytes = 0;
  CWI_TRY(cwi_bytes_receive(&bytes, sizeof bytes, rank, comm));
  char *parcel = malloc(bytes + 1);
  const cw_error error = cwi_bytes_receive(parcel, bytes, rank, comm);
  if (parcel == NULL)
    mine->incomplete = true;
  else if (error == CW_OK)
    cwi_parcel_add(mine, parcel, bytes);
  free(parcel);
  return error;
}

cw_error cwi_summary_merge(struct cwi_summary *mine, MPI_Comm comm)
{
  int rank = 0, size = 0;
  CWI_TRY(CWI_MPI(MPI_Comm_rank(comm, &rank)));
  CWI_TRY(CWI_MPI(MPI_Comm_size(comm, &size)));
  for (int step = 1; step < size; step *= 2) {
    if ((rank & step) != 0)
      return send_to(rank - step, mine, comm);
    if (rank + step < size)
      CWI_TRY(add_from(rank + step, mine, comm));
  }
  return CW_OK;
}
