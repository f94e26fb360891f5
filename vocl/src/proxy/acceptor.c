/* Clients of the listening socket. A client sends any number of requests one after the other,
 * until it opens a session, which lives as long as the socket. */
#include "proxy/acceptor.h"

#include "proxy/loads.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct client {
  struct client *next;
  int socket;
  struct vocl_proxy_session *session;
  uint32_t move; /* number of the move request that it waits for; 0 if there is none */
  /* A list that the client waits for. */
  uint32_t list_number; /* 0 if there is none */
  int unanswered;       /* number of proxies that have not sent all their sessions yet */
  struct vocl_status_list list;
};

static struct {
  int listening_socket;
  bool listening_socket_is_watched, wants_stop;
  int device_list; /* descriptor of the sealed memory with the device list */
  const struct vocl_service_facts *facts;
  struct client *first;
  uint32_t lists, moves;
} acceptor;

bool vocl_acceptor_open(int listening_socket, const struct vocl_service_facts *facts)
{
  acceptor.listening_socket = listening_socket;
  acceptor.device_list = -1;
  acceptor.facts = facts;
  if (listening_socket < 0)
    return true;
  acceptor.device_list = vocl_shared_memory_make_sealed("causeway-census", facts->device_list,
                                                        facts->device_list_bytes);
  acceptor.listening_socket_is_watched = vocl_watch_add(listening_socket, &acceptor);
  return acceptor.device_list >= 0 && acceptor.listening_socket_is_watched;
}

void vocl_acceptor_close(void)
{
  if (acceptor.device_list >= 0)
    close(acceptor.device_list);
}

bool vocl_acceptor_wants_stop(void)
{
  return acceptor.wants_stop;
}

/* --- Clients
 * --------------------------------------------------------------------------------------- */

/* Watches the listening socket again, after the process had run out of descriptors or memory. */
static void watch_listening_socket_again(void)
{
  if (acceptor.listening_socket >= 0 && !acceptor.listening_socket_is_watched)
    acceptor.listening_socket_is_watched = vocl_watch_add(acceptor.listening_socket, &acceptor);
}

static void client_end(struct client *client)
{
  struct client **place = &acceptor.first;
  while (*place != client)
    place = &(*place)->next;
  *place = client->next;
  vocl_watch_remove(client->socket);
  close(client->socket);
  vocl_status_list_free(&client->list);
  free(client);
  watch_listening_socket_again();
}

static void client_begin(int socket)
{
  struct client *client = calloc(1, sizeof *client);
  if (client == NULL || !vocl_watch_add(socket, client)) {
    close(socket);
    free(client);
    return;
  }
  client->socket = socket;
  client->next = acceptor.first;
  acceptor.first = client;
}

static void let_in(void)
{
  const int client = vocl_socket_accept(acceptor.listening_socket);
  if (client >= 0) {
    client_begin(client);
  } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
    vocl_watch_remove(acceptor.listening_socket);
    acceptor.listening_socket_is_watched = false;
  }
}

/* Sends the reply. A client that does not take it is disconnected. */
static void client_answer(struct client *client, struct vocl_socket_reply *answer, int descriptor)
{
  answer->version = VOCL_SOCKET_VERSION;
  if (vocl_socket_reply(client->socket, answer, descriptor))
    return;
  if (client->session != NULL)
    vocl_proxy_session_leave(client->session);
  client_end(client);
}

static void reject(struct client *client, int code, const char *reason)
{
  struct vocl_socket_reply answer = {.code = code};
  snprintf(answer.text, sizeof answer.text, "%s", reason);
  client_answer(client, &answer, -1);
}

/* --- Sessions --------------------------------------------------------------------------------- */

static void reject_session(struct client *client, int code)
{
  char reason[256];
  if (code == ENOSPC)
    snprintf(reason, sizeof reason,
             "the proxy has no space for another relayed session (CW_VOCL_SESSIONS)");
  else
    snprintf(reason, sizeof reason, "the proxy cannot begin a session: %s", strerror(code));
  reject(client, code, reason);
}

/* Sends the descriptor of the channel's memory to the program, then closes it here. This proxy
 * keeps its mapping. */
static void give_session(struct client *client)
{
  struct vocl_proxy_session *session = client->session;
  struct vocl_socket_reply answer = {.bytes = VOCL_CHANNEL_BYTES, .number = session->number};
  const int descriptor = session->descriptor;
  session->descriptor = -1;
  client_answer(client, &answer, descriptor);
  close(descriptor);
}

static void receive_open(struct client *client, const struct vocl_socket_request *query)
{
  if (query->number >= (uint32_t)cw_processes()) {
    reject(client, ENODEV, "there is no such proxy");
    return;
  }
  const int code = vocl_proxy_session_open((int)query->number, query, client, &client->session);
  if (code != 0)
    reject_session(client, code);
  else if (!client->session->is_passed)
    give_session(client);
}

static void acceptor_opened(void *owner, struct vocl_proxy_session *session, int code)
{
  struct client *client = owner;
  if (code == 0) {
    client->session = session;
    give_session(client);
    return;
  }
  client->session = NULL;
  reject_session(client, code);
}

static void acceptor_over(void *client)
{
  client_end(client);
}

const struct vocl_proxy_session_callbacks vocl_acceptor_callbacks = {acceptor_opened, acceptor_over,
                                                                     vocl_loads_end};

/* --- Lists ------------------------------------------------------------------------------------ */

static void add_own_sessions(struct client *client)
{
  for (const struct vocl_proxy_session *session = vocl_proxy_sessions_first(); session != NULL;
       session = session->next) {
    struct vocl_control_entry entry;
    if (vocl_status_entry(session, &entry))
      vocl_status_list_add_session(&client->list, session->number, &entry);
  }
}

