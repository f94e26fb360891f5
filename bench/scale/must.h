/* Ends a simulated program when a call or a condition has failed. */
#pragma once

#include <causeway.h>

#include <stdbool.h>

static inline void must(cw_error error)
{
  if (error != CW_OK)
    cw_abort(cw_error_message(), 1);
}

static inline void must_be(bool condition, const char *what)
{
  if (!condition)
    cw_abort(what, 1);
}
