/* Messages between two processes. The message type is the MPI tag. TCGMSG has its own communicator,
 * so that the program's own MPI messages are not confused with these messages. */
#include "ga/tcgmsg/run.h"

#include "mpi/collective_yield.h"
#include "mpi/mpi_progress.h"
#include "profile/profile.h"
#include "team/team.h"
#include "team/world.h"

#include "tcgmsg.h"

#include <limits.h>
#include <stdio.h>

enum { MOST = 1024, ANY = -1 };

static MPI_Comm own_comm = MPI_COMM_NULL;
static int greatest_tag;

/* Non-blocking sends and receives for which the program has not waited yet. */
static MPI_Request under_way[MOST];
static int started;

cw_error cwi_tcg_messages_start(void)
{
  CWI_TRY(cwi_mpi_duplicate(cw_team_world()->internal, &own_comm));
  CWI_TRY(cwi_mpi_highest_tag(&greatest_tag));
  return CWI_MPI(MPI_Comm_set_errhandler(own_comm, MPI_ERRORS_RETURN));
}

cw_error cwi_tcg_messages_stop(void)
{
  started = 0;
  return own_comm != MPI_COMM_NULL ? CWI_MPI(MPI_Comm_free(&own_comm)) : CW_OK;
}

static cw_error check_type(long type)
{
  if (CWI_LIKELY(type >= 0 && type <= greatest_tag))
    return CW_OK;
  return cwi_misuse("type is %ld; it may be 0 to %d", type, greatest_tag);
}

static cw_error check_node(const char *name, long node)
{
  if (CWI_LIKELY(node >= 0 && node < cw_processes()))
    return CW_OK;
  return cwi_misuse("%s is process %ld; there are processes 0 to %d", name, node,
                    cw_processes() - 1);
}

static cw_error check_message(const struct cwi_tcg_message *message)
{
  CWI_TRY(cwi_tcg_running());
  CWI_TRY(check_type(message->type));
  CWI_TRY(cwi_check_not_negative("lenbuf", message->bytes));
  if (message->bytes > INT_MAX)
    return cwi_misuse("lenbuf is %ld; a message has at most %d bytes", message->bytes, INT_MAX);
  if (!message->waits && started == MOST)
    return cwi_misuse("%d messages are under way, the maximum: call waitcom first", MOST);
  return message->bytes > 0 ? cwi_check_not_null("buf", message->buffer) : CW_OK;
}

static cw_error finish(MPI_Request request, bool waits)
{
  if (waits)
    return cwi_mpi_wait(&request);
  under_way[started++] = request;
  return CW_OK;
}

cw_error cwi_tcg_send(const struct cwi_tcg_message *message)
{
  MPI_Request request = MPI_REQUEST_NULL;
  CWI_TRY(check_message(message));
  CWI_TRY(check_node("node", message->node));
  CWI_TRY(CWI_MPI(MPI_Isend(message->buffer, (int)message->bytes, MPI_BYTE, (int)message->node,
                            (int)message->type, own_comm, &request)));
  return finish(request, message->waits);
}

/* Describes the message in a report of a long wait. */
static void awaited(const void *what, char *text, size_t size)
{
  const struct cwi_tcg_message *message = what;
  char from[48] = "any process";
  if (message->node != ANY)
    snprintf(from, sizeof from, "process %ld", message->node);
  snprintf(text, size, "a message of %s with type %ld", from, message->type);
}

static cw_error receive_now(const struct cwi_tcg_message *message, int from, long *length,
                            long *sender)
{
  CWI_PROFILED(CW_CALL_WAIT);
  MPI_Message matched = MPI_MESSAGE_NULL;
  MPI_Status status = {.MPI_SOURCE = MPI_ANY_SOURCE};
  int bytes = 0;
  const struct cwi_waiting outer = cwi_waiting_begin(NULL, awaited, message);
  const cw_error error =
      cwi_mpi_await_message(from, (int)message->type, own_comm, &matched, &status);
  cwi_waiting_end(&outer);
  CWI_TRY(error);
  CWI_TRY(CWI_MPI(MPI_Get_count(&status, MPI_BYTE, &bytes)));
  if (bytes > message->bytes)
    return cwi_misuse("lenbuf is %ld; the message with type %ld from process %d has %d bytes",
                      message->bytes, message->type, status.MPI_SOURCE, bytes);
  CWI_TRY(cwi_mpi_receive(message->buffer, bytes, &matched));
  *length = bytes;
  *sender = status.MPI_SOURCE;
  return CW_OK;
}

cw_error cwi_tcg_receive(const struct cwi_tcg_message *message, long *length, long *sender)
{
  MPI_Request request = MPI_REQUEST_NULL;
  CWI_TRY(check_message(message));
  if (message->node != ANY)
    CWI_TRY(check_node("nodeselect", message->node));
  const int from = message->node == ANY ? MPI_ANY_SOURCE : (int)message->node;
  if (message->waits)
    return receive_now(message, from, length, sender);
  *length = -1;
  *sender = message->node;
  CWI_TRY(CWI_MPI(MPI_Irecv(message->buffer, (int)message->bytes, MPI_BYTE, from,
                            (int)message->type, own_comm, &request)));
  return finish(request, false);
}

cw_error cwi_tcg_probe(long type, long node, bool *there)
{
  int found = 0;
  *there = false;
  CWI_TRY(cwi_tcg_running());
  CWI_TRY(check_type(type));
  if (node != ANY)
    CWI_TRY(check_node("node", node));
  CWI_TRY(CWI_MPI(MPI_Iprobe(node == ANY ? MPI_ANY_SOURCE : (int)node, (int)type, own_comm, &found,
                             MPI_STATUS_IGNORE)));
  if (!found)
    cwi_mpi_progress_after_poll();
  *there = found != 0;
  return CW_OK;
}

/* Waits for all non-blocking sends and receives, in the order in which they were started. */
cw_error cwi_tcg_wait(void)
{
  CWI_TRY(cwi_tcg_running());
  for (int i = 0; i < started; i++)
    CWI_TRY(cwi_mpi_wait(&under_way[i]));
  started = 0;
  return CW_OK;
}

/* --- The calls in C --- */

void tcg_snd(long type, void *buf, long lenbuf, long node, long sync)
{
  (void)CWI_TCG(__func__,
                cwi_tcg_send(&(struct cwi_tcg_message){type, buf, lenbuf, node, sync != 0}));
}

void tcg_rcv(long type, void *buf, long lenbuf, long *lenmes, long nodeselect, long *nodefrom,
             long sync)
{
  long length = 0, sender = 0;
  const struct cwi_tcg_message message = {type, buf, lenbuf, nodeselect, sync != 0};
  if (CWI_TCG(__func__, cwi_tcg_receive(&message, &length, &sender)) != 0)
    return;
  if (lenmes != NULL)
    *lenmes = length;
  if (nodefrom != NULL)
    *nodefrom = sender;
}

long tcg_probe(long type, long node)
{
  bool there = false;
  (void)CWI_TCG(__func__, cwi_tcg_probe(type, node, &there));
  return there;
}

void tcg_waitcom(long node)
{
  (void)node;
  (void)CWI_TCG(__func__, cwi_tcg_wait());
}
