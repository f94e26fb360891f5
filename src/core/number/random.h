/* Random numbers of a sequence, by their index or one after the other. A number by index is
 * computed without the previous ones. */
#pragma once

#include <stdint.h>

/* Returns number `index` of the sequence that begins with `seed`. SplitMix64 (G. Steele, D. Lea, C.
 * Flood: Fast splittable pseudorandom number generators, 2014). */
static inline uint64_t cwi_random_bits(uint64_t seed, uint64_t index)
{
  uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Returns the next number of the sequence that began with the first value of *state. */
static inline uint64_t cwi_random_next(uint64_t *state)
{
  const uint64_t bits = cwi_random_bits(*state, 0);
  *state += 0x9e3779b97f4a7c15u;
  return bits;
}
