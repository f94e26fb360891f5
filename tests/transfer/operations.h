/* Random operations on the parts of a model, any number of them pending at a time. */
#pragma once

#include "transfer/model.h"

enum completion {
  BLOCKING,
  HANDLE,    /* a handle of its own, waited for */
  TESTED,    /* a handle of its own, tested until it is complete */
  AGGREGATE, /* a handle that collects operations */
  IMPLICIT,  /* no handle */
  COMPLETIONS
};

struct request {
  cw_operation operation;
  enum completion completion;
  int shape;
  int scale;
};

/* Make and free local buffers, half of them in a region. Collective over the world. */
void operations_begin(void);
void operations_end(void);

/* Runs an operation on the part. Checks operations that complete meanwhile. */
void operations_issue(struct model_part *part, const struct request *request);

/* Completes and checks the pending operations of a part, or all if NULL. */
void operations_complete(const struct model_part *part);
