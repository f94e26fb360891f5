/* Nodes of a tree out of their parents, many at a time, in words that OpenCL C and C share. expand.c includes this
 * text and says first what the words in capitals are there; expand.ptx is what clang makes of it for CUDA (scripts/ptx.sh).
 *
 * Words are numbers: where the search counts bytes, these are the big-endian ones. No item computes with fractions, so
 * all devices find the same tree. */

#ifndef WORDS
typedef uint u32;
typedef ulong u64;
#define MEMORY global
#ifdef __NVPTX__
#define ITEM ((u64)__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x())
#define ITEMS ((u64)__nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_ntid_x())
#else
#define ITEM get_global_id(0)
#define ITEMS get_global_size(0)
#endif
#endif

/* See expand.h. */
enum { STATE = 5, SEED = 7, MADE = 6, STEPS = 100, ROW = 2 + STEPS };

#define TURNED(x, n) ((x) << (n) | (x) >> (32 - (n)))

static u32 sha_mix(int round, u32 b, u32 c, u32 d)
{
  if (round < 20)
    return ((b & c) | (~b & d)) + 0x5a827999u;
  if (round < 40)
    return (b ^ c ^ d) + 0x6ed9eba1u;
  if (round < 60)
    return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcu;
  return (b ^ c ^ d) + 0xca62c1d6u;
}

/* SHA-1 of a parent's 20 bytes and a child's number: one block of 16 words, which is lost. */
static void sha_block(u32 *block, u32 *state)
{
  u32 a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u, e = 0xc3d2e1f0u;
  for (int round = 0; round < 80; round++) {
    const int at = round & 15;
    if (round >= 16) {
      const u32 word = block[(at + 13) & 15] ^ block[(at + 8) & 15] ^ block[(at + 2) & 15] ^ block[at];
      block[at] = TURNED(word, 1);
    }
    const u32 next = TURNED(a, 5) + sha_mix(round, b, c, d) + e + block[at];
    e = d;
    d = c;
    c = TURNED(b, 30);
    b = a;
    a = next;
  }
  state[0] = a + 0x67452301u;
  state[1] = b + 0xefcdab89u;
  state[2] = c + 0x98badcfeu;
  state[3] = d + 0x10325476u;
  state[4] = e + 0xc3d2e1f0u;
}

/* row: of the node's depth. */
static u32 children_of(MEMORY const u32 *row, u32 drawn)
{
  int least = 0, most = STEPS;
  if (drawn < row[0])
    return row[1];
  while (least < most) {
    const int middle = (least + most) / 2;
    if (drawn >= row[2 + middle])
      least = middle + 1;
    else
      most = middle;
  }
  return (u32)least;
}

kernel void uts_expand(MEMORY const u32 *seeds, MEMORY u32 *made, MEMORY const u32 *table, u32 count, u32 last)
{
  for (u64 i = ITEM; i < count; i += ITEMS) {
    MEMORY const u32 *seed = seeds + SEED * i;
    const u32 depth = seed[STATE];
    u32 block[16] = {seed[0], seed[1], seed[2], seed[3], seed[4], seed[6], 0x80000000u}, state[STATE];
    block[15] = 8 * 4 * (STATE + 1); /* bits */
    sha_block(block, state);
    for (int word = 0; word < STATE; word++)
      made[MADE * i + word] = state[word];
    made[MADE * i + STATE] = children_of(table + ROW * (depth < last ? depth : last), state[4] & 0x7fffffffu);
  }
}
