#include "transfer/plan.h"

#include "kit/kit.h"

#include <stdint.h>
#include <string.h>

enum { BLOCKS = 48 };

static size_t draw(size_t least, size_t most)
{
  return least + (size_t)kit_own((int)(most - least) + 1);
}

static void shuffle(int *order, int count)
{
  for (int i = 0; i < count; i++)
    order[i] = i;
  for (int i = count - 1; i > 0; i--) {
    const int other = kit_own(i + 1), mine = order[i];
    order[i] = order[other];
    order[other] = mine;
  }
}

static size_t blocks(const struct plan *plan)
{
  size_t product = 1;
  for (int level = 0; level < plan->levels; level++)
    product *= plan->counts[level];
  return product;
}

static void draw_counts(struct plan *plan)
{
  static const size_t usual[] = {1, 1, 2, 2, 3, 4, 5};
  for (int level = 0; level < plan->levels; level++)
    plan->counts[level] = 1;
  for (int level = 0; level < plan->levels; level++) {
    plan->counts[level] = usual[kit_own(7)];
    if (blocks(plan) > BLOCKS)
      plan->counts[level] = 1;
  }
  if (plan->levels > 0 && kit_own(12) == 0)
    plan->counts[kit_own(plan->levels)] = 0;
}

/* Returns the distance of the blocks of a level, if the levels inside it span `span` bytes. */
static size_t draw_stride(size_t span, size_t element, bool disjoint)
{
  switch (kit_own(disjoint ? 2 : 4)) {
  case 0:
    return span;
  case 1:
    return span + draw(1, 5) * element;
  case 2:
    return 0;
  default:
    return draw(0, span / element + 1) * element;
  }
}

/* Strides of one side. Levels nest in a random order, so that transposed layouts occur. Returns the
 * bytes spanned; base: offset of the first block from the lowest byte. */
static size_t draw_side(const struct plan *plan, size_t element, bool disjoint, ptrdiff_t *strides,
                        size_t *base)
{
  int order[CW_MAX_LEVELS];
  size_t span = plan->run;
  *base = 0;
  shuffle(order, plan->levels);
  for (int i = 0; i < plan->levels; i++) {
    const int level = order[i];
    const size_t stride = draw_stride(span, element, disjoint);
    const size_t count = plan->counts[level];
    const bool negative = kit_own(3) == 0;
    strides[level] = negative ? -(ptrdiff_t)stride : (ptrdiff_t)stride;
    if (count < 2) { /* the stride of one block, or of none, means nothing */
      strides[level] = kit_own(2) == 0 ? strides[level] : PTRDIFF_MAX;
      continue;
    }
    span += stride * (count - 1);
    *base += negative ? stride * (count - 1) : 0;
  }
  return span;
}

/* Places a side in its memory. Returns false if it does not fit. */
static bool fit_side(const struct plan *plan, size_t element, bool disjoint, size_t space,
                     ptrdiff_t *strides, size_t *base)
{
  const size_t span = draw_side(plan, element, disjoint, strides, base);
  if (span > space)
    return false;
  *base += draw(0, (space - span) / element) * element;
  return true;
}

static void shrink(struct plan *plan, size_t element)
{
  int largest = 0;
  for (int level = 1; level < plan->levels; level++)
    if (plan->counts[level] > plan->counts[largest])
      largest = level;
  if (plan->levels > 0 && plan->counts[largest] > 1)
    plan->counts[largest]--;
  else
    plan->run = plan->run / 2 / element * element;
}

static void list_strided(struct plan *plan)
{
  size_t index[CW_MAX_LEVELS] = {0};
  plan->segment_count = plan->run > 0 ? blocks(plan) : 0;
  for (size_t i = 0; i < plan->segment_count; i++) {
    struct plan_segment *segment = &plan->segments[i];
    *segment = (struct plan_segment){plan->local_base, plan->remote_base, plan->run};
    for (int level = 0; level < plan->levels; level++) {
      segment->local += (size_t)plan->local_strides[level] * index[level];
      segment->remote += (size_t)plan->remote_strides[level] * index[level];
    }
    for (int level = 0; level < plan->levels && ++index[level] == plan->counts[level]; level++)
      index[level] = 0;
  }
}

