/* Messages, broadcasts and exchanges of message.h. */
#include "binding.h"

#include "base/clock.h"
#include "mpi/collective_yield.h"
#include "mpi/mpi_progress.h"
#include "profile/profile.h"
#include "team/team.h"
#include "team/world.h"

#include <stdio.h>

/* A duplicate of the world's communicator, because programs receive messages on the original. */
static MPI_Comm own_comm = MPI_COMM_NULL;
static int greatest_tag;

/* MPI allows tags up to this value at least. */
enum { CLUSTER_TAG = 32767 };

/* TCGMSG receives on the world group's communicator. It must not receive our messages as its
 * own. */
cw_error cwi_armci_messages_start(void)
{
  CWI_TRY(cwi_mpi_duplicate(cw_team_world()->internal, &own_comm));
  CWI_TRY(cwi_mpi_highest_tag(&greatest_tag));
  return CWI_MPI(MPI_Comm_set_errhandler(own_comm, MPI_ERRORS_RETURN));
}

cw_error cwi_armci_messages_stop(void)
{
  return CWI_MPI(MPI_Comm_free(&own_comm));
}

int armci_msg_me(void)
{
  return cw_process();
}

int armci_msg_nproc(void)
{
  return cw_processes();
}

double armci_timer(void)
{
  return cwi_now();
}

static cw_error check_message(const void *buffer, const char *name, int bytes)
{
  CWI_TRY(cwi_armci_running());
  CWI_TRY(cwi_check_not_negative(name, bytes));
  return bytes > 0 ? cwi_check_not_null("buffer", buffer) : CW_OK;
}

static cw_error check_tag(int tag)
{
  if (CWI_LIKELY(tag >= 0 && tag <= greatest_tag))
    return CW_OK;
  return cwi_misuse("tag is %d; it may be 0 to %d", tag, greatest_tag);
}

static cw_error send(int tag, const void *buffer, int len, int to)
{
  CWI_TRY(check_message(buffer, "len", len));
  CWI_TRY(check_tag(tag));
  CWI_TRY(cwi_armci_process("to", to));
  MPI_Request request = MPI_REQUEST_NULL;
  CWI_TRY(CWI_MPI(MPI_Isend(buffer, len, MPI_BYTE, to, tag, own_comm, &request)));
  return cwi_mpi_wait(&request);
}

/* The sender that a receiver waits for. */
struct sender {
  int process, tag;
};

static void awaited(const void *what, char *text, size_t size)
{
  const struct sender *sender = what;
  char from[32] = "any process", tag[32] = "any tag";
  if (sender->process != MPI_ANY_SOURCE)
    snprintf(from, sizeof from, "process %d", sender->process);
  if (sender->tag != MPI_ANY_TAG)
    snprintf(tag, sizeof tag, "tag %d", sender->tag);
  snprintf(text, size, "a message of %s with %s", from, tag);
}

/* Receives a message. `from` is a process or MPI_ANY_SOURCE. `tag` may be MPI_ANY_TAG, as with
 * ARMCI-MPI. */
static cw_error receive(int tag, void *buffer, int buflen, int from, int *msglen, int *sender)
{
  CWI_PROFILED(CW_CALL_WAIT);
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status = {.MPI_SOURCE = MPI_ANY_SOURCE};
  int length = 0;
  CWI_TRY(check_message(buffer, "buflen", buflen));
  if (tag != MPI_ANY_TAG)
    CWI_TRY(check_tag(tag));
  const struct sender expected = {from, tag};
  const struct cwi_waiting outer = cwi_waiting_begin(NULL, awaited, &expected);
  const cw_error error = cwi_mpi_await_message(from, tag, own_comm, &message, &status);
  cwi_waiting_end(&outer);
  CWI_TRY(error);
  CWI_TRY(CWI_MPI(MPI_Get_count(&status, MPI_BYTE, &length)));
  if (length > buflen)
    return cwi_misuse("buflen is %d; the message with tag %d has %d bytes", buflen, status.MPI_TAG,
                      length);
  CWI_TRY(cwi_mpi_receive(buffer, length, &message));
  if (msglen != NULL)
    *msglen = length;
  *sender = status.MPI_SOURCE;
  return CW_OK;
}