/* Sends the text as shared memory, because it may be longer than a reply. */
static void give_list(struct client *client)
{
  struct vocl_text_buffer list = vocl_status_list_end(&client->list, acceptor.facts);
  struct vocl_socket_reply answer = {.bytes = list.length};
  const int text = list.text != NULL
                       ? vocl_shared_memory_make_sealed("causeway-list", list.text, list.length)
                       : -1;
  free(list.text);
  client->list_number = 0;
  if (text < 0) {
    reject(client, ENOMEM, "the proxy has no memory for the list");
    return;
  }
  client_answer(client, &answer, text);
  close(text);
}

static void receive_list(struct client *client)
{
  if (client->list_number != 0) {
    reject(client, EBUSY, "the last list has not arrived yet");
    return;
  }
  vocl_status_list_begin(&client->list);
  add_own_sessions(client);
  client->list_number = ++acceptor.lists;
  client->unanswered = cw_processes() - 1;
  for (int process = 0; process < cw_processes(); process++)
    if (process != cw_process())
      vocl_control_send(process, &(struct vocl_control_message){.kind = VOCL_CONTROL_LIST,
                                                                .number = client->list_number});
  if (client->unanswered == 0)
    give_list(client);
}

/* Sends my sessions to another proxy; `list` identifies its list. */
static void report_sessions(int process, uint32_t list)
{
  for (const struct vocl_proxy_session *session = vocl_proxy_sessions_first(); session != NULL;
       session = session->next) {
    struct vocl_control_message message = {
        .kind = VOCL_CONTROL_LIST_ENTRY, .slot = list, .number = session->number};
    if (vocl_status_entry(session, &message.of.entry))
      vocl_control_send(process, &message);
  }
  vocl_control_send(process,
                    &(struct vocl_control_message){.kind = VOCL_CONTROL_LIST_END, .slot = list});
}

void vocl_acceptor_receive(int from, const struct vocl_control_message *message)
{
  struct client *client = acceptor.first;
  if (message->kind == VOCL_CONTROL_LIST) {
    report_sessions(from, message->number);
    return;
  }
  while (client != NULL && client->list_number != message->slot)
    client = client->next;
  if (client == NULL)
    return; /* the client has left */
  if (message->kind == VOCL_CONTROL_LIST_ENTRY) {
    vocl_status_list_add_session(&client->list, message->number, &message->of.entry);
  } else if (--client->unanswered == 0) {
    give_list(client);
  }
}

/* --- Moves ------------------------------------------------------------------------------------ */

static void receive_move(struct client *client, const struct vocl_socket_request *query)
{
  struct vocl_move_devices move;
  if (client->move != 0) {
    reject(client, EBUSY, "the last move has not ended");
  } else if (!vocl_move_devices_read(&move, query->text) || query->number == 0) {
    reject(client, EINVAL, "a session and two devices are needed, as `cw-vocl list` names them");
  } else {
    client->move = ++acceptor.moves;
    vocl_proxy_move_request(query->number, &move, client->move, vocl_acceptor_move_replied);
  }
}

void vocl_acceptor_move_replied(uint32_t request, int code,
                                const struct vocl_control_move_reply *moved)
{
  struct vocl_socket_reply answer = {
      .code = code, .bytes = moved->bytes, .nanoseconds = moved->nanoseconds};
  struct client *client = acceptor.first;
  while (client != NULL && client->move != request)
    client = client->next;
  if (client == NULL)
    return; /* the client has left */
  client->move = 0;
  snprintf(answer.text, sizeof answer.text, "%s", moved->text);
  client_answer(client, &answer, -1);
}

/* --- Requests
 * -------------------------------------------------------------------------------------- */

static void client_query(struct client *client, const struct vocl_socket_request *query)
{
  struct vocl_socket_reply answer = {.bytes = acceptor.facts->device_list_bytes};
  if (client->session != NULL) {
    reject(client, EBUSY, "this socket belongs to a session");
    return;
  }
  switch (query->type) {
  case VOCL_SOCKET_DEVICES:
    answer.number = (uint32_t)cw_process();
    client_answer(client, &answer, acceptor.device_list);
    return;
  case VOCL_SOCKET_OPEN:
    receive_open(client, query);
    return;
  case VOCL_SOCKET_LIST:
    receive_list(client);
    return;
  case VOCL_SOCKET_MOVE:
    receive_move(client, query);
    return;
  case VOCL_SOCKET_STOP:
    acceptor.wants_stop = true;
    answer.bytes = 0;
    client_answer(client, &answer, -1);
    return;
  default:
    reject(client, ENOSYS, "the proxy does not know this request");
  }
}

/* Disconnects a client that has closed its socket or has sent a malformed request. */
void vocl_acceptor_poll(void *owner)
{
  struct vocl_socket_request query;
  struct client *client = owner;
  if (owner == &acceptor) {
    let_in();
    return;
  }
  if (vocl_socket_receive(client->socket, &query)) {
    client_query(client, &query);
  } else if (errno != EAGAIN) {
    if (client->session != NULL)
      vocl_proxy_session_leave(client->session);
    client_end(client);
  }
}

void vocl_acceptor_stop(void)
{
  if (acceptor.listening_socket >= 0) {
    if (acceptor.listening_socket_is_watched)
      vocl_watch_remove(acceptor.listening_socket);
    close(acceptor.listening_socket);
  }
  acceptor.listening_socket = -1;
  vocl_proxy_sessions_end_all(&vocl_acceptor_callbacks);
  while (acceptor.first != NULL)
    client_end(acceptor.first);
}
