/* What a program has left at cw_finalize (CW_CHECK=1). */
#ifndef CWI_RUNTIME_LEAKS_H
#define CWI_RUNTIME_LEAKS_H

/* List regions, mutex sets and teams that were not freed (their lowest member says so), and held
 * mutexes and operations that nobody has waited for (of this process). Local. */
void cwi_leaks_list(void);
#endif