static cw_error receive_from(int tag, void *buffer, int buflen, int from, int *msglen)
{
  int sender = from;
  CWI_TRY(cwi_armci_process("from", from));
  return receive(tag, buffer, buflen, from, msglen, &sender);
}

void armci_msg_snd(int tag, void *buffer, int len, int to)
{
  (void)CWI_ARMCI_WAITS(send(tag, buffer, len, to));
}

void armci_msg_rcv(int tag, void *buffer, int buflen, int *msglen, int from)
{
  (void)CWI_ARMCI_WAITS(receive_from(tag, buffer, buflen, from, msglen));
}

int armci_msg_rcvany(int tag, void *buffer, int buflen, int *msglen)
{
  int sender = -1;
  (void)CWI_ARMCI_WAITS(receive(tag, buffer, buflen, MPI_ANY_SOURCE, msglen, &sender));
  return sender;
}

/* Broadcasts from process `root`, a rank of the world, to the processes that the scope covers. */
static cw_error broadcast(const ARMCI_Group *group, int scope, void *buffer, int len, int root)
{
  cw_team team = NULL;
  CWI_TRY(check_message(buffer, "len", len));
  CWI_TRY(cwi_armci_scope(group, scope, &team));
  CWI_TRY(cwi_armci_process("root", root));
  if (cw_team_size(team) <= 1)
    return CW_OK;
  const int rank = cwi_team_rank_of(team, root);
  if (rank < 0)
    return cwi_misuse("root is process %d, which does not take part in the call", root);
  return cwi_armci_known_as(cw_broadcast(team, rank, buffer, (size_t)len),
                            "buffer is buf, bytes is len");
}

void armci_msg_bcast(void *buffer, int len, int root)
{
  (void)CWI_ARMCI_WAITS(broadcast(NULL, SCOPE_ALL, buffer, len, root));
}

void armci_msg_brdcst(void *buffer, int len, int root)
{
  (void)CWI_ARMCI_WAITS(broadcast(NULL, SCOPE_ALL, buffer, len, root));
}

void armci_msg_bcast_scope(int scope, void *buffer, int len, int root)
{
  (void)CWI_ARMCI_WAITS(broadcast(NULL, scope, buffer, len, root));
}

static cw_error broadcast_in(const ARMCI_Group *group, int scope, void *buffer, int len, int root)
{
  CWI_TRY(cwi_check_not_null("group", group));
  return broadcast(group, scope, buffer, len, root);
}

void armci_msg_group_bcast_scope(int scope, void *buf, int len, int root, ARMCI_Group *group)
{
  (void)CWI_ARMCI_WAITS(broadcast_in(group, scope, buf, len, root));
}

void armci_msg_clus_brdcst(void *buf, int len)
{
  const int master = cw_process() - cw_process() % cwi_armci_domain_size();
  (void)CWI_ARMCI_WAITS(broadcast(NULL, SCOPE_NODE, buf, len, master));
}

/* Broadcasts from rank `master` of the group to the count - 1 ranks that follow it. */
static cw_error broadcast_ranks(void *buffer, int len, int master, int count,
                                const ARMCI_Group *group)
{
  cw_team team = NULL;
  CWI_TRY(check_message(buffer, "len", len));
  CWI_TRY(cwi_armci_member("mastergroup", group, &team));
  CWI_TRY(cwi_check_not_negative("grp_clus_nproc", count));
  const int root = cw_team_process(team, master);
  if (root < 0 || count > cw_team_size(team) - master)
    return cwi_misuse("grp_master is %d and grp_clus_nproc is %d; the group has ranks 0 to %d",
                      master, count, cw_team_size(team) - 1);
  const int place = cw_team_rank(team) - master;
  if (place > 0 && place < count)
    return receive_from(CLUSTER_TAG, buffer, len, root, NULL);
  for (int next = 1; place == 0 && next < count; next++)
    CWI_TRY(send(CLUSTER_TAG, buffer, len, cw_team_process(team, master + next)));
  return CW_OK;
}

