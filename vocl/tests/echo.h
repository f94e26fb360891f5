/* The message that echo_client and echo_service exchange, with or without data. */
#pragma once

#include "wire/channel.h"

/* The reply is the same message with data of the same length, each byte of which is changed by an
 * exclusive or with ECHO_XOR. */
struct echo {
  uint32_t bytes; /* the channel writes it */
  uint32_t ends;  /* the service ends without a reply */
  uint64_t number;
  uint64_t position, length; /* of the data; length 0 if there is none */
};

enum { ECHO_XOR = 0x5a };
