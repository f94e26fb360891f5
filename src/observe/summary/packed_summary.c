/* Packs a summary into bytes. All processes must have the same number formats, because nothing is
 * converted. */
#include "summary/packed_summary.h"

#include "mpi/mpi_progress.h"
#include "mpi/mpi_request.h"

#include <stdlib.h>
#include <string.h>

/* Layout of a packed summary: this head, the operations, the inner calls, the most updated
 * elements, the texts with their final zeros, and then the rows. */
struct packed_head {
  uint64_t texts, text_bytes, places, objects, heat_maps, cells, pairs, processes, phases, nodes,
      waits, memories, incomplete;
};

/* A cell that is not empty. */
struct packed_cell {
  uint32_t heat_map, cell;
  struct cwi_heat_map_cell of;
};

/* Returns the bytes of all texts, rounded up to 8 so that the rows after them are aligned. */
static size_t text_bytes(const struct cwi_summary *summary)
{
  size_t bytes = 0;
  for (uint32_t i = 0; i < summary->texts.count; i++)
    bytes += strlen(cwi_summary_text(summary, i)) + 1;
  return bytes + (8 - bytes % 8) % 8;
}

static bool cell_is_empty(const struct cwi_heat_map_cell *cell)
{
  return cell->operations == 0 && cell->bytes == 0;
}

static size_t used_cells(const struct cwi_summary *summary)
{
  size_t used = 0;
  for (size_t i = 0; i < summary->heat_maps.count; i++) {
    const struct cwi_heat_map_row *row = CWI_ROWS(summary, heat_maps, struct cwi_heat_map_row) + i;
    for (size_t cell = 0; cell < cwi_heat_map_count(&row->heat_map); cell++)
      used += !cell_is_empty(&row->cells[cell]);
  }
  return used;
}

static char *put(char *to, const void *from, size_t bytes)
{
  if (bytes > 0)
    memcpy(to, from, bytes);
  return to + bytes;
}

static size_t packed_bytes(const struct packed_head *head)
{
  return sizeof *head + sizeof((struct cwi_summary *)NULL)->operations +
         sizeof((struct cwi_summary *)NULL)->inner + sizeof((struct cwi_summary *)NULL)->updated +
         head->text_bytes + head->places * sizeof(struct cwi_place_row) +
         head->objects * sizeof(struct cwi_object_row) +
         head->heat_maps * sizeof(struct cwi_heat_map_row) +
         head->cells * sizeof(struct packed_cell) + head->pairs * sizeof(struct cwi_pair_row) +
         head->processes * sizeof(struct cwi_process_row) +
         head->phases * sizeof(struct cwi_phase_row) + head->nodes * sizeof(struct cwi_node_row) +
         head->waits * sizeof(struct cwi_wait_row) + head->memories * sizeof(struct cwi_memory_row);
}

static char *put_cells(char *to, const struct cwi_summary *summary)
{
  for (size_t i = 0; i < summary->heat_maps.count; i++) {
    const struct cwi_heat_map_row *row = CWI_ROWS(summary, heat_maps, struct cwi_heat_map_row) + i;
    for (size_t cell = 0; cell < cwi_heat_map_count(&row->heat_map); cell++) {
      const struct packed_cell one = {(uint32_t)i, (uint32_t)cell, row->cells[cell]};
      if (!cell_is_empty(&one.of))
        to = put(to, &one, sizeof one);
    }
  }
  return to;
}

char *cwi_summary_pack(const struct cwi_summary *summary, size_t *bytes)
{
  const struct packed_head head = {
      summary->texts.count,   text_bytes(summary),      summary->places.count,
      summary->objects.count, summary->heat_maps.count, used_cells(summary),
      summary->pairs.count,   summary->processes.count, summary->phases.count,
      summary->nodes.count,   summary->waits.count,     summary->memories.count,
      summary->incomplete};
  *bytes = packed_bytes(&head);
  char *packed_summary = calloc(1, *bytes);
  if (packed_summary == NULL)
    return NULL;
  char *at = put(packed_summary, &head, sizeof head);
  at = put(at, summary->operations, sizeof summary->operations);
  at = put(at, summary->inner, sizeof summary->inner);
  at = put(at, &summary->updated, sizeof summary->updated);
  char *const rows = at + head.text_bytes;
  for (uint32_t i = 0; i < summary->texts.count; i++)
    at = put(at, cwi_summary_text(summary, i), strlen(cwi_summary_text(summary, i)) + 1);
  at = put(rows, summary->places.rows, head.places * sizeof(struct cwi_place_row));
  at = put(at, summary->objects.rows, head.objects * sizeof(struct cwi_object_row));
  at = put(at, summary->heat_maps.rows, head.heat_maps * sizeof(struct cwi_heat_map_row));
  at = put_cells(at, summary);
  at = put(at, summary->pairs.rows, head.pairs * sizeof(struct cwi_pair_row));
  at = put(at, summary->processes.rows, head.processes * sizeof(struct cwi_process_row));
  at = put(at, summary->phases.rows, head.phases * sizeof(struct cwi_phase_row));
  at = put(at, summary->nodes.rows, head.nodes * sizeof(struct cwi_node_row));
  at = put(at, summary->waits.rows, head.waits * sizeof(struct cwi_wait_row));
  put(at, summary->memories.rows, head.memories * sizeof(struct cwi_memory_row));
  return packed_summary;
}