void armci_grp_clus_brdcst(void *buf, int len, int grp_master, int grp_clus_nproc,
                           ARMCI_Group *mastergroup)
{
  (void)CWI_ARMCI_WAITS(broadcast_ranks(buf, len, grp_master, grp_clus_nproc, mastergroup));
}

/* Combines the slots of all processes by a bitwise OR. Each slot is NULL on all processes except
 * one, so the result is the address of that process. */
static cw_error armci_message_exchange(const char *name, void **addresses, int n,
                                       const ARMCI_Group *group)
{
  cw_team team = NULL;
  CWI_TRY(cwi_check_not_negative("n", n));
  if (n > 0)
    CWI_TRY(cwi_check_not_null(name, (const void *)addresses));
  CWI_TRY(cwi_armci_scope(group, SCOPE_ALL, &team));
  return cwi_armci_known_as(cw_allreduce(team, CW_LONG, CW_BIT_OR, (size_t)n, (void *)addresses),
                            "count is n");
}

void armci_exchange_address(void *ptr_ar[], int n)
{
  (void)CWI_ARMCI_WAITS(armci_message_exchange("ptr_ar", ptr_ar, n, NULL));
}

static cw_error exchange_in(void **addresses, int n, const ARMCI_Group *group)
{
  CWI_TRY(cwi_check_not_null("group", group));
  return armci_message_exchange("ptr_arr", addresses, n, group);
}

void armci_exchange_address_grp(void *ptr_arr[], int n, ARMCI_Group *group)
{
  (void)CWI_ARMCI_WAITS(exchange_in(ptr_arr, n, group));
}

/* Stores a process's neighbours in a binary tree, or -1 for those that do not exist. The tree has
 * `count` processes: first, first + step, and so on. `place` is the position of this process among
 * them, or -1. */
static void tree(int first, int step, int count, int place, int *up, int *left, int *right)
{
  *up = place > 0 ? first + (place - 1) / 2 * step : -1;
  *left = place >= 0 && 2 * place + 1 < count ? first + (2 * place + 1) * step : -1;
  *right = place >= 0 && 2 * place + 2 < count ? first + (2 * place + 2) * step : -1;
}

static cw_error check_tree(int scope, const int *root, const int *up, const int *left,
                           const int *right)
{
  CWI_TRY(cwi_armci_running());
  CWI_TRY(cwi_armci_check_scope(scope));
  CWI_TRY(cwi_check_not_null("Root", root));
  CWI_TRY(cwi_check_not_null("Up", up));
  CWI_TRY(cwi_check_not_null("Left", left));
  return cwi_check_not_null("Right", right);
}

void armci_msg_bintree(int scope, int *Root, int *Up, int *Left, int *Right)
{
  const int me = cw_process(), all = cw_processes(), per = cwi_armci_domain_size();
  if (CWI_ARMCI(check_tree(scope, Root, Up, Left, Right)) != 0)
    return;
  *Root = 0;
  if (scope == SCOPE_ALL)
    tree(0, 1, all, me, Up, Left, Right);
  else if (scope == SCOPE_MASTERS)
    tree(0, per, all / per, me % per == 0 ? me / per : -1, Up, Left, Right);
  else
    tree(me - me % per, 1, per, me % per, Up, Left, Right);
  if (scope == SCOPE_NODE && per > 1)
    *Root = me - me % per; /* a process alone in its domain gets root 0, as with ARMCI-MPI */
}

void ARMCIX_Get_world_comm(
    MPI_Comm *comm); /* ARMCI-MPI's profiler calls this, but no header declares it */

void ARMCIX_Get_world_comm(MPI_Comm *comm)
{
  if (CWI_ARMCI(cwi_check_not_null("comm", comm)) == 0)
    *comm = cw_team_comm(cw_team_world());
}
