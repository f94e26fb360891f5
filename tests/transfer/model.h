/* What the memory of every process should hold.
 *
 * An area is a region of a team. Each slice has one part for each member, which only that member
 * touches, so that it knows the contents; and one that all members add to. The contents of a part
 * are bytes, or small integers of one element type, so that arithmetic is exact. */
#ifndef TEST_TRANSFER_MODEL_H
#define TEST_TRANSFER_MODEL_H

#include "transfer/plan.h"

#include <causeway/device.h>
#include <causeway/memory.h>
#include <causeway/team.h>

enum { MODEL_BYTES = CW_TYPES, MODEL_KINDS = CW_TYPES + 1 }; /* a cw_type, or plain bytes */

struct model_part {
  int process; /* the target */
  int area;
  int kind;
  bool shared;
  size_t bytes;
  char *remote;
  char *contents; /* of a shared part: what I have added */
};

struct model_area {
  cw_team team;
  cw_region region;
  bool loads; /* my slice is host memory */
  int members;
  size_t part_bytes;
  struct model_part *own, *shared; /* [members], by target */
};

/* Some slices lie on devices from now on: on this one of mine, NULL: none of mine do. */
void model_use_device(cw_device device);
cw_device model_device(void);

/* Collective over the world. The team is kept until the area ends. */
void model_begin(struct model_area *area, int number, cw_team team, size_t part_bytes);
void model_end(struct model_area *area);

size_t model_element(int kind);

/* Element or byte `index` of what this process sends: tells process and index. */
void model_payload(int kind, size_t index, void *element);

/* Another kind of contents: all zero, there and here. Nothing may be pending on the part. */
void model_change_kind(struct model_part *part, int kind);

/* A scale factor: number 0 to MODEL_SCALES-1; NULL: none. */
enum { MODEL_SCALES = 5 };
const void *model_scale(int kind, int number);

/* What the segments do: to the part, or for a get, to `local`. */
void model_apply(struct model_part *part, cw_operation operation, int scale,
                 const struct plan *plan, char *local);

/* Collective over the world: compare everything, as seen by gets and by loads of the owner. Nothing
 * may be pending. */
void model_compare(const struct model_area *area);

extern const char *const model_kind_names[MODEL_KINDS];

#endif
