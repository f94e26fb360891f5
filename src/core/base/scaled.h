/* Converts amounts to the unit in which a person reads them best. */
#pragma once

#include <stddef.h>

/* Divide or multiply *amount until it suits a unit, and return that unit: "B" to "EiB" for bytes,
 * "s" to "ns" for seconds. If the amount is printed with four digits, it is never rounded up to the
 * next unit. */
static inline const char *cwi_scaled_bytes(double *amount)
{
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  for (; *amount >= 1023.5 && unit < 6; unit++)
    *amount /= 1024;
  return units[unit];
}

static inline const char *cwi_scaled_seconds(double *amount)
{
  static const char *const units[] = {"s", "ms", "us", "ns"};
  size_t unit = 0;
  for (; *amount != 0 && *amount < 0.99995 && *amount > -0.99995 && unit < 3; unit++)
    *amount *= 1000;
  return units[unit];
}
