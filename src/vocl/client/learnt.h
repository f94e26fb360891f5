/* What objects will always say of themselves, or until a program is built again: it is asked once
 * and kept with the object. (Devices have told all of it when they were found.) */
#ifndef CWI_CLIENT_LEARNT_H
#define CWI_CLIENT_LEARNT_H

#include "sites/dispatch.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_learnt_fact {
  struct cwi_learnt_fact *older;
  enum cwi_about about;
  const void *device;
  cl_uint index, what;
  uint32_t age;
  size_t size;
  unsigned char value[];
};

/* An object's; begins with zeros. No lock: facts stay until the object ends. */
struct cwi_learnt {
  struct cwi_learnt_fact *newest;
  uint32_t age; /* facts of another age are not true any more */
};

/* The answer, asked now or before. Errors: what the executor says, and CL_OUT_OF_HOST_MEMORY. */
cl_int cwi_learn(struct cwi_learnt *learnt, const struct cwi_native_question *question,
                 const struct cwi_learnt_fact **fact);

/* All that is known may change: call it before the change begins, and when it is done. */
void cwi_learnt_outdate(struct cwi_learnt *learnt);
void cwi_learnt_end(struct cwi_learnt *learnt);

#ifdef __cplusplus
}
#endif
#endif
