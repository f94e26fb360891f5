/* Pieces of data in the program's ring. The program may reuse the space in ring order only,
 * whatever the order in which devices have read the pieces. */
#include "service/service_session.h"

#include <stdlib.h>

bool vocl_service_piece_new(struct vocl_service *session, const struct vocl_msg_data *data,
                            struct vocl_service_piece **piece)
{
  char *bytes = data->bytes > 0 && data->bytes <= VOCL_PIECE_MAX
                    ? vocl_channel_piece_at(&session->channel, data->position, data->bytes)
                    : NULL;
  *piece = bytes != NULL ? malloc(sizeof **piece) : NULL;
  if (*piece == NULL)
    return vocl_service_protocol_error(session, "a piece of data");
  **piece = (struct vocl_service_piece){.end = vocl_channel_piece_end(data->position, data->bytes),
                                        .bytes = bytes,
                                        .offset = data->offset,
                                        .size = data->bytes};
  if (session->last_piece != NULL)
    session->last_piece->next = *piece;
  else
    session->first_piece = *piece;
  session->last_piece = *piece;
  vocl_service_count(&session->counts->bytes_in, data->bytes);
  return true;
}

static uint64_t piece_drop_first(struct vocl_service *session)
{
  struct vocl_service_piece *first = session->first_piece;
  const uint64_t end = first->end;
  session->first_piece = first->next;
  if (session->first_piece == NULL)
    session->last_piece = NULL;
  free(first);
  return end;
}

void vocl_service_piece_release(struct vocl_service *session, struct vocl_service_piece *piece)
{
  uint64_t end = 0;
  piece->is_read = true;
  while (session->first_piece != NULL && session->first_piece->is_read)
    end = piece_drop_first(session);
  if (end > 0)
    vocl_channel_release_space(&session->channel, end);
}

void vocl_service_pieces_free(struct vocl_service *session)
{
  while (session->first_piece != NULL)
    piece_drop_first(session);
}
