/* What init.c stops in the other files of the GA binding; and the end of a call that is left out,
 * for a file that does not include ga.h. */
#ifndef CWI_GA_START_H
#define CWI_GA_START_H

#ifdef __cplusplus
extern "C" {
#endif

void cwi_ga_groups_stop(void);
void cwi_ga_order_stop(void);
void cwi_ga_memory_stop(void);

/* Does not return. */
void cwi_ga_left_out(const char *call);

#ifdef __cplusplus
}
#endif
#endif
