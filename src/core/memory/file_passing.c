/* Passes an open file between PID namespaces, where /proc/PID/fd cannot be used. Processes that
 * share a network namespace connect through an abstract socket, which has no name in the file
 * system, and send the descriptor through it. */
#include "memory/file_passing.h"

#include "mpi/collective_yield.h"
#include "mpi/mpi_progress.h"
#include "team/world.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* Limits the wait, in case that a process has died meanwhile. */
enum { TIMEOUT_SECONDS = 10 };

/* The address of the socket. `token` was sent by MPI, so a process that knows it belongs to this
 * job. */
struct rendezvous {
  int open;
  unsigned long long name;
  unsigned char token[16];
};

static socklen_t address_of(const struct rendezvous *rendezvous, struct sockaddr_un *address)
{
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  const int length = snprintf(address->sun_path + 1, sizeof address->sun_path - 1,
                              "causeway-%016llx", rendezvous->name);
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

static int new_socket(void)
{
  const struct timeval timeout = {.tv_sec = TIMEOUT_SECONDS};
  const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made >= 0)
    (void)setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  return made;
}

static int open_rendezvous(struct rendezvous *rendezvous)
{
  struct sockaddr_un address;
  if (getrandom(&rendezvous->name, sizeof rendezvous->name, 0) != sizeof rendezvous->name ||
      getrandom(rendezvous->token, sizeof rendezvous->token, 0) != sizeof rendezvous->token)
    return -1;
  const int listener = new_socket();
  const socklen_t length = address_of(rendezvous, &address);
  rendezvous->open = listener >= 0 && bind(listener, (struct sockaddr *)&address, length) == 0 &&
                     listen(listener, cwi_world.node_ranks) == 0;
  return listener;
}

/* Connects and sends the token. Returns the socket, or -1. Neither step waits for the first process
 * to accept the connection. */
static int connect_to(const struct rendezvous *rendezvous)
{
  struct sockaddr_un address;
  const int line = new_socket();
  const socklen_t length = address_of(rendezvous, &address);
  if (line >= 0 && connect(line, (struct sockaddr *)&address, length) == 0 &&
      send(line, rendezvous->token, sizeof rendezvous->token, MSG_NOSIGNAL) ==
          sizeof rendezvous->token)
    return line;
  if (line >= 0)
    close(line);
  return -1;
}

/* A message of one byte with a control message for one descriptor. */
struct file_message {
  struct msghdr message;
  struct iovec bytes;
  char byte;
  union {
    char space[CMSG_SPACE(sizeof(int))];
    struct cmsghdr aligned;
  };
};

static void wrap(struct file_message *file_message)
{
  *file_message = (struct file_message){.byte = 'f'};
  file_message->bytes = (struct iovec){.iov_base = &file_message->byte, .iov_len = 1};
  file_message->message = (struct msghdr){.msg_iov = &file_message->bytes,
                                          .msg_iovlen = 1,
                                          .msg_control = file_message->space,
                                          .msg_controllen = sizeof file_message->space};
}

static void hand_over(int line, int file)
{
  struct file_message file_message;
  wrap(&file_message);
  struct cmsghdr *header = CMSG_FIRSTHDR(&file_message.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof file);
  memcpy(CMSG_DATA(header), &file, sizeof file);
  /* If this fails, the receiver notices the end of the connection. */
  (void)!sendmsg(line, &file_message.message, MSG_NOSIGNAL);
}

static int take_over(int line)
{
  struct file_message file_message;
  int file = -1;
  wrap(&file_message);
  if (recvmsg(line, &file_message.message, MSG_CMSG_CLOEXEC) != 1)
    return -1;
  const struct cmsghdr *header = CMSG_FIRSTHDR(&file_message.message);
  if (header != NULL && header->cmsg_type == SCM_RIGHTS)
    memcpy(&file, CMSG_DATA(header), sizeof file);
  return file;
}

/* Sends `file` to `receivers` processes. Connections without the token come from elsewhere and are
 * closed without being counted. */
static void receive_files(int listener, const struct rendezvous *rendezvous, int receivers,
                          int file)
{
  unsigned char words[sizeof rendezvous->token];
  while (receivers > 0) {
    struct pollfd coming = {.fd = listener, .events = POLLIN};
    if (poll(&coming, 1, TIMEOUT_SECONDS * 1000) != 1)
      return;
    const int line = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (line < 0)
      return;
    const struct timeval timeout = {.tv_sec = 1};
    (void)setsockopt(line, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    if (recv(line, words, sizeof words, MSG_WAITALL) == sizeof words &&
        memcmp(words, rendezvous->token, sizeof words) == 0) {
      hand_over(line, file);
      receivers--;
    }
    close(line);
  }
}

/* The number of receivers is agreed on after all have connected, so that the first process knows
 * how many connections to serve. */
cw_error cwi_pass_file(int file, bool wanted, int *got)
{
  struct rendezvous rendezvous = {0};
  const bool first = cwi_world.node_rank == 0;
  const int listener = first ? open_rendezvous(&rendezvous) : -1;
  *got = -1;
  cw_error error = cwi_mpi_bcast(&rendezvous, sizeof rendezvous, MPI_BYTE, 0, cwi_world.node_comm);
  const int line =
      error == CW_OK && !first && wanted && rendezvous.open ? connect_to(&rendezvous) : -1;
  int receivers = line >= 0;
  if (error == CW_OK)
    error = cwi_mpi_allreduce(&receivers, 1, MPI_INT, MPI_SUM, cwi_world.node_comm);
  if (error == CW_OK && first)
    receive_files(listener, &rendezvous, receivers, file);
  if (error == CW_OK && line >= 0)
    *got = take_over(line);
  if (line >= 0)
    close(line);
  if (listener >= 0)
    close(listener);
  return error;
}
