/* The trees of the Unbalanced Tree Search: each node is 20 bytes, from which its children follow.
 *
 * After Olivier, Huan, Liu, Prins, Dinan, Sadayappan, Tseng, "UTS: An Unbalanced Tree Search
 * Benchmark" (LCPC 2006). */
#ifndef UTS_TREE_H
#define UTS_TREE_H

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
  enum uts_shape shape; /* of the geometric part */
  double b0;            /* children of the root */
  int d;                /* depth of the geometric part */
  double q;             /* of the binomial part: a node has m children or none */
  int m;
  int seed;
  int64_t nodes, depth, leaves; /* what a search finds */
};

/* What has been found; one for each thread. */
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

/* NULL: there is none of this name. The list ends with an entry without a name. */
const struct uts_tree *uts_tree(const char *name);
extern const struct uts_tree uts_trees[];

void uts_root(const struct uts_tree *tree, struct uts_node *root);
int uts_children(const struct uts_tree *tree, const struct uts_node *node);
/* From which depth on the children of a node depend no more on its depth; -1: from none on. */
int uts_levels(const struct uts_tree *tree);
void uts_child(const struct uts_node *node, int number, struct uts_node *child);

#endif
