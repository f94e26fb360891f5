/* How a program finds the proxy of its machine: an abstract Unix socket, on which a question and
 * its answer are one packet each (SOCK_SEQPACKET), the answer with a descriptor. Only processes of
 * the same user and the same network namespace reach it; nothing of it is in the file system, and
 * nothing stays behind. */
#ifndef VOCL_WIRE_SERVICE_SOCKET_H
#define VOCL_WIRE_SERVICE_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

enum { VOCL_SOCKET_VERSION = 3, VOCL_SOCKET_TEXT = 3072 };

enum vocl_socket_request_type {
  VOCL_SOCKET_DEVICES, /* the devices: the descriptor is of a sealed memory with the census */
  VOCL_SOCKET_OPEN,    /* a session with proxy `number`: the descriptor is the channel's memory, and
                        * the    session lives as long as this socket */
  VOCL_SOCKET_LIST,    /* who uses what: text */
  VOCL_SOCKET_MOVE,    /* what session `number` has on a device is to go to another one: text, as
                        * vocl_move_devices_read reads it; the answer, which may take long, has a
                        * sentence */
  VOCL_SOCKET_STOP     /* end the service */
};

struct vocl_socket_request {
  uint32_t version;
  uint32_t type;
  uint32_t number;
  uint32_t process; /* id of the program, for lists */
  char text[256];   /* name of the program, or what to move */
};

struct vocl_socket_reply {
  uint32_t version;
  int32_t code;                /* 0, or a value of errno */
  uint64_t bytes;              /* of the memory that the descriptor is of, or that was moved */
  uint64_t nanoseconds;        /* that the move took */
  uint32_t number;             /* of the session; with a census, of the proxy that answers */
  char text[VOCL_SOCKET_TEXT]; /* a sentence, if it was refused, or a device was moved */
};

/* service: its name (setting CW_VOCL_SERVICE). Returns the socket, or -1 with errno. */
int vocl_socket_listen(const char *service);
int vocl_socket_connect(const char *service);

/* A client; -1: none now, or one of another user, who was sent away. */
int vocl_socket_accept(int listening);

/* Waits for the answer, 10 s at most. False: none came, with errno. *descriptor: -1, if none came
 * with it. */
bool vocl_socket_query(int socket, const struct vocl_socket_request *query,
                       struct vocl_socket_reply *answer, int *descriptor);
/* False: nothing now, or nothing that can be: look whether the client has left. Never waits. */
bool vocl_socket_receive(int socket, struct vocl_socket_request *query);
/* descriptor -1: none. It stays the caller's. */
bool vocl_socket_reply(int socket, const struct vocl_socket_reply *answer, int descriptor);

/* Has the other end closed its socket, or died? */
bool vocl_socket_is_closed(int socket);

/* Memory for a channel, or of a census that nobody can change any more. -1: none, with errno. */
int vocl_shared_memory_make(const char *name, uint64_t bytes);
int vocl_shared_memory_make_sealed(const char *name, const void *bytes, uint64_t size);
/* What a descriptor that came is of; NULL: it cannot be mapped, has not that size, or the other end
 * could make it smaller while it is read. Ends with munmap. */
void *vocl_shared_memory_map(int descriptor, uint64_t bytes, bool writable);
#endif
