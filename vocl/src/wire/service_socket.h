/* The way in which a program finds the proxy of its machine: an abstract Unix socket. A request and
 * its reply are one packet each (SOCK_SEQPACKET); a reply may carry a descriptor. Only processes of
 * the same user in the same network namespace can use the socket. It has no file that could be left
 * behind. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { VOCL_SOCKET_VERSION = 3, VOCL_SOCKET_TEXT = 3072 };

enum vocl_socket_request_type {
  VOCL_SOCKET_DEVICES, /* the device list, as the descriptor of sealed memory */
  VOCL_SOCKET_OPEN,    /* a session with proxy `number`; the descriptor is the channel's memory, and
                          the session lives as long as this socket */
  VOCL_SOCKET_LIST,    /* the list of proxies and sessions, as text */
  VOCL_SOCKET_MOVE,    /* move what session `number` has on a device; `text` is as for
                          vocl_move_devices_read; the reply may take long and has a message */
  VOCL_SOCKET_STOP     /* end the service */
};

struct vocl_socket_request {
  uint32_t version;
  uint32_t type;
  uint32_t number;
  uint32_t process; /* process id of the program, for lists */
  char text[256];   /* name of the program, or what to move */
};

struct vocl_socket_reply {
  uint32_t version;
  int32_t code;   /* 0, or a value of errno */
  uint64_t bytes; /* size of the memory that the descriptor refers to, or number of bytes moved */
  uint64_t nanoseconds; /* duration of the move */
  uint32_t number;      /* number of the session; for a device list, the proxy that replies */
  char text[VOCL_SOCKET_TEXT]; /* an error message, or the message of a move */
};

/* Listens at, or connects to, the socket of the service with this name (setting
 * CW_VOCL_SERVICE). Returns the socket, or -1 with errno. */
int vocl_socket_listen(const char *service);
int vocl_socket_connect(const char *service);

/* Accepts a client and returns its socket. Returns -1 if no client is waiting, or if the client
 * belonged to another user and was disconnected. */
int vocl_socket_accept(int listening);

/* Sends a request and waits for the reply, for at most 10 s unless the caller has changed the
 * socket's timeout. Returns false with errno on failure. *descriptor is -1 if none came with the
 * reply. */
bool vocl_socket_query(int socket, const struct vocl_socket_request *query,
                       struct vocl_socket_reply *answer, int *descriptor);
/* Receives a request without waiting. Returns false with errno: EAGAIN if there is none now;
 * otherwise the client has left or has sent a malformed request. */
bool vocl_socket_receive(int socket, struct vocl_socket_request *query);
/* Sends a reply, with a descriptor unless that is -1. The caller keeps the descriptor. */
bool vocl_socket_reply(int socket, const struct vocl_socket_reply *answer, int descriptor);

/* Returns true if the other end has closed its socket or died. */
bool vocl_socket_is_closed(int socket);

/* Make shared memory: for a channel, or sealed with fixed contents. Return a descriptor, or -1
 * with errno. */
int vocl_shared_memory_make(const char *name, uint64_t bytes);
int vocl_shared_memory_make_sealed(const char *name, const void *bytes, uint64_t size);
/* Maps the memory of a received descriptor. Returns NULL if that fails, if the memory has another
 * size, or if the other end could shrink it while it is read. Unmap it with munmap. */
void *vocl_shared_memory_map(int descriptor, uint64_t bytes, bool writable);
