/* The trees of the Unbalanced Tree Search: computes the children of a node from its 20 bytes. SHA-1
 * is computed by libcrypto's old interface, which does not look up the algorithm for each node. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "tree.h"

#include <math.h>
#include <openssl/sha.h>
#include <string.h>

const struct uts_tree uts_trees[] = {
    {"T1", UTS_GEOMETRIC, UTS_FIXED, 4, 10, 0, 0, 19, 4130071, 10, 3305118},
    {"T2", UTS_GEOMETRIC, UTS_CYCLIC, 6, 16, 0, 0, 502, 4117769, 81, 2342762},
    {"T3", UTS_BINOMIAL, UTS_FIXED, 2000, 0, 0.124875, 8, 42, 4112897, 1572, 3599034},
    {"T4", UTS_HYBRID, UTS_LINEAR, 6, 16, 0.234375, 4, 1, 4132453, 134, 3108986},
    {"T5", UTS_GEOMETRIC, UTS_LINEAR, 4, 20, 0, 0, 34, 4147582, 20, 2181318},
    {"T1L", UTS_GEOMETRIC, UTS_FIXED, 4, 13, 0, 0, 29, 102181082, 13, 81746377},
    {"T3L", UTS_BINOMIAL, UTS_FIXED, 2000, 0, 0.200014, 5, 7, 111345631, 17844, 89076904},
    {0}};

const struct uts_tree *uts_tree(const char *name)
{
  for (const struct uts_tree *tree = uts_trees; tree->name != NULL; tree++)
    if (strcmp(tree->name, name) == 0)
      return tree;
  return NULL;
}

static void store(unsigned char *to, uint32_t number)
{
  for (int i = 0; i < 4; i++)
    to[i] = (unsigned char)(number >> (24 - 8 * i));
}

static void hash(const unsigned char *from, size_t bytes, unsigned char *to)
{
  SHA_CTX context;
  SHA1_Init(&context);
  SHA1_Update(&context, from, bytes);
  SHA1_Final(to, &context);
}

void uts_root(const struct uts_tree *tree, struct uts_node *root)
{
  unsigned char begin[UTS_STATE] = {0};
  store(begin + 16, (uint32_t)tree->seed);
  hash(begin, sizeof begin, root->state);
  root->depth = 0;
}

void uts_child(const struct uts_node *node, int number, struct uts_node *child)
{
  unsigned char both[UTS_STATE + 4];
  memcpy(both, node->state, UTS_STATE);
  store(both + UTS_STATE, (uint32_t)number);
  hash(both, sizeof both, child->state);
  child->depth = node->depth + 1;
}

/* Returns a number u from the last word of the state, with 0 <= u < 1. */
static double uniform(const struct uts_node *node)
{
  const unsigned char *last = node->state + 16;
  const uint32_t word =
      (uint32_t)last[0] << 24 | (uint32_t)last[1] << 16 | (uint32_t)last[2] << 8 | last[3];
  return (word & 0x7fffffffu) / 2147483648.0;
}

/* Returns the mean number of children of a node at this depth. */
static double expected(const struct uts_tree *tree, int depth)
{
  static const double full_turn = 6.283185307179586;
  if (depth == 0)
    return tree->b0;
  switch (tree->shape) {
  case UTS_LINEAR:
    return tree->b0 * (1 - (double)depth / tree->d);
  case UTS_EXPONENTIAL:
    return tree->b0 * pow(depth, -log(tree->b0) / log(tree->d));
  case UTS_CYCLIC:
    return depth > 5 * tree->d ? 0 : pow(tree->b0, sin(full_turn * depth / tree->d));
  default:
    return depth < tree->d ? tree->b0 : 0;
  }
}

static int geometric(const struct uts_tree *tree, const struct uts_node *node)
{
  const double b = expected(tree, node->depth);
  if (b <= 0)
    return 0;
  const double p = 1 / (1 + b);
  const double children = floor(log(1 - uniform(node)) / log(1 - p));
  return children < UTS_MOST_CHILDREN ? (int)children : UTS_MOST_CHILDREN;
}

static int binomial(const struct uts_tree *tree, const struct uts_node *node)
{
  if (node->depth == 0)
    return (int)tree->b0;
  return uniform(node) < tree->q ? tree->m : 0;
}

int uts_children(const struct uts_tree *tree, const struct uts_node *node)
{
  if (tree->kind == UTS_BINOMIAL || (tree->kind == UTS_HYBRID && 2 * node->depth >= tree->d))
    return binomial(tree, node);
  return geometric(tree, node);
}

int uts_levels(const struct uts_tree *tree)
{
  switch (tree->kind) {
  case UTS_BINOMIAL:
    return 1;
  case UTS_HYBRID:
    return (tree->d + 1) / 2;
  default:
    return tree->shape == UTS_EXPONENTIAL ? -1
           : tree->shape == UTS_CYCLIC    ? 5 * tree->d + 1
                                          : tree->d;
  }
}
