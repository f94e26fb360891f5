/* The trees of the Unbalanced Tree Search. A node is 20 bytes, which determine its children.
 *
 * After Olivier, Huan, Liu, Prins, Dinan, Sadayappan, Tseng, "UTS: An Unbalanced Tree Search
 * Benchmark" (LCPC 2006). */
#pragma once

#include <stdint.h>

enum { UTS_STATE = 20, UTS_MOST_CHILDREN = 100 };

struct uts_node {
  unsigned char state[UTS_STATE];
  int32_t depth;
};

enum uts_kind { UTS_BINOMIAL, UTS_GEOMETRIC, UTS_HYBRID };
enum uts_shape { UTS_FIXED, UTS_LINEAR, UTS_EXPONENTIAL, UTS_CYCLIC };

struct uts_tree {
  const char *name;
  enum uts_kind kind;
  enum uts_shape shape; /* shape of the geometric part */
  double b0;            /* mean number of children of the root */
  int d;                /* depth of the geometric part */
  double q; /* probability in the binomial part that a node has m children; else it has none */
  int m;
  int seed;
  int64_t nodes, depth, leaves; /* the published result of a search */
};

/* Nodes that one thread has found, padded to a cache line. */
struct uts_found {
  int64_t nodes, leaves, depth;
  char padding[40];
};

static inline void uts_count(struct uts_found *found, int depth, int children)
{
  found->nodes++;
  found->leaves += children == 0;
  found->depth = depth > found->depth ? depth : found->depth;
}

/* Returns the tree called `name`, or NULL if there is none. The list uts_trees ends with an entry
 * without a name. */
const struct uts_tree *uts_tree(const char *name);
extern const struct uts_tree uts_trees[];

void uts_root(const struct uts_tree *tree, struct uts_node *root);
int uts_children(const struct uts_tree *tree, const struct uts_node *node);
/* Returns the least depth from which the number of children no longer depends on the depth, or -1
 * if it always does. */
int uts_levels(const struct uts_tree *tree);
void uts_child(const struct uts_node *node, int number, struct uts_node *child);
