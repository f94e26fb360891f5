/* Who computes what of a product: its matrix c as jobs, which are tiles, dealt to the members. */
#ifndef CWI_LINEAR_JOBS_H
#define CWI_LINEAR_JOBS_H

#include "linear/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cwi_jobs {
  enum cwi_jobs_kind {
    CWI_JOBS_OWN,    /* each member computes what it has: blocks are large, and evenly dealt */
    CWI_JOBS_SPREAD, /* each one an equal part: blocks are small */
    CWI_JOBS_SHARED, /* who is free takes the next one: blocks are large, and unevenly dealt */
  } kind;
  struct cwi_tile *tiles;
  int64_t count;
  int64_t next;      /* not SHARED */
  cw_team team;      /* SHARED: */
  cw_region counter; /* at rank 0 */
};

/* Choose the kind, which is the same on all members, and list the jobs: all of them, or mine.
 * depth: of the product. Local. Errors: CW_OUTSIDE. */
CWI_CHECKED cw_error cwi_jobs_make(const struct cwi_matrix *c, int64_t depth,
                                   struct cwi_jobs *jobs);

/* Before the first and after the last job. Collective; only where the kind is SHARED they do
 * anything. */
CWI_CHECKED cw_error cwi_jobs_begin(struct cwi_jobs *jobs);
CWI_CHECKED cw_error cwi_jobs_end(struct cwi_jobs *jobs);

/* The number of my next job, or one that is not less than `count`. Local. */
CWI_CHECKED cw_error cwi_jobs_next(struct cwi_jobs *jobs, int64_t *number);

void cwi_jobs_free(struct cwi_jobs *jobs);

#ifdef __cplusplus
}
#endif
#endif
