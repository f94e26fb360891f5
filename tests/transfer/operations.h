/* Random operations on the parts of a model, any number of them pending at a time. */
#ifndef TEST_TRANSFER_OPERATIONS_H
#define TEST_TRANSFER_OPERATIONS_H

#include "transfer/model.h"

enum completion {
  BLOCKING,
  HANDLE,    /* a handle of its own, waited for */
  TESTED,    /* a handle of its own, asked until it is done */
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

/* Collective over the world: local buffers, half of them in a region. */
void operations_begin(void);
void operations_end(void);

/* Run one on the part, checking what is completed on the way. */
void operations_issue(struct model_part *part, const struct request *request);

/* Complete and check what is pending: on a part, or (NULL) all. */
void operations_complete(const struct model_part *part);

#endif
