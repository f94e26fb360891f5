#include "mutate.h"

#include "executor/executor.h"

#include <stdbool.h>

enum { OBJECTS = 12 };

void mutate(struct vocl_msg_header *msg, size_t bytes, uint32_t object, int (*draw)(int count))
{
  uint32_t *words = (uint32_t *)(void *)msg;
  const bool is_launch = msg->what == VOCL_MSG_COMMAND &&
                         ((struct vocl_msg_command *)(void *)msg)->sort == VOCL_COMMAND_LAUNCH;
  const size_t most = (is_launch ? sizeof(struct vocl_msg_command) : bytes) / 4;
  uint32_t *word = &words[1 + draw((int)most - 1)];
  switch (draw(5)) {
  case 0:
    *word = (uint32_t)draw(20);
    break;
  case 1:
    *word ^= 1u << draw(32);
    break;
  case 2:
    *word = object + (uint32_t)draw(OBJECTS);
    break;
  case 3:
    *word = (uint32_t)-1 - (uint32_t)draw(3);
    break;
  default:
    *word = words[draw((int)most)];
  }
}
