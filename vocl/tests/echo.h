/* Messages of echo_client to echo_service through a channel, perhaps with data. */
#ifndef TESTS_VOCL_ECHO_H
#define TESTS_VOCL_ECHO_H

#include "wire/channel.h"

/* The answer is the same message with data of the same length, each byte of which is turned. */
struct echo {
  uint32_t bytes; /* the channel writes it */
  uint32_t ends;  /* the service ends without an answer */
  uint64_t number;
  uint64_t position, length; /* of data; the length is 0 if there is none */
};

enum { ECHO_TURN = 0x5a };

#endif
