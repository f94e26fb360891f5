/* Both ends of the socket by which a program finds the proxy of its machine, and the shared memory
 * whose descriptors are sent over it. Each end disconnects peers of other users. */
#include "wire/service_socket.h"

#include "base/file_write.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { TIMEOUT_SECONDS = 10 };

/* Computes the abstract address, which begins with a null byte, so there is no file. Returns its
 * length, or 0 if the service's name is too long. */
static socklen_t socket_address(const char *service, struct sockaddr_un *address)
{
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  const size_t space = sizeof address->sun_path - 1;
  const int length =
      snprintf(address->sun_path + 1, space, "causeway-vocl-%u-%s", (unsigned)geteuid(), service);
  if (length < 0 || (size_t)length >= space) {
    errno = ENAMETOOLONG;
    return 0;
  }
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

/* Closes the descriptor, preserves errno and returns -1. */
static int socket_give_up(int descriptor)
{
  const int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

static bool is_of_same_user(int socket)
{
  struct ucred peer = {0};
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return false;
  errno = EACCES;
  return peer.uid == geteuid();
}

int vocl_socket_listen(const char *service)
{
  struct sockaddr_un address;
  const socklen_t length = socket_address(service, &address);
  if (length == 0)
    return -1;
  const int listening = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listening < 0)
    return -1;
  if (bind(listening, (const struct sockaddr *)&address, length) != 0 ||
      listen(listening, SOMAXCONN) != 0)
    return socket_give_up(listening);
  return listening;
}

int vocl_socket_connect(const char *service)
{
  struct sockaddr_un address;
  const struct timeval timeout = {.tv_sec = TIMEOUT_SECONDS};
  const socklen_t length = socket_address(service, &address);
  if (length == 0)
    return -1;
  const int connecting = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (connecting < 0)
    return -1;
  if (setsockopt(connecting, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout) != 0 ||
      setsockopt(connecting, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout) != 0 ||
      connect(connecting, (const struct sockaddr *)&address, length) != 0 ||
      !is_of_same_user(connecting))
    return socket_give_up(connecting);
  return connecting;
}

int vocl_socket_accept(int listening)
{
  const int client = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (client >= 0 && !is_of_same_user(client))
    return socket_give_up(client);
  return client;
}

/* Sends one packet, with a descriptor unless that is -1. */
static bool socket_send(int socket, const void *packet, size_t bytes, int descriptor)
{
  struct iovec part = {(void *)(uintptr_t)packet, bytes};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
  } control = {.space = {0}};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (descriptor >= 0) {
    message.msg_control = &control;
    message.msg_controllen = sizeof control.space;
    control.header = (struct cmsghdr){
        .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(&control.header), &descriptor, sizeof descriptor);
  }
  ssize_t sent = 0;
  do
    sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == (ssize_t)bytes;
}

/* Receives one packet of exactly `bytes` bytes, and the descriptor that comes with it. The buffer
 * has no space for a second descriptor, which would leak. */
static bool socket_receive(int socket, void *packet, size_t bytes, int *descriptor)
{
  struct iovec part = {packet, bytes};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
  } control = {.space = {0}};
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = &control,
                           .msg_controllen = CMSG_LEN(sizeof(int))};
  ssize_t got = 0;
  do
    got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  *descriptor = -1;
  const struct cmsghdr *header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
  if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
    memcpy(descriptor, CMSG_DATA(header), sizeof *descriptor);
  if (got == (ssize_t)bytes && (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0)
    return true;
  if (got >= 0)
    errno = got == 0 ? ECONNRESET : EPROTO;
  if (*descriptor >= 0)
    *descriptor = socket_give_up(*descriptor);
  return false;
}

bool vocl_socket_query(int socket, const struct vocl_socket_request *query,
                       struct vocl_socket_reply *answer, int *descriptor)
{
  *descriptor = -1;
  if (!socket_send(socket, query, sizeof *query, -1) ||
      !socket_receive(socket, answer, sizeof *answer, descriptor))
    return false;
  answer->text[sizeof answer->text - 1] = '\0';
  if (answer->version == VOCL_SOCKET_VERSION)
    return true;
  if (*descriptor >= 0)
    close(*descriptor);
  *descriptor = -1;
  errno = EPROTO;
  return false;
}

bool vocl_socket_receive(int socket, struct vocl_socket_request *query)
{
  int descriptor = -1;
  if (!socket_receive(socket, query, sizeof *query, &descriptor))
    return false;
  if (descriptor >= 0)
    close(descriptor);
  query->text[sizeof query->text - 1] = '\0';
  errno = EPROTO;
  return query->version == VOCL_SOCKET_VERSION;
}

bool vocl_socket_reply(int socket, const struct vocl_socket_reply *answer, int descriptor)
{
  return socket_send(socket, answer, sizeof *answer, descriptor);
}

bool vocl_socket_is_closed(int socket)
{
  struct pollfd poller = {.fd = socket, .events = POLLRDHUP};
  return poll(&poller, 1, 0) > 0 &&
         (poller.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0;
}

/* Makes shared memory that cannot shrink: an access beyond its end would kill the reader. */
int vocl_shared_memory_make(const char *name, uint64_t bytes)
{
  const int memory = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0)
    return -1;
  if ((errno = cwi_file_resize(memory, (int64_t)bytes)) != 0 ||
      fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
    return socket_give_up(memory);
  return memory;
}

int vocl_shared_memory_make_sealed(const char *name, const void *bytes, uint64_t size)
{
  const int memory = vocl_shared_memory_make(name, size);
  if (memory < 0)
    return -1;
  if ((errno = cwi_write_at(memory, bytes, size, 0)) != 0 ||
      fcntl(memory, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SEAL) != 0)
    return socket_give_up(memory);
  return memory;
}

void *vocl_shared_memory_map(int descriptor, uint64_t bytes, bool writable)
{
  struct stat facts;
  const int seals = fcntl(descriptor, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(descriptor, &facts) != 0 ||
      (uint64_t)facts.st_size != bytes || bytes == 0)
    return NULL;
  void *memory = writable ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
                          : mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
  return memory == MAP_FAILED ? NULL : memory;
}