/* --- Unpacking -------------------------------------------------------------------------------- */

struct packed_texts {
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

/* Returns a text of the packed summary. Returns "" if there is none, because memory was short in
 * the sending process or the summary is damaged. */
static const char *text_at(const struct packed_texts *texts, uint32_t number)
{
  return number < texts->count ? texts->at[number] : "";
}

static void add_places(struct cwi_summary *sum, const struct packed_texts *texts,
                       const struct cwi_place_row *rows, uint64_t count)
{
  for (uint64_t i = 0; i < count; i++) {
    struct cwi_place_row *row =
        rows[i].call_class < CWI_CALL_CLASSES
            ? cwi_summary_place(sum, text_at(texts, rows[i].module), text_at(texts, rows[i].symbol),
                                rows[i].offset, text_at(texts, rows[i].call), rows[i].call_class)
            : NULL;
    if (row == NULL)
      sum->incomplete = true;
    else
      cwi_add_place(row, &rows[i]);
  }
}

static void add_objects(struct cwi_summary *sum, const struct packed_texts *texts,
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
    row->undrawn = row->undrawn != 0 || rows[i].undrawn != 0;
  }
}

/* Returns true if cwi_heat_map_make could have made this heat map. A damaged file may contain
 * anything. */
static bool is_heat_map(const struct cwi_heat_map *heat_map)
{
  struct cwi_heat_map made;
  if (heat_map->dimensions < 0 || heat_map->dimensions > CWI_HEAT_MAP_DIMENSIONS)
    return false;
  cwi_heat_map_make(&made, heat_map->dimensions, heat_map->extents);
  for (int along = 0; along < 2; along++)
    if (heat_map->drawn[along] != made.drawn[along] ||
        heat_map->cells[along] != made.cells[along] ||
        heat_map->shifts[along] != made.shifts[along] || heat_map->starts[along] < 0 ||
        heat_map->starts[along] > CWI_HEAT_MAP_STARTS)
      return false;
  return true;
}

static void undraw(struct cwi_summary *sum, const char *name)
{
  struct cwi_object_row *object = cwi_summary_object(sum, name);
  if (object != NULL)
    object->undrawn = 1;
}

/* Adds the heat maps. `rows` lie in the packed summary; their cells follow all rows. */
static void add_heat_maps(struct cwi_summary *sum, const struct packed_texts *texts,
                          const struct cwi_heat_map_row *rows, const struct packed_head *head)
{
  const struct packed_cell *cells = (const void *)(rows + head->heat_maps), *const end =
                                                                                cells + head->cells;
  for (uint64_t i = 0; i < head->heat_maps; i++) {
    const char *name = text_at(texts, rows[i].name);
    const struct cwi_heat_map_row *row =
        is_heat_map(&rows[i].heat_map) ? cwi_summary_heat_map(sum, name, &rows[i].heat_map) : NULL;
    if (row == NULL)
      undraw(sum, name);
    for (; cells < end && cells->heat_map == i; cells++)
      if (row != NULL && cells->cell < cwi_heat_map_count(&row->heat_map))
        cwi_heat_map_add_cell(&row->cells[cells->cell], &cells->of);
  }
}

static const char *entry_name(const void *names, const struct cwi_top_k_entry *row)
{
  return text_at(names, row->text);
}

