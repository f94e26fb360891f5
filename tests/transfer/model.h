/* The expected contents of every process's memory.
 *
 * An area is a region of a team. Each slice has one part for each member, which only that member
 * touches, so that it knows the contents; and one that all members add to. The contents of a part
 * are bytes, or small integers of one element type, so that arithmetic is exact. */
#pragma once

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
  char *contents; /* of a shared part: the amounts that this process has added */
};

struct model_area {
  cw_team team;
  cw_region region;
  bool loads; /* this process's slice is host memory */
  int members;
  size_t part_bytes;
  struct model_part *own, *shared; /* [members], by target */
};

/* From now on some slices are on devices: on `device` of this process, or none of its own if NULL.
 */
void model_use_device(cw_device device);
cw_device model_device(void);

/* Collective over the world. The team is kept until the area ends. */
void model_begin(struct model_area *area, int number, cw_team team, size_t part_bytes);
void model_end(struct model_area *area);

size_t model_element(int kind);

/* Makes element or byte `index` of this process's data, which encodes process and index. */
void model_payload(int kind, size_t index, void *element);

/* Changes the kind of the contents, which become zeros in the part and the model. No operation may
 * be pending on the part. */
void model_change_kind(struct model_part *part, int kind);

/* Returns the scale factor of a number from 0 to MODEL_SCALES-1, or NULL for none. */
enum { MODEL_SCALES = 5 };
const void *model_scale(int kind, int number);

/* Applies the segments to the part or, for a get, to `local`. */
void model_apply(struct model_part *part, cw_operation operation, int scale,
                 const struct plan *plan, char *local);

/* Compares everything, by gets and by loads of the owner. No operation may be pending. Collective
 * over the world. */
void model_compare(const struct model_area *area);

extern const char *const model_kind_names[MODEL_KINDS];
