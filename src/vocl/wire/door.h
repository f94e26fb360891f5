/* How a program finds the proxy of its machine: an abstract Unix socket, on which a question and
 * its answer are one packet each (SOCK_SEQPACKET), the answer with a descriptor. Only processes of
 * the same user and the same network namespace reach it; nothing of it is in the file system, and
 * nothing stays behind. */
#ifndef CWI_WIRE_DOOR_H
#define CWI_WIRE_DOOR_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CWI_DOOR_VERSION = 3, CWI_DOOR_TEXT = 3072 };

enum cwi_door_wish {
  CWI_DOOR_CENSUS, /* the devices: the descriptor is of a sealed memory with the census */
  CWI_DOOR_OPEN,   /* a session with proxy `number`: the descriptor is the channel's memory, and the
                    * session lives as long as this socket */
  CWI_DOOR_LIST,   /* who uses what: text */
  CWI_DOOR_MOVE,   /* what session `number` has on a device is to go to another one: text, as
                    * cwi_move_read reads it; the answer, which may take long, has a sentence */
  CWI_DOOR_STOP    /* end the service */
};

struct cwi_door_question {
  uint32_t version;
  uint32_t wish;
  uint32_t number;
  uint32_t process; /* id of the program, for lists */
  char text[256];   /* name of the program, or what to move */
};

struct cwi_door_answer {
  uint32_t version;
  int32_t code;             /* 0, or a value of errno */
  uint64_t bytes;           /* of the memory that the descriptor is of, or that was moved */
  uint64_t nanoseconds;     /* that the move took */
  uint32_t number;          /* of the session; with a census, of the proxy that answers */
  char text[CWI_DOOR_TEXT]; /* a sentence, if it was refused, or a device was moved */
};

/* service: its name (setting CW_VOCL_SERVICE). Returns the socket, or -1 with errno. */
int cwi_door_listen(const char *service);
int cwi_door_knock(const char *service);

/* A visitor; -1: none now, or one of another user, who was sent away. */
int cwi_door_let_in(int listening);

/* Waits for the answer, 10 s at most. False: none came, with errno. *descriptor: -1, if none came
 * with it. */
bool cwi_door_ask(int socket, const struct cwi_door_question *question,
                  struct cwi_door_answer *answer, int *descriptor);
/* False: nothing now, or nothing that can be: look whether the visitor has left. Never waits. */
bool cwi_door_hear(int socket, struct cwi_door_question *question);
/* descriptor -1: none. It stays the caller's. */
bool cwi_door_answer(int socket, const struct cwi_door_answer *answer, int descriptor);

/* Has the other end closed its socket, or died? */
bool cwi_door_is_left(int socket);

/* Memory for a channel, or of a census that nobody can change any more. -1: none, with errno. */
int cwi_door_memory(const char *name, uint64_t bytes);
int cwi_door_sealed(const char *name, const void *bytes, uint64_t size);
/* What a descriptor that came is of; NULL: it cannot be mapped, has not that size, or the other end
 * could make it smaller while it is read. Ends with munmap. */
void *cwi_door_map(int descriptor, uint64_t bytes, bool writable);

#ifdef __cplusplus
}
#endif
#endif