static void add_phases(struct cwi_summary *sum, const struct packed_texts *texts,
                       const struct cwi_phase_row *rows, uint64_t count)
{
  for (uint64_t i = 0; i < count; i++) {
    struct cwi_phase_row *row = cwi_summary_phase(sum, text_at(texts, rows[i].path));
    if (row != NULL)
      cwi_add_phase(row, &rows[i]);
  }
}

static void add_waits(struct cwi_summary *sum, const struct packed_texts *texts,
                      const struct cwi_wait_row *rows, uint64_t count)
{
  for (uint64_t i = 0; i < count; i++)
    if (rows[i].call_class < CWI_CALL_CLASSES)
      cwi_waits_merge(sum, &rows[i], text_at(texts, rows[i].module), text_at(texts, rows[i].symbol),
                      text_at(texts, rows[i].phase), text_at(texts, rows[i].call));
}

static void add_memories(struct cwi_summary *sum, const struct cwi_memory_row *rows, uint64_t count)
{
  for (uint64_t i = 0; i < count; i++)
    cwi_memory_merge(sum, &rows[i]);
}

/* Returns true if no count exceeds the number of bytes. Then the sum of their sizes does not
 * overflow. */
static bool head_fits(const struct packed_head *head, size_t bytes)
{
  const uint64_t *counts = (const void *)head;
  for (size_t i = 0; i < sizeof *head / sizeof counts[0]; i++)
    if (counts[i] > bytes)
      return false;
  return true;
}

void cwi_summary_unpack(struct cwi_summary *sum, const char *packed_summary, size_t bytes)
{
  const struct packed_head *head = (const void *)packed_summary;
  const char *at = packed_summary + sizeof *head;
  const bool is_whole =
      bytes >= sizeof *head && head_fits(head, bytes) && bytes == packed_bytes(head);
  struct packed_texts texts = {NULL, 0};
  if (is_whole)
    texts.at = calloc(head->texts + 1, sizeof *texts.at);
  if (texts.at == NULL) {
    sum->incomplete = true;
    return;
  }
  sum->incomplete = sum->incomplete || head->incomplete != 0;
  cwi_add_operations(sum, (const void *)at, (const void *)(at + sizeof sum->operations));
  at += sizeof sum->operations + sizeof sum->inner;
  const struct cwi_top_k *updated = (const void *)at;
  at += sizeof sum->updated;
  const char *text = at;
  for (; texts.count < head->texts && text < at + head->text_bytes; text += strlen(text) + 1)
    texts.at[texts.count++] = text;
  at += head->text_bytes;
  cwi_summary_add_top_k(sum, updated, entry_name, &texts);
  add_places(sum, &texts, (const void *)at, head->places);
  at += head->places * sizeof(struct cwi_place_row);
  add_objects(sum, &texts, (const void *)at, head->objects);
  at += head->objects * sizeof(struct cwi_object_row);
  add_heat_maps(sum, &texts, (const void *)at, head);
  at +=
      head->heat_maps * sizeof(struct cwi_heat_map_row) + head->cells * sizeof(struct packed_cell);
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

/* --- Merging along a tree --------------------------------------------------------------------- */

enum { TAG = 77, MOST_AT_ONCE = 1 << 16 };

/* Waits with cwi_mpi_wait, which notices if a peer dies. */
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

/* Sends a summary. A process without memory for packing sends 0 bytes. */
static cw_error send_to(int rank, const struct cwi_summary *mine, MPI_Comm comm)
{
  uint64_t bytes = 0;
  size_t packed = 0;
  char *packed_summary = cwi_summary_pack(mine, &packed);
  if (packed_summary != NULL)
    bytes = packed;
  cw_error error = cwi_bytes_send(&bytes, sizeof bytes, rank, comm);
  if (error == CW_OK)
    error = cwi_bytes_send(packed_summary, bytes, rank, comm);
  free(packed_summary);
  return error;
}

static cw_error add_from(int rank, struct cwi_summary *mine, MPI_Comm comm)
{
  uint64_t bytes = 0;
  CWI_TRY(cwi_bytes_receive(&bytes, sizeof bytes, rank, comm));
  char *packed_summary = malloc(bytes + 1);
  const cw_error error = cwi_bytes_receive(packed_summary, bytes, rank, comm);
  if (packed_summary == NULL)
    mine->incomplete = true;
  else if (error == CW_OK)
    cwi_summary_unpack(mine, packed_summary, bytes);
  free(packed_summary);
  return error;
}

/* In each step, a rank that has the bit `step` sends its sum to the rank without that bit, and is
 * done. */
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
