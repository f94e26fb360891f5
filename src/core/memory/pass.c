/* Between PID namespaces /proc/PID/fd leads nowhere. Processes that share a network namespace meet
 * at a socket without a name in the file system, and files go through that. */
#include "memory/pass.h"

#include "mpi/call.h"
#include "mpi/yield.h"
#include "team/world.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* A process that died meanwhile must not keep the others here for ever. */
enum { PATIENCE_SECONDS = 10 };

/* A process that knows the secret is of this job: MPI told it. */
struct meeting {
  int open;
  unsigned long long name;
  unsigned char secret[16];
};

static socklen_t address_of(const struct meeting *meeting, struct sockaddr_un *address)
{
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  const int length = snprintf(address->sun_path + 1, sizeof address->sun_path - 1,
                              "causeway-%016llx", meeting->name);
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

static int new_socket(void)
{
  const struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
  const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made >= 0)
    (void)setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  return made;
}

static int open_meeting(struct meeting *meeting)
{
  struct sockaddr_un address;
  if (getrandom(&meeting->name, sizeof meeting->name, 0) != sizeof meeting->name ||
      getrandom(meeting->secret, sizeof meeting->secret, 0) != sizeof meeting->secret)
    return -1;
  const int listener = new_socket();
  const socklen_t length = address_of(meeting, &address);
  meeting->open = listener >= 0 && bind(listener, (struct sockaddr *)&address, length) == 0 &&
                  listen(listener, cwi_world.node_ranks) == 0;
  return listener;
}

/* Connected, and the secret told; -1: not possible. Nobody has to accept for that. */
static int come(const struct meeting *meeting)
{
  struct sockaddr_un address;
  const int line = new_socket();
  const socklen_t length = address_of(meeting, &address);
  if (line >= 0 && connect(line, (struct sockaddr *)&address, length) == 0 &&
      send(line, meeting->secret, sizeof meeting->secret, MSG_NOSIGNAL) == sizeof meeting->secret)
    return line;
  if (line >= 0)
    close(line);
  return -1;
}

/* A message of one byte, with room for the number of an open file beside it. */
struct parcel {
  struct msghdr message;
  struct iovec bytes;
  char byte;
  union {
    char room[CMSG_SPACE(sizeof(int))];
    struct cmsghdr aligned;
  };
};

static void wrap(struct parcel *parcel)
{
  *parcel = (struct parcel){.byte = 'f'};
  parcel->bytes = (struct iovec){.iov_base = &parcel->byte, .iov_len = 1};
  parcel->message = (struct msghdr){.msg_iov = &parcel->bytes,
                                    .msg_iovlen = 1,
                                    .msg_control = parcel->room,
                                    .msg_controllen = sizeof parcel->room};
}

static void hand_over(int line, int file)
{
  struct parcel parcel;
  wrap(&parcel);
  struct cmsghdr *header = CMSG_FIRSTHDR(&parcel.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof file);
  memcpy(CMSG_DATA(header), &file, sizeof file);
  /* A process that gets nothing finds out when the line ends. */
  (void)!sendmsg(line, &parcel.message, MSG_NOSIGNAL);
}

static int take_over(int line)
{
  struct parcel parcel;
  int file = -1;
  wrap(&parcel);
  if (recvmsg(line, &parcel.message, MSG_CMSG_CLOEXEC) != 1)
    return -1;
  const struct cmsghdr *header = CMSG_FIRSTHDR(&parcel.message);
  if (header != NULL && header->cmsg_type == SCM_RIGHTS)
    memcpy(&file, CMSG_DATA(header), sizeof file);
  return file;
}

/* Serve so many guests. Strangers do not know the secret and are not counted. */
static void receive_guests(int listener, const struct meeting *meeting, int guests, int file)
{
  unsigned char said[sizeof meeting->secret];
  while (guests > 0) {
    struct pollfd coming = {.fd = listener, .events = POLLIN};
    if (poll(&coming, 1, PATIENCE_SECONDS * 1000) != 1)
      return;
    const int line = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (line < 0)
      return;
    const struct timeval patience = {.tv_sec = 1};
    (void)setsockopt(line, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (recv(line, said, sizeof said, MSG_WAITALL) == sizeof said &&
        memcmp(said, meeting->secret, sizeof said) == 0) {
      hand_over(line, file);
      guests--;
    }
    close(line);
  }
}

cw_error cwi_pass_file(int file, bool wanted, int *got)
{
  struct meeting meeting = {0};
  const bool first = cwi_world.node_rank == 0;
  const int listener = first ? open_meeting(&meeting) : -1;
  *got = -1;
  cw_error error = cwi_mpi_bcast(&meeting, sizeof meeting, MPI_BYTE, 0, cwi_world.node_comm);
  const int line = error == CW_OK && !first && wanted && meeting.open ? come(&meeting) : -1;
  int guests = line >= 0;
  if (error == CW_OK)
    error = cwi_mpi_allreduce(&guests, 1, MPI_INT, MPI_SUM, cwi_world.node_comm);
  if (error == CW_OK && first)
    receive_guests(listener, &meeting, guests, file);
  if (error == CW_OK && line >= 0)
    *got = take_over(line);
  if (line >= 0)
    close(line);
  if (listener >= 0)
    close(listener);
  return error;
}
