/* Random numbers: those of a sequence by their index, so that nobody needs those before. */
#ifndef CWI_NUMBER_RANDOM_H
#define CWI_NUMBER_RANDOM_H

#include <stdint.h>

/* SplitMix64 (G. Steele, D. Lea, C. Flood: Fast splittable pseudorandom number generators, 2014):
 * the number with this index of the sequence that the seed begins. */
static inline uint64_t cwi_random_bits(uint64_t seed, uint64_t index)
{
  uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
#endif