static void make_strided(struct plan *plan, const struct plan_terms *terms)
{
  const size_t most =
      terms->remote_space < terms->local_space ? terms->remote_space : terms->local_space;
  const bool contiguous = terms->shape == 0;
  plan->levels = terms->shape;
  draw_counts(plan);
  plan->run = terms->element * (contiguous && kit_own(3) == 0 ? draw(0, most / terms->element)
                                                              : draw(kit_own(20) != 0, 8));
  while (!fit_side(plan, terms->element, terms->remote_disjoint, terms->remote_space,
                   plan->remote_strides, &plan->remote_base) ||
         !fit_side(plan, terms->element, terms->local_disjoint, terms->local_space,
                   plan->local_strides, &plan->local_base))
    shrink(plan, terms->element);
  list_strided(plan);
}

/* Draws the places of a vector's segments: anywhere, or disjoint in a random order. */
static bool place_segments(struct plan *plan, size_t element, bool disjoint, size_t space,
                           bool remote)
{
  int order[PLAN_SEGMENTS];
  size_t next = 0;
  shuffle(order, (int)plan->segment_count);
  for (size_t i = 0; i < plan->segment_count; i++) {
    struct plan_segment *segment = &plan->segments[order[i]];
    size_t at = next + draw(0, 3) * element;
    if (!disjoint && segment->bytes <= space)
      at = draw(0, (space - segment->bytes) / element) * element;
    if (at + segment->bytes > space)
      return false;
    next = at + segment->bytes;
    *(remote ? &segment->remote : &segment->local) = at;
  }
  return true;
}

static void make_vectors(struct plan *plan, const struct plan_terms *terms)
{
  size_t most = 6;
  do {
    plan->lists = draw(0, PLAN_LISTS);
    plan->segment_count = 0;
    for (size_t list = 0; list < plan->lists; list++) {
      cw_vector *vector = &plan->vectors[list];
      vector->count = draw(0, PLAN_LIST_SEGMENTS);
      vector->bytes = draw(0, most) * terms->element;
      for (size_t i = 0; i < vector->count; i++)
        plan->segments[plan->segment_count++].bytes = vector->bytes;
    }
    most = most > 0 ? most - (size_t)kit_own(2) : 0;
  } while (
      !place_segments(plan, terms->element, terms->remote_disjoint, terms->remote_space, true) ||
      !place_segments(plan, terms->element, terms->local_disjoint, terms->local_space, false));
}

void plan_make(struct plan *plan, const struct plan_terms *terms)
{
  memset(plan, 0, sizeof *plan);
  if (terms->shape == PLAN_VECTOR)
    make_vectors(plan, terms);
  else
    make_strided(plan, terms);
}

static cw_transfer vector_transfer(struct plan *plan, char *local, char *remote)
{
  size_t next = 0;
  for (size_t list = 0; list < plan->lists; list++) {
    plan->vectors[list].local = &plan->local_addresses[next];
    plan->vectors[list].remote = &plan->remote_addresses[next];
    for (size_t i = 0; i < plan->vectors[list].count; i++, next++) {
      plan->local_addresses[next] = local + plan->segments[next].local;
      plan->remote_addresses[next] = remote + plan->segments[next].remote;
    }
  }
  return (cw_transfer){.vectors = plan->vectors, .vector_count = plan->lists};
}

cw_transfer plan_transfer(struct plan *plan, const struct plan_terms *terms, char *local,
                          char *remote)
{
  if (terms->shape == PLAN_VECTOR)
    return vector_transfer(plan, local, remote);
  return cw_strided(CW_PUT, local + plan->local_base, plan->local_strides,
                    remote + plan->remote_base, plan->remote_strides, plan->run, plan->counts,
                    plan->levels, 0);
}

void plan_overwrite(struct plan *plan)
{
  memset(plan->counts, 0x5a, sizeof plan->counts);
  memset(plan->local_strides, 0x5a, sizeof plan->local_strides);
  memset(plan->remote_strides, 0x5a, sizeof plan->remote_strides);
  memset(plan->vectors, 0x5a, sizeof plan->vectors);
  memset(plan->local_addresses, 0x5a, sizeof plan->local_addresses);
  memset(plan->remote_addresses, 0x5a, sizeof plan->remote_addresses);
}

void plan_remote_extent(const struct plan *plan, size_t *begin, size_t *end)
{
  *begin = SIZE_MAX;
  *end = 0;
  for (size_t i = 0; i < plan->segment_count; i++) {
    const struct plan_segment *segment = &plan->segments[i];
    *begin = segment->remote < *begin ? segment->remote : *begin;
    *end = segment->remote + segment->bytes > *end ? segment->remote + segment->bytes : *end;
  }
}
